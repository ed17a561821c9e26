// Host: what the holder asks of the machine beyond reading and writing its descriptors. A test's host is a script.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "pty/pty.h"

namespace holdfast::holder {

class Host {
 public:
  struct Shadow {
    Fd socket;  // SEQPACKET, non-blocking; the other end is VTD's
    pid_t pid = -1;
  };
  virtual ~Host() = default;

  // Starts a VTD.
  virtual Result<Shadow> start_shadow() = 0;
  // Ends it if it still lives and reaps it; gives its wait status.
  virtual int end_shadow(pid_t pid) = 0;
  // The processor time that a VTD has had; whether it wants more, and neither waits nor is stopped.
  virtual Duration shadow_time(pid_t pid) = 0;
  virtual bool is_shadow_at_work(pid_t pid) = 0;

  // The keeper gets a duplicate: it holds it, in place of the one before, for a holder after this one.
  virtual void keep_checkpoint(int file) = 0;
  // The session has gone to sleep: memory that was freed goes back to the system.
  virtual void give_memory_back() = 0;

  virtual Result<> set_terminal_size(const pty::Size& size) = 0;
  // Command of the foreground process group's leader, "" if there is none.
  virtual std::string foreground_command() = 0;

  virtual Result<> signal_foreground(int signal_number) = 0;
  // HUP and CONT to the program's session and to the foreground group.
  virtual void hang_up_program() = 0;
  // KILL to everything of this session but keeper, holder and VTD (`shadow`).
  virtual void kill_tree(pid_t shadow) = 0;
  virtual bool is_tree_empty(pid_t shadow) = 0;

  enum class Durable : std::uint8_t { no, yes };
  // Replaces the manifest, later and without waiting.
  virtual void save_manifest(std::string text, Durable durable) = 0;
  // Whether what was saved last is on disk, or cannot be put there. Until then saved_fd() may become readable.
  virtual bool is_manifest_saved() = 0;
  virtual int saved_fd() const = 0;
  // What of the session others can remove, made anew where it is missing: its directory with the lock and its name, and
  // its socket, whose listener then stands at the number of the old one. The manifest is the caller's to save. Waits for
  // no lock; error kind timeout: somebody else has one for a moment.
  virtual Result<> renew_places() = 0;
  // Removes the session from disk and its socket from the runtime directory.
  virtual Result<> remove_session() = 0;
};

}  // namespace holdfast::holder
