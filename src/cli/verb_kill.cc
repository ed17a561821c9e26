#include "cli/console.h"
#include "cli/session_access.h"
#include "cli/several.h"
#include "cli/verbs.h"
#include "wire/messages.h"

namespace holdfast::cli {

namespace {

constexpr std::int64_t kGraceSecondsMax = wire::kGraceMsMax / 1000;

// Of racing kills one is served, and the others see the holder go while they talk to it: this often they look again.
constexpr int kAttempts = 5;

Result<Json> kill_once(const std::string& handle, const wire::Kill& kill, bool quiet) {
  Reached reached = TRY(reach(handle));
  const auto& entry = reached.entry;
  const std::string name = entry.manifest.name();
  const Duration wait = std::chrono::milliseconds(kill.grace_ms) + kAnswerWait;
  const Json answer = TRY(ask(reached, wire::Type::kill, wire::to_json(kill), wait));
  const int code = static_cast<int>(answer.get("code").as_int(-1));
  const int signal = static_cast<int>(answer.get("signal").as_int(0));
  const std::string reason = answer.get("reason").as_string();
  const std::string did = entry.life == store::SessionStore::Life::exited ? " had ended already" : " ended";
  if (!quiet) print(name + did + (kill.remove ? ", removed: " : ": ") + ending_text(code, signal, reason) + "\n");
  return Json::object()
      .set("name", name)
      .set("id", entry.id)
      .set("exit_code", code)
      .set("exit_signal", signal)
      .set("removed", kill.remove);
}

Result<Json> kill_one(const std::string& handle, const wire::Kill& kill, bool quiet) {
  for (int attempt = 1;; ++attempt) {
    auto done = kill_once(handle, kill, quiet);
    if (done || done.error().kind != ErrorKind::ended || attempt == kAttempts) return done;
  }
}

}  // namespace

int run_kill(const Arguments& arguments) {
  wire::Kill kill;
  kill.remove = arguments.has("--rm");
  if (const auto grace = arguments.value("--grace")) {
    const auto seconds = parse_count("--grace", *grace, 0, kGraceSecondsMax);
    if (!seconds) return report(seconds.error(), arguments.json());
    kill.grace_ms = *seconds * 1000;
  }
  return for_each_session(arguments.operands(), arguments.json(),
                          [&](const std::string& handle) { return kill_one(handle, kill, arguments.json()); });
}

}  // namespace holdfast::cli
