#include "base/json.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/roster_text.h"
#include "cli/session_access.h"
#include "cli/verbs.h"

namespace holdfast::cli {

namespace {

bool has_ended(const client::RosterEntry& entry) {
  return entry.presence == client::Presence::exited || entry.presence == client::Presence::lost;
}

int list_names(const Arguments& arguments) {
  const auto store = open_store();
  if (!store) return report(store.error(), arguments.json());
  const auto sessions = store->list();
  if (!sessions) return report(sessions.error(), arguments.json());
  using Life = store::SessionStore::Life;
  std::string out;
  for (const auto& session : *sessions) {
    if (session.life == Life::elsewhere) continue;
    const bool ended = session.life == Life::exited || session.life == Life::lost;
    if (arguments.has("--exited") ? !ended : ended && !arguments.has("--all")) continue;
    out += session.manifest.name() + "\n";
  }
  print(out);
  return 0;
}

}  // namespace

int run_ls(const Arguments& arguments) {
  if (arguments.has("--names")) return list_names(arguments);
  const bool json = arguments.json();
  const bool exited = arguments.has("--exited");
  const bool all = exited || arguments.has("--all");
  const auto store = open_store();
  if (!store) return report(store.error(), json);
  auto entries = client::read_roster(*store, json || all ? client::Ask::all : client::Ask::live, system_clock());
  if (!entries) return report(entries.error(), json);
  if (exited) std::erase_if(*entries, [](const client::RosterEntry& entry) { return !has_ended(entry); });
  if (json) {
    Json sessions = Json::array();
    for (const auto& entry : *entries) sessions.push(wire::to_json(entry.info));
    print_json(json_answer().set("sessions", std::move(sessions)));
    return 0;
  }
  const Console console = output_console();
  if (entries->empty()) {
    if (console.terminal) print(exited ? "no session has ended\n" : "no sessions; start one with: hold new\n");
    return 0;
  }
  print(roster_text(*entries,
                    {.console = console, .home = paths::home_dir(), .now_ms = system_clock().wall_ms(), .here = current_session(), .all = all}));
  for (const auto& entry : *entries) {
    if (entry.silence.problem.empty()) continue;
    tell(printable(entry.info.name) + ": " + entry.silence.problem + "; " + entry.silence.advice);
  }
  return 0;
}

}  // namespace holdfast::cli
