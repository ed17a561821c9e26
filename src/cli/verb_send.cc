#include <unistd.h>

#include <cerrno>

#include "cli/console.h"
#include "cli/keys.h"
#include "cli/session_access.h"
#include "cli/verbs.h"
#include "wire/messages.h"

namespace holdfast::cli {

namespace {

// Standard input is passed on in pieces: a holder whose program does not read slows us down, not our memory.
constexpr std::size_t kPieceBytes = 64u << 10;

// The text of the call and the keys behind it, in the order they are typed.
Result<std::string> typed_text(const Arguments& arguments) {
  std::string text;
  const auto& operands = arguments.operands();
  for (std::size_t i = 1; i < operands.size(); ++i) text += (i > 1 ? " " : "") + operands[i];
  for (const auto& word : arguments.rest()) text += (text.empty() ? "" : " ") + word;
  return text;
}

Result<std::string> pressed_keys(const Arguments& arguments) {
  std::string bytes;
  for (const auto& key : arguments.values("--key")) bytes += TRY(key_bytes(key));
  if (arguments.has("--enter")) bytes += "\r";
  return bytes;
}

std::unexpected<Error> not_typed(const std::string& name, std::string problem) {
  return fail(ErrorKind::unknown, "type into '" + name + "'", std::move(problem),
              "look at its screen before you send it again: hold read " + name);
}

// Sends what is queued. Once something went out, a holder that stops taking it leaves the outcome unknown.
Result<> send_all(client::Connection& connection, const std::string& name) {
  const Instant deadline = deadline_after(kAnswerWait);
  for (;;) {
    TRY(connection.flush());
    if (connection.unsent() == 0) return {};
    // Its hello and what else it says is of no interest here, but must not fill the socket.
    TRY(connection.fill());
    if (!client::wait_ready(connection.fd(), client::Until::readable_or_writable, deadline, system_clock())) {
      return not_typed(name, "the program does not read, and what waits for it is full");
    }
  }
}

Result<> send_standard_input(client::Connection& connection, const std::string& name) {
  std::string piece(kPieceBytes, '\0');
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno("read standard input", errno);
    if (n == 0) return {};
    connection.queue_input(std::string_view(piece).substr(0, static_cast<std::size_t>(n)));
    TRY(send_all(connection, name));
  }
}

// The program must live; and the answer, coming after the input, proves that all of it was taken.
Result<> check_running(Reached& reached, const std::string& name) {
  const Json answer = TRY(ask(reached, wire::Type::info, Json::object(), kAnswerWait));
  const wire::Info info = TRY(wire::parse_info(answer.get("info")));
  if (info.life != "exited") return {};
  return fail(ErrorKind::ended, "type into '" + name + "'",
              "its program has ended: " + ending_text(info.exit_code, info.exit_signal, info.reason),
              "its last screen: hold read " + name);
}

Result<> send(const Arguments& arguments) {
  const std::string text = TRY(typed_text(arguments));
  const std::string keys = TRY(pressed_keys(arguments));
  if (text.empty() && keys.empty() && !arguments.has("--stdin")) {
    return fail(ErrorKind::usage, "run hold send", "there is nothing to type",
                "give TEXT, --key, --enter or --stdin; see: hold send --help");
  }
  Reached reached = TRY(reach(arguments.operand(0)));
  client::Connection& connection = reached.connection;
  const std::string name = reached.entry.manifest.name();
  TRY(check_running(reached, name));
  connection.queue_input(text);
  TRY(send_all(connection, name));
  if (arguments.has("--stdin")) TRY(send_standard_input(connection, name));
  connection.queue_input(keys);
  TRY(send_all(connection, name));
  auto taken = check_running(reached, name);
  if (taken || taken.error().kind == ErrorKind::ended) return {};
  return not_typed(name, taken.error().problem);
}

}  // namespace

int run_send(const Arguments& arguments) {
  if (auto sent = send(arguments); !sent) return report(sent.error(), arguments.json());
  if (arguments.json()) print_json(json_answer().set("sent", true));
  return 0;
}

}  // namespace holdfast::cli
