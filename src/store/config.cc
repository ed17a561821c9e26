#include "store/config.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>

#include "base/sys.h"
#include "base/toml.h"

namespace holdfast::store {
namespace {

constexpr std::size_t kConfigBytesMax = 1u << 20;                 // bytes; nobody writes more by hand
constexpr std::int64_t kHistoryRowsMax = 1'000'000;               // rows; more than a person scrolls through
constexpr std::int64_t kHistoryBytesMin = 64 << 10;               // bytes; one block of the history
constexpr std::int64_t kHistoryBytesMax{limits::kHistoryBytesMax};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string_view line_number(std::string_view text, std::size_t number) {
  for (; number > 1 && !text.empty(); --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return trimmed(text.substr(0, text.find('\n')));
}

// What to do about a file that is not TOML. Nearly always it is the backslash of the detach key, which TOML takes for the
// beginning of an escape where it stands in double quotes.
std::string advice_for_syntax(std::string_view text, std::string_view problem) {
  constexpr std::string_view kLine = "line ";
  std::size_t number = 0;
  if (problem.starts_with(kLine)) std::from_chars(problem.data() + kLine.size(), problem.data() + problem.size(), number);
  const std::string_view line = line_number(text, number);
  const std::size_t quote = line.find('"');
  const bool escaped = quote != std::string_view::npos && line.find('\\', quote) != std::string_view::npos;
  if (!escaped) return "correct that line, or move the file away";
  if (line.find("detach-key") != std::string_view::npos) return R"(write detach-key = 'ctrl-\', in single quotes)";
  return "a backslash is itself only in single quotes: use those, or write it twice";
}

// The settings of one file, with the words for what is wrong with one.
class Settings {
 public:
  Settings(std::string path, std::string text, Json values)
      : path_(std::move(path)), text_(std::move(text)), values_(std::move(values)) {}

  Result<std::optional<std::int64_t>> integer(const char* table, const char* key, std::int64_t min,
                                              std::int64_t max) const {
    const Json& value = values_.get(table).get(key);
    if (value.is_null()) return std::nullopt;
    if (value.is_integer() && value.as_int() >= min && value.as_int() <= max) return value.as_int();
    return wrong(table, key, "write a number from " + std::to_string(min) + " to " + std::to_string(max));
  }

  // `advice` says what the value may be, `accepts` decides it.
  template <typename Accepts>
  Result<std::optional<std::string>> word(const char* table, const char* key, const char* advice,
                                          Accepts accepts) const {
    const Json& value = values_.get(table).get(key);
    if (value.is_null()) return std::nullopt;
    if (value.is_string() && accepts(value.as_string())) return value.as_string();
    return wrong(table, key, advice);
  }

 private:
  std::unexpected<Error> wrong(const char* table, const char* key, std::string advice) const {
    const std::size_t line = line_of(table, key);
    return fail(
        ErrorKind::failed, "use the settings in " + path_,
        (line > 0 ? "line " + std::to_string(line) + ": " : "") + "'" + key + "' has a value that cannot be used",
        std::move(advice));
  }

  // Where a key stands, for the person who wrote it; 0 if it is written in a way we do not look for.
  std::size_t line_of(const std::string& table, const std::string& key) const {
    std::string_view rest = text_;
    std::string_view current;
    for (std::size_t line = 1; !rest.empty(); ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view text = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (text.starts_with('[')) current = trimmed(text.substr(1, text.find(']') - 1));
      const std::string_view name = trimmed(text.substr(0, std::min(text.find('='), text.size())));
      if ((current == table && name == key) || (current.empty() && name == table + "." + key)) return line;
    }
    return 0;
  }

  std::string path_, text_;
  Json values_;
};

Flow flow_of(std::string_view word) {
  if (word == "lossless") return Flow::lossless;
  if (word == "latest") return Flow::latest;
  return Flow::automatic;
}

Result<Config> read_settings(const Settings& settings) {
  Config config;
  if (const auto rows = TRY(settings.integer("terminal", "history-rows", 0, kHistoryRowsMax))) {
    config.history_rows = static_cast<std::uint32_t>(*rows);
  }
  if (const auto bytes = TRY(settings.integer("terminal", "history-bytes", kHistoryBytesMin, kHistoryBytesMax))) {
    config.history_bytes = static_cast<std::uint64_t>(*bytes);
  }
  if (const auto seconds =
          TRY(settings.integer("terminal", "sleep-after-seconds", 0, limits::kSleepAfterSecondsMax))) {
    config.sleep_after_s = *seconds;
  }
  const auto is_flow = [](std::string_view word) { return word == "auto" || word == "lossless" || word == "latest"; };
  if (const auto flow = TRY(settings.word("terminal", "flow", R"(write "auto", "lossless" or "latest")", is_flow))) {
    config.flow = flow_of(*flow);
  }
  constexpr const char* kKeyAdvice = R"(write 'ctrl-\', 'ctrl-]', 'ctrl-' and a letter other than i, j, m, or "none")";
  if (auto key = TRY(settings.word("attach", "detach-key", kKeyAdvice, is_detach_key)))
    config.detach_key = std::move(*key);
  return config;
}

}  // namespace

bool is_detach_key(std::string_view text) {
  if (text == "none") return true;
  if (text.size() != 6 || !text.starts_with("ctrl-")) return false;
  const char key = text[5];
  const bool letter = key >= 'a' && key <= 'z' && key != 'i' && key != 'j' && key != 'm';
  return letter || key == '\\' || key == ']';
}

Result<Config> read_config(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) return Config{};
  std::string text = TRY(sys::read_file(path, kConfigBytesMax));
  auto values = parse_toml(text);
  if (!values) {
    return fail(ErrorKind::failed, "use the settings in " + path, values.error().problem,
                advice_for_syntax(text, values.error().problem));
  }
  return read_settings(Settings(path, std::move(text), std::move(*values)));
}

}  // namespace holdfast::store
