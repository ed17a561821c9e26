#include "cli/console.h"

#include <doctest/doctest.h>

using namespace holdfast::cli;

TEST_CASE("width counts columns, not bytes") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("äöü") == 3);
  CHECK(display_width("日本") == 4);
  CHECK(display_width("e\xcc\x81") == 1);
  CHECK(display_width("🙂") == 2);
  CHECK(display_width("") == 0);
}

TEST_CASE("text is cut to columns with a mark") {
  CHECK(fitted("abcdef", 6) == "abcdef");
  CHECK(fitted("abcdef", 5) == "abcd…");
  CHECK(fitted("日本語", 5) == "日本…");
  CHECK(fitted("日本語", 4) == "日…");
  CHECK(fitted("abc", 1) == "…");
  CHECK(fitted("abc", 0).empty());
}

TEST_CASE("a message is one line, but on a terminal no word of it is torn at the edge") {
  const std::string text = "cannot attach to the session: nobody answers";
  CHECK(message_text(Console{}, Colour::red, text) == "hold: " + text + "\n");
  CHECK(message_text(Console{true, false, 80}, Colour::red, text) == "hold: " + text + "\n");
  CHECK(message_text(Console{true, true, 30}, Colour::red, text) ==
        "\x1b[31mhold:\x1b[0m cannot attach to the\n  session: nobody answers\n");
  CHECK(message_text(Console{true, false, 1}, Colour::red, "a/path/longer/than/the/line it") ==
        "hold:\n  a/path/longer/than/the/line\n  it\n");
}

TEST_CASE("directories are short: home is ~, and the end is what stays") {
  CHECK(short_directory("/home/mara/notes", "/home/mara", 80) == "~/notes");
  CHECK(short_directory("/home/mara", "/home/mara", 80) == "~");
  CHECK(short_directory("/home/maras/x", "/home/mara", 80) == "/home/maras/x");
  CHECK(short_directory("/a/long/way/down", "/", 8) == "…ay/down");
}

TEST_CASE("ages are one number and a unit") {
  CHECK(age_text(-5) == "0s");
  CHECK(age_text(59'999) == "59s");
  CHECK(age_text(60'000) == "1m");
  CHECK(age_text(3'600'000) == "1h");
  CHECK(age_text(47LL * 3'600'000) == "47h");
  CHECK(age_text(48LL * 3'600'000) == "2d");
}

TEST_CASE("without colour nothing is painted") {
  Console console;
  CHECK(painted(console, Colour::red, "x") == "x");
  console.colour = true;
  CHECK(painted(console, Colour::red, "x") == "\x1b[31mx\x1b[0m");
  CHECK(painted(console, Colour::plain, "x") == "x");
}
