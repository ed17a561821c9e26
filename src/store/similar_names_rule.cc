#include "store/similar_names_rule.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/text.h"

namespace holdfast::store {
namespace {

constexpr std::size_t kSlipsMax = 2;
// A beginning that is shorter fits too many names to be a help.
constexpr std::size_t kBeginningMin = 3;

}  // namespace

std::vector<std::string> similar_names(std::string_view typed, const std::vector<std::string>& names, std::size_t max) {
  if (typed.empty() || typed.size() > limits::kNameBytesMax) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  // For a short word two slips are another word.
  const std::size_t slips = std::min(kSlipsMax, typed.size() / 2);
  for (const std::string& name : names) {
    if (name.size() > limits::kNameBytesMax) continue;
    const std::size_t d = edit_distance(typed, name);
    if (d <= slips) {
      near.emplace_back(d, name);
    } else if (typed.size() >= kBeginningMin && name.starts_with(typed)) {
      near.emplace_back(kSlipsMax + 1, name);
    }
  }
  std::sort(near.begin(), near.end());
  if (near.size() > max) near.resize(max);
  std::vector<std::string> result;
  for (auto& entry : near) result.push_back(std::move(entry.second));
  return result;
}

}  // namespace holdfast::store
