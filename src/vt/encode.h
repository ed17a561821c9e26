// Cells to UTF-8, by vector instructions where the processor has them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vt/cell.h"
#include "vt/utf8.h"

namespace holdfast::vt {

struct EncodedText {
  std::size_t cells = 0;  // that were written
  char* end = nullptr;    // one past the last byte
  bool has_wide = false;
};

// Writes the leading cells that are single code points from U+0020 on, in the pen of the first one, and as many columns
// wide as the Unicode table has them. `out` has room for encoded_bytes_max(n) bytes, all of which may be written to.
constexpr std::size_t encoded_bytes_max(std::size_t cells) { return (cells + 7) * kUtf8BytesMax; }
using TextEncoder = EncodedText (*)(const Cell* cells, std::size_t n, char* out);

// The best one for this processor; chosen once.
TextEncoder text_encoder();
// The portable one, against which the other is tested.
EncodedText encode_text_scalar(const Cell* cells, std::size_t n, char* out);

}  // namespace holdfast::vt
