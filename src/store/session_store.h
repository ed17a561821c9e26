// The sessions on disk: directories, locks, names (docs/files.md). Knows nothing of sockets and processes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "store/manifest.h"

namespace holdfast::store {

inline constexpr const char* kLockName = "lock";  // in a session's directory; flock(2)ed while it lives

class SessionStore {
 public:
  // Opens (creates) <state_dir>/sessions and <state_dir>/names, checked to be private and ours.
  static Result<SessionStore> open(const std::string& state_dir);

  struct Created {
    std::string id, name;
    Fd directory;           // of the session
    Fd lock;                // flock(2)ed exclusively; inherit it to keeper and holder, it is held while either lives
    std::string displaced;  // id of the ended session that had the name before; "" if nobody had
  };
  // Makes a session directory and takes its name, under the names' lock, so that of racing starts one wins.
  // `name` empty: `default_name`, with -2, -3 … while taken. A name whose session has ended (exited or lost) is free.
  // Error kind refused: the name is taken by a live session (Error::advice says how to attach to it).
  Result<Created> create(const std::string& name, const std::string& default_name, std::int64_t wall_ms);
  // Takes everything back that create() made: for a start that failed. A session that lost its name by it has it again.
  void undo_create(const Created& created);

  struct Restored {
    Fd directory, lock;
  };
  // For a session that lives though its directory or its lock file was removed from outside: makes both anew. And its
  // name, unless another live session has it now. Called by its holder, so neither waits for a lock: error kind timeout,
  // somebody else has it for a moment.
  Result<Restored> restore(const std::string& id);
  Result<> restore_name(const std::string& id, const std::string& name);

  enum class Life { starting, running, exited, lost, elsewhere };  // elsewhere: another machine's, on a shared home
  struct Entry {
    std::string id;
    Manifest manifest;
    Life life;
  };
  // All sessions, oldest first. A directory without a readable manifest is left out unless its lock is held: then its
  // start is under way, and its manifest knows only its id.
  Result<std::vector<Entry>> list() const;
  // The same one by one, each as soon as it is read.
  void each(const std::function<void(Entry)>& f) const;

  // NAME, id, or unique prefix of an id. A name means the session that holds it now. Errors: not_found (with similar
  // names as advice), usage (ambiguous prefix). Never falls back to another session.
  Result<Entry> find(const std::string& handle) const;

  enum class Lock { of_others, of_caller };
  // Removes a session's directory and gives its name up, if it still has it. Error kind refused while the lock is held,
  // unless it is the caller's.
  Result<> remove(const std::string& id, Lock lock);
  // Removes what is left of a start or a removal that was cut short: a directory without a manifest whose lock is free, a
  // name without a directory. Anything else stays as it is. False: somebody has the session, or something of it, in hand.
  bool sweep(const std::string& id) const;

  std::string directory_of(const std::string& id) const { return directory_of(state_dir_, id); }
  static std::string directory_of(const std::string& state_dir, const std::string& id);

  // Whether the session's directory is there, with manifest and lock.
  bool is_whole(const std::string& id) const;
  // Ids of directories and names, and of these `others`, that are not whole. A start may be under way, or cut short; or
  // a part was removed from outside, and the session may live.
  std::vector<std::string> broken_ids(std::vector<std::string> others = {}) const;

 private:
  SessionStore(std::string state_dir, Fd sessions, Fd names)
      : state_dir_(std::move(state_dir)), sessions_(std::move(sessions)), names_(std::move(names)) {}

  std::optional<Entry> read_entry(const std::string& id) const;
  bool is_free(const std::string& name) const;
  Result<Created> create_locked(std::string name, std::int64_t wall_ms);
  void remove_files(const std::string& id) const;
  std::vector<std::string> all_ids() const;
  std::vector<std::string> all_names() const;
  Result<std::string> resolve(const std::string& handle) const;

  std::string state_dir_;
  Fd sessions_, names_;  // the two directories
};

}  // namespace holdfast::store
