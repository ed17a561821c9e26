// What puts a person's terminal back when a signal ends this process and nobody else is left to do it.
//
// A signal that the attach client's loop takes in order (client/attach_terminal) never comes here; these are the ones
// from before and after that loop, and the faults of our own. One terminal at a time: there is one a process.
#pragma once

#include <termios.h>

#include <string_view>
#include <vector>

namespace holdfast::client::terminal_guard {

// Signals whose default is the end of the process: those that somebody sends, and those that say that the program
// itself is broken (which a loop must not take: blocked, a fault kills at once).
std::vector<int> sent_signals();
std::vector<int> fault_signals();

// From now on each of them first writes the undo (none yet) and puts `settings` back, then does what it did before.
// One that is ignored stays ignored. `fd` stays open until disarm().
void arm(int fd, const termios& settings);
// What takes back everything that was drawn and set; replaces the one before. At most 4096 bytes.
void set_undo(std::string_view bytes);
// Nothing happens if it is not armed.
void disarm();

}  // namespace holdfast::client::terminal_guard
