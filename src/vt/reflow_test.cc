#include "vt/reflow.h"

#include "vt/row_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {

using Texts = std::vector<std::string>;

// A screen made of texts: '+' at the end wraps the row, 'W' is a wide character, '.' an unwritten cell.
struct Bench {
  History history{HistoryLimits{}};
  Tables tables;
  ScreenState screen;

  Bench(int cols, int rows) : screen(cols, rows) {}
  Bench(int cols, const Texts& rows) : screen(cols, static_cast<int>(rows.size())) {
    for (int y = 0; y < screen.grid.rows(); ++y) put(y, rows[static_cast<std::size_t>(y)]);
  }

  static Cells cells(std::string_view text) {
    std::u32string code_points;
    for (const char c : text) code_points += c == 'W' ? U'\u4e2d' : static_cast<char32_t>(c);
    Cells cells = cells_of(code_points);
    for (Cell& cell : cells) {
      if (cell.bits == '.') cell = {};
      if (cell.bits == '>') cell.bits = Cell::kind_bits(CellKind::wrap_spacer);
    }
    return cells;
  }
  void put(int y, std::string_view text) {
    const bool wrapped = text.ends_with('+');
    if (wrapped) text.remove_suffix(1);
    put(y, cells(text), {wrapped, RowMark::none});
  }
  void put(int y, const Cells& from, RowFlags flags) {
    Row& row = screen.grid.row(y);
    REQUIRE(from.size() <= static_cast<std::size_t>(screen.grid.cols()));
    std::copy(from.begin(), from.end(), row.cells);
    row.used = static_cast<std::uint16_t>(from.size());
    row.flags = flags;
    row.has_wide = row.has_cluster = true;
  }
  void push(std::string_view text) {
    const bool wrapped = text.ends_with('+');
    if (wrapped) text.remove_suffix(1);
    const Cells row = cells(text);
    history.push({row, {wrapped, RowMark::none}}, tables);
  }
  Bench& at(int x, int y, bool pending = false) {
    screen.cursor = {x, y, pending};
    return *this;
  }
  Bench& resize(int cols, int rows) {
    reflow_primary(screen, history, tables, cols, rows);
    check_invariants();
    return *this;
  }

  void check_invariants() {
    const Grid& grid = screen.grid;
    screen_cursor_is_inside(screen.cursor);
    if (screen.saved) screen_cursor_is_inside(screen.saved->cursor);
    for (int y = 0; y < grid.rows(); ++y) {
      CAPTURE(y);
      REQUIRE(row_is_sound(grid.row(y), grid.cols()));
    }
  }
  // Nothing beyond `used`, hints that are not too few, no halves of wide characters.
  static bool row_is_sound(const Row& row, int cols) {
    if (row.used > cols) return false;
    for (int x = 0; x < cols; ++x) {
      const Cell cell = row.cells[x];
      if (x >= row.used && cell.bits != 0) return false;
      if (cell.kind() != CellKind::narrow && !row.has_wide) return false;
      if (cell.is_cluster() && !row.has_cluster) return false;
      if (cell.kind() == CellKind::wide && (x + 1 >= cols || row.cells[x + 1].kind() != CellKind::wide_tail))
        return false;
      if (cell.kind() == CellKind::wide_tail && (x == 0 || row.cells[x - 1].kind() != CellKind::wide)) return false;
    }
    return true;
  }
  void screen_cursor_is_inside(const Cursor& cursor) {
    REQUIRE(cursor.x >= 0);
    REQUIRE(cursor.x < screen.grid.cols());
    REQUIRE(cursor.y >= 0);
    REQUIRE(cursor.y < screen.grid.rows());
    if (cursor.pending_wrap) REQUIRE(cursor.x == screen.grid.cols() - 1);
  }

  static std::string text_of(const RowView& row) { return seen(row.cells) + (row.flags.wrapped ? "+" : ""); }
  Texts rows() const {
    Texts texts;
    for (int y = 0; y < screen.grid.rows(); ++y) texts.push_back(text_of(screen.grid.row(y).view()));
    return texts;
  }
  Texts past() {
    Texts texts;
    history.each_row(screen.grid.cols(), SIZE_MAX, tables, [&](const RowView& row) { texts.push_back(text_of(row)); });
    return texts;
  }

  // All lines of history and screen, as meanings of their cells; blank ones at the end left out.
  std::vector<std::vector<std::string>> lines() {
    std::vector<std::vector<std::string>> lines;
    bool continues = false;
    const auto add = [&](const RowView& row, std::size_t cols) {
      if (!continues) lines.emplace_back();
      Cells cells(row.cells.begin(), row.cells.end());
      if (row.flags.wrapped) cells.resize(cols);
      if (!cells.empty() && cells.back().kind() == CellKind::wrap_spacer) cells.pop_back();
      while (!row.flags.wrapped && !cells.empty() && cells.back().bits == 0) cells.pop_back();
      for (auto& text : meanings(cells, tables)) lines.back().push_back(text);
      continues = row.flags.wrapped;
    };
    const auto cols = static_cast<std::size_t>(screen.grid.cols());
    history.each_row(screen.grid.cols(), SIZE_MAX, tables, [&](const RowView& row) { add(row, cols); });
    for (int y = 0; y < screen.grid.rows(); ++y) add(screen.grid.row(y).view(), cols);
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
  }
};

void check_cursor(const Cursor& cursor, int x, int y, bool pending = false) {
  CHECK(cursor.x == x);
  CHECK(cursor.y == y);
  CHECK(cursor.pending_wrap == pending);
}

}  // namespace

TEST_CASE("narrower: lines wrap, and the rows that do not fit go to history") {
  Bench b(10, {"0123456789+", "abc", "x", ""});
  b.at(1, 2).resize(5, 4);
  CHECK(b.rows() == Texts{"01234+", "56789+", "abc", "x"});
  check_cursor(b.screen.cursor, 1, 3);
  b.resize(3, 4);
  CHECK(b.rows() == Texts{"678+", "9ab+", "c", "x"});
  CHECK(b.past() == Texts{"012+", "345+"});
  CHECK(b.history.is_open());
}

TEST_CASE("wider: rows of a line join, also with the part that is in history") {
  Bench b(10, {"0123456789+", "abc", "x", ""});
  b.at(1, 2).resize(20, 4);
  CHECK(b.rows() == Texts{"0123456789abc", "x", "", ""});
  check_cursor(b.screen.cursor, 1, 1);

  Bench open(10, {"abcdefghij+", "klm", "$"});
  open.push("before");
  open.push("0123456789+");
  open.at(1, 2).resize(16, 3);
  CHECK(open.rows() == Texts{"0123456789abcdef+", "ghijklm", "$"});
  CHECK(open.past() == Texts{"before"});
  CHECK_FALSE(open.history.is_open());
  check_cursor(open.screen.cursor, 1, 2);
}

TEST_CASE("narrower and back gives the same rows") {
  Bench b(10, {"0123456789+", "abc", "x", ""});
  b.at(1, 2).resize(5, 4).resize(10, 4);
  CHECK(b.rows() == Texts{"0123456789+", "abc", "x", ""});
  check_cursor(b.screen.cursor, 1, 2);
}

TEST_CASE("fewer rows: blank rows below the cursor go first, then rows at the top go to history") {
  Bench low(10, {"1", "2", "3", "4"});
  low.at(1, 3).resize(10, 2);
  CHECK(low.past() == Texts{"1", "2"});
  CHECK(low.rows() == Texts{"3", "4"});
  check_cursor(low.screen.cursor, 1, 1);

  Bench blank(10, {"a", "", "", ""});
  blank.at(0, 1).resize(10, 2);
  CHECK(blank.past().empty());
  CHECK(blank.rows() == Texts{"a", ""});
  check_cursor(blank.screen.cursor, 0, 1);
}

TEST_CASE("fewer rows with the cursor at the top: the rows go to history all the same, the cursor stays inside") {
  Bench b(10, {"1", "222", "3", "4"});
  b.at(2, 1).resize(10, 2);
  CHECK(b.past() == Texts{"1", "222"});
  CHECK(b.rows() == Texts{"3", "4"});
  check_cursor(b.screen.cursor, 0, 0);
}

TEST_CASE("a row with only a background below the cursor counts as blank") {
  Bench b(10, {"ab", "cd", "", ""});
  Style blue;
  blue.background = Color::palette(4);
  const auto pen = Cell::pen_bits(static_cast<std::uint16_t>(b.tables.styles.intern(blue)), 0, false, {});
  b.put(2, Cells(10, Cell{pen}), {});
  b.at(0, 0).resize(10, 2);
  CHECK(b.rows() == Texts{"ab", "cd"});
  CHECK(b.past().empty());
}

TEST_CASE("a saved cursor keeps its row") {
  Bench b(10, {"a", "", "", ""});
  b.screen.saved.emplace();
  b.screen.saved->cursor = {4, 3, false};
  b.at(0, 0).resize(10, 2);
  CHECK(b.past() == Texts{"a", ""});
  check_cursor(b.screen.cursor, 0, 0);
  check_cursor(b.screen.saved->cursor, 4, 1);
}

TEST_CASE("more rows: history comes back if the cursor is on the last row, else blank rows are added") {
  Bench bottom(10, {"3", "4", "5", "6"});
  bottom.push("1");
  bottom.push("2");
  bottom.at(1, 3).resize(10, 7);
  CHECK(bottom.rows() == Texts{"1", "2", "3", "4", "5", "6", ""});
  CHECK(bottom.history.empty());
  check_cursor(bottom.screen.cursor, 1, 5);

  Bench middle(10, {"b", "c", "d", "e"});
  middle.push("a");
  middle.at(0, 1).resize(10, 6);
  CHECK(middle.rows() == Texts{"b", "c", "d", "e", "", ""});
  CHECK(middle.past() == Texts{"a"});
  check_cursor(middle.screen.cursor, 0, 1);
}

TEST_CASE("more rows take only as much of a long line back as is needed, and no more of history than that") {
  Bench b(5, {"x"});
  for (int i = 0; i < 1000; ++i) b.push("line");
  b.push("01234+");
  b.push("56789+");
  b.push("abc");
  b.at(0, 0).resize(5, 3);
  CHECK(b.rows() == Texts{"56789+", "abc", "x"});
  CHECK(b.history.is_open());
  CHECK(b.history.lines() == 1001);
  CHECK(b.past().back() == "01234+");
  b.resize(13, 3);
  CHECK(b.rows() == Texts{"line", "0123456789abc", "x"});
}

TEST_CASE("wider with free rows: history fills up from above when nothing was blank below the cursor") {
  Bench bottom(10, {"c", "d", "0123456789+", "abc"});
  bottom.push("a");
  bottom.push("b");
  bottom.at(3, 3).resize(14, 4);
  CHECK(bottom.rows() == Texts{"b", "c", "d", "0123456789abc"});
  check_cursor(bottom.screen.cursor, 13, 3);

  Bench above(10, {"c", "d", "0123456789+", "abc"});
  above.push("a");
  above.push("b");
  above.at(0, 1).resize(14, 4);
  CHECK(above.rows() == Texts{"c", "d", "0123456789abc", ""});
  CHECK(above.past() == Texts{"a", "b"});
  check_cursor(above.screen.cursor, 0, 1);
}

TEST_CASE("a new width and a new height at once") {
  Bench b(10, {"0123456789+", "abcdef", "xyz", ""});
  b.at(3, 2).resize(5, 6);
  CHECK(b.rows() == Texts{"01234+", "56789+", "abcde+", "f", "xyz", ""});
  check_cursor(b.screen.cursor, 3, 4);

  Bench both(10, {"abcdef", "xyz", "", ""});
  both.push("0123456789+");
  both.at(0, 3).resize(20, 2);
  CHECK(both.past() == Texts{"0123456789abcdef", "xyz"});
  CHECK(both.rows() == Texts{"", ""});
  check_cursor(both.screen.cursor, 0, 1);

  Bench shrink(10, {"de", "fg", "hi", ""});
  shrink.push("0123456789+");
  shrink.push("abc");
  shrink.at(0, 3).resize(5, 3);
  CHECK(shrink.past() == Texts{"01234+", "56789+", "abc", "de"});
  CHECK(shrink.rows() == Texts{"fg", "hi", ""});
  check_cursor(shrink.screen.cursor, 0, 2);
}

TEST_CASE("wide characters are not split; the spacer goes when they fit") {
  Bench b(10, {"abcdWW", "", "", ""});
  b.at(8, 0).resize(5, 4);
  CHECK(b.rows() == Texts{"abcd>+", "WW", "", ""});
  check_cursor(b.screen.cursor, 4, 1);

  Bench spacer(10, {"012345678>+", "Wz", "", ""});
  spacer.at(3, 1).resize(12, 4);
  CHECK(spacer.rows() == Texts{"012345678Wz", "", "", ""});
  check_cursor(spacer.screen.cursor, 11, 0, false);
}

TEST_CASE("one column: a blank stands for a wide character on the screen, history keeps it") {
  Bench b(10, {"abcW", "", "", ""});
  b.at(5, 0).resize(1, 4);
  CHECK(b.rows() == Texts{"a+", "b+", "c+", "."});
  check_cursor(b.screen.cursor, 0, 3);

  Bench past(10, {"Wab", ""});
  past.at(0, 1).resize(1, 2);
  CHECK(past.rows() == Texts{"b", ""});
  past.resize(4, 2);
  CHECK(past.rows() == Texts{"Wab", ""});
}

TEST_CASE("a pending wrap stays only in the last column, else the cursor goes on behind the text") {
  Bench wider(10, {"0123456789", "", "", ""});
  wider.at(9, 0, true).resize(12, 4);
  check_cursor(wider.screen.cursor, 10, 0);

  Bench same(10, {"0123456789", "", "", ""});
  same.at(9, 0, true).resize(10, 5);
  check_cursor(same.screen.cursor, 9, 0, true);

  Bench narrower(10, {"0123456789", "", "", ""});
  narrower.screen.saved.emplace();
  narrower.screen.saved->cursor = {9, 0, true};
  narrower.at(9, 0, true).resize(5, 4);
  CHECK(narrower.rows() == Texts{"01234+", "56789", "", ""});
  check_cursor(narrower.screen.cursor, 4, 1, true);
  check_cursor(narrower.screen.saved->cursor, 4, 1, true);
}

TEST_CASE("spaces are text, unwritten cells at the end are not, backgrounds are cells") {
  Bench spaces(10, {"ab        ", "x", "", ""});
  spaces.at(1, 1).resize(5, 4);
  CHECK(spaces.rows() == Texts{"ab   +", "     ", "x", ""});

  Bench unwritten(10, {"ab........", "x", "", ""});
  unwritten.at(1, 1).resize(5, 4);
  CHECK(unwritten.rows() == Texts{"ab", "x", "", ""});

  Bench background(10, {"", "", ""});
  Style blue;
  blue.background = Color::palette(4);
  const auto pen = Cell::pen_bits(static_cast<std::uint16_t>(background.tables.styles.intern(blue)), 0, false, {});
  background.put(0, Cells(10, Cell{pen}), {});
  background.at(2, 0).resize(5, 3);
  CHECK(background.rows() == Texts{".....+", ".....", ""});
  CHECK(background.screen.grid.row(1).cells[4].bits == pen);
}

TEST_CASE("the cursor stays with the character it is on, and beyond the text on its line") {
  Bench on_text(10, {"0123456789+", "abc", "", "", "", ""});
  on_text.at(7, 0).resize(5, 6);
  check_cursor(on_text.screen.cursor, 2, 1);

  Bench beyond(10, {"abc", "", "", ""});
  beyond.at(8, 0).resize(5, 4);
  CHECK(beyond.rows() == Texts{"abc", "", "", ""});
  check_cursor(beyond.screen.cursor, 4, 0);
}

TEST_CASE("a hard line end at the edge stays a hard one") {
  Bench b(10, {"01234", "abc", "", ""});
  b.at(3, 1).resize(5, 4);
  CHECK(b.rows() == Texts{"01234", "abc", "", ""});
  b.resize(10, 4);
  CHECK(b.rows() == Texts{"01234", "abc", "", ""});
  check_cursor(b.screen.cursor, 3, 1);
}

TEST_CASE("a text near the top keeps its place when lines below it wrap") {
  Bench b(10, {"0123456789", "abcdefgh", "", ""});
  b.at(2, 0).resize(5, 4);
  CHECK(b.rows() == Texts{"01234+", "56789", "abcde+", "fgh"});
  check_cursor(b.screen.cursor, 2, 0);
}

TEST_CASE("the mark of a line stays on its first row") {
  Bench b(10, 4);
  b.put(0, Bench::cells("0123456789"), {true, RowMark::prompt_start});
  b.put(1, Bench::cells("abc"), {false, RowMark::none});
  b.at(0, 2).resize(5, 4);
  CHECK(b.screen.grid.row(0).flags.mark == RowMark::prompt_start);
  CHECK(b.screen.grid.row(1).flags.mark == RowMark::none);
  b.resize(4, 2).resize(20, 4);
  CHECK(b.rows()[0] == "0123456789abc");
  CHECK(b.screen.grid.row(0).flags.mark == RowMark::prompt_start);
}

TEST_CASE("without history the rows at the top are gone") {
  Bench b(10, {"1", "2", "0123456789+", "abc"});
  b.history = History{HistoryLimits{0, 0}};
  b.at(3, 3).resize(5, 3);
  CHECK(b.rows() == Texts{"01234+", "56789+", "abc"});
  b.resize(20, 6);
  CHECK(b.rows() == Texts{"0123456789abc", "", "", "", "", ""});
}

TEST_CASE("a wrapped row with unwritten cells keeps its columns") {
  Bench b(6, {"abc...+", "def", ""});
  b.screen.grid.row(0).used = 3;
  b.at(0, 2).resize(12, 3);
  CHECK(b.rows() == Texts{"abc...def", "", ""});
}

TEST_CASE("sizes at the limits") {
  Bench b(4096, 4);
  b.put(0, Cells(4096, Cell{'x'}), {true, RowMark::none});
  b.put(1, Cells(4096, Cell{'y'}), {false, RowMark::none});
  b.at(5, 1).resize(1, 1);
  CHECK(b.rows() == Texts{"y"});
  CHECK(b.history.rows_at(1) == 8191);
  b.resize(4096, 2048);
  CHECK(b.screen.grid.row(0).used == 4096);
  CHECK(b.screen.grid.row(1).used == 4096);
  CHECK(b.history.empty());
}

TEST_CASE("no storm of resizes loses a line") {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    RandomLines random(seed);
    const int cols = 2 + static_cast<int>(random.below(40)), rows = 1 + static_cast<int>(random.below(20));
    Bench b(cols, rows);
    // Lines that end in text, so that a blank or coloured rest cannot be told from what is rightly dropped.
    std::vector<OwnedRow> all;
    for (int i = 0; i < 50; ++i) {
      Cells line = random.line(3 * static_cast<std::size_t>(cols), b.tables);
      if (!line.empty()) line.push_back(Cell{'$'});
      for (auto& row : cut_by_printing(line, static_cast<std::size_t>(cols))) all.push_back(row);
    }
    all.push_back({cells_of(U"$"), {}});
    const std::size_t first = all.size() - std::min(all.size(), static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < first; ++i) b.history.push(all[i].view(), b.tables);
    for (std::size_t i = first; i < all.size(); ++i) b.put(static_cast<int>(i - first), all[i].cells, all[i].flags);
    b.at(static_cast<int>(random.below(static_cast<std::size_t>(cols))),
         static_cast<int>(random.below(static_cast<std::size_t>(rows))));
    if (random.below(2)) {
      b.screen.saved.emplace();
      b.screen.saved->cursor.y = static_cast<int>(random.below(static_cast<std::size_t>(rows)));
    }
    b.check_invariants();
    const auto before = b.lines();
    for (int i = 0; i < 25; ++i) {
      const int new_cols = 2 + static_cast<int>(random.below(60)), new_rows = 1 + static_cast<int>(random.below(30));
      CAPTURE(new_cols);
      CAPTURE(new_rows);
      b.resize(new_cols, new_rows);
      REQUIRE(b.lines() == before);
    }
  }
}

TEST_CASE("the cursor's character is under the cursor after any reflow that keeps it on the screen") {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    RandomLines random(seed);
    const int cols = 2 + static_cast<int>(random.below(20)), rows = 2 + static_cast<int>(random.below(6));
    Bench b(cols, rows);
    std::u32string text;
    for (char32_t c = U'0'; text.size() < static_cast<std::size_t>(cols * rows); ++c) text += U'0' + (c - U'0') % 60;
    const auto cut = cut_by_printing(cells_of(text), static_cast<std::size_t>(cols));
    for (int y = 0; y < rows; ++y)
      b.put(y, cut[static_cast<std::size_t>(y)].cells, cut[static_cast<std::size_t>(y)].flags);
    b.at(static_cast<int>(random.below(static_cast<std::size_t>(cols))), rows - 1);
    const auto character = [&] { return b.screen.grid.row(b.screen.cursor.y).cells[b.screen.cursor.x]; };
    const Cell before = character();
    for (int i = 0; i < 5; ++i) {
      b.resize(1 + static_cast<int>(random.below(30)), rows);
      if (b.screen.cursor.x == 0 && b.screen.cursor.y == 0) break;
      REQUIRE(character() == before);
    }
  }
}

TEST_CASE("the alternate screen is cut and padded, never reflowed") {
  Bench b(10, {"0123456789+", "abc", "", ""});
  b.at(3, 1);
  resize_alternate(b.screen, 5, 4);
  CHECK(b.rows() == Texts{"01234+", "abc", "", ""});
  check_cursor(b.screen.cursor, 3, 1);

  Bench wider(10, {"0123456789+", "abc", "012345678>+", "W"});
  wider.at(9, 0, true);
  resize_alternate(wider.screen, 14, 5);
  wider.check_invariants();
  CHECK(wider.rows() == Texts{"0123456789", "abc", "012345678.", "W", ""});
  check_cursor(wider.screen.cursor, 10, 0);

  Bench wide(4, {"abW", "cdef"});
  wide.at(3, 1, true);
  resize_alternate(wide.screen, 3, 2);
  wide.check_invariants();
  CHECK(wide.rows() == Texts{"ab.", "cde"});
  check_cursor(wide.screen.cursor, 2, 1, true);
}

TEST_CASE("the alternate screen loses rows at the top when the ones below the cursor have text") {
  Bench low(10, {"1", "2", "3", "4"});
  low.at(1, 3);
  resize_alternate(low.screen, 10, 2);
  CHECK(low.rows() == Texts{"3", "4"});
  check_cursor(low.screen.cursor, 1, 1);

  Bench top(10, {"1", "2", "", ""});
  top.at(0, 0);
  resize_alternate(top.screen, 10, 2);
  CHECK(top.rows() == Texts{"1", "2"});
  resize_alternate(top.screen, 10, 4);
  CHECK(top.rows() == Texts{"1", "2", "", ""});
}

}  // namespace holdfast::vt
