// Leaving a terminal as it was before the session was shown on it: only what the session changed is put back, and never
// by RIS, which would take the person's scrollback with it.
#include <algorithm>

#include "vt/cell_text.h"
#include "vt/restore.h"
#include "vt/restore_rule.h"
#include "vt/restorer.h"

namespace holdfast::vt {
namespace {

bool touched_keyboard(const State& state) {
  return state.primary.kitty != KittyStack{} || state.alternate.kitty != KittyStack{};
}

void reset_modes(const State& state, std::string& out) {
  for (const bool is_private : {false, true}) {
    for (const bool on : {false, true}) {
      ModeList list(out, is_private, on ? 'h' : 'l');
      for (const ModeInfo& info : mode_table()) {
        const bool changed = state.modes.get(info.mode) != info.default_on;
        if (is_mode_restored(info) && changed && info.is_private == is_private && info.default_on == on) {
          list.add(info.number);
        }
      }
    }
  }
  if (state.keypad_application) out += "\x1b>";
  if (state.modify_other_keys != 0) out += "\x1b[>4;0m";
}

void reset_colors(const Colors& colors, std::string& out) {
  if (!colors.palette.empty()) {
    out += "\x1b]104";
    for (const auto& [index, rgb] : colors.palette) {
      out += ';';
      append_number(out, index);
    }
    out += "\x1b\\";
  }
  if (colors.foreground) out += "\x1b]110\x1b\\";
  if (colors.background) out += "\x1b]111\x1b\\";
  if (colors.cursor) out += "\x1b]112\x1b\\";
  if (colors.special != Colors{}.special) out += "\x1b]105\x1b\\";
  if (colors.highlight_bg) out += "\x1b]117\x1b\\";
  if (colors.highlight_fg) out += "\x1b]119\x1b\\";
}

// Spelled out: not every terminal knows DECST8C.
void reset_tab_stops(const std::vector<bool>& stops, std::string& out) {
  if (are_default_stops(stops)) return;
  out += "\x1b[3g";
  for (std::size_t x = 8; x < stops.size(); x += 8) {
    out += "\x1b[";
    append_number(out, x + 1);
    out += "G\x1bH";
  }
}

// Of the primary screen, which is what stays in sight: what comes next goes below them. On the last row a line feed makes
// a fresh one.
int rows_in_use(const State& state) {
  const Grid& grid = state.primary.grid;
  int rows = state.on_alternate ? 0 : state.primary.cursor.y + 1;
  for (int y = rows; y < grid.rows(); ++y) {
    if (touched_columns(grid.row(y).view()) > 0) rows = y + 1;
  }
  return rows;
}

}  // namespace

void write_undo(const State& state, int outer_kitty_flags, std::string& out) {
  out += "\x1b\\";
  if (!state.utf8) out += "\x1b%G";
  const bool keyboard = touched_keyboard(state) || outer_kitty_flags >= 0;
  if (state.on_alternate) {
    // Each screen has a keyboard stack of its own.
    if (keyboard) out += "\x1b[<99u";
    out += state.alternate_mode == Mode::alternate_1049 ? "\x1b[?1049l" : "\x1b[?1047l\x1b[?47l";
  }
  reset_modes(state, out);
  if (keyboard) out += "\x1b[<99u";
  if (outer_kitty_flags >= 0) {
    out += "\x1b[=";
    append_number(out, static_cast<unsigned>(outer_kitty_flags));
    out += ";1u";
  }
  out += "\x1b[?2026l\x1b[?6l\x1b[?69l\x1b[?7h\x1b[r\x1b(B\x1b)B\x0f\x1b[0\"q\x1b[m\x1b]8;;\x1b\\";
  reset_tab_stops(state.tab_stops, out);
  reset_colors(state.colors, out);
  if (!state.pointer_shape.empty()) out += "\x1b]22;default\x1b\\";
  if (state.progress.state != 0) out += "\x1b]9;4;0\x1b\\";
  if (state.cursor_shape != 0) out += "\x1b[0 q";
  if (state.attribute_extent != 0) out += "\x1b[0*x";
  if (state.titles.set_as_hex || state.titles.reported_as_hex) out += "\x1b[>0;1T";
  // The session's entries, then the title that was there before it.
  for (std::size_t i = 0; i < std::min(state.titles.stack.size() + 1, Titles::kStackMax); ++i) out += "\x1b[23;0t";
  out += "\x1b[?25h\x1b[";
  const int rows = rows_in_use(state);
  append_number(out, static_cast<unsigned>(std::max(rows, 1)));
  out += rows > 0 ? "H\r\n" : "H";
}

}  // namespace holdfast::vt
