// C0 controls and ESC functions.
#include <algorithm>

#include "base/limits.h"
#include "vt/interpreter.h"

namespace holdfast::vt {

void Interpreter::reply(std::string_view bytes) {
  if (bytes.size() > reply_bytes_left_) return;
  reply_bytes_left_ -= bytes.size();
  sink_->reply(offset_, bytes);
}

void Interpreter::event(EventKind kind, std::string_view text, std::uint32_t number) {
  sink_->event(offset_, Event{kind, text, number});
}

std::optional<Mode> Interpreter::known_mode(int number, bool is_private) const {
  const auto mode = find_mode(static_cast<std::uint16_t>(number), is_private);
  if (mode && mode_table()[static_cast<std::size_t>(*mode)].is_xterm_only && !is_xterm()) return std::nullopt;
  return mode;
}

void Interpreter::ask_for_size(int cols, int rows) {
  if (!client_.resizes) return;
  Size size = state_.size;
  if (cols > 0) size.cols = static_cast<std::uint16_t>(std::clamp<int>(cols, limits::kColsMin, limits::kColsMax));
  if (rows > 0) size.rows = static_cast<std::uint16_t>(std::clamp<int>(rows, limits::kRowsMin, limits::kRowsMax));
  if (size == state_.size) return;
  editor_.resize(size);
  if (state_.modes.get(Mode::in_band_resize)) report_size();
}

void Interpreter::full_reset() {
  const bool was_wide = state_.modes.get(Mode::columns_132);
  editor_.full_reset();
  if (was_wide) ask_for_size(kColumnsNarrow, 0);
}

void Interpreter::control(unsigned char c) {
  switch (c) {
    case '\a':
      return event(EventKind::bell, {});
    case '\b':
      return editor_.move_left(1);
    case '\t':
      return editor_.tab(1);
    case '\n':
    case '\v':
    case '\f':
      return editor_.line_feed();
    case '\r':
      return editor_.carriage_return();
    case 0x0e:
      state_.charsets.gl = 1;
      return editor_.update_plain();
    case 0x0f:
      state_.charsets.gl = 0;
      return editor_.update_plain();
    default:
      return;  // ENQ has no answerback
  }
}

// SCS: `slot` is one of ()*+ for sets of 94 characters, -./ for those of 96, which G0 does not take. Ghostty knows
// three sets; one that is not known changes nothing.
void Interpreter::designate_charset(char slot, std::string_view designation) {
  constexpr std::string_view kSlots94 = "()*+", kSlots96 = " -./";
  const bool has_96 = kSlots94.find(slot) == std::string_view::npos;
  const auto set = find_charset(has_96, designation);
  if (!set) return;
  if (editor_.profile() != Profile::xterm && *set > Charset::uk) return;
  if (is_national(*set) && !state_.modes.get(Mode::national_sets)) return;
  state_.charsets.g[(has_96 ? kSlots96 : kSlots94).find(slot)] = *set;
  editor_.update_plain();
}

void Interpreter::escape(char first, char second, char final) {
  Charsets& sets = state_.charsets;
  const char designation[] = {second, final};
  if (second != 0 && (first < '(' || first > '/')) return;  // multi-byte charsets and the like
  switch (first) {
    case 0:
      break;
    case '(':
    case ')':
    case '*':
    case '+':
    case '-':
    case '.':
    case '/':
      return designate_charset(first,
                               second != 0 ? std::string_view(designation, 2) : std::string_view(designation + 1, 1));
    case '#':
      if (final == '8') editor_.alignment_test();
      return;
    case '%':  // Ghostty and most others are UTF-8 for good
      if (final == 'G' || final == '8') state_.utf8 = true;
      if (final == '@' && editor_.profile() == Profile::xterm) state_.utf8 = false;
      return;
    default:
      return;  // ESC SP F and G choose the form of our replies: they are 7-bit always
  }
  const auto set_gl = [&](std::uint8_t set) { sets.gl = set, editor_.update_plain(); };
  const auto single_shift = [&](std::uint8_t set) { sets.single_shift = set, editor_.update_plain(); };
  switch (final) {
    case '7':
      return editor_.save_cursor();
    case '8':
      return editor_.restore_cursor();
    case 'D':
      return editor_.index();
    case 'E':
      editor_.index();
      return editor_.carriage_return();
    case 'H':
      return editor_.set_tab_stop();
    case 'M':
      return editor_.reverse_index();
    case 'N':
      return single_shift(2);
    case 'O':
      return single_shift(3);
    case 'n':
      return set_gl(2);
    case 'o':
      return set_gl(3);
    case '~':
      sets.gr = 1;
      return;
    case '}':
      sets.gr = 2;
      return;
    case '|':
      sets.gr = 3;
      return;
    case 'V':
      editor_.change_pen().is_protected = true;
      editor_.screen().protection = Protection::iso;
      return;
    case 'W':
      editor_.change_pen().is_protected = false;
      return;
    case 'Z':
      return report_attributes(0);
    case 'c':
      return full_reset();
    case '=':
      state_.keypad_application = true;
      return state_.modes.set(Mode::keypad, true);
    case '>':
      state_.keypad_application = false;
      return state_.modes.set(Mode::keypad, false);
    case '6':
      if (editor_.profile() == Profile::xterm) editor_.back_index();
      return;
    case '9':
      if (editor_.profile() == Profile::xterm) editor_.forward_index();
      return;
    default:
      return;
  }
}

}  // namespace holdfast::vt
