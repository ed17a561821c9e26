// Scanner: finds the two sequences that are rewritten on the way to clients, and knows how far bytes may go out.
//
// Pure and incremental; runs over every byte the program writes, so it looks only for ESC and follows strings (OSC,
// DCS, APC, PM, SOS), in which the sequences do not count. Control sequences need no following: no ESC stands inside.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "holder/edits.h"

namespace holdfast::holder {

class Scanner {
 public:
  // `offset`: of the first byte that will be fed.
  explicit Scanner(std::uint64_t offset = 0) : position_(offset) {}

  // How a status query was ended; the answer ends the same way.
  enum class Terminator : std::uint8_t { bell, string_terminator };
  struct Query {
    std::uint64_t end;  // offset one past it
    Terminator terminator;
  };
  struct Findings {
    std::vector<Edit> edits;
    std::vector<Query> queries;
  };

  // Scans the next bytes and appends what it finds.
  void feed(std::string_view bytes, Findings& findings);

  std::uint64_t position() const { return position_; }
  // Bytes below this offset may go out: the rest (at most 9 bytes) may become a sequence that is rewritten.
  std::uint64_t safe() const { return holds_back() ? begin_ : position_; }

 private:
  enum class State : std::uint8_t {
    ground,
    escape,        // behind ESC
    word,          // behind ESC ], the bytes so far are a prefix of one of the words
    word_escape,   // behind a whole word and ESC
    osc,           // in an OSC that is not rewritten (any more)
    prompt,        // in the options of an OSC 133;A
    prompt_escape, // behind ESC there
    string,        // in DCS, APC, PM, SOS: BEL does not end them
    string_escape, // behind ESC in one of both
  };
  bool holds_back() const {
    return state_ != State::ground && state_ != State::osc && state_ != State::prompt && state_ != State::string;
  }
  const char* skip_string(const char* p, const char* end);
  void word_byte(char c, std::uint64_t offset, Findings& findings);
  void prompt_byte(char c, std::uint64_t offset, Findings& findings);
  void end_prompt(std::uint64_t end, Findings& findings);
  void found(std::uint64_t end, Terminator terminator, Findings& findings);
  void escape_byte(char c, std::uint64_t offset);

  State state_ = State::ground;
  std::uint8_t word_ = 0;     // which word
  std::uint8_t matched_ = 0;  // bytes of it
  std::uint8_t option_ = 0;   // bytes of `redraw=` that an option of a prompt begins with
  bool says_redraw_ = false;  // the prompt has such an option
  std::uint64_t begin_ = 0;   // offset of the ESC
  std::uint64_t position_;
};

}  // namespace holdfast::holder
