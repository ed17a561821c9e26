// A verb's words: what the table says may be given, and what was given.
//
// The parser reads the same rows from which help, completion and man page are made, so a word that is documented is a
// word that works. No library stands behind it: docs/decisions/0002-own-argument-parser.md has the figures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace holdfast::cli {

// What a shell may offer for a word.
enum class Completes : std::uint8_t {
  nothing,
  session,
  living_session,
  ended_session,
  file,
  directory,
  key,
  detach_key,
  shell,
  format
};

struct OptionRow {
  std::string_view name;   // "--name"
  char letter;             // 'd' for -d; 0: none
  std::string_view value;  // "NAME"; empty: it takes none
  bool repeats;
  Completes completes;
  std::string_view help;
};

struct OperandRow {
  std::string_view value;  // "NAME"; empty: the verb takes none
  int min, max;            // how many; max < 0: any number
  Completes completes;
};

// What follows `--`.
enum class Rest : std::uint8_t { none, command, text };

class Arguments;

struct VerbRow {
  std::string_view name, alias;
  std::string_view summary;      // one line
  std::string_view description;  // whole sentences for `--help` and the man page; may be empty
  std::string_view example;      // one command a line
  std::span<const OptionRow> options;
  OperandRow operand;
  Rest rest;
  int (*run)(const Arguments&);
};

// The words of one call, checked against its row.
class Arguments {
 public:
  // `words`: what stands behind the verb. Error kind usage: an unknown option (with a similar one as advice), a value
  // missing, not wanted or given twice where one counts, too few or too many operands.
  static Result<Arguments> parse(const VerbRow& verb, std::span<const std::string> words);

  bool has(std::string_view option) const;
  std::optional<std::string> value(std::string_view option) const;
  std::vector<std::string> values(std::string_view option) const;
  const std::vector<std::string>& operands() const { return operands_; }
  std::string operand(std::size_t i) const { return i < operands_.size() ? operands_[i] : std::string(); }
  // Behind `--`.
  const std::vector<std::string>& rest() const { return rest_; }
  bool has_rest() const { return has_rest_; }
  bool wants_help() const { return wants_help_; }
  // Whether the answer, and an error, is to be JSON. `--format json` of a verb that also has --json is the same.
  bool json() const;
  const VerbRow& verb() const { return *verb_; }
  // Everything behind the verb, as it was given.
  const std::vector<std::string>& words() const { return words_; }

 private:
  struct Given {
    std::string_view option;
    std::string value;
  };

  explicit Arguments(const VerbRow& verb) : verb_(&verb) {}
  Result<> take_long(std::span<const std::string> words, std::size_t& at);
  Result<> take_letters(std::span<const std::string> words, std::size_t& at);
  Result<> take_value(const OptionRow& row, std::string_view shown, std::span<const std::string> words,
                      std::size_t& at);
  Result<> give(const OptionRow& row, std::string_view value);
  Result<> check_operands() const;
  std::unexpected<Error> wrong(std::string problem, std::string advice = {}) const;

  const VerbRow* verb_;
  std::vector<Given> given_;
  std::vector<std::string> words_, operands_, rest_;
  bool has_rest_ = false, wants_help_ = false;
};

// Whether words that could not be parsed ask for an answer in JSON: then their error is one, too.
bool asks_for_json(std::span<const std::string> words);

// The entry of `candidates` nearest to `word`, if it is near enough for a slip of the fingers.
std::optional<std::string_view> similar_word(std::string_view word, std::span<const std::string_view> candidates);

// Values that several verbs take. Errors of kind usage say what to write.
struct CellSize {
  std::uint16_t cols, rows;
};
Result<CellSize> parse_cell_size(std::string_view text);  // "120x40"
Result<std::pair<std::string, std::string>> parse_assignment(std::string_view option, std::string_view text);  // K=V
Result<std::int64_t> parse_count(std::string_view option, std::string_view text, std::int64_t min, std::int64_t max);

}  // namespace holdfast::cli
