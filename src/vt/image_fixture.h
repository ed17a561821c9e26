// Commands of kitty's graphics protocol, for tests. The cells of a test's terminal have 8 by 16 pixels.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace holdfast::vt {

inline std::string graphics(std::string_view keys, std::string_view data = {}) {
  return "\x1b_G" + std::string(keys) + (data.empty() ? "" : ";" + base64(data)) + "\x1b\\";
}

// An image of so many cells, of one colour.
inline std::string picture(std::string_view keys, int columns, int rows, char color = 'x') {
  const int width = 8 * columns, height = 16 * rows;
  return graphics("f=24,s=" + std::to_string(width) + ",v=" + std::to_string(height) + "," + std::string(keys),
                  std::string(static_cast<std::size_t>(3 * width * height), color));
}

// The head of a PNG, which is all that is read of one.
inline std::string png(int width, int height) {
  std::string bytes("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  for (const int side : {width, height}) {
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(side >> shift);
  }
  return bytes + std::string("\x08\x02\0\0\0rest", 9);
}

}  // namespace holdfast::vt
