#include "holder/kill_rule.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::holder;
using Step = KillRule::Step;

namespace {
constexpr Instant kStart{1'000'000'000};
}

TEST_CASE("a program that obeys is only asked") {
  KillRule rule(kStart, 3s);
  const auto first = rule.next(kStart, false, false);
  CHECK(first.step == Step::hang_up);
  CHECK(first.look_at == kStart + 3s);
  CHECK(rule.next(kStart + 10ms, true, true).step == Step::done);
}

TEST_CASE("a program that does not obey is killed after the grace") {
  KillRule rule(kStart, 3s);
  rule.next(kStart, false, false);
  CHECK_FALSE(rule.next(kStart + 2999ms, false, false).step.has_value());
  CHECK(rule.next(kStart + 3s, false, false).step == Step::kill_all);
  CHECK(rule.next(kStart + 3010ms, true, true).step == Step::done);
}

TEST_CASE("what outlives the program is killed soon after it") {
  KillRule rule(kStart, 3s);
  rule.next(kStart, false, false);
  const auto ended = rule.next(kStart + 50ms, true, false);
  CHECK_FALSE(ended.step.has_value());
  CHECK(ended.look_at == kStart + 150ms);
  CHECK(rule.next(kStart + 150ms, true, false).step == Step::kill_all);
  CHECK(rule.next(kStart + 160ms, true, true).step == Step::done);
}

TEST_CASE("killing goes on in rounds while something is left, and gives up in the end") {
  KillRule rule(kStart, 0s);
  Instant now = kStart;
  CHECK(rule.next(now, false, false).step == Step::hang_up);
  int rounds = 0;
  while (rule.next(now, false, false).step == Step::kill_all) {
    ++rounds;
    now = now + 10ms;
    REQUIRE(rounds < 1000);
  }
  CHECK(rounds == 50);
}

TEST_CASE("a second kill can only shorten the wait") {
  KillRule rule(kStart, 3s);
  rule.next(kStart, false, false);
  rule.hurry(kStart + 1s, 10s);
  CHECK_FALSE(rule.next(kStart + 2s, false, false).step.has_value());
  rule.hurry(kStart + 2s, 0s);
  CHECK(rule.next(kStart + 2s, false, false).step == Step::kill_all);
}
