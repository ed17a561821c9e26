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
// Of those answers, bytes: more than any but a clipboard has, and that one is dropped then, not cut.
constexpr std::size_t kHeldBytesMax = 64u << 10;

}  // namespace

void QueryRule::live_from(std::uint64_t offset) {
  live_over();
  live_ = {offset, offset, reign_};
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
  live_ = {offset, offset, reign_};
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
  if (covering(offset) != nullptr) return Fate::keep;
  return state_ == Live::no || offset <= live_.from ? Fate::deliver : Fate::wait;
}

// The stream in which a leading terminal was sent the query that ends there.
const QueryRule::Stream* QueryRule::covering(std::uint64_t offset) const {
  const auto covers = [&](const Stream& s) { return offset > s.from && offset <= s.to; };
  const auto ended = std::ranges::find_if(over_, covers);
  if (ended != over_.end()) return &*ended;
  return state_ != Live::no && covers(live_) ? &live_ : nullptr;
}

// Answers go out in the order of their queries: one that a terminal that led may owe comes before.
bool QueryRule::waits_for_former(std::uint64_t offset) const {
  return std::ranges::any_of(formers_, [&](const Former& former) {
    if (is_decided(former)) return false;
    return std::ranges::any_of(
        kept_, [&](const Pending& kept) { return kept.reign == former.reign && kept.offset < offset; });
  });
}

void QueryRule::keep(Pending answer) {
  kept_bytes_ += answer.bytes.size();
  kept_.push_back(std::move(answer));
  while (kept_bytes_ > kPendingBytesMax) forget_kept();
}

void QueryRule::forget_kept() {
  kept_bytes_ -= kept_.front().bytes.size();
  kept_.pop_front();
}

std::vector<std::string> QueryRule::take(Ledger* leader, Instant now) {
  std::vector<Pending> decided;
  while (!pending_.empty()) {
    const std::uint64_t offset = pending_.front().offset;
    const Fate what = fate(offset);
    if (what == Fate::wait || (what == Fate::deliver && waits_for_former(offset))) break;
    Pending answer = std::move(pending_.front());
    pending_.pop_front();
    pending_bytes_ -= answer.bytes.size();
    if (what == Fate::keep) {
      answer.reign = covering(offset)->reign;
      keep(std::move(answer));
    } else {
      decided.push_back(std::move(answer));
    }
  }
  std::vector<Pending> owed = resolve_formers(now);
  while (!kept_.empty() && now - kept_.front().told > kAnswerWait) forget_kept();
  std::vector<std::string> out;
  auto next = owed.begin();
  for (Pending& answer : decided) {
    for (; next != owed.end() && next->offset <= answer.offset; ++next) out.push_back(std::move(next->bytes));
    out.push_back(std::move(answer.bytes));
  }
  for (; next != owed.end(); ++next) out.push_back(std::move(next->bytes));
  judge_held(leader, now, out);
  return out;
}

// ---- a change of the leader

void QueryRule::leader_changed(Ledger* before, std::uint64_t sent, Instant now) {
  live_over();
  if (before != nullptr) {
    if (formers_.size() == kFormersMax) formers_.erase(formers_.begin());
    formers_.push_back({*before, before->sent_to(), reign_});
    formers_.back().ledger.live_over();
    // What is held was not delivered: VTD answers instead. That terminal has answered, though.
    for (const std::string& bytes : held_) before->replied(reply_shape(bytes));
  }
  held_.clear();
  held_bytes_ = 0;
  verdict_ = Verdict::drop;  // the rest of an answer whose beginning went by before it led
  ++reign_;
  observed_to_ = sent;
  led_since_ = now;
}

// What a former leader was sent and has not answered, VTD answers: in the order of the queries.
std::vector<QueryRule::Pending> QueryRule::resolve_formers(Instant now) {
  std::vector<Pending> owed;
  std::erase_if(kept_, [&](Pending& answer) {
    const auto former = std::ranges::find(formers_, answer.reign, &Former::reign);
    if (former == formers_.end() || !is_decided(*former) || answer.offset > former->sent) return false;
    kept_bytes_ -= answer.bytes.size();
    const bool is_owed = former->ledger.owes(answer.offset) && now - answer.told <= kAnswerWait;
    if (is_owed) owed.push_back(std::move(answer));
    return true;  // the terminal has answered it, or nobody will
  });
  std::erase_if(formers_, [&](const Former& former) { return is_decided(former); });
  return owed;
}

bool QueryRule::is_late(Instant now) const { return now - led_since_ >= kAnswerWait; }

bool QueryRule::judges(const Ledger& leader, Instant now) const {
  if (!held_.empty()) return true;
  if (observed_to_ == 0 || is_late(now)) return false;
  return parsed_ < observed_to_ || leader.owes_up_to(observed_to_);
}

std::optional<Instant> QueryRule::due() const {
  if (held_.empty()) return std::nullopt;
  return led_since_ + kAnswerWait;
}

QueryRule::Verdict QueryRule::hold(std::string_view bytes) {
  if (held_.size() == kHeldMax || held_bytes_ + bytes.size() > kHeldBytesMax) return Verdict::drop;
  held_bytes_ += bytes.size();
  held_.emplace_back(bytes);
  return Verdict::hold;
}

QueryRule::Verdict QueryRule::replied(Ledger& leader, const wire::InputToken& token, Instant now) {
  if (token.continues && verdict_ == Verdict::hold) {
    const std::string whole = std::move(held_.back()) + std::string(token.bytes);
    held_bytes_ -= whole.size() - token.bytes.size();
    held_.pop_back();
    verdict_ = hold(whole);
  }
  if (token.continues) return verdict_;
  const std::string shape = reply_shape(token.bytes);
  if (!judges(leader, now)) {
    leader.replied(shape);
    return verdict_ = Verdict::deliver;
  }
  // Behind one that is held the next ones wait too: a terminal's answers stay in their order.
  if (parsed_ < observed_to_ || !held_.empty()) return verdict_ = hold(token.bytes);
  const auto query = leader.replied(shape);
  return verdict_ = query && *query <= observed_to_ ? Verdict::drop : Verdict::deliver;
}

void QueryRule::judge_held(Ledger* leader, Instant now, std::vector<std::string>& out) {
  if (held_.empty() || leader == nullptr || (parsed_ < observed_to_ && !is_late(now))) return;
  Verdict last = Verdict::drop;
  for (std::string& bytes : std::exchange(held_, {})) {
    const auto query = leader->replied(reply_shape(bytes));
    last = query && *query <= observed_to_ ? Verdict::drop : Verdict::deliver;
    if (last == Verdict::deliver) out.push_back(std::move(bytes));
  }
  held_bytes_ = 0;
  // Of the last one pieces may be still to come.
  if (verdict_ == Verdict::hold) verdict_ = last;
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
