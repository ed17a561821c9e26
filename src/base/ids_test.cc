#include "base/ids.h"

#include <doctest/doctest.h>

#include <set>

#include "base/limits.h"

namespace holdfast {

TEST_CASE("a ulid sorts by its time and is told from other text") {
  const std::string early = new_ulid(1'767'225'600'000), late = new_ulid(1'767'225'600'001);
  CHECK(early < late);
  CHECK(is_ulid(early));
  CHECK(early.substr(0, 10) == new_ulid(1'767'225'600'000).substr(0, 10));
  for (const char* other : {"", "short", "01kdvd8g00000000000000000", "01kdvd8g000000000000000000x",
                            "01kdvd8g0000000000000000iL", "81kdvd8g000000000000000000"}) {
    CAPTURE(other);
    CHECK_FALSE(is_ulid(other));
  }
}

TEST_CASE("the time of a ulid is its first ten characters in base 32") {
  CHECK(new_ulid(0).substr(0, 10) == "0000000000");
  CHECK(new_ulid(31).substr(0, 10) == "000000000z");
  CHECK(new_ulid(32).substr(0, 10) == "0000000010");
}

TEST_CASE("ten thousand ulids of one millisecond differ") {
  std::set<std::string> seen;
  for (int i = 0; i < 10'000; ++i) seen.insert(new_ulid(1));
  CHECK(seen.size() == 10'000);
}

TEST_CASE("session names begin with a letter and stay within 32 bytes") {
  for (const char* good : {"a", "claude-api", "x_1", "abcdefghijklmnopqrstuvwxyz012345"}) CHECK(is_session_name(good));
  for (const char* bad : {"", "1a", "-a", "_a", "A", "a b", "a/b", "a.b", "é", "abcdefghijklmnopqrstuvwxyz0123456"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_session_name(bad));
  }
}

TEST_CASE("any text slugs to a name") {
  CHECK(slug("My Project (v2)") == "my-project-v2");
  CHECK(slug("../../etc") == "etc");
  CHECK(slug("42nd street") == "nd-street");
  CHECK(slug("über") == "ber");
  CHECK(slug("") == "session");
  CHECK(slug("\x1b[31m\xff") == "m");
  CHECK(slug("日本") == "session");
  for (const std::string& text :
       {std::string(500, 'x'), std::string("a") + std::string(400, ' ') + "b", std::string("\0\n--", 4)}) {
    CHECK(is_session_name(slug(text)));
  }
}

TEST_CASE("default names are command and directory with room for a suffix") {
  CHECK(default_session_name("/usr/bin/claude", "/home/me/api/") == "claude-api");
  CHECK(default_session_name("-bash", "/") == "bash");
  CHECK(default_session_name("vim", "/srv/My Site") == "vim-my-site");
  const std::string longest = default_session_name(std::string(60, 'c'), "/" + std::string(60, 'd'));
  CHECK(longest.size() + 5 <= limits::kNameBytesMax);
  CHECK(is_session_name(longest + "-9999"));
}

}  // namespace holdfast
