#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {
const std::string kFull = "0123456789";
}

TEST_CASE("the last column waits for the next character before it wraps") {
  Screen s;
  s.feed(kFull);
  CHECK(s.pending());
  CHECK(s.x() == 9);
  CHECK(s.feed("x").rows() == "0123456789\\|x");
}

TEST_CASE("what keeps and what ends a pending wrap") {
  for (const char* keeps : {"\t", "\x1b[31m", "\x1bH", "\x1b[?7l\x1b[?7h", "\x1b\x37\x1b[H\x1b\x38"}) {
    CAPTURE(keeps);
    CHECK(Screen().feed(kFull + keeps + "x").rows() == "0123456789\\|x");
  }
  CHECK(Screen().feed(kFull + "\bx").rows() == "01234567x9");
  CHECK(Screen().feed(kFull + "\x1b[Kx").rows() == "012345678x");
  CHECK(Screen().feed(kFull + "\x1b[Xx").rows() == "012345678x");
  CHECK(Screen().feed(kFull + "\x1b[Px").rows() == "012345678x");
  CHECK(Screen().feed(kFull + "\nx").rows() == "0123456789|         x");
  CHECK(Screen().feed(kFull + "\x1b[10Gx").rows() == "012345678x");
}

TEST_CASE("CSI ? 7 l: without autowrap the last cell is overwritten") {
  CHECK(Screen().feed("\x1b[?7l0123456789abc").rows() == "012345678c");
  CHECK(Screen().feed_bytewise("\x1b[?7l0123456789abc").rows() == "012345678c");
  CHECK(Screen().feed("\x1b[?7l012345678中").rows() == "012345678");
}

TEST_CASE("a wide character that does not fit leaves a spacer and wraps") {
  Screen s;
  s.feed("012345678中z");
  CHECK(s.rows() == "012345678\\|中z");
  CHECK(s.cell(9, 0).kind() == CellKind::wrap_spacer);
  CHECK(s.cell(0, 1).kind() == CellKind::wide);
  CHECK(s.cell(1, 1).kind() == CellKind::wide_tail);
  s.feed("\x1b[2;1Hx");
  CHECK(s.cell(9, 0).kind() == CellKind::narrow);
}

TEST_CASE("overwriting one half of a wide character blanks the other") {
  CHECK(Screen().feed("中中\rX").rows() == "X 中");
  CHECK(Screen().feed("中中\x1b[2GX").rows() == " X中");
  CHECK(Screen().feed("中中\x1b[2G日").rows() == " 日");
  CHECK(Screen().feed("中中\x1b[2G\x1b[K").rows() == "");
}

TEST_CASE("one column: a blank stands for a wide character") {
  Screen s(1, 3);
  s.feed("中x");
  CHECK(s.rows() == "\\|x");
}

TEST_CASE("CSI 4 h: insert mode shifts the rest of the line") {
  CHECK(Screen().feed("abc\r\x1b[4hX\x1b[4lY").rows() == "XYbc");
  CHECK(Screen().feed("中ab\x1b[1G\x1b[4hX中").rows() == "X中中ab");
  CHECK(Screen().feed("0123456789\r\x1b[4hX").rows() == "X012345678");
}

TEST_CASE("charsets: designated, shifted, locked, for one character") {
  CHECK(Screen().feed("\x1b(0lqk\x1b(Blqk").rows() == "┌─┐lqk");
  CHECK(Screen().feed("\x1b)0\x0eq\x0fq").rows() == "─q");
  CHECK(Screen().feed("\x1b*0\x1bnq\x0fq").rows() == "─q");
  CHECK(Screen().feed("\x1b+0\x1boq").rows() == "─");
  CHECK(Screen().feed("\x1b*0\x1bNqq").rows() == "─q");
  CHECK(Screen().feed("\x1b+0\x1bOqq").rows() == "─q");
  CHECK(Screen().feed("\x1b(A#").rows() == "£");
  CHECK(Screen().feed("\x1b(0é_q").rows() == "é_─");
  CHECK(Screen().feed("\x1b(0\x1b\x37\x1b(B\x1b\x38q").rows() == "─");
}

TEST_CASE("CSI b repeats the last character as it was shown, wherever the cursor is") {
  CHECK(Screen().feed("ab\x1b[3b").rows() == "abbbb");
  CHECK(Screen().feed("a\x1b[12b").rows() == "aaaaaaaaaa\\|aaa");
  CHECK(Screen().feed("中\x1b[2b").rows() == "中中中");
  CHECK(Screen().feed("\x1b(0q\x1b(B\x1b[3b").rows() == "────");
  CHECK(Screen().feed("a\x1b[2;2H\x1b[3b").rows() == "a| aaa");
  CHECK(Screen().feed("\x1b[2bX").rows() == "X");
  CHECK(Screen().feed("a\x1b[65535b").x() == 6);
}

TEST_CASE("mode 2027: clusters take one cell, two columns at most") {
  struct Case {
    const char* text;
    int width;
  };
  for (const auto& [text, width] :
       {Case{"e\u0301", 1}, Case{"中\u0301", 2}, Case{"👨\u200d👩\u200d👧\u200d👦", 2}, Case{"🇩🇪", 2}, Case{"🇩", 2},
        Case{"👍🏽", 2}, Case{"❤", 1}, Case{"❤\ufe0f", 2}, Case{"⌚\ufe0e", 1}, Case{"😀\ufe0e", 2},
        Case{"1\ufe0f\u20e3", 2}, Case{"\u1112\u1161\u11ab", 2}, Case{"한", 2}, Case{"a\u200b", 1}, Case{"a\u00ad", 2},
        Case{"\u00ad", 1}, Case{"नमस्ते", 3}}) {
    CAPTURE(text);
    Screen s;
    CHECK(s.feed(text).x() == width);
    CHECK(s.feed("!").rows().ends_with("!"));
    CHECK(Screen().feed_bytewise(text).x() == width);
  }
}

TEST_CASE("a mark joins the cell left of the cursor, not what was printed last") {
  CHECK(Screen().feed("ab\x1b[2G\u0301").rows() == "a\u0301b");
  CHECK(Screen().feed("0123456789\u0301").rows() == "0123456789\u0301");
  CHECK(Screen().feed("\u0301x").rows() == "x");
  CHECK(Screen().feed("ab\x1b[2K\x1b[2G\u0301").rows() == "");
}

TEST_CASE("VS16 in the last column moves the character to the next line") {
  Screen s;
  s.feed("012345678❤\ufe0f!");
  CHECK(s.rows() == "012345678\\|❤\ufe0f!");
  CHECK(s.cell(9, 0).kind() == CellKind::wrap_spacer);
}

TEST_CASE("VS15 makes an emoji narrow and gives the column back") {
  Screen s;
  s.feed("⌚\ufe0e!");
  CHECK(s.rows() == "⌚\ufe0e!");
  CHECK(s.cell(0, 0).kind() == CellKind::narrow);
  CHECK(s.x() == 2);
}

TEST_CASE("variation selectors that no sequence knows are dropped") {
  Screen s;
  s.feed(
      "a\ufe0f"
      "b");
  CHECK(s.rows() == "ab");
  CHECK_FALSE(s.cell(0, 0).is_cluster());
}

TEST_CASE("mode 2027 off: only characters without width join") {
  const std::string off = "\x1b[?2027l";
  CHECK(Screen().feed(off + "👨\u200d👩|").x() == 5);
  CHECK(Screen().feed(off + "🇩🇪|").x() == 5);
  CHECK(Screen().feed(off + "❤\ufe0f|").x() == 2);
  CHECK(Screen().feed(off + "e\u0301!").rows() == "e\u0301!");
}

TEST_CASE("a cell holds 32 code points, more are dropped") {
  std::string zalgo = "a";
  for (int i = 0; i < 100; ++i) zalgo += "\u0301";
  Screen s;
  s.feed(zalgo + "b");
  CHECK(s.state().tables.clusters[s.cell(0, 0).text()].size() == ClusterTable::kCodePointsMax);
  CHECK(s.x() == 2);
}

TEST_CASE("REP of a cluster repeats what was printed first") {
  CHECK(Screen().feed("e\u0301\x1b[2b").rows() == "e\u0301ee");
}

TEST_CASE("rows that leave at the top go to history, joined where they wrapped") {
  Screen s(10, 2);
  s.feed("0123456789abc\r\nx\r\ny");
  CHECK(s.rows() == "x|y");
  CHECK(s.history() == "0123456789\\|abc|");
}

TEST_CASE("what overwrites a wide character that wrapped below history leaves what is in history where it stood") {
  for (const char* other : {"wrap", "é", "\x1b[1J", "\x1b[P", "\x1b[@", "日"}) {
    CAPTURE(other);
    Screen s(5, 2);
    s.feed("\x1b[2;1H  ab中\r\n\x1b[H").feed(other).feed("\x1b[2;1H\nx");
    CHECK(s.history().starts_with("|  ab"));
    CHECK(broken_invariants(s.state()).empty());
    State& state = s.terminal.mutable_state();
    std::vector<std::size_t> widths;
    state.history.each_row(5, SIZE_MAX, state.tables, [&](const RowView& r) { widths.push_back(r.cells.size()); });
    CHECK(widths.at(1) == 5);
  }
  CHECK(Screen(5, 1).feed("  ab中\x1b[1Gwrap it").history() == "  ab\\|wrap\\|");
}

TEST_CASE("a row that insert mode pushes out whole is still joined to the one it wrapped from") {
  CHECK(Screen(2, 3).feed("\x1b[4h日本").rows() == "日\\|本");
  CHECK(Screen(2, 1).feed("\x1b[4h日本").history() == "日\\|");
}

TEST_CASE("a one-row screen still joins its lines in history") {
  Screen s(4, 1);
  s.feed("abcdefgh\r\nx");
  CHECK(s.history() == "abcd\\|efgh|");
}

TEST_CASE("full tables are compacted and the screen keeps its looks") {
  Screen s(20, 3);
  s.feed("\x1b[38;2;1;2;3mkeep\x1b]8;;http://keep\alink\x1b]8;;\a\x1b[m\u0065\u0301");
  for (int i = 0; i < 200'000; ++i) {
    s.feed("\x1b[2;1H\x1b[38;2;" + std::to_string(i >> 16) + ";" + std::to_string(i >> 8 & 255) + ";" +
           std::to_string(i & 255) + "mx");
  }
  CHECK(s.style(0, 0).foreground == Color::rgb(1, 2, 3));
  CHECK(s.link(5, 0).uri == "http://keep");
  CHECK(s.style(0, 1).foreground == Color::rgb(3, 13, 63));  // 199999
  CHECK(s.rows() == "keeplinke\u0301|x");
  CHECK(s.state().tables.styles.size() < StyleTable::kFull);
}

TEST_CASE("links are compacted too, by number and by bytes") {
  Screen s(20, 3);
  s.feed(
      "\x1b]8;;http://keep\a"
      "K\x1b]8;;\a");
  const std::string tail(3000, 'u');
  for (int i = 0; i < 5000; ++i) s.feed("\x1b[2;1H\x1b]8;;http://" + std::to_string(i) + tail + "\ax");
  CHECK(s.link(0, 0).uri == "http://keep");
  CHECK(s.link(0, 1).uri == "http://4999" + tail);
}

TEST_CASE("a wrap pending on a spacer, brought along from the other screen, leaves no spacer before other text") {
  Screen s(3, 3);
  s.feed("中文字\x1b[1;2r\x1b[?47h\x1b[2;1Habc\x1b[?47lx");
  CHECK(s.rows() == "文\\|x|字");
  CHECK(broken_invariants(s.state()).empty());
}

}  // namespace holdfast::vt
