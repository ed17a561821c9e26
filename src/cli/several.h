// One verb for several sessions: each is tried, each failure is said, and the exit code tells whether all went well.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace holdfast::cli {

// Calls `action` for each name; its JSON (an object) becomes an item of the answer. Prints with `json`
// {"schema":1,"sessions":[{"name":…,…} or {"name":…,"error":{…}}]}. Exit code: 0, that of the only failure when nothing
// was done, or 7 when some succeeded.
int for_each_session(const std::vector<std::string>& names, bool json,
                     const std::function<Result<Json>(const std::string&)>& action);

}  // namespace holdfast::cli
