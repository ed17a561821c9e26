#include "vt/restore_rule.h"

#include <algorithm>
#include <map>

#include "vt/cell_text.h"
#include "vt/cluster.h"
#include "vt/unicode.h"

namespace holdfast::vt {
namespace {

bool is_switch(Mode mode) {
  return mode == Mode::alternate_47 || mode == Mode::alternate_1047 || mode == Mode::alternate_1049;
}

// REP repeats the first code point of a cluster: the others were added to a cell, not printed.
std::uint32_t text_of(Cell cell, const Tables& tables) {
  return cell.is_cluster() ? static_cast<std::uint32_t>(tables.clusters[cell.text()][0]) : cell.text();
}

Cell cell_at(const Row& row, int x) { return x < row.used ? row.cells[x] : Cell{}; }

// Whether the character in the cursor's column cannot be printed there: it lies across the right margin, or stands
// below its spacer, from where the margins let nothing wrap to it.
bool is_out_of_reach(const State& state) {
  const ScreenState& screen = state.screen();
  const Margins& m = state.margins;
  const Row& row = screen.grid.row(screen.cursor.y);
  const int x = lead_column(row, screen.cursor.x), above = screen.cursor.y - 1;
  if (cell_at(row, x).kind() != CellKind::wide) return false;
  if (x == m.right) return true;
  if (!is_below_spacer(screen.grid, x, screen.cursor.y)) return false;
  const bool is_full_width = m.left == 0 && m.right == screen.grid.cols() - 1;
  return !is_full_width || above == m.bottom || (state.modes.get(Mode::origin) && above < m.top);
}

// Calls `f(x, y)` for all cells, from the cursor's row upwards and around, until it returns true.
template <typename F>
bool any_cell_from_cursor(const ScreenState& screen, F&& f) {
  const int rows = screen.grid.rows(), cols = screen.grid.cols();
  for (int i = 0; i < rows; ++i) {
    const int y = (screen.cursor.y - i + rows) % rows;
    for (int x = cols - 1; x >= 0; --x) {
      if (f(x, y)) return true;
    }
  }
  return false;
}

// Printing there and erasing again leaves no trace.
bool has_room(const Grid& grid, int x, int y, int width) {
  const Row& row = grid.row(y);
  if (x + width > grid.cols() || (x == 0 && width == grid.cols())) return false;
  if (row.flags.wrapped && x + width == grid.cols()) return false;
  for (int i = 0; i < width; ++i) {
    if (cell_at(row, x + i).bits != 0) return false;
  }
  return true;
}

}  // namespace

bool is_mode_restored(const ModeInfo& info) {
  return info.mode != Mode::synchronized_output && info.mode != Mode::columns_132 &&
         info.mode != Mode::save_cursor_1048 && !is_switch(info.mode);
}

bool is_saved_mode_restored(const ModeInfo& info) { return info.can_save && is_mode_restored(info); }

int lead_column(const Row& row, int x) { return x > 0 && cell_at(row, x).kind() == CellKind::wide_tail ? x - 1 : x; }

// From the last code point to the first: which widths of the cell so far lead to the one it has. All without mode 2027
// is best, as most terminals agree about that; else with it wherever that leads there.
ClusterDrawing cluster_drawing(Cell cell, Place place, const Tables& tables) {
  constexpr int kWidthMax = 2;
  const auto text = tables.clusters[cell.text()];
  const bool is_last_column = place == Place::last_column;
  const auto width_after = [&](int width, char32_t cp) { return is_last_column ? 1 : clustered_width(width, cp); };
  std::array<std::array<bool, kWidthMax + 1>, ClusterTable::kCodePointsMax + 1> leads{};
  leads[text.size()][cell.kind() == CellKind::wide ? 2 : 1] = true;
  const auto is_plain = [&](std::size_t i, int width) {
    return joining_plain(text.first(i), text[i]) == Joining::joined && leads[i + 1][static_cast<std::size_t>(width)];
  };
  const auto is_clustered = [&](std::size_t i, int width) {
    return joining_clustered(text.first(i), text[i]) == Joining::joined &&
           leads[i + 1][static_cast<std::size_t>(width_after(width, text[i]))];
  };
  bool is_plain_throughout = true;
  for (std::size_t i = text.size(); i-- > 1;) {
    is_plain_throughout = is_plain_throughout && is_plain(i, code_point_width(text[0]));
    for (int width = 1; width <= kWidthMax; ++width) {
      leads[i][static_cast<std::size_t>(width)] = is_plain(i, width) || is_clustered(i, width);
    }
  }
  ClusterDrawing drawing;
  int width = code_point_width(text[0]);
  drawing.is_in_part = (is_last_column && width != 1) || !leads[1][static_cast<std::size_t>(width)];
  for (std::size_t i = 1; i < text.size() && !drawing.is_in_part; ++i) {
    if (is_plain_throughout || !is_clustered(i, width)) continue;
    drawing.is_clustered[i] = true;
    drawing.is_squeezed |= is_last_column && clustered_width(width, text[i]) == 2;
    width = width_after(width, text[i]);
  }
  return drawing;
}

char32_t cluster_part(Cell cell, const Tables& tables) {
  const char32_t first = tables.clusters[cell.text()][0];
  return code_point_width(first) == 1 ? first : U'\ufffd';
}

bool is_below_spacer(const Grid& grid, int x, int y) {
  return x == 0 && y > 0 && cell_at(grid.row(y - 1), grid.cols() - 1).kind() == CellKind::wrap_spacer;
}

LastPrint find_last_print(const State& state) {
  const ScreenState& screen = state.screen();
  const Cursor cursor = restored_cursor(state);
  if (cursor.pending_wrap && !is_cursor_recalled(state)) {
    const Row& row = screen.grid.row(cursor.y);
    const int x = lead_column(row, cursor.x);
    const Cell cell = cell_at(row, x);
    return {LastPrint::How::pending, x, cursor.y, cell.is_written() ? text_of(cell, state.tables) : ' '};
  }
  LastPrint found{LastPrint::How::none, 0, 0, 0};
  if (state.last_printed == 0) return found;
  const char32_t wanted = state.last_printed;
  const auto find = [&](LastPrint::How how, auto&& is_good) {
    return any_cell_from_cursor(screen, [&](int x, int y) {
      const Cell cell = cell_at(screen.grid.row(y), x);
      if (!is_good(x, y, cell)) return false;
      found = {how, x, y, how == LastPrint::How::print_again ? text_of(cell, state.tables) : wanted};
      return true;
    });
  };
  const auto can_print_again = [&](int x, int y, Cell cell) {
    if (!cell.is_written() || (cell.kind() == CellKind::wide && is_below_spacer(screen.grid, x, y))) return false;
    const Place place = x + 1 == screen.grid.cols() ? Place::last_column : Place::within;
    return !cell.is_cluster() || !cluster_drawing(cell, place, state.tables).is_in_part;
  };
  const auto shows_it = [&](int x, int y, Cell cell) {
    return can_print_again(x, y, cell) && text_of(cell, state.tables) == wanted;
  };
  // Opening an implicit link once more costs it its anonymity: rather elsewhere.
  const auto shows_it_plainly = [&](int x, int y, Cell cell) {
    return shows_it(x, y, cell) && (cell.link() == 0 || !is_implicit(state.tables.links[cell.link()]));
  };
  const int width = std::max(code_point_width(wanted), 1);
  const auto is_room = [&](int x, int y, Cell) { return has_room(screen.grid, x, y, width); };
  using enum LastPrint::How;
  (void)(find(print_again, shows_it_plainly) || find(print_and_erase, is_room) || find(print_again, shows_it) ||
         find(print_again, can_print_again));
  return found;
}

bool is_blank_again(const Row& row, int x) {
  const Cell cell = cell_at(row, x);
  return cell.kind() == CellKind::narrow && !cell.is_written() && !row.flags.wrapped;
}

Cursor restored_cursor(const State& state) {
  Cursor cursor = state.screen().cursor;
  const Margins& m = state.margins;
  if (state.modes.get(Mode::origin)) {
    const Cursor inside{std::clamp(cursor.x, m.left, m.right), std::clamp(cursor.y, m.top, m.bottom), false};
    if (inside.x != cursor.x || inside.y != cursor.y) return inside;
  }
  cursor.pending_wrap = cursor.pending_wrap && (cursor.x == m.right || cursor.x == state.size.cols - 1) &&
                        (!is_out_of_reach(state) || is_cursor_recalled(state));
  return cursor;
}

bool is_cursor_recalled(const State& state) {
  const ScreenState& screen = state.screen();
  if (!screen.cursor.pending_wrap || !screen.saved || !is_out_of_reach(state)) return false;
  const Cursor &live = screen.cursor, &saved = screen.saved->cursor;
  return saved.pending_wrap && saved.x == live.x && saved.y == live.y &&
         screen.saved->origin == state.modes.get(Mode::origin);
}

SavedCursor saved_or_neutral(const ScreenState& screen) { return screen.saved.value_or(SavedCursor{}); }

bool is_dormant_alternate_blank(const State& state) {
  const ScreenState& screen = state.alternate;
  if (screen.kitty != KittyStack{} || screen.protection == Protection::iso) return false;
  if (screen.saved || !screen.graphics.empty()) return false;
  for (int y = 0; y < screen.grid.rows(); ++y) {
    const RowView row = screen.grid.row(y).view();
    if (row.flags != RowFlags{} || std::ranges::any_of(row.cells, [](Cell cell) { return cell.bits != 0; }))
      return false;
  }
  return true;
}

bool is_image_restored(const Image& image) { return image.source != ImageSource::gone; }

bool is_upload_restored(const Upload& upload) { return !upload.is_frame && is_image_restored(upload.image); }

std::vector<Placement> restored_placements(const ScreenState& screen) {
  const Graphics& graphics = screen.graphics;
  std::vector<Placement> restored;
  std::map<std::uint64_t, int> depths;  // serials that a child may stand beside, and how many such are above them
  std::vector<const Placement*> left;
  for (const Placement& p : graphics.placements) left.push_back(&p);
  for (std::size_t before = left.size() + 1; left.size() < before;) {
    before = left.size();
    std::erase_if(left, [&](const Placement* p) {
      const Image& image = *graphics.find_serial(p->image);
      int depth = 0;
      if (p->anchor == Placement::Anchor::parent) {
        const auto parent = depths.find(p->parent);
        if (parent == depths.end()) return false;
        depth = parent->second + 1;
      }
      const bool has_name = image.id != 0 || p->anchor != Placement::Anchor::virtual_;
      if (depth > Graphics::kParentsMax || !has_name || !is_image_restored(image) ||
          !is_in_sight(*p, screen.grid.rows())) {
        return true;
      }
      if (image.id != 0) depths.emplace(p->serial, depth);
      restored.push_back(in_sight(*p, image));
      return true;
    });
  }
  return restored;
}

bool are_default_stops(const std::vector<bool>& stops) {
  for (std::size_t x = 1; x < stops.size(); ++x) {
    if (stops[x] != (x % 8 == 0)) return false;
  }
  return true;
}

}  // namespace holdfast::vt
