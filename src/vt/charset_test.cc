#include "vt/charset.h"

#include "vt/restore.h"
#include "vt/snapshot.h"
#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {

std::string shown(std::string_view bytes, Profile profile = Profile::xterm) {
  return Screen(12, 4, profile).feed(bytes).rows();
}

}  // namespace

TEST_CASE("every set is found by its own designation, and by those that mean the same") {
  for (int i = 0; i <= static_cast<int>(kCharsetLast); ++i) {
    const auto set = static_cast<Charset>(i);
    CHECK_MESSAGE(find_charset(is_96(set), charset_designation(set)) == set, charset_name(set));
  }
  CHECK(find_charset(false, "C") == Charset::finnish);
  CHECK(find_charset(false, "6") == Charset::norwegian_danish);
  CHECK(find_charset(false, "<") == Charset::dec_supplemental);
  CHECK(find_charset(true, "A") == Charset::latin1);
  CHECK_FALSE(find_charset(true, "B"));
  CHECK_FALSE(find_charset(false, "%%"));
  CHECK_FALSE(find_charset(false, ""));
}

TEST_CASE("ESC ( K: national sets replace a few characters while DECNRCM is on") {
  CHECK(shown("\x1b(K[\\]") == "[\\]");
  CHECK(shown("\x1b[?42h\x1b(K[\\]{|}~@a") == "ÄÖÜäöüß§a");
  CHECK(shown("\x1b[?42h\x1b(4@[~\x1b(%6[}\x1b(=#_") == "¾ĳ´Ãõùè");
  CHECK(shown("\x1b[?42h\x1b)Z\x0e#[\\}\x0f#") == "£¡Ñç#");
  CHECK(shown("\x1b[?42h\x1b(K\x1b[!p[") == "[");
  CHECK(shown("\x1b(A#") == "£");
}

TEST_CASE("ESC - A, ESC ( %5, ESC ( >: Latin-1, DEC Supplemental and DEC Technical") {
  CHECK(shown("\x1b-A\x0eid \x7f\x0f\x7fi") == "éä\u00a0ÿi");
  CHECK(shown("\x1b.A\x1bN!!") == "¡!");
  CHECK(shown("\x1b(%5iW$") == "é\u0152\u2e2e");
  CHECK(shown("\x1b(>!aJ~1") == "⎷αΘ↓\u2e2e");
}

TEST_CASE("ESC % @: the right half shows G2, or what is shifted there") {
  CHECK(shown("\x1b%@\xe9\x1b*0\xf1\x1b.A\xe9") == "é─é");
  CHECK(shown("\x1b%@\x1b)0\x1b~\xf1\xff") == "─ÿ");
}

TEST_CASE("in Ghostty's profile only its three sets exist, and others change nothing") {
  CHECK(shown("\x1b(0\x1b(Kq", Profile::ghostty) == "─");
  CHECK(shown("\x1b[?42h\x1b(K[\x1b-A\x0ei", Profile::ghostty) == "[i");
  CHECK(shown("\x1b(0\x1b(Zq") == "─");
}

TEST_CASE("sets of the VT420 come back with restore and snapshot, live and saved") {
  Screen screen(12, 4, Profile::xterm);
  screen.feed(
      "\x1b[?42h\x1b(K\x1b-A\x1b*>\x1b+%6\x0e\x1b"
      "7\x1b)R\x1b[?42lab");
  std::string bytes;
  RestoreOptions options;
  options.onto = Onto::anything;
  write_restore(screen.terminal.mutable_state(), options, bytes);
  Screen copy(12, 4, Profile::xterm);
  copy.feed("\x1b[?42h\x1b(Y\x1b.A" + bytes);
  CHECK(copy.state().charsets == screen.state().charsets);
  CHECK(copy.state().primary.saved->charsets == screen.state().primary.saved->charsets);
  CHECK(expressible(copy.terminal.mutable_state()) == expressible(screen.terminal.mutable_state()));
  auto decoded = decode_snapshot(encode_snapshot(screen.state()));
  REQUIRE(decoded);
  CHECK(everything(*decoded) == everything(screen.terminal.mutable_state()));
}

}  // namespace holdfast::vt
