// `hold`: one file that is the command line and, by hidden names, every process of a session.
#include <string_view>

#include "base/roles.h"
#include "cli/cli.h"
#include "holder/holder.h"
#include "keeper/keeper.h"
#include "vtd/vtd.h"

int main(int argc, char** argv) {
  const std::string_view verb = argc > 0 ? argv[0] : "";
  if (verb == holdfast::roles::kKeeperVerb) return holdfast::keeper::keeper_main(argc, argv);
  if (verb == holdfast::roles::kHolderVerb) return holdfast::holder::holder_main(argc, argv);
  if (verb == holdfast::roles::kVtdVerb) return holdfast::vtd::vtd_main(argc, argv);
  return holdfast::cli::run(argc, argv);
}
