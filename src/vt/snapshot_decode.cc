// Reading snapshots. The bytes may come from a damaged file or a process that went bad: nothing in them is believed.
#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "vt/snapshot.h"
#include "vt/snapshot_fields.h"
#include "vt/snapshot_format.h"
#include "vt/snapshot_images.h"

namespace holdfast::vt {
namespace {

using namespace snapshot_format;

constexpr std::uint8_t kKittyFlagsMax = 31;
constexpr std::uint16_t kStringBytesMax = 16u << 10;  // of a working directory or a pointer shape

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  Result<State> decode() {
    TRY(header());
    while (!is_ended_) TRY(record());
    if (at_ != bytes_.size()) return damaged("bytes after the end");
    return std::move(*state_);
  }

 private:
  std::unexpected<Error> damaged(std::string_view what) const {
    return fail(ErrorKind::failed, "read a screen snapshot",
                std::string(what) + " (byte " + std::to_string(at_) + " of " + std::to_string(bytes_.size()) + ")",
                "the snapshot is damaged: use an older one, or none");
  }

  Result<> header() {
    if (bytes_.substr(0, kMagic.size()) != kMagic || bytes_.size() < kMagic.size() + 2) {
      return fail(ErrorKind::failed, "read a screen snapshot", "this is not a snapshot");
    }
    const auto major = static_cast<std::uint8_t>(bytes_[kMagic.size()]);
    if (major != kMajor) {
      return fail(
          ErrorKind::refused, "read a screen snapshot",
          "its format is version " + std::to_string(major) + ", this program reads version " + std::to_string(kMajor),
          "use the version of hold that wrote it");
    }
    at_ = kMagic.size() + 2;
    return {};
  }

  Result<> record() {
    const std::string_view left = bytes_.substr(at_);
    if (left.size() < kRecordOverhead) return damaged("cut off in the head of a record");
    Fields head(left.substr(0, 6));
    const std::uint16_t type = head.u16();
    const std::size_t size = head.u32();
    if (size > left.size() - kRecordOverhead) return damaged("cut off in record " + std::to_string(type));
    const std::string_view payload = left.substr(6, size);
    if (Fields(left.substr(6 + size, 4)).u32() != crc32c(payload, crc32c(left.substr(0, 6)))) {
      return damaged("wrong checksum of record " + std::to_string(type));
    }
    if (!take(static_cast<RecordType>(type), payload)) return damaged("bad contents of record " + std::to_string(type));
    at_ += kRecordOverhead + size;
    return {};
  }

  // Every known record comes once and in order; blocks of history repeat.
  bool take(RecordType type, std::string_view payload) {
    const auto* const step = std::ranges::find(kOrder, type, &Step::type);
    if (step == std::end(kOrder)) return true;  // of a later minor version
    const bool is_repeated = type == RecordType::history_block && step + 1 == next_;
    if (step < next_ && !is_repeated) return false;
    if (!is_repeated && !std::all_of(next_, step, [](const Step& missing) { return missing.may_be_missing; })) return false;
    next_ = step + 1;
    Fields f(payload);
    switch (type) {
      case RecordType::terminal:
        terminal(f);
        break;
      case RecordType::modes:
        modes(f);
        break;
      case RecordType::styles:
        styles(f);
        break;
      case RecordType::clusters:
        clusters(f);
        break;
      case RecordType::links:
        links(f);
        break;
      case RecordType::primary:
        screen(f, state_->primary);
        break;
      case RecordType::alternate:
        screen(f, state_->alternate);
        break;
      case RecordType::strings:
        strings(f);
        break;
      case RecordType::colors:
        colors(f);
        break;
      case RecordType::continuation:
        state_->continuation = f.bytes(State::kContinuationBytesMax + 1);
        break;
      case RecordType::ready:
        break;
      case RecordType::history_block:
        return state_->history.restore_block(payload).has_value();
      case RecordType::more_colors:
        more_colors(f);
        break;
      case RecordType::pointer:
        pointer(f);
        break;
      case RecordType::status:
        status(f);
        break;
      case RecordType::primary_images:
        state_->primary.graphics = decode_images(f, state_->size.cols, state_->size.rows);
        break;
      case RecordType::alternate_images:
        state_->alternate.graphics = decode_images(f, state_->size.cols, state_->size.rows);
        break;
      case RecordType::end:
        is_ended_ = true;
        break;
      case RecordType::extras:
        extras(f);
        break;
    }
    return f.at_end();
  }

  void extras(Fields& f) {
    const std::uint8_t titles = f.small<std::uint8_t>(3);
    state_->titles.set_as_hex = (titles & 1) != 0;
    state_->titles.reported_as_hex = (titles & 2) != 0;
    state_->attribute_extent = f.small<std::uint8_t>(2);
    for (SgrEntry& entry : state_->sgr_stack) {
      entry.parts = f.u16();
      f.require(entry.parts <= SgrEntry::kAll);
    }
  }

  void terminal(Fields& f) {
    Size size;
    size.cols = f.u16();
    size.rows = f.u16();
    size.xpixel = f.u16();
    size.ypixel = f.u16();
    f.require(size.cols >= limits::kColsMin && size.cols <= limits::kColsMax && size.rows >= limits::kRowsMin &&
              size.rows <= limits::kRowsMax);
    const bool on_alternate = f.flag();
    const auto alternate_mode = find_mode(f.u16(), true);
    f.require(alternate_mode == Mode::alternate_47 || alternate_mode == Mode::alternate_1047 ||
              alternate_mode == Mode::alternate_1049);
    HistoryLimits history;
    history.rows = static_cast<std::uint32_t>(f.varint(UINT32_MAX));
    history.bytes = static_cast<std::size_t>(f.varint(SIZE_MAX));
    if (!f.is_good()) return;
    state_.emplace(size, history);
    State& s = *state_;
    s.on_alternate = on_alternate;
    s.alternate_mode = *alternate_mode;
    s.margins.top = static_cast<int>(f.varint(size.rows - 1u));
    s.margins.bottom = static_cast<int>(f.varint(size.rows - 1u));
    s.margins.left = static_cast<int>(f.varint(size.cols - 1u));
    s.margins.right = static_cast<int>(f.varint(size.cols - 1u));
    f.require(s.margins.top <= s.margins.bottom && s.margins.left <= s.margins.right);
    tab_stops(f);
    s.charsets = charsets(f);
    s.modify_other_keys = f.small<std::uint8_t>(2);
    s.keypad_application = f.flag();
    s.cursor_shape = f.small<std::uint8_t>(6);
    s.conformance = f.small<std::uint8_t>(5);
    f.require(s.conformance >= 1);
    s.progress.state = f.small<std::uint8_t>(4);
    s.progress.percent = f.small<std::uint8_t>(100);
    s.last_printed = static_cast<std::uint32_t>(f.varint(0x10ffff));
    f.require(s.last_printed == 0 || is_printable(s.last_printed));
    s.offset = f.varint();
    s.utf8 = f.flag();
    s.link_serial = static_cast<std::uint32_t>(f.varint(UINT32_MAX));
    const std::uint64_t pushed = f.varint(State::kSgrStackMax);
    for (std::uint64_t i = 0; i < pushed && f.is_good(); ++i) s.sgr_stack.push_back({style(f)});
  }
  void tab_stops(Fields& f) {
    State& s = *state_;
    s.tab_stops.assign(s.size.cols, false);
    const std::size_t count = f.count();
    std::uint64_t x = 0;
    for (std::size_t i = 0; i < count && f.is_good(); ++i) {
      const std::uint64_t step = f.varint(s.size.cols);
      f.require(i == 0 || step > 0);
      x += step;
      f.require(x < s.size.cols);
      if (f.is_good()) s.tab_stops[static_cast<std::size_t>(x)] = true;
    }
  }

  void modes(Fields& f) {
    mode_set(f, state_->modes);
    mode_set(f, state_->saved_modes);
    state_->mouse_tracking = optional_mode(f);
    state_->mouse_encoding = optional_mode(f);
  }
  static void mode_set(Fields& f, ModeSet& set) {
    const std::size_t count = f.count(4);
    for (std::size_t i = 0; i < count && f.is_good(); ++i) {
      const bool is_private = f.flag();
      const std::uint16_t number = f.u16();
      const bool on = f.flag();
      const auto mode = find_mode(number, is_private);  // a mode of a later version means nothing to us
      if (mode && f.is_good()) set.set(*mode, on);
    }
  }
  static Mode optional_mode(Fields& f) { return find_mode(f.u16(), true).value_or(Mode::count_); }

  static Color color(Fields& f) {
    const Color c{f.u32()};
    f.require(c.is_default() || c.is_rgb() || (c.is_palette() && (c.value & 0xffff00) == 0));
    return c;
  }
  static Style style(Fields& f) {
    Style s;
    s.foreground = color(f);
    s.background = color(f);
    s.underline_color = color(f);
    s.attributes = f.u32();
    f.require(s.underline() <= 5 && s.attributes < 1u << 15);
    return s;
  }
  void styles(Fields& f) {
    const std::size_t count = f.count(16);
    styles_ = {0};
    for (std::size_t i = 0; i < count && f.is_good(); ++i) {
      const std::uint32_t id = state_->tables.styles.intern(style(f));
      f.require(id != StyleTable::kFull);
      styles_.push_back(id);
    }
  }
  void clusters(Fields& f) {
    const std::size_t count = f.count(3);
    for (std::size_t i = 0; i < count && f.is_good(); ++i) {
      const std::size_t length = static_cast<std::size_t>(f.varint(ClusterTable::kCodePointsMax));
      f.require(length >= 2);
      std::vector<char32_t> code_points;
      for (std::size_t j = 0; j < length && f.is_good(); ++j) {
        const std::uint64_t cp = f.varint();
        f.require(is_printable(cp));
        code_points.push_back(static_cast<char32_t>(cp));
      }
      if (!f.is_good()) return;
      const std::uint32_t id = state_->tables.clusters.intern(code_points);
      f.require(id != ClusterTable::kFull);
      clusters_.push_back(id);
    }
  }
  void links(Fields& f) {
    const std::size_t count = f.count(3);
    links_ = {0};
    for (std::size_t i = 0; i < count && f.is_good(); ++i) {
      Link link;
      link.id = f.string(LinkTable::kUriBytesMax);
      link.uri = f.string(LinkTable::kUriBytesMax);
      link.serial = static_cast<std::uint32_t>(f.varint(UINT32_MAX));
      if (!f.is_good()) return;
      const std::uint32_t id = state_->tables.links.intern(link);
      f.require(id != LinkTable::kFull);
      links_.push_back(id);
    }
  }

  static Charsets charsets(Fields& f) {
    Charsets c;
    for (Charset& set : c.g) set = f.small(kCharsetLast);
    c.gl = f.small<std::uint8_t>(3);
    c.gr = f.small<std::uint8_t>(3);
    c.single_shift = f.small<std::uint8_t>(3);
    return c;
  }
  Cursor cursor(Fields& f) const {
    Cursor c;
    c.x = static_cast<int>(f.varint(state_->size.cols - 1u));
    c.y = static_cast<int>(f.varint(state_->size.rows - 1u));
    c.pending_wrap = f.flag();
    return c;
  }
  std::uint16_t link(Fields& f) const {
    const std::uint64_t index = f.varint();
    f.require(index < links_.size());
    return f.is_good() ? static_cast<std::uint16_t>(links_[index]) : std::uint16_t{0};
  }
  Pen pen(Fields& f) const {
    Pen p;
    p.style = style(f);
    p.link = link(f);
    p.is_protected = f.flag();
    p.semantic = f.small(Semantic::input);
    return p;
  }
  void screen(Fields& f, ScreenState& s) const {
    s.cursor = cursor(f);
    s.pen = pen(f);
    if (f.flag()) {
      SavedCursor saved;
      saved.cursor = cursor(f);
      saved.pen = pen(f);
      saved.charsets = charsets(f);
      saved.origin = f.flag();
      s.saved = saved;
    }
    s.kitty.base = f.small(kKittyFlagsMax);
    s.kitty.depth = f.small<std::uint8_t>(KittyStack::kDepthMax);
    for (int i = 0; i < s.kitty.depth; ++i) s.kitty.flags[static_cast<std::size_t>(i)] = f.small(kKittyFlagsMax);
    s.protection = f.small(Protection::dec);
    for (int y = 0; y < s.grid.rows() && f.is_good(); ++y) row(f, s.grid.row(y), s.grid.cols());
    for (int y = 0; y < s.grid.rows() && f.is_good(); ++y) f.require(is_spacer_right(s.grid, y));
  }
  // A spacer stands where a wide character did not fit: that one begins the next row, which is joined.
  static bool is_spacer_right(const Grid& grid, int y) {
    const Row& row = grid.row(y);
    if (row.cells[grid.cols() - 1].kind() != CellKind::wrap_spacer) return true;
    return row.flags.wrapped && y + 1 < grid.rows() && grid.row(y + 1).cells[0].kind() == CellKind::wide;
  }
  void row(Fields& f, Row& row, int cols) const {
    const std::size_t columns = static_cast<std::size_t>(f.varint(static_cast<unsigned>(cols)));
    const std::uint8_t flags = f.small<std::uint8_t>(1 | static_cast<unsigned>(RowMark::command_output) << 1);
    row.flags = {(flags & 1) != 0, static_cast<RowMark>(flags >> 1)};
    for (std::size_t x = 0; x < columns && f.is_good();) {
      const std::size_t length = static_cast<std::size_t>(f.varint(columns - x));
      f.require(length > 0);
      const std::uint64_t run = f.varint((1u << 11) - 1);
      const std::uint64_t style_index = f.varint();
      f.require(style_index < styles_.size());
      const std::uint64_t link_id = link(f);
      if (!f.is_good()) return;
      const std::uint64_t pen =
          cell_bits(run) | std::uint64_t{styles_[style_index]} << Cell::kStyleShift | link_id << Cell::kLinkShift;
      for (std::size_t end = x + length; x < end && f.is_good(); ++x) row.cells[x] = cell(f, pen);
    }
    if (f.is_good()) finish(f, row, static_cast<std::size_t>(cols), columns);
  }
  // What an erase leaves: a background and nothing else.
  bool is_erased(Cell cell) const {
    Style background;
    background.background = state_->tables.styles[cell.style()].background;
    return state_->tables.styles[cell.style()] == background && cell.bits == std::uint64_t{cell.style()}
                                                                                 << Cell::kStyleShift;
  }
  Cell cell(Fields& f, std::uint64_t pen) const {
    const std::uint64_t text = f.varint();
    if (!(pen & Cell::kCluster)) {
      f.require(text == 0 || is_printable(text));
      return {f.is_good() ? pen | text : 0};
    }
    f.require(text < clusters_.size());
    return {f.is_good() ? pen | clusters_[text] : 0};
  }
  // What the engine relies on: both halves of a wide character stand side by side, blanks are blank, hints are set.
  void finish(Fields& f, Row& row, std::size_t cols, std::size_t columns) const {
    row.used = static_cast<std::uint16_t>(columns);
    for (std::size_t x = 0; x < columns; ++x) {
      const CellKind kind = row.cells[x].kind();
      const bool after_lead = x > 0 && row.cells[x - 1].kind() == CellKind::wide;
      f.require((kind == CellKind::wide_tail) == after_lead);
      f.require(kind != CellKind::wide || x + 1 < columns);
      f.require(kind != CellKind::wrap_spacer || x + 1 == cols);
      f.require(kind != CellKind::wide_tail || !row.cells[x].is_written());
      f.require(kind != CellKind::narrow || row.cells[x].is_written() || is_erased(row.cells[x]));
      row.has_wide = row.has_wide || kind != CellKind::narrow;
      row.has_cluster = row.has_cluster || row.cells[x].is_cluster();
    }
  }

  void strings(Fields& f) {
    Titles& t = state_->titles;
    t.window = f.string(Titles::kBytesMax);
    t.icon = f.string(Titles::kBytesMax);
    const std::uint64_t count = f.varint(Titles::kStackMax);
    for (std::uint64_t i = 0; i < count && f.is_good(); ++i) {
      std::string window = f.string(Titles::kBytesMax);
      t.stack.emplace_back(std::move(window), f.string(Titles::kBytesMax));
    }
    state_->working_directory = f.string(kStringBytesMax);
    state_->pointer_shape = f.string(kStringBytesMax);
    f.require(is_pointer_shape(state_->pointer_shape));
  }

  static std::uint32_t rgb(Fields& f) {
    const std::uint32_t value = f.u32();
    f.require(value <= 0xffffff);
    return value;
  }
  void colors(Fields& f) {
    Colors& c = state_->colors;
    palette(f, c);
    for (const int number : kFirstDynamicColors) optional_color(f, c.of(number));
  }
  static void palette(Fields& f, Colors& c) {
    const std::size_t count = f.count(5);
    for (std::size_t i = 0; i < count && f.is_good(); ++i) {
      const std::uint8_t index = f.u8();
      c.palette[index] = rgb(f);
    }
  }
  static void optional_color(Fields& f, std::optional<std::uint32_t>& color) {
    color.reset();
    if (f.flag()) color = rgb(f);
  }
  static void all_dynamic(Fields& f, Colors& c) {
    for (auto& color : c.dynamic) optional_color(f, color);
    for (auto& color : c.special) optional_color(f, color);
  }
  void more_colors(Fields& f) {
    all_dynamic(f, state_->colors);
    const std::uint64_t pushed = f.varint(State::kColorStackMax);
    for (std::uint64_t i = 0; i < pushed && f.is_good(); ++i) {
      Colors& c = state_->color_stack.emplace_back();
      palette(f, c);
      all_dynamic(f, c);
    }
  }

  void pointer(Fields& f) {
    state_->shift_escape = f.small<std::uint8_t>(2);
    const std::uint64_t pushed = f.varint(State::kPointerStackMax);
    for (std::uint64_t i = 0; i < pushed && f.is_good(); ++i) {
      state_->pointer_stack.push_back(f.string(kStringBytesMax));
      f.require(is_pointer_shape(state_->pointer_stack.back()));
    }
  }

  void status(Fields& f) {
    const std::uint64_t count = f.varint(StatusRecord::kRecordsMax);
    for (std::uint64_t i = 0; i < count && f.is_good(); ++i) {
      StatusRecord r = StatusRecord::parse(f.string(StatusRecord::kBytesMax));
      f.require(!r.is_clear && r.text != "?");
      f.require(std::ranges::find(state_->status, r.id, &StatusRecord::id) == state_->status.end());
      state_->status.push_back(std::move(r));
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  const Step* next_ = std::begin(kOrder);  // behind the last known record
  bool is_ended_ = false;
  std::optional<State> state_;
  std::vector<std::uint32_t> styles_, clusters_, links_;  // number in the snapshot -> id in our tables
};

}  // namespace

Result<State> decode_snapshot(std::string_view bytes) { return Decoder(bytes).decode(); }

}  // namespace holdfast::vt
