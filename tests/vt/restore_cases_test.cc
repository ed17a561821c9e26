// The hand-made cases, cut at every byte.
#include "fixtures.h"

#include <doctest/doctest.h>

#include <numeric>

using namespace holdfast;

TEST_CASE(
    "every hand-made case can be restored and decoded at every byte, and goes on from there as if nothing had been") {
  const std::uint64_t seed = vt_test::seed();
  MESSAGE("HOLDFAST_SEED=" << seed);
  std::mt19937_64 random(seed);
  const auto cases = vt_test::cases();
  REQUIRE(cases.size() >= 364);
  int failures = 0;
  for (const vt_test::Script& script : cases) {
    std::vector<std::size_t> cuts(script.bytes() + 1);
    std::iota(cuts.begin(), cuts.end(), 0);
    const vt_test::Future future = vt_test::future_of(script);
    std::size_t done = 0;
    vt_test::play(script, cuts, [&](vt::Terminal& terminal, vt_test::Position at) {
      const std::string report = vt_test::check_cut(terminal, random, cases) +
                                 vt_test::check_future(terminal, random, cases, script, at, future);
      ++done;
      if (report.empty() || ++failures > 20) return;
      FAIL_CHECK(script.name << ", step " << at.step << ", byte " << at.byte << "\n" << report);
    });
    CHECK(done == cuts.size());
  }
  CHECK(failures == 0);
}
