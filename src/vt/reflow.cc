#include "vt/reflow.h"

#include <algorithm>
#include <deque>

#include "vt/row_cut.h"

namespace holdfast::vt {
namespace {

// A line of the screen or of history while its rows are made anew.
struct Line {
  std::vector<Cell> cells;
  RowMark mark = RowMark::none;
  bool goes_on = false;  // a piece of a line longer than history keeps in one: the next Line continues it
};

// A row-to-be: cells [from, cut.end) of a line.
struct LineRow {
  const Line* line;
  std::size_t from;
  RowCut cut;

  RowFlags flags() const {
    const bool is_last = cut.end >= line->cells.size();
    return {!is_last || line->goes_on, from == 0 ? line->mark : RowMark::none};
  }
  std::span<const Cell> cells() const { return std::span(line->cells).subspan(from, cut.end - from); }
};

template <typename F>
void each_cut(const Line& line, int cols, F&& f) {
  std::size_t from = 0;
  do {
    const LineRow row{&line, from, next_cut(line.cells, from, static_cast<std::size_t>(cols))};
    f(row);
    from = row.cut.end;
  } while (from < line.cells.size());
}

std::size_t rows_of(const Line& line, int cols) {
  std::size_t rows = 0;
  each_cut(line, cols, [&](const LineRow&) { ++rows; });
  return rows;
}

void note_contents(Row& row) {
  for (const Cell cell : row.view().cells) {
    row.has_wide |= cell.kind() != CellKind::narrow;
    row.has_cluster |= cell.is_cluster();
  }
}

void put_row(const LineRow& from, Row& to) {
  const auto cells = from.cells();
  to.flags = from.flags();
  if (from.cut.lost_wide) {
    to.cells[0] = {};
    to.used = 1;
    return;
  }
  std::copy(cells.begin(), cells.end(), to.cells);
  to.used = static_cast<std::uint16_t>(cells.size());
  if (from.cut.spacer) to.cells[to.used++] = spacer_before(from.line->cells, from.cut.end);
  note_contents(to);
}

// A row that the next one continues has all its columns, also those never written.
RowView full_view(const Grid& grid, int y) {
  const Row& row = grid.row(y);
  const auto n = row.flags.wrapped ? static_cast<std::size_t>(grid.cols()) : row.used;
  return {{row.cells, n}, row.flags};
}

bool has_text(const Row& row) {
  return std::ranges::any_of(row.view().cells, [](Cell cell) { return cell.is_written(); });
}

// The live and the saved cursor: what follows the text, and holds its row.
struct Cursors {
  Cursor* live;
  Cursor* saved;  // or null

  explicit Cursors(ScreenState& screen) : live(&screen.cursor), saved(screen.saved ? &screen.saved->cursor : nullptr) {
    each([&](Cursor& c) {
      c.x = std::clamp(c.x, 0, screen.grid.cols() - 1);
      c.y = std::clamp(c.y, 0, screen.grid.rows() - 1);
    });
  }
  template <typename F>
  void each(F&& f) {
    f(*live);
    if (saved) f(*saved);
  }
  int lowest() const { return saved ? std::max(live->y, saved->y) : live->y; }
  // Rows at the top went away. A cursor that stood on one of them stands at the top left now.
  void move_up(int rows) {
    each([&](Cursor& c) { c = c.y < rows ? Cursor{} : Cursor{c.x, c.y - rows, c.pending_wrap}; });
  }
};

// Behind the last column, the next character wraps; with columns to its right, it goes there.
void settle_pending_wrap(Cursor& cursor, int cols) {
  if (!cursor.pending_wrap || cursor.x >= cols - 1) return;
  cursor.pending_wrap = false;
  ++cursor.x;
}

// The last row of the screen that an image stands on; -1 = none.
int lowest_image(const ScreenState& screen) {
  std::int64_t lowest = -1;
  for (const Placement& p : screen.graphics.placements) {
    if (p.anchor == Placement::Anchor::cell) lowest = std::max({lowest, std::int64_t{p.y}, p.below() - 1});
  }
  return static_cast<int>(std::min<std::int64_t>(lowest, screen.grid.rows() - 1));
}

// Rows without text at the bottom that can go, because no cursor is there: at most `most`.
int spare_rows_below(const Grid& grid, int lowest, int most) {
  int n = 0;
  while (n < most && grid.rows() - 1 - n > lowest && !has_text(grid.row(grid.rows() - 1 - n))) ++n;
  return n;
}

void copy_row(const Row& from, Row& to, int cols) {
  to.used = static_cast<std::uint16_t>(std::min<int>(from.used, cols));
  std::copy_n(from.cells, to.used, to.cells);
  to.flags = from.flags;
  to.has_wide = from.has_wide;
  to.has_cluster = from.has_cluster;
}

// Gives the grid `rows` rows: those from `first` on, moved down by `down`.
void replace_rows(Grid& grid, int rows, int first, int down) {
  Grid next(grid.cols(), rows);
  for (int y = down; y < rows && first + y - down < grid.rows(); ++y) {
    copy_row(grid.row(first + y - down), next.row(y), grid.cols());
  }
  grid = std::move(next);
}

void take_rows_away(ScreenState& screen, int rows, History* history, const Tables* tables) {
  Cursors cursors(screen);
  const int surplus = screen.grid.rows() - rows;
  const int lowest = std::max(cursors.lowest(), lowest_image(screen));
  const int top = surplus - spare_rows_below(screen.grid, lowest, surplus);
  for (int y = 0; history && y < top; ++y) history->push(full_view(screen.grid, y), *tables);
  replace_rows(screen.grid, rows, top, 0);
  screen.grid.row(rows - 1).flags.wrapped = false;  // the blank row that it went on in is gone
  cursors.move_up(top);
  screen.graphics.scroll_screen(top, rows, history ? history->limits().rows : 0);
}

// Takes lines back from history until they make `wanted` rows, or there are none left; in front of `lines`.
// Returns how many rows they make.
std::size_t pull_lines(std::deque<Line>& lines, std::size_t wanted, History& history, Tables& tables, int cols) {
  std::size_t rows = 0;
  while (rows < wanted) {
    Line line;
    line.goes_on = history.is_open();
    if (!history.pop_line(line.cells, line.mark, tables)) break;
    rows += rows_of(line, cols);
    lines.push_front(std::move(line));
  }
  return rows;
}

std::vector<LineRow> cut_lines(const std::deque<Line>& lines, int cols) {
  std::vector<LineRow> rows;
  for (const Line& line : lines) each_cut(line, cols, [&](const LineRow& row) { rows.push_back(row); });
  return rows;
}

void push_rows(History& history, const Tables& tables, std::span<const LineRow> rows) {
  for (const LineRow& row : rows) history.push({row.cells(), row.flags()}, tables);
}

// The spacer at the end of a row that came back from an open line: history has no spacers, the wide character is below.
void restore_spacer(Row& row, const Row& below, int cols) {
  if (!row.flags.wrapped || row.used != cols - 1 || below.used == 0 || below.cells[0].kind() != CellKind::wide) return;
  row.cells[row.used++] = spacer_before(below.view().cells, 0);
  row.has_wide = true;
}

// Rows come back from history only if the cursor is on the last row: else the screen's text would move under it.
void add_rows(ScreenState& screen, int rows, History& history, Tables& tables) {
  Grid& grid = screen.grid;
  std::deque<Line> lines;
  const auto wanted = static_cast<std::size_t>(rows - grid.rows());
  if (screen.cursor.y == grid.rows() - 1) pull_lines(lines, wanted, history, tables, grid.cols());
  const std::vector<LineRow> pulled = cut_lines(lines, grid.cols());
  const std::size_t used = std::min(pulled.size(), wanted);
  push_rows(history, tables, std::span(pulled).first(pulled.size() - used));
  replace_rows(grid, rows, 0, static_cast<int>(used));
  for (std::size_t i = 0; i < used; ++i) put_row(pulled[pulled.size() - used + i], grid.row(static_cast<int>(i)));
  if (used > 0) restore_spacer(grid.row(static_cast<int>(used) - 1), grid.row(static_cast<int>(used)), grid.cols());
  Cursors(screen).each([&](Cursor& c) { c.y += static_cast<int>(used); });
  screen.graphics.scroll_screen(-static_cast<int>(used), rows, history.limits().rows);
}

// Changes the width of the primary screen: joins its rows into lines, cuts them anew, and decides which of the new
// rows are the screen. The number of rows stays.
class ColumnReflow {
 public:
  ColumnReflow(ScreenState& screen, History& history, Tables& tables, int cols)
      : screen_(screen), history_(history), tables_(tables), cols_(cols), cursors_(screen) {
    screen.graphics.forget_above();
    for (const Placement& p : screen.graphics.placements) {
      if (p.anchor == Placement::Anchor::cell) images_.push_back({p.x, p.y, false});
    }
    places_.resize(2 + images_.size());
  }

  void run() {
    join_rows();
    drop_blank_lines();
    pull();
    const std::vector<LineRow> rows = cut_lines(lines_, cols_);
    each_anchor([&](Cursor& c, const Place& place) { place_cursor(c, place, rows); });
    const std::size_t top = top_row(rows);
    push_rows(history_, tables_, std::span(rows).first(top));
    Grid next(cols_, screen_.grid.rows());
    for (std::size_t y = top; y < rows.size(); ++y) put_row(rows[y], next.row(static_cast<int>(y - top)));
    screen_.grid = std::move(next);
    cursors_.move_up(static_cast<int>(top));
    move_images();
    screen_.graphics.scroll_screen(static_cast<int>(top), screen_.grid.rows(), history_.limits().rows);
  }

 private:
  // Where a cursor stands in the text. An offset beyond the text is one beyond its line's last row.
  struct Place {
    std::size_t line = 0, offset = 0;
  };
  // The cursors, and the upper left cells of images.
  template <typename F>
  void each_anchor(F&& f) {
    f(*cursors_.live, places_[0]);
    if (cursors_.saved) f(*cursors_.saved, places_[1]);
    for (std::size_t i = 0; i < images_.size(); ++i) f(images_[i], places_[2 + i]);
  }
  void move_images() {
    auto from = images_.begin();
    for (Placement& p : screen_.graphics.placements) {
      if (p.anchor != Placement::Anchor::cell) continue;
      p.x = from->x;
      p.y = from->y;
      ++from;
    }
  }

  void join_rows() {
    const Grid& grid = screen_.grid;
    bool continues = history_.is_open();
    if (continues) pull_lines(lines_, 1, history_, tables_, cols_);
    if (continues) lines_.back().goes_on = false;
    for (int y = 0; y < grid.rows(); ++y) {
      if (!continues)
        lines_.push_back({{}, grid.row(y).flags.mark});
      else if (y <= cursors_.live->y)
        ++wraps_before_;
      RowView view = full_view(grid, y);
      view.flags.wrapped &= y + 1 < grid.rows();
      Line& line = lines_.back();
      each_anchor([&](const Cursor& c, Place& place) {
        if (c.y == y) place = {lines_.size() - 1, line.cells.size() + static_cast<std::size_t>(c.x)};
      });
      line.cells.insert(line.cells.end(), view.cells.begin(),
                        view.cells.begin() + static_cast<std::ptrdiff_t>(line_cells(view)));
      continues = view.flags.wrapped;
    }
  }

  // Blank lines below everything are not text: as many rows as are needed are added again.
  void drop_blank_lines() {
    std::size_t needed = 0;
    each_anchor([&](const Cursor&, const Place& place) { needed = std::max(needed, place.line + 1); });
    while (lines_.size() > needed && lines_.back().cells.empty()) lines_.pop_back();
  }

  // If the lines make fewer rows than the screen has, history fills it up from above.
  void pull() {
    std::size_t rows = 0;
    for (const Line& line : lines_) rows += rows_of(line, cols_);
    const auto height = static_cast<std::size_t>(screen_.grid.rows());
    if (rows >= height) return;
    const std::size_t before = lines_.size();
    pull_lines(lines_, height - rows, history_, tables_, cols_);
    for (Place& place : places_) place.line += lines_.size() - before;
  }

  // Column in the new width, row among all new rows.
  void place_cursor(Cursor& cursor, const Place& place, const std::vector<LineRow>& rows) {
    const Line* line = &lines_[place.line];
    const auto first = std::ranges::find(rows, line, &LineRow::line);
    auto row = first;
    while (row + 1 != rows.end() && (row + 1)->line == line && (row + 1)->from <= place.offset) ++row;
    cursor.y = static_cast<int>(row - rows.begin());
    cursor.x = static_cast<int>(std::min(place.offset - row->from, static_cast<std::size_t>(cols_ - 1)));
    settle_pending_wrap(cursor, cols_);
  }

  // The first row of the screen. There are as many rows below the cursor as before, less those that its text now takes
  // more: what was blank below it stays blank, and does not pull its line down.
  std::size_t top_row(const std::vector<LineRow>& rows) const {
    const auto height = static_cast<std::size_t>(screen_.grid.rows());
    const auto cursor = static_cast<std::size_t>(cursors_.live->y);
    const std::size_t top = rows.size() > height ? rows.size() - height : 0;
    std::size_t wraps = 0;
    for (std::size_t y = top; y <= cursor; ++y) wraps += y == 0 ? history_.is_open() : rows[y - 1].flags().wrapped;
    const std::size_t more = wraps > wraps_before_ ? wraps - wraps_before_ : 0;
    const std::size_t below = rows_below_ > more ? rows_below_ - more : 0;
    const std::size_t needed = std::max(rows.size(), cursor + 1 + below);
    return needed > height ? needed - height : 0;
  }

  ScreenState& screen_;
  History& history_;
  Tables& tables_;
  const int cols_;
  Cursors cursors_;
  std::deque<Line> lines_;
  std::vector<Cursor> images_;  // where those on the screen stand
  std::vector<Place> places_;   // of the live and the saved cursor, then of the images
  std::size_t wraps_before_ = 0;  // continued rows from the top to the cursor
  const std::size_t rows_below_ = static_cast<std::size_t>(screen_.grid.rows() - 1 - screen_.cursor.y);
};

// Cuts or pads the columns of a screen that does not reflow.
void change_columns(ScreenState& screen, int cols) {
  Cursors cursors(screen);
  Grid next(cols, screen.grid.rows());
  const bool is_wider = cols > screen.grid.cols();
  for (int y = 0; y < next.rows(); ++y) {
    Row& row = next.row(y);
    copy_row(screen.grid.row(y), row, cols);
    // A wide character that lost its right half, or a spacer away from the edge, would be half a character.
    Cell& last = row.cells[std::min(cols, screen.grid.cols()) - 1];
    if (last.kind() == (is_wider ? CellKind::wrap_spacer : CellKind::wide)) last = {};
    row.flags.wrapped &= !is_wider && (last.bits & kCellContents) != 0;
  }
  screen.grid = std::move(next);
  cursors.each([&](Cursor& c) {
    c.x = std::min(c.x, cols - 1);
    settle_pending_wrap(c, cols);
  });
  for (Placement& p : screen.graphics.placements) p.x = std::min(p.x, cols - 1);
}

}  // namespace

void reflow_primary(ScreenState& screen, History& history, Tables& tables, int cols, int rows) {
  // Wider: first the columns, so that lines which join make room. Narrower: first the rows, while there are fewest.
  if (cols > screen.grid.cols()) ColumnReflow(screen, history, tables, cols).run();
  if (rows < screen.grid.rows()) take_rows_away(screen, rows, &history, &tables);
  if (rows > screen.grid.rows()) add_rows(screen, rows, history, tables);
  if (cols < screen.grid.cols()) ColumnReflow(screen, history, tables, cols).run();
}

void resize_alternate(ScreenState& screen, int cols, int rows) {
  if (rows < screen.grid.rows()) take_rows_away(screen, rows, nullptr, nullptr);
  if (rows > screen.grid.rows()) replace_rows(screen.grid, rows, 0, 0);
  if (cols != screen.grid.cols()) change_columns(screen, cols);
}

}  // namespace holdfast::vt
