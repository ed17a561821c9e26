// Grapheme clusters: characters that join the cell left of the cursor (docs/vt.md, "Unicode").
#include <algorithm>
#include <array>

#include "vt/cluster.h"
#include "vt/editor.h"

namespace holdfast::vt {
namespace {

// Arena of all clusters, bytes, before a compaction: a cluster of n marks leaves n - 1 dead ones behind it.
constexpr std::size_t kClusterBytesDue = 8u << 20;
// The first code point that something joins from the right though it takes cells of its own.
constexpr char32_t kFirstJoining = 0x300;

bool joins(std::span<const char32_t> cluster, Break after) {
  BreakState state;
  Break before = code_point_info(cluster[0]).break_class;
  for (const char32_t cp : cluster.subspan(1)) {
    const Break next = code_point_info(cp).break_class;
    (void)is_grapheme_break(before, next, state);
    before = next;
  }
  return !is_grapheme_break(before, after, state);
}

bool is_selector(char32_t cp) { return cp == kTextSelector || cp == kEmojiSelector; }

}  // namespace

Joining joining_clustered(std::span<const char32_t> text, char32_t cp) {
  if (!joins(text, code_point_info(cp).break_class)) return Joining::apart;
  return is_selector(cp) && !is_emoji_variation_base(text[0]) ? Joining::dropped : Joining::joined;
}

// Only characters without a width join, as they always did.
Joining joining_plain(std::span<const char32_t> text, char32_t cp) {
  if (code_point_info(cp).width != 0) return Joining::apart;
  const bool is_pictograph = code_point_info(text[0]).break_class == Break::extended_pictographic;
  return is_selector(cp) && !is_pictograph ? Joining::dropped : Joining::joined;
}

int clustered_width(int width, char32_t cp) {
  if (cp == kTextSelector) return 1;
  return cp == kEmojiSelector || code_point_width(cp) == 2 ? 2 : width;
}

int Editor::left_text_column() const {
  const Cursor& at = screen_->cursor;
  int x = at.pending_wrap ? at.x : at.x - 1;
  if (x < 0) return -1;
  const Row& r = screen_->grid.row(at.y);
  if (r.cells[x].kind() == CellKind::wide_tail && x > 0) --x;
  return r.cells[x].is_written() ? x : -1;
}

std::size_t Editor::code_points_of(Cell cell, std::span<char32_t> out) const {
  if (!cell.is_cluster()) {
    out[0] = cell.text();
    return 1;
  }
  const auto text = state_.tables.clusters[cell.text()];
  const std::size_t n = std::min(text.size(), out.size());
  std::copy_n(text.begin(), n, out.begin());
  return n;
}

// Whether one of the characters that print_utf8 takes (see there) could join this cell from the right.
bool Editor::may_join_to_the_right(Cell cell) const {
  if (!cell.is_cluster() && cell.text() < kFirstJoining) return false;
  std::array<char32_t, ClusterTable::kCodePointsMax> storage;
  const std::span text(storage.data(), code_points_of(cell, storage));
  const auto class_of = [](char32_t cp) { return code_point_info(cp).break_class; };
  const Break last = class_of(text.back());
  return last == Break::prepend || last == Break::l || last == Break::zwj ||
         std::ranges::any_of(text, [&](char32_t cp) { return class_of(cp) == Break::indic_linker; });
}

bool Editor::are_clusters_due() const { return state_.tables.clusters.bytes() > kClusterBytesDue; }

// With mode 2027 the grid decides, not what was printed last: a cursor movement does not break a cluster.
bool Editor::attach_to_left(char32_t cp, const CodePointInfo& info) {
  const bool clusters = has_mode(Mode::grapheme_clusters);
  if (!clusters && info.width != 0) return false;
  const int x = left_text_column();
  if (x < 0) return info.width == 0;
  if (are_clusters_due()) (void)may_compact();
  Row& r = row(screen_->cursor.y);
  const std::uint32_t text = joined_text(r.cells[x], cp, clusters);
  if (text == kApart) return false;
  if (text == kDropped) return true;
  Cell& cell = r.cells[x];
  cell.bits = (cell.bits & ~Cell::kTextMask) | Cell::kCluster | text;
  r.has_cluster = true;
  if (!clusters) return true;
  const int width = cell.kind() == CellKind::wide ? 2 : 1, wanted = clustered_width(width, cp);
  if (wanted < width) narrow_cell(x);
  if (wanted > width) widen_cell(x);
  return true;
}

// The number of the cluster that the cell's text and `cp` make, or kApart, or kDropped.
std::uint32_t Editor::joined_text(Cell cell, char32_t cp, bool clusters) {
  const Joint joint{static_cast<std::uint32_t>(cell.bits & (Cell::kTextMask | Cell::kCluster)), cp, clusters};
  KnownJoint& known = known_joints_[joint.slot()];
  if (known.joint == joint) return known.text;
  std::array<char32_t, ClusterTable::kCodePointsMax> storage;
  std::size_t n = code_points_of(cell, storage);
  const std::span text(storage.data(), n);
  const Joining joining = clusters ? joining_clustered(text, cp) : joining_plain(text, cp);
  if (joining != Joining::joined) {
    known = {joint, joining == Joining::apart ? kApart : kDropped};
    return known.text;
  }
  if (n == storage.size()) return kDropped;  // the cell can take no more
  storage[n++] = cp;
  const std::span<const char32_t> all(storage.data(), n);
  std::uint32_t id = state_.tables.clusters.intern(all);
  if (id != ClusterTable::kFull) {
    known = {joint, id};
    return id;
  }
  // A compaction renumbers the cell: nothing is to be remembered of it.
  if (may_compact()) id = state_.tables.clusters.intern(all);
  return id == ClusterTable::kFull ? kDropped : id;
}

// The character at x takes two columns: in place, or on the next line when x is the last column.
void Editor::widen_cell(int x) {
  Cursor& at = screen_->cursor;
  const Cursor before = at;
  at.x = x;
  at.pending_wrap = false;
  const int limit = right_limit();
  if (limit == left_limit() || (x == limit && !has_mode(Mode::autowrap))) {
    at = before;
    return;
  }
  write_wide(row(at.y).cells[x].bits & ~Cell::kind_bits(CellKind::wrap_spacer));
}

void Editor::narrow_cell(int x) {
  Cursor& at = screen_->cursor;
  Row& r = row(at.y);
  if (x == 0) cell_overwritten_at_start(at.y);
  r.cells[x].bits &= ~Cell::kind_bits(CellKind::wrap_spacer);  // narrow is kind 0
  r.cells[x + 1].bits = blank_bits();
  at.x = x + 1;
  at.pending_wrap = false;
}

}  // namespace holdfast::vt
