// Completion scripts for bash, zsh and fish, made from the table of verbs. Session names are asked from
// `hold ls --names`, which never waits for a holder.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast::cli {

// Error kind usage: no such shell.
Result<std::string> completion_script(std::string_view shell);

}  // namespace holdfast::cli
