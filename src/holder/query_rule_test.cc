#include "holder/query_rule.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::holder;

using Answers = std::vector<std::string>;

TEST_CASE("nobody leads: VTD answers") {
  QueryRule rule;
  rule.answered(10, "a");
  rule.answered(10, "b");
  rule.answered(20, "c");
  CHECK(rule.take() == Answers{"a", "b", "c"});
  CHECK(rule.take().empty());
}

TEST_CASE("the leader's terminal answers what it was sent live") {
  QueryRule rule;
  rule.live_from(100);
  rule.live_to(200);
  rule.answered(90, "before its snapshot");
  rule.answered(100, "in its snapshot");
  rule.answered(101, "sent");
  rule.answered(200, "sent too");
  CHECK(rule.take() == Answers{"before its snapshot", "in its snapshot"});
  CHECK_FALSE(rule.has_pending());
}

TEST_CASE("a query the leader has not been sent yet waits") {
  QueryRule rule;
  rule.live_from(100);
  rule.answered(150, "a");
  rule.answered(160, "b");
  CHECK(rule.take().empty());
  rule.live_to(155);
  CHECK(rule.take().empty());
  CHECK(rule.has_pending());
  rule.live_over();
  CHECK(rule.take() == Answers{"b"});
}

TEST_CASE("a dropped backlog gives its queries back to VTD, what was sent stays the leader's") {
  QueryRule rule;
  rule.live_from(0);
  rule.live_to(50);
  rule.live_soon(300);  // backlog 50..300 dropped, snapshot at 300 asked for
  rule.answered(40, "sent");
  rule.answered(200, "dropped");
  rule.answered(300, "in the snapshot");
  rule.answered(310, "behind it");
  CHECK(rule.take() == Answers{"dropped", "in the snapshot"});
  rule.live_from(300);
  rule.live_to(310);
  CHECK(rule.take().empty());
  CHECK_FALSE(rule.has_pending());
}

TEST_CASE("a slow VTD never repeats what a terminal that has left was sent") {
  QueryRule rule;
  rule.live_from(0);
  rule.live_to(50);
  rule.live_over();
  rule.live_from(70);
  rule.live_to(90);
  rule.live_over();
  rule.answered(50, "first leader");
  rule.answered(60, "nobody");
  rule.answered(90, "second leader");
  rule.answered(91, "nobody again");
  CHECK(rule.take() == Answers{"nobody", "nobody again"});
}

TEST_CASE("streams are forgotten only when VTD is past them and no answer waits") {
  QueryRule rule;
  rule.live_from(0);
  rule.live_to(50);
  rule.live_over();
  rule.parsed_to(40);
  rule.answered(45, "covered");
  CHECK(rule.take().empty());
  CHECK_FALSE(rule.has_pending());
  rule.parsed_to(50);
  rule.live_from(60);
  rule.live_to(70);
  rule.live_over();
  rule.answered(65, "covered");
  rule.parsed_to(100);
  CHECK(rule.take().empty());
}

TEST_CASE("a VTD that starts again is not heard twice") {
  QueryRule rule;
  rule.answered(10, "a");
  rule.answered(20, "b");
  rule.shadow_restarted();
  rule.answered(10, "a");
  rule.answered(20, "b");
  rule.answered(30, "c");
  CHECK(rule.take() == Answers{"a", "b", "c"});
}

TEST_CASE("answers that wait are bounded") {
  QueryRule rule;
  rule.live_from(0);
  for (std::uint64_t i = 1; i < 1000; ++i) rule.answered(i, std::string(1000, 'x'));
  rule.live_over();
  CHECK(rule.take().size() == 65);
}

TEST_CASE("status queries: eight at once, then one a second") {
  QueryBudget budget;
  Instant now{100'000'000'000};
  int allowed = 0;
  for (int i = 0; i < 100; ++i) allowed += budget.allow(now);
  CHECK(allowed == 8);
  now = now + 999ms;
  CHECK_FALSE(budget.allow(now));
  now = now + 1ms;
  CHECK(budget.allow(now));
  CHECK_FALSE(budget.allow(now));
  now = now + 60s;
  for (int i = 0; i < 100; ++i) allowed += budget.allow(now);
  CHECK(allowed == 16);
}

TEST_CASE("the status answer ends as the question did") {
  CHECK(status_answer(Scanner::Terminator::bell) == "\033]7501;?\a");
  CHECK(status_answer(Scanner::Terminator::string_terminator) == "\033]7501;?\033\\");
}
