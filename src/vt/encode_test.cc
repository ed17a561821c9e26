#include "vt/encode.h"

#include "vt/unicode.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace holdfast::vt {
namespace {

struct Row {
  std::vector<Cell> cells;
  std::uint64_t pen = 0;

  void add(char32_t cp, int width) {
    cells.push_back({cp | pen | Cell::kind_bits(width == 2 ? CellKind::wide : CellKind::narrow)});
    if (width == 2) cells.push_back({pen | Cell::kind_bits(CellKind::wide_tail)});
  }
  void add(char32_t cp) { add(cp, code_point_width(cp) == 2 ? 2 : 1); }
  void add(std::u32string_view text) {
    for (const char32_t cp : text) add(cp);
  }
};

struct Encoded {
  std::string bytes;
  std::size_t cells = 0;
  bool has_wide = false;
  friend bool operator==(const Encoded&, const Encoded&) = default;
};

Encoded encoded_by(TextEncoder encoder, const std::vector<Cell>& cells) {
  const std::size_t room = encoded_bytes_max(cells.size());
  std::string out(room + 1, '#');
  const EncodedText text = encoder(cells.data(), cells.size(), out.data());
  CHECK(out[room] == '#');
  return {out.substr(0, static_cast<std::size_t>(text.end - out.data())), text.cells, text.has_wide};
}

void check_alike(const std::vector<Cell>& cells) {
  const Encoded plain = encoded_by(encode_text_scalar, cells), fast = encoded_by(text_encoder(), cells);
  CHECK(fast.bytes == plain.bytes);
  CHECK(fast.cells == plain.cells);
  CHECK(fast.has_wide == plain.has_wide);
}

}  // namespace

TEST_CASE("cells come out as the UTF-8 they were printed from") {
  Row row;
  row.pen = Cell::pen_bits(3, 2, true, Semantic::input);
  row.add(U"aé─漢😀z");
  const Encoded text = encoded_by(text_encoder(), row.cells);
  CHECK(text.bytes == "aé─漢😀z");
  CHECK(text.cells == 8);
  CHECK(text.has_wide);
}

TEST_CASE("every code point is written, or refused, as the portable encoder does, narrow and wide") {
  for (char32_t cp = 0; cp <= Cell::kTextMask; ++cp) {
    for (const int width : {1, 2}) {
      Row row;
      row.add(U"ab");
      row.add(cp, width);
      row.add(U"cd");
      if (encoded_by(text_encoder(), row.cells) != encoded_by(encode_text_scalar, row.cells)) {
        FAIL("the code point " << std::uint32_t{cp});
      }
    }
  }
}

TEST_CASE("text ends where the pen changes, at what was never written, at a cluster, and at half a character") {
  const std::u32string_view before = U"日本語абвгд│xyz";
  const std::vector<Cell> stops = {
      {},
      {'x' | Cell::pen_bits(1, 0, false, Semantic::output)},
      {'x' | Cell::pen_bits(0, 1, false, Semantic::output)},
      {5 | Cell::kCluster},
      {5 | Cell::kCluster | Cell::kind_bits(CellKind::wide)},
      {Cell::kind_bits(CellKind::wide_tail)},
      {Cell::kind_bits(CellKind::wrap_spacer)},
      {U'字' | Cell::kind_bits(CellKind::wide)},  // its other half is not there
      {U'字'},                                    // against the table
  };
  for (std::size_t length = 1; length <= before.size(); ++length) {
    Row row;
    row.add(before.substr(0, length));
    const std::size_t whole = row.cells.size();
    for (const Cell stop : stops) {
      CAPTURE(length);
      CAPTURE(stop.bits);
      std::vector<Cell> cells = row.cells;
      cells.push_back(stop);
      check_alike(cells);
      CHECK(encoded_by(text_encoder(), cells).cells == whole);
      cells.insert(cells.end(), 9, Cell{'e'});
      check_alike(cells);
      CHECK(encoded_by(text_encoder(), cells).cells == whole);
    }
  }
}

TEST_CASE("mixed text is written as the portable encoder does, at every length") {
  std::mt19937 random(11);
  const std::u32string_view characters = U"ab é я │ 漢字 ひ 한 😀 🚀 ‖";
  for (int i = 0; i < 3000; ++i) {
    Row row;
    for (std::size_t n = random() % 40; row.cells.size() <= n;) row.add(characters[random() % characters.size()]);
    check_alike(row.cells);
  }
}

}  // namespace holdfast::vt
