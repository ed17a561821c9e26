#include "base/json.h"
#include "cli/console.h"
#include "cli/line_search.h"
#include "cli/session_access.h"
#include "cli/verbs.h"
#include "wire/messages.h"

namespace holdfast::cli {
namespace {

// Lines shown when nobody says how many, and at most.
constexpr std::int64_t kLimitDefault = 1000, kLimitMax = 1'000'000;
constexpr int kNothingFound = 1;  // as grep has it

std::string highlighted(const Console& console, const Pattern& pattern, const std::string& line) {
  if (!console.colour) return line;
  std::string out;
  std::size_t at = 0;
  for (const Span& span : pattern.find_in(line)) {
    out += line.substr(at, span.from - at) + painted(console, Colour::red, line.substr(span.from, span.to - span.from));
    at = span.to;
  }
  return out + line.substr(at);
}

void print_matches(const Pattern& pattern, const std::vector<LineSearch::Match>& matches, std::uint64_t found) {
  const Console console = output_console();
  for (const auto& match : matches) {
    const std::string row = painted(console, Colour::green, std::to_string(match.row));
    if (!print(row + ":" + highlighted(console, pattern, match.line) + "\n")) return;
  }
  if (matches.size() < found) {
    tell("the newest " + std::to_string(matches.size()) + " of " + std::to_string(found) +
         " lines are shown; --limit shows more");
  }
}

Json matches_json(const Pattern& pattern, const std::vector<LineSearch::Match>& matches) {
  Json list = Json::array();
  for (const auto& match : matches) {
    Json spans = Json::array();
    for (const Span& span : pattern.find_in(match.line)) {
      Json pair = Json::array();
      pair.push(static_cast<std::int64_t>(span.from));
      pair.push(static_cast<std::int64_t>(span.to));
      spans.push(std::move(pair));
    }
    list.push(Json::object()
                  .set("row", static_cast<std::int64_t>(match.row))
                  .set("rows", static_cast<std::int64_t>(match.rows))
                  .set("line", match.line)
                  .set("spans", std::move(spans)));
  }
  return list;
}

Result<int> search_session(const Arguments& arguments) {
  const auto letters = arguments.has("--ignore-case") ? Pattern::Case::ignored : Pattern::Case::heeded;
  const Pattern pattern = TRY(Pattern::compile(arguments.operand(1), letters));
  std::int64_t limit = kLimitDefault;
  if (const auto given = arguments.value("--limit")) limit = TRY(parse_count("--limit", *given, 1, kLimitMax));
  const bool only_count = arguments.has("--count");

  auto [entry, connection] = TRY(reach(arguments.operand(0)));
  LineSearch search(pattern, only_count ? 0 : static_cast<std::size_t>(limit));
  wire::ReadRows read;
  read.all = read.wraps = true;
  const auto done = connection.request_data(wire::Type::read_rows, wire::to_json(read), kAnswerWait, system_clock(),
                                            [&](std::string_view bytes) -> Result<> {
                                              search.feed(bytes);
                                              return {};
                                            });
  if (!done && done.error().kind == ErrorKind::timeout) return no_answer(entry);
  TRY(done);
  const auto matches = search.finish();
  if (arguments.json()) {
    Json answer = json_answer().set("id", entry.id).set("name", entry.manifest.name());
    answer.set("found", static_cast<std::int64_t>(search.found()));
    if (!only_count) answer.set("matches", matches_json(pattern, matches));
    print_json(answer);
  } else if (only_count) {
    print(std::to_string(search.found()) + "\n");
  } else {
    print_matches(pattern, matches, search.found());
  }
  return search.found() > 0 ? 0 : kNothingFound;
}

}  // namespace

int run_search(const Arguments& arguments) {
  const auto code = search_session(arguments);
  return code ? *code : report(code.error(), arguments.json());
}

}  // namespace holdfast::cli
