#include "holder/clusters_rule.h"

#include <string_view>

namespace holdfast::holder {

// By name: these draw the code points of a cluster one by one.
wire::Clusters guessed_clusters(const wire::TerminalFacts& facts) {
  using wire::Clusters;
  for (const std::string_view family : {"tmux", "screen", "linux", "rxvt", "alacritty", "vt"}) {
    if (facts.term.starts_with(family)) return Clusters::never;
  }
  return facts.term_program == "tmux" || facts.term_program == "Apple_Terminal" ? Clusters::never : Clusters::told;
}

}  // namespace holdfast::holder
