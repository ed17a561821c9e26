#include "store/session_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <memory>

#include "base/ids.h"
#include "base/limits.h"
#include "base/sys.h"
#include "base/text.h"
#include "store/similar_names_rule.h"

namespace holdfast::store {
namespace {

constexpr const char* kNamesLockName = ".lock";
// Numbers behind a default name: those for which default_session_name() leaves room.
constexpr int kSuffixMax = 9999;
constexpr std::size_t kSuggestionsMax = 3;  // more names are no help
// Of a handle in an error, code points: longer than any name or id.
constexpr std::size_t kShownChars = 64;
// Whoever looks whether a lock is free holds it for a moment; a removal waits so often for such a look to be over.
constexpr int kLockTries = 20;
constexpr long kLockPauseNs = 2'000'000;

Fd open_directory_at(int parent, const std::string& name) {
  return Fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int flock_retried(int fd, int operation) {
  int result;
  do {
    result = ::flock(fd, operation);
  } while (result != 0 && errno == EINTR);
  return result;
}

Result<Fd> take_names_lock(int names) {
  Fd lock = TRY(sys::open_at(names, kNamesLockName, O_RDWR | O_CREAT, 0600));
  if (flock_retried(lock.get(), LOCK_EX) != 0) return fail_errno("lock the names of the sessions", errno);
  return lock;
}

Result<> try_lock(int fd, const std::string& attempted) {
  if (flock_retried(fd, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno != EWOULDBLOCK) return fail_errno(attempted, errno);
  return fail(ErrorKind::timeout, attempted, "somebody else has the lock just now", "try again in a moment");
}

// A lock that others only look at, taken: they hold it for moments.
Result<> take_lock_soon(int fd, const std::string& attempted) {
  for (int i = 0;; ++i) {
    if (flock_retried(fd, LOCK_EX | LOCK_NB) == 0) return {};
    if (i == kLockTries) return fail_errno(attempted, errno);
    const timespec pause{0, kLockPauseNs};
    ::nanosleep(&pause, nullptr);
  }
}

// Whether keeper or holder of a session live.
bool is_locked(int session_directory) {
  const Fd lock(::openat(session_directory, kLockName, O_RDONLY | O_CLOEXEC));
  return lock && flock_retried(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

// The lock of a session that nobody holds, taken; none if somebody does.
std::optional<Fd> take_free_lock(int session_directory) {
  Fd lock(::openat(session_directory, kLockName, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock || !take_lock_soon(lock.get(), "take the lock of a session")) return std::nullopt;
  return lock;
}

SessionStore::Life life_of(const Manifest& manifest, int session_directory) {
  using Life = SessionStore::Life;
  // Of a session on another host we see the files only: its lock tells nothing here.
  if (!manifest.machine_id().empty() && manifest.machine_id() != this_machine_id()) return Life::elsewhere;
  if (manifest.life() == "exited") return Life::exited;
  if (!is_locked(session_directory)) return Life::lost;
  return manifest.life() == "running" ? Life::running : Life::starting;
}

// Entries of a directory that `wanted` accepts, sorted.
template <typename Predicate>
std::vector<std::string> entries_of(int directory, Predicate wanted) {
  std::vector<std::string> names;
  // A descriptor of its own, as reading moves its position.
  Fd fresh = open_directory_at(directory, ".");
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fresh ? ::fdopendir(fresh.get()) : nullptr, &::closedir);
  if (stream == nullptr) return names;
  fresh.release();
  while (const dirent* entry = ::readdir(stream.get())) {
    if (wanted(std::string_view(entry->d_name))) names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The id that holds a name, or "".
std::string id_behind(int names, const std::string& name) {
  const auto text = sys::read_file_at(names, name, 64);
  if (!text) return {};
  std::string id = text->substr(0, text->find('\n'));
  return is_ulid(id) ? id : "";
}

Result<> claim_name(int names, const std::string& name, const std::string& id) {
  const Fd file = TRY(sys::open_at(names, name, O_WRONLY | O_CREAT | O_EXCL, 0600));
  auto written = sys::write_all(file.get(), id + "\n");
  if (!written) ::unlinkat(names, name.c_str(), 0);
  return written;
}

// Gives a name up if `id` has it.
void release_name(int names, const std::string& name, const std::string& id) {
  if (is_session_name(name) && id_behind(names, name) == id) ::unlinkat(names, name.c_str(), 0);
}

// Moves the name from whoever had it (an ended session) to `id`; on error it stays where it was. Gives back whose it
// was.
Result<std::string> transfer_name(int names, const std::string& name, const std::string& id) {
  std::string before = id_behind(names, name);
  if (::faccessat(names, name.c_str(), F_OK, 0) == 0) {
    TRY(sys::replace_file_at(names, name, id + "\n", sys::Durable::no));
  } else {
    TRY(claim_name(names, name, id));
  }
  return before;
}

// Undoes transfer_name().
void give_back_name(int names, const std::string& name, const std::string& id, const std::string& displaced) {
  if (id_behind(names, name) != id) return;
  ::unlinkat(names, name.c_str(), 0);
  if (!displaced.empty()) (void)claim_name(names, name, displaced);
}

std::unexpected<Error> name_taken(const std::string& name) {
  return fail(ErrorKind::refused, "use the name '" + name + "'", "a session has it already",
              "attach to it with `hold attach " + name + "`, or choose another name");
}

std::string with_suffix(const std::string& name, int number) {
  const std::string suffix = "-" + std::to_string(number);
  return name.substr(0, limits::kNameBytesMax - suffix.size()) + suffix;
}

}  // namespace

Result<SessionStore> SessionStore::open(const std::string& state_dir) {
  Fd sessions = TRY(sys::open_private_directory(state_dir + "/sessions"));
  Fd names = TRY(sys::open_private_directory(state_dir + "/names"));
  return SessionStore(state_dir, std::move(sessions), std::move(names));
}

std::string SessionStore::directory_of(const std::string& state_dir, const std::string& id) {
  return state_dir + "/sessions/" + id;
}

// The directory goes out of sight in one step, so that a removal that is cut short leaves no half session.
void SessionStore::remove_files(const std::string& id) const {
  const std::string hidden = ".removed-" + id;
  const bool moved = ::renameat(sessions_.get(), id.c_str(), sessions_.get(), hidden.c_str()) == 0;
  std::error_code ignored;
  std::filesystem::remove_all(directory_of(moved ? hidden : id), ignored);
}

Result<SessionStore::Created> SessionStore::create(const std::string& name, const std::string& default_name,
                                                   std::int64_t wall_ms) {
  if (!name.empty()) TRY(check_session_name(name));
  const Fd names_lock = TRY(take_names_lock(names_.get()));
  if (!name.empty()) {
    if (!is_free(name)) return name_taken(name);
    return create_locked(name, wall_ms);
  }
  TRY(check_session_name(default_name));
  if (is_free(default_name)) return create_locked(default_name, wall_ms);
  for (int number = 2; number <= kSuffixMax; ++number) {
    std::string candidate = with_suffix(default_name, number);
    if (is_free(candidate)) return create_locked(std::move(candidate), wall_ms);
  }
  return name_taken(default_name);
}

Result<SessionStore::Created> SessionStore::create_locked(std::string name, std::int64_t wall_ms) {
  Created created{new_ulid(wall_ms), std::move(name), {}, {}, {}};
  const std::string attempted = "make the directory of the session '" + created.name + "'";
  if (::mkdirat(sessions_.get(), created.id.c_str(), 0700) != 0) return fail_errno(attempted, errno);
  auto finished = [&]() -> Result<> {
    created.directory = open_directory_at(sessions_.get(), created.id);
    if (!created.directory) return fail_errno(attempted, errno);
    created.lock = TRY(sys::open_at(created.directory.get(), kLockName, O_RDWR | O_CREAT, 0600));
    if (flock_retried(created.lock.get(), LOCK_EX) != 0)
      return fail_errno("lock the session '" + created.name + "'", errno);
    created.displaced = TRY(transfer_name(names_.get(), created.name, created.id));
    return {};
  }();
  if (!finished) {
    remove_files(created.id);
    return std::unexpected(std::move(finished).error());
  }
  return created;
}

void SessionStore::undo_create(const Created& created) {
  const auto names_lock = take_names_lock(names_.get());
  // First what takes space: the disk may be full.
  remove_files(created.id);
  give_back_name(names_.get(), created.name, created.id, created.displaced);
}

Result<SessionStore::Restored> SessionStore::restore(const std::string& id) {
  CHECK(is_ulid(id));
  const std::string attempted = "make the directory of the session " + id + " anew";
  if (::mkdirat(sessions_.get(), id.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno(attempted, errno);
  Restored restored;
  restored.directory = open_directory_at(sessions_.get(), id);
  if (!restored.directory) return fail_errno(attempted, errno);
  restored.lock = TRY(sys::open_at(restored.directory.get(), kLockName, O_RDWR | O_CREAT, 0600));
  TRY(try_lock(restored.lock.get(), attempted));
  return restored;
}

Result<> SessionStore::restore_name(const std::string& id, const std::string& name) {
  CHECK(is_ulid(id));
  if (!is_session_name(name)) return {};
  const std::string attempted = "give the session '" + name + "' its name back";
  const Fd names_lock = TRY(sys::open_at(names_.get(), kNamesLockName, O_RDWR | O_CREAT, 0600));
  TRY(try_lock(names_lock.get(), attempted));
  if (id_behind(names_.get(), name) == id || !is_free(name)) return {};
  TRY(transfer_name(names_.get(), name, id));
  return {};
}

bool SessionStore::is_free(const std::string& name) const {
  const std::string id = id_behind(names_.get(), name);
  if (id.empty()) return true;
  const std::optional<Entry> entry = read_entry(id);
  return !entry || entry->life == Life::exited || entry->life == Life::lost;
}

std::optional<SessionStore::Entry> SessionStore::read_entry(const std::string& id) const {
  const Fd directory = open_directory_at(sessions_.get(), id);
  if (!directory) return std::nullopt;
  auto manifest = Manifest::read_from(directory.get());
  if (manifest && manifest->id() == id) {
    const Life life = life_of(*manifest, directory.get());
    return Entry{id, std::move(*manifest), life};
  }
  if (!is_locked(directory.get())) return std::nullopt;
  Entry starting{id, {}, Life::starting};
  starting.manifest.json.set("id", id);
  return starting;
}

std::vector<std::string> SessionStore::all_ids() const { return entries_of(sessions_.get(), is_ulid); }

std::vector<std::string> SessionStore::all_names() const { return entries_of(names_.get(), is_session_name); }

bool SessionStore::is_whole(const std::string& id) const {
  const auto has = [&](const char* file) {
    return ::faccessat(sessions_.get(), (id + "/" + file).c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  };
  return has(kManifestName) && has(kLockName);
}

std::vector<std::string> SessionStore::broken_ids(std::vector<std::string> others) const {
  std::vector<std::string> ids = all_ids();
  std::ranges::move(others, std::back_inserter(ids));
  for (const std::string& name : all_names()) {
    if (std::string id = id_behind(names_.get(), name); !id.empty()) ids.push_back(std::move(id));
  }
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  std::erase_if(ids, [&](const std::string& id) { return is_whole(id); });
  return ids;
}

void SessionStore::each(const std::function<void(Entry)>& f) const {
  for (const std::string& id : all_ids()) {
    if (auto entry = read_entry(id)) f(std::move(*entry));
  }
}

Result<std::vector<SessionStore::Entry>> SessionStore::list() const {
  std::vector<Entry> entries;
  each([&](Entry entry) { entries.push_back(std::move(entry)); });
  return entries;
}

// The id that a handle means; its session may be gone.
Result<std::string> SessionStore::resolve(const std::string& handle) const {
  const std::string attempted = "find the session '" + printable(handle, kShownChars) + "'";
  if (is_session_name(handle)) {
    if (std::string id = id_behind(names_.get(), handle); !id.empty()) return id;
  }
  std::string prefix = handle;
  for (char& c : prefix) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::vector<std::string> matching = all_ids();
  std::erase_if(matching, [&](const std::string& id) { return !id.starts_with(prefix); });
  if (prefix.empty() || matching.empty()) {
    std::string advice = "`hold ls` shows all sessions";
    const std::vector<std::string> similar = similar_names(handle, all_names(), kSuggestionsMax);
    for (std::size_t i = 0; i < similar.size(); ++i) {
      advice = i == 0 ? "did you mean '" + similar[0] + "'" : advice + " or '" + similar[i] + "'";
    }
    if (!similar.empty()) advice += "?";
    return fail(ErrorKind::not_found, attempted, "no session has that name or id", advice);
  }
  if (matching.size() > 1) {
    return fail(ErrorKind::usage, attempted, std::to_string(matching.size()) + " ids begin so",
                "give more of the id, or the name");
  }
  return matching[0];
}

Result<SessionStore::Entry> SessionStore::find(const std::string& handle) const {
  const std::string id = TRY(resolve(handle));
  if (auto entry = read_entry(id)) return std::move(*entry);
  return fail(ErrorKind::not_found, "find the session '" + printable(handle, kShownChars) + "'",
              "its record is gone or unreadable", "look into " + directory_of(id) + ", or remove that directory");
}

Result<> SessionStore::remove(const std::string& id, Lock whose) {
  CHECK(is_ulid(id));
  const std::string attempted = "remove the session " + id;
  const Fd directory = open_directory_at(sessions_.get(), id);
  if (!directory) return fail(ErrorKind::not_found, attempted, "there is no such session");
  const auto manifest = Manifest::read_from(directory.get());
  if (manifest && life_of(*manifest, directory.get()) == Life::elsewhere) {
    return fail(ErrorKind::refused, attempted, "it belongs to another machine", "remove it there");
  }
  std::optional<Fd> lock;
  if (whose == Lock::of_others) {
    lock = take_free_lock(directory.get());
    if (!lock) return fail(ErrorKind::refused, attempted, "it still runs", "end it with `hold kill --rm " + id + "`");
  }
  const Fd names_lock = TRY(take_names_lock(names_.get()));
  if (manifest) release_name(names_.get(), manifest->name(), id);
  remove_files(id);
  return {};
}

bool SessionStore::sweep(const std::string& id) const {
  // A start holds it until the session has its lock.
  const auto names_lock = take_names_lock(names_.get());
  if (!names_lock) return false;
  if (const Fd directory = open_directory_at(sessions_.get(), id); directory) {
    if (::faccessat(directory.get(), kManifestName, F_OK, AT_SYMLINK_NOFOLLOW) == 0) return false;
    const auto lock = take_free_lock(directory.get());
    if (!lock) return false;
    remove_files(id);
  }
  for (const std::string& name : all_names()) release_name(names_.get(), name, id);
  return true;
}

}  // namespace holdfast::store
