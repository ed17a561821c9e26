#include "holder/clusters_rule.h"

#include <doctest/doctest.h>

using namespace holdfast::holder;
using holdfast::wire::Clusters;

TEST_CASE("which terminals join clusters is guessed from their names as long as they do not tell") {
  CHECK(guessed_clusters({"xterm-ghostty", "ghostty", "1.2.0", {}}) == Clusters::told);
  CHECK(guessed_clusters({"xterm-256color", "", "", {}}) == Clusters::told);
  CHECK(guessed_clusters({"tmux-256color", "", "", {}}) == Clusters::never);
  CHECK(guessed_clusters({"xterm-256color", "Apple_Terminal", "", {}}) == Clusters::never);
  CHECK(guessed_clusters({"alacritty", "", "", {}}) == Clusters::never);
}
