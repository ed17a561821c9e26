#include "base/ids.h"

#include <sys/random.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace holdfast {
namespace {

constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";  // Crockford: no i, l, o, u
constexpr std::size_t kUlidChars = 26;
constexpr std::size_t kTimeChars = 10;
// Characters that a numeric suffix ("-9999") needs after a default name.
constexpr std::size_t kSuffixChars = 5;
constexpr const char* kEmptySlug = "session";

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string cut_slug(std::string text, std::size_t max) {
  if (text.size() > max) text.resize(max);
  while (!text.empty() && text.back() == '-') text.pop_back();
  return text;
}

}  // namespace

std::string new_ulid(std::int64_t wall_ms) {
  unsigned char random[kUlidChars - kTimeChars];
  // 16 bytes never fail nor come short once the pool is ready, and without randomness there are no ids.
  CHECK(::getrandom(random, sizeof random, 0) == static_cast<ssize_t>(sizeof random));
  std::string id(kUlidChars, '0');
  for (std::size_t i = 0; i < kTimeChars; ++i) {
    id[kTimeChars - 1 - i] = kDigits[static_cast<std::size_t>(wall_ms >> (5 * i)) & 31u];
  }
  for (std::size_t i = 0; i < sizeof random; ++i) id[kTimeChars + i] = kDigits[random[i] & 31u];
  return id;
}

bool is_ulid(std::string_view text) {
  return text.size() == kUlidChars && text[0] <= '7' &&
         std::all_of(text.begin(), text.end(), [](char c) { return kDigits.find(c) != std::string_view::npos; });
}

bool is_session_name(std::string_view text) {
  return !text.empty() && text.size() <= limits::kNameBytesMax && is_lower(text[0]) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower(c) || is_digit(c) || c == '_' || c == '-'; });
}

Result<> check_session_name(std::string_view text) {
  if (is_session_name(text)) return {};
  return fail(ErrorKind::usage, "use the name '" + printable(text, limits::kNameBytesMax) + "'",
              "it is no name for a session",
              "begin with a letter and use at most " + std::to_string(limits::kNameBytesMax) +
                  " lower-case letters, digits, '-' and '_', for example '" + slug(text) + "'");
}

std::string slug(std::string_view text) {
  std::string name;
  for (const char raw : text) {
    const char c = lower(raw);
    const bool kept = is_lower(c) || c == '_' || is_digit(c);
    if (name.empty() && !is_lower(c)) continue;  // a name begins with a letter
    if (kept) {
      name += c;
    } else if (name.back() != '-') {
      name += '-';
    }
    if (name.size() > limits::kNameBytesMax) break;
  }
  name = cut_slug(std::move(name), limits::kNameBytesMax);
  return name.empty() ? kEmptySlug : name;
}

std::string default_session_name(std::string_view command, std::string_view directory) {
  const auto base_of = [](std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    return path.substr(path.rfind('/') + 1);
  };
  std::string_view program = base_of(command);
  while (!program.empty() && program.front() == '-') program.remove_prefix(1);  // "-bash" of a login shell
  std::string joined(program);
  joined += '-';
  joined += base_of(directory);
  return cut_slug(slug(joined), limits::kNameBytesMax - kSuffixChars);
}

}  // namespace holdfast
