// For tests of history and reflow: rows made from text or from a seed, and cells compared by what they stand for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "vt/row.h"
#include "vt/tables.h"
#include "vt/unicode.h"

namespace holdfast::vt {

using Cells = std::vector<Cell>;

inline std::string hex_of(std::uint32_t value) {
  std::string text;
  do text.insert(text.begin(), "0123456789abcdef"[value & 15]);
  while (value >>= 4);
  return text;
}

// Everything a cell stands for, without the numbers of any table.
inline std::string meaning(Cell cell, const Tables& tables) {
  std::string text = std::to_string(static_cast<int>(cell.kind()));
  if (cell.is_cluster()) {
    for (const char32_t cp : tables.clusters[cell.text()]) text += '+' + hex_of(cp);
  } else {
    text += ':' + hex_of(cell.text());
  }
  const Style& style = tables.styles[cell.style()];
  for (const std::uint32_t part :
       {style.foreground.value, style.background.value, style.underline_color.value, style.attributes,
        std::uint32_t{cell.is_protected()}, static_cast<std::uint32_t>(cell.semantic())}) {
    text += ',' + hex_of(part);
  }
  const Link& link = tables.links[cell.link()];
  return text + ',' + link.id + ',' + link.uri + ',' + hex_of(link.serial);
}

inline std::vector<std::string> meanings(std::span<const Cell> cells, const Tables& tables) {
  std::vector<std::string> all;
  for (const Cell cell : cells) all.push_back(meaning(cell, tables));
  return all;
}

inline Cells cells_of(std::u32string_view text, std::uint64_t pen = 0) {
  Cells cells;
  for (const char32_t cp : text) {
    const bool wide = code_point_width(cp) == 2;
    cells.push_back(Cell{cp | pen | Cell::kind_bits(wide ? CellKind::wide : CellKind::narrow)});
    if (wide) cells.push_back(Cell{pen | Cell::kind_bits(CellKind::wide_tail)});
  }
  return cells;
}

// What a person sees: unwritten cells as '.', tails left out, a spacer as '>'.
inline std::string seen(std::span<const Cell> cells) {
  std::string text;
  for (const Cell cell : cells) {
    if (cell.kind() == CellKind::wide_tail) continue;
    if (cell.kind() == CellKind::wrap_spacer)
      text += '>';
    else if (!cell.is_written())
      text += '.';
    else
      text += cell.text() < 0x80 && !cell.is_cluster() ? static_cast<char>(cell.text()) : 'W';
  }
  return text;
}

struct OwnedRow {
  Cells cells;
  RowFlags flags;
  RowView view() const { return {cells, flags}; }
};

// Cuts a line as a terminal would print it: character by character.
inline std::vector<OwnedRow> cut_by_printing(const Cells& line, std::size_t cols) {
  std::vector<OwnedRow> rows(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool wide = line[i].kind() == CellKind::wide;
    constexpr std::uint64_t kContents = Cell::kTextMask | Cell::kCluster | 3ull << Cell::kKindShift;
    if (rows.back().cells.size() + (wide && cols > 1 ? 2 : 1) > cols) {
      if (rows.back().cells.size() < cols) {
        rows.back().cells.push_back(Cell{(line[i].bits & ~kContents) | Cell::kind_bits(CellKind::wrap_spacer)});
      }
      rows.back().flags.wrapped = true;
      rows.emplace_back();
    }
    if (wide && cols == 1) {
      rows.back().cells.push_back(Cell{});
      ++i;
      continue;
    }
    rows.back().cells.push_back(line[i]);
    if (wide) rows.back().cells.push_back(line[++i]);
  }
  return rows;
}

// Random lines of everything that a cell can hold.
class RandomLines {
 public:
  explicit RandomLines(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }

  Cells line(std::size_t cells_max, Tables& tables) {
    Cells line;
    const std::size_t length = below(cells_max + 1);
    while (line.size() < length) append_span(line, 1 + below(12), tables);
    while (!line.empty() && line.back().bits == 0) line.pop_back();
    return line;
  }

  std::uint64_t pen(Tables& tables) {
    if (below(3) == 0) return 0;
    Style style;
    style.foreground = color();
    style.background = color();
    style.underline_color = below(4) ? Color{} : color();
    style.attributes = below(2) ? 0 : random_() & 0x1ff;
    style.set_underline(below(6));
    const auto link =
        below(4) ? 0
                 : tables.links.intern({below(2) ? "" : "id" + std::to_string(below(3)),
                                        "http://h/" + std::to_string(below(5)), static_cast<std::uint32_t>(below(3))});
    return Cell::pen_bits(static_cast<std::uint16_t>(tables.styles.intern(style)), static_cast<std::uint16_t>(link),
                          below(5) == 0, static_cast<Semantic>(below(3)));
  }

 private:
  Color color() {
    switch (below(3)) {
      case 0:
        return {};
      case 1:
        return Color::palette(static_cast<std::uint8_t>(below(256)));
      default:
        return Color::rgb(static_cast<std::uint8_t>(below(256)), static_cast<std::uint8_t>(below(256)), 7);
    }
  }

  void append_span(Cells& line, std::size_t n, Tables& tables) {
    const std::uint64_t bits = pen(tables);
    const std::size_t what = below(8);
    for (std::size_t i = 0; i < n; ++i) {
      switch (what) {
        case 0:
          line.push_back(Cell{bits});
          break;  // a gap, or a background
        case 1:
          append(line, 0x4e00 + below(500), CellKind::wide, bits);
          break;
        case 2:
          append(line, 0xc0 + below(0x3000), CellKind::narrow, bits);
          break;
        case 3:
          append(line, 0x1f300 + below(300), below(2) ? CellKind::wide : CellKind::narrow, bits);
          break;
        case 4:
          append_cluster(line, bits, tables);
          break;
        default:
          append(line, 0x20 + below(0x5f), CellKind::narrow, bits);
          break;
      }
    }
  }

  void append(Cells& line, std::uint64_t text, CellKind kind, std::uint64_t bits) {
    line.push_back(Cell{text | bits | Cell::kind_bits(kind)});
    if (kind == CellKind::wide) line.push_back(Cell{bits | Cell::kind_bits(CellKind::wide_tail)});
  }

  void append_cluster(Cells& line, std::uint64_t bits, Tables& tables) {
    std::vector<char32_t> code_points{static_cast<char32_t>('a' + below(26))};
    for (std::size_t i = 0; i <= below(6); ++i) code_points.push_back(static_cast<char32_t>(0x300 + below(60)));
    append(line, tables.clusters.intern(code_points) | Cell::kCluster, below(2) ? CellKind::wide : CellKind::narrow,
           bits);
  }

  std::mt19937 random_;
};

}  // namespace holdfast::vt
