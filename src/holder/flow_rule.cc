#include "holder/flow_rule.h"

#include <algorithm>

namespace holdfast::holder {

void DrainMeter::took(Instant now, std::uint64_t bytes) {
  const std::int64_t number = slot_number(now);
  Slot& slot = slots_[static_cast<std::size_t>(number % kSlots)];
  if (slot.number != number) slot = {number, 0};
  slot.bytes += bytes;
}

std::uint64_t DrainMeter::recent(Instant now) const {
  const std::int64_t number = slot_number(now);
  std::uint64_t sum = 0;
  for (const Slot& slot : slots_) {
    if (slot.number > number - kSlots) sum += slot.bytes;
  }
  return sum;
}

BacklogAction decide_backlog(const BacklogFacts& facts) {
  if (facts.role == Role::leader && facts.lag >= (facts.paused ? kResumeBelowBytes : kLeaderQueueBytes)) {
    if (facts.flow == store::Flow::lossless) return BacklogAction::pause;
    if (facts.flow == store::Flow::automatic && facts.drained >= kWorthWaitingBytes) return BacklogAction::pause;
  }
  return facts.lag < limits::kClientBacklogBytes ? BacklogAction::keep : BacklogAction::drop;
}

void ParseMeter::acknowledged(Instant now, std::uint64_t bytes) {
  if (bytes == 0) return;
  // As fast as it may ever have to be: what it may lag, in the time it has to catch up.
  constexpr std::uint64_t kFastest = limits::kVtdLagBytes * static_cast<std::uint64_t>(Duration(1s) / kCatchUp);
  const Duration took = std::max(now - since_, Duration(1));
  const double speed = static_cast<double>(bytes) * 1e9 / static_cast<double>(took.count());
  const std::uint64_t shown = speed < kFastest ? static_cast<std::uint64_t>(speed) + 1 : kFastest;
  if (bytes_a_second_ == 0)
    bytes_a_second_ = shown;
  else if (took > kWakeUp || shown > bytes_a_second_)
    bytes_a_second_ = (bytes_a_second_ + shown + 1) / 2;
  since_ = now;
}

std::uint64_t shadow_allowance(const ShadowFacts& facts) {
  if (!facts.running) return UINT64_MAX;
  const std::uint64_t lag = facts.head - std::min(facts.head, facts.parsed);
  const std::uint64_t in_time = facts.bytes_a_second / static_cast<std::uint64_t>(Duration(1s) / kCatchUp);
  const std::uint64_t most = facts.bytes_a_second == 0
                                 ? kShadowLagFirst
                                 : std::clamp<std::uint64_t>(in_time, kShadowLagMin, limits::kVtdLagBytes);
  const std::uint64_t by_lag = most - std::min(most, lag);
  const std::uint64_t uncovered = facts.head - std::min(facts.head, facts.checkpoint);
  const std::uint64_t by_ring = facts.ring_bytes - std::min(facts.ring_bytes, uncovered);
  return std::min(by_lag, by_ring);
}

}  // namespace holdfast::holder
