// What the command line writes: to whom, how wide, in colour or not; and how errors look.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace holdfast::cli {

enum class Colour : std::uint8_t { plain, dim, red, green, yellow, blue };

struct Console {
  bool terminal = false;  // somebody looks at it
  bool colour = false;    // a terminal, and neither NO_COLOR nor TERM=dumb forbids it
  int width = 0;          // columns; 0: no bound
};
// Of standard output and standard error.
Console output_console();
Console error_console();

std::string painted(const Console& console, Colour colour, std::string_view text);

// To standard output, all of it. False (a reader that is gone, a full disk): nothing more can be said there.
bool print(std::string_view text);
// The first print() that failed, as what the person must know before the exit code says that all went well.
std::optional<Error> print_error();
// An answer of `--json`: print_json(json_answer().set(…)), one line with its `schema` first (docs/cli.md).
Json json_answer();
bool print_json(const Json& answer);
// To standard error, as it is.
void complain(std::string_view text);
// One message of ours to standard error, as message_text() has it.
void tell(std::string_view text);
// "hold: text" and a line feed. On a terminal no word is torn at its edge; elsewhere it is one line.
std::string message_text(const Console& console, Colour of_name, std::string_view text);

// Says the error once, in a sentence, and gives the exit code. With `json` also as an object on standard output.
int report(const Error& error, bool json = false);

// Columns that text takes on a terminal: wide characters count two, combining ones none.
std::size_t display_width(std::string_view text);
// Text cut to `columns`, with "…" where something is missing.
std::string fitted(std::string_view text, std::size_t columns);
// Text in lines of at most `width` columns, each but the first led by `indent` blanks; only a word that is longer than
// that passes it. The second form takes the words, which may have blanks inside.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);
std::string wrapped(std::span<const std::string> words, std::size_t width, std::size_t indent);
std::vector<std::string> words_of(std::string_view text);  // at the blanks
// A directory as people write it: "~" for home; cut at its front when it is longer than `columns`.
std::string short_directory(std::string_view path, std::string_view home, std::size_t columns);
// "5s", "3m", "2h", "4d": how long ago.
std::string age_text(std::int64_t ms);

}  // namespace holdfast::cli
