// Setting, resetting, saving and restoring modes, with what else they cause.
#include "vt/interpreter.h"

namespace holdfast::vt {

void Interpreter::set_modes(const Sequence& seq, bool is_private, bool on) {
  for (int i = 0; i < seq.count; ++i) {
    if (const auto mode = known_mode(seq.value_at(i), is_private)) set_mode(*mode, on);
  }
}

void Interpreter::save_modes(const Sequence& seq) {
  for (int i = 0; i < seq.count; ++i) {
    const auto mode = known_mode(seq.value_at(i), true);
    if (mode && mode_table()[static_cast<std::size_t>(*mode)].can_save) {
      state_.saved_modes.set(*mode, state_.modes.get(*mode));
    }
  }
}

void Interpreter::restore_modes(const Sequence& seq) {
  for (int i = 0; i < seq.count; ++i) {
    const auto mode = known_mode(seq.value_at(i), true);
    if (mode && mode_table()[static_cast<std::size_t>(*mode)].can_save) set_mode(*mode, state_.saved_modes.get(*mode));
  }
}

void Interpreter::set_mode(Mode mode, bool on) {
  switch (mode) {
    case Mode::alternate_47:
    case Mode::alternate_1047:
    case Mode::alternate_1049:
      return editor_.switch_screen(mode, on);
    case Mode::save_cursor_1048:
      return on ? editor_.save_cursor() : editor_.restore_cursor();
    case Mode::mouse_x10:
    case Mode::mouse_normal:
    case Mode::mouse_button:
    case Mode::mouse_any:
      return set_mouse_tracking(mode, on);
    case Mode::mouse_utf8:
    case Mode::mouse_sgr:
    case Mode::mouse_urxvt:
    case Mode::mouse_sgr_pixels:
      return set_mouse_encoding(mode, on);
    case Mode::columns_132:
      return set_columns_132(on);
    default:
      break;
  }
  state_.modes.set(mode, on);
  switch (mode) {
    case Mode::insert:
      return editor_.update_plain();
    case Mode::origin:
      return editor_.move_to(0, 0);
    case Mode::keypad:
      state_.keypad_application = on;
      return;
    case Mode::left_right_margins:
      if (on) return;
      state_.margins.left = 0;
      state_.margins.right = state_.size.cols - 1;
      return;
    case Mode::in_band_resize:
      if (on) report_size();
      return;
    default:
      return;
  }
}

// One kind of tracking at a time: the last one set. Resetting any of them ends it.
void Interpreter::set_mouse_tracking(Mode mode, bool on) {
  for (const Mode other : {Mode::mouse_x10, Mode::mouse_normal, Mode::mouse_button, Mode::mouse_any}) {
    state_.modes.set(other, on && other == mode);
  }
  state_.mouse_tracking = on ? mode : Mode::count_;
}

void Interpreter::set_mouse_encoding(Mode mode, bool on) {
  for (const Mode other : {Mode::mouse_utf8, Mode::mouse_sgr, Mode::mouse_urxvt, Mode::mouse_sgr_pixels}) {
    state_.modes.set(other, on && other == mode);
  }
  state_.mouse_encoding = on ? mode : Mode::count_;
}

// DECCOLM clears the screen and the margins. The width stays where it belongs to whoever looks at the session.
void Interpreter::set_columns_132(bool on) {
  if (!state_.modes.get(Mode::allow_columns_132)) return;
  state_.modes.set(Mode::columns_132, on);
  state_.modes.set(Mode::left_right_margins, false);
  editor_.reset_margins();
  editor_.erase_in_display(Extent::all, Erase::normal);
  editor_.move_to(0, 0);
  ask_for_size(on ? kColumnsWide : kColumnsNarrow, 0);
}

}  // namespace holdfast::vt
