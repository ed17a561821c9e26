// What must hold of any State after any input: for tests and fuzzers.
#pragma once

#include <string>

#include "vt/state.h"

namespace holdfast::vt {

inline std::string place(const char* what, int x, int y) {
  return std::string(what) + " at " + std::to_string(x) + "," + std::to_string(y);
}

inline std::string broken_cells(const State& state, const Grid& grid) {
  const int cols = grid.cols();
  for (int y = 0; y < grid.rows(); ++y) {
    const Row& row = grid.row(y);
    if (row.used > cols) return place("used beyond the row", row.used, y);
    for (int x = 0; x < cols + 8; ++x) {
      const Cell cell = row.cells[x];
      if (x >= row.used && cell.bits != 0) return place("cell beyond used", x, y);
      if (x >= cols) continue;
      const bool is_head = cell.kind() == CellKind::wide, is_tail = cell.kind() == CellKind::wide_tail;
      if (is_head && (x + 1 == cols || row.cells[x + 1].kind() != CellKind::wide_tail)) return place("no tail", x, y);
      if (is_tail && (x == 0 || row.cells[x - 1].kind() != CellKind::wide)) return place("no head", x, y);
      if (is_tail && cell.is_written()) return place("text in a tail", x, y);
      if ((is_head || is_tail) && !row.has_wide) return place("has_wide not set", x, y);
      if (cell.is_cluster() && !row.has_cluster) return place("has_cluster not set", x, y);
      if (cell.style() >= state.tables.styles.size()) return place("no such style", x, y);
      if (cell.link() >= state.tables.links.size()) return place("no such link", x, y);
      if (cell.is_cluster() && cell.text() >= state.tables.clusters.size()) return place("no such cluster", x, y);
      if (!cell.is_written() && !is_tail && cell.kind() == CellKind::narrow) {
        const Style& style = state.tables.styles[cell.style()];
        if (style.attributes != 0 || !style.foreground.is_default() || cell.link() != 0 || cell.is_protected()) {
          return place("an erased cell with more than a background", x, y);
        }
      }
      if (cell.kind() != CellKind::wrap_spacer) continue;
      const bool is_continued = row.flags.wrapped && y + 1 < grid.rows();
      if (x != cols - 1 || !is_continued || grid.row(y + 1).cells[0].kind() != CellKind::wide) {
        return place("a spacer before nothing", x, y);
      }
    }
  }
  return {};
}

inline std::string broken_images(const State& state, const Graphics& graphics) {
  std::size_t bytes = 0;
  for (const Image& image : graphics.images) {
    bytes += image.data.size();
    if (image.serial > graphics.newest_serial) return "serial of an image";
    if (image.source == ImageSource::gone && !image.data.empty()) return "data of an image that is gone";
  }
  if (bytes > Graphics::kDataBytesMax + 4 * Graphics::kImagesMax) return "data of images";
  if (graphics.images.size() > Graphics::kImagesMax || graphics.placements.size() > Graphics::kPlacementsMax) {
    return "number of images";
  }
  for (const Placement& p : graphics.placements) {
    if (!graphics.find_serial(p.image)) return "no such image";
    if (p.anchor == Placement::Anchor::parent && !graphics.find_placement(p.parent)) return "no such parent";
    if (p.anchor != Placement::Anchor::cell) continue;
    if (p.x < 0 || p.x >= state.size.cols || p.y >= state.size.rows) return place("an image", p.x, p.y);
  }
  return {};
}

inline std::string broken_screen(const State& state, const ScreenState& screen) {
  const Cursor& at = screen.cursor;
  if (screen.grid.cols() != state.size.cols || screen.grid.rows() != state.size.rows) return "size";
  if (at.x < 0 || at.x >= state.size.cols || at.y < 0 || at.y >= state.size.rows) return place("cursor", at.x, at.y);
  const std::string images = broken_images(state, screen.graphics);
  return images.empty() ? broken_cells(state, screen.grid) : images;
}

// Breaks the promises of grid.h, cell.h and state.h that a State breaks, as text; empty when it keeps them all.
inline std::string broken_invariants(const State& state) {
  const Margins& m = state.margins;
  if (m.top < 0 || m.left < 0 || m.top > m.bottom || m.left > m.right || m.bottom >= state.size.rows ||
      m.right >= state.size.cols) {
    return "margins";
  }
  if (state.tab_stops.size() != state.size.cols) return "tab stops";
  if (state.continuation.size() > State::kContinuationBytesMax + 1) return "continuation";
  const std::string primary = broken_screen(state, state.primary);
  return primary.empty() ? broken_screen(state, state.alternate) : primary;
}

inline std::string broken_table_bounds(const Tables& tables) {
  if (tables.styles.size() > StyleTable::kFull) return "number of styles";
  if (tables.links.size() > LinkTable::kFull) return "number of links";
  if (tables.clusters.size() > ClusterTable::kFull) return "number of clusters";
  std::size_t link_bytes = 0;
  for (std::size_t i = 0; i < tables.links.size(); ++i) {
    const Link& link = tables.links[static_cast<std::uint16_t>(i)];
    if (link.uri.size() > LinkTable::kUriBytesMax) return "bytes of a URI";
    link_bytes += link.uri.size() + link.id.size();
  }
  return link_bytes > LinkTable::kTotalBytesMax ? "bytes of links" : "";
}

inline std::string broken_history_bounds(const State& state) {
  const History& history = state.history;
  if (history.rows_at(state.size.cols) > history.limits().rows) return "rows of history";
  std::size_t bytes = 0, last = 0;
  history.each_block([&](std::string_view block) { bytes += last = block.size(); });
  if (history.is_open()) bytes -= last;  // it counts when it goes into a block
  return bytes > history.limits().bytes ? "bytes of history" : "";
}

// A bound of state.h, tables.h and history.h that a State is beyond, as text; empty when it keeps them all.
inline std::string broken_bounds(const State& state) {
  const Titles& titles = state.titles;
  if (titles.stack.size() > Titles::kStackMax) return "stack of titles";
  for (const auto& [window, icon] : titles.stack) {
    if (window.size() > Titles::kBytesMax || icon.size() > Titles::kBytesMax) return "bytes of a title";
  }
  if (titles.window.size() > Titles::kBytesMax || titles.icon.size() > Titles::kBytesMax) return "bytes of the title";
  if (state.color_stack.size() > State::kColorStackMax) return "stack of colours";
  if (state.pointer_stack.size() > State::kPointerStackMax) return "stack of pointers";
  if (state.sgr_stack.size() > State::kSgrStackMax) return "stack of SGR";
  if (state.status.size() > StatusRecord::kRecordsMax) return "number of status records";
  if (state.primary.kitty.depth > KittyStack::kDepthMax || state.alternate.kitty.depth > KittyStack::kDepthMax) {
    return "stack of keyboard flags";
  }
  const std::string tables = broken_table_bounds(state.tables);
  return tables.empty() ? broken_history_bounds(state) : tables;
}

}  // namespace holdfast::vt
