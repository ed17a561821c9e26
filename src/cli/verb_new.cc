#include "base/json.h"
#include "cli/attach_session.h"
#include "cli/console.h"
#include "cli/start_session.h"
#include "cli/verbs.h"

namespace holdfast::cli {

namespace {

// A script gets the name and nothing else; a person also how to come back.
void say_started(const Started& started, bool json) {
  if (json) {
    print_json(json_answer().set("id", started.id).set("name", started.name).set("socket", started.socket));
  } else if (output_console().terminal) {
    print("started " + started.name + "; attach with: hold attach " + started.name + "\n");
  } else {
    print(started.name + "\n");
  }
}

Result<int> start(const Arguments& arguments) {
  const auto name = arguments.value("--name");
  if (arguments.has("--detached")) {
    TRY(check_detach_key(arguments));
    say_started(TRY(start_session(arguments, name, Start::detached)), arguments.json());
    return 0;
  }
  AttachTerminal terminal = TRY(prepare_attach(arguments));
  const Started started = TRY(start_session(arguments, name, Start::attached));
  return attach_session({.id = started.id, .name = started.name, .socket = started.socket, .fresh = true},
                        std::move(terminal));
}

}  // namespace

int run_new(const Arguments& arguments) {
  const auto code = start(arguments);
  return code ? *code : report(code.error(), arguments.json());
}

}  // namespace holdfast::cli
