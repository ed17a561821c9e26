#include "holder/flow_rule.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::holder;
using store::Flow;

namespace {

constexpr std::uint64_t kFull = limits::kClientBacklogBytes, kQueue = kLeaderQueueBytes;

struct Row {
  const char* what;
  BacklogFacts facts;
  BacklogAction action;
};

const Row kRows[] = {
    {"nobody lags", {Role::leader, Flow::automatic, 0, 0, false}, BacklogAction::keep},
    {"a leader just below the limit", {Role::leader, Flow::automatic, kFull - 1, 0, false}, BacklogAction::keep},
    {"a leader with little in its queue",
     {Role::leader, Flow::automatic, kQueue - 1, 9u << 20, false},
     BacklogAction::keep},
    {"a leader that drains has a full queue",
     {Role::leader, Flow::automatic, kQueue, 1u << 20, false},
     BacklogAction::pause},
    {"a leader that does not has one",
     {Role::leader, Flow::automatic, kQueue, (1u << 20) - 1, false},
     BacklogAction::keep},
    {"a leader's queue is full, lossless", {Role::leader, Flow::lossless, kQueue, 0, false}, BacklogAction::pause},
    {"a leader's queue is full, latest", {Role::leader, Flow::latest, kQueue, 9u << 20, false}, BacklogAction::keep},
    {"an observer behind the leader's queue",
     {Role::observer, Flow::automatic, kFull - 1, 0, false},
     BacklogAction::keep},
    {"a full leader that drains", {Role::leader, Flow::automatic, kFull, 1u << 20, false}, BacklogAction::pause},
    {"a full leader that does not", {Role::leader, Flow::automatic, kFull, (1u << 20) - 1, false}, BacklogAction::drop},
    {"a full leader, lossless", {Role::leader, Flow::lossless, kFull, 0, false}, BacklogAction::pause},
    {"a full leader, latest", {Role::leader, Flow::latest, kFull, 9u << 20, false}, BacklogAction::drop},
    {"a full observer that drains", {Role::observer, Flow::automatic, kFull, 9u << 20, false}, BacklogAction::drop},
    {"a full observer, lossless", {Role::observer, Flow::lossless, kFull, 9u << 20, false}, BacklogAction::drop},
    {"a paused leader goes on draining",
     {Role::leader, Flow::automatic, kResumeBelowBytes, 2u << 20, true},
     BacklogAction::pause},
    {"a paused leader has drained enough",
     {Role::leader, Flow::automatic, kResumeBelowBytes - 1, 2u << 20, true},
     BacklogAction::keep},
    {"a paused leader stops draining", {Role::leader, Flow::automatic, kFull, 0, true}, BacklogAction::drop},
    {"a paused leader stops below the limit", {Role::leader, Flow::automatic, kFull - 1, 0, true}, BacklogAction::keep},
};

}  // namespace

TEST_CASE("what happens to a backlog") {
  for (const Row& row : kRows) {
    CAPTURE(row.what);
    CHECK(decide_backlog(row.facts) == row.action);
  }
}

TEST_CASE("the drain meter forgets what is older than its window") {
  DrainMeter meter;
  const Instant start{10'000'000'000};
  meter.took(start, 700);
  meter.took(start + 50ms, 300);
  CHECK(meter.recent(start + 60ms) == 1000);
  CHECK(meter.recent(start + 99ms) == 1000);
  CHECK(meter.recent(start + 180ms) <= 300);
  CHECK(meter.recent(start + 1s) == 0);
}

TEST_CASE("the shadow terminal may lag half a ring, and a checkpoint must stay covered") {
  constexpr std::uint64_t kMiB = 1u << 20, kFast = 200 * kMiB;
  CHECK(shadow_allowance({.running = false, .head = 100 * kMiB, .parsed = 0}) == UINT64_MAX);
  CHECK(shadow_allowance(
            {.running = true, .head = 5 * kMiB, .parsed = 5 * kMiB, .checkpoint = 4 * kMiB, .bytes_a_second = kFast}) ==
        4 * kMiB);
  CHECK(shadow_allowance(
            {.running = true, .head = 5 * kMiB, .parsed = 2 * kMiB, .checkpoint = 2 * kMiB, .bytes_a_second = kFast}) ==
        kMiB);
  CHECK(shadow_allowance(
            {.running = true, .head = 9 * kMiB, .parsed = 5 * kMiB, .checkpoint = 5 * kMiB, .bytes_a_second = kFast}) ==
        0);
  CHECK(shadow_allowance(
            {.running = true, .head = 8 * kMiB, .parsed = 8 * kMiB, .checkpoint = 0, .bytes_a_second = kFast}) == 0);
  CHECK(shadow_allowance(
            {.running = true, .head = 7 * kMiB, .parsed = 6 * kMiB, .checkpoint = 0, .bytes_a_second = kFast}) == kMiB);
}

TEST_CASE("a shadow terminal that is slow may lag as much as it parses in half a second, and never nothing") {
  constexpr std::uint64_t kMiB = 1u << 20;
  const auto allowed = [](std::uint64_t speed, std::uint64_t lag) {
    return shadow_allowance({.running = true, .head = lag, .parsed = 0, .bytes_a_second = speed});
  };
  CHECK(allowed(0, 0) == kShadowLagFirst);
  CHECK(allowed(200 * kMiB, 0) == limits::kVtdLagBytes);
  CHECK(allowed(2 * kMiB, 0) == kMiB);
  CHECK(allowed(2 * kMiB, kMiB / 4) == kMiB - kMiB / 4);
  CHECK(allowed(2 * kMiB, 2 * kMiB) == 0);
  CHECK(allowed(1, 0) == kShadowLagMin);
}

TEST_CASE("the parse meter follows the speed of the last few acknowledgements") {
  ParseMeter meter;
  Instant now{1'000'000'000};
  CHECK(meter.bytes_a_second() == 0);
  meter.began(now);
  meter.acknowledged(now = now + 100ms, 1000);
  CHECK(meter.bytes_a_second() == 10'001);
  now = now + 10s;
  meter.began(now);
  for (int n = 0; n < 20; ++n) meter.acknowledged(now = now + 50ms, 50'000);
  CHECK(meter.bytes_a_second() > 990'000);
  meter.acknowledged(now + 1s, 0);
  CHECK(meter.bytes_a_second() > 990'000);
  for (int n = 0; n < 8; ++n) meter.acknowledged(now = now + 100ms, 10'000);
  CHECK(meter.bytes_a_second() < 110'000);
}

TEST_CASE("an answer at once shows at least that speed: a few slow bytes are seen to be slow, a key's echo is not") {
  ParseMeter meter;
  const auto allowed = [&] { return shadow_allowance({.running = true, .bytes_a_second = meter.bytes_a_second()}); };
  Instant now{1'000'000'000};
  meter.began(now);
  meter.acknowledged(now = now + 4ms, 1024);
  CHECK(allowed() < 140'000);
  meter.acknowledged(now = now + 1ms, 256u << 10);
  CHECK(allowed() > limits::kVtdLagBytes / 2);
  meter.acknowledged(now = now + 1ms, 256u << 10);
  meter.acknowledged(now = now + 1ms, 256u << 10);
  const std::uint64_t before = allowed();
  for (int n = 0; n < 50; ++n) {
    meter.began(now);
    meter.acknowledged(now = now + kWakeUp, 1);
  }
  CHECK(allowed() == before);
}
