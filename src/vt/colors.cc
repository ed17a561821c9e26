// Colours that a program sets and asks for: OSC 4, 5, 10-19 and their resets.
#include <algorithm>
#include <array>
#include <charconv>

#include "vt/interpreter.h"

namespace holdfast::vt {
namespace {

std::optional<unsigned> hex_of(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// One component of 1 to 4 hex digits as 8 bits; `rgb:f/f/f` is white, so one digit is scaled and not shifted.
std::optional<unsigned> component(std::string_view text) {
  if (text.empty() || text.size() > 4) return std::nullopt;
  const auto value = hex_of(text);
  if (!value) return std::nullopt;
  const unsigned most = (1u << 4 * text.size()) - 1;
  return (*value * 255 + most / 2) / most;
}

std::optional<std::uint32_t> join(std::string_view r, std::string_view g, std::string_view b) {
  const auto red = component(r), green = component(g), blue = component(b);
  if (!red || !green || !blue) return std::nullopt;
  return *red << 16 | *green << 8 | *blue;
}

struct NamedColor {
  std::string_view name;
  std::uint32_t rgb;
};
// The names people write by hand; the rest of X11's list is not worth its size.
constexpr NamedColor kNamedColors[] = {
    {"black", 0x000000},  {"white", 0xffffff},  {"red", 0xff0000},      {"green", 0x00ff00},    {"blue", 0x0000ff},
    {"yellow", 0xffff00}, {"cyan", 0x00ffff},   {"magenta", 0xff00ff},  {"gray", 0xbebebe},     {"grey", 0xbebebe},
    {"orange", 0xffa500}, {"purple", 0xa020f0}, {"brown", 0xa52a2a},    {"pink", 0xffc0cb},     {"navy", 0x000080},
    {"maroon", 0xb03060}, {"gold", 0xffd700},   {"darkgray", 0xa9a9a9}, {"lightgray", 0xd3d3d3}};

// `rgb:r/g/b`, `#rgb` in four lengths, and a few names.
std::optional<std::uint32_t> parse_scaled(std::string_view text) {
  if (text.starts_with("rgb:")) {
    text.remove_prefix(4);
    const std::size_t first = text.find('/');
    const std::size_t second = first == std::string_view::npos ? first : text.find('/', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    return join(text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1));
  }
  if (text.starts_with('#')) {
    text.remove_prefix(1);
    const std::size_t digits = text.size() / 3;
    if (text.size() % 3 != 0 || digits == 0 || digits > 4) return std::nullopt;
    return join(text.substr(0, digits), text.substr(digits, digits), text.substr(2 * digits));
  }
  std::string lower;
  for (const char c : text.substr(0, 16)) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  for (const NamedColor& color : kNamedColors) {
    if (color.name == lower) return color.rgb;
  }
  return std::nullopt;
}

// XParseColor: behind `#` stand the highest bits of each component, and the others are 0.
std::optional<std::uint32_t> parse_shifted(std::string_view text) {
  const std::size_t digits = (text.size() - 1) / 3;
  if (!text.starts_with('#') || digits == 2) return parse_scaled(text);
  const auto rgb = parse_scaled(text);
  if (!rgb) return rgb;
  std::uint32_t shifted = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const unsigned value = *hex_of(text.substr(1 + i * digits, digits));
    shifted = shifted << 8 | (digits == 1 ? value << 4 : value >> 4 * (digits - 2));
  }
  return shifted;
}

std::string_view take_field(std::string_view& text) {
  const std::size_t end = text.find(';');
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return field;
}

// A number below `count`.
std::optional<std::size_t> index_below(std::size_t count, std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value >= count) return std::nullopt;
  return value;
}
constexpr std::size_t kPaletteCount = 256;
constexpr std::size_t kIndexCount = kPaletteCount + Colors::kSpecialCount;  // OSC 4 counts on into the special colours

constexpr std::array<std::uint32_t, 16> kBaseColors = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
                                                       0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
                                                       0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};

// xterm's 256 colours: 16 by hand, a 6x6x6 cube, 24 grays.
std::uint32_t standard_color(std::uint8_t index) {
  if (index < 16) return kBaseColors[index];
  if (index >= 232) return (8u + 10u * (index - 232u)) * 0x010101u;
  const unsigned cube = index - 16u;
  const auto level = [](unsigned n) { return n == 0 ? 0u : 55u + 40u * n; };
  return level(cube / 36) << 16 | level(cube / 6 % 6) << 8 | level(cube % 6);
}

}  // namespace

std::optional<std::uint32_t> Interpreter::parse_color(std::string_view text) const {
  return is_xterm() ? parse_shifted(text) : parse_scaled(text);
}

std::uint32_t Interpreter::palette_color(std::uint8_t index) const {
  if (const auto own = state_.colors.palette.find(index); own != state_.colors.palette.end()) return own->second;
  if (const auto of_client = client_.palette.find(index); of_client != client_.palette.end()) return of_client->second;
  return standard_color(index);
}

void Interpreter::reply_color(std::string_view head, std::uint32_t rgb, Terminator terminator) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "\x1b]" + std::string(head) + (head.ends_with('=') ? "rgb:" : ";rgb:");
  for (int shift = 16; shift >= 0; shift -= 8) {
    const char digits[] = {kDigits[rgb >> (shift + 4) & 15], kDigits[rgb >> shift & 15]};
    text.append(digits, 2).append(digits, 2);  // 8 bits as 16: 0xab is 0xabab
    if (shift > 0) text += '/';
  }
  reply(text + (terminator == Terminator::bel ? "\a" : "\x1b\\"));
}

void Interpreter::osc_palette(std::string_view text, Terminator terminator) {
  while (!text.empty()) {
    const auto which = index_below(is_xterm() ? kIndexCount : kPaletteCount, take_field(text));
    const std::string_view color = take_field(text);
    if (!which) continue;
    const std::string head = "4;" + std::to_string(*which);
    if (*which >= kPaletteCount) {
      change_special_color(head, *which - kPaletteCount, color, terminator);
      continue;
    }
    const auto index = static_cast<std::uint8_t>(*which);
    if (color == "?") {
      reply_color(head, palette_color(index), terminator);
    } else if (const auto rgb = parse_color(color)) {
      state_.colors.palette[index] = *rgb;
    }
  }
}

void Interpreter::osc_palette_reset(std::string_view text) {
  if (text.empty()) state_.colors.palette.clear();
  while (!text.empty()) {
    const auto which = index_below(is_xterm() ? kIndexCount : kPaletteCount, take_field(text));
    if (!which) continue;
    if (*which >= kPaletteCount) {
      state_.colors.special[*which - kPaletteCount].reset();
    } else {
      state_.colors.palette.erase(static_cast<std::uint8_t>(*which));
    }
  }
}

// Colours for bold, underlined, blinking, reversed and italic text, which xterm shows instead of the attribute.
void Interpreter::osc_special_color(std::string_view text, Terminator terminator) {
  while (!text.empty()) {
    const auto which = index_below(Colors::kSpecialCount, take_field(text));
    const std::string_view color = take_field(text);
    if (which) change_special_color("5;" + std::to_string(*which), *which, color, terminator);
  }
}

void Interpreter::change_special_color(std::string_view head, std::size_t which, std::string_view color,
                                       Terminator terminator) {
  auto& own = state_.colors.special[which];
  if (color == "?") {
    if (const auto now = special_color(which)) reply_color(head, *now, terminator);
  } else if (const auto rgb = parse_color(color)) {
    own = *rgb;
  }
}

void Interpreter::osc_special_color_reset(std::string_view text) {
  if (text.empty()) state_.colors.special = {};
  while (!text.empty()) {
    if (const auto which = index_below(Colors::kSpecialCount, take_field(text))) state_.colors.special[*which].reset();
  }
}

// What a program that asks is told: its own colour, that of the client's terminal, or the nearest thing to it. Ghostty tells
// of the first three only.
std::optional<std::uint32_t> Interpreter::dynamic_color(int number) const {
  constexpr int kForeground = 10, kBackground = 11, kCursor = 12;
  if (const auto& own = state_.colors.of(number)) return own;
  if (number == kForeground) return client_.foreground;
  if (number == kBackground) return client_.background;
  if (number == kCursor) return client_.cursor;
  if (!is_xterm()) return std::nullopt;
  switch (number) {
    case 14:  // behind the pointer
    case 16:
    case 19:  // the highlight's text, and Tektronix's background
      return dynamic_color(kBackground);
    case 18:
      return dynamic_color(kCursor);
    default:
      return dynamic_color(kForeground);
  }
}

// Further colours in the text are for the numbers that follow.
void Interpreter::osc_dynamic_color(int number, std::string_view text, Terminator terminator) {
  for (; number < Colors::kDynamicFirst + Colors::kDynamicCount && !text.empty(); ++number) {
    const std::string_view color = take_field(text);
    if (color != "?") {
      if (const auto rgb = parse_color(color)) state_.colors.of(number) = *rgb;
    } else if (const auto rgb = dynamic_color(number)) {
      reply_color(std::to_string(number), *rgb, terminator);
    }
  }
}

// Attributes that have a colour of their own. Ghostty has none.
std::optional<std::uint32_t> Interpreter::special_color(std::size_t index) const {
  if (const auto& own = state_.colors.special[index]) return own;
  return is_xterm() ? dynamic_color(Colors::kDynamicFirst) : std::nullopt;
}

// kitty's form: `21;name=colour;name=?;name=`, where nothing resets and what is not named here is read over.
void Interpreter::osc_named_colors(std::string_view text, Terminator terminator) {
  constexpr std::pair<std::string_view, int> kNames[] = {{"foreground", 10},
                                                         {"background", 11},
                                                         {"cursor", 12},
                                                         {"selection_background", 17},
                                                         {"selection_foreground", 19}};
  constexpr int kFieldsMax = 512;  // all colours twice
  for (int i = 0; i < kFieldsMax && !text.empty(); ++i) {
    const std::string_view field = take_field(text);
    const std::size_t equals = std::min(field.find('='), field.size());
    const std::string_view name = field.substr(0, equals), color = field.substr(std::min(equals + 1, field.size()));
    if (const auto which = index_below(kPaletteCount, name)) {
      const auto index = static_cast<std::uint8_t>(*which);
      if (color == "?") reply_color("21;" + std::to_string(index) + "=", palette_color(index), terminator);
      if (color.empty()) state_.colors.palette.erase(index);
      if (const auto rgb = parse_color(color)) state_.colors.palette[index] = *rgb;
      continue;
    }
    for (const auto& [known, number] : kNames) {
      if (name != known) continue;
      std::optional<std::uint32_t>& own = state_.colors.of(number);
      const auto now = dynamic_color(number);
      if (color == "?" && now) reply_color("21;" + std::string(known) + "=", *now, terminator);
      if (color.empty()) own.reset();
      if (const auto rgb = parse_color(color)) own = *rgb;
    }
  }
}

// XTPUSHCOLORS: on top, where the bottom one makes room; or over the entry of that number, counted from 1.
void Interpreter::push_colors(int entry) {
  auto& stack = state_.color_stack;
  if (entry > 0 && static_cast<std::size_t>(entry) <= stack.size()) {
    stack[static_cast<std::size_t>(entry) - 1] = state_.colors;
    return;
  }
  if (entry > static_cast<int>(State::kColorStackMax)) return;
  if (stack.size() == State::kColorStackMax) stack.erase(stack.begin());
  stack.push_back(state_.colors);
}

// XTPOPCOLORS: the top one, or the one of that number with all above it.
void Interpreter::pop_colors(int entry) {
  auto& stack = state_.color_stack;
  if (stack.empty() || static_cast<std::size_t>(entry) > stack.size()) return;
  if (entry > 0) stack.resize(static_cast<std::size_t>(entry));
  state_.colors = std::move(stack.back());
  stack.pop_back();
}

void Interpreter::report_color_stack() {
  const std::string depth = std::to_string(state_.color_stack.size());
  reply("\x1b[?" + depth + ";" + depth + "#Q");
}

}  // namespace holdfast::vt
