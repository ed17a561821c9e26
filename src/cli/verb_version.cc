#include "base/json.h"
#include "cli/console.h"
#include "cli/verbs.h"
#include "wire/messages.h"

namespace holdfast::cli {

int run_version(const Arguments& arguments) {
  if (arguments.json()) {
    print_json(json_answer().set("version", HOLDFAST_VERSION).set("protocol", wire::kProtocol));
    return 0;
  }
  print("hold " HOLDFAST_VERSION "\n");
  return 0;
}

}  // namespace holdfast::cli
