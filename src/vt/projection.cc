// A State as text, one fact a line, so that two of them can be compared and the difference be read.
//
// Cells are written as runs: `{style}` when the style changes, `<link>`, then text, with backslash escapes for what
// text cannot say: \. unwritten, \w wide, \s wrap spacer, \( \) a cluster, \p protected on, \q off, \0 \1 \2 semantic.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "vt/cell_text.h"
#include "vt/restore.h"
#include "vt/restore_rule.h"

namespace holdfast::vt {
namespace {

enum class Scope { expressible, everything };

constexpr std::string_view kWrapped = " wrapped";

class Projection {
 public:
  Projection(State& state, Scope scope) : state_(state), scope_(scope) {}

  std::string text() {
    facts();
    screen("primary", state_.primary, !state_.on_alternate);
    screen("alternate", state_.alternate, state_.on_alternate);
    history();
    return std::move(out_);
  }

 private:
  bool is_exact() const { return scope_ == Scope::everything; }

  Projection& put(std::string_view text) {
    out_ += text;
    return *this;
  }
  Projection& put(std::uint64_t number) {
    append_number(out_, number);
    return *this;
  }
  void fact(std::string_view name, std::uint64_t value) { put(name).put(" ").put(value).put("\n"); }
  void fact(std::string_view name, std::string_view value) { put(name).put(" ").put(hex_if_odd(value)).put("\n"); }

  static std::string hex_if_odd(std::string_view value) {
    for (const char c : value) {
      if (static_cast<unsigned char>(c) < 0x20) return "hex:" + hex(value);
    }
    return std::string(value);
  }

  void facts();
  void modes(std::string_view name, const ModeSet& set, bool is_saved);
  void last_printed();
  void colors(const std::string& name, const Colors& c);
  void images(const std::string& name, const ScreenState& screen);
  void image(const Image& image, std::uint32_t number);
  void placement(const Graphics& graphics, const Placement& p);
  void charsets(std::string_view name, const Charsets& c, bool with_single_shift);
  void pen(std::string_view name, const Pen& pen, bool with_semantic);
  void cursor(std::string_view name, const Cursor& cursor);
  void screen(std::string_view name, const ScreenState& screen, bool is_active);
  void saved(std::string_view name, const ScreenState& screen);
  void history();
  std::optional<std::size_t> uncertain_blank(const ScreenState& screen, int y, bool is_active) const;
  // A spacer in history is gone as soon as its wide character is: it counts as a blank there.
  enum class Spacers { kept, blank };
  void row(const RowView& row, std::optional<std::size_t> uncertain_blank, Spacers spacers = Spacers::kept);
  void cluster(Cell cell, Place place);
  void style(const Style& s);
  void link(std::uint16_t id);

  State& state_;
  Scope scope_;
  std::string out_;
  std::map<std::uint16_t, std::size_t> implicit_;  // link id -> number by first appearance
};

void Projection::facts() {
  fact("cols", state_.size.cols);
  fact("rows", state_.size.rows);
  fact("on_alternate", state_.on_alternate);
  if (state_.on_alternate) fact("alternate_mode", static_cast<std::uint64_t>(state_.alternate_mode));
  modes("mode", state_.modes, false);
  modes("saved_mode", state_.saved_modes, true);
  fact("mouse_tracking", static_cast<std::uint64_t>(state_.mouse_tracking));
  fact("mouse_encoding", static_cast<std::uint64_t>(state_.mouse_encoding));
  put("margins ")
      .put(static_cast<unsigned>(state_.margins.top))
      .put(" ")
      .put(static_cast<unsigned>(state_.margins.bottom));
  put(" ")
      .put(static_cast<unsigned>(state_.margins.left))
      .put(" ")
      .put(static_cast<unsigned>(state_.margins.right))
      .put("\n");
  put("tabs");
  for (std::size_t x = 0; x < state_.tab_stops.size(); ++x) {
    if (state_.tab_stops[x] && (is_exact() || x > 0)) put(" ").put(x);
  }
  put("\n");
  charsets("charsets", state_.charsets, true);
  fact("modify_other_keys", state_.modify_other_keys);
  fact("keypad_application", state_.keypad_application);
  fact("cursor_shape", state_.cursor_shape);
  fact("conformance", state_.conformance);
  fact("attribute_extent", state_.attribute_extent);
  fact("titles_as_hex", std::uint64_t{state_.titles.set_as_hex} | std::uint64_t{state_.titles.reported_as_hex} << 1);
  fact("utf8", state_.utf8);
  for (const SgrEntry& entry : state_.sgr_stack) {
    put("sgr_stack ").put(entry.parts).put(" ");
    style(entry.style);
    put("\n");
  }
  fact("title", state_.titles.window);
  fact("icon", state_.titles.icon);
  for (const auto& [window, icon] : state_.titles.stack) fact("title_stack", window + " / " + icon);
  fact("pwd", state_.working_directory);
  const auto pointer = [this](const std::string& shape) { return is_exact() || shape != "default" ? shape : ""; };
  for (const std::string& shape : state_.pointer_stack) fact("pointer_stack", pointer(shape));
  fact("pointer", pointer(state_.pointer_shape));
  fact("shift_escape", state_.shift_escape);
  for (const StatusRecord& record : state_.status) fact("status", record.text);
  fact("progress", state_.progress.state << 8 | state_.progress.percent);
  fact("continuation", hex(state_.continuation));
  for (const Colors& pushed : state_.color_stack) colors("color_stack ", pushed);
  colors("", state_.colors);
  last_printed();
  if (!is_exact()) return;
  fact("offset", state_.offset);
  fact("link_serial", state_.link_serial);
  fact("xpixel", state_.size.xpixel);
  fact("ypixel", state_.size.ypixel);
}

void Projection::last_printed() {
  if (is_exact()) return fact("last_printed", state_.last_printed);
  const LastPrint last = find_last_print(state_);
  if (last.how != LastPrint::How::none) fact("last_printed", last.text);
}

void Projection::modes(std::string_view name, const ModeSet& set, bool is_saved) {
  for (const ModeInfo& info : mode_table()) {
    if (!is_exact() && !(is_saved ? is_saved_mode_restored(info) : is_mode_restored(info))) continue;
    if (set.get(info.mode) == info.default_on) continue;
    put(name).put(info.is_private ? " ?" : " ").put(info.number).put(set.get(info.mode) ? " on\n" : " off\n");
  }
}

void Projection::colors(const std::string& name, const Colors& c) {
  if (!name.empty()) put(name).put("\n");
  for (const auto& [index, rgb] : c.palette) put(name).put("palette ").put(index).put(" ").put(rgb).put("\n");
  for (std::size_t i = 0; i < c.dynamic.size(); ++i) {
    if (c.dynamic[i]) put(name).put("dynamic ").put(Colors::kDynamicFirst + i).put(" ").put(*c.dynamic[i]).put("\n");
  }
  for (std::size_t i = 0; i < c.special.size(); ++i) {
    if (c.special[i]) put(name).put("special ").put(i).put(" ").put(*c.special[i]).put("\n");
  }
}

void Projection::charsets(std::string_view name, const Charsets& c, bool with_single_shift) {
  put(name);
  for (const Charset set : c.g) put(" ").put(static_cast<unsigned>(set));
  put(" gl ").put(c.gl).put(" gr ").put(c.gr);
  if (with_single_shift || is_exact()) put(" ss ").put(c.single_shift);
  put("\n");
}

void Projection::pen(std::string_view name, const Pen& pen, bool with_semantic) {
  put(name).put(" ");
  style(pen.style);
  link(pen.link);
  if (with_semantic) put("\\").put(static_cast<unsigned>(pen.semantic));
  put(pen.is_protected ? "\\p\n" : "\n");
}

void Projection::cursor(std::string_view name, const Cursor& c) {
  put(name).put(" ").put(static_cast<unsigned>(c.x)).put(" ").put(static_cast<unsigned>(c.y));
  put(c.pending_wrap ? " pending\n" : "\n");
}

void Projection::saved(std::string_view name, const ScreenState& screen) {
  const std::string prefix(name);
  if (is_exact()) fact(prefix + ".has_saved", screen.saved.has_value());
  const SavedCursor s = saved_or_neutral(screen);
  cursor(prefix + ".saved.cursor", s.cursor);
  pen(prefix + ".saved.pen", s.pen, is_exact());
  charsets(prefix + ".saved.charsets", s.charsets, false);
  fact(prefix + ".saved.origin", s.origin);
}

void Projection::screen(std::string_view name, const ScreenState& screen, bool is_active) {
  const std::string prefix(name);
  // The cursor of a screen that is not shown is overwritten by the switch to it, whichever mode makes it.
  if (is_exact() || is_active) {
    cursor(prefix + ".cursor", is_exact() ? screen.cursor : restored_cursor(state_));
    pen(prefix + ".pen", screen.pen, true);
  }
  saved(name, screen);
  put(prefix).put(".kitty ").put(screen.kitty.base);
  for (int i = 0; i < screen.kitty.depth; ++i) put(" ").put(screen.kitty.flags[static_cast<std::size_t>(i)]);
  put("\n");
  fact(prefix + ".protection", is_exact() ? static_cast<unsigned>(screen.protection)
                                          : static_cast<unsigned>(screen.protection == Protection::iso));
  images(prefix, screen);
  for (int y = 0; y < screen.grid.rows(); ++y) {
    put(prefix).put(" ").put(static_cast<unsigned>(y));
    row(screen.grid.row(y).view(), uncertain_blank(screen, y, is_active));
  }
}

// A restore keeps neither the age of images and placements nor the size of cells by which some were measured.
void Projection::images(const std::string& name, const ScreenState& screen) {
  const Graphics& graphics = screen.graphics;
  std::vector<const Image*> images;
  for (const Image& image : graphics.images) {
    if (is_exact() || (is_image_restored(image) && image.id != 0)) images.push_back(&image);
  }
  std::vector<std::string> lines;
  const auto line = [&](auto&& write) {
    const std::size_t at = out_.size();
    put(name);
    write();
    put("\n");
    if (is_exact()) return;
    lines.push_back(out_.substr(at));
    out_.resize(at);
  };
  for (const Image* i : images) {
    line([&] {
      put(".image ");
      image(*i, is_exact() ? i->number : graphics.reachable_number(*i));
    });
  }
  for (const Placement& p : is_exact() ? graphics.placements : restored_placements(screen)) {
    line([&] {
      put(".placement ");
      placement(graphics, p);
    });
  }
  if (const auto& upload = graphics.upload; upload && (is_exact() || is_upload_restored(*upload))) {
    line([&] {
      put(".upload ");
      image(upload->image, upload->image.number);
      if (upload->placement) placement(graphics, *upload->placement);
      put(" q ").put(upload->quiet).put(upload->moves_cursor || !upload->placement ? "" : " stays");
      if (is_exact()) put(upload->is_frame ? " frame" : "").put(upload->is_in_pieces ? " pieces" : "");
      if (upload->placement) put(" beside ").put(upload->parent_image).put(" ").put(upload->parent_id);
    });
  }
  std::ranges::sort(lines);
  for (const std::string& text : lines) put(text);
  if (is_exact()) fact(name + ".newest_serial", graphics.newest_serial);
}

void Projection::image(const Image& i, std::uint32_t number) {
  put("i ").put(i.id).put(" I ").put(number).put(" f ").put(static_cast<unsigned>(i.format));
  put(i.is_compressed ? " z" : "").put(" s ").put(i.given.width).put(" v ").put(i.given.height);
  put(" S ").put(i.bytes).put(" O ").put(i.offset).put(" t ").put(static_cast<unsigned>(i.source));
  put(" data ").put(i.data.size()).put(" ").put(crc32c(i.data));
  if (is_exact()) put(" # ").put(i.serial).put(" size ").put(i.size.width).put(" ").put(i.size.height);
}

void Projection::placement(const Graphics& graphics, const Placement& p) {
  const auto put_signed = [this](std::int64_t n) {
    put(n < 0 ? " -" : " ").put(static_cast<std::uint64_t>(n < 0 ? -n : n));
  };
  if (const Image* i = graphics.find_serial(p.image)) {
    if (i->id != 0)
      put("i ").put(i->id);
    else
      image(*i, 0);
  }
  put(" p ").put(p.id).put(" anchor ").put(static_cast<unsigned>(p.anchor));
  if (is_exact() || (p.anchor == Placement::Anchor::cell && p.image != 0)) {
    put_signed(p.x);
    put_signed(p.y);
  }
  put(" in ").put(p.cell_x).put(" ").put(p.cell_y).put(" of ").put(p.left).put(" ").put(p.top);
  put(" ").put(p.width).put(" ").put(p.height).put(" as ").put(p.columns).put(" ").put(p.rows);
  put_signed(p.z);
  if (const Placement* parent = graphics.find_placement(p.parent); p.anchor == Placement::Anchor::parent && parent) {
    put(" beside ").put(graphics.find_serial(parent->image)->id).put(" ").put(parent->id);
  }
  put_signed(p.parent_x);
  put_signed(p.parent_y);
  if (!is_exact()) return;
  put(" # ").put(p.serial).put(" ").put(p.image).put(" ").put(p.parent);
  put(" covers ").put(p.covers_columns).put(" ").put(p.covers_rows);
}

// The column of row y where a pending wrap makes a restore print a space if it is blank.
std::optional<std::size_t> Projection::uncertain_blank(const ScreenState& screen, int y, bool is_active) const {
  if (is_exact()) return std::nullopt;
  if (is_active) {
    const Cursor live = restored_cursor(state_);
    if (live.pending_wrap && live.y == y) return static_cast<std::size_t>(live.x);
  }
  const Cursor saved = saved_or_neutral(screen).cursor;
  if (saved.pending_wrap && saved.y == y && screen.grid.row(y).flags.wrapped) return static_cast<std::size_t>(saved.x);
  return std::nullopt;
}

void Projection::history() {
  fact("history_open", state_.history.is_open());
  std::size_t n = 0;
  // Where the line's trailing blank rows begin to be joined to it: history trims them, so those joins say nothing.
  std::vector<std::size_t> blank_joins;
  const int cols = state_.size.cols;
  state_.history.each_row(cols, state_.history.rows_at(cols), state_.tables, [&](const RowView& view) {
    if (touched_columns(view) > 0) blank_joins.clear();
    put("history ").put(n++);
    if (view.flags.wrapped && !is_exact()) blank_joins.push_back(out_.size());
    row(view, std::nullopt, Spacers::blank);
    if (view.flags.wrapped) return;
    for (; !blank_joins.empty(); blank_joins.pop_back()) out_.erase(blank_joins.back(), kWrapped.size());
  });
  if (!is_exact()) return;
  // How it is packed and divided decides what goes when the limits are reached, and what a resize brings back.
  fact("history_lines", state_.history.lines());
  state_.history.each_block(
      [&](std::string_view block) { put("history_block ").put(block.size()).put(" ").put(crc32c(block)).put("\n"); });
  fact("history_limit_rows", state_.history.limits().rows);
  fact("history_limit_bytes", state_.history.limits().bytes);
}

// `uncertain_blank`: a column where a blank that was printed counts like one that was not.
void Projection::row(const RowView& row, std::optional<std::size_t> uncertain_blank, Spacers spacers) {
  if (row.flags.wrapped) put(kWrapped);
  if (row.flags.mark != RowMark::none) put(" mark ").put(static_cast<unsigned>(row.flags.mark));
  put(" |");
  Style shown;
  std::uint16_t link_id = 0;
  bool is_protected = false;
  Semantic semantic = Semantic::output;
  const auto is_spacer = [&](std::size_t x) {
    return row.cells[x].kind() == CellKind::wrap_spacer && (is_exact() || spacers == Spacers::kept);
  };
  const auto is_uncertain = [&](std::size_t x) {
    const Cell cell = row.cells[x];
    return uncertain_blank == x && (!cell.is_written() || is_space(cell)) && cell.kind() != CellKind::wide_tail;
  };
  // Of a blank only the background is seen; that of a spacer comes from its wide character, or from what was there
  // before it.
  const auto style_at = [&](std::size_t x) {
    if (is_spacer(x) && !is_exact() && !is_uncertain(x)) return Style{};
    const Style& s = state_.tables.styles[row.cells[x].style()];
    if (is_exact() || (row.cells[x].is_written() && !is_uncertain(x))) return s;
    return Style{{}, s.background, {}, 0};
  };
  std::size_t columns = row.cells.size();
  const auto is_nothing = [&](std::size_t x) {
    const Cell cell = row.cells[x];
    if (is_exact()) return cell.bits == 0;
    const bool is_blank = !cell.is_written() && cell.kind() != CellKind::wide_tail && !is_spacer(x);
    return (is_blank || is_uncertain(x)) && style_at(x) == Style{};
  };
  while (columns > 0 && is_nothing(columns - 1)) --columns;
  for (std::size_t x = 0; x < columns; ++x) {
    const Cell cell = row.cells[x];
    if (cell.kind() == CellKind::wide_tail) continue;
    if (style_at(x) != shown) style(shown = style_at(x));
    const bool blank = is_uncertain(x);
    if ((cell.is_written() && !blank) || is_exact()) {
      if (cell.link() != link_id) link(link_id = cell.link());
      if (cell.is_protected() != is_protected) put((is_protected = cell.is_protected()) ? "\\p" : "\\q");
      if (cell.semantic() != semantic) {
        semantic = cell.semantic();
        put("\\").put(static_cast<unsigned>(semantic));
      }
    }
    if (cell.kind() == CellKind::wide) put("\\w");
    if (blank)
      put(" ");
    else if (is_spacer(x))
      put("\\s");
    else if (!cell.is_written())
      put("\\.");
    else if (cell.is_cluster())
      cluster(cell, x + 1 == state_.size.cols ? Place::last_column : Place::within);
    else if (cell.text() == '\\')
      put("\\\\");
    else
      append_cell_text(out_, cell, state_.tables);
  }
  put("\n");
}

void Projection::cluster(Cell cell, Place place) {
  if (!is_exact() && cluster_drawing(cell, place, state_.tables).is_in_part) {
    return append_utf8(out_, cluster_part(cell, state_.tables));
  }
  put("\\(");
  append_cell_text(out_, cell, state_.tables);
  put("\\)");
}

void Projection::style(const Style& s) {
  put("{");
  if (s != Style{}) {
    put("fg ").put(s.foreground.value).put(" bg ").put(s.background.value);
    put(" ul ").put(s.underline_color.value).put(" at ").put(s.attributes);
  }
  put("}");
}

void Projection::link(std::uint16_t id) {
  if (id == 0) return void(put("<>"));
  const Link& l = state_.tables.links[id];
  put("<");
  if (is_exact())
    put(l.id).put(" ").put(l.serial);
  else if (is_implicit(l))
    put("#").put(implicit_.try_emplace(id, implicit_.size() + 1).first->second);
  else
    put(l.id);
  put(";").put(l.uri).put(">");
}

}  // namespace

std::string expressible(State& state) { return Projection(state, Scope::expressible).text(); }
std::string everything(State& state) { return Projection(state, Scope::everything).text(); }

}  // namespace holdfast::vt
