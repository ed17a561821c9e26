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
  for (int number = Colors::kDynamicFirst; number < Colors::kDynamicFirst + Colors::kDynamicCount; ++number) {
    if (!colors.of(number)) continue;
    out += "\x1b]1";
    append_number(out, static_cast<unsigned>(number));
    out += "\x1b\\";
  }
  if (colors.special != Colors{}.special) out += "\x1b]105\x1b\\";
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

// What is placed stays with the text that it belongs to. An upload that was cut off is ended by any deletion: by one of
// nothing.
void remove_images(const State& state, std::string& out) {
  const Graphics& graphics = state.primary.graphics;
  if (graphics.upload) out += "\x1b_Ga=d,d=r,x=1,y=0,q=2\x1b\\";
  for (const Image& image : graphics.images) {
    if (image.id == 0 || graphics.is_placed(image.serial)) continue;
    out += "\x1b_Ga=d,d=I,q=2,i=";
    append_number(out, image.id);
    out += "\x1b\\";
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
    if (!state.alternate.graphics.empty()) {
      out += "\x1b_Ga=d,d=A,q=2\x1b\\\x1b_Ga=d,d=R,x=1,y=4294967295,q=2\x1b\\";
    }
    // Each screen has a keyboard stack of its own.
    if (keyboard) out += "\x1b[<99u";
    out += state.alternate_mode == Mode::alternate_1049 ? "\x1b[?1049l" : "\x1b[?1047l\x1b[?47l";
  }
  remove_images(state, out);
  reset_modes(state, out);
  if (keyboard) out += "\x1b[<99u";
  if (outer_kitty_flags >= 0) {
    out += "\x1b[=";
    append_number(out, static_cast<unsigned>(outer_kitty_flags));
    out += ";1u";
  }
  out += "\x1b[?2026l\x1b[?6l\x1b[?69l\x1b[?7h\x1b[r\x1b(B\x1b)B\x0f\x1b[0\"q\x1b[m\x1b]8;;\x1b\\";
  reset_tab_stops(state.tab_stops, out);
  for (std::size_t i = 0; i < state.color_stack.size(); ++i) out += "\x1b[#Q";
  // What was pushed first need not be what the person had: it is taken back like the rest.
  for (const Colors& colors : state.color_stack) reset_colors(colors, out);
  reset_colors(state.colors, out);
  for (std::size_t i = 0; i < state.pointer_stack.size(); ++i) out += "\x1b]22;<\x1b\\";
  if (!state.pointer_shape.empty() || !state.pointer_stack.empty()) out += "\x1b]22;default\x1b\\";
  if (state.shift_escape != 0) out += "\x1b[>0s";
  if (!state.status.empty()) out += "\x1b]7501;state=clear\x1b\\";
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
