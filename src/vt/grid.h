// Grid: rows x cols cells of one screen. Storage only: no cursor, no meaning.
//
// Rows are pointers into one arena; scrolling rotates pointers and clears the used part of what comes in.
// Invariant: cells at and beyond Row::used are all-zero bits. `used` may be larger than needed, never smaller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "vt/row.h"

namespace holdfast::vt {

struct Row {
  Cell* cells = nullptr;
  std::uint16_t used = 0;
  RowFlags flags;
  // Hints that may be set too often, never too rarely: they let the fast print path skip its checks.
  bool has_wide = false, has_cluster = false;
  // Number of the packed line that the cells are yet to be made of; 0 = none (Editor, "passing.cc").
  std::uint16_t passing = 0;

  RowView view() const { return {std::span<const Cell>(cells, used), flags}; }
};

class Grid {
 public:
  Grid(int cols, int rows);
  Grid(Grid&&) noexcept = default;
  Grid& operator=(Grid&&) noexcept = default;

  int cols() const { return cols_; }
  int rows() const { return static_cast<int>(rows_.size()); }
  Row& row(int y) { return rows_[static_cast<std::size_t>(y)]; }
  const Row& row(int y) const { return rows_[static_cast<std::size_t>(y)]; }

  // Makes row y blank: unwritten, default, no flags.
  void clear_row(int y);
  // Moves rows [top, bottom] up (n > 0) or down (n < 0) by |n| and clears what comes in. n is clamped.
  void rotate(int top, int bottom, int n);

 private:
  int cols_;
  std::vector<Row> rows_;
  std::unique_ptr<Cell[]> arena_;  // each row has 8 cells of padding, for unaligned vector stores
};

}  // namespace holdfast::vt
