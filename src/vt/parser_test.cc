#include "vt/parser.h"

#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {

TEST_CASE("ESC [ 3 CAN 1 m: CAN and SUB end a sequence and print nothing") {
  CHECK(Screen()
            .feed("\x1b[3\x18"
                  "1mX")
            .rows() == "1mX");
  CHECK(Screen()
            .feed("\x1b[3\x1a"
                  "1mX")
            .rows() == "1mX");
  CHECK(Screen().feed("\x1b]0;t\x18X").rows() == "X");
}

TEST_CASE("ESC [ 3 ESC [ 31 m: ESC starts anew") {
  Screen s;
  s.feed("\x1b[3\x1b[31mX");
  CHECK(s.rows() == "X");
  CHECK(s.style(0, 0).foreground == Color::palette(1));
}

TEST_CASE("a b ESC [ CR 1 C X: controls inside a sequence act at once") {
  CHECK(Screen().feed("ab\x1b[\r1CX").rows() == "aX");
  CHECK(Screen().feed("a\x1b \nb").rows() == "a");
}

TEST_CASE("DEL is nothing, in text and in sequences") {
  CHECK(Screen()
            .feed("a\x7f"
                  "b\x1b[1\x7f"
                  "CX")
            .rows() == "ab X");
  Screen s;
  s.feed("\x1b\x7f]2;t\x7f\x1b\\");
  CHECK(s.state().titles.window == "t");
}

TEST_CASE("NUL, ENQ and unused C0 are nothing") {
  CHECK(Screen()
            .feed(std::string_view("a\0\x05\x10\x1c"
                                   "b",
                                   6))
            .rows() == "ab");
}

TEST_CASE("malformed control sequences are read to their end and ignored") {
  for (const char* bytes :
       {"\x1b[1?25lX", "\x1b[1!!pX", "\x1b[-1CX", "\x1b[2:3HX", "\x1b[?1:2hX", "\x1b[1 2qX", "\x1b[1 $!qX", "\x1b[<1hX",
        "\x1b[=1hX", "\x1b[>1hX", "\x1b[2;3wX", "\x1byX", "\x1b FX", "\x1b#9X", "\x1b(!\"XX"}) {
    CAPTURE(bytes);
    CHECK(Screen().feed(bytes).rows() == "X");
    CHECK(Screen().feed_bytewise(bytes).rows() == "X");
  }
}

TEST_CASE("ESC [ 99999999999 C: parameters saturate") { CHECK(Screen().feed("\x1b[99999999999CX").x() == 9); }

TEST_CASE("the first 32 parameters count, the rest is read over") {
  std::string sgr = "\x1b[";
  for (int i = 0; i < 31; ++i) sgr += "0;";
  Screen s;
  s.feed(sgr + "1;3mX");
  CHECK(s.style(0, 0).attributes == kBold);
  Screen t;
  t.feed_bytewise(sgr + "1;3mX");
  CHECK(t.style(0, 0).attributes == kBold);
}

TEST_CASE("strings: BEL ends OSC only, ESC ends all of them") {
  CHECK(Screen()
            .feed("\x1bPabc\a"
                  "def\x1b\\X")
            .rows() == "X");
  CHECK(Screen().feed("\x1b_Gabc\x1b\\X").rows() == "X");
  CHECK(Screen().feed("\x1b^abc\x1b\\X").rows() == "X");
  CHECK(Screen().feed("\x1bXabc\x1b\\X").rows() == "X");
  Screen s;
  s.feed("\x1b]2;t\x1b[31mX");
  CHECK(s.rows() == "X");
  CHECK(s.state().titles.window == "t");
  CHECK(s.style(0, 0).foreground == Color::palette(1));
}

TEST_CASE("ESC ] 2 ; a LF b ESC \\: controls in a title are left out") {
  Screen s;
  s.feed("\x1b]2;a\nb\tc\x1b\\");
  CHECK(s.state().titles.window == "abc");
}

TEST_CASE("C1: not from UTF-8, not as raw bytes in UTF-8") {
  CHECK(Screen()
            .feed("a\u009b"
                  "31mX")
            .rows() == "a31mX");
  CHECK(Screen()
            .feed("a\u0085"
                  "b")
            .x() == 2);
  CHECK(Screen()
            .feed("a\x9b"
                  "3m")
            .rows() ==
        "a\ufffd"
        "3m");
}

TEST_CASE("ESC % @ turns UTF-8 off in the xterm profile: Latin-1 and C1") {
  Screen s(10, 4, Profile::xterm);
  s.feed(
      "\x1b%@\xe9\x9b"
      "5GX\x9d"
      "2;t\x9c\x85Y\x1b%G\u00e9");
  CHECK(s.rows() == "é   X|Yé");
  CHECK(s.state().titles.window == "t");
  CHECK(Screen().feed("\x1b%@\xe9x").rows() == "\ufffdx");
}

TEST_CASE("invalid UTF-8 becomes U+FFFD per maximal subpart") {
  struct Case {
    const char* bytes;
    const char* text;
  };
  for (const auto& [bytes, text] : {Case{"a\x80"
                                         "b",
                                         "a\ufffd"
                                         "b"},
                                    Case{"a\xe4\xb8"
                                         "b",
                                         "a\ufffd"
                                         "b"},
                                    Case{"\xf0\x9f\x98"
                                         "b",
                                         "\ufffd"
                                         "b"},
                                    Case{"a\xc0\xaf"
                                         "b",
                                         "a\ufffd\ufffd"
                                         "b"},
                                    Case{"\xe0\x80\xaf"
                                         "b",
                                         "\ufffd\ufffd\ufffd"
                                         "b"},
                                    Case{"\xed\xa0\x80"
                                         "b",
                                         "\ufffd\ufffd\ufffd"
                                         "b"},
                                    Case{"\xf4\x90\x80\x80"
                                         "b",
                                         "\ufffd\ufffd\ufffd\ufffd"
                                         "b"},
                                    Case{"\xff\xfe"
                                         "b",
                                         "\ufffd\ufffd"
                                         "b"},
                                    Case{"\xe4\xb8\x1b[31mb",
                                         "\ufffd"
                                         "b"},
                                    Case{"\xf0\x9f\xe4\xb8\xad", "\ufffd中"}}) {
    CAPTURE(text);
    CHECK(Screen().feed(bytes).rows() == text);
    CHECK(Screen().feed_bytewise(bytes).rows() == text);
  }
}

TEST_CASE("the continuation is what has been read of an unfinished sequence") {
  Screen s;
  for (const char* bytes : {"\x1b", "\x1b[", "\x1b[1;3", "\x1b[?", "\x1b[1 ", "\x1b(", "\x1b]0;tit", "\x1b]0;tit\x1b",
                            "\x1bP+q54", "\x1b_Gabc", "\xe4\xb8", "\xf0\x9f\x98"}) {
    CAPTURE(bytes);
    Screen whole, bytewise;
    CHECK(whole.feed("ab").feed(bytes).state().continuation == bytes);
    CHECK(bytewise.feed("ab").feed_bytewise(bytes).state().continuation == bytes);
    CHECK(whole.feed("\x18\x1b[m").state().continuation.empty());
  }
  CHECK(s.feed("\x1b[1\r2\n").state().continuation == "\x1b[12");  // CR and LF were carried out
  CHECK(s.state().offset == 6);
}

TEST_CASE("an unfinished sequence survives from one feed to the next") {
  Screen s;
  s.feed("\x1b]2;on").feed("e tw").feed("o\x1b").feed("\\X");
  CHECK(s.state().titles.window == "one two");
  CHECK(s.rows() == "X");
}

TEST_CASE("a string over its bound has no effect and ends where it ends") {
  const std::string big(State::kContinuationBytesMax, 'x');
  Screen whole, cut;
  whole.feed("\x1b]2;" + big + "\x1b\\Y");
  CHECK(whole.rows() == "Y");
  CHECK(whole.events.empty());
  cut.feed("\x1b]2;");
  for (int i = 0; i < 16; ++i) cut.feed(std::string_view(big).substr(0, big.size() / 16));
  CHECK(cut.state().continuation.size() == State::kContinuationBytesMax + 1);
  cut.feed("zzz").feed("\x1b\\Y");
  CHECK(cut.rows() == "Y");
  CHECK(cut.events.empty());
  Screen dcs;
  dcs.feed("\x1bP+q" + std::string(70'000, '4') + "\x1b\\Y");
  CHECK(dcs.rows() == "Y");
  CHECK(dcs.replies.empty());
}

TEST_CASE("a control sequence over the bound has no effect") {
  Screen s;
  s.feed("\x1b[" + std::string(State::kContinuationBytesMax, '1') + "CX");
  CHECK(s.rows() == "X");
}

TEST_CASE("replies carry the offset after the sequence that asked") {
  Screen s;
  s.feed("abc\x1b[6n").feed("\x1bP$q").feed("r\x1b").feed("\\");
  CHECK(s.reply_offsets == std::vector<std::uint64_t>{7, 14});
}

}  // namespace holdfast::vt
