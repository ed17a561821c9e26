#include "cli/line_search.h"

#include <doctest/doctest.h>

#include <chrono>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

Pattern pattern(const std::string& text, Pattern::Case letters = Pattern::Case::heeded) {
  return Pattern::compile(text, letters).value();
}

std::string found(std::string_view text, const std::string& expression, std::size_t limit = 100, std::size_t piece = 1000) {
  const Pattern compiled = pattern(expression);
  LineSearch search(compiled, limit);
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) search.feed(text.substr(0, piece));
  std::string out;
  for (const auto& match : search.finish()) {
    out += std::to_string(match.row) + "+" + std::to_string(match.rows) + ":" + match.line + "|";
  }
  return out + std::to_string(search.found());
}

}  // namespace

TEST_CASE("rows are counted from the last one with text upwards") {
  CHECK(found("one\ntwo\nthree\n", "e$") == "3+1:one|1+1:three|2");
  CHECK(found("one\ntwo\n\nthree\n\n\n", "o") == "4+1:one|3+1:two|2");
  CHECK(found("one\n", "four") == "0");
  CHECK(found("", "x*") == "0");
}

TEST_CASE("a line that the terminal wrapped is one line, and counts the rows it takes") {
  for (const std::size_t piece : {1, 2, 1000}) {
    CHECK(found("ab\rcd\re\nbc\n", "bc", 100, piece) == "4+3:abcde|1+1:bc|2");
    CHECK(found("ab\rcd\r", "bcd", 100, piece) == "2+2:abcd|1");
  }
}

TEST_CASE("blank rows below the last one with text are no rows, those between are") {
  CHECK(found("a\n\nb\n\n\n", "^$") == "2+1:|1");
}

TEST_CASE("of too many matches the newest are kept, and all are counted") {
  CHECK(found("1\n2\n3\n4\n", ".", 2) == "2+1:3|1+1:4|4");
  CHECK(found("1\n2\n", ".", 0) == "2");
}

TEST_CASE("a line that never ends is searched in pieces") {
  std::string endless;
  for (int i = 0; i < 40'000; ++i) endless += std::string(99, 'x') + (i == 30'000 ? "y" : "x") + "\r";
  const Pattern compiled = pattern("y");
  LineSearch search(compiled, 10);
  search.feed(endless);
  const auto matches = search.finish();
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].line.size() <= LineSearch::kLineBytesMax + 100);
  CHECK(matches[0].rows < 11'000);
}

TEST_CASE("spans are those of the matches, also behind empty ones and in other scripts") {
  CHECK(pattern("o+").find_in("foo boo") == std::vector<Span>{{1, 3}, {5, 7}});
  CHECK(pattern("x*").find_in("a中x") == std::vector<Span>{{4, 5}});
  CHECK(pattern("中").find_in("中文中") == std::vector<Span>{{0, 3}, {6, 9}});
  CHECK(pattern("^").find_in("abc").empty());
  CHECK(pattern("^").is_in("abc"));
  CHECK(pattern("ABC", Pattern::Case::ignored).find_in("xabc") == std::vector<Span>{{1, 4}});
  CHECK_FALSE(pattern("ABC").is_in("abc"));
  CHECK(pattern(".").find_in(std::string(5000, 'x')).size() == Pattern::kSpansMax);
}

TEST_CASE("what is no expression is told so") {
  for (const char* text : {"(", "a{2,1}", "[", "\\", "(?P<", "a**", "\xff"}) {
    const auto compiled = Pattern::compile(text, Pattern::Case::heeded);
    REQUIRE_FALSE(compiled);
    CHECK(compiled.error().kind == ErrorKind::usage);
  }
  CHECK_FALSE(Pattern::compile(std::string(100'000, 'a'), Pattern::Case::heeded));
  CHECK_FALSE(Pattern::compile("((a{1000}){1000}){1000}", Pattern::Case::heeded));
}

TEST_CASE("an expression that takes others for ever takes a moment") {
  const auto began = std::chrono::steady_clock::now();
  const std::string line(100'000, 'a');
  CHECK_FALSE(pattern("(a*)*(a*)*(a*)*b").is_in(line));
  CHECK_FALSE(pattern("(a|aa)+$b").is_in(line));
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(10));
}
