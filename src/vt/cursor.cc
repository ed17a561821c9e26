// Cursor movement, tab stops, margins, saved cursors.
#include <algorithm>

#include "vt/editor.h"

namespace holdfast::vt {

void Editor::move_to(int y, int x) {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  if (has_mode(Mode::origin)) {
    const Margins& m = state_.margins;
    at.y = std::clamp(y + m.top, m.top, m.bottom);
    at.x = std::clamp(x + m.left, m.left, m.right);
  } else {
    at.y = std::clamp(y, 0, rows_ - 1);
    at.x = std::clamp(x, 0, cols_ - 1);
  }
}

void Editor::move_to_column(int x) {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  const Margins& m = state_.margins;
  at.x = has_mode(Mode::origin) ? std::clamp(x + m.left, m.left, m.right) : std::clamp(x, 0, cols_ - 1);
}

void Editor::move_to_row(int y) {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  const Margins& m = state_.margins;
  at.y = has_mode(Mode::origin) ? std::clamp(y + m.top, m.top, m.bottom) : std::clamp(y, 0, rows_ - 1);
}

void Editor::move_by(int rows, int columns) {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  const bool origin = has_mode(Mode::origin);
  at.y = std::min(at.y + rows, origin ? state_.margins.bottom : rows_ - 1);
  at.x = std::min(at.x + columns, origin ? state_.margins.right : cols_ - 1);
}

void Editor::move_up(int n) {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  const int limit = at.y >= state_.margins.top ? state_.margins.top : 0;
  at.y = std::max(at.y - n, limit);
}

void Editor::move_down(int n) {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  const int limit = at.y <= state_.margins.bottom ? state_.margins.bottom : rows_ - 1;
  at.y = std::min(at.y + n, limit);
}

void Editor::move_right(int n) {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  at.x = std::min(at.x + n, right_limit());
}

// Reverse wrap (?45) goes back over joined lines only; extended (?1045) over any, and from the top to the bottom.
void Editor::move_left(int n) {
  Cursor& at = screen_->cursor;
  const bool extended = has_mode(Mode::reverse_wrap_extended);
  const bool wraps = has_mode(Mode::autowrap) && (extended || has_mode(Mode::reverse_wrap));
  if (wraps && at.pending_wrap) --n;  // the cursor is really one column further on
  at.pending_wrap = false;
  const Margins& m = state_.margins;
  const int left = left_limit();
  n = std::min(n, rows_ * cols_);  // beyond that only the same cells come round again
  for (;;) {
    const int step = std::min(n, at.x - left);
    at.x -= step;
    n -= step;
    if (n <= 0 || !wraps) return;
    if (at.y == m.top) {
      if (!extended) return;
      at.y = m.bottom;
    } else if (at.y == 0 || (!extended && !row(at.y - 1).flags.wrapped)) {
      return;
    } else {
      --at.y;
    }
    at.x = m.right;
    --n;
  }
}

void Editor::carriage_return() {
  Cursor& at = screen_->cursor;
  at.pending_wrap = false;
  const int left = state_.margins.left;
  at.x = has_mode(Mode::origin) || at.x >= left ? left : 0;
}

void Editor::line_feed() {
  index();
  if (has_mode(Mode::newline)) carriage_return();
}

void Editor::tab(int n) {
  Cursor& at = screen_->cursor;
  if (at.pending_wrap && has_mode(Mode::more_fix) && has_mode(Mode::autowrap)) {
    const int left = left_limit();
    index();
    at.x = left;
  }
  const int limit = right_limit();
  for (; n > 0 && at.x < limit; --n) {
    do {
      ++at.x;
    } while (at.x < limit && !state_.tab_stops[static_cast<std::size_t>(at.x)]);
  }
}

void Editor::tab_back(int n) {
  Cursor& at = screen_->cursor;
  const int limit = has_mode(Mode::origin) ? state_.margins.left : 0;
  for (; n > 0 && at.x > limit; --n) {
    at.pending_wrap = false;
    do {
      --at.x;
    } while (at.x > limit && !state_.tab_stops[static_cast<std::size_t>(at.x)]);
  }
}

void Editor::set_tab_stop() { state_.tab_stops[static_cast<std::size_t>(screen_->cursor.x)] = true; }
void Editor::clear_tab_stop() { state_.tab_stops[static_cast<std::size_t>(screen_->cursor.x)] = false; }

void Editor::reset_tab_stops(bool every_8) {
  for (std::size_t x = 0; x < state_.tab_stops.size(); ++x) state_.tab_stops[x] = every_8 && x % 8 == 0;
}

// Hyperlink and OSC 133 mark are not part of what DECSC saves.
void Editor::save_cursor() {
  Pen pen = screen_->pen;
  pen.link = 0;
  pen.semantic = Semantic::output;
  screen_->saved = SavedCursor{screen_->cursor, pen, state_.charsets, has_mode(Mode::origin)};
}

// Without a saved cursor: home and everything default.
void Editor::restore_cursor() {
  const SavedCursor saved = screen_->saved.value_or(SavedCursor{});
  screen_->cursor = saved.cursor;
  screen_->cursor.x = std::clamp(saved.cursor.x, 0, cols_ - 1);
  screen_->cursor.y = std::clamp(saved.cursor.y, 0, rows_ - 1);
  Pen& pen = change_pen();
  pen.style = saved.pen.style;
  pen.is_protected = saved.pen.is_protected;
  state_.charsets = saved.charsets;
  state_.modes.set(Mode::origin, saved.origin);
  screen_->cursor.pending_wrap = saved.cursor.pending_wrap && screen_->cursor.x == right_limit();
  update_plain();
}

void Editor::set_vertical_margins(int top, int bottom) {
  bottom = std::min(bottom, rows_ - 1);
  if (top < 0 || top >= bottom) return;
  state_.margins.top = top;
  state_.margins.bottom = bottom;
  move_to(0, 0);
}

void Editor::set_horizontal_margins(int left, int right) {
  right = std::min(right, cols_ - 1);
  if (left < 0 || left >= right) return;
  state_.margins.left = left;
  state_.margins.right = right;
  move_to(0, 0);
}

// To the right of its last row; where that is beyond the screen, to the row below.
void Editor::move_past(std::uint32_t columns, std::uint32_t rows) {
  const std::int64_t x = std::int64_t{screen_->cursor.x} + columns;
  const bool wraps = x >= cols_;
  // An image may claim more rows than there are: what scrolls by more than a screen leaves nothing to scroll.
  const std::int64_t down = std::min<std::int64_t>(std::int64_t{rows} - (rows != 0) + wraps, 2 * rows_);
  for (std::int64_t i = 0; i < down; ++i) index();
  screen_->cursor.pending_wrap = false;
  screen_->cursor.x = wraps ? 0 : static_cast<int>(x);
}

void Editor::reset_margins() { state_.margins = {0, rows_ - 1, 0, cols_ - 1}; }

}  // namespace holdfast::vt
