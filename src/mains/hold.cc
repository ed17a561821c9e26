// `hold`: one file that is the command line and, by hidden names, every process of a session.
#include <fcntl.h>
#include <unistd.h>

#include <string_view>

#include "base/roles.h"
#include "cli/cli.h"
#include "holder/holder.h"
#include "keeper/keeper.h"
#include "vtd/vtd.h"

namespace {

// A caller may have closed them (cron, supervisors): then files of ours must not get their numbers, or what is meant
// for a person would be written into them.
void fill_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != fd) ::_exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  const std::string_view verb = argc > 0 ? argv[0] : "";
  if (verb == holdfast::roles::kKeeperVerb) return holdfast::keeper::keeper_main(argc, argv);
  if (verb == holdfast::roles::kHolderVerb) return holdfast::holder::holder_main(argc, argv);
  if (verb == holdfast::roles::kVtdVerb) return holdfast::vtd::vtd_main(argc, argv);
  return holdfast::cli::run(argc, argv);
}
