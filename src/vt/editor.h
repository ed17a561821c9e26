// Editor: what the control functions do to a State's screens. Prints, erases, shifts, scrolls, moves, saves.
//
// Knows nothing of bytes, sequences or replies: coordinates and counts come in already parsed, zero-based and of any
// size (they are clamped here). Holds derived values of the State (pen as cell bits, "nothing special is on"), so that
// printing needs no look-up; whoever changes the State behind its back calls refresh().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vt/passing.h"
#include "vt/scan.h"
#include "vt/simple_text.h"
#include "vt/state.h"
#include "vt/unicode.h"

namespace holdfast::vt {

enum class Erase : std::uint8_t { normal, selective };    // selective: protected cells stay (DECSED, DECSEL, DECSERA)
enum class Extent : std::uint8_t { after, before, all };  // from the cursor on, up to and with it, everything

// A rectangle of cells, inclusive and clamped to the screen. Empty if right < left or bottom < top.
struct Rectangle {
  int top = 0, left = 0, bottom = -1, right = -1;
  bool is_empty() const { return bottom < top || right < left; }
};

class Editor {
 public:
  Editor(State& state, Profile profile);

  // Takes over what others changed in the State: active screen, pen, charsets, modes.
  void refresh();

  // print.cc
  void print_ascii(const char* text, std::size_t n);  // bytes 0x20-0x7e
  void print(char32_t cp);                            // no C0; DEL is one only in sets of 96 characters
  // Prints the leading characters of UTF-8 as far as each is whole and takes cells of its own, ASCII among them while it
  // is sparse. Returns where it stopped, which may be at once: then look closer at what stands there.
  const char* print_utf8(const char* p, const char* end);
  void repeat_last(int n);                            // REP
  // Must be called when charsets or insert mode change.
  void update_plain();

  // passing.cc: lines that are likely to leave the screen before the bytes at hand end. One that says false or null cannot
  // pass: it is dropped, and drawn as any other. The rows of those that stay have no cells until settle(): only text, SGR,
  // TAB, CR and LF may come before it.
  bool begin_passing();
  void begin_passing_line() { passing_.line = {}; }
  bool pass_ascii(std::string_view text);  // bytes 0x20-0x7e, at least one
  const char* pass_utf8(const char* p, const char* end);
  bool pass_tab();
  bool pass_erase_to_end() const;  // EL
  void save_passing_pen();         // before SGR
  void take_passing_pen();         // and behind it
  void drop_passing_line();
  bool end_passing_line();         // CR LF. False: the next line cannot pass
  void end_passing();
  void settle() {
    if (passing_.are_there) make_passing_rows();
  }

  // pen.cc
  Pen& change_pen();                 // for SGR, OSC 8, DECSCA, OSC 133
  void open_link(const Link& link);  // OSC 8; also gives the implicit ones their serial
  void compact_tables();

  // cursor.cc
  void move_to(int y, int x);  // CUP; relative to the margins with DECOM
  void move_to_column(int x);
  void move_to_row(int y);
  void move_by(int rows, int columns);  // VPR, HPR: margins count only with DECOM
  void move_up(int n);                  // the others stop at the margins
  void move_down(int n);
  void move_right(int n);
  void move_left(int n);  // with reverse wrap
  void carriage_return();
  void line_feed();  // LF, VT, FF; with LNM also CR
  void index();      // IND: down, scrolls at the bottom margin
  void reverse_index();
  void tab(int n);
  void tab_back(int n);
  void set_tab_stop();
  void clear_tab_stop();
  void reset_tab_stops(bool every_8);
  void save_cursor();
  void restore_cursor();
  void set_vertical_margins(int top, int bottom);  // inclusive; homes the cursor
  void set_horizontal_margins(int left, int right);
  void reset_margins();
  void move_past(std::uint32_t columns, std::uint32_t rows);  // an image that was placed at the cursor

  // erase.cc
  void erase_in_line(Extent extent, Erase kind);
  void erase_in_display(Extent extent, Erase kind);
  void erase_history();       // ED 3
  void scroll_out_display();  // ED 22: the screen moves into history
  void erase_characters(int n);
  void erase_rectangle(const Rectangle& area, Erase kind);
  void fill_rectangle(const Rectangle& area, char32_t cp);
  void copy_rectangle(const Rectangle& from, int top, int left);
  // As DECSACE has it: of the area, or of the stream of characters from its first corner to its last.
  void change_attributes(const Rectangle& area, std::uint32_t set, std::uint32_t clear, std::uint32_t toggle);
  void alignment_test();  // DECALN

  // scroll.cc
  void insert_characters(int n);
  void delete_characters(int n);
  void insert_lines(int n);
  void delete_lines(int n);
  void scroll_up(int n);  // SU: nothing goes to history
  void scroll_down(int n);
  void scroll_left(int n);  // SL
  void scroll_right(int n);
  void insert_columns(int n);  // DECIC
  void delete_columns(int n);
  void back_index();     // DECBI
  void forward_index();  // DECFI

  // screens.cc
  void switch_screen(Mode mode, bool on);  // ?47 ?1047 ?1049
  void soft_reset();                       // DECSTR
  void full_reset();                       // RIS
  void set_default_modes();
  void resize(const Size& size);

  State& state() { return state_; }
  Profile profile() const { return profile_; }
  Cursor& cursor() { return screen_->cursor; }
  Grid& grid() { return screen_->grid; }
  ScreenState& screen() { return *screen_; }
  int cols() const { return cols_; }
  int rows() const { return rows_; }

 private:
  enum class Join : std::uint8_t { cut, keep };  // does what scrolls in continue the last row?

  Row& row(int y) { return screen_->grid.row(y); }
  bool has_mode(Mode m) const { return state_.modes.get(m); }
  bool is_inside_margins() const;
  bool is_between_side_margins() const;
  bool has_full_width_margins() const { return state_.margins.left == 0 && state_.margins.right == cols_ - 1; }
  int right_limit() const { return screen_->cursor.x > state_.margins.right ? cols_ - 1 : state_.margins.right; }
  int left_limit() const { return screen_->cursor.x < state_.margins.left ? 0 : state_.margins.left; }

  // The pen as cell bits, and what an erased cell gets (only the background). Both are interned when first needed.
  std::uint64_t pen_bits() {
    if (pen_changed_) resolve_pen();
    return pen_bits_;
  }
  std::uint64_t blank_bits() {
    if (pen_changed_) resolve_pen();
    return blank_bits_;
  }
  void resolve_pen();
  std::uint16_t intern_style(const Style& style);
  bool may_compact();

  // print.cc
  void wrap();
  template <typename Put>
  void print_narrow(std::size_t n, Put&& put);
  SimpleText put_simple_here(const char* p, const char* end, int limit, std::uint64_t pen);
  void put_narrow(char32_t cp);
  void put_wide(char32_t cp);
  char32_t translate(char32_t cp);
  bool is_delete_a_character() const;
  void make_room(int width);
  // Blanks the halves of wide characters that writing [x0, x1) of row y would leave alone.
  void detach_halves(int y, int x0, int x1);
  void write_wide(std::uint64_t bits);
  bool wrap_would_join() const;
  // A spacer stands only before a wide character at the start of the next row.
  void drop_spacer(Row& r);
  Cell blank_like(Cell cell);
  void cell_overwritten_at_start(int y);
  void wide_overwritten_at_start(int y, Cell wide, CellKind by);
  void fill_open_line(Cell below);

  // passing.cc
  bool may_pass() const;
  LinePacker& passing_packer();
  void append_passing(const LinePacker::Text& text);
  bool pass_character(char32_t cp, std::string_view bytes);
  bool join_passing(std::uint32_t text, char32_t cp, bool clusters);
  const std::vector<Cell>& passing_cells(const PackedLine& line);
  void make_passing_rows();
  void push_packed_row(const PackedLine& line);

  // cluster.cc
  bool attach_to_left(char32_t cp, const CodePointInfo& info);  // true: nothing is left to print
  int left_text_column() const;                                 // of the character left of the cursor; -1 = none
  std::size_t code_points_of(Cell cell, std::span<char32_t> out) const;
  bool may_join_to_the_right(Cell cell) const;
  std::uint32_t joined_text(Cell cell, char32_t cp, bool clusters);
  bool are_clusters_due() const;  // for a compaction
  void widen_cell(int x);
  void narrow_cell(int x);

  // erase.cc
  void blank(int y, int x0, int x1);  // [x0, x1), with the pen's background
  void blank_unprotected(int y, int x0, int x1);
  void erase_cells(int y, int x0, int x1, Erase kind);
  void cut_join(Row& r);  // the row no longer continues on the next one
  void cut_join_above(int y);

  // scroll.cc
  void scroll_rows_up(int top, int bottom, int n, Join join);
  void scroll_rows_down(int top, int bottom, int n);
  void push_to_history(int n);
  void push_row_to_history(const Row& r);
  void split_at(int y, int x);
  void split_at_margins(int y);
  void paint_cleared_row(int y);
  void copy_row_part(int from, int to, int x0, int x1);
  void shift_right(int y, int x, int right, int n);
  void shift_left(int y, int x, int right, int n);
  void index_with(Join join);
  void scroll_images(int n);

  // screens.cc
  void activate(bool alternate);
  void clear_alternate();

  State& state_;
  const ByteKernels& kernels_ = byte_kernels();
  Profile profile_;
  ScreenState* screen_;
  int cols_ = 0, rows_ = 0;
  bool plain_ = true;  // no charset, single shift or insert mode: text goes to cells as it is
  bool pen_changed_ = true;
  std::uint64_t pen_bits_ = 0, blank_bits_ = 0;
  // Interns to let fail before compacting again, after a compaction that freed little: a screen that really uses
  // all ids must not cost a walk over its cells for every new style.
  std::uint32_t compactions_paused_for_ = 0;

  // Of the open line of history: whether its last row is a column short, for the wide character that stands below. Who made
  // the State or another width tells nothing; then the line is looked at, which may be long, once.
  enum class LastColumn : std::uint8_t { unknown, there, missing };
  LastColumn last_column_ = LastColumn::unknown;

  PassingLines passing_;
  std::vector<Cell> passing_cells_;  // of the newest row that was given them

  // Joints of late, as text repeats itself: which cluster a cell's text and the character right of it make.
  static constexpr std::size_t kKnownJoints = 128;
  static constexpr std::uint32_t kApart = ~0u, kDropped = ~0u - 1;  // instead of a cluster's number
  struct Joint {
    std::uint32_t left = 0;  // text of a cell with its cluster bit; 0 = none
    char32_t right = 0;
    bool with_clusters = false;  // mode 2027
    std::size_t slot() const { return (left * 31 + right) % kKnownJoints; }
    friend bool operator==(const Joint&, const Joint&) = default;
  };
  struct KnownJoint {
    Joint joint;
    std::uint32_t text = 0;
  };
  std::array<KnownJoint, kKnownJoints> known_joints_;
};

}  // namespace holdfast::vt
