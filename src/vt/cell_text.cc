#include "vt/cell_text.h"

#include <charconv>

#include "vt/utf8.h"

namespace holdfast::vt {

void append_utf8(std::string& out, char32_t cp) {
  char bytes[kUtf8BytesMax];
  out.append(bytes, put_utf8(bytes, cp));
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
