#include "vt/history.h"

#include "vt/row_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {

constexpr std::size_t kAll = SIZE_MAX;

struct Bench {
  Tables tables;
  History history{HistoryLimits{}};

  void push(const OwnedRow& row) { history.push(row.view(), tables); }
  void push_line(const Cells& line, std::size_t cols, RowMark mark = RowMark::none) {
    auto rows = cut_by_printing(line, cols);
    rows[0].flags.mark = mark;
    for (const auto& row : rows) push(row);
  }
  void push_text(std::u32string_view text, bool wrapped = false) { push({cells_of(text), {wrapped, RowMark::none}}); }

  std::vector<OwnedRow> rows(int cols, std::size_t last = kAll) {
    std::vector<OwnedRow> rows;
    history.each_row(cols, last, tables,
                     [&](const RowView& row) { rows.push_back({{row.cells.begin(), row.cells.end()}, row.flags}); });
    return rows;
  }
  std::vector<std::string> texts(int cols, std::size_t last = kAll) {
    std::vector<std::string> all;
    for (const auto& row : rows(cols, last)) all.push_back(seen(row.cells) + (row.flags.wrapped ? "+" : ""));
    return all;
  }
  Cells pop(RowMark& mark) {
    Cells cells;
    REQUIRE(history.pop_line(cells, mark, tables));
    return cells;
  }
};

using Texts = std::vector<std::string>;

void check_same(const std::vector<OwnedRow>& got, const Tables& got_tables, const std::vector<OwnedRow>& wanted,
                const Tables& wanted_tables) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    REQUIRE(meanings(got[i].cells, got_tables) == meanings(wanted[i].cells, wanted_tables));
    REQUIRE(got[i].flags == wanted[i].flags);
  }
}

std::string blocks_of(const History& history, std::vector<std::string>& blocks) {
  std::string all;
  history.each_block([&](std::string_view block) { blocks.emplace_back(block), all += block; });
  return all;
}

}  // namespace

TEST_CASE("an empty history holds no memory") {
  const History history{HistoryLimits{}};
  CHECK(history.empty());
  CHECK(history.lines() == 0);
  CHECK(history.bytes() == 0);
  CHECK(history.rows_at(80) == 0);
  CHECK_FALSE(history.is_open());
}

TEST_CASE("rows come back oldest first, the last n of them when asked so") {
  Bench b;
  b.push_text(U"one");
  b.push_text(U"");
  b.push_text(U"three");
  CHECK(b.texts(80) == Texts{"one", "", "three"});
  CHECK(b.texts(80, 2) == Texts{"", "three"});
  CHECK(b.texts(80, 0) == Texts{});
  CHECK(b.history.lines() == 3);
}

TEST_CASE("wrapped rows are one line, cut anew at each width") {
  Bench b;
  b.push_text(U"0123456789", true);
  b.push_text(U"abc");
  CHECK(b.history.lines() == 1);
  CHECK(b.texts(10) == Texts{"0123456789+", "abc"});
  CHECK(b.texts(20) == Texts{"0123456789abc"});
  CHECK(b.texts(5) == Texts{"01234+", "56789+", "abc"});
  CHECK(b.texts(5, 2) == Texts{"56789+", "abc"});
  CHECK(b.history.rows_at(5) == 3);
}

TEST_CASE("an open line stays wrapped until a row ends it or it is closed") {
  Bench b;
  b.push_text(U"abcde", true);
  CHECK(b.history.is_open());
  CHECK(b.texts(5) == Texts{"abcde+"});
  SUBCASE("by a row") {
    b.push_text(U"fg");
    CHECK_FALSE(b.history.is_open());
    CHECK(b.texts(5) == Texts{"abcde+", "fg"});
  }
  SUBCASE("by close_line") {
    b.history.close_line();
    CHECK_FALSE(b.history.is_open());
    b.push_text(U"fg");
    CHECK(b.texts(5) == Texts{"abcde", "fg"});
    CHECK(b.history.lines() == 2);
  }
}

TEST_CASE("pop_line takes an open line with all its rows, then the lines before it") {
  Bench b;
  b.push_line(cells_of(U"first"), 10, RowMark::prompt_start);
  b.push({cells_of(U"0123456789"), {true, RowMark::command_output}});
  b.push_text(U"abcdefghij", true);
  RowMark mark{};
  CHECK(seen(b.pop(mark)) == "0123456789abcdefghij");
  CHECK(mark == RowMark::command_output);
  CHECK_FALSE(b.history.is_open());
  CHECK(seen(b.pop(mark)) == "first");
  CHECK(mark == RowMark::prompt_start);
  Cells cells;
  CHECK_FALSE(b.history.pop_line(cells, mark, b.tables));
  CHECK(b.history.empty());
}

TEST_CASE("what was popped can be pushed again, over block borders") {
  Bench b;
  for (int i = 0; i < 5000; ++i) b.push_text(std::u32string(40, U'a' + static_cast<char32_t>(i % 26)));
  const Texts before = b.texts(40);
  std::vector<Cells> popped;
  RowMark mark{};
  for (int i = 0; i < 4000; ++i) popped.push_back(b.pop(mark));
  CHECK(b.history.lines() == 1000);
  for (auto it = popped.rbegin(); it != popped.rend(); ++it) b.push({*it, {}});
  CHECK(b.texts(40) == before);
}

TEST_CASE("unwritten cells, spaces and backgrounds are kept apart") {
  Bench b;
  Style blue;
  blue.background = Color::palette(4);
  const std::uint64_t pen = Cell::pen_bits(static_cast<std::uint16_t>(b.tables.styles.intern(blue)), 0, false, {});
  OwnedRow row{cells_of(U"a  "), {}};
  row.cells.resize(6);
  row.cells.push_back(Cell{'b'});
  row.cells.push_back(Cell{pen});
  row.cells.resize(12);
  b.push(row);
  row.cells.resize(8);
  check_same(b.rows(20), b.tables, {row}, b.tables);
  CHECK(seen(b.rows(20)[0].cells) == "a  ...b.");
}

TEST_CASE("a wide character is never split, and fills the row before it with a spacer") {
  Bench b;
  b.push_text(U"abc\u4e2d\u4e2d");
  CHECK(b.texts(7) == Texts{"abcWW"});
  CHECK(b.texts(6) == Texts{"abcW>+", "W"});
  CHECK(b.texts(4) == Texts{"abc>+", "WW"});
  CHECK(b.texts(2) == Texts{"ab+", "c>+", "W+", "W"});
  CHECK(b.texts(1) == Texts{"a+", "b+", "c+", ".+", "."});
  for (const int cols : {1, 2, 4, 6, 7}) CHECK(b.history.rows_at(cols) == b.rows(cols).size());
}

TEST_CASE("a spacer at the end of a row is dropped and made again") {
  Bench b;
  const Cells line = cells_of(U"abcd\u4e2d");
  b.push_line(line, 5);
  CHECK(b.texts(5) == Texts{"abcd>+", "W"});
  CHECK(b.texts(6) == Texts{"abcdW"});
  RowMark mark{};
  CHECK(meanings(b.pop(mark), b.tables) == meanings(line, b.tables));
}

TEST_CASE("an open line shows the spacer before a wide character that is still on the screen") {
  Bench b;
  b.push({cut_by_printing(cells_of(U"abcd\u4e2d"), 5)[0]});
  CHECK(b.texts(5) == Texts{"abcd>+"});
  RowMark mark{};
  CHECK(seen(b.pop(mark)) == "abcd");
}

TEST_CASE("random lines come back exactly at every width, from tables that know nothing of them") {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    RandomLines random(seed);
    Bench b;
    const std::size_t cols = 2 + random.below(60);
    std::vector<Cells> lines;
    std::vector<RowMark> marks;
    for (int i = 0; i < 60; ++i) {
      lines.push_back(random.line(4 * cols, b.tables));
      marks.push_back(static_cast<RowMark>(random.below(4)));
      b.push_line(lines.back(), cols, marks.back());
    }
    const Tables written = b.tables;
    b.tables = {};
    for (const std::size_t width : {cols, std::size_t{1}, std::size_t{2}, std::size_t{3}, cols + 7, std::size_t{500}}) {
      CAPTURE(width);
      std::vector<OwnedRow> wanted;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        auto rows = cut_by_printing(lines[i], width);
        rows[0].flags.mark = marks[i];
        wanted.insert(wanted.end(), rows.begin(), rows.end());
      }
      check_same(b.rows(static_cast<int>(width)), b.tables, wanted, written);
      REQUIRE(b.history.rows_at(static_cast<int>(width)) == wanted.size());
      const std::size_t some = random.below(wanted.size());
      wanted.erase(wanted.begin(), wanted.end() - static_cast<std::ptrdiff_t>(some));
      check_same(b.rows(static_cast<int>(width), some), b.tables, wanted, written);
    }
    for (std::size_t i = lines.size(); i-- > 0;) {
      RowMark mark{};
      REQUIRE(meanings(b.pop(mark), b.tables) == meanings(lines[i], written));
      REQUIRE(mark == marks[i]);
    }
  }
}

TEST_CASE("cells that no terminal should hold come back as they were") {
  Bench b;
  OwnedRow row;
  for (const CellKind kind :
       {CellKind::wide, CellKind::wide_tail, CellKind::wrap_spacer, CellKind::wide, CellKind::narrow}) {
    row.cells.push_back(Cell{'x' | Cell::kind_bits(kind)});
    row.cells.push_back(Cell{Cell::kind_bits(kind)});
    row.cells.push_back(Cell{7 | Cell::kind_bits(kind)});
    row.cells.push_back(
        Cell{b.tables.clusters.intern(std::u32string_view(U"e\u0301")) | Cell::kCluster | Cell::kind_bits(kind)});
  }
  b.push(row);
  check_same(b.rows(100), b.tables, {row}, b.tables);
}

TEST_CASE("a remapped table does not disturb an open line") {
  Bench b;
  const std::uint32_t first = b.tables.links.intern({"", "http://one", 1});
  const std::uint32_t second = b.tables.links.intern({"", "http://two", 2});
  REQUIRE(first + 1 == second);
  const auto row = [&](std::uint32_t link, bool wrapped) {
    return OwnedRow{cells_of(U"link!", Cell::pen_bits(0, static_cast<std::uint16_t>(link), false, {})), {wrapped, {}}};
  };
  b.push(row(second, true));
  std::vector<bool> marked(b.tables.links.size());
  marked[second] = true;
  std::vector<std::uint16_t> remap;
  b.tables.links.keep(marked, remap);
  b.push(row(remap[second], false));
  for (const auto& got : b.rows(5)) CHECK(b.tables.links[got.cells[0].link()].uri == "http://two");
  std::vector<std::string> blocks;
  const std::string bytes = blocks_of(b.history, blocks);
  CHECK(bytes.find("http://two") == bytes.rfind("http://two"));
}

TEST_CASE("a full table costs the pen, never the text") {
  Bench b;
  Style red;
  red.foreground = Color::rgb(255, 0, 0);
  const std::uint64_t pen = Cell::pen_bits(static_cast<std::uint16_t>(b.tables.styles.intern(red)),
                                           static_cast<std::uint16_t>(b.tables.links.intern({"i", "u", 0})), false, {});
  b.push({cells_of(U"text", pen), {}});
  b.tables = {};
  for (std::uint32_t i = 0; b.tables.styles.size() < StyleTable::kFull; ++i) {
    Style style;
    style.foreground = {1u << 24 | i};
    style.attributes = i;
    b.tables.styles.intern(style);
  }
  for (std::uint32_t i = 1; b.tables.links.intern({"", "x", i}) != LinkTable::kFull;) ++i;
  const auto rows = b.rows(10);
  CHECK(seen(rows[0].cells) == "text");
  CHECK(rows[0].cells[0].style() == 0);
  CHECK(rows[0].cells[0].link() == 0);
}

TEST_CASE("never more rows are shown than the limit, and whole blocks go") {
  Bench b;
  b.history = History{HistoryLimits{100, 64u << 20}};
  for (int i = 0; i < 20000; ++i) b.push_text(U"line " + std::u32string(1, U'a' + static_cast<char32_t>(i % 26)));
  CHECK(b.history.rows_at(80) == 100);
  CHECK(b.rows(80).size() == 100);
  CHECK(b.texts(80).back() == std::string("line ") + static_cast<char>('a' + 19999 % 26));
  CHECK(b.history.rows_at(3) == 100);
  CHECK(b.rows(3).size() == 100);
  CHECK(b.history.bytes() < 256u << 10);
}

TEST_CASE("rows count as they were pushed") {
  Bench b;
  b.history = History{HistoryLimits{1000, 64u << 20}};
  for (int i = 0; i < 3000; ++i) b.push_line(cells_of(std::u32string(95, U'x')), 10);
  CHECK(b.history.rows_at(10) == 1000);
  // 100 lines of ten rows each are the limit; the rest of their blocks goes with them.
  CHECK(b.history.lines() >= 100);
  CHECK(b.history.lines() < 100 + 1400);
}

TEST_CASE("the byte limit holds for packed blocks") {
  for (const std::size_t limit : {std::size_t{1024}, std::size_t{100'000}, std::size_t{1} << 20}) {
    Bench b;
    b.history = History{HistoryLimits{1'000'000, limit}};
    for (int i = 0; i < 30000; ++i) b.push_text(std::u32string(100, U'x'));
    std::vector<std::string> blocks;
    const std::size_t held = blocks_of(b.history, blocks).size();
    CHECK(held <= limit);
    CHECK(held > limit / 2);
  }
}

TEST_CASE("a limit of nothing keeps nothing") {
  for (const HistoryLimits limits : {HistoryLimits{0, 1 << 20}, HistoryLimits{10, 0}}) {
    Bench b;
    b.history = History{limits};
    b.push_text(U"x", true);
    b.push_text(U"y");
    CHECK(b.history.empty());
    CHECK_FALSE(b.history.is_open());
    CHECK(b.rows(80).empty());
  }
}

TEST_CASE("clear forgets all rows but not the limits") {
  Bench b;
  b.history = History{HistoryLimits{7, 1 << 20}};
  b.push_text(U"abc", true);
  b.history.clear();
  CHECK(b.history.empty());
  CHECK_FALSE(b.history.is_open());
  CHECK(b.history.bytes() == 0);
  CHECK(b.history.limits().rows == 7);
}

TEST_CASE("blocks are recycled: a long run takes no more memory than its limit") {
  Bench b;
  std::size_t most = 0;
  for (int i = 0; i < 60000; ++i) {
    b.push_text(std::u32string(50, U'y'));
    if (i == 20000) most = b.history.bytes();
  }
  CHECK(b.history.bytes() <= most);
}

TEST_CASE("10,000 lines of 50 characters take under 1 MiB, 64 bytes each") {
  Bench b;
  for (int i = 0; i < 10'000; ++i) b.push_text(std::u32string(50, U'z'));
  CHECK(b.history.rows_at(80) == 10'000);
  CHECK(b.history.bytes() < 1u << 20);
  std::vector<std::string> blocks;
  CHECK(blocks_of(b.history, blocks).size() <= 64 * 10'000);
  for (const auto& block : blocks) CHECK(block.size() <= 64u << 10);
}

TEST_CASE("a line of 30 truecolour spans takes at most 320 bytes") {
  Bench b;
  Cells line;
  for (std::uint8_t span = 0; span < 30; ++span) {
    Style style;
    style.foreground = Color::rgb(span, 100, 200);
    const auto pen = Cell::pen_bits(static_cast<std::uint16_t>(b.tables.styles.intern(style)), 0, false, {});
    for (const Cell cell : cells_of(U"abcd", pen)) line.push_back(cell);
  }
  line.pop_back();
  b.push({line, {}});
  std::vector<std::string> blocks;
  CHECK(blocks_of(b.history, blocks).size() <= 320);
}

TEST_CASE("a line that never ends is cut into pieces that join again at its width") {
  Bench b;
  b.history = History{HistoryLimits{100'000, 64u << 20}};
  const std::u32string row = U"0123456789abcdefghijklmnopqrstuvwxyz0123";
  for (int i = 0; i < 20'000; ++i) b.push_text(row, true);
  CHECK(b.history.is_open());
  CHECK(b.history.lines() > 10);
  CHECK(b.history.lines() < 100);
  const auto rows = b.texts(40);
  REQUIRE(rows.size() == 20'000);
  CHECK(std::ranges::all_of(
      rows, [&](const std::string& text) { return text == "0123456789abcdefghijklmnopqrstuvwxyz0123+"; }));

  RowMark mark{};
  b.pop(mark);
  CHECK(b.history.is_open());  // the piece before goes on
  b.push_text(U"end");
  CHECK_FALSE(b.history.is_open());
  CHECK(b.texts(40, 2) == Texts{"0123456789abcdefghijklmnopqrstuvwxyz0123+", "end"});
}

TEST_CASE("a piece that ended a block can still be closed") {
  Bench b;
  Cells cells;
  RowMark mark{};
  while (b.history.lines() < 2) b.push_text(std::u32string(200, U'x'), true);
  REQUIRE(b.history.pop_line(cells, mark, b.tables));
  REQUIRE(b.history.is_open());
  b.history.close_line();
  CHECK_FALSE(b.history.is_open());
  b.push_text(U"next");
  CHECK(b.texts(200, 2) == Texts{std::string(200, 'x'), "next"});
}

TEST_CASE("a row that fills more than a block has a block of its own") {
  Bench b;
  Cells line;
  std::vector<char32_t> code_points(ClusterTable::kCodePointsMax, 0x1f600);
  for (char32_t i = 0; i < 4096; ++i) {
    code_points[1] = 0x1f600 + i % 50;
    line.push_back(Cell{b.tables.clusters.intern(code_points) | Cell::kCluster});
  }
  b.push_text(U"before");
  b.push({line, {}});
  b.push_text(U"after");
  const auto rows = b.rows(4096);
  REQUIRE(rows.size() == 3);
  CHECK(meanings(rows[1].cells, b.tables) == meanings(line, b.tables));
  std::vector<std::string> blocks;
  blocks_of(b.history, blocks);
  History restored{HistoryLimits{}};
  for (const auto& block : blocks) CHECK(restored.restore_block(block).has_value());
}

TEST_CASE("blocks written out and restored give the same rows, and an open line goes on") {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    RandomLines random(seed);
    Bench b, restored;
    for (int i = 0; i < 1500; ++i) b.push_line(random.line(150, b.tables), 80);
    Cells more = random.line(300, b.tables);
    auto rows = cut_by_printing(more, 80);
    rows.back().cells.resize(80);
    rows.back().flags.wrapped = true;
    for (const auto& row : rows) b.push(row);

    std::vector<std::string> blocks, again;
    blocks_of(b.history, blocks);
    REQUIRE(blocks.size() > 2);
    for (const auto& block : blocks) REQUIRE(restored.history.restore_block(block).has_value());
    CHECK(restored.history.is_open());
    CHECK(restored.history.lines() == b.history.lines());
    CHECK(restored.history.rows_at(33) == b.history.rows_at(33));
    check_same(restored.rows(80), restored.tables, b.rows(80), b.tables);
    CHECK(blocks_of(restored.history, again).size() <= blocks_of(b.history, blocks).size() + 8);

    const OwnedRow last{random.line(80, b.tables), {}};
    b.push(last);
    restored.history.push(last.view(), b.tables);
    check_same(restored.rows(77, 20), restored.tables, b.rows(77, 20), b.tables);
    CHECK(restored.history.lines() == b.history.lines());
  }
}

TEST_CASE("restored blocks obey the limits") {
  Bench b;
  for (int i = 0; i < 5000; ++i) b.push_text(U"abc");
  std::vector<std::string> blocks;
  blocks_of(b.history, blocks);
  History small{HistoryLimits{20, 1 << 20}}, none{HistoryLimits{0, 0}};
  for (const auto& block : blocks) {
    CHECK(small.restore_block(block).has_value());
    CHECK(none.restore_block(block).has_value());
  }
  CHECK(small.rows_at(80) == 20);
  CHECK(none.empty());
}

namespace {

History copied(const History& history) {
  std::vector<std::string> blocks;
  blocks_of(history, blocks);
  History copy{history.limits()};
  for (const auto& block : blocks) REQUIRE(copy.restore_block(block).has_value());
  return copy;
}

void check_same_blocks(const History& a, const History& b) {
  std::vector<std::string> blocks, others;
  blocks_of(a, blocks);
  blocks_of(b, others);
  CHECK(a.lines() == b.lines());
  CHECK(blocks == others);
}

}  // namespace

TEST_CASE("an open line of more rows than the limit drops nothing that the original still has") {
  Bench b;
  b.history = History{HistoryLimits{50, 1 << 20}};
  for (int i = 0; i < 30; ++i) b.push_text(U"abc");
  for (int i = 0; i < 60; ++i) b.push_text(U"0123456789", true);
  History copy = copied(b.history);
  check_same_blocks(copy, b.history);
  CHECK(copy.lines() == 31);
}

TEST_CASE("a restored history is cut into lines and blocks at the same places when it goes on") {
  constexpr std::size_t kCols = 20, kRows = 9000;
  RandomLines random(7);
  Bench b;
  b.history = History{HistoryLimits{2000, 1 << 20}};
  Cells cells;
  while (cells.size() < kCols * kRows) {
    const Cells part = random.line(900, b.tables);
    cells.insert(cells.end(), part.begin(), part.end());
  }
  std::vector<History> copies;  // taken one after the other, and all fed from then on
  for (std::size_t y = 0; y < kRows; ++y) {
    const std::span<const Cell> all(cells);
    const std::size_t rows_of_line = y / 3000 % 2 == 0 ? 2500 : 7;  // pieces of a line, and blocks of many lines
    const RowView row{all.subspan(y * kCols, kCols), {y % rows_of_line != 0, RowMark::none}};
    b.history.push(row, b.tables);
    for (History& copy : copies) copy.push(row, b.tables);
    if (y % 600 == 0) copies.push_back(copied(b.history));
    if (y % 150 != 0) continue;
    CAPTURE(y);
    for (const History& copy : copies) check_same_blocks(copy, b.history);
  }
}

TEST_CASE("damaged blocks are refused or read as something harmless") {
  RandomLines random(99);
  Bench b;
  for (int i = 0; i < 60; ++i) b.push_line(random.line(100, b.tables), 40);
  std::vector<std::string> blocks;
  const std::string good = blocks_of(b.history, blocks);
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string bad = good;
    const std::size_t changes = 1 + random.below(3);
    for (std::size_t k = 0; k < changes; ++k) bad[random.below(bad.size())] = static_cast<char>(random.below(256));
    if (random.below(4) == 0) bad.resize(random.below(bad.size()));
    Bench other;
    const auto result = other.history.restore_block(bad);
    if (!result) {
      ++refused;
      REQUIRE(other.history.empty());
      continue;
    }
    for (const int cols : {1, 2, 40, 4096}) other.history.each_row(cols, 200, other.tables, [](const RowView&) {});
    other.push_text(U"more");
    RowMark mark{};
    Cells cells;
    while (other.history.pop_line(cells, mark, other.tables)) {
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("blocks that lie about lengths and numbers are refused") {
  using namespace std::string_view_literals;
  for (const std::string_view bad : {
           ""sv,
           "\x08"sv,  // no cells
           "\x08\x05"
           "abcd"sv,  // text too short
           "\x08\x03"
           "a\x01"
           "b"sv,  // plain that is not
           "\x08\xff\xff\xff\xff\x7f"
           "abc"sv,                                           // a varint beyond 32 bits
           "\x80\x00"sv,                                      // unknown flag
           "\x00\x05\x03\x01\xff\x01"sv,                      // gap longer than the line
           "\x00\xff\xff\xff\x7f\x05\x01\xff\xff\xff\x7f"sv,  // a gap of gigabytes
           "\x00\x01\x02\x01\x00"sv,                          // a gap of nothing
           "\x00\x01\x01\xff"sv,                              // not UTF-8
           "\x00\x01\x03\xed\xa0\x80"sv,                      // a surrogate
           "\x00\x01\x02\x04\x00"sv,                          // a cluster of nothing
           "\x00\x01\x03\x04\x21"
           "a"sv,                         // a cluster of 33
           "\x00\x01\x02\x06\x10"sv,      // an odd cell of no kind
           "\x00\x01\x01\x07"sv,          // an unknown escape
           "\x00\x02\x03\xe4\xb8\xad"sv,  // wide without its flag
           "\x18\x01\x00"
           "a"sv,  // pushed as no row
           "\x28\x01\x02"
           "a\x02\x00"sv,  // a run longer than the line
           "\x28\x01\x02"
           "a\x00\x00"sv,  // a run of nothing
           "\x28\x01\x02"
           "a\x01\x02"sv,  // a palette colour that is not there
           "\x28\x01\x04"
           "a\x01\x03\xff\xff"sv,  // two thirds of a colour
           "\x28\x01\x04"
           "a\x01\x40\x10\x01"sv,  // a link never defined
           "\x28\x01\x06"
           "a\x01\x40\x18\x01\x00\x09"sv,  // a URI that is not there
           "\x28\x01\x03"
           "a\x01\x40\x06"sv,  // no such semantic
           "\x28\x01\x04"
           "a\x01\x20\x80\x04"sv,         // no such attribute
           "\x3c\x00\x08\x00"sv,          // an open line with pens of no length: it would come out otherwise
           "\x3c\x00\x08\x00\x08\x01"
           "a"sv,                         // the same, before another line
           "\x08\x01\x7f"sv,              // DEL
           "\x00\x01\x03\x06\x00\x1b"sv,  // ESC as an odd cell
           "\x00\x01\x02\xc2\x9b"sv,      // U+009B
           "\x28\x01\x08"
           "a\x01\x40\x18\x01\x01\x1b\x00"sv,  // a link whose id ends its OSC
           "\x28\x01\x08"
           "a\x01\x40\x18\x01\x00\x01\x07"sv,  // and one whose URI does
       }) {
    CAPTURE(bad);
    Bench b;
    b.push_text(U"kept");
    CHECK_FALSE(b.history.restore_block(bad).has_value());
    CHECK(b.texts(10) == Texts{"kept"});
  }
}

}  // namespace holdfast::vt
