#include "vt/grid.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace holdfast::vt {
namespace {
constexpr int kRowPadding = 8;  // cells
}

Grid::Grid(int cols, int rows)
    : cols_(cols),
      rows_(static_cast<std::size_t>(rows)),
      arena_(std::make_unique<Cell[]>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols + kRowPadding))) {
  Cell* cells = arena_.get();
  for (Row& row : rows_) {
    row.cells = cells;
    cells += cols + kRowPadding;
  }
}

void Grid::clear_row(int y) {
  Row& r = row(y);
  // In steps of the padding, without a call: most rows are short, and this runs for every line that scrolls by.
  static_assert(std::is_trivially_copyable_v<Cell>);
  for (int x = 0; x < r.used; x += kRowPadding) {
    std::memset(static_cast<void*>(r.cells + x), 0, sizeof(Cell) * kRowPadding);
  }
  r.used = 0;
  r.flags = {};
  r.has_wide = r.has_cluster = false;
  r.passing = 0;
}

void Grid::rotate(int top, int bottom, int n) {
  const int height = bottom - top + 1;
  if (n == 0 || height <= 0) return;
  const int count = std::min(std::abs(n), height);
  const bool up = n > 0;
  Row* const first = rows_.data() + top;
  Row* const last = first + height;  // one past
  for (int y = up ? top : bottom - count + 1, i = 0; i < count; ++i, ++y) clear_row(y);
  if (count == height) return;
  if (count != 1) {
    std::rotate(first, up ? first + count : last - count, last);
  } else if (up) {  // by one, as almost always: a move of memory
    const Row row = *first;
    std::copy(first + 1, last, first);
    last[-1] = row;
  } else {
    const Row row = last[-1];
    std::copy_backward(first, last - 1, last);
    *first = row;
  }
}

}  // namespace holdfast::vt
