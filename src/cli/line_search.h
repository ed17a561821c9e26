// LineSearch: finds the lines that match in a session's text as it arrives, with the rows they stand on. Pure.
//
// A line is what the program wrote up to its line end, over however many rows the terminal wrapped it. Rows are counted
// from the last one with text upwards, as `hold read --rows` does, so they are known only at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cli/pattern.h"

namespace holdfast::cli {

class LineSearch {
 public:
  struct Match {
    std::uint64_t row = 0;   // `hold read --rows row` begins with it
    std::uint64_t rows = 1;  // that it takes
    std::string line{};
  };
  // Keeps the last `limit` matches, and of these what fits kKeptBytesMax; counts all. `pattern` outlives it.
  LineSearch(const Pattern& pattern, std::size_t limit) : pattern_(pattern), limit_(limit) {}

  // The answer to read_rows with `wraps`, in pieces of any size.
  void feed(std::string_view bytes);
  // Behind the last piece. Oldest first.
  std::vector<Match> finish();
  std::uint64_t found() const { return found_; }

  // A line is searched in pieces of so many bytes: nothing a person looks for is longer, and a program may never end its
  // line.
  static constexpr std::size_t kLineBytesMax = 1u << 20;
  static constexpr std::size_t kKeptBytesMax = 64u << 20;

 private:
  void end_row(bool wrapped);
  void end_line();

  const Pattern& pattern_;
  const std::size_t limit_;
  std::string line_;
  std::uint64_t rows_ = 0, line_from_ = 0;  // rows that ended; the first of the line
  std::uint64_t written_ = 0;               // rows up to the last one with text
  std::size_t row_from_ = 0;                // where the row begins in line_
  std::deque<Match> kept_;                  // row: from the oldest on, zero-based
  std::size_t kept_bytes_ = 0;
  std::uint64_t found_ = 0;
};

}  // namespace holdfast::cli
