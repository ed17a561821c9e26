// Everything of a restore that is not a cell: modes, margins, stacks, colours, strings, cursors.
#include "vt/cell_text.h"
#include "vt/restore_rule.h"
#include "vt/restorer.h"
#include "vt/unicode.h"

namespace holdfast::vt {
namespace {

constexpr std::string_view kDesignators94 = "()*+", kDesignators96 = " -./";  // G0-G3
constexpr std::string_view kLeftShifts[] = {"\x0f", "\x0e", "\x1bn", "\x1bo"};
constexpr std::string_view kRightShifts[] = {"", "\x1b~", "\x1b}", "\x1b|"};

// Content is drawn with clustering off, whatever the default: only then is the width of a code point its own.
bool neutral_value(const ModeInfo& info) { return info.mode != Mode::grapheme_clusters && info.default_on; }

void append_osc(std::string& out, std::string_view number, std::string_view text) {
  out += "\x1b]";
  out += number;
  out += ';';
  out += text;
  out += "\x1b\\";
}

std::string rgb_spec(std::uint32_t rgb) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string spec = "rgb:";
  for (int shift = 20; shift >= 0; shift -= 4) {
    spec += kDigits[rgb >> shift & 15];
    if (shift == 16 || shift == 8) spec += '/';
  }
  return spec;
}

bool is_tracking(Mode mode) {
  return mode == Mode::mouse_x10 || mode == Mode::mouse_normal || mode == Mode::mouse_button || mode == Mode::mouse_any;
}
bool is_encoding(Mode mode) {
  return mode == Mode::mouse_utf8 || mode == Mode::mouse_sgr || mode == Mode::mouse_urxvt ||
         mode == Mode::mouse_sgr_pixels;
}

}  // namespace

void ModeList::add(unsigned number) {
  if (count_ == kParametersMax) finish();
  out_ += count_ == 0 ? (is_private_ ? "\x1b[?" : "\x1b[") : ";";
  append_number(out_, number);
  ++count_;
}

void ModeList::finish() {
  if (count_ > 0) out_ += final_;
  count_ = 0;
}

Restorer& Restorer::put(std::uint64_t number) {
  append_number(out_, number);
  return *this;
}

void Restorer::move_to(int x, int y, bool relative_to_margins) {
  if (relative_to_margins) {
    x -= state_.margins.left;
    y -= state_.margins.top;
  }
  put("\x1b[");
  if (x != 0 || y != 0) put(static_cast<unsigned>(y) + 1);
  if (x != 0) put(";").put(static_cast<unsigned>(x) + 1);
  put("H");
}

void Restorer::neutral_modes() {
  for (const bool is_private : {false, true}) {
    for (const bool on : {false, true}) {
      ModeList list(out_, is_private, on ? 'h' : 'l');
      for (const ModeInfo& info : mode_table()) {
        if (is_mode_restored(info) && info.is_private == is_private && info.default_on == on) list.add(info.number);
      }
    }
  }
  {
    ModeList saves(out_, true, 's');
    for (const ModeInfo& info : mode_table()) {
      if (is_saved_mode_restored(info) && state_.saved_modes.get(info.mode) == info.default_on) saves.add(info.number);
    }
  }
  put("\x1b[?2027l");
}

void Restorer::saved_modes() {
  for (const ModeInfo& info : mode_table()) {
    const bool saved = state_.saved_modes.get(info.mode);
    if (!is_saved_mode_restored(info) || saved == info.default_on) continue;
    put("\x1b[?").put(info.number).put(saved ? "h" : "l");
    put("\x1b[?").put(info.number).put("s");
    if (saved != neutral_value(info)) put("\x1b[?").put(info.number).put(saved ? "l" : "h");
  }
}

void Restorer::reset_colors() {
  if (options_.onto == Onto::person) return;
  for (std::size_t i = 0; i < State::kColorStackMax; ++i) put("\x1b[#Q");
  default_colors();
}

void Restorer::default_colors() {
  put("\x1b]104\x1b\\\x1b]105\x1b\\");
  for (int i = 0; i < Colors::kDynamicCount; ++i) put("\x1b]11").put(static_cast<unsigned>(i)).put("\x1b\\");
}

void Restorer::colors() {
  for (const Colors& pushed : state_.color_stack) {
    colors(pushed);
    put("\x1b[#P");
    default_colors();
  }
  colors(state_.colors);
}

void Restorer::colors(const Colors& c) {
  for (const auto& [index, rgb] : c.palette) append_osc(out_, "4;" + std::to_string(index), rgb_spec(rgb));
  for (std::size_t i = 0; i < c.dynamic.size(); ++i) {
    if (c.dynamic[i]) append_osc(out_, std::to_string(Colors::kDynamicFirst + i), rgb_spec(*c.dynamic[i]));
  }
  for (std::size_t i = 0; i < c.special.size(); ++i) {
    if (c.special[i]) append_osc(out_, "5;" + std::to_string(i), rgb_spec(*c.special[i]));
  }
}

void Restorer::tab_stops() {
  const std::vector<bool>& stops = state_.tab_stops;
  if (are_default_stops(stops)) return;
  put("\x1b[3g");
  for (std::size_t x = 1; x < stops.size(); ++x) {
    if (stops[x]) put("\x1b[").put(x + 1).put("G\x1bH");
  }
}

void Restorer::kitty_stack(const KittyStack& stack) {
  if (stack.base != 0) put("\x1b[=").put(stack.base).put(";1u");
  for (int i = 0; i < stack.depth; ++i) put("\x1b[>").put(stack.flags[static_cast<std::size_t>(i)]).put("u");
}

// Prints a cell where it stands. A wide one below the spacer that it made is printed from there: in place it would undo
// the spacer.
void Restorer::print_in_place(const ScreenState& screen, int x, int y, bool relative_to_margins) {
  const Row& row = screen.grid.row(y);
  const Cell cell = x < row.used ? row.cells[x] : Cell{};
  if (cell.kind() == CellKind::wide && is_below_spacer(screen.grid, x, y))
    move_to(screen.grid.cols() - 1, y - 1, relative_to_margins);
  else
    move_to(x, y, relative_to_margins);
  if (cell.is_written() || screen.grid.cols() > 1)
    cells_.cell(cell, x + 1 == screen.grid.cols() ? Place::last_column : Place::within);
  else
    cells_.blank_for_wide(cell);
}

void Restorer::margin_at(int x) { put("\x1b[?69h\x1b[1;").put(static_cast<unsigned>(x) + 1).put("s"); }

// The margin's character is printed again: nothing else brings a pending wrap about.
void Restorer::saved_cursor(const ScreenState& screen, Then then) {
  const SavedCursor saved = saved_or_neutral(screen);
  if (!screen.saved && then == Then::stay) return;
  const Cursor& cursor = saved.cursor;
  const Row& row = screen.grid.row(cursor.y);
  const int lead = lead_column(row, cursor.x);
  const Cell under = cursor.x < row.used ? row.cells[cursor.x] : Cell{};
  const bool needs_margin = cursor.pending_wrap && cursor.x + 1 < screen.grid.cols() && cursor.x > 0;
  // Across that margin, or from above it, nothing wide can be printed: a space makes the wrap pending, and then the
  // character comes back.
  const bool needs_space = needs_margin && (under.kind() == CellKind::wide ||
                                            (lead < cursor.x && is_below_spacer(screen.grid, lead, cursor.y)));
  if (needs_margin) margin_at(cursor.x);
  if (saved.origin) put("\x1b[?6h");
  if (cursor.pending_wrap && !needs_space) {
    print_in_place(screen, lead, cursor.y, false);
  } else {
    move_to(cursor.x, cursor.y);
    if (needs_space) cells_.cell(Cell{}, Place::within);
  }
  charsets(Charsets{}, saved.charsets);
  cells_.set_pen({saved.pen.style, saved.pen.link, saved.pen.is_protected, Semantic::output});
  put("\x1b"
      "7");
  if (cursor.pending_wrap && is_blank_again(row, cursor.x)) {
    // It was blank, and is made so again; what is saved still has the wrap pending.
    cells_.set_style(state_.tables.styles[under.style()]);
    put("\x1b[X\x1b"
        "8");
    cells_.assume_style(saved.pen.style);
  }
  if (needs_space) {
    cells_.set_pen(Pen{});
    charsets(saved.charsets, Charsets{});
    put("\x1b[?69l");
    print_in_place(screen, lead, cursor.y, false);
    cells_.set_clustering(false);
    margin_at(cursor.x);
    put("\x1b"
        "8");
    cells_.assume_recalled(saved.pen);
  }
  if (then == Then::switch_to_alternate) put("\x1b[?1049h");
  cells_.set_pen(Pen{});
  charsets(saved.charsets, Charsets{});
  if (saved.origin) put("\x1b[?6l");
  if (needs_margin) put("\x1b[?69l");
}

// A national set is designated while DECNRCM is on, which it is not yet, or no more.
void Restorer::charsets(const Charsets& from, const Charsets& to) {
  bool has_national = false;
  for (std::size_t i = 0; i < to.g.size(); ++i) has_national |= from.g[i] != to.g[i] && is_national(to.g[i]);
  if (has_national) put("\x1b[?42h");
  for (std::size_t i = 0; i < to.g.size(); ++i) {
    if (from.g[i] == to.g[i]) continue;
    out_ += '\x1b';
    out_ += (is_96(to.g[i]) ? kDesignators96 : kDesignators94)[i];
    out_ += charset_designation(to.g[i]);
  }
  if (has_national) put("\x1b[?42l");
  if (from.gl != to.gl) put(kLeftShifts[to.gl & 3]);
  if (from.gr != to.gr) put(kRightShifts[to.gr & 3]);
}

void Restorer::margins() {
  const Margins& m = state_.margins;
  if (state_.modes.get(Mode::left_right_margins)) {
    put("\x1b[?69h");
    if (m.left != 0 || m.right != state_.size.cols - 1) {
      put("\x1b[").put(static_cast<unsigned>(m.left) + 1).put(";").put(static_cast<unsigned>(m.right) + 1).put("s");
    }
  }
  if (m.top != 0 || m.bottom != state_.size.rows - 1) {
    put("\x1b[").put(static_cast<unsigned>(m.top) + 1).put(";").put(static_cast<unsigned>(m.bottom) + 1).put("r");
  }
}

// A stack cannot be asked for its depth: it is emptied, down to the title that was there before the session, which then
// goes to the bottom again. So a second restore leaves no more on it than the first.
void Restorer::titles() {
  const Titles& t = state_.titles;
  if (options_.onto != Onto::person) {
    for (std::size_t i = 0; i < Titles::kStackMax; ++i) put("\x1b[23;0t");
  }
  std::size_t first = 0;
  if (options_.onto != Onto::anything) {
    put("\x1b[22;0t");
    if (t.stack.size() == Titles::kStackMax) first = 1;
  }
  const bool has_none = t.window.empty() && t.icon.empty() && t.stack.empty();
  if (has_none && options_.onto == Onto::person) return;
  const auto set = [this](const std::string& window, const std::string& icon) {
    append_osc(out_, "2", window);
    append_osc(out_, "1", icon);
  };
  for (std::size_t i = first; i < t.stack.size(); ++i) {
    set(t.stack[i].first, t.stack[i].second);
    put("\x1b[22;0t");
  }
  set(t.window, t.icon);
  if (t.set_as_hex) put("\x1b[>0t");
  if (t.reported_as_hex) put("\x1b[>1t");
}

void Restorer::strings() {
  append_osc(out_, "7", state_.working_directory);
  pointer_shapes();
  status_records();
  const Progress& p = state_.progress;
  // Terminals that do not know it may take OSC 9 for a notification: only where it means something, or must not stay.
  const bool may_be_there = options_.client == Profile::ghostty || options_.onto == Onto::anything;
  if (p.state == 0 && may_be_there) append_osc(out_, "9;4", "0");
  if (p.state != 0) append_osc(out_, "9;4", std::to_string(p.state) + ";" + std::to_string(p.percent));
}

void Restorer::pointer_shapes() {
  if (options_.onto != Onto::person) {
    for (std::size_t i = 0; i < State::kPointerStackMax; ++i) append_osc(out_, "22", "<");
  }
  const auto named = [](const std::string& shape) { return shape.empty() ? std::string("default") : shape; };
  const std::vector<std::string>& stack = state_.pointer_stack;
  append_osc(out_, "22", named(stack.empty() ? state_.pointer_shape : stack.front()));
  for (std::size_t i = 1; i < stack.size(); ++i) append_osc(out_, "22", ">" + named(stack[i]));
  if (!stack.empty()) append_osc(out_, "22", ">" + named(state_.pointer_shape));
}

void Restorer::status_records() {
  if (options_.onto != Onto::person) append_osc(out_, "7501", "state=clear");
  for (const StatusRecord& record : state_.status) append_osc(out_, "7501", record.text);
}

void Restorer::sgr_stack() {
  for (const SgrEntry& entry : state_.sgr_stack) {
    cells_.set_style(entry.style);
    put("\x1b[");
    if (entry.parts == 0) put("6");  // a number that names nothing
    bool is_first = true;
    for (std::size_t i = 0; i < entry.kCodes.size() && entry.parts != entry.kAll; ++i) {
      if ((entry.parts >> i & 1) == 0) continue;
      put(is_first ? "" : ";").put(entry.kCodes[i]);
      is_first = false;
    }
    put("#{");
  }
}

void Restorer::last_print() {
  const LastPrint last = find_last_print(state_);
  switch (last.how) {
    case LastPrint::How::none:
    case LastPrint::How::pending:
      return;
    case LastPrint::How::print_again:
      move_to(last.x, last.y);
      cells_.cell(state_.screen().grid.row(last.y).cells[last.x],
                  last.x + 1 == state_.size.cols ? Place::last_column : Place::within);
      return;
    case LastPrint::How::print_and_erase:
      cells_.set_pen(Pen{});
      move_to(last.x, last.y);
      append_utf8(out_, last.text);
      move_to(last.x, last.y);
      put(code_point_width(last.text) == 2 ? "\x1b[2X" : "\x1b[X");
      return;
  }
}

void Restorer::cursor() {
  const ScreenState& screen = state_.screen();
  const bool origin = state_.modes.get(Mode::origin);
  const Cursor cursor = restored_cursor(state_);
  if (origin) put("\x1b[?6h");
  Charsets now;
  if (is_cursor_recalled(state_)) {
    put("\x1b"
        "8");
    cells_.assume_recalled(screen.saved->pen);
    now = screen.saved->charsets;
  } else if (cursor.pending_wrap) {
    print_in_place(screen, lead_column(screen.grid.row(cursor.y), cursor.x), cursor.y, origin);
  } else {
    move_to(cursor.x, cursor.y, origin);
  }
  cells_.set_clustering(false);
  cells_.set_pen(screen.pen);
  charsets(now, state_.charsets);
}

// Mouse modes end with the one set last, as that one is in force.
void Restorer::modes() {
  if (state_.keypad_application) put("\x1b=");
  if (state_.shift_escape != 0) put("\x1b[>").put(state_.shift_escape).put("s");
  if (state_.modify_other_keys != 0) put("\x1b[>4;").put(state_.modify_other_keys).put("m");
  if (state_.cursor_shape != 0) put("\x1b[").put(state_.cursor_shape).put(" q");
  if (state_.attribute_extent != 0) put("\x1b[").put(state_.attribute_extent).put("*x");
  const bool blink = state_.modes.get(Mode::cursor_blink);
  if (state_.cursor_shape != 0) put(blink ? "\x1b[?12h" : "\x1b[?12l");
  for (const bool is_private : {false, true}) {
    for (const bool on : {false, true}) {
      ModeList list(out_, is_private, on ? 'h' : 'l');
      for (const ModeInfo& info : mode_table()) {
        const bool done = info.mode == Mode::origin || info.mode == Mode::left_right_margins ||
                          (info.mode == Mode::cursor_blink && state_.cursor_shape != 0) ||
                          info.mode == state_.mouse_tracking || info.mode == state_.mouse_encoding;
        if (done || !is_mode_restored(info) || info.is_private != is_private) continue;
        if (state_.modes.get(info.mode) == on && on != neutral_value(info)) list.add(info.number);
      }
      if (!is_private || !on) continue;
      for (const Mode mode : {state_.mouse_tracking, state_.mouse_encoding}) {
        if (is_tracking(mode) || is_encoding(mode)) list.add(mode_table()[static_cast<std::size_t>(mode)].number);
      }
    }
  }
}

void Restorer::finish() {
  put("\x1b[?2026l");
  if (options_.fence) put("\x1b[5n");
  if (!state_.utf8) put("\x1b%@");
  if (state_.charsets.single_shift == 2) put("\x1bN");
  if (state_.charsets.single_shift == 3) put("\x1bO");
  put(state_.continuation);
}

}  // namespace holdfast::vt
