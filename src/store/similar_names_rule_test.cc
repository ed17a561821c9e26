#include "store/similar_names_rule.h"

#include <doctest/doctest.h>

namespace holdfast::store {

TEST_CASE("slips of a finger and beginnings are found, best first") {
  const std::vector<std::string> names = {"api", "claude-api", "claude-web", "vim"};
  using Names = std::vector<std::string>;
  CHECK(similar_names("claude-apo", names, 3) == Names{"claude-api"});
  CHECK(similar_names("cluade-api", names, 3) == Names{"claude-api"});
  CHECK(similar_names("claude-apb", {"claude-wpb", "claude-api"}, 3) == Names{"claude-api", "claude-wpb"});
  CHECK(similar_names("claude", names, 3) == Names{"claude-api", "claude-web"});
  CHECK(similar_names("claude", names, 1) == Names{"claude-api"});
  CHECK(similar_names("ap", names, 3) == Names{"api"});
}

TEST_CASE("what is far away or no name at all has no neighbours") {
  const std::vector<std::string> names = {"api", "vim"};
  CHECK(similar_names("emacs", names, 3).empty());
  CHECK(similar_names("x", names, 3).empty());
  CHECK(similar_names("", names, 3).empty());
  CHECK(similar_names(std::string(10'000, 'a'), names, 3).empty());
}

}  // namespace holdfast::store
