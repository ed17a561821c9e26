// Bytes that the client itself writes to the person's terminal, around what the session draws. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "client/mode_report.h"

namespace holdfast::client {

// At the attach: asks the terminal's keyboard flags and mode 2027 (answers are not waited for) and says `notice` (may be
// empty). The title is no business of ours: a restore keeps it on the terminal's stack, and the undo takes it back.
std::string arrival(std::string_view notice);

// Before the first restore: moves the visible lines into the person's own scrollback, because the restore clears the
// screen.
std::string room(std::uint16_t rows);

// Around the pictures for a terminal of another size (a view each, docs/protocol.md): they are painted over and over, so
// they have the alternate screen, where nothing scrolls away. The end also takes back what a view sets.
inline constexpr std::string_view kBeginViews = "\x1b[?1049h";
inline constexpr std::string_view kEndViews =
    "\x1b\\\x1b[?2026l\x1b[?5l\x1b[?25h\x1b[m\x1b]8;;\x1b\\\x1b(B\x0f\x1b[r\x1b[?1049l";

// What undoes a session when its holder can no longer say what is to undo: everything a program may have switched on,
// back to what a terminal starts with, and the title to what the restore kept. Never RIS, which wipes the scrollback.
// Ends on an empty line at the bottom.
std::string undo_everything();

// What the terminal told of itself before the session: its kitty keyboard flags (-1: not known) and its answer to
// DECRQM of mode 2027 (client/reply_filter_rule). No undo of a session can know them.
std::string put_back_bytes(int keyboard_flags, ModeReport clusters);

// The fence: a question every terminal answers, after all answers to what was written before.
inline constexpr std::string_view kFence = "\x1b[5n";

}  // namespace holdfast::client
