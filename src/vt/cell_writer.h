// CellWriter: draws cells on a terminal whose pen it knows.
//
// It tracks what it has set (style, link, protection, semantic, clustering) and says only what changes. It expects a
// neutral terminal: margins full, autowrap on, insert off, ASCII charsets, mode 2027 off. It moves the cursor only
// forward within the row it draws; where rows start is the caller's affair. It never scrolls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "vt/grid.h"
#include "vt/restore_rule.h"
#include "vt/state.h"

namespace holdfast::vt {

class CellWriter {
 public:
  // Appends to `out`, which must outlive it. `screen_rows`: of the terminal that is drawn on.
  CellWriter(const Tables& tables, int screen_rows, std::string& out)
      : tables_(tables), screen_rows_(screen_rows), out_(out) {}

  // The terminal was neutralised: default pen.
  void assume_neutral();
  // Draws on a screen whose erases respect this kind of protection.
  void begin_screen(Protection protection);

  void assume_style(const Style& style) { style_ = style; }
  // DECRC brought a pen back: with it come style and protection.
  void assume_recalled(const Pen& pen) {
    style_ = pen.style;
    is_protected_ = pen.is_protected;
  }

  void set_style(const Style& style);
  void set_link(std::uint16_t link);
  void set_protected(bool on);
  void set_semantic(Semantic semantic);
  void set_pen(const Pen& pen);
  void set_clustering(bool on);  // mode 2027

  // How a row begins. The first is where the caller puts it; the others say what the row above, which goes on in this
  // one, ends in: only printing one more character makes terminals join the two.
  enum class Start : std::uint8_t {
    positioned,    // the cursor stands at its first column
    after_text,    // behind the last column of the row above, with a wrap pending
    after_spacer,  // on that column, which the wide character that comes next leaves blank
    after_blank,   // on that column, which is blank: its wide character is gone
  };
  // Draws the row and says how the next one begins (positioned: the caller moves there).
  Start row(const RowView& row, int cols, Start start);
  // Whether rows drawn since the last call needed DECSC: what the terminal has saved is of no use then.
  bool take_saved() { return std::exchange(has_saved_, false); }
  // Prints the cell where the cursor stands, which must be its first column. A blank is printed as a space.
  void cell(Cell cell, Place place);
  // In a single column: the blank, with a wrap pending, that stands for a wide character.
  void blank_for_wide(Cell cell);
  // Gives an id to every implicit link that had to be opened more than once, so that its parts stay one link. To be
  // called once, when all is drawn: `index`, a place in `out`, moves with what is inserted before it.
  void name_split_links(std::size_t* index);

 private:
  void mark(RowMark mark);
  std::size_t ascii_run(const RowView& row, std::size_t x, std::size_t used);
  void force_wrap(Start start);
  Start end_of(const RowView& row, std::size_t width);
  void gap(std::size_t columns, bool to_end);
  void blank_run(std::uint16_t style, std::size_t columns, bool to_end);
  void text(Cell cell, Place place);
  void cluster(Cell cell, Place place);
  std::size_t blanks(const RowView& row, std::size_t x, std::size_t used, std::size_t width);
  void settle_column(std::size_t x, Cell next);
  void csi(std::size_t number, char final);

  const Tables& tables_;
  int screen_rows_;
  std::string& out_;
  Style style_;
  std::uint16_t link_ = 0;
  Protection protection_ = Protection::dec;
  bool is_protected_ = false, clustering_ = false;
  Semantic semantic_ = Semantic::output;
  // Terminals may disagree about the width of what was drawn last: the column must be set again. A run of characters
  // that are narrow almost everywhere (box drawing, accented letters) is settled once, at its end.
  enum class Column : std::uint8_t { sure, unsure_narrow, unsure } column_ = Column::sure;
  Style last_blank_;  // what the blank of `after_blank` looks like
  bool has_saved_ = false;
  bool must_erase_gaps_ = false;  // something uncertain may have left marks to the right
  struct Opening {
    std::size_t id_at;  // in out_: where the id goes
    bool is_split = false;
  };
  std::map<std::uint16_t, Opening> implicit_links_;
};

}  // namespace holdfast::vt
