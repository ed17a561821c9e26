#include "cli/console.h"
#include "cli/help.h"
#include "cli/verbs.h"

namespace holdfast::cli {

int run_help(const Arguments& arguments) {
  const int width = output_console().width;
  std::string name;
  for (const auto& word : arguments.operands()) name += (name.empty() ? "" : " ") + word;
  if (name.empty()) {
    print(help_overview(width));
    return 0;
  }
  const VerbRow* verb = find_verb(name);
  if (verb == nullptr) {
    return report({ErrorKind::usage, "explain '" + name + "'", "there is no such verb", "see: hold --help"});
  }
  print(help_of(*verb, width));
  return 0;
}

}  // namespace holdfast::cli
