// Which names a person may have meant. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::store {

// The names that are near to what was typed, best first, at most `max`: two slips of a finger away, or the beginning of
// a name. Names and text are at most a few dozen bytes; longer text has no neighbours.
std::vector<std::string> similar_names(std::string_view typed, const std::vector<std::string>& names, std::size_t max);

}  // namespace holdfast::store
