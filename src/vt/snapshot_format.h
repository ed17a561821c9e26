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
  // Since 1.1.
  more_colors = 14,
  pointer = 15,
  status = 16,
  primary_images = 17,
  alternate_images = 18,
  extras = 19,
};

// The order in which they stand. An older writer, and one with nothing to say, leaves out what may be missing.
struct Step {
  RecordType type;
  bool may_be_missing;
};
inline constexpr Step kOrder[] = {
    {RecordType::terminal, false},      {RecordType::modes, false},
    {RecordType::styles, false},        {RecordType::clusters, false},
    {RecordType::links, false},         {RecordType::primary, false},
    {RecordType::alternate, false},     {RecordType::strings, false},
    {RecordType::colors, false},        {RecordType::continuation, false},
    {RecordType::more_colors, true},    {RecordType::pointer, true},
    {RecordType::status, true},         {RecordType::extras, true},
    {RecordType::ready, false},         {RecordType::history_block, true},
    {RecordType::primary_images, true}, {RecordType::alternate_images, true},
    {RecordType::end, false},
};

// What the record `colors` has of OSC 10 to 19: those that version 1.0 knew. `more_colors` has all of them.
inline constexpr int kFirstDynamicColors[] = {10, 11, 12, 17, 19};

// Bytes of a record around its payload: type, length, checksum.
inline constexpr std::size_t kRecordOverhead = 2 + 4 + 4;

// The part of a cell that stands once a run: bits 21-27 and 60-63.
inline constexpr std::uint64_t run_bits(std::uint64_t bits) { return (bits >> 21 & 0x7f) | (bits >> 60) << 7; }
inline constexpr std::uint64_t cell_bits(std::uint64_t run) { return (run & 0x7f) << 21 | (run >> 7) << 60; }

}  // namespace holdfast::vt::snapshot_format
