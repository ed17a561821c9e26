#include "cli/keys.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "cli/args.h"

namespace holdfast::cli {

namespace {

// How a key is sent: its plain bytes, and with Shift, Alt, Ctrl as `CSI number ; modifiers final`.
struct KeyRow {
  std::string_view name, plain;
  int number;  // of the modified form
  char final;  // 0: it has none; modifiers work as on a character
};

constexpr std::array<KeyRow, 32> kKeys{{
    {"enter", "\r", 0, 0},         {"return", "\r", 0, 0},        {"esc", "\x1b", 0, 0},
    {"escape", "\x1b", 0, 0},      {"tab", "\t", 0, 0},           {"space", " ", 0, 0},
    {"backspace", "\x7f", 0, 0},   {"up", "\x1b[A", 1, 'A'},      {"down", "\x1b[B", 1, 'B'},
    {"right", "\x1b[C", 1, 'C'},   {"left", "\x1b[D", 1, 'D'},    {"home", "\x1b[H", 1, 'H'},
    {"end", "\x1b[F", 1, 'F'},     {"insert", "\x1b[2~", 2, '~'}, {"delete", "\x1b[3~", 3, '~'},
    {"pageup", "\x1b[5~", 5, '~'}, {"pgup", "\x1b[5~", 5, '~'},   {"pagedown", "\x1b[6~", 6, '~'},
    {"pgdown", "\x1b[6~", 6, '~'}, {"f1", "\x1bOP", 1, 'P'},      {"f2", "\x1bOQ", 1, 'Q'},
    {"f3", "\x1bOR", 1, 'R'},      {"f4", "\x1bOS", 1, 'S'},      {"f5", "\x1b[15~", 15, '~'},
    {"f6", "\x1b[17~", 17, '~'},   {"f7", "\x1b[18~", 18, '~'},   {"f8", "\x1b[19~", 19, '~'},
    {"f9", "\x1b[20~", 20, '~'},   {"f10", "\x1b[21~", 21, '~'},  {"f11", "\x1b[23~", 23, '~'},
    {"f12", "\x1b[24~", 24, '~'},  {"backtab", "\x1b[Z", 0, 0},
}};

constexpr std::array<std::string_view, kKeys.size()> kNames = [] {
  std::array<std::string_view, kKeys.size()> names;
  for (std::size_t i = 0; i < kKeys.size(); ++i) names[i] = kKeys[i].name;
  return names;
}();

enum Modifier : int { kShift = 1, kAlt = 2, kCtrl = 4 };

// Takes "ctrl-", "alt-", "shift-" (also c-, m-, s-) off the front.
int take_modifiers(std::string_view& name) {
  struct Prefix {
    std::string_view text;
    Modifier modifier;
  };
  static constexpr std::array<Prefix, 7> kPrefixes{{{"ctrl-", kCtrl},
                                                    {"control-", kCtrl},
                                                    {"alt-", kAlt},
                                                    {"meta-", kAlt},
                                                    {"shift-", kShift},
                                                    {"c-", kCtrl},
                                                    {"m-", kAlt}}};
  int modifiers = 0;
  for (bool found = true; found;) {
    found = false;
    for (const auto& prefix : kPrefixes) {
      // "c-" alone is no modifier with nothing behind it.
      if (!name.starts_with(prefix.text) || name.size() == prefix.text.size()) continue;
      name.remove_prefix(prefix.text.size());
      modifiers |= prefix.modifier;
      found = true;
    }
  }
  return modifiers;
}

// The control character of a key: Ctrl-a is 1, Ctrl-\ is 28, Ctrl-Space is 0.
std::optional<char> control_of(char c) {
  if (c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 1);
  if (c >= '@' && c <= '_') return static_cast<char>(c - '@');
  if (c == ' ') return '\0';
  if (c == '?' || c == '\x7f') return '\x7f';
  if (c == '/') return '\x1f';
  return std::nullopt;
}

bool one_character(std::string_view text) {
  if (text.empty() || static_cast<unsigned char>(text[0]) < 0x20) return false;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return text.size() == bytes;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::optional<std::string> character_bytes(std::string_view text, int modifiers) {
  std::string bytes(text);
  if ((modifiers & kShift) != 0) {
    if (text == "\t")
      bytes = "\x1b[Z";
    else if (text.size() == 1 && text[0] >= 'a' && text[0] <= 'z')
      bytes[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  if ((modifiers & kCtrl) != 0) {
    const auto control = text.size() == 1 ? control_of(lower(text)[0]) : std::nullopt;
    if (!control) return std::nullopt;
    bytes = std::string(1, *control);
  }
  return (modifiers & kAlt) != 0 ? "\x1b" + bytes : bytes;
}

}  // namespace

std::span<const std::string_view> key_names() { return kNames; }

Result<std::string> key_bytes(std::string_view name) {
  const std::string attempted = "press the key '" + printable(name, 64) + "'";
  if (one_character(name)) return std::string(name);  // as it is: its case counts
  const std::string lowered = lower(name);
  std::string_view key = lowered;
  const int modifiers = take_modifiers(key);
  const auto row = std::ranges::find(kKeys, key, &KeyRow::name);
  if (row == kKeys.end()) {
    if (one_character(key)) {
      // The last character of the name as it was written, so that alt-X is not alt-x.
      if (auto bytes = character_bytes(name.substr(name.size() - key.size()), modifiers)) return *bytes;
      return fail(ErrorKind::usage, attempted, "terminals have no such combination");
    }
    const auto similar = similar_word(key, kNames);
    return fail(ErrorKind::usage, attempted, "there is no such key",
                similar ? "did you mean " + std::string(*similar) + "?"
                        : "write for example enter, esc, up, f5, ctrl-c or alt-x");
  }
  if (modifiers == 0) return std::string(row->plain);
  if (row->final != 0) {
    return "\x1b[" + std::to_string(row->number) + ";" + std::to_string(1 + modifiers) + row->final;
  }
  // Ctrl-Enter and the like have no bytes of their own in plain modes: what a terminal sends is the key itself.
  const bool special = row->plain == "\r" || row->plain == "\t" || row->plain == "\x1b";
  if (auto bytes = character_bytes(row->plain, special ? modifiers & ~kCtrl : modifiers)) return *bytes;
  return std::string(row->plain);
}

}  // namespace holdfast::cli
