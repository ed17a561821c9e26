// The key that leaves a session (docs/cli.md, "Detach key"): recognised in every form a terminal may send it in.
//
// Pure: tokens and times in, a verdict out. Pressed once it leaves, pressed twice it is sent once; it is never looked
// for inside a paste.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "wire/terminal_input.h"

namespace holdfast::client {

class DetachKey {
 public:
  DetachKey() = default;  // none
  // "ctrl-\", "ctrl-]", "ctrl-x" (any letter that is no key of its own), "none".
  // Error kind usage: anything else, and keys a terminal cannot tell from Tab, Enter and Esc.
  static Result<DetachKey> parse(std::string_view text);

  enum class Match { none, press, repeat, release };
  // `key`: one key as the terminal sent it: the control character, `CSI 92;5u` (kitty; with event types, alternate
  // keys and lock bits) or `CSI 27;5;92~` (modifyOtherKeys).
  Match match(std::string_view key) const;
  bool enabled() const { return code_ != 0; }
  // For people: "Ctrl-\"; "" when there is none.
  std::string name() const;

 private:
  explicit DetachKey(int code) : code_(code) {}
  int code_ = 0;  // the key without its Ctrl, lower case; 0 = none
};

// What becomes of what was typed while attached.
class DetachRule {
 public:
  // The time in which a second press makes it one key for the program: below the delay of most keyboards' auto-repeat,
  // so that a key held down still leaves.
  static constexpr Duration kTwiceWithin = 250ms;

  explicit DetachRule(DetachKey key) : key_(key) {}

  // Appends to `forward` what goes to the program. After it, ask leaving(): what came behind the key is dropped.
  void feed(const wire::InputToken& token, Instant now, std::string& forward);
  // When time alone decides: at this instant, call expire().
  std::optional<Instant> deadline() const;
  void expire(Instant now);
  bool leaving() const { return state_ == State::leaving; }

 private:
  enum class State { listening, pressed, leaving };
  void key(std::string_view bytes, Instant now, std::string& forward);

  DetachKey key_;
  State state_ = State::listening;
  Instant pressed_at_{};
};

}  // namespace holdfast::client
