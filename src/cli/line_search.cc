#include "cli/line_search.h"

#include <utility>

namespace holdfast::cli {

void LineSearch::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (end == std::string_view::npos) return;
    end_row(bytes[end] == '\r');
    bytes.remove_prefix(end + 1);
  }
}

void LineSearch::end_row(bool wrapped) {
  const bool has_text = line_.find_first_not_of(' ', row_from_) != std::string::npos;
  ++rows_;
  if (has_text) written_ = rows_;
  row_from_ = line_.size();
  if (!wrapped || line_.size() >= kLineBytesMax) end_line();
}

void LineSearch::end_line() {
  if (pattern_.is_in(line_)) {
    ++found_;
    kept_bytes_ += line_.size();
    kept_.push_back({.row = line_from_, .rows = rows_ - line_from_, .line = std::move(line_)});
    while (kept_.size() > limit_ || kept_bytes_ > kKeptBytesMax) {
      kept_bytes_ -= kept_.front().line.size();
      kept_.pop_front();
    }
  }
  line_.clear();
  row_from_ = 0;
  line_from_ = rows_;
}

std::vector<LineSearch::Match> LineSearch::finish() {
  if (rows_ > line_from_) end_line();  // the last row was wrapped, and nothing follows
  std::vector<Match> matches;
  for (Match& match : kept_) {
    // A blank row below the last one with text is no row of what is written.
    if (match.row >= written_) {
      --found_;
      continue;
    }
    match.row = written_ - match.row;
    matches.push_back(std::move(match));
  }
  return matches;
}

}  // namespace holdfast::cli
