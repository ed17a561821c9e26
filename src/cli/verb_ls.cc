#include "base/json.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/roster_text.h"
#include "cli/session_access.h"
#include "cli/verbs.h"

namespace holdfast::cli {

namespace {

int list_names(const Arguments& arguments) {
  const auto store = open_store();
  if (!store) return report(store.error(), arguments.json());
  const auto sessions = store->list();
  if (!sessions) return report(sessions.error(), arguments.json());
  using Life = store::SessionStore::Life;
  std::string out;
  for (const auto& session : *sessions) {
    if (session.life == Life::elsewhere) continue;
    if (session.life == Life::exited && !arguments.has("--all")) continue;
    out += session.manifest.name() + "\n";
  }
  print(out);
  return 0;
}

}  // namespace

int run_ls(const Arguments& arguments) {
  if (arguments.has("--names")) return list_names(arguments);
  const bool json = arguments.json();
  const bool all = arguments.has("--all");
  const auto store = open_store();
  if (!store) return report(store.error(), json);
  const auto entries = client::read_roster(*store, json || all ? client::Ask::all : client::Ask::live, system_clock());
  if (!entries) return report(entries.error(), json);
  if (json) {
    Json sessions = Json::array();
    for (const auto& entry : *entries) sessions.push(wire::to_json(entry.info));
    print_json(json_answer().set("sessions", std::move(sessions)));
    return 0;
  }
  const Console console = output_console();
  if (entries->empty()) {
    if (console.terminal) print("no sessions; start one with: hold new\n");
    return 0;
  }
  print(roster_text(*entries,
                    {.console = console, .home = paths::home_dir(), .now_ms = system_clock().wall_ms(), .all = all}));
  for (const auto& entry : *entries) {
    if (entry.silence.problem.empty()) continue;
    complain("hold: " + printable(entry.info.name) + ": " + entry.silence.problem + "; " + entry.silence.advice + "\n");
  }
  return 0;
}

}  // namespace holdfast::cli
