// Passing lines: text straight into packed lines, and from those that stay into cells.
#include "vt/passing.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "vt/cluster.h"
#include "vt/editor.h"
#include "vt/line_reader.h"
#include "vt/utf8.h"

namespace holdfast::vt {
namespace {

// Rows have 16 bits for the number of their line.
static_assert(limits::kRowsMax < 0xffff);
// What the packers may keep allocated between two feeds, bytes.
constexpr std::size_t kIdleBytesMax = 128u << 10;

constexpr CellKind kind_of(int width) { return width == 2 ? CellKind::wide : CellKind::narrow; }
constexpr Cell character(char32_t cp, int width) { return Cell{cp | Cell::kind_bits(kind_of(width))}; }

std::size_t utf8_bytes(char32_t cp) {
  char bytes[kUtf8BytesMax];
  return static_cast<std::size_t>(put_utf8(bytes, cp) - bytes);
}

}  // namespace

// Nothing is drawn on the last row yet, and a line feed there moves the whole primary screen into history. There text means
// what it says, and what comes in is blank.
bool Editor::may_pass() const {
  const Cursor& at = screen_->cursor;
  const Margins& m = state_.margins;
  const Row& last = screen_->grid.row(rows_ - 1);
  return at.x == 0 && at.y == rows_ - 1 && !at.pending_wrap && last.used == 0 && last.flags == RowFlags{} && plain_ &&
         state_.utf8 && !state_.on_alternate && m.top == 0 && m.bottom == rows_ - 1 && has_full_width_margins() &&
         screen_->pen.link == 0 && screen_->graphics.placements.empty();
}

bool Editor::begin_passing() {
  if (!may_pass()) return false;
  if (passing_.places.size() != static_cast<std::size_t>(rows_)) {
    settle();
    passing_.places = std::vector<PassingLines::Place>(static_cast<std::size_t>(rows_));
  }
  passing_.count = 0;
  take_passing_pen();
  return true;
}

void Editor::take_passing_pen() {
  const Pen& pen = screen_->pen;
  passing_.pen = {pen.style, 0, pen.is_protected, pen.semantic};
  passing_.pen_is_default = passing_.pen == PackedPen{};
}

void Editor::save_passing_pen() {
  if (!std::exchange(passing_.line.may_change_pen, true)) passing_.pen_before = screen_->pen;
}

void Editor::drop_passing_line() {
  if (passing_.line.may_change_pen) change_pen() = passing_.pen_before;
}

// CR LF. What leaves the screen is the next of the rows that were there, then of the lines that have passed.
bool Editor::end_passing_line() {
  const PassingLine& line = passing_.line;
  if (line.last_printed != 0) state_.last_printed = line.last_printed;
  PassingLines::Place& place = passing_.places[passing_.next()];
  if (line.packer) {
    place.line = line.packer->line(false);
  } else {
    const unsigned flags = (line.plain.is_ascii ? kLinePlain : 0u) | (line.plain.has_wide ? kLineWide : 0u);
    place.line = {static_cast<std::uint8_t>(flags), line.plain.cells, 1, line.plain.bytes, {}};
  }
  passing_.newest = passing_.next();
  const int gone = passing_.count++;
  if (gone < rows_ - 1) push_row_to_history(row(gone));
  else push_packed_row(passing_.places[passing_.before_newest(rows_ - 1)].line);
  return screen_->pen.style.background.is_default();
}

// Scrolls by the lines that have passed; the last of them stay.
void Editor::end_passing() {
  if (passing_.count == 0) return;
  screen_->grid.rotate(0, rows_ - 1, passing_.count);
  if (blank_bits() != 0) paint_cleared_row(rows_ - 1);
  const int stay = std::min(passing_.count, rows_ - 1);
  for (int i = 0; i < stay; ++i) {
    row(rows_ - 2 - i).passing = static_cast<std::uint16_t>(passing_.before_newest(i) + 1);
  }
  passing_.are_there |= stay > 0;
}

LinePacker& Editor::passing_packer() {
  PassingLine& line = passing_.line;
  if (line.packer) return *line.packer;
  line.packer = &passing_.places[passing_.next()].packer;
  line.packer->clear();
  line.packer->begin_row();
  if (line.plain.cells > 0) line.packer->append(line.plain, PackedPen{});
  return *line.packer;
}

// The text is one of the bytes at hand.
void Editor::append_passing(const LinePacker::Text& text) {
  PassingLine& line = passing_.line;
  line.x += static_cast<int>(text.cells);
  LinePacker::Text& plain = line.plain;
  const bool goes_on = plain.cells == 0 || plain.bytes.data() + plain.bytes.size() == text.bytes.data();
  if (!line.packer && goes_on && line.gap == 0 && passing_.pen_is_default) {
    plain.bytes = {plain.cells == 0 ? text.bytes.data() : plain.bytes.data(), plain.bytes.size() + text.bytes.size()};
    plain.cells += text.cells;
    plain.is_ascii &= text.is_ascii;
    plain.has_wide |= text.has_wide;
    return;
  }
  LinePacker& packer = passing_packer();
  if (line.gap > 0) packer.append_gap(static_cast<std::uint32_t>(line.gap));
  line.gap = 0;
  packer.append(text, passing_.pen);
}

// As print_ascii does it.
bool Editor::pass_ascii(std::string_view text) {
  PassingLine& line = passing_.line;
  if (text.size() > static_cast<std::size_t>(cols_ - line.x)) return false;
  append_passing({text, static_cast<std::uint32_t>(text.size()), true, false});
  const auto last = static_cast<unsigned char>(text.back());
  line.last = Cell{last};
  line.last_bytes = 1;
  line.last_is_simple = true;
  line.last_printed = last;
  return true;
}

// As print_utf8 does it, and print for what that leaves. Returns where it stopped, at a character below U+0080; null: the
// line cannot pass.
const char* Editor::pass_utf8(const char* p, const char* end) {
  PassingLine& line = passing_.line;
  while (p < end && static_cast<unsigned char>(*p) >= 0x80) {
    if (line.last_is_simple || !has_mode(Mode::grapheme_clusters) || !may_join_to_the_right(line.last)) {
      const SimpleText text = scan_simple(p, end, line.x, cols_ - 1);
      if (text.last != 0) {
        append_passing({{p, text.p}, static_cast<std::uint32_t>(text.x - line.x), false, text.has_wide});
        line.last = character(text.last, code_point_width(text.last));
        line.last_bytes = utf8_bytes(text.last);
        line.last_is_simple = true;
        line.last_printed = text.last;
        p = text.p;
        continue;
      }
    }
    const Decoded next = decode_utf8(p, static_cast<std::size_t>(end - p));
    if (next.is_incomplete || !pass_character(next.cp, {p, next.length})) return nullptr;
    p += next.length;
  }
  return p;
}

// As print does it, of characters beyond ASCII. `bytes` are those of the character, if they are well-formed.
bool Editor::pass_character(char32_t cp, std::string_view bytes) {
  if (cp < 0xa0) return true;
  PassingLine& line = passing_.line;
  int width = 1;
  if (cp > 0xff) {
    const CodePointInfo info = code_point_info(cp);
    const bool clusters = has_mode(Mode::grapheme_clusters);
    if (line.last.is_written() && (clusters || info.width == 0)) {
      if (are_clusters_due()) return false;
      const std::uint32_t text = joined_text(line.last, cp, clusters);
      if (text == kDropped) return true;
      if (text != kApart) return join_passing(text, cp, clusters);
    }
    if (info.width == 0) return true;
    width = info.width;
  }
  if (cp == kReplacement || line.x + width > cols_) return false;
  append_passing({bytes, static_cast<std::uint32_t>(width), false, width == 2});
  line.last = character(cp, width);
  line.last_bytes = bytes.size();
  line.last_is_simple = false;
  line.last_printed = cp;
  return true;
}

// The last character is now that cluster. It may take another column, but not give one back.
bool Editor::join_passing(std::uint32_t text, char32_t cp, bool clusters) {
  PassingLine& line = passing_.line;
  const int width = line.last.kind() == CellKind::wide ? 2 : 1;
  const int wanted = clusters ? clustered_width(width, cp) : width;
  if (wanted < width || line.x + wanted - width > cols_) return false;
  line.x += wanted - width;
  line.last = Cell{text | Cell::kCluster | Cell::kind_bits(kind_of(wanted))};
  LinePacker& packer = passing_packer();
  const std::size_t before = packer.text_bytes() - line.last_bytes;
  packer.make_cluster(line.last_bytes, static_cast<std::uint32_t>(width), line.last, state_.tables);
  line.last_bytes = packer.text_bytes() - before;
  line.last_is_simple = false;
  return true;
}

bool Editor::pass_tab() {
  PassingLine& line = passing_.line;
  if (line.x == cols_) return false;
  const int from = line.x;
  do ++line.x;
  while (line.x < cols_ - 1 && !state_.tab_stops[static_cast<std::size_t>(line.x)]);
  line.x = std::min(line.x, cols_ - 1);
  line.gap += line.x - from;
  if (line.x > from) line.last = {};
  return true;
}

// EL: nothing stands right of the cursor, and what is erased there is left as it was.
bool Editor::pass_erase_to_end() const {
  return passing_.line.x < cols_ && screen_->pen.style.background.is_default();
}

const std::vector<Cell>& Editor::passing_cells(const PackedLine& line) {
  if (state_.tables.styles.is_due()) compact_tables();
  unpack_line(line, state_.tables, passing_cells_);
  return passing_cells_;
}

void Editor::make_passing_rows() {
  passing_.are_there = false;
  for (int y = 0; y < rows_; ++y) {
    Row& r = row(y);
    if (r.passing == 0) continue;
    const PackedLine& line = passing_.places[r.passing - 1u].line;
    r.passing = 0;
    std::ranges::copy(passing_cells(line), r.cells);
    r.used = static_cast<std::uint16_t>(line.cells);
    r.has_wide = (line.flags & kLineWide) != 0;
    r.has_cluster = (line.flags & kLinePlain) == 0;
  }
  std::size_t bytes = 0;
  for (const PassingLines::Place& place : passing_.places) bytes += place.packer.memory_bytes();
  if (bytes > kIdleBytesMax) passing_.places.clear();
}

// A row leaves the screen as it was packed, unless it goes on a line that is open.
void Editor::push_packed_row(const PackedLine& line) {
  if (line.cells == 0) state_.history.close_line();
  if (state_.history.is_open()) return state_.history.push({passing_cells(line), {}}, state_.tables);
  state_.history.push_line(line);
}

}  // namespace holdfast::vt
