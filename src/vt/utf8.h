// Reading UTF-8 strictly (Unicode Table 3-7), and writing it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::vt {

inline constexpr char32_t kReplacement = 0xfffd;
inline constexpr std::size_t kUtf8BytesMax = 4;  // of one code point

constexpr bool is_scalar_value(char32_t cp) { return cp < 0xd800 || (cp > 0xdfff && cp <= 0x10ffff); }

// Writes a scalar value to `out`, which has room for kUtf8BytesMax bytes; returns the end.
inline char* put_utf8(char* out, char32_t cp) {
  const auto part = [cp](int shift) { return static_cast<char>(0x80 | (cp >> shift & 0x3f)); };
  if (cp < 0x80) {
    *out++ = static_cast<char>(cp);
  } else if (cp < 0x800) {
    *out++ = static_cast<char>(0xc0 | cp >> 6);
    *out++ = part(0);
  } else if (cp < 0x10000) {
    *out++ = static_cast<char>(0xe0 | cp >> 12);
    *out++ = part(6);
    *out++ = part(0);
  } else {
    *out++ = static_cast<char>(0xf0 | cp >> 18);
    *out++ = part(12);
    *out++ = part(6);
    *out++ = part(0);
  }
  return out;
}

struct Decoded {
  char32_t cp = kReplacement;
  std::size_t length = 1;      // bytes used: of a malformed sequence the maximal subpart
  bool is_incomplete = false;  // the bytes end before the sequence does
};

// Decodes the first character of `text`, which is not empty and starts with a byte from 0x80 on.
inline Decoded decode_utf8(const char* text, std::size_t n) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  std::size_t length;
  unsigned low = 0x80, high = 0xbf;  // bounds of the second byte
  char32_t cp;
  if (lead >= 0xc2 && lead < 0xe0) {
    length = 2;
    cp = lead & 0x1f;
  } else if (lead >= 0xe0 && lead < 0xf0) {
    length = 3;
    cp = lead & 0x0f;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
  } else if (lead >= 0xf0 && lead < 0xf5) {
    length = 4;
    cp = lead & 0x07;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  } else {
    return {};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i == n) return {kReplacement, i, true};
    const unsigned c = byte(i);
    if (c < low || c > high) return {kReplacement, i, false};
    cp = cp << 6 | (c & 0x3f);
    low = 0x80;
    high = 0xbf;
  }
  return {cp, length, false};
}

// Text of a string sequence as the State keeps it: valid UTF-8 without control characters, at most `bytes_max` long.
std::string clean_text(std::string_view text, std::size_t bytes_max);

}  // namespace holdfast::vt
