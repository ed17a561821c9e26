// What a terminal sends, cut into tokens: keys, replies to queries, mouse, focus, paste (docs/protocol.md, "Input").
//
// Pure and incremental: a token may be split over any number of calls. Used by the holder (who may lead, which replies
// pass) and by the attach client (detach key, the fence after a restore).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::wire {

enum class InputKind : std::uint8_t {
  key,          // text, control characters, keys: someone typed
  key_release,  // a kitty release event
  paste,        // bytes between CSI 200~ and CSI 201~, including both; given out in pieces
  mouse,
  focus_in,     // CSI I
  focus_out,    // CSI O
  reply,        // DA, CPR, DECRPM, XTVERSION, OSC and DCS answers, size reports, kitty flags, colour scheme
};

struct InputToken {
  InputKind kind;
  std::string_view bytes;  // as received
  bool continues = false;  // a further piece of a long reply or a paste whose first was given out before
};

class InputScanner {
 public:
  // Calls `f(InputToken)` for each token of `bytes` in order. Bytes of an unfinished token are held back.
  template <typename F>
  void feed(std::string_view bytes, F&& f) {
    begin(bytes);
    InputToken token;
    while (next(token)) f(token);
  }
  // An unfinished token that no more bytes follow within the escape time: a lone ESC (or ESC and one byte) was a key;
  // of something longer it gives out what is there, and the rest of a string stays a reply when it comes.
  template <typename F>
  void flush(F&& f) {
    InputToken token;
    while (flush_next(token)) f(token);
  }
  bool pending() const { return !held_.empty(); }
  // Something was begun: bytes are held back, or further pieces of a token belong to those given out.
  bool is_amid_token() const { return pending() || state_ != State::ground; }

 private:
  // Where the next byte stands: between tokens, or in the middle of one that is given out in pieces.
  enum class State : std::uint8_t { ground, paste, string };

  void begin(std::string_view bytes);
  bool next(InputToken& token);
  bool flush_next(InputToken& token);
  bool give(InputToken& token, InputKind kind, std::size_t bytes);
  bool hold();
  bool next_in_paste(InputToken& token);
  bool next_in_string(InputToken& token);
  bool next_string(InputToken& token);
  bool next_csi(InputToken& token);

  std::string held_;  // unfinished token; bounded: see terminal_input.cc
  std::string work_;
  std::size_t at_ = 0;
  State state_ = State::ground;
  bool piece_given_ = false;  // of the token at hand
};

}  // namespace holdfast::wire
