// The pen as cell bits, and the tables' garbage collection.
#include <algorithm>

#include "vt/editor.h"

namespace holdfast::vt {
namespace {

// Cells a compaction may walk over per intern that failed since the last one.
constexpr std::size_t kCellsPerFailure = 64;

struct Marks {
  std::vector<bool> styles, clusters, links;
};

void mark_grid(const Grid& grid, Marks& marks) {
  for (int y = 0; y < grid.rows(); ++y) {
    for (const Cell cell : grid.row(y).view().cells) {
      marks.styles[cell.style()] = true;
      marks.links[cell.link()] = true;
      if (cell.is_cluster()) marks.clusters[cell.text()] = true;
    }
  }
}

void mark_pens(const ScreenState& screen, Marks& marks) {
  marks.links[screen.pen.link] = true;
  if (screen.saved) marks.links[screen.saved->pen.link] = true;
}

struct Remap {
  std::vector<std::uint16_t> styles, links;
  std::vector<std::uint32_t> clusters;
};

void remap_grid(Grid& grid, const Remap& remap) {
  constexpr std::uint64_t kIds = ~std::uint64_t{0} >> 60 << 60;  // bits 60-63 are no id
  for (int y = 0; y < grid.rows(); ++y) {
    Row& row = grid.row(y);
    for (int x = 0; x < row.used; ++x) {
      Cell& cell = row.cells[x];
      std::uint64_t bits = cell.bits & (kIds | ((std::uint64_t{1} << Cell::kStyleShift) - 1));
      if (cell.is_cluster()) bits = (bits & ~Cell::kTextMask) | remap.clusters[cell.text()];
      cell.bits = bits | std::uint64_t{remap.styles[cell.style()]} << Cell::kStyleShift |
                  std::uint64_t{remap.links[cell.link()]} << Cell::kLinkShift;
    }
  }
}

void remap_pens(ScreenState& screen, const Remap& remap) {
  screen.pen.link = remap.links[screen.pen.link];
  if (screen.saved) screen.saved->pen.link = remap.links[screen.saved->pen.link];
}

}  // namespace

void Editor::compact_tables() {
  Tables& tables = state_.tables;
  Marks marks{std::vector<bool>(tables.styles.size()), std::vector<bool>(tables.clusters.size()),
              std::vector<bool>(tables.links.size())};
  for (ScreenState* screen : {&state_.primary, &state_.alternate}) {
    mark_grid(screen->grid, marks);
    mark_pens(*screen, marks);
  }
  Remap remap;
  tables.styles.keep(marks.styles, remap.styles);
  tables.clusters.keep(marks.clusters, remap.clusters);
  tables.links.keep(marks.links, remap.links);
  for (ScreenState* screen : {&state_.primary, &state_.alternate}) {
    remap_grid(screen->grid, remap);
    remap_pens(*screen, remap);
  }
  pen_changed_ = true;
  known_joints_ = {};
}

bool Editor::may_compact() {
  if (compactions_paused_for_ > 0) {
    --compactions_paused_for_;
    return false;
  }
  const auto ids = [this] {
    return state_.tables.styles.size() + state_.tables.clusters.size() + state_.tables.links.size();
  };
  const std::size_t before = ids();
  compact_tables();
  // One that freed little was in vain: some interns then fail before the next try.
  const std::size_t pause = static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_) / kCellsPerFailure;
  if (before - ids() < pause) compactions_paused_for_ = static_cast<std::uint32_t>(pause);
  return true;
}

std::uint16_t Editor::intern_style(const Style& style) {
  if (state_.tables.styles.is_due()) compact_tables();
  std::uint32_t id = state_.tables.styles.intern(style);
  if (id == StyleTable::kFull && may_compact()) id = state_.tables.styles.intern(style);
  return id == StyleTable::kFull ? 0 : static_cast<std::uint16_t>(id);
}

void Editor::open_link(const Link& link) {
  Link wanted = link;
  if (wanted.id.empty()) wanted.serial = ++state_.link_serial;
  std::uint32_t id = state_.tables.links.intern(wanted);
  if (id == LinkTable::kFull && may_compact()) id = state_.tables.links.intern(wanted);
  change_pen().link = id == LinkTable::kFull ? std::uint16_t{0} : static_cast<std::uint16_t>(id);
}

Pen& Editor::change_pen() {
  pen_changed_ = true;
  return screen_->pen;
}

void Editor::resolve_pen() {
  const Pen& pen = screen_->pen;
  Style background;
  background.background = pen.style.background;
  // The second intern may compact the tables and so renumber the first one's id: then once more, with room now.
  std::uint16_t style = 0, blank = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    pen_changed_ = false;
    style = intern_style(pen.style);
    blank = background == Style{} ? std::uint16_t{0} : intern_style(background);
    if (!pen_changed_) break;
  }
  pen_changed_ = false;
  pen_bits_ = Cell::pen_bits(style, pen.link, pen.is_protected, pen.semantic);
  blank_bits_ = Cell::pen_bits(blank, 0, false, Semantic::output);
}

}  // namespace holdfast::vt
