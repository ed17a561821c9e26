// Starting a session: everything between `hold new` and a running keeper.
#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "pty/pty.h"

namespace holdfast::keeper {

struct LaunchSpec {
  std::string id, name;
  std::vector<std::string> argv;         // the program
  std::string argv0;                     // "-bash" for a login shell
  std::vector<std::string> environment;  // complete: also HOLDFAST_*
  int cwd = -1;                          // open directory
  pty::Size size;
  std::optional<termios> line_settings;   // of the creating terminal
  int session_directory = -1, lock = -1;  // from SessionStore::create
  std::string socket_directory;           // created private; the socket is <id>.sock in it
  std::string binary = "/proc/self/exe";  // what keeper, holder and VTD are executed from, for the session's life
};

// Opens PTY, listener and ring, and double-forks a keeper (the caller's environment is its own, too, its umask the
// program's), which starts the program (before anything else of the session: its first instruction is what the person
// waits for), executes itself anew (base/roles.h) and starts the holder. Returns when program and keeper have executed;
// until then they run on the memory of the caller, which must have no other thread (base/vfork.h). The listener accepts
// by then, so a client may connect at once. Errors: what pty::spawn says, no PTY left, the socket cannot be bound, no
// keeper could be made; nothing is left behind in the runtime directory (the session directory is the caller's).
Result<> launch(const LaunchSpec& spec);

}  // namespace holdfast::keeper
