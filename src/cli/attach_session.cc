#include "cli/attach_session.h"

#include <poll.h>
#include <unistd.h>

#include <cstdlib>

#include "base/paths.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/environment.h"
#include "cli/session_access.h"
#include "store/config.h"

namespace holdfast::cli {

namespace {

// After a holder died its keeper starts another one, usually within milliseconds.
constexpr Duration kReturnWait = 1s;
// How long the terminal may take to be ready for the last line.
constexpr int kLineWaitMs = 500;

Result<client::DetachKey> detach_key_of(const Arguments& arguments) {
  if (const auto given = arguments.value("--detach-key")) return client::DetachKey::parse(*given);
  const store::Config config = TRY(store::read_config(paths::config_file()));
  return client::DetachKey::parse(config.detach_key);
}

// The same call with -d, as it would be typed again.
std::string detached_call(const Arguments& arguments) {
  std::string call = "hold new -d";
  for (const auto& word : arguments.words()) call += " " + shell_quoted(word);
  return call;
}

void warn_of_poor_terminal() {
  const char* term = std::getenv("TERM");
  const std::string_view name = term != nullptr ? term : "";
  if (!name.empty() && name != "linux" && name != "dumb") return;
  tell("this terminal (TERM=" + printable(name, 32) +
       ") shows less than sessions may use; screens may look wrong here");
}

std::string notice_of(const AttachTarget& target, const client::DetachKey& key) {
  std::string text = target.fresh ? "hold: started " : target.observe ? "hold: watching " : "hold: attached to ";
  text += target.name + ".";
  if (key.enabled()) text += " " + key.name() + " leaves it running; back with: hold attach " + target.name;
  return text;
}

// Whether the session's holder, or the next one, answers again: then it is worth coming back.
bool comes_back(const std::string& socket) {
  const Instant deadline = deadline_after(kReturnWait);
  auto connection = client::Connection::open(socket);
  if (!connection) return false;
  return connection->request(wire::Type::info, Json::object(), deadline, system_clock()).has_value();
}

// A terminal that is stopped (Ctrl-S, a window that hangs) must not keep us after the attachment is over.
bool takes_a_line() {
  pollfd item{STDERR_FILENO, POLLOUT, 0};
  return ::poll(&item, 1, kLineWaitMs) > 0 && (item.revents & POLLOUT) != 0;
}

std::string command_of(const char* verb, const std::string& name) { return std::string("hold ") + verb + " " + name; }

}  // namespace

Result<AttachTerminal> prepare_attach(const Arguments& arguments) {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) {
    const bool starting = arguments.verb().name == "new";
    return fail(ErrorKind::usage, starting ? "attach to a new session" : "attach",
                "standard input and output are not a terminal",
                starting ? "add -d to start it in the background: " + detached_call(arguments)
                         : "run it in a terminal; hold read and hold send need none");
  }
  client::Tty tty = TRY(client::Tty::open());
  TRY(tty.hold_keys());
  return AttachTerminal{TRY(detach_key_of(arguments)), std::move(tty)};
}

Result<> check_detach_key(const Arguments& arguments) {
  if (const auto given = arguments.value("--detach-key")) TRY(client::DetachKey::parse(*given));
  return {};
}

std::string ending_line(const client::AttachEnd& end, const std::string& name) {
  using Why = client::AttachEnd::Why;
  const std::string still = "; it still runs, back with: " + command_of("attach", name);
  switch (end.why) {
    case Why::detached:
      return "detached from " + name + still;
    case Why::sent_away: {
      const std::string why =
          end.reason == "kicked" || end.reason.empty() ? "sent away by hold detach" : printable(end.reason);
      return end.reason == "removed" ? name + " was removed" : "detached from " + name + " (" + why + ")" + still;
    }
    case Why::ended: {
      std::string text = name + " has ended";
      if (end.exit) text += ": " + ending_text(end.exit->code, end.exit->signal, end.exit->reason);
      return text + "; its last screen stays: " + command_of("read", name) + ", gone with: " + command_of("rm", name);
    }
    case Why::lost:
      return "lost the connection to " + name + ": " + printable(end.reason);
    case Why::terminal_gone:
      return {};
    case Why::signal:
      return "ended by " + signal_name(end.signal) + ", detached from " + name + still;
  }
  return {};
}

std::string rebuilt_line(const std::string& name) {
  return "the screen of " + name + " was put together again after a crash, and may not have been exact; why: " +
         command_of("info", name);
}

int ending_code(const client::AttachEnd& end) {
  using Why = client::AttachEnd::Why;
  switch (end.why) {
    case Why::detached:
    case Why::sent_away:
      return 0;
    case Why::ended:
      return end.exit && end.exit->code == 0 && end.exit->signal == 0 ? 0 : exit_code_of(ErrorKind::ended);
    case Why::lost:
    case Why::terminal_gone:
    case Why::signal:
      return 1;
  }
  return 1;
}

Result<int> attach_session(const AttachTarget& target, AttachTerminal terminal) {
  if (current_session() == target.id) {
    return fail(ErrorKind::refused, "attach to '" + target.name + "'", "it is the session you are in",
                "leave it first, or attach from another terminal");
  }
  const Address address{target.id, target.name, target.socket};
  TRY(check_greets(address));
  const auto environment = own_environment();
  client::AttachOptions options;
  options.socket = target.socket;
  options.observe = target.observe;
  options.fresh = target.fresh;
  options.detach_key = terminal.detach_key;
  options.notice = notice_of(target, options.detach_key);
  options.terminal = {environment_value(environment, "TERM"), environment_value(environment, "TERM_PROGRAM"),
                      environment_value(environment, "TERM_PROGRAM_VERSION")};
  options.environment = tracked_variables(environment);
  options.user = environment_value(environment, "USER");
  warn_of_poor_terminal();
  const auto attached = client::attach_terminal(options, std::move(terminal.tty), system_clock());
  if (!attached && attached.error().kind == ErrorKind::timeout) return no_answer(address);
  const client::AttachEnd end = TRY(attached);
  std::string line = ending_line(end, target.name);
  if (end.why == client::AttachEnd::Why::lost) {
    line += comes_back(target.socket) ? "; it is back: " + command_of("attach", target.name)
                                      : "; see what became of it with: hold ls --all";
  }
  if (!line.empty() && takes_a_line()) tell(line);
  if (end.rebuilt && takes_a_line()) tell(rebuilt_line(target.name));
  return ending_code(end);
}

}  // namespace holdfast::cli
