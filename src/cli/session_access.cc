#include "cli/session_access.h"

#include <poll.h>

#include <cstdlib>

#include "base/paths.h"
#include "base/text.h"
#include "cli/console.h"

namespace holdfast::cli {

namespace {

using Life = store::SessionStore::Life;

// Between two looks at a session that is starting.
constexpr int kStartPollMs = 5;

std::string attempted_for(const store::SessionStore::Entry& entry) {
  return "reach the session '" + entry.manifest.name() + "'";
}

std::unexpected<Error> unreachable(const store::SessionStore::Entry& entry) {
  const std::string name = entry.manifest.name();
  switch (entry.life) {
    case Life::lost:
      client::remove_stale_socket(entry.manifest);
      return fail(ErrorKind::ended, attempted_for(entry), "it is lost: nothing of it runs any more",
                  "remove its record with: hold rm " + shell_quoted(name));
    case Life::exited:
      return fail(ErrorKind::ended, attempted_for(entry), "it has ended, and nobody keeps its screen any more",
                  "remove its record with: hold rm " + shell_quoted(name));
    case Life::elsewhere:
      return fail(ErrorKind::refused, attempted_for(entry),
                  "it runs on another machine that shares this home directory", "log in there");
    case Life::starting:
    case Life::running:
      break;
  }
  return fail(ErrorKind::timeout, attempted_for(entry), "its holder does not answer",
              "try again; see what it does with: hold ls");
}

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

Result<store::SessionStore> open_store() {
  auto store = store::SessionStore::open(paths::state_dir());
  if (!store && store.error().advice.empty()) {
    store.error().advice = "sessions are recorded there; choose another place with XDG_STATE_HOME";
  }
  return store;
}

Result<Reached> reach(const store::SessionStore& store, store::SessionStore::Entry entry) {
  const Instant deadline = deadline_after(kStartWait);
  for (;;) {
    if (entry.life == Life::lost || entry.life == Life::elsewhere) return unreachable(entry);
    auto connection = client::Connection::open(entry.manifest.socket());
    if (connection) return Reached{std::move(entry), std::move(*connection)};
    if (connection.error().kind == ErrorKind::refused) return std::unexpected(connection.error());
    if (entry.life == Life::exited || system_clock().now() >= deadline) return unreachable(entry);
    ::poll(nullptr, 0, kStartPollMs);
    entry = TRY(store.find(entry.id));
  }
}

Result<Reached> reach(const std::string& handle) {
  const auto store = TRY(open_store());
  return reach(store, TRY(store.find(handle)));
}

std::vector<const client::RosterEntry*> waiting_sessions(const std::vector<client::RosterEntry>& entries) {
  std::vector<const client::RosterEntry*> waiting;
  for (const auto& entry : entries) {
    const bool detached = entry.presence == client::Presence::running && entry.info.clients == 0;
    if (detached && entry.info.id != current_session()) waiting.push_back(&entry);
  }
  return waiting;
}

std::string current_session() {
  const char* id = std::getenv("HOLDFAST_SESSION");
  return id != nullptr ? id : "";
}

std::string ending_text(int code, int signal, const std::string& reason) {
  if (signal != 0) return "killed by " + signal_name(signal);
  if (code >= 0) return "exit code " + std::to_string(code);
  const std::string unknown = "its exit code is not known";
  if (reason.empty()) return unknown;
  // The reason may be that very sentence, with more behind it.
  return reason.find(unknown) != std::string::npos ? printable(reason) : unknown + " (" + printable(reason) + ")";
}

}  // namespace holdfast::cli
