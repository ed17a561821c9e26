// How rows make a line and a line is cut into rows: the one rule for history and reflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vt/row.h"

namespace holdfast::vt {

struct RowCut {
  std::size_t end = 0;     // the row is [from, end)
  bool spacer = false;     // its last column stays blank: the wide character there did not fit
  bool lost_wide = false;  // one column only: the wide character cannot be shown, an unwritten cell stands for it
};

// True if the cell is the left half of a whole wide character.
constexpr bool is_wide_pair(std::span<const Cell> line, std::size_t at) {
  return line[at].kind() == CellKind::wide && line[at].is_written() && at + 1 < line.size() &&
         line[at + 1].kind() == CellKind::wide_tail && !line[at + 1].is_written();
}

// The row that starts at `from`. Wide characters are never split.
constexpr RowCut next_cut(std::span<const Cell> line, std::size_t from, std::size_t cols) {
  RowCut cut{from + cols < line.size() ? from + cols : line.size()};
  if (cut.end == line.size() || cut.end == from || !is_wide_pair(line, cut.end - 1)) return cut;
  if (cols == 1) return {cut.end + 1, false, true};
  return {cut.end - 1, true, false};
}

// Text and kind of a cell; and the bits that a pen gives it.
inline constexpr std::uint64_t kCellContents = Cell::kTextMask | Cell::kCluster | 3ull << Cell::kKindShift;
inline constexpr std::uint64_t kCellPen =
    0xffffull << Cell::kStyleShift | 0xffffull << Cell::kLinkShift | Cell::kProtected | 3ull << Cell::kSemanticShift;

// The spacer before the wide character at `at`: it has its pen.
constexpr Cell spacer_before(std::span<const Cell> line, std::size_t at) {
  return Cell{(line[at].bits & ~kCellContents) | Cell::kind_bits(CellKind::wrap_spacer)};
}

// How many cells of a row belong to its line: no spacer, and at the end of the line no untouched cells.
constexpr std::size_t line_cells(const RowView& row) {
  std::size_t n = row.cells.size();
  if (n > 0 && row.cells[n - 1].kind() == CellKind::wrap_spacer) --n;
  if (row.flags.wrapped) return n;
  while (n > 0 && (row.cells[n - 1].bits & (kCellContents | kCellPen)) == 0) --n;
  return n;
}

}  // namespace holdfast::vt
