// Searching and widening bytes, by vector instructions where the processor has them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vt/cell.h"

namespace holdfast::vt {

struct ByteKernels {
  // How many of the first bytes are printable ASCII (0x20-0x7e).
  std::size_t (*printable_run)(const char* text, std::size_t n);
  // How many of the first bytes are not C0 controls (below 0x20).
  std::size_t (*no_control_run)(const char* text, std::size_t n);
  // out[i] = text[i] | bits.
  void (*widen)(const char* text, std::size_t n, std::uint64_t bits, Cell* out);
};

// The best ones for this processor; chosen once.
const ByteKernels& byte_kernels();
// The portable ones, against which the others are tested.
const ByteKernels& scalar_byte_kernels();

}  // namespace holdfast::vt
