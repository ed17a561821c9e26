// Ending a program: ask, wait, insist (decisions 21). Pure: facts and time in, the next step out.
#pragma once

#include <cstdint>
#include <algorithm>
#include <optional>

#include "base/clock.h"

namespace holdfast::holder {

class KillRule {
 public:
  enum class Step : std::uint8_t {
    hang_up,   // HUP and CONT to the program's session and the foreground group
    kill_all,  // KILL to every process of the tree
    done,      // program and tree are gone, or nothing more can be done
  };
  struct Next {
    std::optional<Step> step;       // to do now
    std::optional<Instant> look_at;  // when to ask again
  };

  KillRule(Instant now, Duration grace) : deadline_(now + grace) {}

  // Asked at once, at the times it names, and when the program ends. `tree_empty`: no process of the session is left.
  Next next(Instant now, bool program_ended, bool tree_empty);
  // A second kill with less patience.
  void hurry(Instant now, Duration grace) { deadline_ = std::min(deadline_, now + grace); }

 private:
  static constexpr Duration kOrphanGrace = 100ms;  // for processes that outlive the program, to react to the HUP
  static constexpr Duration kKillPause = 10ms;     // between rounds: a tree that forks may slip through one
  static constexpr int kKillRoundsMax = 50;        // then the rest is beyond us (uninterruptible, or another uid)

  enum class Phase : std::uint8_t { asked, waiting, killing, done } phase_ = Phase::asked;
  Instant deadline_;
  std::optional<Instant> ended_at_;
  int rounds_ = 0;
};

}  // namespace holdfast::holder
