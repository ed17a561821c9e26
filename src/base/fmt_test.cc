#include <doctest/doctest.h>
#include <fmt/core.h>

TEST_CASE("text is formatted by what fmt.cc instantiates") {
  CHECK(fmt::format("{:>5}|{:.2f}|{:#x}|{}", 42, 1.005, 255u, "s") == "   42|1.00|0xff|s");
  CHECK(fmt::format("{:L}", 1234567) == "1234567");
}
