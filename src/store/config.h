// config.toml: what a person may set (docs/config.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"

namespace holdfast::store {

enum class Flow { automatic, lossless, latest };  // decisions of docs/flow.md

struct Config {
  std::uint32_t history_rows = limits::kHistoryRowsDefault;    // [terminal] history-rows
  std::uint64_t history_bytes = limits::kHistoryBytesDefault;  // [terminal] history-bytes
  Flow flow = Flow::automatic;                                 // [terminal] flow = "auto" | "lossless" | "latest"
  std::int64_t sleep_after_s = limits::kSleepAfterSecondsDefault;  // [terminal] sleep-after-seconds; 0 = never
  std::string detach_key = "ctrl-\\";                          // [attach] detach-key = "ctrl-\\" | "ctrl-x" | "none"
};

// Whether a detach key may be written so: one that every terminal can tell from Tab, Enter and Esc (docs/config.md).
bool is_detach_key(std::string_view text);

// A missing file is the defaults. Errors: unreadable, malformed, a value out of range: file, line and what to write.
// An unknown key is not an error: a newer version may have written it.
Result<Config> read_config(const std::string& path);

}  // namespace holdfast::store
