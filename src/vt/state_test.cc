// What a State remembers beside the cells: screens, saved cursors, modes, styles, titles, links, marks, keyboard.
#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {

TEST_CASE("?1049: saves the cursor, clears, and comes back") {
  Screen s;
  s.feed("abc\x1b[?1049hXYZ");
  CHECK(s.state().on_alternate);
  CHECK(s.state().alternate_mode == Mode::alternate_1049);
  CHECK(s.rows() == "   XYZ");
  CHECK(s.feed("\x1b[?1049l!").rows() == "abc!");
  CHECK(s.feed("\x1b[?1049h").rows() == "");
}

TEST_CASE("?1049 h clears with the background of the pen") {
  Screen s;
  s.feed("\x1b[44m\x1b[?1049h");
  CHECK(s.style(5, 2).background == Color::palette(4));
}

TEST_CASE("?47 keeps the alternate screen, ?1047 clears it on leaving, both share the cursor") {
  CHECK(Screen().feed("abc\x1b[?47hXYZ\x1b[?47l!\x1b[?47h").rows() == "   XYZ");
  CHECK(Screen().feed("abc\x1b[?1047hXYZ\x1b[?1047l!\x1b[?1047h").rows() == "");
  CHECK(Screen().feed("abc\x1b[?47h\x1b[3;3HX\x1b[?47lY").rows() == "abc||   Y");
  Screen s;
  s.feed("\x1b[?47h");
  CHECK(s.state().alternate_mode == Mode::alternate_47);
}

TEST_CASE("nothing of the alternate screen goes to history") {
  Screen s(10, 2);
  s.feed("\x1b[?1049h1\r\n2\r\n3\x1b[22J\x1b[?1049l");
  CHECK(s.history() == "");
}

TEST_CASE("saved cursors are per screen, margins and tab stops are not") {
  CHECK(Screen().feed("ab\x1b\x37\x1b[?47h\x1b[3;3H\x1b\x37\x1b[?47l\x1b\x38X").rows() == "abX");
  CHECK(Screen().feed("\x1b[2;3r\x1b[?1049h\x1b[3;1H\nX").rows() == "||X");
  CHECK(Screen().feed("\x1b[3g\x1b[?1049h\tX").x() == 9);
}

TEST_CASE("DECRC without DECSC: home and defaults") {
  Screen s;
  s.feed("\x1b[31m\x1b(0abc\x1b\x38X");
  CHECK(s.cell(0, 0).text() == 'X');
  CHECK(s.style(0, 0) == Style{});
}

TEST_CASE("DECSC saves pen, origin, charsets and pending wrap, not link and mark") {
  Screen s;
  s.feed("\x1b[31m\x1b(0\x1b[2;3r\x1b[?6h\x1b\x37\x1b[?6l\x1b[32m\x1b(B\x1b]8;;http://x\a\x1b\x38q");
  CHECK(s.rows() == "|─");
  CHECK(s.style(0, 1).foreground == Color::palette(1));
  CHECK(s.link(0, 1).uri == "http://x");
  CHECK(s.mode(Mode::origin));
}

TEST_CASE("CSI ! p resets softly") {
  Screen s;
  s.feed("abc\x1b[2;3r\x1b[4h\x1b[?6h\x1b[1m\x1b[?25l\x1b[?7l\x1b[?1h\x1b=\x1b(0\x1b[?2004h\x1b[3;3H\x1b[!pq");
  CHECK(s.rows() == "abc||  q");  // the cursor stays
  CHECK(s.style(2, 3) == Style{});
  CHECK(s.mode(Mode::cursor_visible));
  CHECK(s.mode(Mode::autowrap));
  CHECK_FALSE(s.mode(Mode::insert));
  CHECK_FALSE(s.mode(Mode::cursor_keys));
  CHECK_FALSE(s.state().keypad_application);
  CHECK(s.mode(Mode::bracketed_paste));
  CHECK(s.state().margins == Margins{0, 3, 0, 9});
}

TEST_CASE("ESC c resets everything but size and offset") {
  Screen s(10, 2);
  s.feed(
      "1\r\n2\r\n3\x1b[?1049hX\x1b[?1000h\x1b[?2004h\x1b[>5u\x1b]4;1;#fff\a\x1b[3g\x1b(0\x1b[2;2r\x1b[31m\x1b"
      "cq\tX");
  CHECK(s.rows() == "q       X");
  CHECK(s.history() == "");
  CHECK_FALSE(s.state().on_alternate);
  CHECK(s.state().modes == ModeSet::defaults());
  CHECK(s.state().mouse_tracking == Mode::count_);
  CHECK(s.state().primary.kitty == KittyStack{});
  CHECK(s.state().colors == Colors{});
  CHECK(s.state().offset > 50);
}

TEST_CASE("modes are set, saved and restored") {
  Screen s;
  s.feed("\x1b[?1;2004h\x1b[?25l\x1b[?25;2004s\x1b[?25h\x1b[?2004l\x1b[?25;2004r");
  CHECK(s.mode(Mode::cursor_keys));
  CHECK(s.mode(Mode::bracketed_paste));
  CHECK_FALSE(s.mode(Mode::cursor_visible));
  CHECK(Screen().feed("\x1b[?9999hX").rows() == "X");
}

TEST_CASE("the mouse mode set last is the one, resetting any ends it") {
  Screen s;
  s.feed("\x1b[?1000h\x1b[?1003h\x1b[?1006h\x1b[?1016h");
  CHECK(s.state().mouse_tracking == Mode::mouse_any);
  CHECK_FALSE(s.mode(Mode::mouse_normal));
  CHECK(s.state().mouse_encoding == Mode::mouse_sgr_pixels);
  s.feed("\x1b[?1000l\x1b[?1006l");
  CHECK(s.state().mouse_tracking == Mode::count_);
  CHECK(s.state().mouse_encoding == Mode::count_);
}

TEST_CASE("ESC = and ?66 are one switch") {
  Screen s;
  CHECK(s.feed("\x1b=").mode(Mode::keypad));
  CHECK(s.feed("\x1b[?66l").state().keypad_application == false);
}

TEST_CASE("?3 clears and homes only where ?40 allows it, and never changes the size") {
  CHECK(Screen().feed("abc\x1b[?3hX").rows() == "abcX");
  Screen s;
  s.feed("abc\x1b[2;3r\x1b[?40h\x1b[?3hX");
  CHECK(s.rows() == "X");
  CHECK(s.state().size.cols == 10);
}

TEST_CASE("synchronised output is noted and stops nothing") {
  Screen s;
  CHECK(s.feed("\x1b[?2026hab").rows() == "ab");
  CHECK(s.mode(Mode::synchronized_output));
}

TEST_CASE("SGR: every attribute on and off") {
  struct Case {
    const char* on;
    std::uint32_t bits;
    const char* off;
  };
  for (const auto& [on, bits, off] :
       {Case{"1", kBold, "22"}, Case{"2", kFaint, "22"}, Case{"3", kItalic, "23"},
        Case{"4", 1u << kUnderlineShift, "24"}, Case{"21", 2u << kUnderlineShift, "24"},
        Case{"4:3", 3u << kUnderlineShift, "4:0"}, Case{"4:5", 5u << kUnderlineShift, "24"}, Case{"5", kBlink, "25"},
        Case{"6", kRapidBlink, "25"}, Case{"7", kInverse, "27"}, Case{"8", kHidden, "28"}, Case{"9", kStrike, "29"},
        Case{"53", kOverline, "55"}}) {
    CAPTURE(on);
    Screen s;
    s.feed(std::string("\x1b[") + on + "mx\x1b[" + off + "my\x1b[" + on + "m\x1b[mz");
    CHECK(s.style(0, 0).attributes == bits);
    CHECK(s.style(1, 0).attributes == 0);
    CHECK(s.style(2, 0).attributes == 0);
  }
}

TEST_CASE("SGR colours in all their forms") {
  const auto pen = [](const std::string& sgr) { return Screen().feed("\x1b[" + sgr + "mx").style(0, 0); };
  CHECK(pen("31").foreground == Color::palette(1));
  CHECK(pen("97;101").foreground == Color::palette(15));
  CHECK(pen("97;101").background == Color::palette(9));
  CHECK(pen("38;5;208").foreground == Color::palette(208));
  CHECK(pen("38:5:1;1").foreground == Color::palette(1));
  CHECK(pen("38:5:1;1").attributes == kBold);
  CHECK(pen("48;2;1;2;3;1").background == Color::rgb(1, 2, 3));
  CHECK(pen("48;2;1;2;3;1").attributes == kBold);
  CHECK(pen("38:2::1:2:3").foreground == Color::rgb(1, 2, 3));
  CHECK(pen("38:2:1:2:3").foreground == Color::rgb(1, 2, 3));
  CHECK(pen("48:2:0:10:20:30:0:1").background == Color::rgb(10, 20, 30));
  CHECK(pen("58;5;1;31").underline_color == Color::palette(1));
  CHECK(pen("58:2::1:2:3;59").underline_color.is_default());
  CHECK(pen("38;2;;;;1").foreground == Color::rgb(0, 0, 0));
  CHECK(pen("31;44;39;49") == Style{});
  CHECK(pen("31;;1").foreground.is_default());
  CHECK(pen("99;31").foreground == Color::palette(1));
  CHECK(pen("31;10").foreground == Color::palette(1));
  CHECK(pen("38:9:1;3").attributes == kItalic);
  CHECK(pen(">4;1") == Style{});
}

TEST_CASE("CSI # { keeps the pen's looks for CSI # }") {
  Screen s;
  s.feed("\x1b[1;31m\x1b[#{\x1b[m\x1b[#}x\x1b[#}y");
  CHECK(s.style(0, 0).attributes == kBold);
  Screen parts;
  parts.feed("\x1b[1;3;31;44m\x1b[1;30#{\x1b[0;7;32;45m\x1b[#}x");
  CHECK(parts.style(0, 0).attributes == (kBold | kInverse));
  CHECK(parts.style(0, 0).foreground == Color::palette(1));
  CHECK(parts.style(0, 0).background == Color::palette(5));
  CHECK(Screen().feed("\x1b[4m\x1b[6#{\x1b[m\x1b[#}x").style(0, 0) == Style{});
  CHECK(Screen().feed("\x1b[4m\x1b[11;21#p\x1b[1;44m\x1b[#qx").style(0, 0).attributes == (kBold | 1u << kUnderlineShift));
  for (int i = 0; i < 100; ++i) s.feed("\x1b[#{");
  CHECK(s.state().sgr_stack.size() == State::kSgrStackMax);
}

TEST_CASE("OSC 0, 1, 2 and the title stack") {
  Screen s;
  s.feed("\x1b]0;both\a\x1b]1;icon\a\x1b]2;window\x1b\\");
  CHECK(s.state().titles.window == "window");
  CHECK(s.state().titles.icon == "icon");
  s.feed("\x1b[22;0t\x1b]0;other\a\x1b[23;0t");
  CHECK(s.state().titles.window == "window");
  CHECK(s.state().titles.icon == "icon");
  CHECK(s.events.back() == RecordedEvent{EventKind::title, "window", 0});
  for (int i = 0; i < 20; ++i) s.feed("\x1b[22t");
  CHECK(s.state().titles.stack.size() == Titles::kStackMax);
  s.feed("\x1b]2;" + std::string(10'000, 't') + "\a");
  CHECK(s.state().titles.window.size() == Titles::kBytesMax);
  s.feed(
      "\x1b]2;a\xff\u009b"
      "b\a");
  CHECK(s.state().titles.window ==
        "a\ufffd"
        "b");
}

TEST_CASE("OSC 8: links by id, by opening, closed, with parameters and without sense") {
  Screen s(20);
  s.feed("\x1b]8;;http://x\aa\x1b]8;;http://x\ab\x1b]8;;\ac");
  CHECK(s.link(0, 0).uri == "http://x");
  CHECK(s.cell(0, 0).link() != s.cell(1, 0).link());  // two openings are two links
  CHECK(s.cell(2, 0).link() == 0);
  s.feed("\r\n\x1b]8;foo=1:id=k:bar=2;http://x;y\aa\x1b]8;;\a\x1b]8;id=k;http://x;y\ab\x1b[0mc\x1b]8;;\a");
  CHECK(s.link(0, 1).id == "k");
  CHECK(s.link(0, 1).uri == "http://x;y");
  CHECK(s.cell(0, 1).link() == s.cell(1, 1).link());
  CHECK(s.cell(2, 1).link() == s.cell(1, 1).link());  // SGR 0 ends no link
  CHECK(Screen().feed("\x1b]8\ax\x1b]8;\ay").rows() == "xy");
  CHECK(Screen().feed("\x1b]8;;" + std::string(5000, 'u') + "\ax").cell(0, 0).link() == 0);
}

TEST_CASE("OSC 133 marks rows and cells, malformed ones are harmless") {
  Screen s(20);
  s.feed("\x1b]133;A\x1b\\$ \x1b]133;B\x1b\\ls\r\n\x1b]133;C\x1b\\out\r\n\x1b]133;D;0\x1b\\");
  CHECK(s.grid().row(0).flags.mark == RowMark::prompt_start);
  CHECK(s.cell(0, 0).semantic() == Semantic::prompt);
  CHECK(s.cell(2, 0).semantic() == Semantic::input);
  CHECK(s.grid().row(1).flags.mark == RowMark::command_output);
  CHECK(s.cell(0, 1).semantic() == Semantic::output);
  s.feed("\x1b]133;P;k=s\a>");
  CHECK(s.grid().row(2).flags.mark == RowMark::prompt_continuation);
  Screen t;
  t.feed("\x1b]133\a\x1b]133;\a\x1b]133;A;barekey\a\x1b]133;A;=;==;k\a\x1b]133;ZZ\a\x1b]133;P;r\aX");
  CHECK(t.rows() == "X");
  CHECK(t.grid().row(0).flags.mark == RowMark::prompt_start);
}

TEST_CASE("OSC 7, 22, 9;4 are kept") {
  Screen s;
  s.feed("\x1b]7;file://h/tmp\a\x1b]22;pointer\a\x1b]9;4;1;42\a");
  CHECK(s.state().working_directory == "file://h/tmp");
  CHECK(s.state().pointer_shape == "pointer");
  CHECK(s.state().progress == Progress{1, 42});
  CHECK(s.feed("\x1b]9;4;3\a").state().progress == Progress{3, 0});
  CHECK(s.feed("\x1b]9;4;9;5\a").state().progress == Progress{3, 0});
  CHECK(s.feed("\x1b]9;4;0;\a").state().progress == Progress{});
  CHECK(s.feed("\x1b]9;4;2;900\a").state().progress == Progress{2, 100});
}

TEST_CASE("events: bell, notifications, clipboard, 7501") {
  Screen s;
  s.feed(
      "\a\x1b]9;hello\a\x1b]777;notify;T;body;more\a\x1b]52;c;aGk=\a\x1b]52;c;?\a\x1b]7501;state=idle\a\x1b]7501;?"
      "\a\x1b]9;1;500\a");
  REQUIRE(s.events.size() == 5);
  CHECK(s.events[0].kind == EventKind::bell);
  CHECK(s.events[1] == RecordedEvent{EventKind::notification, "\nhello", 0});
  CHECK(s.events[2] == RecordedEvent{EventKind::notification, "T\nbody;more", 0});
  CHECK(s.events[3] == RecordedEvent{EventKind::clipboard, "c;aGk=", 0});
  CHECK(s.events[4] == RecordedEvent{EventKind::status_7501, "state=idle", 0});
  CHECK(s.replies.empty());
}

TEST_CASE("colours are set, in several forms, and reset") {
  Screen s;
  s.feed("\x1b]4;1;#ff0000;2;rgb:00/ff/00\a\x1b]10;#123\a\x1b]11;rgb:ffff/8080/0000\a\x1b]12;white\a");
  const Colors& colors = s.state().colors;
  CHECK(colors.palette.at(1) == 0xff0000);
  CHECK(colors.palette.at(2) == 0x00ff00);
  CHECK(colors.of(10) == 0x112233u);
  CHECK(colors.of(11) == 0xff8000u);
  CHECK(colors.of(12) == 0xffffffu);
  s.feed("\x1b]104;1\a\x1b]110\a\x1b]10;?;#00ff00\a");
  CHECK(colors.palette.size() == 1);
  CHECK_FALSE(colors.of(10));
  CHECK(colors.of(11) == 0x00ff00u);
  s.feed("\x1b]4;300;#fff;x;#fff;3;#ggg;4\a\x1b]11;nonsense\a\x1b]104\a\x1b]111\a\x1b]112\a");
  CHECK(colors == Colors{});
}

TEST_CASE("dynamic and special colours, by number and by name") {
  Screen s(10, 4, Profile::xterm);
  s.feed("\x1b]13;#010203;#040506\a\x1b]5;0;#111111;4;#222222;9;#333333\a");
  CHECK(s.state().colors.of(13) == 0x010203u);
  CHECK(s.state().colors.of(14) == 0x040506u);
  CHECK(s.state().colors.special[0] == 0x111111u);
  CHECK(s.state().colors.special[4] == 0x222222u);
  s.feed("\x1b]5;0;?\a\x1b]18;?\a\x1b]14;?\x1b\\");
  CHECK(s.take_replies() ==
        "\x1b]5;0;rgb:1111/1111/1111\a\x1b]18;rgb:ffff/ffff/ffff\a\x1b]14;rgb:0404/0505/0606\x1b\\");
  s.feed("\x1b]105;0\a\x1b]113\a\x1b]114\a");
  CHECK_FALSE(s.state().colors.special[0]);
  CHECK_FALSE(s.state().colors.of(13));
  s.feed("\x1b]105\a\x1b]21;foreground=#102030;7=red;nothing=blue;cursor=\a");
  CHECK(s.state().colors.of(10) == 0x102030u);
  CHECK(s.state().colors.palette.at(7) == 0xff0000u);
  s.feed("\x1b]21;foreground=?;evil\x1b[c=?;7=?\x1b\\");
  CHECK(s.take_replies().find("evil") == std::string::npos);
  s.feed("\x1b]21;foreground=;7\x1b\\");
  CHECK(s.state().colors == Colors{});
  // Ghostty tells of the first three only.
  Screen ghostty;
  ghostty.feed("\x1b]13;?\a\x1b]5;0;?\a");
  CHECK(ghostty.replies.empty());
}

TEST_CASE("CSI # P keeps the colours for CSI # Q") {
  Screen s;
  s.feed("\x1b]10;#010101\a\x1b[#P\x1b]10;#020202\a\x1b]4;1;#ffffff\a\x1b[#P\x1b]10;#030303\a\x1b[#R");
  CHECK(s.take_replies() == "\x1b[?2;2#Q");
  s.feed("\x1b[#Q");
  CHECK(s.state().colors.of(10) == 0x020202u);
  s.feed("\x1b]10;#040404\a\x1b[1#P\x1b[#Q");
  CHECK(s.state().colors.of(10) == 0x040404u);
  CHECK(s.state().color_stack.empty());
  s.feed("\x1b[#Q");
  CHECK(s.state().colors.of(10) == 0x040404u);
  // kitty's names of both, and a bound.
  for (int i = 0; i < 20; ++i) s.feed("\x1b]4;0;#00000" + std::to_string(i % 10) + "\a\x1b]30001\a");
  CHECK(s.state().color_stack.size() == State::kColorStackMax);
  s.feed("\x1b[3#Q");
  CHECK(s.state().color_stack.size() == 2);
  CHECK(s.state().colors.palette.at(0) == 2);
  s.feed("\x1b]30101\x1b\\");
  CHECK(s.state().colors.palette.at(0) == 1);
}

TEST_CASE("OSC 22 pushes and pops shapes of the pointer") {
  Screen s;
  s.feed("\x1b]22;text\a\x1b]22;>wait\a\x1b]22;>a,b\a");
  CHECK(s.state().pointer_shape == "b");
  s.feed("\x1b]22;<\a");
  CHECK(s.state().pointer_shape == "a");
  s.feed("\x1b]22;=help\a\x1b]22;<\a");
  CHECK(s.state().pointer_shape == "wait");
  s.feed("\x1b]22;<\a\x1b]22;<\a\x1b]22;?\a\x1b]22;><\a\x1b]22;==\a");
  CHECK(s.state().pointer_shape.empty());
  CHECK(s.state().pointer_stack.empty());
  for (int i = 0; i < 40; ++i) s.feed("\x1b]22;>wait\a");
  CHECK(s.state().pointer_stack.size() == State::kPointerStackMax);
}

TEST_CASE("records of OSC 7501 are kept by id until they are cleared") {
  Screen s;
  const auto records = [&] {
    std::string text;
    for (const StatusRecord& record : s.state().status) text += record.id + "|" + record.text + "\n";
    return text;
  };
  s.feed("\x1b]7501;state=working:app=x\a\x1b]7501;state=idle:id=1\a\x1b]7501;state=blocked\a\x1b]7501;?\a");
  CHECK(records() == "|state=blocked\n1|state=idle:id=1\n");
  s.feed("\x1b]7501;state=clear:id=1\a");
  CHECK(records() == "|state=blocked\n");
  s.feed("\x1b]7501;state=idle:id=2\a\x1b]7501;state=clear\a");
  CHECK(records().empty());
  for (int i = 0; i < 100; ++i) s.feed("\x1b]7501;id=" + std::to_string(i) + "\a");
  CHECK(s.state().status.size() == StatusRecord::kRecordsMax);
  CHECK(s.state().status.front().id == "36");
  // What is left of a text without its control characters may be the question, which is no record.
  s.feed("\x1b]7501;?\x06\a\x1b]7501;\x01?\a");
  CHECK(s.state().status.back().id == "99");
  // One that is too long to be kept is told of, and makes the one before it untrue.
  s.events.clear();
  s.feed("\x1b]7501;id=99:msg=" + std::string(5000, 'x') + "\a");
  CHECK(s.events.size() == 1);
  CHECK(s.state().status.back().id == "98");
}

TEST_CASE("kitty keyboard flags are a stack on each screen") {
  Screen s;
  s.feed("\x1b[>5u\x1b[>1u\x1b[?1049h\x1b[>31u");
  CHECK(s.state().alternate.kitty.current() == 31);
  CHECK(s.state().primary.kitty.current() == 1);
  s.feed("\x1b[?1049l\x1b[<u");
  CHECK(s.state().primary.kitty.current() == 5);
  s.feed("\x1b[=2;2u");
  CHECK(s.state().primary.kitty.current() == 7);
  s.feed("\x1b[=1;3u");
  CHECK(s.state().primary.kitty.current() == 6);
  s.feed("\x1b[<u\x1b[=9u");
  CHECK(s.state().primary.kitty.current() == 9);
  s.feed("\x1b[<99u");
  CHECK(s.state().primary.kitty == KittyStack{});
  for (int i = 1; i <= 20; ++i) s.feed("\x1b[>" + std::to_string(i) + "u");
  CHECK(s.state().primary.kitty.depth == KittyStack::kDepthMax);
  CHECK(s.state().primary.kitty.current() == 20);
}

TEST_CASE("modifyOtherKeys and cursor shape") {
  Screen s;
  CHECK(s.feed("\x1b[>4;2m").state().modify_other_keys == 2);
  CHECK(s.feed("\x1b[>4m").state().modify_other_keys == 0);
  CHECK(s.feed("\x1b[>4;1m\x1b[>4n").state().modify_other_keys == 0);
  CHECK(s.feed("\x1b[5 q").state().cursor_shape == 5);
  CHECK(s.mode(Mode::cursor_blink));
  CHECK(s.feed("\x1b[9 q\x1b[2 q").state().cursor_shape == 2);
}

TEST_CASE("sizes are clamped, margins reset, ?2048 told") {
  Screen s;
  s.feed("\x1b[2;3r\x1b[?2048h");
  CHECK(s.take_replies() == "\x1b[48;4;10;64;80t");
  s.resize(20, 6);
  CHECK(s.take_replies() == "\x1b[48;6;20;96;160t");
  CHECK(s.state().margins == Margins{0, 5, 0, 19});
  s.resize(20, 6);
  CHECK(s.replies.empty());
  s.resize(0, 65535);
  CHECK(s.state().size.cols == 1);
  CHECK(s.state().size.rows == 2048);
}

TEST_CASE("a terminal can be moved") {
  Screen s;
  s.feed("ab");
  Terminal moved = std::move(s.terminal);
  s.terminal = std::move(moved);
  CHECK(s.feed("c").rows() == "abc");
}

}  // namespace holdfast::vt
