// The picture for a viewer whose terminal has another size: what fits, without anything that steers a terminal.
#include <algorithm>

#include "vt/cell_text.h"
#include "vt/cell_writer.h"
#include "vt/restore.h"

namespace holdfast::vt {
namespace {

// The columns of a row that fit; a wide character cut in half is left out.
RowView cut(const RowView& row, int cols) {
  std::size_t width = std::min(row.cells.size(), static_cast<std::size_t>(cols));
  if (width > 0 && row.cells[width - 1].kind() == CellKind::wide) --width;
  return {row.cells.first(width), RowFlags{}};
}

void place(std::string& out, int x, int y) {
  out += "\x1b[";
  append_number(out, static_cast<unsigned>(y) + 1);
  out += ';';
  append_number(out, static_cast<unsigned>(x) + 1);
  out += 'H';
}

// Below the picture: a frame that is larger than what is in it must not be taken for an empty screen.
void say_size(const Size& size, int cols, int y, std::string& out) {
  std::string text = "-- ";
  append_number(text, static_cast<unsigned>(size.cols));
  text += 'x';
  append_number(text, static_cast<unsigned>(size.rows));
  text += ", as the terminal that leads has it --";
  place(out, 0, y);
  out += "\x1b[2m";
  out += std::string_view(text).substr(0, static_cast<std::size_t>(cols));
  out += "\x1b[m";
}

}  // namespace

void write_view(State& state, int cols, int rows, std::string& out) {
  const ScreenState& screen = state.screen();
  // The window ends at the cursor's row at the latest, so that what is being typed is seen.
  const int first = std::max(0, screen.cursor.y - rows + 1);
  const int last = std::min(screen.grid.rows(), first + rows);
  out += "\x1b\\\x1b[?2026h\x1b%G\x1b[4l\x1b[?6;69;2027l\x1b[?7h\x1b[r\x1b[m\x1b]8;;\x1b\\\x1b(B\x0f\x1b[H\x1b[J";
  CellWriter cells(state.tables, rows, out);
  for (int y = first; y < last; ++y) {
    const RowView row = cut(screen.grid.row(y).view(), cols);
    if (touched_columns(row) == 0) continue;
    place(out, 0, y - first);
    cells.row(row, cols, CellWriter::Start::positioned);
  }
  cells.set_pen(Pen{});
  if (last - first < rows) say_size(state.size, cols, last - first, out);
  place(out, std::min(screen.cursor.x, cols - 1), screen.cursor.y - first);
  out += state.modes.get(Mode::cursor_visible) ? "\x1b[?25h" : "\x1b[?25l";
  out += state.modes.get(Mode::reverse_colors) ? "\x1b[?5h" : "\x1b[?5l";
  out += "\x1b[?2026l";
  std::size_t nowhere = 0;
  cells.name_split_links(&nowhere);
}

}  // namespace holdfast::vt
