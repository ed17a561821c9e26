#include "holder/kill_rule.h"

#include <algorithm>

namespace holdfast::holder {

KillRule::Next KillRule::next(Instant now, bool program_ended, bool tree_empty) {
  if (program_ended && !ended_at_) {
    ended_at_ = now;
    deadline_ = std::min(deadline_, now + kOrphanGrace);
  }
  if (program_ended && tree_empty) phase_ = Phase::done;
  switch (phase_) {
    case Phase::asked:
      phase_ = Phase::waiting;
      return {Step::hang_up, deadline_};
    case Phase::waiting:
      if (now < deadline_) return {std::nullopt, deadline_};
      phase_ = Phase::killing;
      [[fallthrough]];
    case Phase::killing:
      if (rounds_++ < kKillRoundsMax) return {Step::kill_all, now + kKillPause};
      phase_ = Phase::done;
      [[fallthrough]];
    case Phase::done: return {Step::done, std::nullopt};
  }
  return {Step::done, std::nullopt};
}

}  // namespace holdfast::holder
