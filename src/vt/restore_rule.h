// What a restore can say, as rules over a State: the writer and the projection agree through them.
#pragma once

#include <array>
#include <vector>

#include "vt/state.h"

namespace holdfast::vt {

// False for modes that a restore leaves out: 2026 (a restore ends no update of the program's, and begins none), 3
// (it clears), 1048 (an action) and the switches to the alternate screen, which are carried out instead of set.
bool is_mode_restored(const ModeInfo& info);
// The same for the value that XTSAVE keeps.
bool is_saved_mode_restored(const ModeInfo& info);

// The half of a character that says what it is: for a wide_tail the column before.
int lead_column(const Row& row, int x);

// How the code points of a cluster come into one cell again: each joins the ones before with mode 2027 on or off, and
// only with it on does a cell change its width.
enum class Place : std::uint8_t { within, last_column };
struct ClusterDrawing {
  std::array<bool, ClusterTable::kCodePointsMax> is_clustered{};  // of each code point but the first
  bool is_squeezed = false;  // with DECAWM off, which keeps the last column from becoming two
  // It was made in another place, and then moved: only the first code point is shown, so that nothing wraps or scrolls.
  bool is_in_part = false;
};
ClusterDrawing cluster_drawing(Cell cell, Place place, const Tables& tables);
// What is shown if it is drawn in part.
char32_t cluster_part(Cell cell, const Tables& tables);

// A wide character there made the spacer above; printing it again in place would undo that.
bool is_below_spacer(const Grid& grid, int x, int y);

// The character that REP repeats can be set only by printing it. This says what a restore prints last, and where.
struct LastPrint {
  enum class How : std::uint8_t {
    print_again,      // the cell, which shows it already
    print_and_erase,  // on untouched cells: the character is nowhere on the screen
    pending,          // the cell at the margin, as the pending wrap needs it printed anyhow
    none,             // nothing was printed yet, or there is no such cell: it is left to chance
  };
  How how;
  int x, y;
  std::uint32_t text;  // as State::last_printed has it
};
LastPrint find_last_print(const State& state);

// A pending wrap needs a character in its column, which may have been blank. After a save it can be erased again,
// unless that would cut the row's join to the next one.
bool is_blank_again(const Row& row, int x);

// The cursor as a restore leaves it: it cannot stand outside of the margins while DECOM is on, and only a margin, or
// DECRC, makes a wrap pending.
Cursor restored_cursor(const State& state);

// A wrap pending behind a wide character that lies across the right margin: it cannot be printed there, but DECRC
// brings such a cursor back if it is the saved one.
bool is_cursor_recalled(const State& state);

// Without a saved cursor DECRC goes home with a default pen: as if that had been saved.
SavedCursor saved_or_neutral(const ScreenState& screen);

// Nothing on the alternate screen, or kept with it, differs from a new one (its cursor does not count).
bool is_dormant_alternate_blank(const State& state);

// What a restore can bring back of a screen's images. Not: those whose data are gone, and what stands above the screen.
bool is_image_restored(const Image& image);
bool is_upload_restored(const Upload& upload);
// The placements, parents before their children. The cells ones as `in_sight` has them.
std::vector<Placement> restored_placements(const ScreenState& screen);

// Whether stops are where a terminal has them from the start: every eight columns.
bool are_default_stops(const std::vector<bool>& stops);

}  // namespace holdfast::vt
