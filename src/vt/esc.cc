// C0 controls and ESC functions.
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

namespace {

Charset charset_named(char final) {
  switch (final) {
    case '0':
      return Charset::dec_graphics;
    case 'A':
      return Charset::uk;
    default:
      return Charset::ascii;  // also the national sets, which differ from it in a few characters only
  }
}

}  // namespace

void Interpreter::escape(char first, char second, char final) {
  Charsets& sets = state_.charsets;
  if (second != 0) return;  // multi-byte charsets and the like
  switch (first) {
    case 0:
      break;
    case '(':
    case ')':
    case '*':
    case '+':
      sets.g[static_cast<std::size_t>(first - '(')] = charset_named(final);
      return editor_.update_plain();
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
      return editor_.full_reset();
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
