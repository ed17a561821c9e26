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

bool ReplyFilter::pass(const wire::InputToken& token, Instant now) {
  using Kind = wire::InputKind;
  const bool focus = token.kind == Kind::focus_in || token.kind == Kind::focus_out;
  if (token.kind != Kind::reply && !focus) return true;
  if (token.kind == Kind::reply) {
    if (keyboard_flags_asked_) {
      if (const auto flags = keyboard_flags_of(token.bytes)) {
        keyboard_flags_ = *flags;
        keyboard_flags_asked_ = false;
        return false;
      }
    }
    // However late it comes, it is the answer to our fence: answers keep the order of their questions.
    if (fences_ > 0 && token.bytes == kFenceAnswer) {
      if (--fences_ == 0) until_.reset();
      keyboard_flags_asked_ = false;  // asked before the fence: this terminal does not know the question
      return false;
    }
  }
  return !filtering(now);
}

}  // namespace holdfast::client
