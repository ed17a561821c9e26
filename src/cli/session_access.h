// From a word on the command line to a holder that answers: shared by all verbs that take NAME.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "client/connection.h"
#include "client/roster.h"
#include "store/session_store.h"

namespace holdfast::cli {

// How long a holder may take for an answer, and for starting up.
inline constexpr Duration kAnswerWait = 5s;
inline constexpr Duration kStartWait = 5s;

const Clock& system_clock();
inline Instant deadline_after(Duration wait) { return system_clock().now() + wait; }

// The sessions of this user. Errors: the state directory is not ours, or cannot be made.
Result<store::SessionStore> open_store();

struct Reached {
  store::SessionStore::Entry entry;
  client::Connection connection;
};
// Connects to the session's holder. A session that is just starting is waited for, and its entry read again.
// Errors: ended (exited and nobody serves it, or lost), refused (another machine's), timeout (it does not answer).
Result<Reached> reach(const store::SessionStore& store, store::SessionStore::Entry entry);
// The same from NAME, an id or the beginning of one.
Result<Reached> reach(const std::string& handle);

// The sessions nobody is attached to, but for the one this process runs in.
std::vector<const client::RosterEntry*> waiting_sessions(const std::vector<client::RosterEntry>& entries);

// The id of the session this process runs in; "" outside.
std::string current_session();

// "exit code 3", "killed by SIGKILL": how a program ended. The reason counts where neither is known.
std::string ending_text(int code, int signal, const std::string& reason);

}  // namespace holdfast::cli
