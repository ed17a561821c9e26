// A control sequence as the parser hands it over: CSI, and the header of a DCS.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace holdfast::vt {

struct Sequence {
  static constexpr int kParamsMax = 32;  // further ones are read over

  std::array<std::uint16_t, kParamsMax> params;  // saturated; an omitted one is 0
  std::uint32_t colons = 0;                      // bit i: parameter i follows a colon, not a semicolon
  std::uint8_t count = 0;
  char prefix = 0;  // one of < = > ?, or 0
  char intermediates[2] = {0, 0};
  char final = 0;

  // Parameter i, or `otherwise` if it is omitted or 0.
  int count_at(int i, int otherwise = 1) const { return i < count && params[at(i)] != 0 ? params[at(i)] : otherwise; }
  int value_at(int i) const { return i < count ? params[at(i)] : 0; }

  bool is_sgr() const { return final == 'm' && prefix == 0 && intermediates[0] == 0; }

  // Which function: prefix, intermediates and final byte in one number.
  static constexpr std::uint32_t key(char prefix, char first, char second, char final) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(prefix)) << 24 |
           static_cast<std::uint32_t>(static_cast<unsigned char>(first)) << 16 |
           static_cast<std::uint32_t>(static_cast<unsigned char>(second)) << 8 |
           static_cast<std::uint32_t>(static_cast<unsigned char>(final));
  }
  std::uint32_t key() const { return key(prefix, intermediates[0], intermediates[1], final); }

 private:
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
};

}  // namespace holdfast::vt
