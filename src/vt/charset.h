// Charsets: how they are designated (ctlseqs, "SCS"; VT420 manual, chapter 4) and which characters they have.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::vt {

// Numbers of the binary snapshot: the next ones are appended.
enum class Charset : std::uint8_t {
  ascii,
  dec_graphics,
  uk,
  dutch,
  finnish,
  french,
  french_canadian,
  german,
  italian,
  norwegian_danish,
  portuguese,
  spanish,
  swedish,
  swiss,
  dec_supplemental,
  dec_technical,
  latin1,
};
inline constexpr Charset kCharsetLast = Charset::latin1;

// Whether a set has 96 characters, also where others have space and DEL, and is designated as such.
constexpr bool is_96(Charset set) { return set == Charset::latin1; }
// A national set can be designated only while DECNRCM is on.
constexpr bool is_national(Charset set) { return set >= Charset::dutch && set <= Charset::swiss; }

// The name used in canonical objects, and what stands behind `ESC (` in a designation.
std::string_view charset_name(Charset set);
std::string_view charset_designation(Charset set);

// The set that `ESC` with one of ()*+ (94 characters) or -./ (96) and these bytes designates. Nothing: not known.
std::optional<Charset> find_charset(bool has_96, std::string_view designation);

// What a byte from 0x20 to 0x7f shows.
char32_t in_charset(Charset set, char32_t byte);

}  // namespace holdfast::vt
