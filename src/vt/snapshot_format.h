// The numbers of the binary snapshot (docs/snapshot.md), shared by encoder and decoder.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast::vt::snapshot_format {

// The high bit catches transports that are not 8-bit clean, the line ends catch text conversions.
inline constexpr std::string_view kMagic = "\x89HFSNAP\r\n\x1a\n";
// A reader refuses a higher major; what a higher minor adds is in records that an older reader skips.
inline constexpr std::uint8_t kMajor = 1, kMinor = 1;

enum class RecordType : std::uint16_t {
  terminal = 1,
  modes = 2,
  styles = 3,
  clusters = 4,
  links = 5,
  primary = 6,
  alternate = 7,
  strings = 8,
  colors = 9,
  continuation = 10,
  ready = 11,
  history_block = 12,
  end = 13,
  // Of later minor versions: between `continuation` and `ready`, and only where they say something.
  extras = 20,
};

// Bytes of a record around its payload: type, length, checksum.
inline constexpr std::size_t kRecordOverhead = 2 + 4 + 4;

// The part of a cell that stands once a run: bits 21-27 and 60-63.
inline constexpr std::uint64_t run_bits(std::uint64_t bits) { return (bits >> 21 & 0x7f) | (bits >> 60) << 7; }
inline constexpr std::uint64_t cell_bits(std::uint64_t run) { return (run & 0x7f) << 21 | (run >> 7) << 60; }

}  // namespace holdfast::vt::snapshot_format
