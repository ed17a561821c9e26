// Printing: characters into cells.
#include <algorithm>
#include <utility>

#include "vt/editor.h"
#include "vt/simple_text.h"

namespace holdfast::vt {

void Editor::update_plain() {
  const Charsets& sets = state_.charsets;
  plain_ = sets.g[sets.gl] == Charset::ascii && sets.single_shift == 0 && !has_mode(Mode::insert);
}

char32_t Editor::translate(char32_t cp) {
  Charsets& sets = state_.charsets;
  std::size_t set = sets.gl;
  if (sets.single_shift != 0) {
    set = sets.single_shift;
    sets.single_shift = 0;
    update_plain();
  }
  if (cp < 0x80) return in_charset(sets.g[set], cp);
  if (state_.utf8 || cp > 0xff || sets.g[sets.gr] == Charset::ascii) return cp;  // ASCII on the right is Latin-1
  const bool has_place = is_96(sets.g[sets.gr]) || (cp > 0xa0 && cp < 0xff);
  return has_place ? in_charset(sets.g[sets.gr], cp - 0x80) : cp;
}

bool Editor::is_delete_a_character() const {
  const Charsets& sets = state_.charsets;
  return is_96(sets.g[sets.single_shift != 0 ? sets.single_shift : sets.gl]);
}

// Only a line that goes on over the full width, on another row, is one that a resize may join again.
bool Editor::wrap_would_join() const {
  const Cursor& at = screen_->cursor;
  return has_full_width_margins() && at.x == cols_ - 1 && (at.y == state_.margins.bottom || at.y < rows_ - 1);
}

void Editor::wrap() {
  Cursor& at = screen_->cursor;
  const bool joins = wrap_would_join();
  if (joins) {
    // A cursor that came from another screen can have its wrap pending on a spacer.
    if (at.pending_wrap) drop_spacer(row(at.y));
    row(at.y).flags.wrapped = true;
  }
  const int left = left_limit();
  index_with(joins ? Join::keep : Join::cut);
  at.x = left;
  at.pending_wrap = false;
}

void Editor::detach_halves(int y, int x0, int x1) {
  Row& r = row(y);
  if (x0 > 0 && r.cells[x0].kind() == CellKind::wide_tail) {
    if (x0 == 1) cell_overwritten_at_start(y);
    r.cells[x0 - 1].bits = blank_bits();
  }
  if (x1 < cols_ && r.cells[x1].kind() == CellKind::wide_tail) r.cells[x1].bits = blank_bits();
}

void Editor::drop_spacer(Row& r) {
  Cell& last = r.cells[cols_ - 1];
  if (last.kind() != CellKind::wrap_spacer) return;
  last = blank_like(last);
}

// A blank with the background of a cell. Compacts nothing: callers hold bits of the pen.
Cell Editor::blank_like(Cell cell) {
  Style style;
  style.background = state_.tables.styles[cell.style()].background;
  if (style == Style{}) return {};
  const std::uint32_t id = state_.tables.styles.intern(style);
  return Cell{Cell::pen_bits(id == StyleTable::kFull ? 0 : static_cast<std::uint16_t>(id), 0, false, Semantic::output)};
}

void Editor::cell_overwritten_at_start(int y) {
  const Cell first = row(y).cells[0];
  if (first.kind() == CellKind::wide) wide_overwritten_at_start(y, first, CellKind::narrow);
}

// History has no spacers: it is a column short while the wide character, or another one, stands below.
void Editor::wide_overwritten_at_start(int y, Cell wide, CellKind by) {
  if (y > 0)
    drop_spacer(row(y - 1));
  else if (by != CellKind::wide && !state_.on_alternate)
    fill_open_line(wide);
}

void Editor::fill_open_line(Cell below) {
  if (last_column_ == LastColumn::there || !state_.history.is_open()) return;
  if (last_column_ == LastColumn::unknown) {
    state_.history.each_row(cols_, 1, state_.tables, [&](const RowView& last) {
      const bool is_short = last.flags.wrapped && !last.cells.empty() && last.cells.back().kind() == CellKind::wrap_spacer;
      if (is_short) last_column_ = LastColumn::missing;
    });
  }
  if (std::exchange(last_column_, LastColumn::there) != LastColumn::missing) return;
  const Cell gap = blank_like(below);
  state_.history.push({{&gap, 1}, {.wrapped = true}}, state_.tables);
}

// Prints n narrow characters that need no second thought: put(row, x, first, count) writes a part of them into cells.
template <typename Put>
void Editor::print_narrow(std::size_t n, Put&& put) {
  Cursor& at = screen_->cursor;
  const auto put_here = [&](std::size_t first, int count) {
    Row& r = row(at.y);
    if (r.has_wide && at.x < r.used) {
      if (at.x == 0) cell_overwritten_at_start(at.y);
      detach_halves(at.y, at.x, at.x + count);
    }
    put(r.cells + at.x, first, static_cast<std::size_t>(count));
    r.used = static_cast<std::uint16_t>(std::max<int>(r.used, at.x + count));
  };
  for (std::size_t done = 0; done < n;) {
    if (at.pending_wrap) {
      if (!has_mode(Mode::autowrap)) return put_here(n - 1, 1);  // all the rest lands on this one cell
      wrap();
    }
    const int limit = right_limit();
    const int room = limit - at.x + 1;
    const int count = static_cast<int>(std::min<std::size_t>(n - done, static_cast<std::size_t>(room)));
    put_here(done, count);
    at.pending_wrap = count == room;
    at.x = at.pending_wrap ? limit : at.x + count;
    done += static_cast<std::size_t>(count);
  }
}

void Editor::print_ascii(const char* text, std::size_t n) {
  for (; n > 0 && !plain_; --n) print(static_cast<unsigned char>(*text++));
  if (n == 0) return;
  const std::uint64_t pen = pen_bits();
  state_.last_printed = static_cast<unsigned char>(text[n - 1]);
  print_narrow(n,
               [&](Cell* out, std::size_t first, std::size_t count) { kernels_.widen(text + first, count, pen, out); });
}

// Simple characters join their neighbour only if that one is a cluster, a Prepend or a leading jamo (UAX 29), so it is
// enough to look at the cell left of the first one.
const char* Editor::print_utf8(const char* p, const char* end) {
  if (!plain_) return p;
  Cursor& at = screen_->cursor;
  if (has_mode(Mode::grapheme_clusters)) {
    const int left = left_text_column();
    if (left >= 0 && may_join_to_the_right(row(at.y).cells[left])) return p;
  }
  const std::uint64_t pen = pen_bits();
  while (p < end) {
    if (at.pending_wrap) {
      if (!has_mode(Mode::autowrap) || !starts_simple(p, end)) break;
      wrap();
    }
    const int limit = right_limit();
    const SimpleText put = put_simple_here(p, end, limit, pen);
    if (put.last == 0) break;
    p = put.p;
    state_.last_printed = put.last;
    at.pending_wrap = put.x > limit;
    at.x = at.pending_wrap ? limit : put.x;
    if (!at.pending_wrap) break;
  }
  return p;
}

// What stands in the way of the characters, halves of wide ones above all, goes.
SimpleText Editor::put_simple_here(const char* p, const char* end, int limit, std::uint64_t pen) {
  const Cursor& at = screen_->cursor;
  Row& r = row(at.y);
  const bool had_wide = r.has_wide && at.x < r.used;
  const Cell before = r.cells[0];
  const bool covers_first = had_wide && at.x == 0 && before.kind() == CellKind::wide;
  const bool cuts_wide = had_wide && at.x > 0 && r.cells[at.x].kind() == CellKind::wide_tail;
  const SimpleText put = put_simple(p, end, r.cells, at.x, limit, pen);
  if (put.last == 0) return put;
  if (covers_first) wide_overwritten_at_start(at.y, before, r.cells[0].kind());
  if (cuts_wide) {
    if (at.x == 1) cell_overwritten_at_start(at.y);
    r.cells[at.x - 1].bits = blank_bits();
  }
  if (had_wide && put.x < cols_ && r.cells[put.x].kind() == CellKind::wide_tail) r.cells[put.x].bits = blank_bits();
  r.has_wide |= put.has_wide;
  r.used = static_cast<std::uint16_t>(std::max<int>(r.used, put.x));
  return put;
}

void Editor::print(char32_t cp) {
  if (cp >= 0x7f && cp < 0xa0 && (cp != 0x7f || !is_delete_a_character())) return;
  const char32_t shown = translate(cp);
  int width = 1;
  if (cp > 0xff) {
    const CodePointInfo info = code_point_info(cp);
    if (attach_to_left(cp, info)) return;
    if (info.width == 0) return;
    width = info.width;
  }
  if (width == 2) {
    put_wide(shown);
  } else {
    put_narrow(shown);
  }
  state_.last_printed = shown;
}

// Nothing moves where the character takes all that is left of the row, and outside the side margins.
void Editor::make_room(int width) {
  const Cursor& at = screen_->cursor;
  if (at.x + width > right_limit() || !is_between_side_margins()) return;
  shift_right(at.y, at.x, right_limit(), width);
}

void Editor::put_narrow(char32_t cp) {
  Cursor& at = screen_->cursor;
  if (at.pending_wrap && has_mode(Mode::autowrap)) wrap();
  if (has_mode(Mode::insert)) make_room(1);
  const std::uint64_t pen = pen_bits();
  Row& r = row(at.y);
  if (r.has_wide) {
    if (at.x == 0) cell_overwritten_at_start(at.y);
    detach_halves(at.y, at.x, at.x + 1);
  }
  r.cells[at.x].bits = cp | pen;
  r.used = static_cast<std::uint16_t>(std::max<int>(r.used, at.x + 1));
  at.pending_wrap = at.x == right_limit();
  if (!at.pending_wrap) ++at.x;
}

void Editor::put_wide(char32_t cp) {
  Cursor& at = screen_->cursor;
  if (at.pending_wrap && has_mode(Mode::autowrap)) wrap();
  const int limit = right_limit();
  if (limit == left_limit()) {  // no place is wide enough: a blank stands for it
    blank(at.y, at.x, at.x + 1);
    at.pending_wrap = true;
    return;
  }
  if (at.x < limit && has_mode(Mode::insert)) make_room(2);
  write_wide(cp | pen_bits());
}

void Editor::write_wide(std::uint64_t bits) {
  constexpr std::uint64_t kText = Cell::kTextMask | Cell::kCluster;
  Cursor& at = screen_->cursor;
  int limit = right_limit();
  const Cell first = row(at.y).cells[0];
  if (at.x == 0 && first.kind() == CellKind::wide) wide_overwritten_at_start(at.y, first, CellKind::wide);
  if (at.x == limit) {
    if (!has_mode(Mode::autowrap)) return;
    blank(at.y, at.x, at.x + 1);
    if (wrap_would_join()) {
      Row& r = row(at.y);
      r.cells[at.x].bits = (bits & ~kText) | Cell::kind_bits(CellKind::wrap_spacer);
      r.used = static_cast<std::uint16_t>(cols_);
    }
    wrap();
    if (has_mode(Mode::insert)) make_room(2);
    limit = right_limit();
  }
  Row& r = row(at.y);
  if (r.has_wide) detach_halves(at.y, at.x, at.x + 2);
  r.cells[at.x].bits = bits | Cell::kind_bits(CellKind::wide);
  r.cells[at.x + 1].bits = (bits & ~kText) | Cell::kind_bits(CellKind::wide_tail);
  r.has_wide = true;
  r.has_cluster = r.has_cluster || (bits & Cell::kCluster) != 0;
  r.used = static_cast<std::uint16_t>(std::max<int>(r.used, at.x + 2));
  at.pending_wrap = at.x + 1 == limit;
  at.x = at.pending_wrap ? limit : at.x + 2;
}

void Editor::repeat_last(int n) {
  const char32_t cp = state_.last_printed;
  if (cp == 0 || n <= 0) return;
  const bool is_wide = cp >= 0x80 && code_point_width(cp) == 2;
  if (!is_wide && !has_mode(Mode::insert)) {
    const Cell cell{cp | pen_bits()};
    return print_narrow(static_cast<std::size_t>(n),
                        [&](Cell* out, std::size_t, std::size_t count) { std::fill_n(out, count, cell); });
  }
  for (; n > 0; --n) {
    if (is_wide) {
      put_wide(cp);
    } else {
      put_narrow(cp);
    }
  }
}

}  // namespace holdfast::vt
