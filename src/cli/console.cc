#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/sys.h"
#include "base/text.h"
#include "wire/messages.h"

namespace holdfast::cli {

namespace {

constexpr int kJsonSchema = 1;     // of every answer; grows when a member changes its meaning
constexpr int kWidthDefault = 80;  // columns of a terminal that does not know its size

std::optional<Error> first_print_error;

bool set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

Console console_of(int fd) {
  Console console;
  console.terminal = ::isatty(fd) == 1;
  if (!console.terminal) return console;
  const char* term = std::getenv("TERM");
  console.colour = !set("NO_COLOR") && term != nullptr && std::string_view(term) != "dumb";
  winsize size{};
  console.width = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : kWidthDefault;
  return console;
}

struct Range {
  char32_t first, last;
};
// Characters that terminals draw two columns wide, in broad ranges: a gap too wide does no harm in a list.
constexpr std::array<Range, 11> kWide{{{0x1100, 0x115f},
                                       {0x2e80, 0x303e},
                                       {0x3041, 0xa4cf},
                                       {0xa960, 0xa97f},
                                       {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff},
                                       {0xfe30, 0xfe6f},
                                       {0xff00, 0xff60},
                                       {0xffe0, 0xffe6},
                                       {0x1f300, 0x1faff},
                                       {0x20000, 0x3fffd}}};
constexpr std::array<Range, 5> kNoWidth{
    {{0x300, 0x36f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xe0100, 0xe01ef}}};

bool in(char32_t c, const auto& ranges) {
  return std::ranges::any_of(ranges, [c](const Range& range) { return c >= range.first && c <= range.last; });
}

std::size_t width_of(char32_t c) {
  if (c < 0x300) return 1;
  if (in(c, kNoWidth)) return 0;
  return in(c, kWide) ? 2 : 1;
}

// The next character of valid UTF-8 (printable() has seen to that), and its bytes.
std::pair<char32_t, std::size_t> next_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes == 1 || bytes > text.size()) return {lead, 1};
  char32_t c = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  return {c, bytes};
}

}  // namespace

Console output_console() { return console_of(STDOUT_FILENO); }
Console error_console() { return console_of(STDERR_FILENO); }

std::string painted(const Console& console, Colour colour, std::string_view text) {
  if (!console.colour || colour == Colour::plain || text.empty()) return std::string(text);
  const char* code = "";
  switch (colour) {
    case Colour::plain:
      break;
    case Colour::dim:
      code = "\x1b[2m";
      break;
    case Colour::red:
      code = "\x1b[31m";
      break;
    case Colour::green:
      code = "\x1b[32m";
      break;
    case Colour::yellow:
      code = "\x1b[33m";
      break;
    case Colour::blue:
      code = "\x1b[34m";
      break;
  }
  return code + std::string(text) + "\x1b[0m";
}

bool print(std::string_view text) {
  const auto written = sys::write_all(STDOUT_FILENO, text);
  if (!written && !first_print_error) first_print_error = written.error();
  return written.has_value();
}

std::optional<Error> print_error() {
  if (!first_print_error) return std::nullopt;
  return Error{ErrorKind::failed, "write the answer", first_print_error->problem, "look at where standard output goes"};
}

Json json_answer() { return Json::object().set("schema", kJsonSchema); }

bool print_json(const Json& answer) { return print(answer.dump() + "\n"); }

void complain(std::string_view text) { (void)sys::write_all(STDERR_FILENO, text); }

std::string message_text(const Console& console, Colour of_name, std::string_view text) {
  constexpr std::string_view kName = "hold:";
  constexpr std::size_t kIndent = 2, kWidthMin = 20;  // columns
  std::string message = std::string(kName) + " " + std::string(text);
  if (console.width > 0) {
    message = wrapped(message, std::max(static_cast<std::size_t>(console.width), kWidthMin) - kIndent, kIndent);
  }
  return painted(console, of_name, kName) + message.substr(kName.size()) + "\n";
}

void tell(std::string_view text) { complain(message_text(error_console(), Colour::plain, text)); }

int report(const Error& error, bool json) {
  complain(message_text(error_console(), Colour::red, printable(error.message())));
  if (json) print_json(json_answer().set("error", wire::error_json(0, error)));
  return exit_code_of(error.kind);
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto [c, bytes] = next_character(text);
    columns += width_of(c);
    text.remove_prefix(bytes);
  }
  return columns;
}

std::string fitted(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t used = 0, at = 0;
  while (at < text.size()) {
    const auto [c, bytes] = next_character(text.substr(at));
    if (used + width_of(c) > columns - 1) break;
    used += width_of(c);
    at += bytes;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string wrapped(std::span<const std::string> words, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  for (const auto& word : words) {
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

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  return wrapped(words_of(text), width, indent);
}

std::string short_directory(std::string_view path, std::string_view home, std::size_t columns) {
  std::string text(path);
  if (home.size() > 1 && path.starts_with(home) && (path.size() == home.size() || path[home.size()] == '/')) {
    text = "~" + std::string(path.substr(home.size()));
  }
  if (display_width(text) <= columns) return text;
  // The end of a path tells more than its beginning.
  std::string_view rest = text;
  while (!rest.empty() && display_width(rest) + 1 > columns) rest.remove_prefix(next_character(rest).second);
  return columns == 0 ? std::string() : "…" + std::string(rest);
}

std::string age_text(std::int64_t ms) {
  const std::int64_t seconds = std::max<std::int64_t>(ms, 0) / 1000;
  if (seconds < 60) return std::to_string(seconds) + "s";
  if (seconds < 3600) return std::to_string(seconds / 60) + "m";
  if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + "h";
  return std::to_string(seconds / 86400) + "d";
}

}  // namespace holdfast::cli
