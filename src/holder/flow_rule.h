// Who may slow the program down, and when a backlog is given up (docs/flow.md). Pure: facts in, decisions out.
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.h"
#include "base/limits.h"
#include "store/config.h"

namespace holdfast::holder {

// A leader whose queue is full is worth waiting for while it takes this many bytes in kDrainWindow: five times slower
// than the slowest terminal measured, so that only a stopped or a hopelessly slow one is given up.
inline constexpr std::uint64_t kWorthWaitingBytes = 1u << 20;
inline constexpr Duration kDrainWindow = 100ms;

// A leader that drains is waited for from this lag on, well before a backlog is dropped: observers, whom nobody waits for,
// are as fast or slow as it is and have the rest to be a little behind it in.
inline constexpr std::uint64_t kLeaderQueueBytes = 1u << 20;
static_assert(kLeaderQueueBytes < limits::kClientBacklogBytes);
// Reading goes on when the leader's lag has fallen to this: some way below the limit, so that the program is not woken
// for every frame the leader takes.
inline constexpr std::uint64_t kResumeBelowBytes = kLeaderQueueBytes / 2;

// How much one client took lately.
class DrainMeter {
 public:
  void took(Instant now, std::uint64_t bytes);
  // Bytes taken in the window that ends now, to the precision of a slot.
  std::uint64_t recent(Instant now) const;

 private:
  static constexpr int kSlots = 4;
  struct Slot {
    std::int64_t number = -1;
    std::uint64_t bytes = 0;
  };
  static std::int64_t slot_number(Instant t) { return t.ns / (kDrainWindow.count() / (kSlots - 1)); }
  std::array<Slot, kSlots> slots_{};
};

enum class Role : std::uint8_t { leader, observer };
enum class BacklogAction : std::uint8_t {
  keep,   // within bounds
  pause,  // reading from the program waits for this client
  drop,   // the client gets a fresh picture when it has drained
};

struct BacklogFacts {
  Role role = Role::observer;
  store::Flow flow = store::Flow::automatic;
  std::uint64_t lag = 0;           // bytes between what the client was sent and what may be sent
  std::uint64_t drained = 0;       // in the last window
  bool paused = false;             // reading waits for this client already
};
BacklogAction decide_backlog(const BacklogFacts& facts);

// How long it may take to catch up: whoever asks for the screen waits for that.
inline constexpr Duration kCatchUp = 500ms;
// Between a word to the shadow terminal and its answer the machine itself may take this long.
inline constexpr Duration kWakeUp = 10ms;

// How fast the shadow terminal parses: a few bytes can write every cell of a large screen. An answer within kWakeUp shows
// that it is as fast as that at least, and nothing else: a key's echo does not make it slow. Counts no faster than it
// may lag, so that a slow stretch shows within a few acknowledgements.
class ParseMeter {
 public:
  void began(Instant now) { since_ = now; }
  void acknowledged(Instant now, std::uint64_t bytes);
  // Of the last few acknowledgements; 0: not known yet.
  std::uint64_t bytes_a_second() const { return bytes_a_second_; }

 private:
  Instant since_{};
  std::uint64_t bytes_a_second_ = 0;
};

// What it may be behind however slow it is, and before its speed is known, bytes.
inline constexpr std::uint64_t kShadowLagMin = 256, kShadowLagFirst = 1u << 10;

struct ShadowFacts {
  bool running = false;            // it is there, and was not given up
  std::uint64_t head = 0;          // bytes read from the program
  std::uint64_t parsed = 0;        // bytes it has acknowledged
  std::uint64_t checkpoint = 0;    // offset a rebuild would start from
  std::uint64_t bytes_a_second = 0;  // it parses; 0: not known
  std::uint64_t ring_bytes = limits::kRingBytes;
};
// How many bytes may be read from the program before the shadow terminal has to catch up (0 = pause). A shadow that is
// not running slows nobody.
std::uint64_t shadow_allowance(const ShadowFacts& facts);

}  // namespace holdfast::holder
