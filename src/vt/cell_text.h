// The text of cells, and how rows are walked: what every formatter needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "vt/row.h"
#include "vt/tables.h"

namespace holdfast::vt {

void append_utf8(std::string& out, char32_t code_point);
void append_number(std::string& out, std::uint64_t number);
// The code points of a cell as UTF-8; nothing for an unwritten cell or the right half of a wide one.
void append_cell_text(std::string& out, Cell cell, const Tables& tables);

// A cell that nobody can tell from one that was never touched. What an erase leaves in its link, protection and
// semantic bits has no meaning: those belong to characters.
inline bool is_untouched(Cell cell) { return !cell.is_written() && cell.style() == 0; }

inline bool is_space(Cell cell) { return !cell.is_cluster() && cell.text() == ' '; }

// Columns of the row up to the last cell that is not untouched.
std::size_t touched_columns(const RowView& row);

// Restores give implicit links that must be opened more than once an id of this form, so that their parts stay one
// link; such an id counts as none when links are compared or shown.
inline constexpr std::string_view kImplicitLinkPrefix = "hold~";
inline bool is_implicit(const Link& link) {
  return link.id.empty() || std::string_view(link.id).substr(0, kImplicitLinkPrefix.size()) == kImplicitLinkPrefix;
}

}  // namespace holdfast::vt
