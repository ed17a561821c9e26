// What real agents printed, cut at random places.
#include "fixtures.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace holdfast;

namespace {

constexpr int kCutsPerRecording = 500;
constexpr int kFuturesPerRecording = 4;  // each plays the rest of the recording three times

}  // namespace

TEST_CASE("every recording can be restored and decoded at any offset, and goes on from there as if nothing had been") {
  const std::uint64_t seed = vt_test::seed();
  MESSAGE("HOLDFAST_SEED=" << seed);
  std::mt19937_64 random(seed);
  const auto recordings = vt_test::recordings();
  REQUIRE(recordings.size() >= 90);
  int failures = 0;
  for (const vt_test::Script& script : recordings) {
    std::vector<std::size_t> cuts;
    for (int i = 0; i < kCutsPerRecording; ++i) cuts.push_back(random() % (script.bytes() + 1));
    std::ranges::sort(cuts);
    const vt_test::Future future = vt_test::future_of(script);
    int n = 0;
    std::size_t done = 0;
    vt_test::play(script, cuts, [&](vt::Terminal& terminal, vt_test::Position at) {
      std::string report = vt_test::check_cut(terminal, random, recordings);
      if (n++ % (kCutsPerRecording / kFuturesPerRecording) == 0) {
        report += vt_test::check_future(terminal, random, recordings, script, at, future);
      }
      ++done;
      if (report.empty() || ++failures > 20) return;
      FAIL_CHECK(script.name << ", step " << at.step << ", byte " << at.byte << "\n" << report);
    });
    CHECK(done == cuts.size());
  }
  CHECK(failures == 0);
}
