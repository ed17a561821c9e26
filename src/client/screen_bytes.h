// Bytes that the client itself writes to the person's terminal, around what the session draws. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::client {

// Before the first picture. Asks the terminal's keyboard flags (the answer is not waited for), says `notice` (may be
// empty), and moves the visible lines into the person's own scrollback: `rows` line feeds, because the restore clears
// the screen. The title is no business of ours: the restore keeps it on the terminal's stack, and the undo takes it
// back.
std::string arrival(std::uint16_t rows, std::string_view notice);

// What undoes a session when its holder can no longer say what is to undo: everything a program may have switched on,
// back to what a terminal starts with, and the title to what the restore kept. Never RIS, which wipes the scrollback.
// Ends on an empty line at the bottom.
std::string undo_everything(int keyboard_flags);

// Sets the terminal's kitty keyboard flags; nothing if they are not known (-1).
std::string keyboard_flags_bytes(int flags);

// The fence: a question every terminal answers, after all answers to what was written before.
inline constexpr std::string_view kFence = "\x1b[5n";

}  // namespace holdfast::client
