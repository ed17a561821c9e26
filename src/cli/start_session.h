// Starting a session from the words of `new` and `attach --create`.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/args.h"

namespace holdfast::cli {

enum class Start { attached, detached };

struct Started {
  std::string id, name, socket;
};

// `name`: none for the default (command and directory). Everything is checked before anything is made, and a start that
// fails leaves nothing behind. Errors: the name is taken (refused) or no name, a directory that cannot be entered, a
// program that cannot be run, no space for the record, a socket path that is too long.
Result<Started> start_session(const Arguments& arguments, const std::optional<std::string>& name, Start how);

}  // namespace holdfast::cli
