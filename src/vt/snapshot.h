// The binary snapshot: a State as bytes, exact (docs/snapshot.md). Versioned; records with length and CRC-32C; unknown
// records are skipped. The usable screen comes before the history.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "vt/state.h"

namespace holdfast::vt {

std::string encode_snapshot(const State& state);
// The same in pieces, without a copy of the history.
void write_snapshot(const State& state, const std::function<void(std::string_view)>& put);

// Hostile input: every length, id and enum is checked, memory stays within a small multiple of the input and the
// limits of limits.h. Errors: not a snapshot, newer major version, damaged record (which and where).
Result<State> decode_snapshot(std::string_view bytes);

}  // namespace holdfast::vt
