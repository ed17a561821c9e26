// Moving cells and rows: insert, delete, scroll.
#include <algorithm>

#include "vt/editor.h"

namespace holdfast::vt {

bool Editor::is_inside_margins() const {
  const Margins& m = state_.margins;
  const Cursor& at = screen_->cursor;
  return at.y >= m.top && at.y <= m.bottom && at.x >= m.left && at.x <= m.right;
}

bool Editor::is_between_side_margins() const {
  return screen_->cursor.x >= state_.margins.left && screen_->cursor.x <= state_.margins.right;
}

void Editor::push_to_history(int n) {
  for (int y = 0; y < n; ++y) push_row_to_history(row(y));
}

void Editor::push_row_to_history(const Row& r) {
  if (r.passing != 0) return push_packed_row(passing_.places[r.passing - 1u].line);
  const bool is_short = r.used == cols_ && r.cells[cols_ - 1].kind() == CellKind::wrap_spacer;
  last_column_ = is_short ? LastColumn::missing : LastColumn::there;
  // A continuation with nothing on it would leave no trace in the line it continues: it is a line of its own.
  const auto is_blank = [&r] { return std::all_of(r.cells, r.cells + r.used, [](Cell c) { return c.bits == 0; }); };
  if (!r.flags.wrapped && is_blank()) state_.history.close_line();
  // A row that goes on is as wide as the screen, also where nothing was written.
  const std::size_t width = r.flags.wrapped ? static_cast<std::size_t>(cols_) : r.used;
  state_.history.push({std::span<const Cell>(r.cells, width), r.flags}, state_.tables);
}

// A wide character that would be cut between x - 1 and x becomes two blanks.
void Editor::split_at(int y, int x) {
  Row& r = row(y);
  if (x <= 0 || x >= cols_ || r.cells[x].kind() != CellKind::wide_tail) return;
  if (x == 1) cell_overwritten_at_start(y);
  r.cells[x - 1].bits = r.cells[x].bits = blank_bits();
}

void Editor::split_at_margins(int y) {
  split_at(y, state_.margins.left);
  split_at(y, state_.margins.right + 1);
}

void Editor::paint_cleared_row(int y) {
  Row& r = row(y);
  std::fill_n(r.cells, cols_, Cell{blank_bits()});
  r.used = static_cast<std::uint16_t>(cols_);
}

void Editor::copy_row_part(int from, int to, int x0, int x1) {
  const Row& source = row(from);
  Row& target = row(to);
  cut_join(target);
  for (int x = x0; x < x1; ++x) {
    Cell cell = source.cells[x];
    if (cell.kind() == CellKind::wrap_spacer) cell.bits &= ~Cell::kind_bits(CellKind::wrap_spacer);
    target.cells[x] = cell;
  }
  if (source.used > x0) target.used = std::max(target.used, static_cast<std::uint16_t>(std::min<int>(source.used, x1)));
  target.has_wide = target.has_wide || source.has_wide;
  target.has_cluster = target.has_cluster || source.has_cluster;
}

// Moves the rows [top, bottom] between the left and right margins. Joins of lines that lose their neighbour are cut.
void Editor::scroll_rows_up(int top, int bottom, int n, Join join) {
  const int height = bottom - top + 1;
  n = std::min(n, height);
  if (n <= 0) return;
  const Margins& m = state_.margins;
  const bool has_background = blank_bits() != 0;
  if (has_full_width_margins()) {
    if (top > 0) cut_join(row(top - 1));
    if (join == Join::cut) cut_join(row(bottom));
    screen_->grid.rotate(top, bottom, n);
    if (has_background) {
      for (int y = bottom - n + 1; y <= bottom; ++y) paint_cleared_row(y);
    }
    return;
  }
  for (int y = top; y <= bottom; ++y) split_at_margins(y);
  for (int y = top; y + n <= bottom; ++y) copy_row_part(y + n, y, m.left, m.right + 1);
  for (int y = bottom - n + 1; y <= bottom; ++y) blank(y, m.left, m.right + 1);
}

void Editor::scroll_rows_down(int top, int bottom, int n) {
  const int height = bottom - top + 1;
  n = std::min(n, height);
  if (n <= 0) return;
  const Margins& m = state_.margins;
  const bool has_background = blank_bits() != 0;
  if (has_full_width_margins()) {
    cut_join_above(top);
    cut_join(row(bottom));
    if (n < height) cut_join(row(bottom - n));
    screen_->grid.rotate(top, bottom, -n);
    if (has_background) {
      for (int y = top; y < top + n; ++y) paint_cleared_row(y);
    }
    return;
  }
  for (int y = top; y <= bottom; ++y) split_at_margins(y);
  for (int y = bottom; y - n >= top; --y) copy_row_part(y - n, y, m.left, m.right + 1);
  for (int y = top; y < top + n; ++y) blank(y, m.left, m.right + 1);
}

// Images go with the text that scrolls (not with lines that are inserted or deleted, as in kitty and Ghostty). n > 0: up.
void Editor::scroll_images(int n) {
  Graphics& graphics = screen_->graphics;
  const Margins& m = state_.margins;
  if (m.top != 0 || m.bottom != rows_ - 1 || !has_full_width_margins()) {
    return graphics.scroll_area({m.top, m.bottom, m.left, m.right}, n, cols_);
  }
  graphics.scroll_screen(n, rows_, state_.on_alternate ? 0 : state_.history.limits().rows);
}

void Editor::index() { index_with(Join::cut); }

void Editor::index_with(Join join) {
  Cursor& at = screen_->cursor;
  const Margins& m = state_.margins;
  at.pending_wrap = false;
  if (at.y != m.bottom) {
    if (at.y < rows_ - 1) ++at.y;
    return;
  }
  if (!is_inside_margins()) return;
  if (m.top == 0 && has_full_width_margins() && !state_.on_alternate) push_to_history(1);
  scroll_rows_up(m.top, m.bottom, 1, join);
  if (!screen_->graphics.placements.empty()) scroll_images(1);
}

void Editor::reverse_index() {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  if (at.y != state_.margins.top) {
    if (at.y > 0) --at.y;
    return;
  }
  if (!is_inside_margins()) return;
  scroll_rows_down(state_.margins.top, state_.margins.bottom, 1);
  if (!screen_->graphics.placements.empty()) scroll_images(-1);
}

void Editor::scroll_up(int n) {
  if (state_.margins.top == 0) cut_join_above(0);
  scroll_rows_up(state_.margins.top, state_.margins.bottom, n, Join::cut);
  if (!screen_->graphics.placements.empty()) scroll_images(std::min(n, rows_));
}

void Editor::scroll_down(int n) {
  scroll_rows_down(state_.margins.top, state_.margins.bottom, n);
  if (!screen_->graphics.placements.empty()) scroll_images(-std::min(n, rows_));
}

void Editor::insert_lines(int n) {
  if (!is_inside_margins()) return;
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  at.x = state_.margins.left;
  scroll_rows_down(at.y, state_.margins.bottom, n);
}

void Editor::delete_lines(int n) {
  if (!is_inside_margins()) return;
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  at.x = state_.margins.left;
  if (at.y == 0) cut_join_above(0);
  scroll_rows_up(at.y, state_.margins.bottom, n, Join::cut);
}

// Cells [x, right] move by n columns; what comes in is blank, what passes `right` is lost.
void Editor::shift_right(int y, int x, int right, int n) {
  Row& r = row(y);
  n = std::min(n, right - x + 1);
  if (r.has_wide) {
    if (x == 0) cell_overwritten_at_start(y);
    split_at(y, x);
    split_at(y, right + 1);
  }
  std::copy_backward(r.cells + x, r.cells + right + 1 - n, r.cells + right + 1);
  if (r.used > x) r.used = static_cast<std::uint16_t>(std::min(cols_, r.used + n));
  Cell& last = r.cells[right];
  if (last.kind() == CellKind::wide) last.bits = blank_bits();
  // The gap holds copies of cells that have moved on: halves of them must not be mistaken for neighbours.
  std::fill(r.cells + x, r.cells + x + n, Cell{});
  r.used = static_cast<std::uint16_t>(std::max<int>(r.used, x));
  const RowFlags flags = r.flags;
  blank(y, x, x + n);
  if (right == cols_ - 1) {
    r.flags.wrapped = flags.wrapped;
    if (!r.cells[right].is_written()) cut_join(r);
  }
}

void Editor::shift_left(int y, int x, int right, int n) {
  Row& r = row(y);
  n = std::min(n, right - x + 1);
  if (r.has_wide) {
    if (x == 0) cell_overwritten_at_start(y);
    for (const int at : {x, x + n, right + 1}) split_at(y, at);
  }
  if (right == cols_ - 1) cut_join(r);
  std::copy(r.cells + x + n, r.cells + right + 1, r.cells + x);
  std::fill(r.cells + right + 1 - n, r.cells + right + 1, Cell{});
  blank(y, right + 1 - n, right + 1);
}

void Editor::insert_characters(int n) {
  if (!is_between_side_margins()) return;
  screen_->cursor.pending_wrap = false;
  shift_right(screen_->cursor.y, screen_->cursor.x, state_.margins.right, n);
}

void Editor::delete_characters(int n) {
  if (!is_between_side_margins()) return;
  screen_->cursor.pending_wrap = false;
  shift_left(screen_->cursor.y, screen_->cursor.x, state_.margins.right, n);
}

void Editor::scroll_left(int n) {
  const Margins& m = state_.margins;
  if (!is_inside_margins()) return;
  for (int y = m.top; y <= m.bottom; ++y) shift_left(y, m.left, m.right, n);
}

void Editor::scroll_right(int n) {
  const Margins& m = state_.margins;
  if (!is_inside_margins()) return;
  for (int y = m.top; y <= m.bottom; ++y) shift_right(y, m.left, m.right, n);
}

void Editor::insert_columns(int n) {
  const Margins& m = state_.margins;
  if (!is_inside_margins()) return;
  for (int y = m.top; y <= m.bottom; ++y) shift_right(y, screen_->cursor.x, m.right, n);
}

void Editor::delete_columns(int n) {
  const Margins& m = state_.margins;
  if (!is_inside_margins()) return;
  for (int y = m.top; y <= m.bottom; ++y) shift_left(y, screen_->cursor.x, m.right, n);
}

void Editor::back_index() {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  if (at.x == state_.margins.left && is_inside_margins()) {
    scroll_right(1);
  } else if (at.x > 0) {
    --at.x;
  }
}

void Editor::forward_index() {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  if (at.x == state_.margins.right && is_inside_margins()) {
    scroll_left(1);
  } else if (at.x < cols_ - 1) {
    ++at.x;
  }
}

}  // namespace holdfast::vt
