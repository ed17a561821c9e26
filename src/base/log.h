// The log of one process: lines with time, level and text in a rotating file (0600). Only deciders log, once, and only
// from the process's main thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast::log {

enum class Level { debug, info, warning, error };

// Opens the log of this process. Until it is called, and after a failed write, lines are dropped: a full disk must
// not stop a session. At most 2 files of 256 KiB.
Result<> open(const std::string& path);
void write(Level level, std::string_view text);
inline void info(std::string_view text) { write(Level::info, text); }
inline void warning(std::string_view text) { write(Level::warning, text); }
inline void error(std::string_view text) { write(Level::error, text); }

}  // namespace holdfast::log
