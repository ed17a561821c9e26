// Time as an argument. Code that decides takes an Instant; only the edge of the program asks a Clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace holdfast {

using Duration = std::chrono::nanoseconds;
using namespace std::chrono_literals;

// A point on the monotonic clock (CLOCK_MONOTONIC; CLOCK_BOOTTIME is not wanted: a suspended host is not a slow one).
struct Instant {
  std::int64_t ns = 0;
  friend auto operator<=>(Instant, Instant) = default;
  friend Duration operator-(Instant a, Instant b) { return Duration(a.ns - b.ns); }
  friend Instant operator+(Instant a, Duration d) { return Instant{a.ns + d.count()}; }
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
  // Milliseconds since the Unix epoch, for records that people and other hosts read.
  virtual std::int64_t wall_ms() const = 0;
};

class SystemClock final : public Clock {
 public:
  Instant now() const override;
  std::int64_t wall_ms() const override;
};

// A clock that stands still until a test moves it.
class ManualClock final : public Clock {
 public:
  Instant now() const override { return now_; }
  std::int64_t wall_ms() const override { return wall_ms_; }
  void advance(Duration by) {
    now_ = now_ + by;
    wall_ms_ += by.count() / 1'000'000;
  }

 private:
  Instant now_{1'000'000'000};
  std::int64_t wall_ms_ = 1'767'225'600'000;
};

}  // namespace holdfast
