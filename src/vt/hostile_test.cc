// Inputs that have broken terminals: each is survived, within bounds, and what it leaves can be restored.
#include "vt/invariants_fixture.h"
#include "vt/replay_fixture.h"
#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {

void check_sound(Screen& screen) {
  State& state = screen.terminal.mutable_state();
  CHECK(broken_invariants(state) == "");
  CHECK(broken_bounds(state) == "");
  CHECK(replay_faults(state, screen.terminal.profile(), [](Terminal& other) { make_dirty(other, 11); }) == "");
  CHECK(snapshot_faults(state) == "");
}

std::string repeated(int times, std::string_view text) {
  std::string all;
  for (; times > 0; --times) all += text;
  return all;
}

}  // namespace

TEST_CASE("2,000 lines of links at 200 columns survive halved columns") {
  Screen screen(200, 50);
  for (int i = 0; i < 2000; ++i) {
    screen.feed("\x1b]8;;http://example.test/" + std::to_string(i) + "\x1b\\" + repeated(18, "link text ") +
                "\x1b]8;;\x1b\\\r\n");
  }
  const std::size_t bytes = screen.state().history.bytes();
  screen.resize(100, 50);
  CHECK(screen.state().history.lines() > 1900);
  CHECK(screen.state().history.bytes() < bytes + (128u << 10));
  CHECK(screen.link(0, 47).uri == "http://example.test/1999");
  CHECK(screen.link(79, 48).uri == "http://example.test/1999");
  check_sound(screen);
}

TEST_CASE("OSC 133, 8, 52 and 7 without sense leave the text alone") {
  for (const std::string_view number : {"133", "8", "52", "7"}) {
    for (const std::string_view rest : {"",
                                        ";",
                                        ";;",
                                        ";;;;;;;;",
                                        ";A;",
                                        ";A;=;=",
                                        ";A;k",
                                        ";k=\xff\xfe",
                                        ";c;?",
                                        ";;://",
                                        ";\xe4\xb8",
                                        ";id=;",
                                        ";id=a:id=b;x",
                                        ";A\n\r\t",
                                        ";-1",
                                        ";99999999999999999999",
                                        ";?",
                                        ";c;not base64!",
                                        ";c;====",
                                        ";file://\xc2\x9b/"}) {
      for (const std::string_view end : {"\x07", "\x1b\\", "\x18", "\x1a", "\x1b\x1b\\"}) {
        CAPTURE(number);
        CAPTURE(rest);
        Screen screen(20, 4);
        screen.feed("a\x1b]").feed(number).feed(rest).feed(end).feed("\x1b]133;C\x07\x1b]8;;\x07z");
        CHECK(screen.rows() == "az");
        check_sound(screen);
      }
    }
    const std::string long_one = "\x1b]" + std::string(number) + ";;" + std::string(2u << 20, 'x');
    Screen screen(20, 4);
    screen.feed("a").feed(long_one);
    CHECK(screen.state().continuation.size() == State::kContinuationBytesMax + 1);
    screen.feed("\x07z");
    CHECK(screen.rows() == "az");
    check_sound(screen);
  }
}

TEST_CASE("clusters with joiners at the last column come back, whatever the width becomes") {
  constexpr std::string_view kClusters[] = {"👩\u200d👩\u200d👧\u200d👦", "e\u0301", "🇩🇪",      "👍🏽", "❤\ufe0f",
                                            "\u0915\u094d\u0937",         "\u200d",  "👩\u200d"};
  for (const std::string_view cluster : kClusters) {
    for (const bool joins : {true, false}) {
      CAPTURE(cluster);
      Screen screen(10, 5);
      screen.feed(joins ? "\x1b[?2027h" : "\x1b[?2027l");
      screen.feed("\x1b[1;9H").feed(cluster).feed("\x1b[3;10H").feed(cluster).feed("\x1b[5;10H").feed_bytewise(cluster);
      check_sound(screen);
      for (const int cols : {9, 2, 1, 3, 11}) {
        screen.resize(cols, 5);
        CHECK(broken_invariants(screen.state()) == "");
        if (cols > 1) check_sound(screen);
      }
    }
  }
}

TEST_CASE("the cursor on row 50 of 5,000 wrapped lines stays on its line in 10 rows") {
  Screen screen(80, 60);
  for (int i = 0; i < 5000; ++i) screen.feed(std::to_string(i) + " " + repeated(20, "wrapped ") + "\r\n");
  screen.feed("\x1b[50;7Hhere");
  const std::string line = screen.row(49);
  screen.resize(80, 10);
  CHECK(screen.row(screen.y()) == line);
  CHECK(screen.x() == 10);
  check_sound(screen);
  screen.resize(80, 60);
  CHECK(screen.row(screen.y()) == line);
  check_sound(screen);
}

TEST_CASE("a synchronised update that never ends is drawn and holds nothing back") {
  Screen screen(80, 24);
  screen.feed("\x1b[?2026h");
  const std::string much = repeated(2000, "a line of a long update\r\n");
  for (int i = 0; i < 100; ++i) screen.feed(much);
  CHECK(screen.row(22) == "a line of a long update");
  CHECK(screen.state().continuation.empty());
  check_sound(screen);
}

TEST_CASE("a wide character that is overwritten again and again below a line without end costs no look at that line") {
  Screen screen(3, 1);
  screen.feed(repeated(50'000, "\r中中\ra"));
  CHECK(screen.row(0) == "a");
  CHECK(screen.state().history.rows_at(3) == 10'000);
  check_sound(screen);
}

TEST_CASE("one cell and a thousand by a thousand, from each other") {
  Screen screen(1, 1);
  screen.feed("a中e\u0301👨\u200d👩\u200d👧\x1b[?1049h\x1b#8\x1b[?1049l");
  CHECK(broken_invariants(screen.state()) == "");
  screen.resize(1000, 1000).feed("\x1b#8\x1b[1000;999H中中");
  CHECK(screen.y() == 999);
  CHECK(screen.row(999) == "中");
  check_sound(screen);
  screen.resize(1, 1);
  CHECK(broken_invariants(screen.state()) == "");
  CHECK(broken_bounds(screen.state()) == "");
  screen.resize(1000, 1000).resize(2, 1000).resize(1000, 2);
  check_sound(screen);
}

}  // namespace holdfast::vt
