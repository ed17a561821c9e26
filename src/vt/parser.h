// Parser: cuts bytes into text and control functions for an Interpreter (ECMA-48 and ctlseqs; docs/vt.md, "Parser").
//
// Ways through the same grammar: a fast one for runs of text and for control sequences that lie whole in the bytes
// at hand, and a state machine, which takes everything else and can stop at any byte. What has been read of a sequence
// that is not over stands in State::continuation; strings (OSC, DCS) are collected there and nowhere else.
#pragma once

#include <cstdint>
#include <string_view>

#include "vt/interpreter.h"
#include "vt/scan.h"

namespace holdfast::vt {

class Parser {
 public:
  explicit Parser(Interpreter& interpreter) : to_(interpreter), terminal_(interpreter.editor().state()) {}

  // Bytes may be cut anywhere. Advances State::offset and keeps State::continuation.
  void feed(std::string_view bytes);
  // Takes up the unfinished sequence of a State that was made elsewhere.
  void resume();

 private:
  enum class In : std::uint8_t {
    ground,
    utf8,    // inside a character
    escape,  // after ESC
    escape_intermediate,
    csi,  // after CSI: prefix or parameters
    csi_intermediate,
    csi_ignored,    // malformed: up to the final byte
    string,         // OSC, DCS, APC, PM, SOS
    string_escape,  // ESC inside a string: `\` ends it
  };
  enum class String : std::uint8_t { osc, dcs, apc, other };

  const char* ground(const char* p);
  const char* text(const char* p);
  const char* latin1(const char* p);
  const char* control_sequence(const char* p);  // nullptr: leave it to the state machine
  template <typename Then>
  const char* read_control_sequence(const char* p, Then&& then);
  void control(char c);
  const char* pass_lines(const char* p);
  const char* pass_line(const char* p);  // nullptr: it cannot pass
  const char* pass_control_sequence(const char* p);
  const char* step(const char* p);
  const char* step_utf8(const char* p);
  const char* step_string(const char* p);
  const char* step_string_escape(const char* p);
  void step_escape(char c);
  void step_csi(char c);
  void step_csi_intermediate(char c);

  void begin_sequence(const char* p, In in);
  void begin_csi();
  void begin_string(String kind);
  void drop_byte(const char* p);
  void execute(const char* p);
  void dispatch_escape(char final);
  void dispatch_csi(char final);
  void end_string(const char* end, std::size_t bytes_after, Terminator terminator);
  void keep(const char* to);
  void keep_unfinished();
  std::size_t sequence_bytes(const char* end) const;
  void set_offset(const char* after) { to_.set_offset(start_offset_ + static_cast<std::uint64_t>(after - start_)); }

  Interpreter& to_;
  const ByteKernels& kernels_ = byte_kernels();
  State& terminal_;
  In in_ = In::ground;
  String string_ = String::other;
  Sequence seq_;
  unsigned parameter_ = 0;  // the one being read
  bool has_parameters_ = false;
  char intermediates_[2] = {0, 0};  // of an ESC sequence
  int intermediate_count_ = 0;

  // The bytes of this feed, and where in them the part of the unfinished sequence starts that continuation lacks.
  const char* start_ = nullptr;
  const char* end_ = nullptr;
  const char* kept_from_ = nullptr;
  std::uint64_t start_offset_ = 0;
  // Lines that start before it have left the screen by the end of this feed, if all of them are short enough.
  const char* pass_until_ = nullptr;
  // Line feeds at which it is not tried whether the next line can pass, after lines that could not: so many, then again more.
  int untried_ = 0, untried_next_ = 0;
};

}  // namespace holdfast::vt
