#include <poll.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"
#include "cli/attach_session.h"
#include "cli/console.h"
#include "cli/roster_text.h"
#include "cli/session_access.h"
#include "cli/start_session.h"
#include "cli/verbs.h"
#include "client/roster.h"

namespace holdfast::cli {

namespace {

using Life = store::SessionStore::Life;

// Of racing `attach --create`, one starts the session and the others find it; this often a loser looks again.
constexpr int kCreateAttempts = 50;
constexpr int kCreatePauseMs = 20;

// A session that is starting, or whose socket has to be made anew, is waited for; one that cannot be reached says why.
Result<AttachTarget> target_of(const store::SessionStore& store, store::SessionStore::Entry entry, bool observe) {
  const bool has_socket = ::access(entry.manifest.socket().c_str(), F_OK) == 0;
  if (entry.life != Life::running || !has_socket) entry = TRY(reach(store, std::move(entry))).entry;
  return AttachTarget{
      .id = entry.id, .name = entry.manifest.name(), .socket = entry.manifest.socket(), .observe = observe};
}

// The final screen of a session whose program has ended, as text: nobody's terminal needs to be changed for it.
Result<int> show_final_screen(const store::SessionStore& store, const store::SessionStore::Entry& ended) {
  auto [entry, connection] = TRY(reach(store, ended));
  wire::ReadRows read;
  read.format = "vt";
  std::string screen;
  const auto sink = [&screen](std::string_view bytes) -> Result<> {
    screen += bytes;
    return {};
  };
  TRY(connection.request_data(wire::Type::read_rows, wire::to_json(read), kAnswerWait, system_clock(), sink));
  // Blank rows at the end tell nothing here.
  const std::size_t last = screen.find_last_not_of("\r\n ");
  if (last != std::string::npos) print(screen.substr(0, last + 1) + "\x1b[0m\n");
  const wire::Info info = client::read_session(entry, system_clock()).info;
  tell(info.name + " has ended: " + ending_text(info.exit_code, info.exit_signal, info.reason) +
       "; this was its last screen, gone with: hold rm " + info.name);
  return exit_code_of(ErrorKind::ended);
}

// The session of that name, started now if there is none (or the one that had it has ended).
Result<AttachTarget> find_or_start(const Arguments& arguments, const store::SessionStore& store) {
  const std::string name = arguments.operand(0);
  const bool observe = arguments.has("--observe");
  for (int attempt = 0;; ++attempt) {
    const auto entry = find_session(store, name);
    if (!entry && entry.error().kind != ErrorKind::not_found) return std::unexpected(entry.error());
    if (entry && entry->life != Life::exited && entry->life != Life::lost) return target_of(store, *entry, observe);
    auto started = start_session(arguments, name, Start::attached);
    if (started) {
      return AttachTarget{
          .id = started->id, .name = started->name, .socket = started->socket, .fresh = true, .observe = observe};
    }
    // Another one was quicker: its session is there in a moment.
    if (started.error().kind != ErrorKind::refused || attempt == kCreateAttempts)
      return std::unexpected(started.error());
    ::poll(nullptr, 0, kCreatePauseMs);
  }
}

// Whether no session but the one this process is in is running.
bool lives_alone(const std::vector<client::RosterEntry>& entries) {
  using client::Presence;
  const std::string here = current_session();
  bool found = false;
  for (const auto& entry : entries) {
    if (entry.presence == Presence::exited || entry.presence == Presence::lost) continue;
    if (entry.info.id != here) return false;
    found = true;
  }
  return found;
}

// Without NAME: the one session that nobody is attached to.
Result<AttachTarget> only_detached(const store::SessionStore& store, bool observe) {
  const auto entries = TRY(client::read_roster(store, client::Ask::live, system_clock()));
  const auto waiting = waiting_sessions(entries);
  if (waiting.size() == 1)
    return AttachTarget{
        .id = waiting[0]->info.id, .name = waiting[0]->info.name, .socket = waiting[0]->socket, .observe = observe};
  if (waiting.empty() && lives_alone(entries)) {
    return fail(ErrorKind::refused, "attach", "the only session is the one you are in",
                "start another one with: hold new -d, or leave this one first");
  }
  const Console console = error_console();
  complain(roster_text(entries, {.console = console, .home = paths::home_dir(), .now_ms = system_clock().wall_ms(), .here = current_session()}));
  if (waiting.empty()) {
    return fail(ErrorKind::not_found, "attach", "no session is waiting to be attached to",
                entries.empty() ? "start one with: hold new" : "name one of those above: hold attach NAME");
  }
  return fail(ErrorKind::usage, "attach", std::to_string(waiting.size()) + " sessions are waiting",
              "say which: hold attach NAME");
}

Result<int> attach(const Arguments& arguments) {
  TRY(check_detach_key(arguments));
  const auto store = TRY(open_store());
  const std::string name = arguments.operand(0);
  const bool observe = arguments.has("--observe");
  const bool create = arguments.has("--create");
  if (create && name.empty()) {
    return fail(ErrorKind::usage, "run hold attach", "NAME is missing", "with --create it names the session to start");
  }
  if (!create && arguments.has_rest()) {
    return fail(ErrorKind::usage, "run hold attach", "there is a command behind --, but no --create",
                "add --create to start it when there is no such session");
  }
  if (!name.empty() && !create) {
    const auto entry = TRY(find_session(store, name));
    if (entry.life == Life::exited) return show_final_screen(store, entry);
    AttachTerminal terminal = TRY(prepare_attach(arguments));
    const AttachTarget target = TRY(target_of(store, entry, observe));
    return attach_session(target, std::move(terminal));
  }
  AttachTerminal terminal = TRY(prepare_attach(arguments));
  const AttachTarget target = create ? TRY(find_or_start(arguments, store)) : TRY(only_detached(store, observe));
  return attach_session(target, std::move(terminal));
}

}  // namespace

int run_attach(const Arguments& arguments) {
  const auto code = attach(arguments);
  return code ? *code : report(code.error());
}

}  // namespace holdfast::cli
