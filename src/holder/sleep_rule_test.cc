#include "holder/sleep_rule.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::holder;

namespace {

QuietFacts quiet_for(Duration time) {
  return {.sleep_after = 10min, .now = Instant{0} + time, .stirred = Instant{0}, .watched = false, .awake = true};
}

}  // namespace

TEST_CASE("a session sleeps once it has been quiet for so long, and is looked at only then") {
  const Quiet early = decide_quiet(quiet_for(599s));
  CHECK_FALSE(early.may_sleep);
  CHECK(early.look_at == Instant{0} + Duration(600s));
  const Quiet due = decide_quiet(quiet_for(600s));
  CHECK(due.may_sleep);
  CHECK_FALSE(due.look_at);
}

TEST_CASE("a session that is watched never sleeps, and one that may not or does already is not looked at") {
  QuietFacts watched = quiet_for(1h), never = quiet_for(1h), asleep = quiet_for(1h);
  watched.watched = true;
  never.sleep_after = Duration::zero();
  asleep.awake = false;
  for (const QuietFacts& facts : {watched, never, asleep}) {
    CHECK_FALSE(decide_quiet(facts).may_sleep);
    CHECK_FALSE(decide_quiet(facts).look_at);
  }
}
