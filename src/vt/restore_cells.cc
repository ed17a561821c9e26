// Rows, styles and links as bytes.
#include "vt/cell_text.h"
#include "vt/cell_writer.h"
#include "vt/unicode.h"

namespace holdfast::vt {
namespace {

// Ghostty drops a sequence of more than 24 parameters, and counts the parts of 4:3 too.
constexpr int kSgrParametersMax = 16;

class Sgr {
 public:
  explicit Sgr(std::string& out) : out_(out) {}
  void add(std::string_view words, int parameters = 1) {
    if (count_ > 0 && count_ + parameters > kSgrParametersMax) finish();
    out_ += count_ == 0 ? "\x1b[" : ";";
    out_ += words;
    count_ += parameters;
  }
  void finish() {
    if (count_ > 0) out_ += 'm';
    count_ = 0;
  }

 private:
  std::string& out_;
  int count_ = 0;
};

struct AttributeCode {
  std::uint32_t bit;
  std::string_view on;
};
constexpr AttributeCode kAttributeCodes[] = {
    {kBold, "1"},    {kFaint, "2"},  {kItalic, "3"}, {kBlink, "5"},     {kRapidBlink, "6"},
    {kInverse, "7"}, {kHidden, "8"}, {kStrike, "9"}, {kOverline, "53"},
};
constexpr std::string_view kUnderlineCodes[] = {"24", "4", "21", "4:3", "4:4", "4:5"};

std::string numbers(std::string_view start, std::initializer_list<unsigned> values, char separator) {
  std::string text(start);
  for (const unsigned value : values) {
    text += separator;
    append_number(text, value);
  }
  return text;
}

void add_rgb(Sgr& sgr, std::string_view start, Color color, char separator) {
  const std::uint32_t v = color.value;
  sgr.add(numbers(start, {v >> 16 & 0xff, v >> 8 & 0xff, v & 0xff}, separator), 6);
}

// `base` is 30 or 40. The first 16 colours have short forms that every terminal knows.
void add_color(Sgr& sgr, Color color, unsigned base) {
  const unsigned index = color.value & 0xff;
  if (color.is_default()) return sgr.add(numbers("", {}, ';') + std::to_string(base + 9));
  if (color.is_rgb()) return add_rgb(sgr, base == 30 ? "38;2" : "48;2", color, ';');
  if (index < 8) return sgr.add(std::to_string(base + index));
  if (index < 16) return sgr.add(std::to_string(base + 60 + index - 8));
  sgr.add(numbers(base == 30 ? "38;5" : "48;5", {index}, ';'), 3);
}

// With colons: a terminal that does not know it skips all of it, instead of taking the 2 for "faint".
void add_underline_color(Sgr& sgr, Color color) {
  if (color.is_default()) return sgr.add("59");
  if (color.is_rgb()) return add_rgb(sgr, "58:2:", color, ':');
  sgr.add(numbers("58:5", {color.value & 0xff}, ':'), 3);
}

std::string implicit_id(const Link& link) {
  std::string id = "id=" + std::string(kImplicitLinkPrefix);
  append_number(id, link.serial);
  return id;
}

}  // namespace

void CellWriter::assume_neutral() {
  style_ = Style{};
  link_ = 0;
  is_protected_ = clustering_ = false;
  semantic_ = Semantic::output;
  column_ = Column::sure;
}

void CellWriter::set_style(const Style& want) {
  if (want == style_) return;
  if (want == Style{}) {
    out_ += "\x1b[m";
    style_ = want;
    return;
  }
  Sgr sgr(out_);
  const bool loses_some = (style_.attributes & ~want.attributes & ~kUnderlineMask) != 0;
  if (loses_some) {
    sgr.add("0");
    style_ = Style{};
  }
  for (const AttributeCode& code : kAttributeCodes) {
    if (want.attributes & ~style_.attributes & code.bit) sgr.add(code.on);
  }
  if (want.underline() != style_.underline()) sgr.add(kUnderlineCodes[want.underline()], 2);
  if (want.foreground != style_.foreground) add_color(sgr, want.foreground, 30);
  if (want.background != style_.background) add_color(sgr, want.background, 40);
  if (want.underline_color != style_.underline_color) add_underline_color(sgr, want.underline_color);
  sgr.finish();
  style_ = want;
}

void CellWriter::set_link(std::uint16_t id) {
  if (id == link_) return;
  link_ = id;
  if (id == 0) {
    out_ += "\x1b]8;;\x1b\\";
    return;
  }
  const Link& link = tables_.links[id];
  out_ += "\x1b]8;";
  if (!link.id.empty()) {
    out_ += "id=";
    out_ += link.id;
  } else if (const auto [it, is_first] = implicit_links_.try_emplace(id, Opening{out_.size()}); !is_first) {
    it->second.is_split = true;
    out_ += implicit_id(link);
  }
  out_ += ';';
  out_ += link.uri;
  out_ += "\x1b\\";
}

void CellWriter::name_split_links(std::size_t* index) {
  std::map<std::size_t, std::uint16_t> inserts;
  for (const auto& [link, opening] : implicit_links_) {
    if (opening.is_split) inserts.emplace(opening.id_at, link);
  }
  implicit_links_.clear();
  if (inserts.empty()) return;
  std::string named;
  std::size_t copied = 0, moved_index = *index;
  for (const auto& [at, link] : inserts) {
    const std::string id = implicit_id(tables_.links[link]);
    named.append(out_, copied, at - copied).append(id);
    copied = at;
    if (at < *index) moved_index += id.size();
  }
  named.append(out_, copied);
  out_ = std::move(named);
  *index = moved_index;
}

// The kind of protection that erases respect is the one that was used last.
void CellWriter::begin_screen(Protection protection) {
  set_protected(false);
  protection_ = protection;
  if (protection == Protection::iso) out_ += "\x1bV\x1bW";
}

void CellWriter::set_protected(bool on) {
  if (on == is_protected_) return;
  is_protected_ = on;
  if (protection_ == Protection::iso)
    out_ += on ? "\x1bV" : "\x1bW";
  else
    out_ += on ? "\x1b[1\"q" : "\x1b[0\"q";
}

// P;k=r (a prompt at the right) says "prompt" without beginning one.
void CellWriter::set_semantic(Semantic semantic) {
  if (semantic == semantic_) return;
  semantic_ = semantic;
  out_ += semantic == Semantic::prompt  ? "\x1b]133;P;k=r\x1b\\"
          : semantic == Semantic::input ? "\x1b]133;B\x1b\\"
                                        : "\x1b]133;D\x1b\\";
}

void CellWriter::set_pen(const Pen& pen) {
  set_style(pen.style);
  set_link(pen.link);
  set_protected(pen.is_protected);
  set_semantic(pen.semantic);
}

void CellWriter::set_clustering(bool on) {
  if (on == clustering_) return;
  clustering_ = on;
  out_ += on ? "\x1b[?2027h" : "\x1b[?2027l";
}

// redraw=0: the shell that will redraw its prompt on a resize is the session's, not the client's own.
void CellWriter::mark(RowMark mark) {
  switch (mark) {
    case RowMark::none:
      return;
    case RowMark::prompt_start:
      out_ += "\x1b]133;A;redraw=0\x1b\\";
      semantic_ = Semantic::prompt;
      return;
    case RowMark::prompt_continuation:
      out_ += "\x1b]133;P;k=c\x1b\\";
      semantic_ = Semantic::prompt;
      return;
    case RowMark::command_output:
      out_ += "\x1b]133;C\x1b\\";
      semantic_ = Semantic::output;
      return;
  }
}

void CellWriter::csi(std::size_t number, char final) {
  out_ += "\x1b[";
  if (number != 1) append_number(out_, number);
  out_ += final;
}

CellWriter::Start CellWriter::row(const RowView& row, int cols, Start start) {
  column_ = Column::sure;
  must_erase_gaps_ = false;
  const std::size_t width = static_cast<std::size_t>(cols);
  const std::size_t used = touched_columns(row);
  const bool begins_with_text = used > 0 && row.cells[0].is_written();
  const bool begins_wide = begins_with_text && row.cells[0].kind() == CellKind::wide;
  const bool is_joined = start != Start::positioned;
  if (start == Start::after_blank || (start == Start::after_text && !begins_with_text) ||
      (start == Start::after_spacer && !begins_wide)) {
    force_wrap(start);
    start = Start::positioned;
  }
  // A blank row forgets its mark when it is painted, and before a wrap the cursor is still on the row above.
  const bool marks_first = start == Start::positioned && begins_with_text;
  if (marks_first) mark(row.flags.mark);
  for (std::size_t x = 0; x < used;) {
    const Cell cell = row.cells[x];
    if (cell.kind() == CellKind::wrap_spacer) break;
    const bool is_first_joined = x == 0 && start != Start::positioned;
    if (const std::size_t end = is_first_joined ? x : ascii_run(row, x, used); end > x) {
      x = end;
    } else if (cell.is_written()) {
      this->cell(cell, x + 1 == width ? Place::last_column : Place::within);
      const std::size_t next = x + (cell.kind() == CellKind::wide ? 2 : 1);
      if (x == 0 && start != Start::positioned && next < width && !style_.background.is_default()) {
        // Where the wrap scrolled, the new row took the background of this character.
        set_style(Style{});
        out_ += "\x1b[K";
      }
      x = next;
      if (x < used) settle_column(x, row.cells[x]);
    } else {
      // In two steps if the row is joined: erasing all of it would cut the join.
      x = blanks(row, x, is_joined && x == 0 && used > 1 ? used - 1 : used, width);
    }
  }
  if (must_erase_gaps_ && used < width) {
    settle_column(used, Cell{});
    set_style(Style{});
    out_ += "\x1b[K";
  }
  set_clustering(false);
  if (!marks_first) mark(row.flags.mark);
  return end_of(row, width);
}

// Most of what is on screens: ASCII of one style. Gives its end, or x if there is none here.
std::size_t CellWriter::ascii_run(const RowView& row, std::size_t x, std::size_t used) {
  const std::uint64_t pen = row.cells[x].bits & ~Cell::kTextMask;
  if ((pen & Cell::kCluster) || row.cells[x].kind() != CellKind::narrow) return x;
  std::size_t end = x;
  while (end < used && (row.cells[end].bits & ~Cell::kTextMask) == pen && row.cells[end].text() - 0x20 < 0x5f) ++end;
  if (end == x) return x;
  cell(row.cells[x], Place::within);
  const std::size_t at = out_.size();
  out_.resize(at + end - x - 1);
  for (std::size_t i = x + 1; i < end; ++i) out_[at + i - x - 1] = static_cast<char>(row.cells[i].text());
  if (end < used) settle_column(end, row.cells[end]);
  return end;
}

// Makes the terminal wrap and join the rows by a character that is erased again. In place of a blank last column only
// a wide one does that, as it does not fit there; erasing its first half gives the column the colour of the pen. Before
// that the row must not be the last one: what scrolls out with a spacer keeps it.
void CellWriter::force_wrap(Start start) {
  set_pen(Pen{});
  switch (start) {
    case Start::positioned:
      return;
    case Start::after_text:
      out_ += " \r";
      break;
    case Start::after_spacer:
      out_ += "\u3000\r";
      break;
    case Start::after_blank:
      out_ += "\n\x1b[A";
      set_style(last_blank_);
      out_ += "\u3000\r\x1b[X";
      set_style(Style{});
      break;
  }
  // In two steps: erasing all of a row would cut the join.
  out_ += "\x1b[X\x1b[C\x1b[K\r";
}

CellWriter::Start CellWriter::end_of(const RowView& row, std::size_t width) {
  if (!row.flags.wrapped) return Start::positioned;
  const Cell last = row.cells.size() == width ? row.cells[width - 1] : Cell{};
  if (last.kind() == CellKind::wrap_spacer) return Start::after_spacer;
  if (last.is_written() || last.kind() == CellKind::wide_tail) return Start::after_text;
  if (width == 1) {
    blank_for_wide(last);
    return Start::after_text;
  }
  last_blank_ = tables_.styles[last.style()];
  csi(width, 'G');
  if (screen_rows_ == 1) {
    // No room for what the blank needs. Where DECSC keeps a pending wrap, a space makes it and is erased again;
    // elsewhere the row is not joined.
    set_pen({last_blank_, 0, false, Semantic::output});
    out_ +=
        " \x1b"
        "7\x1b[X\x1b"
        "8";
    has_saved_ = true;
    return Start::after_text;
  }
  return Start::after_blank;
}

// Draws the run of equal unwritten cells that begins at x; gives its end.
std::size_t CellWriter::blanks(const RowView& row, std::size_t x, std::size_t used, std::size_t width) {
  const Cell first = row.cells[x];
  std::size_t end = x + 1;
  while (end < used && !row.cells[end].is_written() && row.cells[end].style() == first.style() &&
         row.cells[end].kind() == CellKind::narrow) {
    ++end;
  }
  const bool to_end = end == width;
  if (first.style() != 0)
    blank_run(first.style(), end - x, to_end);
  else
    gap(end - x, to_end);
  return end;
}

namespace {

bool is_plain_uncertain(Cell cell) {
  return cell.is_written() && !cell.is_cluster() && cell.kind() == CellKind::narrow &&
         code_point_info(cell.text()).contestable;
}

}  // namespace

void CellWriter::settle_column(std::size_t x, Cell next) {
  if (column_ == Column::sure || (column_ == Column::unsure_narrow && is_plain_uncertain(next))) return;
  csi(x + 1, 'G');
  column_ = Column::sure;
}

void CellWriter::gap(std::size_t columns, bool to_end) {
  if (must_erase_gaps_) {
    set_style(Style{});
    csi(columns, 'X');
  }
  if (!to_end) csi(columns, 'C');
}

void CellWriter::blank_run(std::uint16_t style, std::size_t columns, bool to_end) {
  set_style(tables_.styles[style]);
  if (to_end) {
    out_ += "\x1b[K";
    return;
  }
  csi(columns, 'X');
  csi(columns, 'C');
}

void CellWriter::blank_for_wide(Cell cell) {
  set_style(tables_.styles[cell.style()]);
  out_ += "\u3000";
}

void CellWriter::cell(Cell cell, Place place) {
  if (!cell.is_written()) {
    Style blank;
    blank.background = tables_.styles[cell.style()].background;
    set_pen({blank, 0, false, Semantic::output});
    out_ += ' ';
    return;
  }
  set_style(tables_.styles[cell.style()]);
  set_link(cell.link());
  set_protected(cell.is_protected());
  set_semantic(cell.semantic());
  text(cell, place);
}

void CellWriter::text(Cell cell, Place place) {
  if (cell.is_cluster()) return cluster(cell, place);
  set_clustering(false);
  const char32_t cp = cell.text();
  append_utf8(out_, cp);
  if (cp < 0x80 || !code_point_info(cp).contestable) return;
  column_ = is_plain_uncertain(cell) && column_ != Column::unsure ? Column::unsure_narrow : Column::unsure;
}

// With mode 2027 the first code point could join the character on its left: it comes before the mode is on.
void CellWriter::cluster(Cell cell, Place place) {
  const ClusterDrawing drawing = cluster_drawing(cell, place, tables_);
  const auto code_points = tables_.clusters[cell.text()];
  set_clustering(false);
  append_utf8(out_, drawing.is_in_part ? cluster_part(cell, tables_) : code_points[0]);
  if (drawing.is_squeezed) out_ += "\x1b[?7l";
  for (std::size_t i = 1; i < code_points.size() && !drawing.is_in_part; ++i) {
    set_clustering(drawing.is_clustered[i]);
    append_utf8(out_, code_points[i]);
  }
  if (drawing.is_squeezed) out_ += "\x1b[?7h";
  column_ = Column::unsure;
  must_erase_gaps_ = true;
}

}  // namespace holdfast::vt
