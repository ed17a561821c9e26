#include "vt/scan.h"

#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

#include <random>

namespace holdfast::vt {

TEST_CASE("the vector kernels find what the portable ones find, at every length and place") {
  const ByteKernels& fast = byte_kernels();
  const ByteKernels& plain = scalar_byte_kernels();
  for (std::size_t n = 0; n < 150; ++n) {
    CAPTURE(n);
    std::string text(n, 'x');
    CHECK(fast.printable_run(text.data(), n) == n);
    CHECK(fast.no_control_run(text.data(), n) == n);
    for (std::size_t at = 0; at < n; ++at) {
      for (const int bad : {0x00, 0x1f, 0x7f, 0x80, 0xff, 0x1b}) {
        text[at] = static_cast<char>(bad);
        if (fast.printable_run(text.data(), n) != plain.printable_run(text.data(), n) ||
            fast.no_control_run(text.data(), n) != plain.no_control_run(text.data(), n)) {
          FAIL("byte " << bad << " at " << at);
        }
      }
      text[at] = 'x';
    }
  }
}

TEST_CASE("every byte value is judged alike by both") {
  std::mt19937 random(5);
  std::string text(4096, ' ');
  for (char& c : text) c = static_cast<char>(random());
  for (std::size_t at = 0; at < text.size(); ++at) {
    CHECK(byte_kernels().printable_run(text.data() + at, text.size() - at) ==
          scalar_byte_kernels().printable_run(text.data() + at, text.size() - at));
    CHECK(byte_kernels().no_control_run(text.data() + at, text.size() - at) ==
          scalar_byte_kernels().no_control_run(text.data() + at, text.size() - at));
  }
}

TEST_CASE("widening writes exactly the cells it was given") {
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<Cell> cells(n + 8, Cell{7});
    const std::string text(n, 'k');
    byte_kernels().widen(text.data(), n, std::uint64_t{3} << Cell::kStyleShift, cells.data());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      CHECK(cells[i].bits == (i < n ? 'k' | std::uint64_t{3} << Cell::kStyleShift : 7));
    }
  }
}

}  // namespace holdfast::vt
