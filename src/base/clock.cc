#include "base/clock.h"

#include <ctime>

namespace holdfast {

Instant SystemClock::now() const {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return Instant{t.tv_sec * 1'000'000'000LL + t.tv_nsec};
}

std::int64_t SystemClock::wall_ms() const {
  timespec t{};
  ::clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1'000'000;
}

}  // namespace holdfast
