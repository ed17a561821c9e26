#include "vt/packed_line.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include "vt/encode.h"
#include "vt/line_reader.h"
#include "vt/row_cut.h"
#include "vt/unicode.h"
#include "vt/utf8.h"

namespace holdfast::vt {
namespace {

constexpr std::size_t kVarintBytesMax = 5;
// Of one run without its link: length, head, two colours, underline colour with its head, attributes, extras with
// number.
constexpr std::size_t kRunBytesMax = kVarintBytesMax + 1 + 3 + 3 + 4 + kVarintBytesMax + 1 + kVarintBytesMax;
constexpr std::size_t kKeptBytesMax = 128u << 10;  // of buffers, from one line to the next
constexpr std::size_t kStep = 8;                   // cells that the plain path takes at once

static_assert(std::endian::native == std::endian::little, "copy_plain puts eight characters into one word");

constexpr bool is_gap(Cell cell) { return (cell.bits & kCellContents) == 0; }
constexpr bool is_plain(Cell cell) { return (cell.bits & kCellContents) - kFirstPlainByte < 0x80u - kFirstPlainByte; }

template <std::size_t... K>
inline bool pack_step(const Cell* cells, std::uint64_t base, std::uint64_t& packed, std::index_sequence<K...>) {
  const std::uint64_t words[] = {(cells[K].bits ^ base)...};
  const std::uint64_t high = (... | words[K]);
  const std::uint64_t below = (... | (words[K] - kFirstPlainByte));  // bit 63 if one is below
  packed = (... | (words[K] << 8 * K));
  return high < 0x80 && !(below >> 63);
}

// Copies the leading cells that are plain and have the pen of the first one, which is plain; returns how many.
std::size_t copy_plain(const Cell* cells, std::size_t n, char* out) {
  const std::uint64_t base = cells[0].bits & ~kCellContents;
  std::size_t i = 0;
  for (std::uint64_t packed; i + kStep <= n; i += kStep) {
    if (!pack_step(cells + i, base, packed, std::make_index_sequence<kStep>())) break;
    std::memcpy(out + i, &packed, kStep);
  }
  for (; i < n; ++i) {
    const std::uint64_t word = cells[i].bits ^ base;
    if (word - kFirstPlainByte >= 0x80u - kFirstPlainByte) break;
    out[i] = static_cast<char>(word);
  }
  return i;
}

char* put_varint(char* out, std::uint32_t value) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
  *out++ = static_cast<char>(value);
  return out;
}

void put_varint(std::string& out, std::size_t value) {
  char bytes[kVarintBytesMax];
  out.append(bytes, put_varint(bytes, static_cast<std::uint32_t>(value)));
}

void put_byte(std::string& out, unsigned value) { out += static_cast<char>(value); }

// Appends to `changes` at `shift` how a colour changed, and the colour to `out`.
char* put_color(char* out, Color color, unsigned shift, unsigned& change) {
  if (color.is_default()) {
    change |= kColorDefault << shift;
    return out;
  }
  change |= (color.is_rgb() ? kColorRgb : kColorPalette) << shift;
  if (color.is_rgb()) {
    *out++ = static_cast<char>(color.value >> 16);
    *out++ = static_cast<char>(color.value >> 8);
  }
  *out++ = static_cast<char>(color.value);
  return out;
}

char* put_style_change(char* out, const Style& from, const Style& to, unsigned& change) {
  if (from.foreground != to.foreground) out = put_color(out, to.foreground, kForegroundShift, change);
  if (from.background != to.background) out = put_color(out, to.background, kBackgroundShift, change);
  if (from.underline_color != to.underline_color) {
    unsigned kind = 0;
    char* const end = put_color(out + 1, to.underline_color, 0, kind);
    *out = static_cast<char>(kind);
    out = end;
    change |= kUnderlineColor;
  }
  if (from.attributes != to.attributes) {
    out = put_varint(out, to.attributes);
    change |= kAttributes;
  }
  return out;
}

}  // namespace

void LinePacker::append(const RowView& row, const Tables& tables) {
  if (rows_++ == 0) mark_ = row.flags.mark;
  // Numbers may have been remapped since the last row: only the default pen is known to be the same.
  pen_bits_ = pen_ == PackedPen{} ? 0 : ~std::uint64_t{0};
  const std::size_t n = line_cells(row);
  const Cell* cells = row.cells.data();
  for (std::size_t i = 0; i < n;) {
    std::size_t taken = 0;
    if (is_plain(cells[i]))
      taken = pack_plain(cells + i, n - i, tables);
    else if (cells[i].is_written())
      taken = pack_text(cells + i, n - i, tables);
    i += taken ? taken : pack_item(cells + i, n - i, tables);
  }
}

std::size_t LinePacker::pack_plain(const Cell* cells, std::size_t n, const Tables& tables) {
  set_pen(cells[0].bits & kCellPen, tables);
  std::size_t packed = 0;
  const std::size_t before = text_.size();
  text_.resize_and_overwrite(before + n, [&](char* text, std::size_t) {
    packed = copy_plain(cells, n, text + before);
    return before + packed;
  });
  cells_ += static_cast<std::uint32_t>(packed);
  run_cells_ += static_cast<std::uint32_t>(packed);
  return packed;
}

// Beyond ASCII. May take nothing: then the first cell is something that pack_item has an escape for.
std::size_t LinePacker::pack_text(const Cell* cells, std::size_t n, const Tables& tables) {
  set_pen(cells[0].bits & kCellPen, tables);
  const std::size_t before = text_.size();
  EncodedText copied;
  text_.resize_and_overwrite(before + encoded_bytes_max(n), [&](char* text, std::size_t) {
    copied = encode_text_(cells, n, text + before);
    return static_cast<std::size_t>(copied.end - text);
  });
  is_plain_ &= copied.cells == 0;
  has_wide_ |= copied.has_wide;
  cells_ += static_cast<std::uint32_t>(copied.cells);
  run_cells_ += static_cast<std::uint32_t>(copied.cells);
  return copied.cells;
}

// A gap, a cluster, a character against the table, or a cell that fits no rule.
std::size_t LinePacker::pack_item(const Cell* cells, std::size_t n, const Tables& tables) {
  const std::size_t taken = put_item(cells, n, tables);
  for (std::size_t i = 0; i < taken; ++i, ++run_cells_) set_pen(cells[i].bits & kCellPen, tables);
  cells_ += static_cast<std::uint32_t>(taken);
  return taken;
}

// Its text. Returns the cells it stands for.
std::size_t LinePacker::put_item(const Cell* cells, std::size_t n, const Tables& tables) {
  const Cell cell = cells[0];
  std::size_t taken = 1;
  is_plain_ = false;
  if (is_gap(cell)) {
    while (taken < n && is_gap(cells[taken])) ++taken;
    put_byte(text_, kGap);
    put_varint(text_, taken);
  } else if (const bool is_pair = is_wide_pair({cells, n}, 0); cell.is_written() &&
                                                               (is_pair || cell.kind() == CellKind::narrow) &&
                                                               (cell.is_cluster() || cell.text() >= kFirstPlainByte)) {
    taken = is_pair ? 2 : 1;
    has_wide_ |= is_pair;
    const bool table_agrees = !cell.is_cluster() && (code_point_width(cell.text()) == 2) == is_pair;
    if (cell.is_cluster())
      put_byte(text_, is_pair ? kWideCluster : kNarrowCluster);
    else if (!table_agrees)
      put_byte(text_, is_pair ? kWide : kNarrow);
    put_code_points(cell, tables);
  } else {
    put_byte(text_, kOdd);
    put_byte(text_, static_cast<unsigned>(cell.kind()) | (cell.is_written() ? 0u : kOddBlank) |
                        (cell.is_cluster() ? kOddCluster : 0u));
    if (cell.is_written()) put_code_points(cell, tables);
  }
  return taken;
}

void LinePacker::append(const Text& text, const PackedPen& pen) {
  set_pen(pen);
  text_ += text.bytes;
  is_plain_ &= text.is_ascii;
  has_wide_ |= text.has_wide;
  cells_ += text.cells;
  run_cells_ += text.cells;
}

void LinePacker::append_gap(std::uint32_t cells) {
  set_pen(PackedPen{});
  is_plain_ = false;
  put_byte(text_, kGap);
  put_varint(text_, cells);
  cells_ += cells;
  run_cells_ += cells;
}

void LinePacker::make_cluster(std::size_t bytes, std::uint32_t cells, Cell cluster, const Tables& tables) {
  text_.resize(text_.size() - bytes);
  const Cell pair[] = {cluster, Cell{Cell::kind_bits(CellKind::wide_tail)}};
  const auto wanted = static_cast<std::uint32_t>(put_item(pair, cluster.kind() == CellKind::wide ? 2 : 1, tables));
  cells_ += wanted - cells;
  run_cells_ += wanted - cells;
}

void LinePacker::put_code_points(Cell cell, const Tables& tables) {
  const char32_t alone = cell.text();
  const auto code_points = cell.is_cluster() ? tables.clusters[cell.text()] : std::span(&alone, 1);
  const std::size_t before = text_.size();
  text_.resize_and_overwrite(before + 1 + code_points.size() * kUtf8BytesMax, [&](char* text, std::size_t) {
    char* end = text + before;
    if (cell.is_cluster()) *end++ = static_cast<char>(code_points.size());
    for (const char32_t cp : code_points) end = put_utf8(end, is_scalar_value(cp) ? cp : kReplacement);
    return static_cast<std::size_t>(end - text);
  });
}

void LinePacker::set_pen(std::uint64_t bits, const Tables& tables) {
  if (bits == pen_bits_) return;
  close_run();
  const Cell cell{bits};
  pen_bits_ = bits;
  pen_.style = tables.styles[cell.style()];
  pen_.link = cell.link() ? link_number(tables.links[cell.link()]) : 0;
  pen_.is_protected = cell.is_protected();
  pen_.semantic = cell.semantic();
}

void LinePacker::set_pen(const PackedPen& pen) {
  if (pen == pen_) return;
  close_run();
  pen_ = pen;
}

void LinePacker::close_run() {
  if (run_cells_ == 0) return;
  const std::size_t before = pens_.size();
  pens_.resize_and_overwrite(before + kRunBytesMax, [&](char* pens, std::size_t) {
    return static_cast<std::size_t>(put_run(pens + before) - pens);
  });
  if (!new_link_.empty()) {
    links_.back().at = static_cast<std::uint32_t>(pens_.size());
    pens_ += new_link_;
    new_link_.clear();
  }
  written_pen_ = pen_;
  run_cells_ = 0;
}

// The open run, but for the definition of a new link, which comes last.
char* LinePacker::put_run(char* out) const {
  const PackedPen &from = written_pen_, &to = pen_;
  out = put_varint(out, run_cells_);
  char* const head = out++;
  unsigned change = 0;
  if (to == PackedPen{}) {
    change = from == to ? 0 : kResetPen;
  } else {
    out = put_style_change(out, from.style, to.style, change);
    if (from.link != to.link || from.is_protected != to.is_protected || from.semantic != to.semantic) {
      change |= kExtras;
      out = put_extras(out);
    }
  }
  *head = static_cast<char>(change);
  return out;
}

char* LinePacker::put_extras(char* out) const {
  const LinkChange change = written_pen_.link == pen_.link ? kLinkSame
                            : pen_.link == 0               ? kLinkNone
                            : new_link_.empty()            ? kLinkKnown
                                                           : kLinkNew;
  *out++ =
      static_cast<char>((pen_.is_protected ? 1u : 0u) | static_cast<unsigned>(pen_.semantic) << kExtrasSemanticShift |
                        unsigned{change} << kExtrasLinkShift);
  return change == kLinkKnown ? put_varint(out, pen_.link) : out;
}

// The number of the link in this line. A new one is defined when its run is closed, which is before the next is sought.
std::uint32_t LinePacker::link_number(const Link& link) {
  new_link_.clear();
  put_varint(new_link_, link.serial);
  put_varint(new_link_, link.id.size());
  new_link_ += link.id;
  put_varint(new_link_, link.uri.size());
  new_link_ += link.uri;
  const std::size_t hash = std::hash<std::string_view>()(new_link_);
  for (std::size_t i = links_.size(); i-- > 0;) {
    if (links_[i].hash != hash) continue;
    if (std::string_view(pens_).substr(links_[i].at, links_[i].length) != new_link_) continue;
    new_link_.clear();
    return static_cast<std::uint32_t>(i + 1);
  }
  links_.push_back({hash, 0, static_cast<std::uint32_t>(new_link_.size())});
  return static_cast<std::uint32_t>(links_.size());
}

void LinePacker::load(const PackedLine& line) {
  clear();
  text_ = line.text;
  pens_ = line.pens;
  cells_ = run_cells_ = line.cells;
  rows_ = line.rows;
  mark_ = line.mark();
  is_plain_ = line.flags & kLinePlain;
  has_wide_ = line.flags & kLineWide;
  PenReader reader(pens_);
  while (reader.next()) run_cells_ -= reader.cells();
  written_pen_ = reader.pen();
  for (const PackedLink& link : reader.links()) {
    links_.push_back({std::hash<std::string_view>()(link.definition),
                      static_cast<std::uint32_t>(link.definition.data() - pens_.data()),
                      static_cast<std::uint32_t>(link.definition.size())});
  }
  // What the runs leave is in the default pen; if they leave nothing, the next cell opens a run.
  pen_ = run_cells_ > 0 ? PackedPen{} : written_pen_;
}

std::size_t LinePacker::memory_bytes() const {
  const auto of = [](const std::string& text) {
    return text.capacity() > std::string().capacity() ? text.capacity() : 0;
  };
  return of(text_) + of(pens_);
}

void LinePacker::clear() {
  if (memory_bytes() > kKeptBytesMax) text_ = {}, pens_ = {};
  text_.clear();
  pens_.clear();
  links_.clear();
  new_link_.clear();
  cells_ = rows_ = run_cells_ = 0;
  mark_ = RowMark::none;
  is_plain_ = true;
  has_wide_ = false;
  pen_ = written_pen_ = {};
}

PackedLine LinePacker::line(bool unfinished) {
  if (pen_ != PackedPen{}) close_run();
  const unsigned flags = static_cast<unsigned>(mark_) | (unfinished ? kLineUnfinished : 0u) |
                         (is_plain_ ? kLinePlain : 0u) | (rows_ > 1 ? kLineManyRows : 0u) |
                         (pens_.empty() ? 0u : kLinePens) | (has_wide_ ? kLineWide : 0u);
  return {static_cast<std::uint8_t>(flags), cells_, rows_, text_, pens_};
}

std::size_t line_bytes_max(const PackedLine& line) { return kLineHeadBytesMax + line.text.size() + line.pens.size(); }

char* write_plain_row(const RowView& row, std::size_t cells, char* out) {
  *out++ = static_cast<char>(static_cast<unsigned>(row.flags.mark) | kLinePlain);
  out = put_varint(out, static_cast<std::uint32_t>(cells));
  if (cells == 0) return out;
  const auto is_default = [&](std::size_t at) {
    return is_plain(row.cells[at]) && (row.cells[at].bits & kCellPen) == 0;
  };
  if (!is_default(0) || !is_default(cells - 1)) return nullptr;
  return copy_plain(row.cells.data(), cells, out) == cells ? out + cells : nullptr;
}

char* write_line(const PackedLine& line, char* out) {
  *out++ = static_cast<char>(line.flags);
  out = put_varint(out, line.cells);
  if (!(line.flags & kLinePlain)) out = put_varint(out, static_cast<std::uint32_t>(line.text.size()));
  if (line.flags & kLineManyRows) out = put_varint(out, line.rows);
  if (line.flags & kLinePens) out = put_varint(out, static_cast<std::uint32_t>(line.pens.size()));
  out = std::copy(line.text.begin(), line.text.end(), out);
  return std::copy(line.pens.begin(), line.pens.end(), out);
}

}  // namespace holdfast::vt
