// A child on our memory: how a program is started without copying the one that starts it.
#pragma once

#include <sys/types.h>

namespace holdfast::sys {

// Starts a child that runs `run(argument)` on our memory, with descriptors, directory and signals of its own. We sleep
// until it has executed a program or ended (with what `run` returns), so what it has written into `argument` is there when
// this returns. No signal is delivered to either of us meanwhile. In the child: memory that it allocates and does not free
// before it executes stays ours, and it must come back, not call _exit. Only for processes of one thread, or a `run` that
// neither allocates nor locks. Gives back its pid, and a pidfd if one is asked for; -1 and errno as clone(2).
pid_t vfork_call(int (*run)(void*), void* argument, int* pidfd = nullptr);

}  // namespace holdfast::sys
