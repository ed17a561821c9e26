// CSI functions (xterm's ctlseqs, "Functions using CSI"). What is not named here is consumed and ignored.
#include <algorithm>

#include "vt/interpreter.h"

namespace holdfast::vt {
namespace {
constexpr auto key = [](const char (&text)[3]) { return Sequence::key(text[0], 0, 0, text[1]); };    // prefix, final
constexpr auto plain = [](const char (&text)[3]) { return Sequence::key(0, text[0], 0, text[1]); };  // intermediate
constexpr auto both = [](const char (&text)[4]) { return Sequence::key(text[0], text[1], 0, text[2]); };
// What DECRARA toggles with parameter 0.
constexpr std::uint32_t kReversible = kBold | 1u << kUnderlineShift | kBlink | kInverse;

// (set, clear) of the SGR-like parameters of DECCARA from the fifth on.
std::pair<std::uint32_t, std::uint32_t> attributes_of(const Sequence& seq) {
  std::uint32_t set = 0, clear = 0;
  for (int i = 4; i < std::max<int>(seq.count, 5); ++i) {
    switch (seq.value_at(i)) {
      case 0:
        clear = kBold | kUnderlineMask | kBlink | kInverse;
        set = 0;
        break;
      case 1:
        set |= kBold;
        break;
      case 4:
        set |= 1u << kUnderlineShift;
        break;
      case 5:
        set |= kBlink;
        break;
      case 7:
        set |= kInverse;
        break;
      case 22:
        clear |= kBold;
        break;
      case 24:
        clear |= kUnderlineMask;
        break;
      case 25:
        clear |= kBlink;
        break;
      case 27:
        clear |= kInverse;
        break;
      default:
        break;
    }
  }
  return {set, clear};
}

// Which looks XTPUSHSGR names: all, or those of its parameters, of which 10 and 11 are older names of the colours.
std::uint16_t sgr_parts(const Sequence& seq) {
  std::uint16_t parts = seq.value_at(0) == 0 ? SgrEntry::kAll : std::uint16_t{0};
  for (int i = 0; i < seq.count; ++i) {
    const int value = seq.value_at(i), code = value == 10 || value == 11 ? value + 20 : value;
    const auto* const at = std::ranges::find(SgrEntry::kCodes, code);
    if (at != SgrEntry::kCodes.end()) parts |= static_cast<std::uint16_t>(1u << (at - SgrEntry::kCodes.begin()));
  }
  return parts;
}

void take_parts(Style& style, const SgrEntry& from) {
  constexpr std::uint32_t kAttributes[] = {kBold,    kFaint,  kItalic, kUnderlineMask, kBlink | kRapidBlink,
                                           kInverse, kHidden, kStrike, kUnderlineMask};
  constexpr unsigned kForeground = 1u << std::size(kAttributes), kBackground = kForeground << 1;
  if (from.parts == SgrEntry::kAll) {
    style = from.style;
    return;
  }
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < std::size(kAttributes); ++i) mask |= (from.parts >> i & 1u) != 0 ? kAttributes[i] : 0;
  style.attributes = (style.attributes & ~mask) | (from.style.attributes & mask);
  if (from.parts & kForeground) style.foreground = from.style.foreground;
  if (from.parts & kBackground) style.background = from.style.background;
}

}  // namespace

void Interpreter::csi(const Sequence& seq) {
  if (seq.is_sgr()) return sgr(seq);
  editor_.settle();
  if (seq.colons != 0) return;  // sub-parameters belong to SGR
  if (seq.prefix == 0 && seq.intermediates[0] == 0) {
    if (!csi_plain(seq)) (void)csi_reports(seq, seq.key());
    return;
  }
  const std::uint32_t function = seq.key();
  switch (function) {
    case key("?h"):
      return set_modes(seq, true, true);
    case key("?l"):
      return set_modes(seq, true, false);
    case key("?s"):
      return save_modes(seq);
    case key("?r"):
      return restore_modes(seq);
    case key("?J"):
      return erase_display(seq, Erase::selective);
    case key("?K"):
      return erase_line(seq, Erase::selective);
    case key("?W"):
      if (seq.value_at(0) == 5) editor_.reset_tab_stops(true);
      return;
    case key("?u"):
    case key(">u"):
    case key("<u"):
    case key("=u"):
      return csi_kitty(seq);
    case key(">m"):
    case key("?m"):
    case key(">n"):
      return csi_key_modifiers(seq);
    case plain(" q"):
      return set_cursor_shape(seq.value_at(0));
    case plain(" @"):
      return editor_.scroll_left(seq.count_at(0));
    case plain(" A"):
      return editor_.scroll_right(seq.count_at(0));
    case plain("'}"):
      return editor_.insert_columns(seq.count_at(0));
    case plain("'~"):
      return editor_.delete_columns(seq.count_at(0));
    case plain("!p"):
      return editor_.soft_reset();
    case key(">t"):
    case key(">T"):
      return set_title_modes(seq, seq.final == 't');
    case plain("*|"):
      return ask_for_size(0, seq.value_at(0));
    case plain("$|"):
      return ask_for_size(seq.count_at(0, kColumnsNarrow), 0);
    case plain("\"q"):
      return csi_protection(seq);
    case plain("\"p"):
      return set_conformance(seq);
    case plain("#{"):
    case plain("#}"):
    case plain("#p"):
    case plain("#q"):
      return csi_sgr_stack(seq);
    case plain("#P"):
      return push_colors(seq.value_at(0));
    case plain("#Q"):
      return pop_colors(seq.value_at(0));
    case plain("#R"):
      return report_color_stack();
    case key(">s"):
      if (seq.value_at(0) <= 2) state_.shift_escape = static_cast<std::uint8_t>(seq.value_at(0));
      return;
    case plain("$p"):
      return report_mode(static_cast<std::uint16_t>(seq.value_at(0)), false);
    case both("?$p"):
      return report_mode(static_cast<std::uint16_t>(seq.value_at(0)), true);
    default:
      break;
  }
  if (!csi_reports(seq, function)) csi_rectangles(seq, function);
}

bool Interpreter::csi_plain(const Sequence& seq) {
  Editor& e = editor_;
  switch (seq.final) {
    case '@':
      e.insert_characters(seq.count_at(0));
      return true;
    case 'A':
      e.move_up(seq.count_at(0));
      return true;
    case 'B':
      e.move_down(seq.count_at(0));
      return true;
    case 'C':
      e.move_right(seq.count_at(0));
      return true;
    case 'D':
      e.move_left(seq.count_at(0));
      return true;
    case 'E':
      e.move_down(seq.count_at(0));
      e.carriage_return();
      return true;
    case 'F':
      e.move_up(seq.count_at(0));
      e.carriage_return();
      return true;
    case 'G':
    case '`':
      e.move_to_column(seq.count_at(0) - 1);
      return true;
    case 'H':
    case 'f':
      e.move_to(seq.count_at(0) - 1, seq.count_at(1) - 1);
      return true;
    case 'I':
      e.tab(seq.count_at(0));
      return true;
    case 'J':
      erase_display(seq, Erase::normal);
      return true;
    case 'K':
      erase_line(seq, Erase::normal);
      return true;
    case 'L':
      e.insert_lines(seq.count_at(0));
      return true;
    case 'M':
      e.delete_lines(seq.count_at(0));
      return true;
    case 'P':
      e.delete_characters(seq.count_at(0));
      return true;
    case 'S':
      e.scroll_up(seq.count_at(0));
      return true;
    case 'T':
    case '^':
      if (seq.count <= 1) e.scroll_down(seq.count_at(0));  // with five parameters it starts highlight tracking
      return true;
    case 'X':
      e.erase_characters(seq.count_at(0));
      return true;
    case 'Z':
      e.tab_back(seq.count_at(0));
      return true;
    case 'a':
      e.move_by(0, seq.count_at(0));
      return true;
    case 'e':
      e.move_by(seq.count_at(0), 0);
      return true;
    case 'b':
      e.repeat_last(seq.count_at(0));
      return true;
    case 'd':
      e.move_to_row(seq.count_at(0) - 1);
      return true;
    case 'g':
      tab_clear(seq);
      return true;
    case 'h':
      set_modes(seq, false, true);
      return true;
    case 'l':
      set_modes(seq, false, false);
      return true;
    case 'r':
      e.set_vertical_margins(seq.count_at(0) - 1, seq.count_at(1, e.rows()) - 1);
      return true;
    case 's':
      if (state_.modes.get(Mode::left_right_margins)) {
        e.set_horizontal_margins(seq.count_at(0) - 1, seq.count_at(1, e.cols()) - 1);
      } else if (seq.count == 0) {
        e.save_cursor();
      }
      return true;
    case 'u':
      if (seq.count == 0) e.restore_cursor();
      return true;
    case 't':
      csi_window(seq);
      return true;
    default:
      return false;
  }
}

bool Interpreter::csi_reports(const Sequence& seq, std::uint32_t function) {
  switch (function) {
    case Sequence::key(0, 0, 0, 'c'):
    case key("=c"):
    case key(">c"):
      if (seq.value_at(0) == 0) report_attributes(seq.prefix);
      return true;
    case Sequence::key(0, 0, 0, 'n'):
      report_status(seq, false);
      return true;
    case key("?n"):
      report_status(seq, true);
      return true;
    case key(">q"):
      if (seq.value_at(0) == 0) report_version();
      return true;
    default:
      return false;
  }
}

void Interpreter::erase_display(const Sequence& seq, Erase kind) {
  switch (seq.value_at(0)) {
    case 0:
      return editor_.erase_in_display(Extent::after, kind);
    case 1:
      return editor_.erase_in_display(Extent::before, kind);
    case 2:
      return editor_.erase_in_display(Extent::all, kind);
    case 3:
      if (kind == Erase::normal) editor_.erase_history();
      return;
    case 22:
      if (kind == Erase::normal) editor_.scroll_out_display();
      return;
    default:
      return;
  }
}

void Interpreter::erase_line(const Sequence& seq, Erase kind) {
  switch (seq.value_at(0)) {
    case 0:
      return editor_.erase_in_line(Extent::after, kind);
    case 1:
      return editor_.erase_in_line(Extent::before, kind);
    case 2:
      return editor_.erase_in_line(Extent::all, kind);
    default:
      return;
  }
}

void Interpreter::tab_clear(const Sequence& seq) {
  if (seq.value_at(0) == 0) editor_.clear_tab_stop();
  if (seq.value_at(0) == 3) editor_.reset_tab_stops(false);
}

// DECSCUSR: odd shapes blink.
void Interpreter::set_cursor_shape(int shape) {
  constexpr int kShapeLast = 6;
  if (shape > kShapeLast) return;
  state_.cursor_shape = static_cast<std::uint8_t>(shape);
  state_.modes.set(Mode::cursor_blink, shape % 2 == 1);
}

void Interpreter::csi_protection(const Sequence& seq) {
  const int value = seq.value_at(0);
  if (value > 2) return;
  editor_.change_pen().is_protected = value == 1;
  if (value == 1) editor_.screen().protection = Protection::dec;
}

// DECSCL is also a soft reset. Ghostty has neither.
void Interpreter::set_conformance(const Sequence& seq) {
  constexpr int kLevelMax = 4;
  const int level = seq.value_at(0) - 60;
  if (!is_xterm() || level < 1 || level > kLevelMax) return;
  editor_.soft_reset();
  state_.conformance = static_cast<std::uint8_t>(level);
}

void Interpreter::csi_sgr_stack(const Sequence& seq) {
  auto& stack = state_.sgr_stack;
  if (seq.final == '{' || seq.final == 'p') {
    if (stack.size() < State::kSgrStackMax) stack.push_back({editor_.screen().pen.style, sgr_parts(seq)});
  } else if (!stack.empty()) {
    take_parts(editor_.change_pen().style, stack.back());
    stack.pop_back();
  }
}

// Kitty keyboard protocol: a stack of flags on each screen.
void Interpreter::csi_kitty(const Sequence& seq) {
  constexpr int kFlagsMask = 31;
  KittyStack& stack = editor_.screen().kitty;
  const auto flags = static_cast<std::uint8_t>(seq.value_at(0) & kFlagsMask);
  switch (seq.prefix) {
    case '?':
      return reply("\x1b[?" + std::to_string(stack.current()) + "u");
    case '>':
      if (stack.depth == KittyStack::kDepthMax) {
        stack.base = stack.flags[0];
        std::copy(stack.flags.begin() + 1, stack.flags.end(), stack.flags.begin());
        --stack.depth;
      }
      stack.flags[stack.depth++] = flags;
      return;
    case '<': {
      const int n = seq.count_at(0);
      if (n > stack.depth) {
        stack = {};
      } else {
        stack.depth = static_cast<std::uint8_t>(stack.depth - n);
        std::fill(stack.flags.begin() + stack.depth, stack.flags.end(), std::uint8_t{0});
      }
      return;
    }
    default: {
      std::uint8_t& current = stack.depth != 0 ? stack.flags[stack.depth - 1u] : stack.base;
      switch (seq.count_at(1)) {
        case 1:
          current = flags;
          return;
        case 2:
          current = current | flags;
          return;
        case 3:
          current = static_cast<std::uint8_t>(current & ~flags);
          return;
        default:
          return;
      }
    }
  }
}

// XTMODKEYS, its query and its switch-off; of its resources only modifyOtherKeys (4) is kept.
void Interpreter::csi_key_modifiers(const Sequence& seq) {
  constexpr int kOtherKeys = 4;
  const int resource = seq.value_at(0);
  if (seq.prefix == '?') {
    if (resource == kOtherKeys) reply("\x1b[>4;" + std::to_string(state_.modify_other_keys) + "m");
    return;
  }
  if (resource != kOtherKeys && seq.count != 0) return;
  const int value = seq.final == 'm' ? seq.value_at(1) : 0;
  if (value <= 2) state_.modify_other_keys = static_cast<std::uint8_t>(value);
}

void Interpreter::csi_window(const Sequence& seq) {
  constexpr int kLinesMin = 24;  // from there on the number is DECSLPP's
  switch (seq.value_at(0)) {
    case 14:
    case 15:
    case 16:
    case 18:
    case 19:
      return report_window(seq.value_at(0));
    case 8:
      return ask_for_size(seq.value_at(2), seq.value_at(1));
    case 20:
      return report_title('L', state_.titles.icon);
    case 21:
      return report_title('l', state_.titles.window);
    case 22:
      return push_title(seq.value_at(1));
    case 23:
      return pop_title(seq.value_at(1));
    default:  // windows are moved, raised and hidden by whoever owns them
      if (seq.value_at(0) >= kLinesMin) ask_for_size(0, seq.value_at(0));
      return;
  }
}

// XTSMTITLE. Its UTF-8 modes mean nothing here: titles are UTF-8 always.
void Interpreter::set_title_modes(const Sequence& seq, bool on) {
  if (!is_xterm()) return;
  for (int i = 0; i < std::max<int>(seq.count, 1); ++i) {
    if (seq.value_at(i) == 0) state_.titles.set_as_hex = on;
    if (seq.value_at(i) == 1) state_.titles.reported_as_hex = on;
  }
}

void Interpreter::push_title(int which) {
  Titles& titles = state_.titles;
  if (which > 2) return;
  if (titles.stack.size() == Titles::kStackMax) titles.stack.erase(titles.stack.begin());
  titles.stack.emplace_back(titles.window, titles.icon);
}

void Interpreter::pop_title(int which) {
  Titles& titles = state_.titles;
  if (which > 2 || titles.stack.empty()) return;
  auto [window, icon] = std::move(titles.stack.back());
  titles.stack.pop_back();
  if (which != 2) titles.icon = std::move(icon);
  if (which != 1) {
    titles.window = std::move(window);
    event(EventKind::title, titles.window);
  }
}

// The four parameters from `first` on, clamped to the screen and shifted by the margins when DECOM is on.
Rectangle Interpreter::rectangle(const Sequence& seq, int first) const {
  const Margins& m = state_.margins;
  const bool origin = state_.modes.get(Mode::origin);
  const int y0 = origin ? m.top : 0, x0 = origin ? m.left : 0;
  const int y1 = origin ? m.bottom : state_.size.rows - 1, x1 = origin ? m.right : state_.size.cols - 1;
  return {std::min(y0 + seq.count_at(first) - 1, y1 + 1), std::min(x0 + seq.count_at(first + 1) - 1, x1 + 1),
          std::min(y0 + seq.count_at(first + 2, y1 + 1) - 1, y1),
          std::min(x0 + seq.count_at(first + 3, x1 + 1) - 1, x1)};
}

// Rectangles of the VT420. Ghostty has none of them, and the shadow of its screen must not draw what it does not.
void Interpreter::csi_rectangles(const Sequence& seq, std::uint32_t function) {
  if (!is_xterm()) return;
  switch (function) {
    case plain("*x"):
      if (seq.value_at(0) <= 2) state_.attribute_extent = static_cast<std::uint8_t>(seq.value_at(0));
      return;
    case plain("$x"): {
      const int cp = seq.value_at(0);
      if (cp >= 0x20 && cp <= 0xff && !(cp >= 0x7f && cp < 0xa0)) {
        editor_.fill_rectangle(rectangle(seq, 1), static_cast<char32_t>(cp));
      }
      return;
    }
    case plain("$z"):
      return editor_.erase_rectangle(rectangle(seq, 0), Erase::normal);
    case plain("${"):
      return editor_.erase_rectangle(rectangle(seq, 0), Erase::selective);
    case plain("$v"): {
      const bool origin = state_.modes.get(Mode::origin);
      const int y0 = origin ? state_.margins.top : 0, x0 = origin ? state_.margins.left : 0;
      return editor_.copy_rectangle(rectangle(seq, 0), y0 + seq.count_at(5) - 1, x0 + seq.count_at(6) - 1);
    }
    case plain("$r"): {
      const auto [set, clear] = attributes_of(seq);
      return editor_.change_attributes(rectangle(seq, 0), set, clear, 0);
    }
    case plain("$t"): {
      const auto [toggle, all] = attributes_of(seq);
      return editor_.change_attributes(rectangle(seq, 0), 0, 0, toggle != 0 || all == 0 ? toggle : kReversible);
    }
    case plain("*y"):
      return report_checksum(seq);
    default:
      return;
  }
}

}  // namespace holdfast::vt
