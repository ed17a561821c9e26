#include "cli/console.h"
#include "cli/session_access.h"
#include "cli/verbs.h"
#include "wire/messages.h"

namespace holdfast::cli {

namespace {

Result<std::int64_t> detach_everyone(const Arguments& arguments, std::string& name) {
  std::string handle = arguments.operand(0);
  if (handle.empty()) handle = current_session();
  if (handle.empty()) {
    return fail(ErrorKind::usage, "run hold detach", "NAME is missing",
                "inside a session it may be left out; see: hold ls");
  }
  Reached reached = TRY(reach(handle));
  name = reached.entry.manifest.name();
  const Json answer = TRY(ask(reached, wire::Type::detach, wire::to_json(wire::Detach{}), kAnswerWait));
  return answer.get("detached").as_int();
}

}  // namespace

int run_detach(const Arguments& arguments) {
  std::string name;
  const auto count = detach_everyone(arguments, name);
  if (!count) return report(count.error(), arguments.json());
  if (arguments.json()) {
    print_json(json_answer().set("name", name).set("detached", *count));
  } else {
    print(*count == 0 ? "nobody is attached to " + name + "\n"
                      : std::to_string(*count) + " detached from " + name + "; it still runs\n");
  }
  return 0;
}

}  // namespace holdfast::cli
