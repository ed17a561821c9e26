#include "vt/text.h"

#include "vt/terminal_fixture.h"

#include <doctest/doctest.h>

namespace holdfast::vt {
namespace {

std::string read(Screen& screen, ReadOptions options) {
  auto text = read_text(screen.terminal.mutable_state(), options);
  REQUIRE(text);
  return *text;
}

Json canonical_of(Screen& screen) { return canonical(screen.terminal.mutable_state(), screen.replies); }

}  // namespace

TEST_CASE("plain text keeps blank rows and drops trailing blanks") {
  Screen screen(10, 4);
  screen.feed("one   \r\n\r\n 中文");
  CHECK(read(screen, {}) == "one\n\n 中文\n\n");
}

TEST_CASE("the last rows reach into history; the alternate screen never shows the primary's") {
  Screen screen(10, 2);
  screen.feed("1\r\n2\r\n3\r\n4");
  CHECK(read(screen, {.rows = 3, .written = true}) == "2\n3\n4\n");
  CHECK(read(screen, {.rows = 1}) == "4\n");
  CHECK(read(screen, {.all = true}) == "1\n2\n3\n4\n");
  screen.feed("\x1b[?1049h\x1b[Halt");
  CHECK(read(screen, {.rows = 9, .written = true}) == "alt\n");
  CHECK(read(screen, {.rows = 9}) == "alt\n\n");
  CHECK(read(screen, {.all = true}) == "alt\n\n");
}

TEST_CASE("the last rows are those of what is written: blank rows at the bottom are not counted, those between are") {
  Screen screen(10, 6);
  screen.feed("1\r\n2\r\n\r\n4\r\n   ");
  CHECK(read(screen, {.rows = 1, .written = true}) == "4\n");
  CHECK(read(screen, {.rows = 3, .written = true}) == "2\n\n4\n");
  CHECK(read(screen, {.rows = 99, .written = true}) == "1\n2\n\n4\n");
  screen.feed("\x1b[6H\n\n\x1b[2J");
  CHECK(read(screen, {.rows = 2, .written = true}) == "1\n2\n");
  CHECK(read(screen, {.rows = 9, .all = true}) == read(screen, {.all = true}));
}

TEST_CASE("the last physical rows count blank ones too, and a cursor on them stays where it is on the screen") {
  Screen screen(10, 4);
  screen.feed("1\r\n2\r\n3\r\n4\r\n5\x1b[2;3H\x1b[0J");
  CHECK(read(screen, {}) == "2\n3\n\n\n");
  CHECK(read(screen, {.rows = 1}) == "\n");
  CHECK(read(screen, {.rows = 3}) == "3\n\n\n");
  CHECK(read(screen, {.rows = 5}) == "1\n2\n3\n\n\n");
  CHECK(read(screen, {.rows = 65'535}) == read(screen, {.all = true}));
  for (const std::size_t rows : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) {
    const auto json = Json::parse(read(screen, {.format = TextFormat::json, .rows = rows}));
    REQUIRE(json);
    CHECK(json->get("cursor").get("x").as_int() == 2);
    CHECK(json->get("cursor").get("y").as_int() == 1);
  }
}

TEST_CASE("the blank before a wide character that wrapped looks like it, in history too while the character is on the screen") {
  Screen screen(5, 1);
  screen.feed("\x1b[44mabcd中");
  CHECK(canonical_of(screen).get("scrollback").items().at(0).get("c").items().size() == 5);
  const std::string open = read(screen, {.format = TextFormat::html, .all = true});
  screen.feed("\x1b[m\r\n");
  CHECK(read(screen, {.format = TextFormat::html, .all = true}).starts_with(open.substr(0, open.find("中"))));
}

TEST_CASE("lines are joined without the blank before a wide character that wrapped") {
  Screen screen(5, 2);
  screen.feed("abcd中z");
  CHECK(read(screen, {}) == "abcd\n中z\n");
  CHECK(read(screen, {.unwrap = true}) == "abcd中z\n");
  CHECK(read(screen, {.wraps = true}) == "abcd\r中z\n");
  CHECK(read(screen, {.format = TextFormat::vt, .unwrap = true}) == "abcd中z\r\n");
  CHECK(read(screen, {.format = TextFormat::html, .unwrap = true}) == "<pre>abcd中z\n</pre>\n");
}

TEST_CASE("rows that go on in the next one are told apart on request, history included, and are not trimmed") {
  Screen screen(5, 2);
  screen.feed("01234567  9\r\nx \r\nab   cd");
  CHECK(read(screen, {.all = true, .wraps = true}) == "01234\r567  \r9\nx\nab   \rcd\n");
}

TEST_CASE("wrapped rows are joined on request") {
  Screen screen(5, 3);
  screen.feed("0123456789ab\r\nx");
  CHECK(read(screen, {.all = true, .unwrap = true}) == "0123456789ab\nx\n");
}

TEST_CASE("rows as bytes for a terminal show the same there") {
  Screen screen(20, 2);
  screen.feed("\x1b[1;31mred\x1b[m \x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\\r\n\x1b[44mx\x1b[K");
  Screen copy(20, 4);
  copy.feed(read(screen, {.format = TextFormat::vt}));
  CHECK(copy.rows() == "red link|x");
  CHECK(copy.style(0, 0).foreground == Color::palette(1));
  CHECK(copy.link(4, 0).uri == "http://a");
  CHECK(copy.style(19, 1).background == Color::palette(4));
}

TEST_CASE("HTML escapes text and links only what is harmless") {
  Screen screen(30, 1);
  screen.feed("<&\x1b[1mb\x1b[m\x1b]8;;javascript:alert(1)\x1b\\bad\x1b]8;;http://x/?a&b\x1b\\good\x1b]8;;\x1b\\");
  const std::string html = read(screen, {.format = TextFormat::html});
  CHECK(html ==
        "<pre>&lt;&amp;<span style=\"font-weight:bold;\">b</span>bad<a href=\"http://x/?a&amp;b\">good</a>\n</pre>\n");
}

TEST_CASE("JSON has lines and a cursor that counts from the first visible row") {
  Screen screen(10, 2);
  screen.feed("1\r\n2\r\n\"3\"");
  const auto json = Json::parse(read(screen, {.format = TextFormat::json, .rows = 3}));
  REQUIRE(json);
  CHECK(json->get("lines").items().size() == 3);
  CHECK(json->get("lines").items().at(2).as_string() == "\"3\"");
  CHECK(json->get("cursor").get("x").as_int() == 3);
  CHECK(json->get("cursor").get("y").as_int() == 1);
}

TEST_CASE("JSON over its bound is an error that says what to do") {
  Screen screen(200, 2);
  std::string line(199, 'x');
  for (int i = 0; i < 6000; ++i) screen.feed(line).feed("\r\n");
  const auto text = read_text(screen.terminal.mutable_state(), {.format = TextFormat::json, .all = true});
  REQUIRE_FALSE(text);
  CHECK(text.error().kind == ErrorKind::refused);
  CHECK(text.error().advice.find("fewer rows") != std::string::npos);
  CHECK(text.error().problem.starts_with("they take "));
  CHECK(read_text(screen.terminal.mutable_state(), {.format = TextFormat::plain, .all = true}));
  // The bound is on what stands there, each row counted with its place in a list.
  const auto fits = read_text(screen.terminal.mutable_state(), {.format = TextFormat::json, .rows = 4480});
  REQUIRE(fits);
  CHECK(Json::parse(*fits)->get("lines").items().size() == 4480);
  CHECK_FALSE(read_text(screen.terminal.mutable_state(), {.format = TextFormat::json, .rows = 4482}));
}

TEST_CASE("the canonical object leaves blanks out, cuts defaults and hides the ids of links without one") {
  Screen screen(10, 2);
  screen.feed("a \x1b[4:3;58:2::1:2:3mb\x1b[m\x1b]8;;http://x\x1b\\c\x1b]8;;\x1b\\\x1b[6n");
  const Json json = canonical_of(screen);
  CHECK(json.get("screen").items().at(0).dump() ==
        "{\"w\":false,\"c\":[[0,\"a\",1],[2,\"b\",1,\"\",\"\",\"U\",3,\"#010203\"],"
        "[3,\"c\",1,\"\",\"\",\"\",0,\"\",\";http://x\"]]}");
  CHECK(json.get("responses").as_string() == "\x1b[1;5R");
  CHECK(json.get("engine").as_string() == "holdfast");
}

TEST_CASE("on the alternate screen the canonical scrollback is empty and the other screen has the primary's") {
  Screen screen(10, 2);
  screen.feed("1\r\n2\r\n3\x1b[?1049h");
  const Json json = canonical_of(screen);
  CHECK(json.get("scrollback").items().empty());
  const Json& other = json.get("hidden").get("otherScreen");
  CHECK(other.get("scrollback").items().size() == 1);
  CHECK(other.get("rows").items().at(1).get("c").dump() == "[[0,\"3\",1]]");
}

}  // namespace holdfast::vt
