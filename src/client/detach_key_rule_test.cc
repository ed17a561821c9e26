#include "client/detach_key_rule.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::client;

namespace {

// Types into a rule as the attach client does, and remembers what the program would get.
class Typist {
 public:
  explicit Typist(std::string_view key = "ctrl-\\") : rule_(*DetachKey::parse(key)) {}

  void type(std::string_view bytes) {
    scanner_.feed(bytes, [this](const wire::InputToken& token) { rule_.feed(token, now_, program); });
    scanner_.flush([this](const wire::InputToken& token) { rule_.feed(token, now_, program); });
  }
  void wait(Duration time) {
    now_ = now_ + time;
    rule_.expire(now_);
  }
  bool leaves() const { return rule_.leaving(); }

  std::string program;

 private:
  wire::InputScanner scanner_;
  DetachRule rule_;
  Instant now_{1'000'000'000};
};

constexpr Duration kLong = DetachRule::kTwiceWithin + 1ms;

}  // namespace

TEST_CASE("Ctrl-\\ leaves once no second press has followed") {
  Typist typist;
  typist.type("ab\x1c");
  CHECK_FALSE(typist.leaves());
  typist.wait(kLong);
  CHECK(typist.leaves());
  CHECK(typist.program == "ab");
}

TEST_CASE("Ctrl-\\ twice is sent once and does not leave") {
  Typist typist;
  typist.type("\x1c");
  typist.wait(100ms);
  typist.type("\x1c");
  typist.wait(kLong);
  CHECK_FALSE(typist.leaves());
  CHECK(typist.program == "\x1c");
}

TEST_CASE("Ctrl-\\ four times in one read is sent twice") {
  Typist typist;
  typist.type("\x1c\x1c\x1c\x1c");
  typist.wait(kLong);
  CHECK_FALSE(typist.leaves());
  CHECK(typist.program == "\x1c\x1c");
}

TEST_CASE("another key after Ctrl-\\ leaves at once and is not sent") {
  Typist typist;
  typist.type("\x1cx");
  CHECK(typist.leaves());
  CHECK(typist.program.empty());
}

TEST_CASE("the kitty forms of Ctrl-\\ leave, with lock keys, event types and alternate keys") {
  for (const char* key : {"\x1b[92;5u", "\x1b[92;5:1u", "\x1b[92:124;5u", "\x1b[92;69u", "\x1b[92;133:1u",
                          "\x1b[92;197u", "\x1b[92::92;5u", "\x1b[27;5;92~"}) {
    CAPTURE(key);
    Typist typist;
    typist.type(key);
    typist.wait(kLong);
    CHECK(typist.leaves());
    CHECK(typist.program.empty());
  }
}

TEST_CASE("other keys that look like it go to the program") {
  for (const char* key : {"\x1b[92;6u", "\x1b[92u", "\x1b[92;1u", "\x1b[91;5u", "\x1b[92;5~", "\x1b[27;6;92~",
                          "\x1b[92;5", "\\", "\x1d"}) {
    CAPTURE(key);
    Typist typist;
    typist.type(key);
    typist.wait(kLong);
    CHECK_FALSE(typist.leaves());
    CHECK(typist.program == key);
  }
}

TEST_CASE("repeats and the release of a pressed detach key never reach the program") {
  Typist typist;
  typist.type("\x1b[92;5:1u\x1b[92;5:2u\x1b[92;5:3u");
  CHECK(typist.program.empty());
  typist.wait(kLong);
  CHECK(typist.leaves());
}

TEST_CASE("pressing Ctrl again between the two presses is no other key") {
  Typist typist;
  typist.type("\x1b[92;5:1u\x1b[92;5:3u\x1b[57442;5:3u\x1b[57442;5:1u");
  CHECK_FALSE(typist.leaves());
  typist.type("\x1b[92;5:1u\x1b[92;5:3u");
  typist.wait(kLong);
  CHECK_FALSE(typist.leaves());
  CHECK(typist.program == "\x1b[57442;5:3u\x1b[57442;5:1u\x1b[92;5:1u\x1b[92;5:3u");
}

TEST_CASE("a detach key inside a bracketed paste is text") {
  Typist typist;
  typist.type(
      "\x1b[200~a\x1c"
      "b\x1b[92;5u\x1b[201~");
  typist.wait(kLong);
  CHECK_FALSE(typist.leaves());
  CHECK(typist.program ==
        "\x1b[200~a\x1c"
        "b\x1b[92;5u\x1b[201~");
}

TEST_CASE("with no detach key all 256 byte values pass") {
  Typist typist("none");
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  typist.type(all);
  typist.wait(kLong);
  CHECK_FALSE(typist.leaves());
  CHECK(typist.program == all);
}

TEST_CASE("mouse and answers pass while a second press is waited for") {
  Typist typist;
  typist.type("\x1c\x1b[<0;1;1M\x1b[?1;2c");
  CHECK_FALSE(typist.leaves());
  CHECK(typist.program == "\x1b[<0;1;1M\x1b[?1;2c");
  typist.wait(kLong);
  CHECK(typist.leaves());
}

TEST_CASE("another detach key can be chosen, and what cannot be told apart is refused") {
  Typist typist("Ctrl-A");
  typist.type("\x1c\x01");
  typist.wait(kLong);
  CHECK(typist.leaves());
  CHECK(typist.program == "\x1c");
  CHECK(DetachKey::parse("ctrl-]")->name() == "Ctrl-]");
  CHECK(DetachKey::parse("ctrl-x")->name() == "Ctrl-X");
  CHECK(DetachKey::parse("none")->name().empty());
  for (const char* bad : {"ctrl-i", "ctrl-m", "ctrl-[", "x", "", "ctrl-", "ctrl-xx", "alt-x"}) {
    CAPTURE(bad);
    const auto key = DetachKey::parse(bad);
    REQUIRE_FALSE(key);
    CHECK(key.error().kind == ErrorKind::usage);
  }
}
