// Answers to queries, as the client's terminal would give them.
#include <algorithm>

#include "vt/hex.h"
#include "vt/interpreter.h"

namespace holdfast::vt {
namespace {

// "1;2;3"
template <typename... Numbers>
std::string list(Numbers... numbers) {
  std::string text;
  ((text += (text.empty() ? "" : ";") + std::to_string(numbers)), ...);
  return text;
}

// The client names itself; only what can stand in a reply without harm is kept of it.
std::string word(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 64)) {
    if (c > 0x20 && c < 0x7f) out += c;
  }
  return out;
}

// Modes that xterm knows and that are never on: those of block terminals (GATM, SRTM, VEM, HEM, PUM, FEAM, FETM, MATM,
// TTM, SATM, TSM, EBM), autorepeat (DECARM), which belongs to the keyboard of the whole screen, and DECHCCM.
bool is_never_set(std::uint16_t number, bool is_private) {
  constexpr std::uint16_t kAnsi[] = {1, 5, 7, 10, 11, 13, 14, 15, 16, 17, 18, 19}, kPrivate[] = {8, 60};
  return is_private ? std::ranges::find(kPrivate, number) != std::end(kPrivate)
                    : std::ranges::find(kAnsi, number) != std::end(kAnsi);
}

}  // namespace

void Interpreter::report_attributes(char prefix) {
  switch (prefix) {
    case '>':
      return reply(is_xterm() ? "\x1b[>41;400;0c" : "\x1b[>1;10;0c");
    case '=':
      return reply("\x1bP!|00000000\x1b\\");
    default:
      return reply(is_xterm() ? "\x1b[?64;1;2;6;9;15;16;17;18;21;22;28;29c" : "\x1b[?62;22;52c");
  }
}

void Interpreter::report_version() {
  const std::string name = word(client_.name), version = word(client_.version);
  reply("\x1bP>|" + name + (is_xterm() ? "(" + version + ")" : " " + version) + "\x1b\\");
}

void Interpreter::report_color_scheme() { reply(client_.dark ? "\x1b[?997;1n" : "\x1b[?997;2n"); }

void Interpreter::report_status(const Sequence& seq, bool is_private) {
  const Cursor& at = editor_.cursor();
  const bool origin = state_.modes.get(Mode::origin);
  const int y = at.y - (origin ? state_.margins.top : 0) + 1, x = at.x - (origin ? state_.margins.left : 0) + 1;
  const int what = seq.value_at(0);
  if (!is_private) {
    if (what == 5) reply("\x1b[0n");
    if (what == 6) reply("\x1b[" + list(y, x) + "R");
    return;
  }
  if (what == 6) return reply("\x1b[?" + (is_xterm() ? list(y, x, 1) : list(y, x)) + "R");  // with the page
  if (what == 996) return report_color_scheme();
  if (!is_xterm()) return;
  switch (what) {  // devices we do not have, in the words of the VT420
    case 15:
      return reply("\x1b[?13n");
    case 25:
      return reply("\x1b[?20n");
    case 26:
      return reply("\x1b[?27;1;0;0n");
    case 53:
    case 55:
      return reply("\x1b[?50n");
    case 56:
      return reply("\x1b[?57;0n");
    case 62:
      return reply("\x1b[0*{");
    case 63:
      return reply("\x1bP" + list(seq.value_at(1)) + "!~0000\x1b\\");
    case 75:
      return reply("\x1b[?70n");
    case 85:
      return reply("\x1b[?83n");
    default:
      return;
  }
}

void Interpreter::report_mode(std::uint16_t number, bool is_private) {
  constexpr int kLevelMin = 3;
  if (state_.conformance < kLevelMin) return;
  const auto mode = known_mode(number, is_private);
  int value = 0;
  if (is_xterm() && is_never_set(number, is_private)) {
    value = 4;
  } else if (mode == Mode::save_cursor_1048) {
    value = editor_.screen().saved ? 1 : 2;
  } else if (mode && mode != Mode::kitty_clipboard) {  // a mode we keep for a program that sets it, but do not offer
    value = state_.modes.get(*mode) ? 1 : 2;
  }
  reply(std::string(is_private ? "\x1b[?" : "\x1b[") + list(number, value) + "$y");
}

void Interpreter::report_window(int what) {
  const Size& size = state_.size;
  const int cell_width = size.xpixel != 0 ? size.xpixel / size.cols : client_.cell_width;
  const int cell_height = size.ypixel != 0 ? size.ypixel / size.rows : client_.cell_height;
  const int width = size.xpixel != 0 ? size.xpixel : size.cols * cell_width;
  const int height = size.ypixel != 0 ? size.ypixel : size.rows * cell_height;
  switch (what) {
    case 14:
      return reply("\x1b[" + list(4, height, width) + "t");
    case 15:
      return reply("\x1b[" + list(5, height, width) + "t");
    case 16:
      return reply("\x1b[" + list(6, cell_height, cell_width) + "t");
    case 18:
      return reply("\x1b[" + list(8, size.rows, size.cols) + "t");
    case 19:
      return reply("\x1b[" + list(9, size.rows, size.cols) + "t");
    default:
      return;
  }
}

// In a session never: what a program prints must not come back as typed input.
void Interpreter::report_title(char letter, const std::string& title) {
  if (!client_.reports_titles) return;
  reply(std::string("\x1b]") + letter + (state_.titles.reported_as_hex ? to_hex(title) : title) + "\x1b\\");
}

void Interpreter::report_size() {
  const Size& size = state_.size;
  const int width = size.xpixel != 0 ? size.xpixel : size.cols * client_.cell_width;
  const int height = size.ypixel != 0 ? size.ypixel : size.rows * client_.cell_height;
  reply("\x1b[" + list(48, size.rows, size.cols, height, width) + "t");
}

// DECRQCRA: the negated 16-bit sum of the characters, of their attributes as the VT420 weighs them, blanks as spaces.
void Interpreter::report_checksum(const Sequence& seq) {
  const Rectangle area = rectangle(seq, 2);
  unsigned sum = 0;
  for (int y = area.top; y <= area.bottom; ++y) {
    for (int x = area.left; x <= area.right; ++x) {
      const Cell cell = editor_.grid().row(y).cells[x];
      if (cell.kind() == CellKind::wide_tail) continue;
      sum += !cell.is_written() ? U' ' : cell.is_cluster() ? state_.tables.clusters[cell.text()][0] : cell.text();
      if (client_.plain_checksums) continue;
      const std::uint32_t attributes = state_.tables.styles[cell.style()].attributes;
      if (cell.is_protected()) sum += 0x04;
      if (attributes & kHidden) sum += 0x08;
      if (attributes & kUnderlineMask) sum += 0x10;
      if (attributes & kInverse) sum += 0x20;
      if (attributes & kBlink) sum += 0x40;
      if (attributes & kBold) sum += 0x80;
    }
  }
  static constexpr char kDigits[] = "0123456789ABCDEF";
  const unsigned check = -sum & 0xffff;
  std::string text = "\x1bP" + list(seq.value_at(0)) + "!~";
  for (int shift = 12; shift >= 0; shift -= 4) text += kDigits[check >> shift & 15];
  reply(text + "\x1b\\");
}

}  // namespace holdfast::vt
