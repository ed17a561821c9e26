// Who is there: all sessions on disk, and what their holders say of themselves, asked all at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "client/summon.h"
#include "store/session_store.h"
#include "wire/messages.h"

namespace holdfast::client {

enum class Presence { starting, running, exited, lost, elsewhere, not_responding };
const char* presence_name(Presence presence);  // as people see it: "not responding"

struct RosterEntry {
  wire::Info info;  // from the holder; from the manifest where no holder answered
  Presence presence = Presence::running;
  std::string socket;
  bool answered = false;  // `info` is what its holder says; else what the files say, which is less
  Silence silence;  // of one that is not responding
};

// How long a holder may take to answer before it is listed as not responding. All are asked at once; a mute one makes a
// list 100 ms longer at most, of which the rest goes into noticing.
inline constexpr Duration kRosterWait = 90ms;

enum class Ask { live, all };  // whether sessions whose program has ended are asked too

// Oldest first. A session whose holder is gone is listed as lost, and its stale socket is removed.
Result<std::vector<RosterEntry>> read_roster(const store::SessionStore& store, Ask ask, const Clock& clock);

// The same for one session, also for one whose program has ended.
RosterEntry read_session(const store::SessionStore::Entry& session, const Clock& clock);

// The record of a session as its files tell it.
wire::Info info_from_manifest(const store::Manifest& manifest);

// Removes the socket that a session nobody serves any more has left. The caller knows that: its lock was free.
void remove_stale_socket(const store::Manifest& manifest);

}  // namespace holdfast::client
