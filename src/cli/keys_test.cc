#include "cli/keys.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

TEST_CASE("keys by name are the bytes terminals send") {
  struct Case {
    const char* name;
    std::string bytes;
  };
  const Case cases[] = {{"enter", "\r"},
                        {"Enter", "\r"},
                        {"esc", "\x1b"},
                        {"tab", "\t"},
                        {"shift-tab", "\x1b[Z"},
                        {"space", " "},
                        {"backspace", "\x7f"},
                        {"up", "\x1b[A"},
                        {"ctrl-left", "\x1b[1;5D"},
                        {"shift-up", "\x1b[1;2A"},
                        {"ctrl-shift-end", "\x1b[1;6F"},
                        {"home", "\x1b[H"},
                        {"delete", "\x1b[3~"},
                        {"alt-delete", "\x1b[3;3~"},
                        {"pageup", "\x1b[5~"},
                        {"f1", "\x1bOP"},
                        {"ctrl-f1", "\x1b[1;5P"},
                        {"f5", "\x1b[15~"},
                        {"f12", "\x1b[24~"},
                        {"shift-f5", "\x1b[15;2~"},
                        {"ctrl-c", "\x03"},
                        {"c-c", "\x03"},
                        {"Ctrl-C", "\x03"},
                        {"ctrl-\\", "\x1c"},
                        {"ctrl-[", "\x1b"},
                        {"ctrl-space", std::string(1, '\0')},
                        {"ctrl-?", "\x7f"},
                        {"alt-x", "\x1bx"},
                        {"alt-X", "\x1bX"},
                        {"m-x", "\x1bx"},
                        {"ctrl-alt-a", "\x1b\x01"},
                        {"alt-enter", "\x1b\r"},
                        {"ctrl-enter", "\r"},
                        {"shift-a", "A"},
                        {"a", "a"},
                        {"A", "A"},
                        {"-", "-"},
                        {"ä", "ä"},
                        {"alt-ä", "\x1bä"}};
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const auto bytes = key_bytes(c.name);
    REQUIRE(bytes);
    CHECK(*bytes == c.bytes);
  }
}

TEST_CASE("no such key is an error that names a similar one") {
  const auto key = key_bytes("entr");
  REQUIRE_FALSE(key);
  CHECK(key.error().kind == ErrorKind::usage);
  CHECK(key.error().advice == "did you mean enter?");
  for (const char* bad : {"", "f13", "ctrl-", "ctrl-ä", "alt-", "nonsense", "ctrl-1", "\x1b", "ab"}) {
    CAPTURE(bad);
    CHECK_FALSE(key_bytes(bad));
  }
}

TEST_CASE("every key that has a name can be pressed") {
  for (const auto name : key_names()) {
    CAPTURE(name);
    const auto bytes = key_bytes(name);
    REQUIRE(bytes);
    CHECK_FALSE(bytes->empty());
  }
}
