#include "wire/terminal_input.h"

#include <algorithm>
#include <cstring>

namespace holdfast::wire {
namespace {

// Bytes of an unfinished string (OSC, DCS, APC) held back before it is given out in pieces: more than any answer but a
// clipboard needs.
constexpr std::size_t kHeldStringBytesMax = 4096;
// A control sequence longer than this is not one.
constexpr std::size_t kSequenceBytesMax = 256;

constexpr char kEscape = '\033';
constexpr std::string_view kPasteEnd = "\033[201~";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// A string as terminals send it: ESC ] (OSC), ESC P (DCS), ESC _ (APC).
bool opens_string(char c) { return c == ']' || c == 'P' || c == '_'; }

// Length of the longest suffix of `bytes` that is a proper prefix of `word`.
std::size_t partial_match(std::string_view bytes, std::string_view word) {
  for (std::size_t n = std::min(bytes.size(), word.size() - 1); n > 0; --n) {
    if (bytes.substr(bytes.size() - n) == word.substr(0, n)) return n;
  }
  return 0;
}

// Where a string that starts (or goes on) at `from` ends: the index behind BEL or ST. npos: not yet. A control
// character that cannot stand in an answer ends it too, so that a stray ESC ] never makes a keyboard mute.
struct StringEnd {
  std::size_t at = std::string_view::npos;
};
StringEnd find_string_end(std::string_view bytes, std::size_t from) {
  for (std::size_t i = from; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (!is_control(c)) continue;
    if (c == '\a') return {i + 1};
    if (c != kEscape) return {i};
    if (i + 1 == bytes.size()) return {};
    return {bytes[i + 1] == '\\' ? i + 2 : i};
  }
  return {};
}

// The last sub-parameter of the second parameter: kitty's event type (1 press, 2 repeat, 3 release).
bool is_release(std::string_view parameters) {
  const std::size_t semicolon = parameters.find(';');
  if (semicolon == std::string_view::npos) return false;
  std::string_view second = parameters.substr(semicolon + 1);
  second = second.substr(0, second.find(';'));
  const std::size_t colon = second.find(':');
  return colon != std::string_view::npos && second.substr(colon + 1) == "3";
}

// `body`: what stands between CSI and the final byte.
InputKind classify_csi(std::string_view body, char final) {
  if (body.empty() && final == 'I') return InputKind::focus_in;
  if (body.empty() && final == 'O') return InputKind::focus_out;
  const char marker = body.empty() ? '\0' : body.front();
  if (marker == '<' && (final == 'M' || final == 'm')) return InputKind::mouse;
  if (marker == '?' || marker == '>' || marker == '=' || marker == '<') return InputKind::reply;
  if (!body.empty() && body.back() == '&' && final == 'w') return InputKind::mouse;  // DEC locator
  if (std::ranges::any_of(body, [](char c) { return c >= 0x20 && c < 0x30; })) return InputKind::reply;
  switch (final) {
    case 'M': return InputKind::mouse;  // urxvt encoding
    // CPR, DSR, DA without a marker, window reports and in-band sizes, DECREPTPARM. A modified F3 (`CSI 1;2R`) looks
    // like a cursor report and is taken for one: the leader's replies pass, so its F3 works.
    case 'R':
    case 'n':
    case 'c':
    case 't':
    case 'x': return InputKind::reply;
    default: return is_release(body) ? InputKind::key_release : InputKind::key;
  }
}

}  // namespace

void InputScanner::begin(std::string_view bytes) {
  work_ = std::move(held_);
  held_.clear();
  work_ += bytes;
  at_ = 0;
}

bool InputScanner::give(InputToken& token, InputKind kind, std::size_t bytes) {
  token = {kind, std::string_view(work_).substr(at_, bytes), piece_given_};
  piece_given_ = state_ != State::ground;
  at_ += bytes;
  return true;
}

bool InputScanner::hold() {
  held_ = work_.substr(at_);
  at_ = work_.size();
  return false;
}

bool InputScanner::next(InputToken& token) {
  if (at_ == work_.size()) {
    // Not kept: a paste would stay in memory for ever. A keystroke's worth stays, it costs nothing.
    if (work_.capacity() > kHeldStringBytesMax) std::string().swap(work_);
    else work_.clear();
    at_ = 0;
    return false;
  }
  if (state_ == State::paste) return next_in_paste(token);
  if (state_ == State::string) return next_in_string(token);

  const std::string_view rest = std::string_view(work_).substr(at_);
  const std::size_t escape = rest.find(kEscape);
  if (escape != 0) return give(token, InputKind::key, std::min(escape, rest.size()));
  if (rest.size() == 1) return hold();
  if (rest[1] == '[') return next_csi(token);
  if (rest[1] == 'O') return rest.size() == 2 ? hold() : give(token, InputKind::key, rest[2] == kEscape ? 2 : 3);
  if (opens_string(rest[1])) return next_string(token);
  // Alt and a key; ESC ESC … is Escape followed by something else.
  return give(token, InputKind::key, rest[1] == kEscape ? 1 : 2);
}

bool InputScanner::next_csi(InputToken& token) {
  const std::string_view rest = std::string_view(work_).substr(at_);
  std::size_t i = 2;
  if (rest.size() > 2 && rest[2] == '[') ++i;  // function keys of the Linux console: CSI [ A
  while (i < rest.size() && i < kSequenceBytesMax && rest[i] >= 0x20 && rest[i] < 0x40) ++i;
  if (i == rest.size()) return hold();
  if (i == kSequenceBytesMax || is_control(rest[i]) || static_cast<unsigned char>(rest[i]) >= 0x80) {
    return give(token, InputKind::key, i);  // not a sequence; what comes next starts anew
  }
  const std::string_view body = rest.substr(2, i - 2);
  if (body.empty() && rest[i] == 'M') {  // X10: three raw bytes, or characters with mode ?1005
    std::size_t end = i + 1;
    for (int n = 0; n < 3; ++n) {
      if (end >= rest.size()) return hold();
      const auto c = static_cast<unsigned char>(rest[end++]);
      if (c < 0xc2 || c > 0xdf) continue;
      if (end == rest.size()) return hold();
      if ((static_cast<unsigned char>(rest[end]) & 0xc0) == 0x80) ++end;
    }
    return give(token, InputKind::mouse, end);
  }
  if (body == "200" && rest[i] == '~') {
    state_ = State::paste;
    return give(token, InputKind::paste, i + 1);
  }
  return give(token, classify_csi(body, rest[i]), i + 1);
}

bool InputScanner::next_in_paste(InputToken& token) {
  const std::string_view rest = std::string_view(work_).substr(at_);
  const std::size_t end = rest.find(kPasteEnd);
  if (end != std::string_view::npos) {
    state_ = State::ground;
    return give(token, InputKind::paste, end + kPasteEnd.size());
  }
  const std::size_t whole = rest.size() - partial_match(rest, kPasteEnd);
  return whole == 0 ? hold() : give(token, InputKind::paste, whole);
}

bool InputScanner::next_string(InputToken& token) {
  const std::string_view rest = std::string_view(work_).substr(at_);
  const StringEnd end = find_string_end(rest, 2);
  if (end.at == 2) return give(token, InputKind::key, 2);  // Alt and a key, then a control character
  if (end.at != std::string_view::npos) return give(token, InputKind::reply, end.at);
  if (rest.size() <= kHeldStringBytesMax) return hold();
  state_ = State::string;
  return next_in_string(token);
}

bool InputScanner::next_in_string(InputToken& token) {
  const std::string_view rest = std::string_view(work_).substr(at_);
  // The first piece starts with the opening ESC.
  const StringEnd end = find_string_end(rest, piece_given_ ? 0 : 2);
  if (end.at != std::string_view::npos) {
    state_ = State::ground;
    if (end.at > 0) return give(token, InputKind::reply, end.at);
    piece_given_ = false;
    return next(token);
  }
  const std::size_t whole = rest.size() - (rest.back() == kEscape ? 1 : 0);
  return whole == 0 ? hold() : give(token, InputKind::reply, whole);
}

bool InputScanner::flush_next(InputToken& token) {
  if (held_.empty()) return false;
  work_ = std::move(held_);
  held_.clear();
  at_ = 0;
  const std::string_view rest = work_;
  if (state_ == State::paste) return give(token, InputKind::paste, rest.size());
  if (state_ == State::string) return give(token, InputKind::reply, rest.size());
  if (rest.size() <= 2) return give(token, InputKind::key, rest.size());
  if (opens_string(rest[1])) {
    state_ = State::string;
    return give(token, InputKind::reply, rest.size());
  }
  if (rest[1] != '[') return give(token, InputKind::key, rest.size());
  const bool is_mouse = rest[2] == 'M' || rest[2] == '<';
  const bool is_reply = rest[2] == '?' || rest[2] == '>' || rest[2] == '=';
  return give(token, is_mouse ? InputKind::mouse : is_reply ? InputKind::reply : InputKind::key, rest.size());
}

}  // namespace holdfast::wire
