// Keys by name, as `hold send --key` takes them, and the bytes a terminal sends for them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast::cli {

// "enter", "esc", "up", "f5", "ctrl-c", "alt-x", "shift-tab", "ctrl-left", or one character. The bytes are those of a
// terminal in its plain modes, which programs take in every mode.
// Error kind usage: no such key.
Result<std::string> key_bytes(std::string_view name);

// All names without modifiers, for completion and help.
std::span<const std::string_view> key_names();

}  // namespace holdfast::cli
