#include "vt/unicode.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::vt {
namespace {

struct BreakCase {
  std::vector<char32_t> code_points;
  std::vector<bool> breaks;  // breaks[i]: a boundary before code point i + 1
};

// Code points in hex, with `boundary` where one character ends and the next begins. Other words mean nothing.
BreakCase parse_case(const std::string& line, std::string_view boundary) {
  BreakCase result;
  bool is_boundary = false;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word == boundary) {
      is_boundary = true;
    } else if (word.find_first_not_of("0123456789ABCDEF") == std::string::npos) {
      if (!result.code_points.empty()) result.breaks.push_back(is_boundary);
      result.code_points.push_back(static_cast<char32_t>(std::stoul(word, nullptr, 16)));
      is_boundary = false;
    }
  }
  return result;
}

std::vector<bool> breaks_of(const std::vector<char32_t>& code_points) {
  std::vector<bool> breaks;
  BreakState state;
  for (std::size_t i = 1; i < code_points.size(); ++i) {
    breaks.push_back(is_grapheme_break(code_point_info(code_points[i - 1]).break_class,
                                       code_point_info(code_points[i]).break_class, state));
  }
  return breaks;
}

// The number of cases in a fixture, all of which must hold.
std::size_t check_breaks(const std::string& name, std::string_view boundary) {
  const char* root = std::getenv("HOLDFAST_SOURCE_DIR");
  const std::string path = std::string(root ? root : ".") + "/tests/fixtures/unicode/" + name;
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), "cannot read ", path);
  std::size_t cases = 0;
  for (std::string line; std::getline(file, line);) {
    const BreakCase expected = parse_case(line.substr(0, line.find('#')), boundary);
    if (expected.code_points.empty()) continue;
    REQUIRE_MESSAGE(breaks_of(expected.code_points) == expected.breaks, line);
    ++cases;
  }
  return cases;
}

}  // namespace

TEST_CASE("the grapheme break test of Unicode 17 holds") { CHECK(check_breaks("GraphemeBreakTest.txt", "÷") == 766); }

TEST_CASE("grapheme boundaries are where ICU finds them") { CHECK(check_breaks("grapheme_breaks.txt", "/") > 4000); }

TEST_CASE("families, flags and conjuncts are one cluster each") {
  using V = std::vector<bool>;
  CHECK(breaks_of({0x1f468, 0x200d, 0x1f469, 0x200d, 0x1f467}) == V{false, false, false, false});
  CHECK(breaks_of({0x1f469, 0x1f3fd, 0x200d, 0x1f680}) == V{false, false, false});
  CHECK(breaks_of({0x1f1e9, 0x1f1ea, 0x1f1eb, 0x1f1f7, 0x1f1fa}) == V{false, true, false, true});
  CHECK(breaks_of({0x915, 0x94d, 0x937}) == V{false, false});
  CHECK(breaks_of({0x915, 0x94d, 0x200c, 0x937}) == V{false, false, true});
  CHECK(breaks_of({'a', 0x200d, 0x1f680}) == V{false, true});
  CHECK(breaks_of({'\r', '\n', '\n'}) == V{false, true});
}

TEST_CASE("widths follow the rule") {
  struct Expected {
    char32_t cp;
    int width;
  };
  for (const auto& [cp, width] : std::initializer_list<Expected>{
           {'a', 1},     {0xe9, 1},     {0xad, 1},     {0x300, 0},  {0x200b, 0},  {0x200d, 0}, {0xfe0f, 0},
           {0x600, 1},   {0x903, 1},    {0x1100, 2},   {0x1160, 0}, {0x11a8, 0},  {0xac00, 2}, {0x4e2d, 2},
           {0xff21, 2},  {0x1f600, 2},  {0x1f1e6, 2},  {0x2764, 1}, {0x2500, 1},  {0x4dc0, 2}, {0x2630, 2},
           {0x1fae9, 2}, {0x1faea, 2},  {0x20000, 2},  {0xe000, 1}, {0xe0001, 0}, {0x85, 0},   {7, 0},
           {0x2e3a, 2},  {0x10ffff, 1}, {0x1fffff, 1}, {0x3000, 2}, {0x1ac1, 0}}) {
    CHECK_MESSAGE(code_point_width(cp) == width, "U+", static_cast<std::uint32_t>(cp));
  }
}

TEST_CASE("what terminals disagree about is contestable, plain text is not") {
  for (const char32_t cp : U"a ~\u4e2d\uac00\uff21\u3042") CHECK_FALSE(code_point_info(cp).contestable);
  for (const char32_t cp : {0x1f600u, 0x2764u, 0xfe0fu, 0x200du, 0x1f1e6u, 0x2500u, 0x4dc0u, 0x2630u, 0x1fae9u, 0xe000u,
                            0x1160u, 0x378u, 0x300u, 0x600u, 0x903u, 0x9beu, 0x2e3bu, 0x10ffffu}) {
    CHECK_MESSAGE(code_point_info(cp).contestable, "U+", cp);
  }
}

TEST_CASE("variation bases are those of the standard's list") {
  for (const char32_t cp : {0x23u, 0x39u, 0xa9u, 0x231au, 0x2764u, 0x270au, 0x1f004u, 0x1f6bcu}) {
    CHECK_MESSAGE(is_emoji_variation_base(cp), "U+", cp);
  }
  for (const char32_t cp : {0u, 0x22u, 0x3au, 0x61u, 0x4e2du, 0x1f600u, 0x1f6bdu, 0x10ffffu}) {
    CHECK_FALSE_MESSAGE(is_emoji_variation_base(cp), "U+", cp);
  }
}

}  // namespace holdfast::vt
