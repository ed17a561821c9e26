// Session ids (ULIDs) and session names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast {

// A new ULID: 26 characters of Crockford base 32, lower case; 48 bits of wall time, 80 bits of getrandom(2).
std::string new_ulid(std::int64_t wall_ms);
bool is_ulid(std::string_view text);

// `[a-z][a-z0-9_-]{0,31}`
bool is_session_name(std::string_view text);
// The same with the words for a person: what a name may be, and one that is near to this text.
Result<> check_session_name(std::string_view text);
// Any text as a name: lower case, other characters become '-', runs collapse, cut to the limit; never empty
// ("session").
std::string slug(std::string_view text);
// "<command>-<directory>", slugged and cut so that a numeric suffix still fits.
std::string default_session_name(std::string_view command, std::string_view directory);

}  // namespace holdfast
