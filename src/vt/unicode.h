// Width and grapheme properties of code points (Unicode 17; tables made by tools/make_unicode_tables.mjs).
//
// Width rule: 0 for Mn, Me, Cf and other Default_Ignorable (soft hyphen: 1), Hangul V and T; 2 for East Asian Wide and
// Fullwidth, Emoji_Presentation, regional indicators; else 1 (docs/vt.md, "Unicode").
#pragma once

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

CodePointInfo code_point_info(char32_t cp);
inline int code_point_width(char32_t cp) { return code_point_info(cp).width; }
// Emoji that VS16 makes wide / VS15 makes narrow (emoji-variation-sequences.txt).
bool is_emoji_variation_base(char32_t cp);

// The state of a grapheme scan between two code points.
struct BreakState {
  std::uint8_t bits = 0;
};
// True if there is a grapheme boundary between `before` and `after` (UAX 29 GB1-GB999); carries the state on.
bool is_grapheme_break(Break before, Break after, BreakState& state);

}  // namespace holdfast::vt
