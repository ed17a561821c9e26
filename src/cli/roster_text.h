// The roster as lines: one a session, as much of each as fits (docs/cli.md, "The roster"). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/console.h"
#include "client/roster.h"

namespace holdfast::cli {

struct RosterStyle {
  Console console;
  std::string home;
  std::int64_t now_ms = 0;
  std::string here;  // the id of the session one is in; "" outside
  bool all = false;  // exited sessions as lines of their own
};

// Columns, by how long a line may stay without them: name and state always, then age, attached clients, command,
// directory, title. Sessions whose program has ended are folded into one last line unless `all`.
std::string roster_text(const std::vector<client::RosterEntry>& entries, const RosterStyle& style);

// "vim notes.txt", quoted as a shell would take it, control characters made visible.
std::string command_text(const std::vector<std::string>& argv);
// Where it is: what the program said last (OSC 7, a file URL), else where it was started. Not yet printable.
std::string directory_of(const wire::Info& info);
// The state as people see it: running, exited 3, exited SIGKILL, lost …, with its marks.
std::string state_text(const client::RosterEntry& entry);
Colour state_colour(const client::RosterEntry& entry);

}  // namespace holdfast::cli
