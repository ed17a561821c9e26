// Reading packed lines (packed_line.h). Nothing here trusts a length, a count or a number: a malformed line ends early.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "vt/packed_line.h"

namespace holdfast::vt {

// Bytes from outside, taken piece by piece. Every take fails when there is not enough left.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t at() const { return at_; }
  bool take_byte(std::uint8_t& value);
  bool take_varint(std::uint32_t& value);
  bool take_bytes(std::size_t count, std::string_view& value);
  bool take_code_point(char32_t& value);  // the shortest form of a scalar value (Unicode, Table 3-7)
  // Plain bytes from here on, at most; moves behind them.
  std::size_t skip_plain();

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

// What one item of the text stands for.
struct TextItem {
  std::uint32_t cells = 1;  // 2 for a wide character with its tail, n for a gap
  CellKind kind = CellKind::narrow;
  std::uint8_t count = 0;  // code points: 0 = unwritten; more than 1, or is_cluster: one cluster
  bool is_cluster = false;
  std::array<char32_t, ClusterTable::kCodePointsMax> code_points;
};

class TextReader {
 public:
  explicit TextReader(std::string_view text) : in_(text) {}
  // The next item; false at the end or when the text is malformed.
  bool next(TextItem& item);
  bool failed() const { return failed_; }
  bool at_end() const { return in_.at_end(); }
  std::size_t skip_plain() { return in_.skip_plain(); }

 private:
  bool read(TextItem& item);
  bool read_cluster(TextItem& item);
  bool read_odd(TextItem& item);

  ByteReader in_;
  bool failed_ = false;
};

// A link as its line defines it.
struct PackedLink {
  std::uint32_t serial = 0;
  std::string_view id, uri;
  std::string_view definition;  // all of its bytes
};

class PenReader {
 public:
  explicit PenReader(std::string_view pens) : bytes_(pens), in_(pens) {}
  // Goes to the next run; false at the end or when the pens are malformed.
  bool next();
  bool failed() const { return failed_; }

  std::uint32_t cells() const { return cells_; }
  const PackedPen& pen() const { return pen_; }
  const std::vector<PackedLink>& links() const { return links_; }  // those defined so far

 private:
  bool read_run();
  bool read_color(unsigned change, Color& color);
  bool read_extras();
  bool read_link();

  std::string_view bytes_;
  ByteReader in_;
  bool failed_ = false;
  std::uint32_t cells_ = 0;
  PackedPen pen_;
  std::vector<PackedLink> links_;
};

// Reads the line that starts at `at` and moves `at` behind it; false if the bytes there are not a line's frame.
bool read_line(std::string_view bytes, std::size_t& at, PackedLine& line);
// True if the text and the pens are well-formed, cover `cells` exactly, fit the flags, and hold nothing that would steer
// a terminal. Bytes from outside pass here before any other use.
bool is_well_formed(const PackedLine& line);
// The cells of the line. Styles, clusters and links are interned; what a full table cannot take is id 0, or the first
// code point of the cluster.
void unpack_line(const PackedLine& line, Tables& tables, std::vector<Cell>& cells);
// Rows of the line at this width, by the rule of row_cut.h. At least 1.
std::size_t count_rows(const PackedLine& line, int cols);

}  // namespace holdfast::vt
