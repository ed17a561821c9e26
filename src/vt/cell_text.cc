#include "vt/cell_text.h"

#include <charconv>

namespace holdfast::vt {

void append_utf8(std::string& out, char32_t cp) {
  if (cp < 0x80) {
    out += static_cast<char>(cp);
  } else if (cp < 0x800) {
    out += {static_cast<char>(0xc0 | cp >> 6), static_cast<char>(0x80 | (cp & 0x3f))};
  } else if (cp < 0x10000) {
    out += {static_cast<char>(0xe0 | cp >> 12), static_cast<char>(0x80 | (cp >> 6 & 0x3f)),
            static_cast<char>(0x80 | (cp & 0x3f))};
  } else {
    out += {static_cast<char>(0xf0 | cp >> 18), static_cast<char>(0x80 | (cp >> 12 & 0x3f)),
            static_cast<char>(0x80 | (cp >> 6 & 0x3f)), static_cast<char>(0x80 | (cp & 0x3f))};
  }
}

void append_number(std::string& out, std::uint64_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void append_cell_text(std::string& out, Cell cell, const Tables& tables) {
  if (!cell.is_written() || cell.kind() == CellKind::wide_tail) return;
  if (!cell.is_cluster()) return append_utf8(out, cell.text());
  for (const char32_t cp : tables.clusters[cell.text()]) append_utf8(out, cp);
}

std::size_t touched_columns(const RowView& row) {
  std::size_t n = row.cells.size();
  while (n > 0 && is_untouched(row.cells[n - 1]) && row.cells[n - 1].kind() == CellKind::narrow) --n;
  return n;
}

}  // namespace holdfast::vt
