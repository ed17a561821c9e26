// Erasing, inserting, deleting, scrolling, margins, tab stops, cursor movement.
#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {
const std::string kFour = "1\r\n2\r\n3\r\n4";
const std::string kLines = "1111111111\r\n2222222222\r\n3333333333";
}  // namespace

TEST_CASE("EL and ED erase with the background of the pen and nothing else of it") {
  Screen s;
  s.feed("abc\x1b[1;4;31;44m\x1b[1;2H\x1b[K");
  CHECK(s.rows() == "a");
  CHECK(s.style(9, 0).background == Color::palette(4));
  CHECK(s.style(9, 0).attributes == 0);
  CHECK(s.style(9, 0).foreground.is_default());
  CHECK_FALSE(s.cell(9, 0).is_written());
  s.feed("\x1b[m\x1b[2J");
  CHECK(s.grid().row(0).used == 0);
}

TEST_CASE("EL 0, 1, 2 and unknown") {
  CHECK(Screen().feed("abcd\x1b[1;2H\x1b[K").rows() == "a");
  CHECK(Screen().feed("abcd\x1b[1;2H\x1b[1K").rows() == "  cd");
  CHECK(Screen().feed("abcd\x1b[2K").rows() == "");
  CHECK(Screen().feed("abcd\x1b[3K").rows() == "abcd");
}

TEST_CASE("ED 0, 1, 2, 3, 22") {
  CHECK(Screen().feed("abc\r\ndef\r\nghi\x1b[2;2H\x1b[J").rows() == "abc|d");
  CHECK(Screen().feed("abc\r\ndef\r\nghi\x1b[2;2H\x1b[1J").rows() == "|  f|ghi");
  CHECK(Screen().feed("abc\r\ndef\x1b[2J").rows() == "");
  Screen s;
  s.feed(kFour + "\r\n5");
  CHECK(s.history() == "1|");
  CHECK(s.feed("\x1b[3J").history() == "");
  CHECK(s.rows() == "2|3|4|5");
  s.feed("\x1b[22J");
  CHECK(s.rows() == "");
  CHECK(s.history() == "2|3|4|5|");
  CHECK(s.x() == 0);
}

TEST_CASE("ED 2 sends nothing to history") { CHECK(Screen().feed(kFour + "\x1b[2J").history() == ""); }

TEST_CASE("ECH, ICH, DCH") {
  CHECK(Screen().feed("abcdef\x1b[2G\x1b[2X").rows() == "a  def");
  CHECK(Screen().feed("abcdef\x1b[2G\x1b[2@").rows() == "a  bcdef");
  CHECK(Screen().feed("abcdefghij\x1b[1G\x1b[3@").rows() == "   abcdefg");
  CHECK(Screen().feed("abcdef\x1b[2G\x1b[2P").rows() == "adef");
  CHECK(Screen().feed("abc\x1b[1G\x1b[99P").rows() == "");
}

TEST_CASE("shifting cuts wide characters cleanly") {
  CHECK(Screen().feed("中中ab\x1b[2G\x1b[P").rows() == " 中ab");
  CHECK(Screen().feed("中中ab\x1b[2G\x1b[@").rows() == "   中ab");
  CHECK(Screen().feed("abcdefgh中\x1b[1G\x1b[@").rows() == " abcdefgh");
}

TEST_CASE("DECSCA protects from DECSED and DECSEL only") {
  CHECK(Screen().feed("\x1b[1\"qab\x1b[0\"qcd\x1b[?2J").rows() == "ab");
  CHECK(Screen().feed("\x1b[1\"qab\x1b[0\"qcd\x1b[1G\x1b[?K").rows() == "ab");
  CHECK(Screen().feed("\x1b[1\"qab\x1b[0\"qcd\x1b[2J").rows() == "");
}

TEST_CASE("SPA protects from every erase") {
  CHECK(Screen().feed("\x1bVab\x1bWcd\x1b[2J").rows() == "ab");
  CHECK(Screen().feed("\x1bVab\x1bWcd\x1b[1G\x1b[9X").rows() == "ab");
}

TEST_CASE("IL and DL move lines inside the region and home the column") {
  CHECK(Screen().feed("abc\r\ndef\x1b[1;3H\x1b[LX").rows() == "X|abc|def");
  CHECK(Screen().feed(kFour + "\x1b[2;3r\x1b[2;2H\x1b[MX").rows() == "1|X||4");
  CHECK(Screen().feed(kFour + "\x1b[2;3r\x1b[4;1H\x1b[LX").rows() == "1|2|3|X");
  CHECK(Screen().feed(kFour + "\x1b[H\x1b[2M").history() == "");
}

TEST_CASE("SU and SD scroll the region; SU fills no history") {
  Screen s;
  s.feed(kFour + "\x1b[2S");
  CHECK(s.rows() == "3|4");
  CHECK(s.history() == "");
  CHECK(Screen().feed(kFour + "\x1b[2T").rows() == "||1|2");
  CHECK(Screen().feed(kFour + "\x1b[2;3r\x1b[S").rows() == "1|3||4");
  CHECK(Screen().feed(kFour + "\x1b[99S").rows() == "");
}

TEST_CASE("LF at the bottom margin scrolls, below the region it does not") {
  CHECK(Screen().feed(kFour + "\x1b[2;3r\x1b[3;1H\nX").rows() == "1|3|X|4");
  CHECK(Screen().feed("\x1b[1;2r\x1b[4;1Ha\nb").rows() == "|||ab");
}

TEST_CASE("a region that starts at the top row feeds history") {
  Screen s;
  s.feed(kFour + "\x1b[1;3r\x1b[3;1H\nX");
  CHECK(s.rows() == "2|3|X|4");
  CHECK(s.history() == "1|");
}

TEST_CASE("ESC M scrolls down at the top margin") {
  CHECK(Screen().feed(kFour + "\x1b[2;3r\x1b[2;1H\x1bMX").rows() == "1|X|2|4");
  CHECK(Screen().feed(kFour + "\x1b[3;4r\x1b[1;1H\x1bMX").rows() == "X|2|3|4");
}

TEST_CASE("scrolling and erasing cut soft wraps whose lines part") {
  CHECK(Screen().feed("0123456789abc\x1b[2;1H\x1b[L").rows() == "0123456789||abc");
  CHECK(Screen().feed("0123456789abc\x1b[1;5H\x1b[K").rows() == "0123|abc");
  CHECK(Screen().feed("0123456789abc\x1b[2;1H\x1b[2K").rows() == "0123456789");
  Screen s(10, 2);
  s.feed("0123456789abc\r\n\x1b[1;1H");
  CHECK(s.history() == "0123456789\\|");
  s.feed("\x1b[M");
  CHECK(s.history() == "0123456789|");
}

TEST_CASE("DECSTBM: bad margins are ignored, good ones home the cursor") {
  CHECK(Screen().feed("abc\x1b[2;2rX").rows() == "abcX");
  CHECK(Screen().feed("abc\x1b[3;2rX").rows() == "abcX");
  CHECK(Screen().feed("abc\x1b[2;99rX").rows() == "Xbc");
}

TEST_CASE("cursor up and down stop at the margins they start inside of") {
  CHECK(Screen().feed("\x1b[2;3r\x1b[3;1H\x1b[9AX").rows() == "|X");
  CHECK(Screen().feed("\x1b[3;4r\x1b[2;1H\x1b[9AX").rows() == "X");
  CHECK(Screen().feed("\x1b[1;2r\x1b[1;1H\x1b[9BX").rows() == "|X");
  CHECK(Screen().feed("\x1b[1;2r\x1b[3;1H\x1b[9BX").rows() == "|||X");
  CHECK(Screen().feed("\x1b[1;2r\x1b[9eX").rows() == "|||X");
  CHECK(Screen().feed("\x1b[2;3r\x1b[2;5H\x1b[9Ea\x1b[9Fb").rows() == "|b|a");
}

TEST_CASE("DECOM: positions and reports count from the margins") {
  Screen s;
  s.feed("\x1b[2;3r\x1b[?6h\x1b[9;1HX\x1b[H Y");
  CHECK(s.rows() == "| Y|X");
  s.feed("\x1b[2;3H\x1b[6n\x1b[2d");
  CHECK(s.replies == "\x1b[2;3R");
  CHECK(s.y() == 2);
  CHECK(s.feed("\x1b[?6l").y() == 0);
}

TEST_CASE("?69: left and right margins bound printing, moving and shifting") {
  CHECK(Screen().feed("\x1b[?69h\x1b[3;6s\x1b[1;1Habcdefghij").rows() == "abcdef|  ghij");
  CHECK(Screen().feed("\x1b[?69h\x1b[3;6s\x1b[2;8H\rX").rows() == "|  X");
  CHECK(Screen().feed(kLines + "\x1b[?69h\x1b[3;6s\x1b[2;4H\x1b[L").rows() ==
        "1111111111|22    2222|3322223333|  3333");
  CHECK(Screen().feed(kLines + "\x1b[?69h\x1b[3;6s\x1b[2;4H\x1b[M").rows() == "1111111111|2233332222|33    3333");
  CHECK(Screen().feed("abcdefghij\x1b[?69h\x1b[3;6s\x1b[1;4H\x1b[@\x1b[P\x1b[2@").rows() == "abc  dghij");
  CHECK(Screen().feed("ab\x1b[s\x1b[Hc\x1b[uX").rows() == "cbX");
  Screen s;
  s.feed("\x1b[?69h\x1b[3;6s\x1b[?69l");
  CHECK(s.state().margins == Margins{0, 3, 0, 9});
}

TEST_CASE("?69: scrolling inside side margins cuts wide characters on them") {
  CHECK(Screen().feed("a中b\r\nxxxxxx\x1b[?69h\x1b[3;6s\x1b[S").rows() == "a xxxx|xx");
}

TEST_CASE("DECIC, DECDC, SL, SR") {
  CHECK(Screen().feed("abc\x1b[2G\x1b['}").rows() == "a bc");
  CHECK(Screen().feed("abcdef\x1b[2G\x1b[2'~").rows() == "adef");
  CHECK(Screen().feed("abcdef\x1b[2 @").rows() == "cdef");
  CHECK(Screen().feed("abcdef\x1b[2 A").rows() == "  abcdef");
}

TEST_CASE("DECBI and DECFI exist in the xterm profile") {
  CHECK(Screen(10, 4, Profile::xterm).feed("ab\x1b[1G\x1b\x36").rows() == " ab");
  CHECK(Screen(10, 4, Profile::xterm).feed("ab\x1b[10G\x1b\x39").rows() == "b");
  CHECK(Screen().feed("ab\x1b[1G\x1b\x36").rows() == "ab");
}

TEST_CASE("rectangles exist in the xterm profile") {
  const auto xterm = [](const char* bytes) { return Screen(10, 4, Profile::xterm).feed(bytes).rows(); };
  CHECK(xterm("\x1b[88;1;1;2;3$x") == "XXX|XXX");
  CHECK(xterm("abc\r\ndef\x1b[1;1;2;2$z") == "  c|  f");
  CHECK(xterm("abc\r\ndef\x1b[1;1;1;3;1;3;1;1$v") == "abc|def|abc");
  CHECK(xterm("abcdef\x1b[1;1;1;4;1;1;3;1$v") == "ababcd");
  CHECK(xterm("\x1b[1\"qab\x1b[0\"qcd\x1b[1;1;1;9${") == "ab");
  Screen s(10, 4, Profile::xterm);
  s.feed("abcd\x1b[1;2;1;3;1;7$r");
  CHECK(s.style(0, 0).attributes == 0);
  CHECK(s.style(1, 0).attributes == (kBold | kInverse));
  s.feed("\x1b[1;2;1;2;1$t");
  CHECK(s.style(1, 0).attributes == kInverse);
  CHECK(Screen().feed("abc\x1b[1;1;2;2$z").rows() == "abc");
}

TEST_CASE("a rectangle of attributes makes spaces of erased cells, where it changes anything") {
  Screen s(4, 2, Profile::xterm);
  s.feed("a\x1b[1;1;1;3;0$r");
  CHECK_FALSE(s.cell(1, 0).is_written());
  s.feed("\x1b[1;1;1;3;7$r");
  CHECK(s.cell(1, 0).text() == ' ');
  CHECK(s.style(2, 0).attributes == kInverse);
  CHECK_FALSE(s.cell(3, 0).is_written());
  CHECK(broken_invariants(s.state()).empty());
}

TEST_CASE("a rectangle copied onto its own row still knows that it holds wide characters") {
  Screen s(4, 1, Profile::xterm);
  s.feed("中x\x1b[1;1;1;4;1;1;1$v");
  CHECK(broken_invariants(s.state()).empty());
  CHECK(s.feed("\x1b[1;2Hy").rows() == " yx");
}

TEST_CASE("ED 22 moves whole rows whatever the margins, brings no background, and the cursor goes with its row") {
  Screen s(4, 3);
  s.feed("\x1b[?69h\x1b[2;3sab\r\ncd\x1b[44m\x1b[22J");
  CHECK(s.history() == "ab| cd|");
  CHECK(s.rows() == "");
  CHECK(s.grid().row(2).used == 0);
  CHECK(s.x() == 0);
  s.feed("\x1b[2;3H\x1b[22J");
  CHECK(s.x() == 2);
  CHECK(s.y() == 1);
  s.feed("\x1b[Hx\x1b[3;3H\x1b[22J");
  CHECK(s.x() == 2);
  CHECK(s.y() == 1);
  Screen alternate(4, 3);
  alternate.feed("\x1b[?1049hab\x1b[44m\x1b[22J");
  CHECK(alternate.rows() == "");
  CHECK(alternate.grid().row(0).used == 0);
  CHECK(alternate.y() == 0);
}

TEST_CASE("a switch of screens ends an open link as Ghostty does, and leaves it as xterm does") {
  for (const char* mode : {"47", "1047", "1049"}) {
    CAPTURE(mode);
    const std::string on = "\x1b[?" + std::string(mode) + "h", off = "\x1b[?" + std::string(mode) + "l";
    for (const Profile profile : {Profile::ghostty, Profile::xterm}) {
      Screen s(4, 2, profile);
      s.feed("\x1b]8;;http://a\x1b\\" + on + "\x1b[HA");
      CHECK((s.cell(0, 0).link() == 0) == (profile == Profile::ghostty));
      s.feed("\x1b]8;;http://b\x1b\\" + off + "\x1b[HB");
      CHECK((s.cell(0, 0).link() == 0) == (profile == Profile::ghostty));
    }
  }
}

TEST_CASE("DECALN fills the screen and resets the margins") {
  Screen s(3, 2);
  s.feed("\x1b[2;2r\x1b#8X");
  CHECK(s.rows() == "XEE|EEE");
}

TEST_CASE("DECALN takes the pen's colours, and nothing else of it") {
  Screen s(2, 1);
  s.feed("\x1b[1;4;31;44m\x1b[1\"q\x1b]8;;http://one\x1b\\\x1b#8");
  CHECK(s.style(1, 0).attributes == 0);
  CHECK(s.style(1, 0).foreground == Color::palette(1));
  CHECK(s.style(1, 0).background == Color::palette(4));
  CHECK(s.cell(1, 0).link() == 0);
  CHECK_FALSE(s.cell(1, 0).is_protected());
  s.feed("X");
  CHECK(s.style(0, 0).attributes == 0);
  CHECK(s.cell(0, 0).link() != 0);
  CHECK(broken_invariants(s.state()).empty());
  CHECK(Screen(2, 1, Profile::xterm).feed("\x1b[1m\x1b#8X").style(0, 0).attributes != 0);
}

TEST_CASE("tab stops: every 8, set, cleared, kept") {
  CHECK(Screen(30).feed("a\tb\tc").rows() == "a       b       c");
  CHECK(Screen(30).feed("abc\x1bH\r\tX").rows() == "abcX");
  CHECK(Screen(30).feed("\x1b[9G\x1b[g\r\tX").x() == 17);
  CHECK(Screen(30).feed("\x1b[3g\tX").x() == 29);
  CHECK(Screen(30).feed("\x1b[2IX").x() == 17);
  CHECK(Screen(30).feed("\x1b[20G\x1b[ZX").x() == 17);
  CHECK(Screen(30).feed("\x1b[5G\x1b[0ZX").x() == 1);
  CHECK(Screen(30).feed("\x1b[3g\x1b[?5W\tX").x() == 9);
  Screen s(30);
  s.feed("\x1b[3g\x1b[5G\x1bH").resize(40, 4).feed("\r\tX\tY");
  CHECK(s.x() == 33);  // the old stop at 4; on the new columns the default ones
}

TEST_CASE("?45 goes back over wrapped lines, ?1045 over any") {
  CHECK(Screen().feed("\x1b[?45h0123456789ab\b\b\b\bX").rows() == "01234567X9\\|ab");
  CHECK(Screen().feed("\x1b[?45hab\r\ncd\r\bX").rows() == "ab|Xd");
  CHECK(Screen().feed("\x1b[?1045hab\r\ncd\r\b\bX").rows() == "ab      X|cd");
  CHECK(Screen().feed("\x1b[?1045h\x1b[H\x1b[65535D").y() >= 0);
}

TEST_CASE("CUP, HVP, CHA, HPA, VPA, HPR, VPR are clamped") {
  CHECK(Screen().feed("\x1b[0;0HX").rows() == "X");
  CHECK(Screen().feed("\x1b[2;3fX").rows() == "|  X");
  CHECK(Screen().feed("\x1b[99GX").x() == 9);
  CHECK(Screen().feed("\x1b[99dX").rows() == "|||X");
  CHECK(Screen().feed("\x1b[2a\x1b[1eX").rows() == "|  X");
  CHECK(Screen().feed("\x1b[99;99H\x1b[99C\x1b[99B").x() == 9);
}

TEST_CASE("CSI 20 h: a line feed also returns the carriage") { CHECK(Screen().feed("\x1b[20ha\nb").rows() == "a|b"); }

}  // namespace holdfast::vt
