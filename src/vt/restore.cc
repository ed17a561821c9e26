// The order of a restore. Each step stands where it does for a reason: docs/vt.md, "Restore".
#include "vt/restore.h"

#include "vt/cell_text.h"
#include "vt/restore_rule.h"
#include "vt/restorer.h"

namespace holdfast::vt {

std::size_t Restorer::write() {
  neutralise();
  reset_colors();
  const bool with_history = options_.history == HistoryPart::all && !state_.history.empty();
  cells_.begin_screen(state_.primary.protection);
  if (with_history) history();
  std::size_t phase_two_at = out_.size();
  colors();
  if (with_history)
    rows_after_history();
  else
    rows_in_place(state_.primary);
  images(state_.primary);
  dormant_alternate();
  tab_stops();
  saved_cursor(state_.primary);
  kitty_stack(state_.primary.kitty);
  cells_.set_pen(Pen{});
  if (state_.on_alternate) enter_alternate();
  saved_modes();
  titles();
  strings();
  sgr_stack();
  last_print();  // while the margins are full: a wide character must not wrap at one
  margins();
  cursor();
  modes();
  finish();
  cells_.name_split_links(&phase_two_at);
  return phase_two_at;
}

// Whatever the client's terminal was left in: after this it stands on a blank primary screen with everything at its
// default. Ghostty knows no soft reset, and a hard one would wipe the person's scrollback: so one by one.
void Restorer::neutralise() {
  // ST ends any string that is open. Not CAN: Ghostty prints it. NUL does nothing outside of strings, and in the middle
  // of an image makes its command one that is refused: half of it would be placed, and scroll.
  put(std::string_view("\0\x1b\\\x1b[?2026h", 11));
  // Sets the level and resets softly: nothing may stand before it.
  if (state_.conformance != 4) put("\x1b[6").put(state_.conformance).put(";1\"p");
  put("\x1b%G\x1b[?1049l\x1b[?1047l\x1b[?47h");
  neutral_modes();
  for (std::size_t i = 0; i < State::kSgrStackMax; ++i) put("\x1b[#}");
  put("\x1b[>0;1T\x1b[0*x\x1b[r\x1b[?5W\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b}\x1b[>4;0m\x1b[>0s\x1b>\x1b[0 q");
  neutralise_screen();
  put("\x1b[?47l");
  neutralise_screen();
  // A terminal that follows DEC to the letter turns wrapping off in a soft reset.
  put("\x1b[?7h");
  cells_.assume_neutral();
}

// Protection: cells written under ISO protection survive an erase until DEC protection was used. 133;C is what a
// terminal that runs an attach believes anyhow; the mark it leaves goes with the erase. ED 0 from home, as ED 2 pushes
// rows into the scrollback on some terminals. A saved cursor is set to the neutral one, and taken away again where a
// soft reset does that; it also ends a pending single shift.
void Restorer::neutralise_screen() {
  neutral_images();
  put("\x1b[m\x1b]8;;\x1b\\\x1b[1\"q\x1b[0\"q\x1b[H\x1b]133;C\x1b\\\x1b[J\x1b"
      "7\x1b[!p\x1b[<99u\x1b[=0;1u");
}

// Each row is printed where the cursor stands and ends in a line feed or, if it is continued, in the wrap that the
// next character makes: so the client's terminal knows the same long lines, and its own reflow works on them.
void Restorer::history() {
  const int cols = state_.size.cols;
  state_.history.each_row(cols, state_.history.rows_at(cols), state_.tables, [&](const RowView& row) {
    next_ = cells_.row(row, cols, next_);
    if (next_ == CellWriter::Start::positioned) line_feed();
  });
}

// All rows, also blank ones: each line feed pushes one more row of history out of sight.
void Restorer::rows_after_history() {
  const Grid& grid = state_.primary.grid;
  for (int y = 0; y < grid.rows(); ++y) {
    next_ = cells_.row(grid.row(y).view(), grid.cols(), next_);
    if (next_ == CellWriter::Start::positioned && y + 1 < grid.rows()) line_feed();
  }
  forget_save();
}

// What was saved to draw a row gives way to the neutral cursor.
void Restorer::forget_save() {
  if (!cells_.take_saved()) return;
  cells_.set_pen(Pen{});
  put("\x1b[H\x1b"
      "7");
}

// What scrolls in takes the background of the pen.
void Restorer::line_feed() {
  cells_.set_style(Style{});
  put("\r\n");
}

void Restorer::rows_in_place(const ScreenState& screen) {
  const Grid& grid = screen.grid;
  auto next = CellWriter::Start::positioned;
  for (int y = 0; y < grid.rows(); ++y) {
    const RowView row = grid.row(y).view();
    if (next == CellWriter::Start::positioned) {
      if (touched_columns(row) == 0 && row.flags == RowFlags{}) continue;
      move_to(0, y);
    }
    next = cells_.row(row, grid.cols(), next);
  }
  forget_save();
}

// What ?47 would show again.
void Restorer::dormant_alternate() {
  if (state_.on_alternate || is_dormant_alternate_blank(state_)) return;
  cells_.set_pen(Pen{});
  put("\x1b[?47h");
  cells_.begin_screen(state_.alternate.protection);
  rows_in_place(state_.alternate);
  images(state_.alternate);
  saved_cursor(state_.alternate);
  kitty_stack(state_.alternate.kitty);
  // The switch copies the pen.
  cells_.set_pen(Pen{});
  put("\x1b[?47l");
  cells_.begin_screen(state_.primary.protection);
}

void Restorer::enter_alternate() {
  if (state_.alternate_mode == Mode::alternate_1049) {
    saved_cursor(state_.primary, Then::switch_to_alternate);
  } else {
    move_to(state_.primary.cursor.x, state_.primary.cursor.y);
    put(state_.alternate_mode == Mode::alternate_47 ? "\x1b[?47h" : "\x1b[?1047h");
  }
  put("\x1b[H\x1b[J");
  cells_.begin_screen(state_.alternate.protection);
  rows_in_place(state_.alternate);
  images(state_.alternate);
  saved_cursor(state_.alternate);
  kitty_stack(state_.alternate.kitty);
}

void write_restore(State& state, const RestoreOptions& options, std::string& out, std::size_t* phase_two_at) {
  const std::size_t at = Restorer(state, options, out).write();
  if (phase_two_at) *phase_two_at = at;
}

}  // namespace holdfast::vt
