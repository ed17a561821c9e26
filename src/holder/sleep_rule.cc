#include "holder/sleep_rule.h"

namespace holdfast::holder {

Quiet decide_quiet(const QuietFacts& facts) {
  if (facts.sleep_after <= Duration::zero() || facts.watched || !facts.awake) return {};
  const Instant due = facts.stirred + facts.sleep_after;
  if (facts.now < due) return {.may_sleep = false, .look_at = due};
  return {.may_sleep = true};
}

}  // namespace holdfast::holder
