// A regular expression as a person types it (RE2's syntax, which is Perl's without what needs backtracking).
//
// Finding takes time in proportion to the text, whatever the expression: both may be hostile.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace holdfast::cli {

struct Span {  // bytes [from, to) of a line
  std::size_t from, to;
  friend bool operator==(const Span&, const Span&) = default;
};

class Pattern {
 public:
  enum class Case : unsigned char { heeded, ignored };
  // Error kind usage: what is wrong with the expression.
  static Result<Pattern> compile(const std::string& text, Case letters);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  bool is_in(std::string_view line) const;
  // The matches in `line` that are not empty, from left to right, none over another; at most kSpansMax.
  std::vector<Span> find_in(std::string_view line) const;
  static constexpr std::size_t kSpansMax = 1000;  // of one line: nobody looks at more

 private:
  explicit Pattern(std::unique_ptr<re2::RE2> expression);
  std::unique_ptr<re2::RE2> expression_;
};

}  // namespace holdfast::cli
