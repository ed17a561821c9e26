// TOML text as a Json value. Only reading: files that people write are never rewritten.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace holdfast {

// Tables become objects (members in alphabetical order), arrays arrays, dates and times their text.
// Error: malformed text; the problem names the line ("line 3: …").
Result<Json> parse_toml(std::string_view text);

}  // namespace holdfast
