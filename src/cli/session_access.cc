#include "cli/session_access.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/paths.h"
#include "base/sys.h"
#include "base/text.h"
#include "cli/console.h"

namespace holdfast::cli {

namespace {

using Life = store::SessionStore::Life;

// Between two looks at a session that is starting.
constexpr int kStartPollMs = 5;
// A holder that runs greets within a millisecond; a busy machine gets more before /proc is asked why it does not.
constexpr Duration kGreetingWait = 500ms;

Address address_of(const store::SessionStore::Entry& entry) {
  return {entry.id, entry.manifest.name(), entry.manifest.socket()};
}

std::string attempted_for(const std::string& name) { return "reach the session '" + name + "'"; }

std::vector<client::HolderProcess> holders_of(const store::SessionStore::Entry& entry) {
  return client::find_holders(std::span(&entry.id, 1));
}

std::unexpected<Error> unreachable(const store::SessionStore::Entry& entry) {
  const std::string name = entry.manifest.name();
  const std::string attempted = attempted_for(name);
  switch (entry.life) {
    case Life::lost:
      client::remove_stale_socket(entry.manifest);
      return fail(ErrorKind::ended, attempted, "it is lost: nothing of it runs any more",
                  "remove its record with: hold rm " + shell_quoted(name));
    case Life::exited:
      return fail(ErrorKind::ended, attempted, "it has ended, and nobody keeps its screen any more",
                  "remove its record with: hold rm " + shell_quoted(name));
    case Life::elsewhere:
      return fail(ErrorKind::refused, attempted,
                  "it runs on another machine that shares this home directory", "log in there");
    case Life::starting:
    case Life::running:
      break;
  }
  return no_answer(entry);
}

// A holder greets who comes at once. One that does not may be stopped: then waiting for it is in vain.
Result<> await_greeting(const client::Connection& connection, const Address& of) {
  const Instant deadline = deadline_after(kGreetingWait);
  if (client::wait_ready(connection.fd(), client::Until::readable, deadline, system_clock())) return {};
  const auto holders = client::find_holders(std::span(&of.id, 1));
  if (std::ranges::any_of(holders, &client::HolderProcess::stopped)) return no_answer(of);
  return {};
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
  Instant deadline = deadline_after(kStartWait);
  bool summoned = false;
  for (;;) {
    if (entry.life == Life::lost || entry.life == Life::elsewhere) return unreachable(entry);
    auto connection = client::Connection::open(entry.manifest.socket());
    if (connection) {
      TRY(await_greeting(*connection, address_of(entry)));
      return Reached{std::move(entry), std::move(*connection)};
    }
    if (connection.error().kind == ErrorKind::refused) return std::unexpected(connection.error());
    if (!summoned && entry.life != Life::starting && sys::is_unserved(connection.error())) {
      summoned = true;
      // Nobody need serve a session that has ended: it is waited for only if somebody was told.
      const bool told = client::summon(holders_of(entry)) > 0;
      if (entry.life == Life::exited) deadline = deadline_after(told ? client::kSummonWait : Duration::zero());
    }
    if (system_clock().now() >= deadline) return unreachable(entry);
    ::poll(nullptr, 0, kStartPollMs);
    entry = TRY(store.find(entry.id));
  }
}

Result<Reached> reach(const std::string& handle) {
  const auto store = TRY(open_store());
  return reach(store, TRY(find_session(store, handle)));
}

Result<store::SessionStore::Entry> find_session(const store::SessionStore& store, const std::string& handle) {
  auto entry = store.find(handle);
  const bool is_whole = entry && store.is_whole(entry->id);
  if (is_whole || (!entry && entry.error().kind != ErrorKind::not_found)) return entry;
  client::summon_broken(store, system_clock());
  return store.find(handle);
}

std::unexpected<Error> no_answer(const Address& from) {
  client::Silence why = client::silence_of(from.id, from.socket, client::find_holders(std::span(&from.id, 1)));
  // A stopped holder is one that does not answer in time; that it cannot be reached at all is a failure.
  const bool has_socket = ::access(from.socket.c_str(), F_OK) == 0;
  return fail(has_socket || why.passes ? ErrorKind::timeout : ErrorKind::failed, attempted_for(from.name),
              std::move(why.problem), std::move(why.advice));
}

std::unexpected<Error> no_answer(const store::SessionStore::Entry& entry) { return no_answer(address_of(entry)); }

Result<> check_greets(const Address& whom) {
  const auto connection = client::Connection::open(whom.socket);
  // What else is wrong, who connects in earnest says.
  return connection ? await_greeting(*connection, whom) : Result<>();
}

Result<Json> ask(Reached& reached, wire::Type type, const Json& message, Duration wait) {
  auto answer = reached.connection.request(type, message, deadline_after(wait), system_clock());
  if (!answer && answer.error().kind == ErrorKind::timeout) return no_answer(reached.entry);
  return answer;
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
