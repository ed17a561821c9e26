#include "client/detach_key_rule.h"

#include <array>
#include <cctype>
#include <cstdint>

#include "store/config.h"

namespace holdfast::client {

namespace {

constexpr int kCtrlBit = 4;
constexpr int kLockBits = 64 | 128;  // caps lock, num lock: held or not, the key is the same
constexpr int kEventRepeat = 2, kEventRelease = 3;
// kitty's codes of Shift, Ctrl, Alt … themselves: pressing Ctrl again for a second Ctrl-\ is no other key.
constexpr int kModifierKeyFirst = 57441, kModifierKeyLast = 57454;

// The numbers of `CSI n:n:n;n:n;n… final`: first parameter, first two sub-parameters of the second, the third.
struct CsiKey {
  int first = 0, second = 1, event = 1, third = 0;
  char final = 0;
};

std::optional<CsiKey> parse_csi(std::string_view bytes) {
  if (bytes.size() < 4 || bytes.substr(0, 2) != "\x1b[") return std::nullopt;
  CsiKey key;
  key.final = bytes.back();
  int parameter = 0, part = 0, value = 0;
  bool digits = false;
  auto store = [&] {
    if (!digits) return;
    if (parameter == 0 && part == 0) key.first = value;
    if (parameter == 1 && part == 0) key.second = value;
    if (parameter == 1 && part == 1) key.event = value;
    if (parameter == 2 && part == 0) key.third = value;
  };
  for (const char c : bytes.substr(2, bytes.size() - 3)) {
    if (c >= '0' && c <= '9') {
      if (value < 1'000'000) value = value * 10 + (c - '0');
      digits = true;
      continue;
    }
    if (c != ';' && c != ':') return std::nullopt;
    store();
    value = 0;
    digits = false;
    if (c == ';')
      ++parameter, part = 0;
    else
      ++part;
  }
  store();
  return key;
}

bool is_ctrl_alone(int modifiers) { return ((modifiers - 1) & ~kLockBits) == kCtrlBit; }

bool is_modifier_key(std::string_view bytes) {
  const auto key = parse_csi(bytes);
  return key && key->final == 'u' && key->first >= kModifierKeyFirst && key->first <= kModifierKeyLast;
}

}  // namespace

Result<DetachKey> DetachKey::parse(std::string_view text) {
  if (text == "none") return DetachKey(0);
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (store::is_detach_key(lower)) return DetachKey(lower.back());
  return fail(ErrorKind::usage, "use '" + std::string(text) + "' as the detach key",
              "it is not a key that can be told apart",
              "write ctrl-\\, ctrl-], ctrl- and a letter other than i, j, m, or none");
}

DetachKey::Match DetachKey::match(std::string_view key) const {
  if (!enabled()) return Match::none;
  if (key.size() == 1) return key[0] == (code_ & 0x1f) ? Match::press : Match::none;
  const auto csi = parse_csi(key);
  if (!csi) return Match::none;
  if (csi->final == '~') {
    return csi->first == 27 && is_ctrl_alone(csi->second) && csi->third == code_ ? Match::press : Match::none;
  }
  if (csi->final != 'u' || csi->first != code_ || !is_ctrl_alone(csi->second)) {
    // A release may come after Ctrl was let go first: it is still the release of this key.
    const bool released = csi->final == 'u' && csi->first == code_ && csi->event == kEventRelease;
    return released ? Match::release : Match::none;
  }
  if (csi->event == kEventRelease) return Match::release;
  return csi->event == kEventRepeat ? Match::repeat : Match::press;
}

std::string DetachKey::name() const {
  if (!enabled()) return {};
  return std::string("Ctrl-") + static_cast<char>(std::toupper(code_));
}

void DetachRule::feed(const wire::InputToken& token, Instant now, std::string& forward) {
  using Kind = wire::InputKind;
  if (state_ == State::leaving) return;
  if (token.kind == Kind::key || token.kind == Kind::key_release) {
    if (token.bytes.starts_with('\x1b')) return key(token.bytes, now, forward);
    for (std::size_t i = 0; i < token.bytes.size() && state_ != State::leaving; ++i) {
      key(token.bytes.substr(i, 1), now, forward);
    }
    return;
  }
  if (token.kind == Kind::paste && state_ == State::pressed) {
    state_ = State::leaving;
    return;
  }
  forward += token.bytes;
}

void DetachRule::key(std::string_view bytes, Instant now, std::string& forward) {
  const auto match = key_.match(bytes);
  if (state_ == State::listening) {
    if (match != DetachKey::Match::press) {
      forward += bytes;
      return;
    }
    state_ = State::pressed;
    pressed_at_ = now;
    return;
  }
  if (now - pressed_at_ >= kTwiceWithin) {
    state_ = State::leaving;
    return;
  }
  switch (match) {
    case DetachKey::Match::press:
      forward += bytes;
      state_ = State::listening;
      return;
    case DetachKey::Match::repeat:
    case DetachKey::Match::release:
      return;  // of the press that the program never saw
    case DetachKey::Match::none:
      if (is_modifier_key(bytes) || bytes.find(":3") != std::string_view::npos)
        forward += bytes;
      else
        state_ = State::leaving;
  }
}

std::optional<Instant> DetachRule::deadline() const {
  if (state_ != State::pressed) return std::nullopt;
  return pressed_at_ + kTwiceWithin;
}

void DetachRule::expire(Instant now) {
  if (state_ == State::pressed && now - pressed_at_ >= kTwiceWithin) state_ = State::leaving;
}

}  // namespace holdfast::client
