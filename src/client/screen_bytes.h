// Bytes that the client itself writes to the person's terminal, around what the session draws. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::client {

// Before the first picture. Asks the terminal's keyboard flags and mode 2027 (answers are not waited for), says
// `notice` (may be empty), and moves the visible lines into the person's own scrollback: `rows` line feeds, because the
// restore clears the screen. The title is no business of ours: the restore keeps it on the terminal's stack, and the
// undo takes it back.
std::string arrival(std::uint16_t rows, std::string_view notice);

// What undoes a session when its holder can no longer say what is to undo: everything a program may have switched on,
// back to what a terminal starts with, and the title to what the restore kept. Never RIS, which wipes the scrollback.
// Ends on an empty line at the bottom.
std::string undo_everything();

// What the terminal told of itself before the session: its kitty keyboard flags (-1: not known) and its answer to
// DECRQM of mode 2027 (client/reply_filter_rule). No undo of a session can know them.
std::string put_back_bytes(int keyboard_flags, int clusters);

// The fence: a question every terminal answers, after all answers to what was written before.
inline constexpr std::string_view kFence = "\x1b[5n";

}  // namespace holdfast::client
