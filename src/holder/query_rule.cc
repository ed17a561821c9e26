#include "holder/query_rule.h"

#include <algorithm>

namespace holdfast::holder {
namespace {

// Answers that wait for the leader's stream, bytes: a program that asks more than this at once does not wait for it.
constexpr std::size_t kPendingBytesMax = 64u << 10;
// Streams remembered while VTD is behind them. Each needs a new leader or a dropped backlog.
constexpr std::size_t kStreamsMax = 256;

}  // namespace

void QueryRule::live_from(std::uint64_t offset) {
  live_over();
  live_ = {offset, offset};
  state_ = Live::yes;
}

void QueryRule::live_to(std::uint64_t offset) { live_.to = std::max(live_.to, offset); }

void QueryRule::live_over() {
  if (state_ == Live::yes && live_.to > live_.from) {
    if (over_.size() == kStreamsMax) over_.erase(over_.begin());
    over_.push_back(live_);
  }
  state_ = Live::no;
}

void QueryRule::live_soon(std::uint64_t offset) {
  live_over();
  live_ = {offset, offset};
  state_ = Live::soon;
}

void QueryRule::answered(std::uint64_t offset, std::string_view bytes) {
  if (offset <= ignore_to_) return;
  heard_to_ = std::max(heard_to_, offset);
  if (pending_bytes_ + bytes.size() > kPendingBytesMax) return;
  pending_bytes_ += bytes.size();
  pending_.push_back({offset, std::string(bytes)});
}

void QueryRule::parsed_to(std::uint64_t offset) {
  const std::uint64_t needed_from = pending_.empty() ? offset : std::min(offset, pending_.front().offset - 1);
  std::erase_if(over_, [&](const Stream& stream) { return stream.to <= needed_from; });
}

QueryRule::Fate QueryRule::fate(std::uint64_t offset) const {
  const bool was_covered =
      std::ranges::any_of(over_, [&](const Stream& s) { return offset > s.from && offset <= s.to; });
  if (was_covered) return Fate::drop;
  if (state_ == Live::no || offset <= live_.from) return Fate::deliver;
  return offset <= live_.to ? Fate::drop : Fate::wait;
}

std::vector<std::string> QueryRule::take() {
  std::vector<std::string> out;
  while (!pending_.empty()) {
    const Fate what = fate(pending_.front().offset);
    if (what == Fate::wait) break;
    pending_bytes_ -= pending_.front().bytes.size();
    if (what == Fate::deliver) out.push_back(std::move(pending_.front().bytes));
    pending_.pop_front();
  }
  return out;
}

bool QueryBudget::allow(Instant now) {
  const auto whole = (now - refilled_) / kRefill;
  if (whole > 0) {
    tokens_ = static_cast<int>(std::min<std::int64_t>(kBurst, tokens_ + whole));
    refilled_ = now;
  }
  if (tokens_ == 0) return false;
  --tokens_;
  return true;
}

std::string status_answer(Scanner::Terminator terminator) {
  return terminator == Scanner::Terminator::bell ? "\033]7501;?\a" : "\033]7501;?\033\\";
}

}  // namespace holdfast::holder
