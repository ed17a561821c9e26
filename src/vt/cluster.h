// What joins the character before it: the rule of printing (cluster.cc), and of drawing a cluster again
// (restore_rule.h).
#pragma once

#include <span>

#include "vt/unicode.h"

namespace holdfast::vt {

inline constexpr char32_t kTextSelector = 0xfe0e, kEmojiSelector = 0xfe0f;  // VS15, VS16

enum class Joining : std::uint8_t {
  apart,    // a character of its own
  dropped,  // it leaves no trace
  joined,
};
// What becomes of `cp` behind the code points of a cell, with mode 2027 and without.
Joining joining_clustered(std::span<const char32_t> text, char32_t cp);
Joining joining_plain(std::span<const char32_t> text, char32_t cp);

// The columns of a cell of `width` after `cp` joined it with mode 2027; without, no cell changes its width.
int clustered_width(int width, char32_t cp);

}  // namespace holdfast::vt
