// Starting a program on a PTY as session leader, with the environment and signal state a login would give it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace holdfast::pty {

struct SpawnSpec {
  std::vector<std::string> argv;         // argv[0] is looked up on the PATH of `environment` if it has no '/'
  std::string argv0;                     // what the program sees as argv[0] if not empty ("-bash")
  std::vector<std::string> environment;  // KEY=VALUE, complete
  int directory = -1;                    // open descriptor of the working directory
  unsigned file_mode_mask = 022;         // umask
  std::string slave;                     // path of the PTY's slave side
};

struct Spawned {
  pid_t pid = -1;
  Fd pidfd;
};

// Starts the program: makes the child a session leader with the slave as controlling terminal and as descriptors 0-2,
// resets signal mask and dispositions, closes everything else (close_range), changes directory, raises oom_score_adj to
// 500, and executes; a file without a format of its own is run by /bin/sh, as execvp does. Returns when the exec has
// happened (the caller is suspended until then, and its memory is not copied). Errors (nothing is left running): no
// such program, not executable, the directory cannot be entered, out of processes.
Result<Spawned> spawn(const SpawnSpec& spec);

}  // namespace holdfast::pty
