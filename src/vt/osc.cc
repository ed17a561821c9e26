// OSC functions: titles, links, marks, notifications. Colours are in colors.cc.
#include <algorithm>
#include <charconv>

#include "vt/hex.h"
#include "vt/interpreter.h"
#include "vt/utf8.h"

namespace holdfast::vt {
namespace {

constexpr std::size_t kDirectoryBytesMax = 4096;
constexpr std::size_t kNotificationBytesMax = 4096;
constexpr std::size_t kPointerShapeBytesMax = 64;
constexpr std::size_t kStatusBytesMax = 64u << 10;  // OSC 7501: fits into one control message

// Takes the text up to the next `separator` off the front.
std::string_view take_field(std::string_view& text, char separator = ';') {
  const std::size_t end = text.find(separator);
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return field;
}

int number_of(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : -1;
}

}  // namespace

void Interpreter::osc(std::string_view payload, Terminator terminator) {
  std::string_view text = payload;
  const int number = number_of(take_field(text));
  switch (number) {
    case 0:
    case 1:
    case 2:
      return osc_title(number, text);
    case 4:
      return osc_palette(text, terminator);
    case 5:
      return osc_special_color(text, terminator);
    case 7:
      state_.working_directory = clean_text(text, kDirectoryBytesMax);
      return event(EventKind::working_directory, state_.working_directory);
    case 8:
      return osc_hyperlink(text);
    case 9:
      return osc_notification(text);
    case 10:
    case 11:
    case 12:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
    case 18:
    case 19:
      return osc_dynamic_color(number, text, terminator);
    case 21:
      return osc_named_colors(text, terminator);
    case 22:
      return osc_pointer_shape(text);
    case 52:
      return osc_clipboard(text);
    case 104:
      return osc_palette_reset(text);
    case 105:
      return osc_special_color_reset(text);
    case 110:
    case 111:
    case 112:
    case 113:
    case 114:
    case 115:
    case 116:
    case 117:
    case 118:
    case 119:
      state_.colors.of(number - 100).reset();
      return;
    case 133:
      return osc_prompt_mark(text);
    case 777:
      return osc_777(text);
    case 7501:
      return osc_status(text);
    case 30001:  // kitty's names for XTPUSHCOLORS and XTPOPCOLORS
      return push_colors(0);
    case 30101:
      return pop_colors(0);
    default:
      return;
  }
}

void Interpreter::osc_title(int which, std::string_view text) {
  const std::string decoded =
      state_.titles.set_as_hex ? from_hex(text.substr(0, 2 * Titles::kBytesMax)) : std::string();
  if (state_.titles.set_as_hex) text = decoded;
  std::string title = clean_text(text, Titles::kBytesMax);
  if (which != 2) state_.titles.icon = title;
  if (which == 1) return;
  state_.titles.window = std::move(title);
  event(EventKind::title, state_.titles.window);
}

// `8;key=value:key=value;URI`; an empty URI ends the link.
void Interpreter::osc_hyperlink(std::string_view text) {
  if (text.find(';') == std::string_view::npos) return;
  std::string_view params = take_field(text);
  if (text.empty()) {
    editor_.change_pen().link = 0;
    return;
  }
  if (text.size() > LinkTable::kUriBytesMax) return;
  Link link;
  while (!params.empty()) {
    const std::string_view param = take_field(params, ':');
    if (param.starts_with("id=")) link.id = clean_text(param.substr(3), LinkTable::kUriBytesMax);
  }
  link.uri = clean_text(text, LinkTable::kUriBytesMax);
  if (!link.uri.empty()) editor_.open_link(link);
}

// Semantic prompt marks; P says itself which kind of prompt it is (a right one, k=r, is no start of anything). The
// cursor does not move, whatever the mark: Ghostty and xterm leave it to the shell.
void Interpreter::osc_prompt_mark(std::string_view text) {
  const std::string_view what = take_field(text);
  if (what.size() != 1) return;
  ScreenState& screen = editor_.screen();
  RowFlags& flags = screen.grid.row(screen.cursor.y).flags;
  const auto set_semantic = [this](Semantic semantic) { editor_.change_pen().semantic = semantic; };
  switch (what[0]) {
    case 'A':
    case 'N':
      flags.mark = RowMark::prompt_start;
      return set_semantic(Semantic::prompt);
    case 'P': {
      while (!text.empty()) {
        const std::string_view option = take_field(text);
        if (option == "k=i") flags.mark = RowMark::prompt_start;
        if (option == "k=c" || option == "k=s") flags.mark = RowMark::prompt_continuation;
      }
      return set_semantic(Semantic::prompt);
    }
    case 'B':
    case 'I':
      return set_semantic(Semantic::input);
    case 'C':
      flags.mark = RowMark::command_output;
      return set_semantic(Semantic::output);
    case 'D':
      return set_semantic(Semantic::output);
    default:
      return;
  }
}

// OSC 9 is a notification (iTerm2), unless it is one of ConEmu's numbered functions, of which 4 is progress.
void Interpreter::osc_notification(std::string_view text) {
  constexpr int kConEmuLast = 12;
  std::string_view rest = text;
  const int function = number_of(take_field(rest));
  if (function == 4) return osc_progress(rest);
  if (function >= 1 && function <= kConEmuLast) return;
  if (!text.empty()) event(EventKind::notification, "\n" + clean_text(text, kNotificationBytesMax));
}

void Interpreter::osc_progress(std::string_view text) {
  const int kind = number_of(take_field(text));
  if (kind < 0 || kind > 4) return;
  const int percent = number_of(take_field(text));
  const bool has_percent = kind == 1 || kind == 2 || kind == 4;
  state_.progress.state = static_cast<std::uint8_t>(kind);
  state_.progress.percent = static_cast<std::uint8_t>(has_percent && percent > 0 ? std::min(percent, 100) : 0);
  event(EventKind::progress, {}, std::uint32_t{state_.progress.state} << 8 | state_.progress.percent);
}

// A write to the clipboard is an event. Reading it is never answered: programs must not see what a person copied.
void Interpreter::osc_clipboard(std::string_view text) {
  if (text.find(';') == std::string_view::npos || text.ends_with(";?")) return;
  event(EventKind::clipboard, clean_text(text, text.size()));
}

void Interpreter::osc_pointer_shape(std::string_view text) {
  if (text.starts_with('?')) return;
  std::vector<std::string>& stack = state_.pointer_stack;
  if (text.starts_with('<')) {
    state_.pointer_shape.clear();
    if (stack.empty()) return;
    state_.pointer_shape = std::move(stack.back());
    stack.pop_back();
    return;
  }
  const bool pushes = text.starts_with('>');
  if (pushes || text.starts_with('=')) text.remove_prefix(1);
  if (text.size() > kPointerShapeBytesMax) return;
  const std::string shapes = clean_text(text, kPointerShapeBytesMax);
  std::string_view left = shapes;
  do {  // several may be pushed at once, the last of which is shown
    const std::string_view shape = take_field(left, ',');
    if (!is_pointer_shape(shape)) return;
    if (pushes && stack.size() == State::kPointerStackMax) stack.erase(stack.begin());
    if (pushes) stack.push_back(std::move(state_.pointer_shape));
    state_.pointer_shape = shape;
  } while (pushes && !left.empty());
}

// `state=working:id=3:…`; without an id it is about the program itself. `state=clear` takes a record back, and that of the
// program all of them: its parts are done when it is.
void Interpreter::osc_status(std::string_view text) {
  if (text.size() > kStatusBytesMax) return;
  StatusRecord record = StatusRecord::parse(clean_text(text, text.size()));
  // `?` asks whether the terminal knows the protocol: that is for the holder to answer.
  if (record.text == "?") return;
  event(EventKind::status_7501, record.text);
  std::vector<StatusRecord>& records = state_.status;
  if (record.is_clear && record.id.empty()) return records.clear();
  const auto old = std::ranges::find(records, record.id, &StatusRecord::id);
  if (record.is_clear || record.text.size() > StatusRecord::kBytesMax) {
    if (old != records.end()) records.erase(old);
    return;
  }
  if (old != records.end()) {
    *old = std::move(record);
    return;
  }
  if (records.size() == StatusRecord::kRecordsMax) records.erase(records.begin());
  records.push_back(std::move(record));
}

void Interpreter::osc_777(std::string_view text) {
  if (take_field(text) != "notify") return;
  const std::string title = clean_text(take_field(text), kNotificationBytesMax);
  event(EventKind::notification, title + "\n" + clean_text(text, kNotificationBytesMax));
}

}  // namespace holdfast::vt
