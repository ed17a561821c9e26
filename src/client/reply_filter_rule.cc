#include "client/reply_filter_rule.h"

namespace holdfast::client {

namespace {

constexpr std::string_view kFenceAnswer = "\x1b[0n";

// `CSI ? flags u`
std::optional<int> keyboard_flags_of(std::string_view reply) {
  if (!reply.starts_with("\x1b[?") || !reply.ends_with('u') || reply.size() < 5 || reply.size() > 8)
    return std::nullopt;
  int flags = 0;
  for (const char c : reply.substr(3, reply.size() - 4)) {
    if (c < '0' || c > '9') return std::nullopt;
    flags = flags * 10 + (c - '0');
  }
  return flags;
}

// `CSI ? 2027 ; state $ y`
std::optional<ModeReport> clusters_of(std::string_view reply) {
  constexpr std::string_view kStart = "\x1b[?2027;", kEnd = "$y";
  if (reply.size() != kStart.size() + 1 + kEnd.size() || !reply.starts_with(kStart) || !reply.ends_with(kEnd))
    return std::nullopt;
  const char state = reply[kStart.size()];
  if (state < '0' || state > '4') return std::nullopt;
  return static_cast<ModeReport>(state - '0');
}

}  // namespace

void ReplyFilter::restore_begins() {
  restoring_ = true;
  until_.reset();
}

void ReplyFilter::restore_written(Instant now) {
  restoring_ = false;
  until_ = now + kFenceWait;
  ++fences_;
}

bool ReplyFilter::filtering(Instant now) const { return restoring_ || (until_ && now < *until_); }

// Each question is answered once; the next such answer is the program's.
bool ReplyFilter::is_own_answer(std::string_view reply) {
  const auto flags = keyboard_flags_asked_ ? keyboard_flags_of(reply) : std::nullopt;
  const auto clusters = clusters_asked_ ? clusters_of(reply) : std::nullopt;
  if (flags) {
    keyboard_flags_ = *flags;
    keyboard_flags_asked_ = false;
  }
  if (clusters) {
    clusters_ = *clusters;
    clusters_asked_ = false;
  }
  return flags || clusters;
}

bool ReplyFilter::pass(const wire::InputToken& token, Instant now) {
  using Kind = wire::InputKind;
  const bool focus = token.kind == Kind::focus_in || token.kind == Kind::focus_out;
  if (token.kind != Kind::reply && !focus) return true;
  if (token.kind == Kind::reply) {
    if (is_own_answer(token.bytes)) return false;
    // However late it comes, it is the answer to our fence: answers keep the order of their questions.
    if (fences_ > 0 && token.bytes == kFenceAnswer) {
      if (--fences_ == 0) until_.reset();
      // Asked before the fence: this terminal does not know the questions.
      keyboard_flags_asked_ = clusters_asked_ = false;
      return false;
    }
  }
  return !filtering(now);
}

}  // namespace holdfast::client
