#include <unistd.h>

#include "base/paths.h"
#include "cli/attach_session.h"
#include "cli/console.h"
#include "cli/roster_text.h"
#include "cli/session_access.h"
#include "cli/verbs.h"

namespace holdfast::cli {

namespace {

bool agreed(const std::string& question) {
  print(question);
  char answer[64];
  const ssize_t n = ::read(STDIN_FILENO, answer, sizeof answer);
  if (n <= 0) print("\n");
  return n > 0 && (answer[0] == '\n' || answer[0] == 'y' || answer[0] == 'Y');
}

Result<int> home() {
  const auto store = TRY(open_store());
  const auto entries = TRY(client::read_roster(store, client::Ask::live, system_clock()));
  const Console console = output_console();
  if (entries.empty()) {
    print("no sessions; start one with: hold new\n");
    return 0;
  }
  print(roster_text(entries, {.console = console, .home = paths::home_dir(), .now_ms = system_clock().wall_ms(), .here = current_session()}));
  const auto waiting = waiting_sessions(entries);
  if (waiting.size() != 1 || !console.terminal || ::isatty(STDIN_FILENO) == 0) return 0;
  const client::RosterEntry& only = *waiting[0];
  if (!agreed("attach to " + only.info.name + "? [Y/n] ")) return 0;
  const auto arguments = TRY(Arguments::parse(*find_verb("attach"), {}));
  return attach_session({.id = only.info.id, .name = only.info.name, .socket = only.socket},
                        TRY(prepare_attach(arguments)));
}

}  // namespace

int run_home() {
  const auto code = home();
  return code ? *code : report(code.error());
}

}  // namespace holdfast::cli
