// The sessions on disk: directories, locks, names (docs/files.md). Knows nothing of sockets and processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "store/manifest.h"

namespace holdfast::store {

class SessionStore {
 public:
  // Opens (creates) <state_dir>/sessions and <state_dir>/names, checked to be private and ours.
  static Result<SessionStore> open(const std::string& state_dir);

  struct Created {
    std::string id, name;
    Fd directory;  // of the session
    Fd lock;       // flock(2)ed exclusively; inherit it to keeper and holder, it is held while either lives
  };
  // Makes a session directory and takes its name, under the names' lock, so that of racing starts one wins.
  // `name` empty: `default_name`, with -2, -3 … while taken. A name whose session has ended is free.
  // Error kind refused: the name is taken by a live session (Error::advice says how to attach to it).
  Result<Created> create(const std::string& name, const std::string& default_name, std::int64_t wall_ms);
  // Takes everything back that create() made: for a start that failed.
  void undo_create(const Created& created);

  enum class Life { starting, running, exited, lost, elsewhere };  // elsewhere: another machine's, on a shared home
  struct Entry {
    std::string id;
    Manifest manifest;
    Life life;
  };
  // All sessions, oldest first. A directory without a readable manifest is left out unless its lock is held.
  Result<std::vector<Entry>> list() const;

  // NAME, id, or unique prefix of an id. A name means the session that holds it now. Errors: not_found (with similar
  // names as advice), usage (ambiguous prefix). Never falls back to another session.
  Result<Entry> find(const std::string& handle) const;

  // Removes a session's directory and gives its name up, if it still has it. Error kind refused while the lock is held
  // by another process, unless `lock_held_by_caller`.
  Result<> remove(const std::string& id, bool lock_held_by_caller);
  Result<> rename(const std::string& id, const std::string& new_name);

  std::string directory_of(const std::string& id) const;

 private:
  explicit SessionStore(std::string state_dir) : state_dir_(std::move(state_dir)) {}
  std::string state_dir_;
};

}  // namespace holdfast::store
