// Simple characters, which take cells of their own whatever stands left of them: from UTF-8 straight into cells.
#pragma once

#include <cstdint>

#include "vt/cell.h"

namespace holdfast::vt {

// Whether such a character begins at `p` and is whole. p < end.
bool starts_simple(const char* p, const char* end);

struct SimpleText {
  const char* p = nullptr;  // behind the last character that was put or seen
  int x = 0;                // the column behind it
  char32_t last = 0;        // that character; 0 = there was none
  bool has_wide = false;
};

// How far the same ones reach, and their last column, for text that goes elsewhere than into cells. U+FFFD ends it, as it may
// stand for other bytes.
SimpleText scan_simple(const char* p, const char* end, int x, int limit);

// Puts the leading ones into cells from column `x` to column `limit`, in this pen. It stops at the first that is not simple,
// not whole or does not fit, and behind some ASCII in a row, as more of it is quicker put otherwise.
SimpleText put_simple(const char* p, const char* end, Cell* cells, int x, int limit, std::uint64_t pen);

}  // namespace holdfast::vt
