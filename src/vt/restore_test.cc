#include "vt/restore.h"

#include "vt/restore_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {

std::string fact(Screen& screen, std::string_view name) {
  const std::string all = "\n" + expressible(screen.terminal.mutable_state());
  const std::size_t at = all.find("\n" + std::string(name) + " ");
  return at == std::string::npos ? "" : all.substr(at + name.size() + 2, all.find('\n', at + 1) - at - name.size() - 2);
}

// The state of `original` restored into a fresh terminal of its size.
Screen restored(Screen& original, RestoreOptions options = {}) {
  Screen copy(original.state().size.cols, original.state().size.rows);
  copy.feed(restore_of(original, options));
  return copy;
}

void check_same(Screen& original) {
  RestoreOptions options;
  options.onto = Onto::anything;
  Screen copy = restored(original, options);
  CHECK(expressible(original.terminal.mutable_state()) == expressible(copy.terminal.mutable_state()));
}

}  // namespace

TEST_CASE("an empty terminal restores in few bytes and nothing is printed") {
  Screen screen;
  RestoreOptions options;
  options.onto = Onto::anything;
  const std::string bytes = restore_of(screen, options);
  CHECK(bytes.size() < 1280);
  Screen copy = restored(screen, options);
  CHECK(copy.rows().empty());
  CHECK(copy.state().last_printed == 0);
  CHECK(copy.state().history.empty());
}

TEST_CASE("history goes to the client's scrollback and the screen follows without a gap") {
  Screen screen(10, 3);
  screen.feed("1\r\n2\r\n3\r\n\r\n5\r\n0123456789abc");
  std::size_t phase_two_at = 0;
  std::string bytes;
  write_restore(screen.terminal.mutable_state(), {}, bytes, &phase_two_at);
  Screen copy(10, 3);
  copy.feed(bytes);
  CHECK(copy.history() == "1|2|3||");
  CHECK(copy.rows() == "5|0123456789\\|abc");
  // The part that scrolls away holds no mode but those that text needs.
  const std::string_view phase_one = std::string_view(bytes).substr(0, phase_two_at);
  CHECK(phase_one.ends_with("1\r\n2\r\n3\r\n\r\n"));
}

TEST_CASE("a line that goes on from history into the screen stays one line when the client's terminal is resized") {
  Screen screen(10, 2);
  screen.feed("0123456789abcdefghijKLM");
  check_same(screen);
  Screen copy = restored(screen);
  copy.resize(30, 2);
  CHECK(copy.rows() == "0123456789abcdefghijKLM");
}

TEST_CASE("without history nothing scrolls") {
  Screen screen(10, 3);
  screen.feed("1\r\n2\r\n3\r\n4\r\n5");
  RestoreOptions options;
  options.history = HistoryPart::none;
  Screen copy(10, 3);
  copy.feed("mine\r\nalso mine").feed(restore_of(screen, options));
  CHECK(copy.state().history.empty());
  CHECK(copy.rows() == "3|4|5");
}

TEST_CASE("a synchronised update is neither left open nor begun for the program") {
  Screen screen;
  screen.feed("\x1b[?2026hab");
  Screen copy = restored(screen);
  CHECK_FALSE(copy.mode(Mode::synchronized_output));
  CHECK(copy.rows() == "ab");
}

TEST_CASE("both screens come back, with their own saved cursors and keyboard stacks") {
  Screen screen;
  screen.feed(
      "main\x1b[31m\x1b[>5u\x1b[2;3H\x1b[?1049h\x1b[>1u\x1b[>3u\x1b[3;4Halt\x1b[1m\x1b"
      "7");
  check_same(screen);
  Screen copy = restored(screen);
  CHECK(copy.state().alternate.kitty.depth == 2);
  copy.feed("\x1b[?1049l!");
  CHECK(copy.rows() == "main|  !");
  CHECK(copy.style(2, 1).foreground == Color::palette(1));
  CHECK(copy.state().primary.kitty.current() == 5);
}

TEST_CASE("what lies on an alternate screen that is not shown comes back with it") {
  Screen screen;
  screen.feed("main\x1b[?47h\x1b[2;2Hhidden\x1b[?47l");
  Screen copy = restored(screen);
  CHECK(copy.rows() == "main");
  copy.feed("\x1b[?47h");
  CHECK(copy.rows() == "| hidden");
}

TEST_CASE("a pending wrap comes back: the next character goes to the next row") {
  Screen screen;
  screen.feed("0123456789");
  Screen copy = restored(screen);
  CHECK(copy.pending());
  copy.feed("x");
  CHECK(copy.rows() == "0123456789\\|x");
}

TEST_CASE("half of a sequence and half of a character go on in the restored terminal") {
  Screen screen;
  screen.feed("a\x1b[3");
  Screen copy = restored(screen);
  copy.feed("1mb");
  CHECK(copy.style(1, 0).foreground == Color::palette(1));

  Screen character;
  character.feed("a\xe4\xb8");
  copy = restored(character);
  copy.feed("\xad");
  CHECK(copy.rows() == "a中");
}

TEST_CASE("an implicit link in one piece is opened without an id, one in several pieces gets one and stays one link") {
  Screen whole;
  whole.feed("\x1b]8;;http://a\x1b\\0123456789ab\x1b]8;;\x1b\\");
  CHECK(restore_of(whole).find("id=") == std::string::npos);
  check_same(whole);

  Screen pieces;
  pieces.feed("\x1b]8;;http://a\x1b\\abcdef\x1b]8;;\x1b\\\x1b[1;3HX");
  Screen copy = restored(pieces);
  CHECK(copy.cell(0, 0).link() == copy.cell(3, 0).link());
  CHECK(copy.cell(2, 0).link() == 0);
  check_same(pieces);
  check_same(copy);
}

TEST_CASE("phase 2 begins at the same place when ids are put into links before it") {
  Screen screen(10, 2);
  screen.feed("\x1b]8;;http://a\x1b\\abcdef\x1b]8;;\x1b\\\x1b[1;3HX\r\n1\r\n2\r\n3");
  std::size_t at = 0;
  std::string bytes;
  write_restore(screen.terminal.mutable_state(), {}, bytes, &at);
  CHECK(bytes.substr(0, at).ends_with("1\r\n"));
}

TEST_CASE("cells whose width terminals disagree about are followed by their column") {
  Screen screen(20, 2);
  screen.feed("\x1b[?2027h😀a👨‍👩‍👧b");
  const std::string bytes = restore_of(screen);
  CHECK(bytes.find("😀\x1b[3Ga") != std::string::npos);
  CHECK(bytes.find("👨\x1b[?2027h\u200d👩\u200d👧\x1b[6G") != std::string::npos);
  check_same(screen);
}

TEST_CASE("two lone regional indicators do not become a flag") {
  Screen screen;
  screen.feed("\x1b[?2027l🇩🇪|");
  check_same(screen);
}

TEST_CASE("margins, origin mode and a cursor inside them") {
  Screen screen;
  screen.feed("\x1b[?69h\x1b[3;8s\x1b[2;3r\x1b[?6h\x1b[2;2Hx");
  check_same(screen);
}

TEST_CASE("colours are reset and only the changed ones set") {
  Screen screen;
  screen.feed("\x1b]4;3;rgb:12/34/56\x1b\\\x1b]11;#102030\x1b\\");
  const std::string bytes = restore_of(screen);
  CHECK(bytes.find("\x1b]104\x1b\\") != std::string::npos);
  CHECK(bytes.find("\x1b]4;3;rgb:12/34/56\x1b\\") != std::string::npos);
  CHECK(bytes.find("\x1b]10;") == std::string::npos);
  check_same(screen);
}

TEST_CASE("the client's own title lies below those of the session, however often it is restored") {
  Screen session;
  session.feed("\x1b]2;one\x1b\\\x1b[22;0t\x1b]2;two\x1b\\");
  Screen client;
  client.feed("\x1b]2;mine\x1b\\").feed(restore_of(session)).feed(restore_of(session));
  CHECK(client.state().titles.window == "two");
  REQUIRE(client.state().titles.stack.size() == 2);
  CHECK(client.state().titles.stack[0].first == "mine");
  std::string undo;
  write_undo(session.state(), -1, undo);
  client.feed(undo);
  CHECK(client.state().titles.window == "mine");
  CHECK(client.state().titles.stack.empty());
}

TEST_CASE("protected cells keep their kind of protection") {
  Screen dec;
  dec.feed("\x1b[1\"qab\x1b[0\"qcd");
  check_same(dec);
  Screen iso;
  iso.feed("\x1bVab\x1bWcd");
  check_same(iso);
  Screen copy = restored(iso);
  copy.feed("\x1b[2J");
  CHECK(copy.rows() == "ab");
}

TEST_CASE("prompt marks and semantics come back, and a prompt is marked as not redrawn by the client") {
  Screen screen(20, 4);
  screen.feed("\x1b]133;A\x1b\\$ \x1b]133;B\x1b\\ls\r\n\x1b]133;C\x1b\\out\r\n\x1b]133;D\x1b\\");
  CHECK(restore_of(screen).find("\x1b]133;A;redraw=0\x1b\\") != std::string::npos);
  check_same(screen);
}

TEST_CASE("a view shows what fits, with the cursor's row, and no input mode") {
  Screen screen(10, 4);
  screen.feed("\x1b[?1000h\x1b[?2004h1\r\n2\r\n3\r\n456789中x");
  std::string bytes;
  write_view(screen.terminal.mutable_state(), 7, 2, bytes);
  Screen small(7, 2);
  small.feed("old\r\nold").feed(bytes);
  CHECK(small.rows() == "3|456789");
  CHECK(small.y() == 1);
  CHECK_FALSE(small.mode(Mode::mouse_normal));
  CHECK_FALSE(small.mode(Mode::bracketed_paste));
  std::string again;
  write_view(screen.terminal.mutable_state(), 30, 10, again);
  Screen large(30, 10);
  large.feed(again);
  CHECK(large.rows() == "1|2|3|456789中x|-- 10x4, as the terminal that");
  CHECK(large.x() == 9);
}

TEST_CASE("leaving goes on below the last row in use, on the last row by a scroll") {
  const auto row_after = [](const char* written) {
    Screen session(10, 4), client(10, 4);
    session.feed(written);
    client.feed(restore_of(session));
    std::string undo;
    write_undo(session.state(), -1, undo);
    client.feed(undo).feed("$");
    return client.rows();
  };
  CHECK(row_after("one") == "one|$");
  CHECK(row_after("one\r\n\r\n") == "one|||$");
  CHECK(row_after("one\r\ntwo\x1b[H") == "one|two|$");
  CHECK(row_after("one\x1b[?1049hfull") == "one|$");
  CHECK(row_after("1\r\n2\r\n3\r\n4") == "2|3|4|$");
}

TEST_CASE("leaving puts back what the session changed and nothing else") {
  Screen session(10, 4);
  session.feed(
      "\x1b[?1049h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1004h\x1b[>5u\x1b[>4;2m\x1b[2;3r\x1b[?6h\x1b[?25l\x1b[4 q"
      "\x1b]12;#010203\x1b\\\x1b(0\x1b[31m\x1b[?7l\x1b]22;text\x1b\\x");
  Screen client(10, 4);
  const std::string before = expressible(client.terminal.mutable_state());
  client.feed(restore_of(session));
  std::string undo;
  write_undo(session.state(), -1, undo);
  CHECK(undo.find("\x1b"
                  "c") == std::string::npos);
  CHECK(undo.find("\x1b]104") == std::string::npos);
  client.feed(undo);
  CHECK_FALSE(client.state().on_alternate);
  for (const Mode mode : {Mode::mouse_any, Mode::mouse_sgr, Mode::bracketed_paste, Mode::focus_events, Mode::origin}) {
    CHECK_FALSE(client.mode(mode));
  }
  CHECK(client.mode(Mode::cursor_visible));
  CHECK(client.mode(Mode::autowrap));
  CHECK(client.state().primary.kitty == KittyStack{});
  CHECK(client.state().modify_other_keys == 0);
  CHECK(client.state().margins == Margins{0, 3, 0, 9});
  CHECK(client.state().cursor_shape == 0);
  CHECK(client.state().colors == Colors{});
  CHECK(client.state().charsets == Charsets{});
  CHECK(client.y() == 0);
  CHECK(client.x() == 0);
  CHECK(fact(client, "primary.pen") == "{}<>\\0");
}

TEST_CASE("the outer keyboard flags come back when they were known") {
  Screen session;
  std::string undo;
  write_undo(session.state(), 5, undo);
  Screen client;
  client.feed(undo);
  CHECK(client.state().primary.kitty.current() == 5);
  std::string unknown;
  write_undo(session.state(), -1, unknown);
  CHECK(unknown.find("\x1b[<") == std::string::npos);
}

TEST_CASE("a person's own title and colours outlive a session that set none, and come back after one that did") {
  RestoreOptions options;
  options.onto = Onto::person;
  for (const bool program_sets : {false, true}) {
    Screen session;
    if (program_sets) session.feed("\x1b]2;theirs\x07\x1b]4;2;rgb:00/00/ff\x07");
    Screen outer;
    outer.feed("\x1b]2;mine\x07\x1b]4;1;rgb:12/34/56\x07");
    outer.feed(restore_of(session, options));
    CHECK(outer.state().titles.window == (program_sets ? "theirs" : "mine"));
    CHECK(outer.state().colors.palette.contains(1));
    CHECK(outer.state().colors.palette.contains(2) == program_sets);
    std::string undo;
    write_undo(session.state(), -1, undo);
    outer.feed(undo);
    CHECK(outer.state().titles.window == "mine");
    CHECK(outer.state().colors.palette.contains(1));
    CHECK(!outer.state().colors.palette.contains(2));
  }
}

TEST_CASE("progress that nobody reports any more goes, but is no notification where OSC 9 may be one") {
  for (const Profile client : {Profile::ghostty, Profile::xterm}) {
    for (const Onto onto : {Onto::anything, Onto::session, Onto::person}) {
      Screen session(10, 4, client), outer(10, 4, client);
      outer.feed("\x1b]9;4;1;50\x07");
      RestoreOptions options;
      options.client = client;
      options.onto = onto;
      const bool says_so = client == Profile::ghostty || onto == Onto::anything;
      outer.feed(restore_of(session, options));
      CHECK(outer.state().progress.state == (says_so ? 0 : 1));
    }
  }
}

TEST_CASE("in a single row, a line whose last column was never written is still joined to the next") {
  Screen screen(17, 2);
  screen.feed("\t ").resize(2, 1);
  CHECK(fact(screen, "history 0") == "wrapped |");
  check_same(screen);
  Screen colored(3, 2);
  colored.feed("ab\x1b[44m\x1b[K\x1b[m\r\nc").resize(3, 1);
  check_same(colored);
}

TEST_CASE("a wrap pending behind a wide character across the right margin is recalled from the saved cursor") {
  Screen screen(6, 2);
  screen.feed(
      "ab中文\x1b"
      "7\x1b[?69h\x1b[2;5s\x1b"
      "8");
  CHECK(fact(screen, "primary.cursor") == "5 0 pending");
  check_same(screen);
  screen.feed("\x1b[1;3;44m\x1b(0\x1b[1\"q");
  check_same(screen);
  // Without it nothing brings that about.
  screen.feed(
      "\x1b[?47h\x1b"
      "7\x1b[?47l\x1b[?6h");
  check_same(screen);
}

TEST_CASE("a wrap pending at a margin of once is saved though a wide character lies across it now") {
  Screen screen(6, 2);
  screen.feed(
      "\x1b[?69h\x1b[2;5sabcde\x1b"
      "7\x1b[?69l\x1b[1;5H\x1b[44m中");
  CHECK(fact(screen, "primary.saved.cursor") == "4 0 pending");
  check_same(screen);
  screen.feed("\x1b[?47h");
  check_same(screen);
}

TEST_CASE("a wide character in the column of a pending wrap keeps the spacer above it, wherever the margins are") {
  Screen saved(2, 5);
  saved.feed(
      "a\r\nb\r\nc\r\nd中\x1b"
      "7\x1b[2;4r");
  CHECK(fact(saved, "primary.saved.cursor") == "1 4 pending");
  check_same(saved);
  saved.feed(
      "\x1b"
      "8");
  CHECK(fact(saved, "primary.cursor") == "1 4 pending");
  check_same(saved);
  Screen margin(5, 3);
  margin.feed(
      "\x1b[?69h\x1b[1;2sab\x1b"
      "7\x1b[?69l\x1b[1;1Habcd中");
  margin.feed(
      "\x1b"
      "7\x1b[?69h\x1b[1;2s\x1b[2;1H中\x1b"
      "7\x1b[?69l\x1b[1;1Habcd中");
  CHECK(fact(margin, "primary.saved.cursor") == "1 1 pending");
  check_same(margin);
  margin.feed("\x1b[?1049h");
  check_same(margin);
}

TEST_CASE("a cluster whose marks were joined with mode 2027 and without comes back as it was") {
  Screen screen(10, 2);
  screen.feed("\x1b[?2027h👨\u200d👩\x1b[?2027l\ufe0e|");
  CHECK(fact(screen, "primary 0") == "|\\w\\(👨\u200d👩\ufe0e\\)|");
  check_same(screen);
}
}  // namespace holdfast::vt
