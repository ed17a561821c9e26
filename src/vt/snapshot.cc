#include "vt/snapshot.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "vt/snapshot_fields.h"
#include "vt/snapshot_format.h"
#include "vt/snapshot_images.h"

namespace holdfast::vt {
namespace {

using namespace snapshot_format;

// Only what the screens still use is written, numbered anew: a table may hold 65,534 styles of which 20 are left.
class Numbering {
 public:
  explicit Numbering(std::size_t size) : to_(size, 0) {}
  void use(std::uint32_t id) {
    if (id != 0 && to_[id] == 0) {
      order_.push_back(id);
      to_[id] = static_cast<std::uint32_t>(order_.size());
    }
  }
  std::uint32_t operator[](std::uint32_t id) const { return id == 0 ? 0 : to_[id]; }
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  std::vector<std::uint32_t> to_, order_;
};

// Payloads below this, bytes, are gathered; larger ones, blocks of history above all, are handed on from where they lie.
constexpr std::size_t kCopiedBytesMax = 4096;

class Encoder {
 public:
  Encoder(const State& state, const std::function<void(std::string_view)>& put)
      : state_(state),
        put_(put),
        styles_(state.tables.styles.size()),
        clusters_(state.tables.clusters.size() + 1),
        links_(state.tables.links.size()) {}

  void encode() {
    out_ = kMagic;
    out_ += static_cast<char>(kMajor);
    out_ += static_cast<char>(kMinor);
    number_all();
    record(RecordType::terminal, terminal());
    record(RecordType::modes, modes());
    record(RecordType::styles, styles());
    record(RecordType::clusters, clusters());
    record(RecordType::links, links());
    record(RecordType::primary, screen(state_.primary));
    record(RecordType::alternate, screen(state_.alternate));
    record(RecordType::strings, strings());
    record(RecordType::colors, colors());
    record(RecordType::continuation, Bytes().text(state_.continuation));
    record(RecordType::more_colors, more_colors());
    record(RecordType::pointer, pointer());
    record(RecordType::status, status());
    if (const Bytes b = extras(); !b.bytes().empty()) record(RecordType::extras, b);
    record(RecordType::ready, Bytes());
    state_.history.each_block([&](std::string_view block) { record(RecordType::history_block, block); });
    images(RecordType::primary_images, state_.primary.graphics);
    images(RecordType::alternate_images, state_.alternate.graphics);
    record(RecordType::end, Bytes());
    put_(out_);
  }

 private:
  void record(RecordType type, const Bytes& payload) { record(type, payload.bytes()); }
  void record(RecordType type, std::string_view payload) {
    Bytes head;
    head.u16(static_cast<std::uint16_t>(type)).u32(static_cast<std::uint32_t>(payload.size()));
    out_ += head.bytes();
    if (payload.size() < kCopiedBytesMax) {
      out_ += payload;
    } else {
      put_(out_);
      put_(payload);
      out_.clear();
    }
    out_ += Bytes().u32(crc32c(payload, crc32c(head.bytes()))).bytes();
  }

  void number_all() {
    number(state_.primary);
    number(state_.alternate);
  }
  void number(const ScreenState& screen) {
    for (int y = 0; y < screen.grid.rows(); ++y) {
      for (const Cell cell : screen.grid.row(y).view().cells) {
        styles_.use(cell.style());
        links_.use(cell.link());
        if (cell.is_cluster()) clusters_.use(cell.text() + 1);
      }
    }
    links_.use(screen.pen.link);
    if (screen.saved) links_.use(screen.saved->pen.link);
  }

  Bytes terminal() const {
    const State& s = state_;
    Bytes b;
    b.u16(s.size.cols).u16(s.size.rows).u16(s.size.xpixel).u16(s.size.ypixel);
    b.u8(s.on_alternate).u16(mode_table()[static_cast<std::size_t>(s.alternate_mode)].number);
    b.varint(s.history.limits().rows).varint(s.history.limits().bytes);
    b.varint(static_cast<unsigned>(s.margins.top)).varint(static_cast<unsigned>(s.margins.bottom));
    b.varint(static_cast<unsigned>(s.margins.left)).varint(static_cast<unsigned>(s.margins.right));
    tab_stops(b);
    charsets(b, s.charsets);
    b.u8(s.modify_other_keys).u8(s.keypad_application).u8(s.cursor_shape).u8(s.conformance);
    b.u8(s.progress.state).u8(s.progress.percent);
    b.varint(s.last_printed);
    b.varint(s.offset).u8(s.utf8).varint(s.link_serial);
    b.varint(s.sgr_stack.size());
    for (const SgrEntry& entry : s.sgr_stack) put_style(b, entry.style);
    return b;
  }
  void tab_stops(Bytes& b) const {
    std::size_t count = 0;
    for (const bool stop : state_.tab_stops) count += stop;
    b.varint(count);
    std::size_t last = 0;
    for (std::size_t x = 0; x < state_.tab_stops.size(); ++x) {
      if (!state_.tab_stops[x]) continue;
      b.varint(x - last);
      last = x;
    }
  }

  Bytes modes() const {
    Bytes b;
    set(b, state_.modes);
    set(b, state_.saved_modes);
    optional_mode(b, state_.mouse_tracking);
    optional_mode(b, state_.mouse_encoding);
    return b;
  }
  // Modes by number, only those that differ from their default: a mode more or less changes nothing here.
  static void set(Bytes& b, const ModeSet& modes) {
    std::size_t count = 0;
    for (const ModeInfo& info : mode_table()) count += modes.get(info.mode) != info.default_on;
    b.varint(count);
    for (const ModeInfo& info : mode_table()) {
      if (modes.get(info.mode) != info.default_on) b.u8(info.is_private).u16(info.number).u8(modes.get(info.mode));
    }
  }
  static void optional_mode(Bytes& b, Mode mode) {
    b.u16(mode == Mode::count_ ? 0 : mode_table()[static_cast<std::size_t>(mode)].number);
  }

  static void put_style(Bytes& b, const Style& s) {
    b.u32(s.foreground.value).u32(s.background.value).u32(s.underline_color.value).u32(s.attributes);
  }
  Bytes styles() const {
    Bytes b;
    b.varint(styles_.order().size());
    for (const std::uint32_t id : styles_.order()) put_style(b, state_.tables.styles[static_cast<std::uint16_t>(id)]);
    return b;
  }
  Bytes clusters() const {
    Bytes b;
    b.varint(clusters_.order().size());
    for (const std::uint32_t number : clusters_.order()) {
      const auto code_points = state_.tables.clusters[number - 1];
      b.varint(code_points.size());
      for (const char32_t cp : code_points) b.varint(cp);
    }
    return b;
  }
  Bytes links() const {
    Bytes b;
    b.varint(links_.order().size());
    for (const std::uint32_t id : links_.order()) {
      const Link& link = state_.tables.links[static_cast<std::uint16_t>(id)];
      b.text(link.id).text(link.uri).varint(link.serial);
    }
    return b;
  }

  static void charsets(Bytes& b, const Charsets& c) {
    for (const Charset set : c.g) b.u8(static_cast<std::uint8_t>(set));
    b.u8(c.gl).u8(c.gr).u8(c.single_shift);
  }
  static void cursor(Bytes& b, const Cursor& c) {
    b.varint(static_cast<unsigned>(c.x)).varint(static_cast<unsigned>(c.y)).u8(c.pending_wrap);
  }
  void pen(Bytes& b, const Pen& p) const {
    put_style(b, p.style);
    b.varint(links_[p.link]).u8(p.is_protected).u8(static_cast<std::uint8_t>(p.semantic));
  }
  Bytes screen(const ScreenState& s) const {
    Bytes b;
    cursor(b, s.cursor);
    pen(b, s.pen);
    b.u8(s.saved.has_value());
    if (s.saved) {
      cursor(b, s.saved->cursor);
      pen(b, s.saved->pen);
      charsets(b, s.saved->charsets);
      b.u8(s.saved->origin);
    }
    b.u8(s.kitty.base).u8(s.kitty.depth);
    for (int i = 0; i < s.kitty.depth; ++i) b.u8(s.kitty.flags[static_cast<std::size_t>(i)]);
    b.u8(static_cast<std::uint8_t>(s.protection));
    for (int y = 0; y < s.grid.rows(); ++y) row(b, s.grid.row(y).view());
    return b;
  }
  void row(Bytes& b, const RowView& view) const {
    std::size_t columns = view.cells.size();
    while (columns > 0 && view.cells[columns - 1].bits == 0) --columns;
    b.varint(columns).u8(static_cast<std::uint8_t>(view.flags.wrapped | static_cast<unsigned>(view.flags.mark) << 1));
    for (std::size_t x = 0; x < columns;) {
      const std::uint64_t pen = view.cells[x].bits & ~Cell::kTextMask;
      std::size_t end = x + 1;
      while (end < columns && (view.cells[end].bits & ~Cell::kTextMask) == pen) ++end;
      b.varint(end - x)
          .varint(run_bits(pen))
          .varint(styles_[view.cells[x].style()])
          .varint(links_[view.cells[x].link()]);
      for (; x < end; ++x) {
        const Cell cell = view.cells[x];
        b.varint(cell.is_cluster() ? clusters_[cell.text() + 1] - 1 : cell.text());
      }
    }
  }

  Bytes strings() const {
    Bytes b;
    b.text(state_.titles.window).text(state_.titles.icon).varint(state_.titles.stack.size());
    for (const auto& [window, icon] : state_.titles.stack) b.text(window).text(icon);
    b.text(state_.working_directory).text(state_.pointer_shape);
    return b;
  }

  Bytes colors() const {
    const Colors& c = state_.colors;
    Bytes b;
    b.varint(c.palette.size());
    for (const auto& [index, rgb] : c.palette) b.u8(index).u32(rgb);
    for (const int number : kFirstDynamicColors) optional_color(b, c.of(number));
    return b;
  }
  static void optional_color(Bytes& b, const std::optional<std::uint32_t>& rgb) {
    b.u8(rgb.has_value());
    if (rgb) b.u32(*rgb);
  }
  Bytes more_colors() const {
    Bytes b;
    all_dynamic(b, state_.colors);
    b.varint(state_.color_stack.size());
    for (const Colors& pushed : state_.color_stack) {
      b.varint(pushed.palette.size());
      for (const auto& [index, rgb] : pushed.palette) b.u8(index).u32(rgb);
      all_dynamic(b, pushed);
    }
    return b;
  }
  static void all_dynamic(Bytes& b, const Colors& c) {
    for (const auto& rgb : c.dynamic) optional_color(b, rgb);
    for (const auto& rgb : c.special) optional_color(b, rgb);
  }

  Bytes pointer() const {
    Bytes b;
    b.u8(state_.shift_escape).varint(state_.pointer_stack.size());
    for (const std::string& shape : state_.pointer_stack) b.text(shape);
    return b;
  }

  Bytes status() const {
    Bytes b;
    b.varint(state_.status.size());
    for (const StatusRecord& r : state_.status) b.text(r.text);
    return b;
  }

  void images(RecordType type, const Graphics& graphics) {
    if (graphics != Graphics{}) record(type, encode_images(graphics).bytes());
  }

  // Empty if everything is as it is from the start.
  Bytes extras() const {
    const State& s = state_;
    Bytes b;
    const std::uint8_t titles = static_cast<std::uint8_t>(s.titles.set_as_hex | s.titles.reported_as_hex << 1);
    const auto has_all = [](const SgrEntry& entry) { return entry.parts == SgrEntry::kAll; };
    const bool has_whole_looks = std::ranges::all_of(s.sgr_stack, has_all);
    if (titles == 0 && s.attribute_extent == 0 && has_whole_looks) return b;
    b.u8(titles).u8(s.attribute_extent);
    for (const SgrEntry& entry : s.sgr_stack) b.u16(entry.parts);
    return b;
  }

  const State& state_;
  const std::function<void(std::string_view)>& put_;
  Numbering styles_, clusters_, links_;  // clusters are shifted by one: their id 0 is a cluster like any other
  std::string out_;  // not handed on yet
};

}  // namespace

void write_snapshot(const State& state, const std::function<void(std::string_view)>& put) { Encoder(state, put).encode(); }

std::string encode_snapshot(const State& state) {
  std::string out;
  write_snapshot(state, [&out](std::string_view bytes) { out += bytes; });
  return out;
}

}  // namespace holdfast::vt
