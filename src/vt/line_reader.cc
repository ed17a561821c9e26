#include "vt/line_reader.h"

#include <algorithm>
#include <span>

#include "base/limits.h"
#include "vt/unicode.h"

namespace holdfast::vt {
namespace {

// Cells of one line at most, so that a few bytes cannot ask for gigabytes. History ends its pieces well below.
constexpr std::uint32_t kLineCellsMax = 128u << 10;
static_assert(kLineCellsMax > 2 * limits::kColsMax);
// Rows that one line may claim to have been pushed as.
constexpr std::uint32_t kLineRowsMax = kLineCellsMax;
// Bytes of the id of a link.
constexpr std::size_t kLinkIdBytesMax = LinkTable::kTotalBytesMax;

constexpr std::uint32_t kAttributesMask =
    kBold | kFaint | kItalic | kBlink | kRapidBlink | kInverse | kHidden | kStrike | kOverline | kUnderlineMask;
bool is_all_plain(std::string_view text) { return ByteReader(text).skip_plain() == text.size(); }

// The two-column rule of next_cut, fed with items.
class RowCounter {
 public:
  explicit RowCounter(int cols) : cols_(static_cast<std::size_t>(cols)) {}
  void add_cells(std::size_t n) {
    const std::size_t end = column_ + n;
    if (n == 0 || end <= cols_) {
      column_ = end;
      return;
    }
    rows_ += (end - 1) / cols_;
    column_ = (end - 1) % cols_ + 1;
  }
  void add_wide() {
    if (cols_ == 1) return add_cells(1);
    if (column_ + 2 > cols_) {
      ++rows_;
      column_ = 0;
    }
    column_ += 2;
  }
  std::size_t rows() const { return rows_; }

 private:
  std::size_t cols_, column_ = 0, rows_ = 1;
};

bool text_fits(const PackedLine& line) {
  constexpr char kDelete = 0x7f;
  if (line.flags & kLinePlain) {
    return !(line.flags & kLineWide) && is_all_plain(line.text) && line.text.find(kDelete) == std::string_view::npos;
  }
  TextReader reader(line.text);
  std::uint64_t cells = 0;
  bool has_wide = false;
  for (TextItem item; reader.next(item); cells += item.cells) {
    has_wide |= item.kind == CellKind::wide && item.cells == 2;
    if (cells + item.cells > line.cells) return false;
    if (!std::ranges::all_of(std::span(item.code_points).first(item.count), is_printable)) return false;
  }
  return !reader.failed() && cells == line.cells && has_wide == ((line.flags & kLineWide) != 0);
}

bool pens_fit(const PackedLine& line) {
  PenReader reader(line.pens);
  std::uint64_t cells = 0;
  while (reader.next()) {
    cells += reader.cells();
    if (cells > line.cells) return false;
  }
  return !reader.failed() && std::ranges::all_of(reader.links(), [](const PackedLink& link) {
    return fits_into_osc(link.id) && fits_into_osc(link.uri);
  });
}

std::uint64_t text_bits(const TextItem& item, ClusterTable& clusters) {
  const std::uint64_t kind = Cell::kind_bits(item.kind);
  if (item.count == 0) return kind;
  if (!item.is_cluster) return kind | item.code_points[0];
  const std::uint32_t id = clusters.intern({item.code_points.data(), item.count});
  return kind | (id == ClusterTable::kFull ? item.code_points[0] : id | Cell::kCluster);
}

void unpack_text(const PackedLine& line, ClusterTable& clusters, std::vector<Cell>& cells) {
  if (line.flags & kLinePlain) {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].bits = static_cast<unsigned char>(line.text[i]);
    return;
  }
  TextReader reader(line.text);
  std::size_t at = 0;
  for (TextItem item; reader.next(item) && at + item.cells <= cells.size(); at += item.cells) {
    if (item.count == 0 && item.kind == CellKind::narrow) continue;
    cells[at].bits = text_bits(item, clusters);
    if (item.cells == 2) cells[at + 1].bits = Cell::kind_bits(CellKind::wide_tail);
  }
}

class PenInterner {
 public:
  explicit PenInterner(Tables& tables) : tables_(tables) {}
  std::uint64_t bits(const PackedPen& pen, const std::vector<PackedLink>& links) {
    const std::uint32_t style = tables_.styles.intern(pen.style);
    return Cell::pen_bits(style == StyleTable::kFull ? 0 : static_cast<std::uint16_t>(style), link_id(pen.link, links),
                          pen.is_protected, pen.semantic);
  }

 private:
  std::uint16_t link_id(std::uint32_t number, const std::vector<PackedLink>& links) {
    if (number == 0) return 0;
    while (ids_.size() < number) {
      const PackedLink& link = links[ids_.size()];
      const std::uint32_t id = tables_.links.intern({std::string(link.id), std::string(link.uri), link.serial});
      ids_.push_back(id == LinkTable::kFull ? 0 : static_cast<std::uint16_t>(id));
    }
    return ids_[number - 1];
  }

  Tables& tables_;
  std::vector<std::uint16_t> ids_;
};

}  // namespace

bool ByteReader::take_byte(std::uint8_t& value) {
  if (at_end()) return false;
  value = static_cast<std::uint8_t>(bytes_[at_++]);
  return true;
}

bool ByteReader::take_varint(std::uint32_t& value) {
  std::uint64_t sum = 0;
  std::uint8_t byte = 0x80;
  for (int shift = 0; byte & 0x80; shift += 7) {
    if (shift > 28 || !take_byte(byte)) return false;
    sum |= std::uint64_t{byte & 0x7fu} << shift;
  }
  value = static_cast<std::uint32_t>(sum);
  return sum == value;
}

bool ByteReader::take_bytes(std::size_t count, std::string_view& value) {
  if (bytes_.size() - at_ < count) return false;
  value = bytes_.substr(at_, count);
  at_ += count;
  return true;
}

bool ByteReader::take_code_point(char32_t& value) {
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (at_end()) return false;
  const auto byte = [&](std::size_t i) -> char32_t { return static_cast<unsigned char>(bytes_[at_ + i]); };
  const char32_t lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || bytes_.size() - at_ < length) return false;
  char32_t cp = length == 1 ? lead : lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return false;
    cp = cp << 6 | (byte(i) & 63);
  }
  if (cp < kLeast[length] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff)) return false;
  at_ += length;
  value = cp;
  return true;
}

std::size_t ByteReader::skip_plain() {
  const std::size_t before = at_;
  while (at_ < bytes_.size() && static_cast<unsigned char>(bytes_[at_]) - kFirstPlainByte < 0x80u - kFirstPlainByte)
    ++at_;
  return at_ - before;
}

bool TextReader::next(TextItem& item) {
  if (failed_ || in_.at_end()) return false;
  failed_ = !read(item);
  return !failed_;
}

bool TextReader::read(TextItem& item) {
  item.cells = 1;
  item.kind = CellKind::narrow;
  item.is_cluster = false;
  item.count = 1;
  char32_t& cp = item.code_points[0];
  if (!in_.take_code_point(cp)) return false;
  if (cp >= kFirstPlainByte) {
    if (cp >= 0x80 && code_point_width(cp) == 2) item.kind = CellKind::wide, item.cells = 2;
    return true;
  }
  switch (static_cast<TextEscape>(cp)) {
    case kGap:
      item.count = 0;
      return in_.take_varint(item.cells) && item.cells > 0;
    case kNarrow:
      return in_.take_code_point(cp) && cp >= kFirstPlainByte;
    case kWide:
      item.kind = CellKind::wide, item.cells = 2;
      return in_.take_code_point(cp) && cp >= kFirstPlainByte;
    case kNarrowCluster:
      return read_cluster(item);
    case kWideCluster:
      item.kind = CellKind::wide, item.cells = 2;
      return read_cluster(item);
    case kOdd:
      return read_odd(item);
  }
  return false;
}

bool TextReader::read_cluster(TextItem& item) {
  item.is_cluster = true;
  if (!in_.take_byte(item.count) || item.count == 0 || item.count > item.code_points.size()) return false;
  for (std::size_t i = 0; i < item.count; ++i) {
    if (!in_.take_code_point(item.code_points[i])) return false;
  }
  return item.code_points[0] != 0;
}

bool TextReader::read_odd(TextItem& item) {
  std::uint8_t what = 0;
  if (!in_.take_byte(what) || what > (3 | kOddBlank | kOddCluster)) return false;
  item.kind = static_cast<CellKind>(what & 3);
  if (what & kOddCluster) return !(what & kOddBlank) && read_cluster(item);
  if (!(what & kOddBlank)) return in_.take_code_point(item.code_points[0]) && item.code_points[0] != 0;
  item.count = 0;
  return true;
}

bool PenReader::next() {
  if (failed_ || in_.at_end()) return false;
  failed_ = !read_run();
  return !failed_;
}

bool PenReader::read_run() {
  std::uint8_t change = 0;
  if (!in_.take_varint(cells_) || cells_ == 0 || !in_.take_byte(change)) return false;
  if (change & kResetPen) pen_ = {};
  if (!read_color(change >> kForegroundShift & 3, pen_.style.foreground)) return false;
  if (!read_color(change >> kBackgroundShift & 3, pen_.style.background)) return false;
  if (change & kUnderlineColor) {
    std::uint8_t kind = 0;
    if (!in_.take_byte(kind) || kind > kColorRgb || !read_color(kind, pen_.style.underline_color)) return false;
  }
  if ((change & kAttributes) && !in_.take_varint(pen_.style.attributes)) return false;
  if (pen_.style.attributes & ~kAttributesMask) return false;
  return !(change & kExtras) || read_extras();
}

bool PenReader::read_color(unsigned change, Color& color) {
  std::uint8_t bytes[3];
  switch (change) {
    case kColorDefault:
      color = {};
      return true;
    case kColorPalette:
      if (!in_.take_byte(bytes[0])) return false;
      color = Color::palette(bytes[0]);
      return true;
    case kColorRgb:
      for (auto& byte : bytes) {
        if (!in_.take_byte(byte)) return false;
      }
      color = Color::rgb(bytes[0], bytes[1], bytes[2]);
      return true;
    default:
      return true;
  }
}

bool PenReader::read_extras() {
  std::uint8_t extras = 0;
  if (!in_.take_byte(extras) || extras >> (kExtrasLinkShift + 2)) return false;
  const unsigned semantic = extras >> kExtrasSemanticShift & 3;
  if (semantic > static_cast<unsigned>(Semantic::input)) return false;
  pen_.is_protected = extras & 1;
  pen_.semantic = static_cast<Semantic>(semantic);
  switch (static_cast<LinkChange>(extras >> kExtrasLinkShift)) {
    case kLinkSame:
      return true;
    case kLinkNone:
      pen_.link = 0;
      return true;
    case kLinkKnown:
      return in_.take_varint(pen_.link) && pen_.link > 0 && pen_.link <= links_.size();
    case kLinkNew:
      return read_link();
  }
  return false;
}

bool PenReader::read_link() {
  PackedLink link;
  std::uint32_t id_bytes = 0, uri_bytes = 0;
  const std::size_t from = in_.at();
  if (!in_.take_varint(link.serial)) return false;
  if (!in_.take_varint(id_bytes) || id_bytes > kLinkIdBytesMax || !in_.take_bytes(id_bytes, link.id)) return false;
  if (!in_.take_varint(uri_bytes) || uri_bytes > LinkTable::kUriBytesMax || !in_.take_bytes(uri_bytes, link.uri))
    return false;
  link.definition = bytes_.substr(from, in_.at() - from);
  links_.push_back(link);
  pen_.link = static_cast<std::uint32_t>(links_.size());
  return true;
}

bool read_line(std::string_view bytes, std::size_t& at, PackedLine& line) {
  ByteReader in(bytes.substr(at));
  std::uint32_t text_bytes = 0, pen_bytes = 0;
  if (!in.take_byte(line.flags) || !in.take_varint(line.cells)) return false;
  text_bytes = line.cells;
  line.rows = 1;
  if (!(line.flags & kLinePlain) && !in.take_varint(text_bytes)) return false;
  if ((line.flags & kLineManyRows) && !in.take_varint(line.rows)) return false;
  if ((line.flags & kLinePens) && !in.take_varint(pen_bytes)) return false;
  if (!in.take_bytes(text_bytes, line.text) || !in.take_bytes(pen_bytes, line.pens)) return false;
  at += in.at();
  return true;
}

bool is_well_formed(const PackedLine& line) {
  return !(line.flags & ~kLineFlags) && line.cells <= kLineCellsMax && line.rows >= 1 && line.rows <= kLineRowsMax &&
         text_fits(line) && pens_fit(line);
}

void unpack_line(const PackedLine& line, Tables& tables, std::vector<Cell>& cells) {
  cells.assign(line.cells, Cell{});
  unpack_text(line, tables.clusters, cells);
  PenReader reader(line.pens);
  PenInterner interner(tables);
  std::size_t at = 0;
  while (reader.next()) {
    const std::uint64_t bits = interner.bits(reader.pen(), reader.links());
    const std::size_t end = std::min<std::size_t>(at + reader.cells(), cells.size());
    for (; at < end; ++at) cells[at].bits |= bits;
  }
}

std::size_t count_rows(const PackedLine& line, int cols) {
  RowCounter counter(cols);
  if (!(line.flags & kLineWide)) {
    counter.add_cells(line.cells);
    return counter.rows();
  }
  TextReader reader(line.text);
  for (TextItem item;;) {
    counter.add_cells(reader.skip_plain());
    if (!reader.next(item)) return counter.rows();
    const bool is_wide = item.kind == CellKind::wide && item.cells == 2;
    if (is_wide)
      counter.add_wide();
    else
      counter.add_cells(item.cells);
  }
}

}  // namespace holdfast::vt
