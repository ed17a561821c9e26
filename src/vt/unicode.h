// Width and grapheme properties of code points (Unicode 17; tables made by tools/make_unicode_tables.mjs).
//
// Width rule: 0 for Mn, Me and Default_Ignorable (soft hyphen: 1), controls, Hangul V and T; 2 for East Asian Wide and
// Fullwidth, Emoji_Presentation, regional indicators; else 1 (docs/vt.md, "Unicode").
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::vt {

// Grapheme_Cluster_Break with Extended_Pictographic and Indic_Conjunct_Break folded in (UAX 29).
enum class Break : std::uint8_t {
  other, control, cr, lf, extend, zwj, regional_indicator, prepend, spacing_mark, l, v, t, lv, lvt,
  extended_pictographic, indic_consonant, indic_extend, indic_linker,
};

struct CodePointInfo {
  std::uint8_t width;  // 0, 1, 2
  Break break_class;
  bool contestable;  // terminals disagree about its width: a restore sets the position again after it
};

// Two stages: the block of 256 code points, then the byte of one: bits 0-1 width, 2-6 Break, 7 contestable.
namespace unicode_table {
struct CodePointRange {
  char32_t first, last;
};
inline constexpr char32_t kCodePointMax = 0x10ffff;
extern const std::uint8_t kBlocks[(kCodePointMax >> 8) + 1];
extern const std::uint8_t kInfo[];
extern const CodePointRange kVariationBases[];
extern const std::size_t kVariationBasesCount;

// What the table has of a code point. Numbers beyond U+10FFFF count as U+10FFFF.
inline std::uint8_t byte_of(char32_t cp) {
  if (cp > kCodePointMax) cp = kCodePointMax;
  return kInfo[kBlocks[cp >> 8] << 8 | (cp & 0xff)];
}
constexpr CodePointInfo info_of(std::uint8_t byte) {
  return {static_cast<std::uint8_t>(byte & 3), static_cast<Break>(byte >> 2 & 31), (byte & 0x80) != 0};
}
}  // namespace unicode_table

inline CodePointInfo code_point_info(char32_t cp) { return unicode_table::info_of(unicode_table::byte_of(cp)); }
inline int code_point_width(char32_t cp) { return code_point_info(cp).width; }
// Emoji that VS16 makes wide / VS15 makes narrow, and the keycap bases (emoji-variation-sequences.txt).
bool is_emoji_variation_base(char32_t cp);

// The state of a grapheme scan: what stands before the code point called `before` below. Starts as {}.
struct BreakState {
  std::uint8_t bits = 0;
};
// True if there is a grapheme boundary between `before` and `after` (UAX 29 GB1-GB999); carries the state on.
bool is_grapheme_break(Break before, Break after, BreakState& state);

}  // namespace holdfast::vt
