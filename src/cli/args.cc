#include "cli/args.h"

#include <algorithm>
#include <charconv>

#include "base/limits.h"
#include "base/text.h"

namespace holdfast::cli {

namespace {

const OptionRow* find_option(const VerbRow& verb, std::string_view name) {
  for (const auto& row : verb.options) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

const OptionRow* find_letter(const VerbRow& verb, char letter) {
  for (const auto& row : verb.options) {
    if (row.letter != 0 && row.letter == letter) return &row;
  }
  return nullptr;
}

std::string similar_option(const VerbRow& verb, std::string_view name) {
  std::vector<std::string_view> names{"--help"};
  for (const auto& row : verb.options) names.push_back(row.name);
  const auto similar = similar_word(name, names);
  if (similar) return "did you mean " + std::string(*similar) + "?";
  return "see: hold " + std::string(verb.name) + " --help";
}

// Longer words are not compared: nobody mistypes a verb of a thousand letters.
constexpr std::size_t kComparedBytesMax = 40;

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool asks_for_json(std::span<const std::string> words) {
  const auto own = words.first(static_cast<std::size_t>(std::ranges::find(words, "--") - words.begin()));
  return std::ranges::find(own, "--json") != own.end();
}

std::optional<std::string_view> similar_word(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kComparedBytesMax) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto candidate : candidates) {
    if (candidate.empty()) continue;
    const std::size_t d = edit_distance(word, candidate);
    if (d >= best_distance) continue;
    best = candidate;
    best_distance = d;
  }
  return best;
}

std::unexpected<Error> Arguments::wrong(std::string problem, std::string advice) const {
  if (advice.empty()) advice = "see: hold " + std::string(verb_->name) + " --help";
  return fail(ErrorKind::usage, "run hold " + std::string(verb_->name), std::move(problem), std::move(advice));
}

Result<Arguments> Arguments::parse(const VerbRow& verb, std::span<const std::string> words) {
  Arguments arguments(verb);
  arguments.words_.assign(words.begin(), words.end());
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--") {
      arguments.has_rest_ = true;
      arguments.rest_.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
      break;
    }
    if (word.starts_with("--")) {
      TRY(arguments.take_long(words, at));
    } else if (word.size() > 1 && word[0] == '-') {
      TRY(arguments.take_letters(words, at));
    } else {
      arguments.operands_.push_back(word);
    }
  }
  if (!arguments.wants_help_) TRY(arguments.check_operands());
  return arguments;
}

Result<> Arguments::take_long(std::span<const std::string> words, std::size_t& at) {
  const std::string_view word = words[at];
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  if (name == "--help") {
    wants_help_ = true;
    return {};
  }
  const OptionRow* row = find_option(*verb_, name);
  if (row == nullptr) return wrong("there is no option " + std::string(name), similar_option(*verb_, name));
  if (equals == std::string_view::npos) return take_value(*row, name, words, at);
  if (row->value.empty()) return wrong(std::string(name) + " takes no value");
  return give(*row, word.substr(equals + 1));
}

// Of two values one would be dropped without a word, and nobody knows which one was meant.
Result<> Arguments::give(const OptionRow& row, std::string_view value) {
  if (!row.value.empty() && !row.repeats && has(row.name)) {
    return wrong(std::string(row.name) + " is given twice", "give it once");
  }
  given_.push_back({row.name, std::string(value)});
  return {};
}

// -d, -dj, -nNAME, -n NAME
Result<> Arguments::take_letters(std::span<const std::string> words, std::size_t& at) {
  const std::string_view letters = std::string_view(words[at]).substr(1);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const std::string shown = std::string("-") + letters[i];
    if (letters[i] == 'h' && find_letter(*verb_, 'h') == nullptr) {
      wants_help_ = true;
      continue;
    }
    const OptionRow* row = find_letter(*verb_, letters[i]);
    if (row == nullptr) return wrong("there is no option " + shown);
    if (row->value.empty() || i + 1 == letters.size()) {
      TRY(take_value(*row, shown, words, at));
      continue;
    }
    return give(*row, letters.substr(i + 1));
  }
  return {};
}

Result<> Arguments::take_value(const OptionRow& row, std::string_view shown, std::span<const std::string> words,
                               std::size_t& at) {
  if (row.value.empty()) return give(row, {});
  const std::string usage = std::string(row.name) + "=" + std::string(row.value);
  if (at + 1 >= words.size() || words[at + 1] == "--")
    return wrong(std::string(shown) + " needs a value", "write " + usage);
  const std::string& value = words[at + 1];
  if (value.size() > 1 && value.starts_with("-")) {
    return wrong(std::string(shown) + " needs a value, and " + value + " looks like an option",
                 "if it is the value, write " + std::string(row.name) + "=" + value);
  }
  ++at;
  return give(row, value);
}

Result<> Arguments::check_operands() const {
  const OperandRow& operand = verb_->operand;
  const auto count = static_cast<int>(operands_.size());
  if (has_rest_ && verb_->rest == Rest::none) return wrong("it takes nothing behind --");
  if (has_rest_ && verb_->rest == Rest::command && rest_.empty()) return wrong("there is no command behind --");
  // Of "NAME TEXT" so many as must be there.
  if (count < operand.min) {
    std::string_view missing = operand.value;
    for (int given = 0; given < count; ++given) missing.remove_prefix(std::min(missing.find(' '), missing.size() - 1) + 1);
    return wrong(std::string(missing.substr(0, missing.find(' '))) + " is missing");
  }
  if (operand.max < 0 || count <= operand.max) return {};
  const std::string extra = operands_[static_cast<std::size_t>(operand.max)];
  if (verb_->rest == Rest::command) {
    return wrong("'" + extra + "' is one word too many",
                 "write the command behind --: hold " + std::string(verb_->name) + " … -- " + extra);
  }
  return wrong("'" + extra + "' is one word too many");
}

bool Arguments::has(std::string_view option) const {
  return std::ranges::any_of(given_, [&](const Given& given) { return given.option == option; });
}

bool Arguments::json() const {
  return has("--json") || (find_option(*verb_, "--json") != nullptr && value("--format") == "json");
}

std::optional<std::string> Arguments::value(std::string_view option) const {
  const auto found = std::ranges::find(given_, option, &Given::option);
  return found == given_.end() ? std::nullopt : std::optional(found->value);
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  std::vector<std::string> out;
  for (const auto& given : given_) {
    if (given.option == option) out.push_back(given.value);
  }
  return out;
}

Result<CellSize> parse_cell_size(std::string_view text) {
  const std::size_t x = std::min(text.find('x'), text.size());
  const auto cols = number(text.substr(0, x));
  const auto rows = number(text.substr(std::min(x + 1, text.size())));
  const std::string attempted = "use the size '" + std::string(text) + "'";
  if (!cols || !rows)
    return fail(ErrorKind::usage, attempted, "it is not COLSxROWS", "write for example --size 120x40");
  using namespace limits;
  if (*cols < kLeaderColsMin || *cols > kColsMax || *rows < kLeaderRowsMin || *rows > kRowsMax) {
    return fail(ErrorKind::usage, attempted, "programs cannot draw on it",
                "use " + std::to_string(kLeaderColsMin) + " to " + std::to_string(kColsMax) + " columns and " +
                    std::to_string(kLeaderRowsMin) + " to " + std::to_string(kRowsMax) + " rows");
  }
  return CellSize{static_cast<std::uint16_t>(*cols), static_cast<std::uint16_t>(*rows)};
}

Result<std::pair<std::string, std::string>> parse_assignment(std::string_view option, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return fail(ErrorKind::usage, "use " + std::string(option) + " '" + std::string(text) + "'", "it is not KEY=VALUE",
                "write for example " + std::string(option) + " COLOUR=blue");
  }
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

Result<std::int64_t> parse_count(std::string_view option, std::string_view text, std::int64_t min, std::int64_t max) {
  const auto value = number(text);
  if (value && *value >= min && *value <= max) return *value;
  return fail(ErrorKind::usage, "use " + std::string(option) + " '" + std::string(text) + "'",
              "it is not a number from " + std::to_string(min) + " to " + std::to_string(max),
              "write for example " + std::string(option) + " " + std::to_string(std::clamp<std::int64_t>(5, min, max)));
}

}  // namespace holdfast::cli
