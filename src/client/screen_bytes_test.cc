#include "client/screen_bytes.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace holdfast::client;

TEST_CASE("arrival scrolls nothing but its notice; room moves as many lines away as the terminal has") {
  CHECK(std::ranges::count(arrival(""), '\n') == 0);
  CHECK(arrival("hold: attached").ends_with("hold: attached\r\n"));
  CHECK(room(3) == "\r\n\r\n\r\n");
}

TEST_CASE("undoing everything never resets the terminal, which would wipe its scrollback") {
  const std::string bytes = undo_everything();
  CHECK(bytes.find("\x1b"
                   "c") == std::string::npos);
  CHECK(bytes.find("\x1b[!p") == std::string::npos);
  CHECK(bytes.find("\x1b[3J") == std::string::npos);
  CHECK(bytes.find("\x1b[2J") == std::string::npos);
}

TEST_CASE("undoing everything switches off what programs switch on") {
  const std::string bytes = undo_everything();
  for (const char* mode :
       {"1000", "1002", "1003", "1004", "1005", "1006", "1015", "1016", "2004", "2026", "2031", "2048", "1049"}) {
    CAPTURE(mode);
    CHECK(bytes.find("\x1b[?" + std::string(mode) + "l") != std::string::npos);
  }
  CHECK(bytes.find("\x1b[?25h") != std::string::npos);
  CHECK(bytes.find("\x1b[<99u") != std::string::npos);
}

TEST_CASE("what the terminal told of itself is put back, what is not known is left alone") {
  CHECK(put_back_bytes(5, ModeReport::not_known) == "\x1b[=5;1u");
  CHECK(put_back_bytes(-1, ModeReport::set) == "\x1b[?2027h");
  CHECK(put_back_bytes(0, ModeReport::reset) == "\x1b[=0;1u\x1b[?2027l");
  for (const auto unknown_or_fixed : {ModeReport::not_known, ModeReport::always_set, ModeReport::always_reset}) {
    CHECK(put_back_bytes(-1, unknown_or_fixed).empty());
  }
}
