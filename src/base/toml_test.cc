#include "base/toml.h"

#include <doctest/doctest.h>

namespace holdfast {

TEST_CASE("every kind of TOML value becomes JSON") {
  const auto parsed = parse_toml(R"(
title = "a"
[t]
i = 0x10
f = 1.5
b = true
list = [1, "two", [3]]
day = 2026-01-02
moment = 2026-01-02T03:04:05
clock = 03:04:05
)");
  REQUIRE(parsed);
  CHECK(
      parsed->dump() ==
      R"({"t":{"b":true,"clock":"03:04:05","day":"2026-01-02","f":1.5,"i":16,"list":[1,"two",[3]],"moment":"2026-01-02T03:04:05"},"title":"a"})");
}

TEST_CASE("malformed TOML is an error that names the line") {
  const auto parsed = parse_toml("a = 1\nb = = 2\n");
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().problem.starts_with("line 2: "));
  for (const char* text : {"a", "[t", "a = \"x", "a = 1\na = 2", "\xff = 1"}) CHECK_FALSE(parse_toml(text));
}

TEST_CASE("deep nesting is refused, not recursed into") { CHECK_FALSE(parse_toml("a = " + std::string(100'000, '['))); }

}  // namespace holdfast
