// A row of cells as the grid, the history and the formatters share it.
#pragma once

#include <cstdint>
#include <span>

#include "vt/cell.h"

namespace holdfast::vt {

// OSC 133 mark of a row: what starts on it.
enum class RowMark : std::uint8_t { none = 0, prompt_start = 1, prompt_continuation = 2, command_output = 3 };

struct RowFlags {
  bool wrapped = false;  // soft wrap: the next row continues this one
  RowMark mark = RowMark::none;
  friend bool operator==(RowFlags, RowFlags) = default;
};

// A row as seen from outside: cells beyond `cells.size()` are unwritten and default.
struct RowView {
  std::span<const Cell> cells;
  RowFlags flags;
};

}  // namespace holdfast::vt
