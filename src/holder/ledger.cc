#include "holder/ledger.h"

#include <algorithm>

namespace holdfast::holder {
namespace {

// Of one terminal, in number. A program that asks more without waiting has given up on the first.
constexpr std::size_t kOwedMax = 256, kEarlyMax = 256;
// Streams that VTD may still be behind: each needs a dropped backlog or another picture.
constexpr std::size_t kStreamsMax = 16;

// Of a shape, bytes: three times the longest that terminals are known to give.
constexpr std::size_t kShapeBytesMax = 64;

constexpr std::string_view kDigits = "0123456789";

bool is_final(char c) { return c >= 0x40 && c <= 0x7e; }

std::string shape_of_csi(std::string_view body) {
  const auto end = std::ranges::find_if(body, is_final);
  if (end == body.end()) return {};
  const std::string_view parameters(body.begin(), end);
  std::string shape = "[";
  if (!parameters.empty() && parameters[0] >= '<' && parameters[0] <= '?') shape += parameters[0];
  const std::string_view rest = parameters.substr(shape.size() - 1);
  const std::string_view number = rest.substr(0, rest.find_first_not_of(kDigits));
  // Modes and window reports name what they are about first; so do colour schemes, unlike other status reports.
  if (*end == 'y' || *end == 't' || (*end == 'n' && number == "997")) shape += number;
  for (const char c : parameters) {
    if (c >= 0x20 && c < 0x30) shape += c;
  }
  return shape + *end;
}

std::string shape_of_osc(std::string_view body) {
  const std::string_view number = body.substr(0, body.find_first_of(";\a\033"));
  if (number != "4" && number != "5") return "]" + std::string(number);
  // Palettes: which colour.
  return "]" + std::string(body.substr(0, body.find_first_of(";\a\033", number.size() + 1)));
}

// Whether it could be answered, and what is not part of the kind, stands before as digits.
std::string shape_of_dcs(std::string_view body) {
  body.remove_prefix(std::min(body.find_first_not_of(kDigits), body.size()));
  return "P" + std::string(body.substr(0, 2));
}

std::string whole_shape(std::string_view bytes) {
  if (bytes.size() < 3 || bytes[0] != '\033') return {};
  const std::string_view body = bytes.substr(2);
  switch (bytes[1]) {
    case '[':
      return shape_of_csi(body);
    case ']':
      return shape_of_osc(body);
    case 'P':
      return shape_of_dcs(body);
    case '_':
      return "_" + std::string(body.substr(0, 1));
    default:
      return {};
  }
}

}  // namespace

std::string reply_shape(std::string_view bytes) {
  std::string shape = whole_shape(bytes);
  if (shape.size() > kShapeBytesMax) {
    shape.resize(kShapeBytesMax);
    shape.shrink_to_fit();
  }
  return shape;
}

void Ledger::live_from(std::uint64_t offset) {
  live_over();
  live_ = {offset, offset};
  is_live_ = true;
}

void Ledger::live_to(std::uint64_t offset) {
  if (is_live_) live_.to = std::max(live_.to, offset);
}

void Ledger::live_over() {
  if (!is_live_) return;
  is_live_ = false;
  std::erase_if(owed_, [&](const Query& query) { return query.offset > live_.to; });
  if (live_.to == live_.from) return;
  if (over_.size() == kStreamsMax) over_.erase(over_.begin());
  over_.push_back(live_);
}

bool Ledger::is_sent(std::uint64_t offset) const {
  if (is_live_ && offset > live_.from) return true;  // it was, or it will be
  return std::ranges::any_of(over_, [&](const Stream& s) { return offset > s.from && offset <= s.to; });
}

void Ledger::told(std::uint64_t offset, const std::string& shape) {
  // Offsets go up: what was answered before this one was sent is for something that VTD does not know.
  std::erase_if(early_, [&](const Reply& reply) { return reply.sent_to < offset; });
  if (shape.empty() || !is_sent(offset)) return;
  const auto answer =
      std::ranges::find_if(early_, [&](const Reply& r) { return r.shape == shape && offset <= r.sent_to; });
  if (answer != early_.end()) {
    early_.erase(early_.begin(), answer + 1);
    owed_.clear();
    return;
  }
  if (owed_.size() == kOwedMax) owed_.pop_front();
  owed_.push_back({offset, shape});
}

std::optional<std::uint64_t> Ledger::replied(const std::string& shape) {
  if (shape.empty()) return std::nullopt;
  const auto query =
      std::ranges::find_if(owed_, [&](const Query& q) { return q.shape == shape && q.offset <= live_.to; });
  if (query != owed_.end()) {
    const std::uint64_t offset = query->offset;
    owed_.erase(owed_.begin(), query + 1);
    return offset;
  }
  if (early_.size() == kEarlyMax) early_.pop_front();
  early_.push_back({shape, live_.to});
  return std::nullopt;
}

bool Ledger::owes(std::uint64_t offset) const {
  return std::ranges::find(owed_, offset, &Query::offset) != owed_.end();
}

}  // namespace holdfast::holder
