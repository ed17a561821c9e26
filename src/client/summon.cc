#include "client/summon.h"

#include <dirent.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/fd.h"
#include "base/ids.h"
#include "base/paths.h"
#include "base/roles.h"
#include "base/sys.h"

namespace holdfast::client {

namespace {

// The verb, an id, a name and a pid; /proc/PID/stat and status are as short.
constexpr std::size_t kProcFileBytes = 64u << 10;

template <typename Visit>
void each_entry(const std::string& path, Visit visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  if (directory == nullptr) return;
  while (const dirent* entry = ::readdir(directory.get())) visit(std::string_view(entry->d_name));
}

std::string proc_file(pid_t pid, const char* name) {
  return sys::read_file("/proc/" + std::to_string(pid) + "/" + name, kProcFileBytes).value_or("");
}

// The session that a process is the holder of; "" if it is none.
std::string id_served_by(pid_t pid) {
  const std::string words = proc_file(pid, "cmdline");
  const std::size_t verb_end = words.find('\0');
  if (verb_end == std::string::npos || words.compare(0, verb_end, roles::kHolderVerb) != 0) return {};
  return words.substr(verb_end + 1, words.find('\0', verb_end + 1) - verb_end - 1);
}

struct State {
  char letter = ' ';
  pid_t parent = -1;
};
State state_of(pid_t pid) {
  const std::string text = proc_file(pid, "stat");
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos || text.size() < name_end + 5) return {};
  State state{text[name_end + 2]};
  std::from_chars(text.data() + name_end + 4, text.data() + text.size(), state.parent);
  return state;
}

// A process that does not know the signal would be ended by it: a holder that is only starting blocks it in a moment.
bool blocks_summons(pid_t pid) {
  constexpr std::string_view kField = "\nSigBlk:\t";
  const std::string text = proc_file(pid, "status");
  const std::size_t at = text.find(kField);
  if (at == std::string::npos) return false;
  unsigned long long mask = 0;
  std::from_chars(text.data() + at + kField.size(), text.data() + text.size(), mask, 16);
  return (mask >> (roles::kSummonsSignal - 1) & 1) != 0;
}

std::string directory_of(pid_t pid) {
  constexpr std::string_view kRemoved = " (deleted)";
  std::array<char, PATH_MAX> target;
  const std::string link = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(roles::kSessionDirFd);
  const ssize_t n = ::readlink(link.c_str(), target.data(), target.size());
  std::string path(target.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  if (path.ends_with(kRemoved)) path.resize(path.size() - kRemoved.size());
  return path;
}

// Whether a holder keeps its record in this store: another one may share the directory of the sockets.
bool belongs_to(const HolderProcess& holder, const store::SessionStore& store) {
  const std::string path = store.directory_of(holder.id);
  const std::string parent = path.substr(0, path.rfind('/'));
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(parent.c_str(), nullptr), &std::free);
  return real != nullptr && holder.directory == std::string(real.get()) + "/" + holder.id;
}

// Sessions without a whole record of which something is left: a name, a socket, a part of the record.
std::vector<std::string> broken_ids(const store::SessionStore& store) {
  std::vector<std::string> ids;
  each_entry(paths::socket_dir(), [&](std::string_view name) {
    std::string id(name.substr(0, name.find('.')));
    if (is_ulid(id) && name == paths::socket_name(id)) ids.push_back(std::move(id));
  });
  return store.broken_ids(std::move(ids));
}

// Where a connection is refused, no process has the listener any more.
void remove_socket_of_nobody(const std::string& id) {
  const std::string path = paths::socket_dir() + "/" + paths::socket_name(id);
  const auto connected = sys::connect_unix(path);
  if (!connected && connected.error().kind == ErrorKind::ended) ::unlink(path.c_str());
}

bool is_ours(pid_t pid) {
  struct stat info{};
  return ::stat(("/proc/" + std::to_string(pid)).c_str(), &info) == 0 && info.st_uid == ::geteuid();
}

}  // namespace

std::vector<HolderProcess> find_holders(std::span<const std::string> ids) {
  std::vector<HolderProcess> found;
  std::vector<pid_t> parents;
  if (ids.empty()) return found;
  each_entry("/proc", [&](std::string_view name) {
    pid_t pid = -1;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size()) return;
    std::string id = id_served_by(pid);
    if (std::ranges::find(ids, id) == ids.end() || !is_ours(pid)) return;
    const State state = state_of(pid);
    found.push_back({std::move(id), pid, state.letter == 'T' || state.letter == 't', directory_of(pid)});
    parents.push_back(state.parent);
  });
  // Between fork and exec a child of a holder looks like one.
  std::vector<HolderProcess> holders;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_child = std::ranges::find(found, parents[i], &HolderProcess::pid) != found.end();
    if (!is_child) holders.push_back(std::move(found[i]));
  }
  return holders;
}

Silence silence_of(const std::string& id, const std::string& socket, std::span<const HolderProcess> holders) {
  const auto holder = std::ranges::find(holders, id, &HolderProcess::id);
  if (holder == holders.end()) {
    return {"its holder does not answer: none runs just now", "its keeper starts another; try again in a moment"};
  }
  const std::string pid = std::to_string(holder->pid);
  const std::string who = "its holder (process " + pid + ") ";
  if (holder->stopped) return {who + "does not answer: it is stopped", "let it go on with: kill -CONT " + pid, false};
  if (::access(socket.c_str(), F_OK) != 0) {
    const std::string log = store::SessionStore::directory_of(paths::state_dir(), id) + "/" + roles::kLogName;
    return {"its socket " + socket + " is gone, and " + who + "has not made it again",
            "what hinders it stands in " + log, false};
  }
  return {who + "does not answer", "the machine may be busy; try again in a moment"};
}

std::size_t summon(std::span<const HolderProcess> holders) {
  std::size_t told = 0;
  for (const HolderProcess& holder : holders) {
    // The descriptor first: what is checked then is the process that is signalled, whoever has its number later.
    const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, holder.pid, 0u)));
    if (!process || id_served_by(holder.pid) != holder.id || !blocks_summons(holder.pid)) continue;
    if (::syscall(SYS_pidfd_send_signal, process.get(), roles::kSummonsSignal, nullptr, 0u) == 0) ++told;
  }
  return told;
}

void summon_broken(const store::SessionStore& store, const Clock& clock) {
  std::vector<std::string> broken = broken_ids(store);
  if (broken.empty()) return;
  auto holders = find_holders(broken);
  std::erase_if(holders, [&](const HolderProcess& holder) { return !belongs_to(holder, store); });
  const bool told = summon(holders) > 0;
  const auto is_awaited = [&](const std::string& id) {
    return std::ranges::find(holders, id, &HolderProcess::id) != holders.end();
  };
  for (const std::string& id : broken) {
    if (is_awaited(id)) continue;
    // The socket of a session that is only starting refuses, too, until its listener is ready.
    if (store.sweep(id)) remove_socket_of_nobody(id);
  }
  const Instant deadline = clock.now() + kSummonWait;
  while (told && std::ranges::any_of(broken, is_awaited) && clock.now() < deadline) {
    ::poll(nullptr, 0, kLookAgainMs);
    broken = broken_ids(store);
  }
}

}  // namespace holdfast::client
