// Printing: characters into cells.
#include <algorithm>
#include <array>

#include "vt/editor.h"
#include "vt/utf8.h"

namespace holdfast::vt {
namespace {

// ASCII characters in a row after which the way for those alone pays.
constexpr int kAsciiStreak = 8;

// DEC Special Graphics, 0x60-0x7e.
constexpr char16_t kDecGraphics[] = {u'◆', u'▒', u'␉', u'␌', u'␍', u'␊', u'°', u'±', u'␤', u'␋', u'┘',
                                     u'┐', u'┌', u'└', u'┼', u'⎺', u'⎻', u'─', u'⎼', u'⎽', u'├', u'┤',
                                     u'┴', u'┬', u'│', u'≤', u'≥', u'π', u'≠', u'£', u'·'};
static_assert(std::size(kDecGraphics) == 0x7f - 0x60);

char32_t in_charset(Charset charset, char32_t cp) {
  switch (charset) {
    case Charset::ascii:
      return cp;
    case Charset::uk:
      return cp == '#' ? U'£' : cp;
    case Charset::dec_graphics:
      return cp >= 0x60 && cp < 0x7f ? kDecGraphics[cp - 0x60] : cp;
  }
  return cp;
}

// By the byte that the Unicode table has of a character: its columns if it joins the one before it only in rare company
// (see print_utf8); 0: look closer.
constexpr auto kSimpleWidths = [] {
  std::array<std::uint8_t, 256> widths{};
  for (const Break simple :
       {Break::other, Break::lv, Break::lvt, Break::indic_consonant, Break::extended_pictographic}) {
    for (unsigned byte = 0; byte < widths.size(); ++byte) {
      const CodePointInfo info = unicode_table::info_of(static_cast<std::uint8_t>(byte));
      if (info.break_class == simple) widths[byte] = info.width;
    }
  }
  return widths;
}();

// A character that takes cells of its own, whatever stands left of it; 0 columns: look closer.
struct SimpleChar {
  char32_t cp = 0;
  int length = 0, width = 0;
};

inline SimpleChar simple_char(char32_t cp, int length) {
  return {cp, length, kSimpleWidths[unicode_table::byte_of(cp)]};
}

[[gnu::noinline]] SimpleChar read_rare(const char* p, const char* end) {
  const Decoded next = decode_utf8(p, static_cast<std::size_t>(end - p));
  if (next.is_incomplete) return {};
  return simple_char(next.cp, static_cast<int>(next.length));
}

// Reads the first character of the bytes. The common lengths have a way of their own.
[[gnu::always_inline]] inline SimpleChar read_simple(const char* p, const char* end) {
  const auto byte = [p](int i) { return std::uint32_t{static_cast<unsigned char>(p[i])}; };
  const auto is_continuation = [&](int i) { return (byte(i) & 0xc0) == 0x80; };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, lead >= 0x20 && lead != 0x7f};
  if (lead > 0xe0 && lead < 0xed && end - p >= 3 && is_continuation(1) && is_continuation(2)) {
    const char32_t cp = (lead & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    if (cp >= 0x4e00 && cp < 0xa000) return {cp, 3, 2};
    return simple_char(cp, 3);
  }
  if (lead >= 0xc2 && lead < 0xe0 && end - p >= 2 && is_continuation(1)) {
    return simple_char((lead & 0x1f) << 6 | (byte(1) & 0x3f), 2);
  }
  return read_rare(p, end);
}

[[gnu::noinline]] bool starts_simple(const char* p, const char* end) { return read_simple(p, end).width != 0; }

bool may_join_to_the_right(Cell cell) {
  if (cell.is_cluster()) return true;
  if (cell.text() < 0x300) return false;
  const Break before = code_point_info(cell.text()).break_class;
  return before == Break::prepend || before == Break::l;
}

}  // namespace

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
  return cp < 0x80 ? in_charset(sets.g[set], cp) : cp;
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
  last.bits = state_.tables.styles[last.style()].background.is_default() ? 0 : blank_bits();
}

void Editor::cell_overwritten_at_start(int y) {
  if (y > 0 && row(y).cells[0].kind() == CellKind::wide) drop_spacer(row(y - 1));
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

// Characters of these classes join their neighbour only if that one is a cluster, a Prepend or a leading jamo (UAX 29), so
// it is enough to look at the cell left of the first one.
const char* Editor::print_utf8(const char* p, const char* end) {
  if (!plain_) return p;
  const std::uint64_t pen = pen_bits();
  const std::uint64_t tail = pen | Cell::kind_bits(CellKind::wide_tail);
  Cursor& at = screen_->cursor;
  if (has_mode(Mode::grapheme_clusters)) {
    const int left = left_text_column();
    if (left >= 0 && may_join_to_the_right(row(at.y).cells[left])) return p;
  }
  char32_t last = 0;
  for (int ascii = 0; p < end;) {
    if (at.pending_wrap) {
      if (!has_mode(Mode::autowrap) || !starts_simple(p, end)) break;
      wrap();
    }
    Row& r = row(at.y);
    Cell* const cells = r.cells;
    const bool had_wide = r.has_wide && at.x < r.used;
    const int limit = right_limit();
    int x = at.x;
    bool has_wide = false;
    while (x <= limit && p < end) {
      const SimpleChar next = read_simple(p, end);
      ascii = next.cp < 0x80 ? ascii + 1 : 0;
      if (next.width == 0 || x + next.width - 1 > limit || ascii > kAsciiStreak) break;
      if (had_wide) {
        if (x == 0) cell_overwritten_at_start(at.y);
        detach_halves(at.y, x, x + next.width);
      }
      last = next.cp;
      const std::uint64_t bits = last | pen;
      if (next.width == 1) {
        cells[x].bits = bits;
      } else {
        cells[x].bits = bits | Cell::kind_bits(CellKind::wide);
        cells[x + 1].bits = tail;
        has_wide = true;
      }
      x += next.width;
      p += next.length;
    }
    r.has_wide = r.has_wide || has_wide;
    r.used = static_cast<std::uint16_t>(std::max<int>(r.used, x));
    at.pending_wrap = x > limit;
    at.x = at.pending_wrap ? limit : x;
    if (!at.pending_wrap) break;
  }
  if (last != 0) state_.last_printed = last;
  return p;
}

void Editor::print(char32_t cp) {
  if (cp >= 0x7f && cp < 0xa0) return;
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

void Editor::make_room(int width) {
  const Cursor& at = screen_->cursor;
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
  if (at.x == 0) cell_overwritten_at_start(at.y);
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
