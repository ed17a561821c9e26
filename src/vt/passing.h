// Lines that pass through the screen: when so many come at once that most will have left it before anybody looks, they are
// packed for the history as they are read, and cells are made of those only that stay (docs/vt.md, "Passing lines").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vt/cell.h"
#include "vt/packed_line.h"
#include "vt/state.h"

namespace holdfast::vt {

// The line that is being read, on the last row from its first column on.
struct PassingLine {
  // While it is text in the default pen, one piece of the bytes at hand, it is only looked at; then it has a packer.
  LinePacker::Text plain{{}, 0, true, false};
  LinePacker* packer = nullptr;
  int x = 0;                    // the column behind the text
  int gap = 0;                  // of these columns before it, the last ones were skipped by tabs
  Cell last;                    // the character before `x`, without its pen; 0 = none
  std::size_t last_bytes = 0;   // of it in the text
  bool last_is_simple = false;  // nothing joins it (simple_text.h)
  bool may_change_pen = false;
  char32_t last_printed = 0;
};

// Of one screen. Rows refer to their line by its number here, from 1 (Row::passing). As many lines as rows can be on their
// way: the oldest one has gone when its place is needed.
struct PassingLines {
  struct Place {
    PackedLine line;  // in the bytes at hand, or in the packer
    LinePacker packer;
  };
  std::vector<Place> places;  // in a circle
  std::size_t newest = 0;
  int count = 0;           // of lines that have passed and stand on no row yet
  bool are_there = false;  // some row's cells are yet to be made

  PassingLine line;
  PackedPen pen;  // of the text that comes
  bool pen_is_default = true;
  Pen pen_before;  // at the start of a line that may change it

  std::size_t next() const { return newest + 1 < places.size() ? newest + 1 : 0; }
  std::size_t before_newest(int n) const {
    const auto back = static_cast<std::size_t>(n);
    return newest >= back ? newest - back : newest + places.size() - back;
  }
};

}  // namespace holdfast::vt
