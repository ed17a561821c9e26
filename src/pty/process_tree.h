// Who descends from whom, from /proc. PIDs always come with their start time: a PID alone may be somebody else by now.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace holdfast::pty {

struct Process {
  pid_t pid = 0, parent = 0, group = 0, session = 0;
  std::uint64_t start_time = 0;  // clock ticks since boot
  std::string command;           // comm, as hostile as any program's name
  // Has ended and waits to be reaped. (So looks one whose first thread ended before others, too.)
  bool zombie = false;
};

// Reads /proc (or another directory in its form, for tests). Processes that vanish meanwhile are left out.
Result<std::vector<Process>> read_processes(const std::string& proc_directory = "/proc");

// All descendants of `root` (without it), nearest first, then oldest first. Survives cycles in what /proc claims, and
// believes in no child that is older than its parent: that parent has the pid of another one.
std::vector<Process> descendants(const std::vector<Process>& all, pid_t root);

// Sends the signal through a pidfd after checking pid and start time again: never hits a stranger.
// False if the process is gone.
bool signal_process(const Process& process, int signal_number);

}  // namespace holdfast::pty
