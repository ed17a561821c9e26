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
  if (const VerbRow* verb = find_verb(name)) {
    print(help_of(*verb, width));
    return 0;
  }
  if (const std::string group = help_of_group(name, width); !group.empty()) {
    print(group);
    return 0;
  }
  return report(
      {ErrorKind::usage, "explain '" + name + "'", "there is no such verb", advice_for_verb(name, "hold help ")});
}

}  // namespace holdfast::cli
