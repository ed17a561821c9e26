// Erasing and filling cells. What is erased becomes unwritten, with the background of the pen.
#include <algorithm>

#include "vt/editor.h"

namespace holdfast::vt {

void Editor::cut_join(Row& r) {
  if (!r.flags.wrapped) return;
  r.flags.wrapped = false;
  drop_spacer(r);
}

void Editor::cut_join_above(int y) {
  if (y > 0) {
    cut_join(row(y - 1));
  } else if (!state_.on_alternate) {
    state_.history.close_line();
  }
}

void Editor::blank(int y, int x0, int x1) {
  if (x0 >= x1) return;
  Row& r = row(y);
  if (r.has_wide) {
    if (x0 == 0) cell_overwritten_at_start(y);
    detach_halves(y, x0, x1);
  }
  const std::uint64_t bits = blank_bits();
  if (bits != 0) {
    std::fill(r.cells + x0, r.cells + x1, Cell{bits});
    r.used = static_cast<std::uint16_t>(std::max<int>(r.used, x1));
  } else if (x0 < r.used) {
    std::fill(r.cells + x0, r.cells + std::min<int>(x1, r.used), Cell{});
    if (x1 >= r.used) r.used = static_cast<std::uint16_t>(x0);
  }
  if (x1 == cols_) cut_join(r);
  if (x0 == 0 && x1 == cols_) {
    cut_join_above(y);
    r.flags.mark = RowMark::none;
    r.has_wide = r.has_cluster = false;
  }
}

void Editor::blank_unprotected(int y, int x0, int x1) {
  Row& r = row(y);
  for (int x = x0; x < x1;) {
    if (x < r.used && r.cells[x].is_protected()) {
      ++x;
      continue;
    }
    int end = x + 1;
    while (end < x1 && !(end < r.used && r.cells[end].is_protected())) ++end;
    blank(y, x, end);
    x = end;
  }
}

void Editor::erase_cells(int y, int x0, int x1, Erase kind) {
  if (kind == Erase::selective || screen_->protection == Protection::iso) {
    blank_unprotected(y, x0, x1);
  } else {
    blank(y, x0, x1);
  }
}

void Editor::erase_in_line(Extent extent, Erase kind) {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  const int x0 = extent == Extent::after ? at.x : 0;
  const int x1 = extent == Extent::before ? at.x + 1 : cols_;
  erase_cells(at.y, x0, x1, kind);
}

void Editor::erase_in_display(Extent extent, Erase kind) {
  const Cursor& at = screen_->cursor;
  if (extent != Extent::all) erase_in_line(extent, kind);
  screen_->cursor.pending_wrap = false;
  const int y0 = extent == Extent::after ? at.y + 1 : 0;
  const int y1 = extent == Extent::before ? at.y : rows_;
  for (int y = y0; y < y1; ++y) erase_cells(y, 0, cols_, kind);
  // Nothing else that erases text touches images.
  if (extent == Extent::all) screen_->graphics.clear_screen();
}

void Editor::erase_history() {
  if (state_.on_alternate) return;
  state_.history.clear();
  screen_->graphics.clear_history();
}

// What scrolls in has no background, and the cursor goes up with its row, as in Ghostty; home if that one leaves.
void Editor::scroll_out_display() {
  const auto is_blank = [this](int y) {
    const auto cells = row(y).view().cells;
    return std::ranges::all_of(cells, [](Cell cell) { return cell.bits == 0; });
  };
  int n = rows_;
  while (n > 0 && is_blank(n - 1)) --n;
  if (n > 0) {
    cut_join(row(n - 1));
    cut_join(row(rows_ - 1));
    if (!state_.on_alternate) {
      push_to_history(n);
      screen_->graphics.scroll_screen(n, rows_, state_.history.limits().rows);
    }
    screen_->grid.rotate(0, rows_ - 1, n);
    Cursor& at = screen_->cursor;
    if (at.y >= n)
      at.y -= n;
    else
      at = {};
  }
  screen_->graphics.clear_screen();
}

void Editor::erase_characters(int n) {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  erase_cells(at.y, at.x, at.x + std::min(std::max(n, 1), cols_ - at.x), Erase::normal);
}

// DECSERA obeys DEC's protection, and no rectangle ISO's.
void Editor::erase_rectangle(const Rectangle& area, Erase kind) {
  if (area.is_empty()) return;
  const bool obeys = kind == Erase::selective && screen_->protection == Protection::dec;
  for (int y = area.top; y <= area.bottom; ++y) {
    if (obeys) {
      blank_unprotected(y, area.left, area.right + 1);
    } else {
      blank(y, area.left, area.right + 1);
    }
  }
}

void Editor::fill_rectangle(const Rectangle& area, char32_t cp) {
  if (area.is_empty()) return;
  const Cell cell{cp | pen_bits()};
  for (int y = area.top; y <= area.bottom; ++y) {
    blank(y, area.left, area.right + 1);
    Row& r = row(y);
    std::fill(r.cells + area.left, r.cells + area.right + 1, cell);
    r.used = static_cast<std::uint16_t>(std::max<int>(r.used, area.right + 1));
  }
}

void Editor::copy_rectangle(const Rectangle& from, int top, int left) {
  if (from.is_empty()) return;
  const int height = std::min(from.bottom - from.top + 1, rows_ - top);
  const int width = std::min(from.right - from.left + 1, cols_ - left);
  if (height <= 0 || width <= 0) return;
  std::vector<Cell> cells(static_cast<std::size_t>(width));
  for (int i = 0; i < height; ++i) {
    const int step = top > from.top ? height - 1 - i : i;  // overlapping areas: like memmove
    const Cell* source = row(from.top + step).cells + from.left;
    std::copy_n(source, width, cells.begin());
    // Halves of wide characters at the edges, and spacers, have no meaning at another place.
    for (Cell& cell : cells) {
      const bool cut_head = cell.kind() == CellKind::wide && &cell == &cells.back();
      const bool cut_tail = cell.kind() == CellKind::wide_tail && &cell == &cells.front();
      if (cut_head || cut_tail || cell.kind() == CellKind::wrap_spacer) cell.bits = blank_bits();
    }
    const int y = top + step;
    const Row hints = row(from.top + step);  // before the blank, which may be of the same row
    blank(y, left, left + width);
    Row& r = row(y);
    std::copy(cells.begin(), cells.end(), r.cells + left);
    r.used = static_cast<std::uint16_t>(std::max<int>(r.used, left + width));
    r.has_wide = r.has_wide || hints.has_wide;
    r.has_cluster = r.has_cluster || hints.has_cluster;
  }
}

// An erased cell has a background and nothing else: what attributes make visible is a space.
void Editor::change_attributes(const Rectangle& area, std::uint32_t set, std::uint32_t clear, std::uint32_t toggle) {
  if (area.is_empty()) return;
  const bool is_stream = state_.attribute_extent != 2;
  for (int y = area.top; y <= area.bottom; ++y) {
    const int first = is_stream && y > area.top ? 0 : area.left;
    const int last = is_stream && y < area.bottom ? cols_ - 1 : area.right;
    for (int x = first; x <= last; ++x) {
      Style style = state_.tables.styles[row(y).cells[x].style()];
      style.attributes = ((style.attributes & ~clear) | set) ^ toggle;
      if (style == state_.tables.styles[row(y).cells[x].style()]) continue;
      const std::uint64_t id = intern_style(style);  // may renumber the cell: read it afterwards
      Row& r = row(y);
      Cell& cell = r.cells[x];
      cell.bits = (cell.bits & ~(std::uint64_t{0xffff} << Cell::kStyleShift)) | id << Cell::kStyleShift;
      if (cell.kind() == CellKind::narrow && !cell.is_written()) cell.bits |= ' ';
      r.used = static_cast<std::uint16_t>(std::max<int>(r.used, x + 1));
    }
  }
}

// Of the pen only its colours count, as in xterm and Ghostty; with Ghostty they are what remains of it.
void Editor::alignment_test() {
  reset_margins();
  state_.modes.set(Mode::origin, false);
  screen_->cursor = {};
  for (int y = 0; y < rows_; ++y) blank(y, 0, cols_);
  const Pen& pen = screen_->pen;
  Style colors;
  colors.foreground = pen.style.foreground;
  colors.background = pen.style.background;
  const Cell cell{U'E' | Cell::pen_bits(intern_style(colors), 0, false, pen.semantic)};
  if (profile_ == Profile::ghostty) change_pen().style = colors;
  for (int y = 0; y < rows_; ++y) {
    std::fill_n(row(y).cells, cols_, cell);
    row(y).used = static_cast<std::uint16_t>(cols_);
  }
}

}  // namespace holdfast::vt
