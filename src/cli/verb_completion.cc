#include "cli/completion.h"
#include "cli/console.h"
#include "cli/verbs.h"

namespace holdfast::cli {

int run_completion(const Arguments& arguments) {
  const auto script = completion_script(arguments.operand(0));
  if (!script) return report(script.error());
  print(*script);
  return 0;
}

}  // namespace holdfast::cli
