#include "vt/charset.h"

#include <array>
#include <cstddef>
#include <iterator>

namespace holdfast::vt {
namespace {

struct CharsetRow {
  Charset set;
  std::string_view name, designation, others;  // `others`: designations that mean the same
};
constexpr CharsetRow kCharsets[] = {
    {Charset::ascii, "ascii", "B", ""},
    {Charset::dec_graphics, "dec", "0", ""},
    {Charset::uk, "uk", "A", ""},
    {Charset::dutch, "dutch", "4", ""},
    {Charset::finnish, "finnish", "5", "C"},
    {Charset::french, "french", "R", "f"},
    {Charset::french_canadian, "french canadian", "Q", "9"},
    {Charset::german, "german", "K", ""},
    {Charset::italian, "italian", "Y", ""},
    {Charset::norwegian_danish, "norwegian danish", "`", "E6"},
    {Charset::portuguese, "portuguese", "%6", ""},
    {Charset::spanish, "spanish", "Z", ""},
    {Charset::swedish, "swedish", "7", "H"},
    {Charset::swiss, "swiss", "=", ""},
    {Charset::dec_supplemental, "dec supplemental", "%5", "<"},
    {Charset::dec_technical, "dec technical", ">", ""},
    {Charset::latin1, "latin 1", "A", ""},
};
static_assert(std::size(kCharsets) == static_cast<std::size_t>(kCharsetLast) + 1);

constexpr bool rows_stand_at_their_index() {
  for (std::size_t i = 0; i < std::size(kCharsets); ++i) {
    if (static_cast<std::size_t>(kCharsets[i].set) != i) return false;
  }
  return true;
}
static_assert(rows_stand_at_their_index());

// DEC Special Graphics, 0x60-0x7e.
constexpr char16_t kDecGraphics[] = {u'◆', u'▒', u'␉', u'␌', u'␍', u'␊', u'°', u'±', u'␤', u'␋', u'┘',
                                     u'┐', u'┌', u'└', u'┼', u'⎺', u'⎻', u'─', u'⎼', u'⎽', u'├', u'┤',
                                     u'┴', u'┬', u'│', u'≤', u'≥', u'π', u'≠', u'£', u'·'};
static_assert(std::size(kDecGraphics) == 0x7f - 0x60);

// What a place shows that a set leaves empty: the reversed question mark of the VT420.
constexpr char16_t kNone = u'\u2e2e';

// DEC Technical, 0x21-0x7e. The pieces of a large sum (0x31-0x37) are in no other set.
constexpr char16_t kDecTechnical[] = {
    u'⎷',  u'┌',  u'─',  u'⌠',  u'⌡',  u'│',  u'⎡',  u'⎣',  u'⎤',  u'⎦',  u'⎛',  u'⎝', u'⎞',  u'⎠', u'⎨', u'⎬',
    kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, u'≤', u'≠',  u'≥', u'∫', u'∴',
    u'∝',  u'∞',  u'÷',  u'Δ',  u'∇',  u'Φ',  u'Γ',  u'∼',  u'≃',  u'Θ',  u'×',  u'Λ', u'⇔',  u'⇒', u'≡', u'Π',
    u'Ψ',  kNone, u'Σ',  kNone, kNone, u'√',  u'Ω',  u'Ξ',  u'Υ',  u'⊂',  u'⊃',  u'∩', u'∪',  u'∧', u'∨', u'¬',
    u'α',  u'β',  u'χ',  u'δ',  u'ε',  u'φ',  u'γ',  u'η',  u'ι',  u'θ',  u'κ',  u'λ', kNone, u'ν', u'∂', u'π',
    u'ψ',  u'ρ',  u'σ',  u'τ',  kNone, u'ƒ',  u'ω',  u'ξ',  u'υ',  u'ζ',  u'←',  u'↑', u'→',  u'↓'};
static_assert(std::size(kDecTechnical) == 0x7f - 0x21);

// The places where national sets differ from ASCII, and what stands there in the sets from Charset::uk on.
constexpr std::string_view kNationalPlaces = "#$@[\\]^_`{|}~";
constexpr std::u16string_view kNational[] = {
    u"£$@[\\]^_`{|}~",  // uk
    u"£$¾ĳ½|^_`¨ƒ¼´",   // dutch
    u"#$@ÄÖÅÜ_éäöåü",   // finnish
    u"£$à°ç§^_`éùè¨",   // french
    u"#$àâçêî_ôéùèû",   // french_canadian
    u"#$§ÄÖÜ^_`äöüß",   // german
    u"£$§°çé^_ùàòèì",   // italian
    u"#$ÄÆØÅÜ_äæøåü",   // norwegian_danish
    u"#$@ÃÇÕ^_`ãçõ~",   // portuguese
    u"£$§¡Ñ¿^_`°ñç~",   // spanish
    u"#$ÉÄÖÅÜ_éäöåü",   // swedish
    u"ù$àéçêîèôäöüû",   // swiss
};
constexpr bool sets_are_whole() {
  for (const auto& set : kNational) {
    if (set.size() != kNationalPlaces.size()) return false;
  }
  return std::size(kNational) == static_cast<std::size_t>(Charset::swiss) - static_cast<std::size_t>(Charset::uk) + 1;
}
static_assert(sets_are_whole());

char32_t in_national(Charset set, char32_t byte) {
  const std::size_t place = kNationalPlaces.find(static_cast<char>(byte));
  if (place == std::string_view::npos) return byte;
  return kNational[static_cast<std::size_t>(set) - static_cast<std::size_t>(Charset::uk)][place];
}

// Latin-1 but for the places where DEC had other characters, or none.
char32_t in_dec_supplemental(char32_t byte) {
  constexpr std::string_view kEmpty = "$&,-./48>P^p~";
  switch (byte) {
    case ' ':
      return byte;
    case '(':
      return U'¤';
    case 'W':
      return U'Œ';
    case ']':
      return U'Ÿ';
    case 'w':
      return U'œ';
    case '}':
      return U'ÿ';
    default:
      return kEmpty.find(static_cast<char>(byte)) == std::string_view::npos ? byte + 0x80 : kNone;
  }
}

}  // namespace

std::string_view charset_name(Charset set) { return kCharsets[static_cast<std::size_t>(set)].name; }
std::string_view charset_designation(Charset set) { return kCharsets[static_cast<std::size_t>(set)].designation; }

std::optional<Charset> find_charset(bool has_96, std::string_view designation) {
  for (const CharsetRow& row : kCharsets) {
    if (is_96(row.set) != has_96) continue;
    const bool is_other = designation.size() == 1 && row.others.find(designation[0]) != std::string_view::npos;
    if (row.designation == designation || is_other) return row.set;
  }
  return std::nullopt;
}

char32_t in_charset(Charset set, char32_t byte) {
  switch (set) {
    case Charset::ascii:
      return byte;
    case Charset::dec_graphics:
      return byte >= 0x60 && byte < 0x7f ? kDecGraphics[byte - 0x60] : byte;
    case Charset::dec_supplemental:
      return in_dec_supplemental(byte);
    case Charset::dec_technical:
      return byte > 0x20 && byte < 0x7f ? kDecTechnical[byte - 0x21] : byte;
    case Charset::latin1:
      return byte + 0x80;
    default:
      return in_national(set, byte);
  }
}

}  // namespace holdfast::vt
