// From a word on the command line to a holder that answers: shared by all verbs that take NAME.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "client/connection.h"
#include "client/roster.h"
#include "client/summon.h"
#include "store/session_store.h"

namespace holdfast::cli {

// How long a holder may take for an answer, and for starting up.
inline constexpr Duration kAnswerWait = 5s;
inline constexpr Duration kStartWait = 5s;

const Clock& system_clock();
inline Instant deadline_after(Duration wait) { return system_clock().now() + wait; }

// The sessions of this user. Errors: the state directory is not ours, or cannot be made.
Result<store::SessionStore> open_store();

// Where a session is found, and what it is called.
struct Address {
  std::string id, name, socket;
};

struct Reached {
  store::SessionStore::Entry entry;
  client::Connection connection;
};
// Connects to the session's holder. A session that is just starting is waited for, and its entry read again.
// A holder whose socket was removed is told to make it anew. Errors: ended (exited and nobody serves it, or lost),
// refused (another machine's), no_answer(), at once if the holder is stopped.
Result<Reached> reach(const store::SessionStore& store, store::SessionStore::Entry entry);
// The same from NAME, an id or the beginning of one.
Result<Reached> reach(const std::string& handle);

// The entry of NAME, an id or the beginning of one; also of a session whose record was removed while it runs: its holder
// is told, and makes it anew. Errors as SessionStore::find's.
Result<store::SessionStore::Entry> find_session(const store::SessionStore& store, const std::string& handle);

// Sends the message, which is answered by one with its id, and waits. Errors: what the holder answered; ended;
// no_answer().
Result<Json> ask(Reached& reached, wire::Type type, const Json& message, Duration wait);
// Why a session that lives does not answer: timeout, or failed if its socket is gone and cannot be made anew.
std::unexpected<Error> no_answer(const Address& from);
std::unexpected<Error> no_answer(const store::SessionStore::Entry& entry);
// Before a long conversation over another connection: no_answer(), at once, if the holder is stopped.
Result<> check_greets(const Address& whom);

// The sessions nobody is attached to, but for the one this process runs in.
std::vector<const client::RosterEntry*> waiting_sessions(const std::vector<client::RosterEntry>& entries);

// The id of the session this process runs in; "" outside.
std::string current_session();

// "exit code 3", "killed by SIGKILL": how a program ended. The reason counts where neither is known.
std::string ending_text(int code, int signal, const std::string& reason);

}  // namespace holdfast::cli
