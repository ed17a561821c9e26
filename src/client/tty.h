// The person's terminal: opened anew, switched to raw, put back.
//
// A descriptor of our own, because O_NONBLOCK belongs to the open file and not to the descriptor: set on the shell's,
// it would change the shell's terminal too, and the terminals of everything else in the same pipeline.
#pragma once

#include <termios.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/result.h"
#include "wire/messages.h"

namespace holdfast::client {

class Tty {
 public:
  // The terminal of standard input. Errors: there is none, or it cannot be opened (it belongs to another user).
  static Result<Tty> open();
  Tty(Tty&&) noexcept = default;
  Tty& operator=(Tty&&) noexcept = default;
  ~Tty();  // puts the settings back, as restore() does

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }  // "/dev/pts/3"; for people

  // Keys wait, whatever they are, and none of them is echoed, edits a line or raises a signal; what is written still
  // has the line ends it needs. From before anything slow is done, so that what is typed meanwhile is not lost.
  // Like make_raw() it remembers what was there, the first time, and has it put back when a signal ends the process.
  Result<> hold_keys();
  // Raw: all 256 byte values pass both ways.
  Result<> make_raw();
  // What is written if a signal ends the process from now on (client/terminal_guard).
  void set_undo(std::string_view bytes);
  // What was typed or answered and not read yet.
  enum class Unread { keep, discard };
  // Puts the settings back.
  void restore(Unread unread);

  // cols and rows are never 0: a terminal that does not know its size is taken for 80 x 24.
  wire::TermSize size() const;

  // What can be read now: bytes; 0: nothing now; nullopt: the terminal is gone.
  std::optional<std::size_t> read(std::span<char> into);
  // What can be written now, likewise.
  std::optional<std::size_t> write(std::string_view bytes);
  // Writes all of it, waiting at most until `deadline`. False: not all of it went out.
  bool write_until(std::string_view bytes, Instant deadline, const Clock& clock);

 private:
  enum class Output { cooked, raw };
  Result<> take_input(Output output);

  Tty(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Fd fd_;
  std::string path_;
  std::optional<termios> before_;
};

}  // namespace holdfast::client
