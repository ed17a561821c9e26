// The environment a session's program gets (docs/cli.md, "Environment"). Pure but for the look-up of terminfo entries,
// which the caller passes in.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::cli {

struct SessionIdentity {
  std::string id, name, socket;
  std::string directory;  // PWD
  // Whether a person's terminal looks on from the start: its identity is then the program's.
  bool attached = false;
  std::vector<std::pair<std::string, std::string>> extra;  // --env
};

using HasTerminfo = std::function<bool(std::string_view term)>;

// `outer`: KEY=VALUE of the process that starts the session. Marks of the terminal, multiplexer or agent around it are
// left out; who the session is and which terminal it has is set; `extra` wins over all but the session's identity.
std::vector<std::string> session_environment(const std::vector<std::string>& outer, const SessionIdentity& session,
                                             const HasTerminfo& has_terminfo);

// Whether a compiled terminfo entry is installed, looked for where ncurses looks.
bool terminfo_installed(std::string_view term);

// The value of KEY in such a list; "" if it is not there.
std::string environment_value(const std::vector<std::string>& environment, std::string_view key);

// This process's environment as a list.
std::vector<std::string> own_environment();

// Variables whose value an attach tells the holder, because a terminal gone stale keeps them wrong.
std::vector<std::pair<std::string, std::string>> tracked_variables(const std::vector<std::string>& environment);

}  // namespace holdfast::cli
