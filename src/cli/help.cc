#include "cli/help.h"

#include <algorithm>

#include "cli/console.h"
#include "cli/verbs.h"

namespace holdfast::cli {

namespace {

constexpr std::size_t kWidthDefault = 80, kWidthMin = 30, kWidthMax = 100;
constexpr std::size_t kIndent = 2;

std::size_t usable(int width) {
  if (width <= 0) return kWidthDefault;
  return std::clamp(static_cast<std::size_t>(width), kWidthMin, kWidthMax);
}

// "  label   help help help"; the help goes below the label where the width leaves too little beside it.
std::string entry(std::string_view label, std::string_view help, std::size_t label_columns, std::size_t width) {
  constexpr std::size_t kHelpColumnsMin = 24;
  std::string out(kIndent, ' ');
  out += label;
  const std::size_t column = kIndent + label_columns + 2;
  if (column + kHelpColumnsMin > width) {
    const std::size_t indent = 2 * kIndent + 2;
    return out + "\n" + std::string(indent, ' ') + wrapped(help, width - indent, indent) + "\n";
  }
  if (display_width(label) > label_columns) {
    out += "\n" + std::string(column, ' ');
  } else {
    out += std::string(label_columns - display_width(label) + 2, ' ');
  }
  return out + wrapped(help, width - column, column) + "\n";
}

constexpr std::size_t kLabelColumnsMax = 24;

}  // namespace

std::string option_label(const OptionRow& row) {
  std::string label;
  if (row.letter != 0) label = std::string("-") + row.letter + ", ";
  label += row.name;
  if (!row.value.empty()) label += " " + std::string(row.value);
  return label;
}

std::vector<std::string> usage_words(const VerbRow& verb) {
  std::vector<std::string> words = words_of("hold " + std::string(verb.name));
  // Of "NAME TEXT" the first `min` must be there; the last may come again.
  const std::vector<std::string> operands = words_of(verb.operand.value);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string more = verb.operand.max < 0 && i + 1 == operands.size() ? "…" : "";
    const bool needed = i < static_cast<std::size_t>(verb.operand.min);
    words.push_back(needed ? operands[i] + more : "[" + operands[i] + more + "]");
  }
  for (const auto& row : verb.options) {
    std::string word = "[" + std::string(row.name);
    if (!row.value.empty()) word += " " + std::string(row.value);
    words.push_back(word + "]" + (row.repeats ? "…" : ""));
  }
  if (verb.rest == Rest::command) words.emplace_back("[-- COMMAND…]");
  return words;
}

std::string_view detach_key_sentence() {
  return "Ctrl-\\ leaves a session, which goes on running; --detach-key and the settings file choose another key.";
}

std::string help_of(const VerbRow& verb, int columns) {
  const std::size_t width = usable(columns);
  std::string out =
      wrapped("hold " + std::string(verb.name) + ": " + std::string(verb.summary), width, kIndent) + "\n\n";
  out += "Usage: " + wrapped(usage_words(verb), width - 7, 7) + "\n";
  if (!verb.alias.empty()) out += "Also: hold " + std::string(verb.alias) + "\n";
  if (!verb.description.empty()) out += "\n" + wrapped(verb.description, width, 0) + "\n";
  out += "\nOptions:\n";
  std::size_t label_columns = std::string_view("-h, --help").size();
  for (const auto& row : verb.options) label_columns = std::max(label_columns, option_label(row).size());
  label_columns = std::min(label_columns, kLabelColumnsMax);
  for (const auto& row : verb.options) out += entry(option_label(row), row.help, label_columns, width);
  out += entry("-h, --help", "this text", label_columns, width);
  out += "\nExample:\n";
  std::string_view example = verb.example;
  while (!example.empty()) {
    const std::size_t end = std::min(example.find('\n'), example.size());
    out += std::string(kIndent, ' ') + std::string(example.substr(0, end)) + "\n";
    example.remove_prefix(std::min(end + 1, example.size()));
  }
  return out;
}

std::string help_of_group(std::string_view word, int columns) {
  const std::size_t width = usable(columns);
  const auto group = verbs_of_group(word);
  if (group.empty()) return {};
  std::size_t label_columns = 0;
  for (const auto* verb : group) label_columns = std::max(label_columns, verb->name.size());
  std::string out;
  for (const auto* verb : group) out += entry(verb->name, verb->summary, label_columns, width);
  return out + "\n" + wrapped("hold help VERB explains each, with an example.", width, 0) + "\n";
}

std::string help_overview(int columns) {
  const std::size_t width = usable(columns);
  std::string out =
      wrapped("hold keeps programs running without a terminal, and brings their screens back exactly.", width, 0);
  out += "\n\nUsage: hold [VERB …]\n\n";
  std::size_t label_columns = 0;
  for (const auto& verb : verbs()) label_columns = std::max(label_columns, verb.name.size());
  for (const auto& verb : verbs()) out += entry(verb.name, verb.summary, label_columns, width);
  out += "\n" + wrapped("hold alone lists the sessions. hold VERB --help explains a verb, with an example.", width, 0) +
         "\n";
  out += wrapped(detach_key_sentence(), width, 0) + "\n";
  out += "\nExit codes:\n";
  for (const auto& row : exit_codes()) out += entry(std::to_string(row.code), row.meaning, 1, width);
  return out;
}

}  // namespace holdfast::cli
