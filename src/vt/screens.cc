// Which screen is active, resets, sizes.
#include <algorithm>

#include "vt/editor.h"
#include "vt/reflow.h"

namespace holdfast::vt {

Editor::Editor(State& state, Profile profile) : state_(state), profile_(profile), screen_(&state.primary) { refresh(); }

void Editor::refresh() {
  screen_ = &state_.screen();
  cols_ = screen_->grid.cols();
  rows_ = screen_->grid.rows();
  pen_changed_ = true;
  known_joints_ = {};
  update_plain();
}

// The cursor and the pen go along to the other screen; with Ghostty an open link does not.
void Editor::activate(bool alternate) {
  if (state_.on_alternate == alternate) return;
  const ScreenState& from = *screen_;
  state_.on_alternate = alternate;
  refresh();
  screen_->cursor = from.cursor;
  screen_->pen = from.pen;
  if (profile_ == Profile::ghostty) screen_->pen.link = 0;
  for (const Mode mode : {Mode::alternate_47, Mode::alternate_1047, Mode::alternate_1049}) {
    state_.modes.set(mode, alternate);
  }
}

void Editor::clear_alternate() {
  Grid& grid = state_.alternate.grid;
  const bool has_background = blank_bits() != 0;
  for (int y = 0; y < rows_; ++y) {
    grid.clear_row(y);
    if (has_background) paint_cleared_row(y);
  }
  state_.alternate.graphics.clear_screen();
}

void Editor::switch_screen(Mode mode, bool on) {
  if (on) {
    if (mode == Mode::alternate_1049) save_cursor();
    if (!state_.on_alternate) state_.alternate_mode = mode;
    activate(true);
    if (mode == Mode::alternate_1049) clear_alternate();
    return;
  }
  if (mode == Mode::alternate_1047 && state_.on_alternate) clear_alternate();
  activate(false);
  if (mode == Mode::alternate_1049) restore_cursor();
}

void Editor::set_default_modes() {
  state_.modes = state_.saved_modes = ModeSet::defaults();
  if (profile_ == Profile::xterm) {
    state_.modes.set(Mode::grapheme_clusters, false);
    state_.saved_modes.set(Mode::grapheme_clusters, false);
  }
}

void Editor::soft_reset() {
  for (const Mode mode :
       {Mode::keyboard_action, Mode::insert, Mode::origin, Mode::cursor_keys, Mode::keypad, Mode::left_right_margins,
        Mode::national_sets, Mode::reverse_wrap, Mode::reverse_wrap_extended}) {
    state_.modes.set(mode, false);
  }
  for (const Mode mode : {Mode::autowrap, Mode::cursor_visible}) state_.modes.set(mode, true);
  state_.keypad_application = false;
  state_.attribute_extent = 0;
  reset_margins();
  state_.charsets = {};
  Pen& pen = change_pen();
  pen.style = {};
  pen.is_protected = false;
  screen_->protection = Protection::off;
  screen_->saved.reset();
  update_plain();
}

void Editor::full_reset() {
  const Size size = state_.size;
  const std::uint64_t offset = state_.offset;
  for (ScreenState* screen : {&state_.primary, &state_.alternate}) {
    for (int y = 0; y < screen->grid.rows(); ++y) screen->grid.clear_row(y);
    screen->cursor = {};
    screen->pen = {};
    screen->saved.reset();
    screen->kitty = {};
    screen->graphics.reset();
    screen->protection = Protection::off;
  }
  state_.history.clear();
  state_.tables = {};
  state_.on_alternate = false;
  state_.alternate_mode = Mode::alternate_1049;
  set_default_modes();
  state_.mouse_tracking = state_.mouse_encoding = Mode::count_;
  state_.charsets = {};
  state_.utf8 = true;
  state_.modify_other_keys = 0;
  state_.keypad_application = false;
  state_.cursor_shape = 0;
  state_.conformance = 4;
  state_.attribute_extent = 0;
  state_.titles.set_as_hex = state_.titles.reported_as_hex = false;
  state_.sgr_stack.clear();
  state_.working_directory.clear();
  state_.pointer_shape.clear();
  state_.pointer_stack.clear();
  state_.shift_escape = 0;
  state_.colors = {};
  state_.color_stack.clear();
  state_.status.clear();
  state_.progress = {};
  state_.last_printed = 0;
  state_.size = size;
  state_.offset = offset;
  compactions_paused_for_ = 0;
  refresh();
  reset_margins();
  reset_tab_stops(true);
}

void Editor::resize(const Size& size) {
  state_.size = size;
  if (size.cols == cols_ && size.rows == rows_) return;
  // Rows that come back from history bring their styles and links along: make room first.
  if (state_.tables.styles.size() > StyleTable::kFull / 2 || state_.tables.links.size() > LinkTable::kFull / 2) {
    compact_tables();
  }
  last_column_ = LastColumn::unknown;
  reflow_primary(state_.primary, state_.history, state_.tables, size.cols, size.rows);
  resize_alternate(state_.alternate, size.cols, size.rows);
  const std::size_t old_cols = state_.tab_stops.size();
  state_.tab_stops.resize(size.cols);
  for (std::size_t x = old_cols; x < state_.tab_stops.size(); ++x) state_.tab_stops[x] = x % 8 == 0;
  refresh();
  reset_margins();
}

}  // namespace holdfast::vt
