#include "client/screen_bytes.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace holdfast::client;

TEST_CASE("arrival moves as many lines away as the terminal has") {
  const std::string bytes = arrival(3, "");
  CHECK(bytes.ends_with("\r\n\r\n\r\n"));
  CHECK(std::ranges::count(bytes, '\n') == 3);
  CHECK(std::ranges::count(arrival(3, "hold: attached"), '\n') == 4);
}

TEST_CASE("undoing everything never resets the terminal, which would wipe its scrollback") {
  const std::string bytes = undo_everything(-1);
  CHECK(bytes.find("\x1b"
                   "c") == std::string::npos);
  CHECK(bytes.find("\x1b[!p") == std::string::npos);
  CHECK(bytes.find("\x1b[3J") == std::string::npos);
  CHECK(bytes.find("\x1b[2J") == std::string::npos);
}

TEST_CASE("undoing everything switches off what programs switch on") {
  const std::string bytes = undo_everything(-1);
  for (const char* mode :
       {"1000", "1002", "1003", "1004", "1005", "1006", "1015", "1016", "2004", "2026", "2031", "2048", "1049"}) {
    CAPTURE(mode);
    CHECK(bytes.find("\x1b[?" + std::string(mode) + "l") != std::string::npos);
  }
  CHECK(bytes.find("\x1b[?25h") != std::string::npos);
  CHECK(bytes.find("\x1b[<99u") != std::string::npos);
}

TEST_CASE("keyboard flags the terminal had are put back, unknown ones are left alone") {
  CHECK(undo_everything(5).find("\x1b[=5;1u") != std::string::npos);
  CHECK(undo_everything(-1).find("\x1b[=") == std::string::npos);
}
