// Finding the holder of a session among the processes: when its socket or its record was removed from outside, it has
// to be told so by a signal, and makes them anew. Reads /proc, so it is for when something is wrong, not for every
// call.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/session_store.h"

namespace holdfast::client {

struct HolderProcess {
  std::string id;  // of its session
  pid_t pid = -1;
  bool stopped = false;   // by a signal or a debugger: it cannot answer
  std::string directory;  // of the session, as the holder has it open, whether it is still there or not
};

// The holders of these sessions that run, of this user's processes.
std::vector<HolderProcess> find_holders(std::span<const std::string> ids);

// Why a session that lives does not answer, and what helps.
struct Silence {
  std::string problem;  // "its holder (process 12) is stopped"
  std::string advice;
  bool passes = true;  // trying again may help by itself
};
Silence silence_of(const std::string& id, const std::string& socket, std::span<const HolderProcess> holders);

// Tells each to look after its socket and record. Gives back how many were told: one that is only starting looks by
// itself, one that has ended is nobody.
std::size_t summon(std::span<const HolderProcess> holders);

// The same for all sessions without a whole record that a name, a socket or a part of it still tells of; waits until
// their records are whole again, for kSummonWait at most. What is left of a start or a removal that was cut short is
// swept away, also its socket.
void summon_broken(const store::SessionStore& store, const Clock& clock);

// How long a holder that was told may take. It needs a millisecond; a busy machine more.
inline constexpr Duration kSummonWait = 1s;
// Between two looks whether it has done what it was told.
inline constexpr int kLookAgainMs = 2;

}  // namespace holdfast::client
