// What xterm has of the VT420 and of its own, beside text: levels, extents, special colours, titles in hex, sizes.
#include "vt/restore.h"
#include "vt/snapshot.h"
#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {

constexpr Profile kXterm = Profile::xterm;

std::string asked(const std::string& bytes, Profile profile = kXterm) {
  return Screen(10, 4, profile).feed(bytes).replies;
}

Screen free_screen(int cols = 10) {
  Screen screen(cols, 4, kXterm);
  ClientProfile client;
  client.resizes = client.reports_titles = client.plain_checksums = true;
  screen.terminal.set_client_profile(client);
  return screen;
}

}  // namespace

TEST_CASE("DECRQM: modes that xterm knows and never sets are permanently reset") {
  CHECK(asked("\x1b[1$p") == "\x1b[1;4$y");
  CHECK(asked("\x1b[19$p") == "\x1b[19;4$y");
  CHECK(asked("\x1b[?60$p") == "\x1b[?60;4$y");
  CHECK(asked("\x1b[?8h\x1b[?8$p") == "\x1b[?8;4$y");
  CHECK(asked("\x1b[1$p\x1b[?60$p", Profile::ghostty) == "\x1b[1;0$y\x1b[?60;0$y");
}

TEST_CASE("modes that only xterm has do not exist for Ghostty") {
  for (const std::string mode : {"18", "19", "41", "42"}) {
    const std::string set_and_ask = "\x1b[?" + mode + "h\x1b[?" + mode + "$p";
    CHECK(asked(set_and_ask) == "\x1b[?" + mode + ";1$y");
    CHECK(asked(set_and_ask, Profile::ghostty) == "\x1b[?" + mode + ";0$y");
  }
}

TEST_CASE("DECSCL: below level 3 DECRQM is not known, above level 4 nothing is") {
  CHECK(asked("\x1b[62;1\"p\x1b[4$p").empty());
  CHECK(asked("\x1b[63;1\"p\x1b[4$p") == "\x1b[4;2$y");
  CHECK(asked("\x1b[65;1\"p\x1bP$q\"p\x1b\\") == "\x1bP1$r64;1\"p\x1b\\");
}

TEST_CASE("DECXCPR tells the page, DECRQSS what there is no more than one of") {
  CHECK(asked("\x1b[?6n") == "\x1b[?1;1;1R");
  CHECK(asked("\x1bP$q$}\x1b\\\x1bP$q$~\x1b\\") == "\x1bP1$r0$}\x1b\\\x1bP1$r0$~\x1b\\");
  CHECK(asked("\x1bP$q*x\x1b\\\x1b[2*x\x1bP$q*x\x1b\\") == "\x1bP1$r0*x\x1b\\\x1bP1$r2*x\x1b\\");
}

TEST_CASE("CSI $ r changes a stream of characters, and a rectangle after CSI 2 * x") {
  const auto bold = [](std::string_view extent) {
    Screen s(4, 3, kXterm);
    s.feed(extent).feed("\x1b[1;2;3;3;1$r");
    std::string all;
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 4; ++x) all += (s.style(x, y).attributes & kBold) != 0 ? 'b' : '.';
    }
    return all;
  };
  CHECK(bold("") == ".bbbbbbbbbb.");
  CHECK(bold("\x1b[2*x") == ".bb..bb..bb.");
  CHECK(bold("\x1b[2*x\x1b[!p") == ".bbbbbbbbbb.");
}

TEST_CASE("CSI $ {: DECSERA keeps what DECSCA protects, not what ESC V does") {
  CHECK(Screen(10, 3, kXterm).feed("\x1b[1\"qa\x1b[0\"qb\x1b[1;1;1;2${").rows() == "a");
  CHECK(Screen(10, 3, kXterm).feed("a\x1bVb\x1bW\x1b[1;1;1;2${").rows().empty());
}

TEST_CASE("CSI ! p: reverse wrap is off") {
  CHECK(Screen(10, 3, kXterm).feed("\x1b[?1045h\x1b[!p\x1b[2;1H\b").y() == 1);
  CHECK(Screen(10, 3, kXterm).feed("\x1b[?1045h\x1b[2;1H\b").y() == 0);
}

TEST_CASE("CSI ? 41 h: a tab wraps where a wrap is pending") {
  CHECK(Screen(10, 3, kXterm).feed("0123456789\tX").rows() == "0123456789\\|X");
  CHECK(Screen(10, 3, kXterm).feed("\x1b[?41h0123456789\tX").rows() == "0123456789|        X");
}

TEST_CASE("OSC 5 and OSC 4 from 256 on: special colours, which are the foreground until they are set") {
  CHECK(asked("\x1b]5;0;?\a") == "\x1b]5;0;rgb:ffff/ffff/ffff\a");
  CHECK(asked("\x1b]5;1;#102030\a\x1b]4;257;?\a") == "\x1b]4;257;rgb:1010/2020/3030\a");
  CHECK(asked("\x1b]4;260;#102030\a\x1b]105;4\a\x1b]5;4;?\a") == "\x1b]5;4;rgb:ffff/ffff/ffff\a");
  CHECK(asked("\x1b]5;5;?\a\x1b]4;261;?\a").empty());
  CHECK(asked("\x1b]5;0;?\a\x1b]4;256;?\a", Profile::ghostty).empty());
}

TEST_CASE("#rgb: xterm shifts its digits up, Ghostty scales them") {
  CHECK(asked("\x1b]11;#f81\a\x1b]11;?\a") == "\x1b]11;rgb:f0f0/8080/1010\a");
  CHECK(asked("\x1b]11;#f00800100\a\x1b]11;?\a") == "\x1b]11;rgb:f0f0/8080/1010\a");
  CHECK(asked("\x1b]11;#f81\a\x1b]11;?\a", Profile::ghostty) == "\x1b]11;rgb:ffff/8888/1111\a");
  CHECK(asked("\x1b]11;#\a\x1b]11;#12\a\x1b]11;?\a") == "\x1b]11;rgb:2828/2c2c/3434\a");
}

TEST_CASE("CSI > t: titles in hex, and reported only where that is allowed") {
  Screen s = free_screen();
  CHECK(s.feed("\x1b]2;ab\a\x1b[21t").take_replies() == "\x1b]lab\x1b\\");
  CHECK(s.feed("\x1b[>0;1t\x1b]1;6162\a\x1b[20t").take_replies() == "\x1b]L6162\x1b\\");
  CHECK(s.state().titles.icon == "ab");
  CHECK(s.feed("\x1b]2;6g\a").state().titles.window.empty());
  CHECK(s.feed("\x1b[>0;1T\x1b]2;6162\a\x1b[21t").take_replies() == "\x1b]l6162\x1b\\");
  CHECK(asked("\x1b]2;ab\a\x1b[21t\x1b[20t").empty());
}

TEST_CASE("a program sets the size only where nobody else owns it") {
  const auto size = [](Screen s, std::string_view bytes) {
    const Size& now = s.feed(bytes).state().size;
    return std::to_string(now.cols) + "x" + std::to_string(now.rows);
  };
  for (const char* bytes : {"\x1b[?40h\x1b[?3h", "\x1b[8;9;9t", "\x1b[30t", "\x1b[30*|", "\x1b[132$|"}) {
    CHECK(size(Screen(10, 4, kXterm), bytes) == "10x4");
  }
  CHECK(size(free_screen(), "\x1b[?40h\x1b[?3h") == "132x4");
  CHECK(size(free_screen(), "\x1b[?3h") == "10x4");
  CHECK(size(free_screen(), "\x1b[?40h\x1b[?3h\x1b[?3l") == "80x4");
  CHECK(size(free_screen(),
             "\x1b[?40h\x1b[?3h\x1b"
             "c") == "80x4");
  CHECK(size(free_screen(), "\x1b[8;9;7t") == "7x9");
  CHECK(size(free_screen(), "\x1b[8;0;7t") == "7x4");
  CHECK(size(free_screen(), "\x1b[30t") == "10x30");
  CHECK(size(free_screen(), "\x1b[30*|\x1b[132$|") == "132x30");
  CHECK(size(free_screen(), "\x1b[8;65535;65535t") == "4096x2048");
}

TEST_CASE("DECRQCRA counts characters alone where that is asked for") {
  CHECK(free_screen().feed("\x1b[1mA\x1b[7;1;1;1;1;1*y").replies == "\x1bP7!~FFBF\x1b\\");
  CHECK(asked("\x1b[1mA\x1b[7;1;1;1;1;1*y") == "\x1bP7!~FF3F\x1b\\");
}

TEST_CASE("what only xterm has comes back with restore and snapshot") {
  Screen screen(10, 4, kXterm);
  screen.feed(
      "\x1b]2;t\a\x1b[>0;1t\x1b[2*x\x1b]5;3;#102030\a\x1b[?18;19;41;42h\x1b[?41s\x1b[1m\x1b[#{\x1b[1;31#{\x1b[6#{");
  std::string bytes;
  RestoreOptions options;
  options.onto = Onto::anything;
  write_restore(screen.terminal.mutable_state(), options, bytes);
  Screen copy(10, 4, kXterm);
  copy.feed("\x1b[>0t\x1b[1*x\x1b]5;0;#aabbcc\a" + bytes);
  CHECK(expressible(copy.terminal.mutable_state()) == expressible(screen.terminal.mutable_state()));
  auto decoded = decode_snapshot(encode_snapshot(screen.state()));
  REQUIRE(decoded);
  CHECK(everything(*decoded) == everything(screen.terminal.mutable_state()));
  std::string undo;
  write_undo(screen.state(), -1, undo);
  copy.feed(undo);
  CHECK_FALSE(copy.state().titles.set_as_hex);
  CHECK(copy.state().attribute_extent == 0);
  CHECK(copy.state().colors.special == Colors{}.special);
}

}  // namespace holdfast::vt
