// What a terminal answers to DECRQM: how a mode is set, by its number there.
#pragma once

#include <cstdint>

namespace holdfast::client {

enum class ModeReport : std::uint8_t { not_known = 0, set = 1, reset = 2, always_set = 3, always_reset = 4 };

}  // namespace holdfast::client
