#include "vt/unicode.h"

#include <algorithm>

namespace holdfast::vt {
namespace {

// BreakState::bits: bits 0-1 emoji (GB11), bit 2 regional indicators (GB12, GB13), bits 3-4 Indic conjuncts (GB9c).
enum : std::uint8_t {
  kEmoji = 1,     // Extended_Pictographic Extend*
  kEmojiZwj = 2,  // Extended_Pictographic Extend* ZWJ
  kEmojiMask = 3,
  kOddIndicators = 4,  // an odd number of regional indicators in a row
  kConsonant = 8,      // Consonant [Extend Linker]*, no Linker among them
  kConjunct = 16,      // the same with a Linker
  kIndicMask = 24,
};

constexpr bool is_extend(Break b) { return b == Break::extend || b == Break::indic_extend || b == Break::indic_linker; }
constexpr bool is_control(Break b) { return b == Break::control || b == Break::cr || b == Break::lf; }

std::uint8_t emoji_after(std::uint8_t bits, Break b) {
  if (b == Break::extended_pictographic) return kEmoji;
  if ((bits & kEmojiMask) != kEmoji) return 0;
  if (is_extend(b)) return kEmoji;
  return b == Break::zwj ? kEmojiZwj : 0;
}

std::uint8_t indic_after(std::uint8_t bits, Break b) {
  if (b == Break::indic_consonant) return kConsonant;
  if (b == Break::indic_extend || b == Break::zwj) return bits & kIndicMask;
  return b == Break::indic_linker && (bits & kIndicMask) ? kConjunct : 0;
}

std::uint8_t state_after(std::uint8_t bits, Break b) {
  const std::uint8_t indicators = b == Break::regional_indicator ? ~bits & kOddIndicators : 0;
  return emoji_after(bits, b) | indicators | indic_after(bits, b);
}

bool joins_hangul(Break before, Break after) {  // GB6, GB7, GB8
  switch (before) {
    case Break::l:
      return after == Break::l || after == Break::v || after == Break::lv || after == Break::lvt;
    case Break::lv:
    case Break::v:
      return after == Break::v || after == Break::t;
    case Break::lvt:
    case Break::t:
      return after == Break::t;
    default:
      return false;
  }
}

}  // namespace

bool is_emoji_variation_base(char32_t cp) {
  const auto* begin = unicode_table::kVariationBases;
  const auto* end = begin + unicode_table::kVariationBasesCount;
  const auto* range =
      std::partition_point(begin, end, [&](const unicode_table::CodePointRange& r) { return r.last < cp; });
  return range != end && range->first <= cp;
}

bool is_grapheme_break(Break before, Break after, BreakState& state) {
  state.bits = state_after(state.bits, before);
  if (before == Break::cr && after == Break::lf) return false;  // GB3
  if (is_control(before) || is_control(after)) return true;     // GB4, GB5
  if (joins_hangul(before, after)) return false;
  if (is_extend(after) || after == Break::zwj) return false;                                          // GB9
  if (after == Break::spacing_mark || before == Break::prepend) return false;                         // GB9a, GB9b
  if (after == Break::indic_consonant && (state.bits & kIndicMask) == kConjunct) return false;        // GB9c
  if (after == Break::extended_pictographic && (state.bits & kEmojiMask) == kEmojiZwj) return false;  // GB11
  return !(after == Break::regional_indicator && (state.bits & kOddIndicators));  // GB12, GB13, GB999
}

}  // namespace holdfast::vt
