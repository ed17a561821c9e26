// When a session's shadow terminal may go to sleep (docs/vtd.md, "Sleep"). Pure: facts in, a decision out.
#pragma once

#include <optional>

#include "base/clock.h"

namespace holdfast::holder {

struct QuietFacts {
  Duration sleep_after{0};   // without output, input, reads and anybody attached; zero: never
  Instant now, stirred;      // stirred: the last of those
  bool watched = false;      // somebody is attached, or is still being sent what the session wrote
  bool awake = false;        // there is a shadow terminal that could sleep
};

struct Quiet {
  bool may_sleep = false;
  std::optional<Instant> look_at{};  // nothing else may wake the holder then
};
Quiet decide_quiet(const QuietFacts& facts);

}  // namespace holdfast::holder
