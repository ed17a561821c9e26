// A checkpoint: all that a new Shadow needs to go on where another was. 8 bytes of head, then the binary snapshot
// (docs/snapshot.md), as it is or compressed.
//
//   0  "HFCP"
//   4  u8 form: 0 as it is, 1 compressed (vtd/compression.h)
//   5  u8 bit 0: the program wants mode 2027 on · bit 1: it has begun with what its first terminal had
//   6  u16 0
//
// Only processes of one binary exchange it, so it has no version.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "vt/state.h"

namespace holdfast::vtd {

// Mode 2027 as the program has it, which is not what the screen shows with a terminal that does not obey.
struct ClusterWish {
  bool wanted = true;
  bool has_begun = false;
};

struct Checkpoint {
  vt::State state;
  ClusterWish clusters;
};

enum class Form : std::uint8_t {
  plain = 0,       // soon out of date: quick to write
  compressed = 1,  // what a session sleeps on
};

// Writes to the file; how many bytes it took.
Result<std::uint64_t> write_checkpoint(const vt::State& state, ClusterWish clusters, Form form, int file);
// Errors: not a checkpoint, damaged, or more in it than limits::kCheckpointBytesMax.
Result<Checkpoint> read_checkpoint(int file);

}  // namespace holdfast::vtd
