// Writing a terminal out as bytes another terminal can be fed: restore, view, undo (docs/vt.md, "Restore").
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "vt/state.h"

namespace holdfast::vt {

enum class HistoryPart : std::uint8_t { none, all };

// What the terminal that is fed holds already.
enum class Onto : std::uint8_t {
  anything,  // nothing of it is kept
  session,   // the session was shown on it before; a person's title may lie at the bottom of its stack, and stays there
  person,    // a person's own title and colours, which the session changes only where its program did; the title is
             // pushed first, and write_undo pops it
};

struct RestoreOptions {
  HistoryPart history = HistoryPart::all;
  Profile client = Profile::ghostty;
  // A fence (`CSI 5 n`) at the end, so that the client can tell answers caused by the restore from later ones.
  bool fence = true;
  Onto onto = Onto::session;
};

// Appends to `out` the bytes that bring a terminal of the same size, whatever its state, to `state` (as far as VT can
// say it: see expressible()). Order and traps: docs/vt.md. The part that scrolls into the client's own scrollback comes
// first (phase 1), then the visible screens and all state (phase 2); `phase_two_at` gets the index where phase 2
// starts. State is not changed, except that styles and links of history rows may be interned.
void write_restore(State& state, const RestoreOptions& options, std::string& out, std::size_t* phase_two_at = nullptr);

// The visible screen cut to cols x rows with cursor, for a viewer of another size. No history, no input modes.
void write_view(State& state, int cols, int rows, std::string& out);

// The bytes that undo what the session changed on a terminal that was restored and kept up to `state`: mouse, paste,
// focus and keyboard modes off, stacks popped, colours and titles reset if they were changed, margins full, main
// screen, cursor below the content. Never RIS. `outer_kitty_flags` < 0: unknown.
void write_undo(const State& state, int outer_kitty_flags, std::string& out);

// Everything of a State that VT can express, as text with one fact a line: two terminals restored from one another have
// equal projections. Outside it: synchronised output, and what docs/vt.md lists as not expressible.
std::string expressible(State& state);
// The same with nothing left out: what the binary snapshot must bring back.
std::string everything(State& state);

}  // namespace holdfast::vt
