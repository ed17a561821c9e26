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

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t columns = display_width(word);
    if (column != 0 && column + 1 + columns > width) {
      out += "\n" + std::string(indent, ' ');
      column = 0;
    } else if (column != 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += columns;
  }
  return out;
}

std::string option_label(const OptionRow& row) {
  std::string label;
  if (row.letter != 0) label = std::string("-") + row.letter + ", ";
  label += row.name;
  if (!row.value.empty()) label += " " + std::string(row.value);
  return label;
}

std::string usage_of(const VerbRow& verb) {
  std::string out = "hold " + std::string(verb.name);
  if (!verb.operand.value.empty()) {
    std::string value(verb.operand.value);
    if (verb.operand.max < 0) value += "…";
    out += verb.operand.min == 0 ? " [" + value + "]" : " " + value;
  }
  for (const auto& row : verb.options) {
    out += " [" + std::string(row.name);
    if (!row.value.empty()) out += " " + std::string(row.value);
    out += "]";
    if (row.repeats) out += "…";
  }
  if (verb.rest == Rest::command) out += " [-- COMMAND…]";
  return out;
}

std::string help_of(const VerbRow& verb, int columns) {
  const std::size_t width = usable(columns);
  std::string out =
      wrapped("hold " + std::string(verb.name) + ": " + std::string(verb.summary), width, kIndent) + "\n\n";
  out += "Usage: " + wrapped(usage_of(verb), width - 7, 7) + "\n";
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
  out += "\n\nUsage: hold VERB …\n\n";
  std::size_t label_columns = 0;
  for (const auto& verb : verbs()) label_columns = std::max(label_columns, verb.name.size());
  for (const auto& verb : verbs()) out += entry(verb.name, verb.summary, label_columns, width);
  out += "\n" + wrapped("hold alone lists the sessions. hold VERB --help explains a verb, with an example.", width, 0) +
         "\n";
  out += "\nExit codes:\n";
  for (const auto& row : exit_codes()) out += entry(std::to_string(row.code), row.meaning, 1, width);
  return out;
}

}  // namespace holdfast::cli
