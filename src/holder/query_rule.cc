#include "holder/query_rule.h"

#include <algorithm>
#include <utility>

namespace holdfast::holder {
namespace {

// Answers that wait for the leader's stream, bytes: a program that asks more than this at once does not wait for it.
constexpr std::size_t kPendingBytesMax = 64u << 10;
// Streams remembered while VTD is behind them. Each needs a new leader or a dropped backlog.
constexpr std::size_t kStreamsMax = 256;
// How long a terminal may take for an answer. A program that waits for one longer than this waits for ever, and for any
// other a later answer would look like typed text.
constexpr Duration kAnswerWait = 5s;
// Former leaders that VTD is behind, and answers that wait for it: each needs a person's key, or a terminal's.
constexpr std::size_t kFormersMax = 16, kHeldMax = 64;

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

bool QueryRule::answered(std::uint64_t offset, std::string_view bytes, Instant now) {
  if (offset <= ignore_to_) return false;
  const bool is_new = offset > heard_to_;
  if (is_new) {
    const std::string shape = reply_shape(bytes);
    for (Former& former : formers_) former.ledger.told(offset, shape);
  }
  heard_to_ = std::max(heard_to_, offset);
  // Everything asked before it was told before it.
  parsed_ = std::max(parsed_, offset - 1);
  if (pending_bytes_ + bytes.size() > kPendingBytesMax) return is_new;
  pending_bytes_ += bytes.size();
  pending_.push_back({offset, std::string(bytes), now});
  return is_new;
}

void QueryRule::parsed_to(std::uint64_t offset) {
  parsed_ = std::max(parsed_, offset);
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

void QueryRule::keep(Pending answer) {
  kept_bytes_ += answer.bytes.size();
  kept_.push_back(std::move(answer));
  while (kept_bytes_ > kPendingBytesMax) {
    kept_bytes_ -= kept_.front().bytes.size();
    kept_.pop_front();
  }
}

std::vector<std::string> QueryRule::take(Ledger* leader, Instant now) {
  while (!pending_.empty()) {
    const Fate what = fate(pending_.front().offset);
    if (what == Fate::wait) break;
    Pending answer = std::move(pending_.front());
    pending_.pop_front();
    pending_bytes_ -= answer.bytes.size();
    if (what == Fate::deliver) out_.push_back(std::move(answer.bytes));
    if (what == Fate::drop) keep(std::move(answer));
  }
  resolve_formers(now);
  judge_held(leader, now);
  while (!kept_.empty() && now - kept_.front().told > kAnswerWait) {
    kept_bytes_ -= kept_.front().bytes.size();
    kept_.pop_front();
  }
  return std::exchange(out_, {});
}

// ---- a change of the leader

void QueryRule::leader_changed(Ledger* before, std::uint64_t sent, Instant now) {
  live_over();
  if (before != nullptr) {
    if (formers_.size() == kFormersMax) formers_.erase(formers_.begin());
    formers_.push_back({*before, before->sent_to()});
    formers_.back().ledger.live_over();
    // What is held was not delivered: VTD answers instead. That terminal has answered, though.
    for (const std::string& bytes : held_) before->replied(reply_shape(bytes));
  }
  held_.clear();
  observed_to_ = sent;
  led_since_ = now;
}

// What a former leader was sent and has not answered, VTD answers.
void QueryRule::resolve_formers(Instant now) {
  std::erase_if(formers_, [&](const Former& former) {
    if (parsed_ < former.sent) return false;
    std::erase_if(kept_, [&](Pending& answer) {
      if (answer.offset > former.sent) return false;
      kept_bytes_ -= answer.bytes.size();
      const bool is_owed = former.ledger.owes(answer.offset) && now - answer.told <= kAnswerWait;
      if (is_owed) out_.push_back(std::move(answer.bytes));
      return true;  // a terminal has answered it, or nobody will
    });
    return true;
  });
}

bool QueryRule::judges(const Ledger& leader, Instant now) const {
  if (observed_to_ == 0 || now - led_since_ > kAnswerWait) return !held_.empty();
  return parsed_ < observed_to_ || leader.owes_up_to(observed_to_);
}

QueryRule::Verdict QueryRule::replied(Ledger& leader, std::string_view bytes, Instant now) {
  const std::string shape = reply_shape(bytes);
  const bool is_piece = !bytes.starts_with('\033');
  if (is_piece && verdict_ == Verdict::hold && !held_.empty()) held_.back() += bytes;
  if (is_piece) return verdict_;
  if (!judges(leader, now)) {
    leader.replied(shape);
    return verdict_ = Verdict::deliver;
  }
  if (parsed_ < observed_to_) {
    if (held_.size() == kHeldMax) return verdict_ = Verdict::drop;
    held_.emplace_back(bytes);
    return verdict_ = Verdict::hold;
  }
  const auto query = leader.replied(shape);
  return verdict_ = query && *query <= observed_to_ ? Verdict::drop : Verdict::deliver;
}

void QueryRule::judge_held(Ledger* leader, Instant now) {
  const bool late = now - led_since_ > kAnswerWait;
  if (held_.empty() || leader == nullptr || (parsed_ < observed_to_ && !late)) return;
  for (std::string& bytes : std::exchange(held_, {})) {
    const auto query = leader->replied(reply_shape(bytes));
    if (!query || *query > observed_to_) out_.push_back(std::move(bytes));
  }
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
