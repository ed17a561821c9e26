// Which answers of the terminal reach the program, and which belong to the client itself.
//
// Pure. A restore contains sequences that make terminals talk (size and focus reports, the fence at its end), and the
// client asks questions of its own (the keyboard flags and the mode 2027 it must put back). The program asked none of
// this: such answers are swallowed from the restore's first byte until the fence is answered, at most kFenceWait after
// its last byte. Keys, mouse and pastes always pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "client/mode_report.h"
#include "wire/terminal_input.h"

namespace holdfast::client {

class ReplyFilter {
 public:
  // A terminal farther away than this may let an answer of its restore through; one that never answers costs nothing.
  static constexpr Duration kFenceWait = 200ms;

  void asked_own_questions() { keyboard_flags_asked_ = clusters_asked_ = true; }
  void restore_begins();
  void restore_written(Instant now);   // with a fence at its end
  void fence_written() { ++fences_; }  // one without a restore: at leaving

  // False: the token is ours and goes no further.
  bool pass(const wire::InputToken& token, Instant now);

  // The terminal's own kitty keyboard flags; -1 until it told.
  int keyboard_flags() const { return keyboard_flags_; }
  // What it says of mode 2027; not_known until it told.
  ModeReport clusters() const { return clusters_; }
  // No fence is unanswered.
  bool quiet() const { return fences_ == 0; }

 private:
  bool filtering(Instant now) const;

  bool is_own_answer(std::string_view reply);

  bool keyboard_flags_asked_ = false, clusters_asked_ = false;
  int keyboard_flags_ = -1;
  ModeReport clusters_ = ModeReport::not_known;
  int fences_ = 0;  // written and not answered
  bool restoring_ = false;
  std::optional<Instant> until_;
};

}  // namespace holdfast::client
