#include "cli/pattern.h"

#include <re2/re2.h>

#include "base/text.h"

namespace holdfast::cli {
namespace {

// Memory of one expression with what it has learnt of the text, bytes: RE2 starts anew where it would need more.
constexpr std::int64_t kMemoryBytes = 8 << 20;
// An expression longer than this was not typed, bytes.
constexpr std::size_t kPatternBytesMax = 64u << 10;

}  // namespace

Pattern::Pattern(std::unique_ptr<re2::RE2> expression) : expression_(std::move(expression)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(const std::string& text, Case letters) {
  const auto wrong = [](std::string problem) {
    return fail(ErrorKind::usage, "use this regular expression", std::move(problem),
                "a character that stands for itself has a backslash before it, as in 'main\\(\\)'");
  };
  if (text.size() > kPatternBytesMax) return wrong("it is longer than " + std::to_string(kPatternBytesMax) + " bytes");
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMemoryBytes);
  options.set_case_sensitive(letters == Case::heeded);
  auto expression = std::make_unique<re2::RE2>(text, options);
  if (!expression->ok()) return wrong(printable(expression->error()));
  return Pattern(std::move(expression));
}

bool Pattern::is_in(std::string_view line) const {
  return expression_->Match({line.data(), line.size()}, 0, line.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

std::vector<Span> Pattern::find_in(std::string_view line) const {
  std::vector<Span> found;
  const re2::StringPiece text(line.data(), line.size());
  for (std::size_t at = 0; at <= line.size() && found.size() < kSpansMax;) {
    re2::StringPiece match;
    if (!expression_->Match(text, at, line.size(), re2::RE2::UNANCHORED, &match, 1)) break;
    const auto from = static_cast<std::size_t>(match.data() - line.data());
    const std::size_t to = from + match.size();
    if (to > from) found.push_back({from, to});
    at = to > from ? to : from + 1;
    // Behind an empty match the next character begins, not its second byte.
    while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80) ++at;
  }
  return found;
}

}  // namespace holdfast::cli
