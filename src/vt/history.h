// History: what scrolled off the primary screen, packed.
//
// Stored as logical lines (soft-wrapped rows joined), so a resize costs nothing here: rows are cut at the current width
// when somebody reads them. A line is UTF-8 text with escapes for gaps of unwritten cells, plus runs of pens by value
// (packed_line.h), so it needs no table of the Terminal; lines sit in blocks of at most 64 KiB that can be dropped,
// copied or written out alone. It knows nothing of cursors and screens.
//
// Bounded by rows and by bytes, whichever comes first; the oldest whole blocks go. Blocks are recycled, because fresh
// pages cost more than packing does. Rows beyond the limit stay hidden until their block goes; they show again if
// newer rows are taken back.
//
// A line that does not end is cut into pieces of about 48 KiB, between two rows as they were pushed. At another width
// the last row of a piece may be short; it still counts as wrapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "vt/packed_line.h"
#include "vt/row.h"
#include "vt/tables.h"

namespace holdfast::vt {

struct HistoryLimits {
  std::uint32_t rows = 10'000;   // rows as they were pushed; 0 = keep nothing
  std::size_t bytes = 64u << 20;  // of packed blocks
};

class History {
 public:
  explicit History(HistoryLimits limits);
  History(History&&) noexcept;
  History& operator=(History&&) noexcept;
  ~History();

  // Appends a row that leaves the screen at its top. With flags.wrapped the line stays open and the next row pushed
  // continues it: then give all columns of the row, also unwritten ones. Else trailing unwritten default cells are not
  // stored. A wrap_spacer at the end is dropped. The mark of a line is that of its first row.
  void push(const RowView& row, const Tables& tables);

  // Appends a line of one row that was packed elsewhere, as LinePacker does. No line may be open.
  void push_line(const PackedLine& line);

  // The newest line is continued by the first row of the screen.
  bool is_open() const;
  void close_line();  // ends an open line: the join was broken

  // Takes the newest line back as cells (interned into `tables`), for rows that grow or reflow. False when empty.
  // If a table is full, the cells get id 0 of it: text is never lost.
  bool pop_line(std::vector<Cell>& cells, RowMark& mark, Tables& tables);

  void clear();
  const HistoryLimits& limits() const;

  bool empty() const;
  std::size_t lines() const;         // lines held, pieces counted one by one
  std::size_t bytes() const;         // memory of blocks, for accounting
  // Rows held when cut at `cols` columns, at most limits().rows. Costs a walk over line headers; over the text only of
  // lines with two-column characters.
  std::size_t rows_at(int cols) const;

  // Calls `f` for the last `rows` rows (or all) cut at `cols`, oldest first; row views are valid during the call only.
  // Cells refer to `tables`, into which styles, clusters and links are interned. Wide characters are never split: the
  // row before gets a wrap_spacer with their pen, and at one column a blank stands for them. The last row has
  // flags.wrapped if the line is open.
  void each_row(int cols, std::size_t rows, Tables& tables, const std::function<void(const RowView&)>& f) const;

  // For the snapshot: blocks as they are, oldest first, and back. `restore_block` checks everything it is given
  // (hostile input) and appends it to what is there; error: malformed block, and nothing is changed.
  void each_block(const std::function<void(std::string_view)>& f) const;
  Result<> restore_block(std::string_view bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::vt
