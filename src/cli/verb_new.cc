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

}  // namespace

int run_new(const Arguments& arguments) {
  const bool detached = arguments.has("--detached");
  client::DetachKey detach_key;
  if (!detached) {
    const auto key = prepare_attach(arguments);
    if (!key) return report(key.error(), arguments.json());
    detach_key = *key;
  }
  const auto started =
      start_session(arguments, arguments.value("--name"), detached ? Start::detached : Start::attached);
  if (!started) return report(started.error(), arguments.json());
  if (detached) {
    say_started(*started, arguments.json());
    return 0;
  }
  const auto code =
      attach_session({.id = started->id, .name = started->name, .socket = started->socket, .fresh = true}, detach_key);
  if (!code) return report(code.error(), arguments.json());
  return *code;
}

}  // namespace holdfast::cli
