// One logical line of history as bytes that need no table.
//
//   line  := flags u8, cells varint, [text bytes varint], [rows varint], [pen bytes varint], text, pens
//   flags := bits 0-1 RowMark, then the bits below; the bracketed fields stand there only if their flag says so
//   text  := items; an item is a code point in UTF-8, narrow or wide as the Unicode table has it, or an escape below
//            U+0020: kGap n = n unwritten cells; kNarrow / kWide = the next code point, against the table;
//            kNarrowCluster / kWideCluster n = one cell of the next n code points; kOdd k = one cell that fits none of
//            these (a wide character without its right half, a tail without its left half, a stray spacer)
//   pens  := runs of (length varint, change); a change tells what differs from the pen before it, starting from the
//            default pen; the default pen at the end of the line has no run. A link is written out where it is first
//            used.
//
// Changes instead of a dictionary of styles: a truecolour span costs 5 bytes where an entry alone would take 16, most
// programs return to the default pen (2 bytes) between spans, and a line can be moved or dropped without its block.
// LinePacker writes lines, line_reader.h reads them. Neither knows anything of limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vt/encode.h"
#include "vt/row.h"
#include "vt/tables.h"

namespace holdfast::vt {

inline constexpr unsigned kLineMarkMask = 3;
inline constexpr unsigned kLineUnfinished = 1 << 2;  // the next line, or the screen, continues this one
inline constexpr unsigned kLinePlain = 1 << 3;       // every byte of the text is one cell: no text bytes field
inline constexpr unsigned kLineManyRows = 1 << 4;    // it was pushed as more than one row: with rows field
inline constexpr unsigned kLinePens = 1 << 5;        // not all in the default pen: with pens
inline constexpr unsigned kLineWide = 1 << 6;        // has two-column characters: `cells` does not tell the rows
inline constexpr unsigned kLineFlags = (1 << 7) - 1;

enum TextEscape : char { kGap = 1, kNarrow, kWide, kNarrowCluster, kWideCluster, kOdd };
// The byte after kOdd: CellKind in bits 0-1; then nothing (blank), a count and code points (cluster), or one code
// point.
inline constexpr unsigned kOddBlank = 1 << 2, kOddCluster = 1 << 3;
inline constexpr unsigned kFirstPlainByte = 0x20;  // bytes 0x20-0x7f of the text are cells of their own

// The first byte of a change. Colours: 0 as before, 1 default, 2 palette (1 byte), 3 RGB (3 bytes).
inline constexpr unsigned kForegroundShift = 0, kBackgroundShift = 2;
inline constexpr unsigned kUnderlineColor = 1 << 4;  // a byte as for colours, then the colour
inline constexpr unsigned kAttributes = 1 << 5;      // varint
// A byte: bit 0 protected, bits 1-2 Semantic, bits 3-4 LinkChange; then the link.
inline constexpr unsigned kExtras = 1 << 6;
inline constexpr unsigned kResetPen = 1 << 7;  // the default pen, before all else
enum ColorChange : std::uint8_t { kColorSame, kColorDefault, kColorPalette, kColorRgb };
// Of kLinkNew the serial, the id and the URI follow (varint; varint and bytes, twice), of kLinkKnown the number.
enum LinkChange : std::uint8_t { kLinkSame, kLinkNone, kLinkKnown, kLinkNew };
inline constexpr unsigned kExtrasSemanticShift = 1, kExtrasLinkShift = 3;

// A line where it lies; valid as long as its bytes.
struct PackedLine {
  std::uint8_t flags = 0;
  std::uint32_t cells = 0;
  std::uint32_t rows = 1;  // as pushed
  std::string_view text, pens;

  RowMark mark() const { return static_cast<RowMark>(flags & kLineMarkMask); }
  bool is_unfinished() const { return flags & kLineUnfinished; }
};

// A pen by value.
struct PackedPen {
  Style style;
  std::uint32_t link = 0;  // number of the link in its line, from 1; 0 = none
  bool is_protected = false;
  Semantic semantic = Semantic::output;
  friend bool operator==(const PackedPen&, const PackedPen&) = default;
};

// Collects rows until their line ends.
class LinePacker {
 public:
  // Appends a row. The first row's mark becomes the line's.
  void append(const RowView& row, const Tables& tables);
  // A row without cells, which is not wrapped, from its text as it comes: begin_row, then its characters and gaps.
  void begin_row() { rows_ = 1; }
  struct Text {
    std::string_view bytes;  // UTF-8 of characters of U+0020 on, each as wide as the Unicode table has it
    std::uint32_t cells = 0;
    bool is_ascii = false, has_wide = false;
  };
  void append(const Text& text, const PackedPen& pen);
  void append_gap(std::uint32_t cells);
  // The last character, of that many bytes and cells, is now this cluster.
  void make_cluster(std::size_t bytes, std::uint32_t cells, Cell cluster, const Tables& tables);
  std::size_t text_bytes() const { return text_.size(); }
  // Goes on with a line that was packed before.
  void load(const PackedLine& line);
  void clear();

  bool empty() const { return rows_ == 0; }
  std::size_t memory_bytes() const;

  // The line so far, as if read from bytes; valid until the next change.
  PackedLine line(bool unfinished);

 private:
  struct KnownLink {
    std::size_t hash;
    std::uint32_t at, length;  // its definition in pens_
  };

  std::size_t pack_plain(const Cell* cells, std::size_t n, const Tables& tables);
  std::size_t pack_text(const Cell* cells, std::size_t n, const Tables& tables);
  std::size_t pack_item(const Cell* cells, std::size_t n, const Tables& tables);
  std::size_t put_item(const Cell* cells, std::size_t n, const Tables& tables);
  void put_code_points(Cell cell, const Tables& tables);
  void set_pen(std::uint64_t bits, const Tables& tables);
  void set_pen(const PackedPen& pen);
  void close_run();
  char* put_run(char* out) const;
  char* put_extras(char* out) const;
  std::uint32_t link_number(const Link& link);

  TextEncoder encode_text_ = text_encoder();
  std::string text_, pens_;
  std::uint32_t cells_ = 0, rows_ = 0;
  RowMark mark_ = RowMark::none;
  bool is_plain_ = true, has_wide_ = false;

  std::uint64_t pen_bits_ = 0;   // of the row being appended; says nothing across rows, as ids may be remapped
  PackedPen pen_, written_pen_;  // of the open run; of the run written last
  std::uint32_t run_cells_ = 0;  // of the open run
  std::vector<KnownLink> links_;
  std::string new_link_;  // the definition of the newest link, until its run is written
};

inline constexpr std::size_t kLineHeadBytesMax = 21;  // flags and four varints
// Writes a line of one row with that many cells (line_cells) straight to `out`, which has room for the head and a byte
// a cell. Returns the end; null if the row is not plain text in the default pen: then it takes a LinePacker.
char* write_plain_row(const RowView& row, std::size_t cells, char* out);
// The most bytes that write_line takes for this line.
std::size_t line_bytes_max(const PackedLine& line);
// Writes the line with its header to `out`; returns the end.
char* write_line(const PackedLine& line, char* out);

}  // namespace holdfast::vt
