#include "holder/system_host.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "base/log.h"
#include "base/paths.h"
#include "base/roles.h"
#include "base/sys.h"
#include "store/manifest.h"
#include "store/session_store.h"

extern char** environ;

namespace holdfast::holder {
namespace {

// What a person is shown goes before what the shadow draws of it, which may lag within bounds. Not lower: on a machine whose
// processors are all taken it still gets a tenth of one, which parses tens of megabytes a second.
constexpr int kShadowNice = 10;

// Between fork and exec: only what is safe there.
[[noreturn]] void become_shadow(int socket, int ring, char** argv) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpriority(PRIO_PROCESS, 0, kShadowNice);  // if it fails, as it was
  // Both lie above the numbers they get, so neither overwrites the other; dup2 clears their CLOEXEC.
  if (::dup2(socket, roles::kVtdSocketFd) < 0 || ::dup2(ring, roles::kVtdRingFd) < 0) ::_exit(127);
  ::syscall(SYS_close_range, static_cast<unsigned>(roles::kVtdFdEnd), ~0u, 0u);
  ::syscall(SYS_execveat, roles::kBinaryFd, "", argv, environ, AT_EMPTY_PATH);
  ::_exit(127);
}

// Whether the open file is the one that stands at the path.
bool is_at(int fd, const std::string& path) {
  struct stat open{}, there{};
  if (::fstat(fd, &open) != 0 || ::lstat(path.c_str(), &there) != 0) return false;
  return open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

}  // namespace

Result<std::unique_ptr<SystemHost>> SystemHost::create(Session session) {
  auto writer = TRY(store::FileWriter::create(roles::kSessionDirFd));
  return std::unique_ptr<SystemHost>(new SystemHost(std::move(session), std::move(writer)));
}

Result<Host::Shadow> SystemHost::start_shadow() {
  auto [ours, theirs] = TRY(sys::socket_pair(SOCK_SEQPACKET | SOCK_NONBLOCK));
  const Fd ring = TRY(sys::open_file("/proc/self/fd/" + std::to_string(roles::kRingFd), O_RDONLY));
  CHECK(theirs.get() >= roles::kVtdFdEnd && ring.get() >= roles::kVtdFdEnd);
  char* argv[] = {const_cast<char*>(roles::kVtdVerb), session_.id.data(), session_.name.data(), nullptr};
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno("start the shadow terminal", errno);
  if (pid == 0) become_shadow(theirs.get(), ring.get(), argv);
  return Shadow{std::move(ours), pid};
}

int SystemHost::end_shadow(pid_t pid) {
  ::kill(pid, SIGKILL);
  int status = 0;
  // Short: it is dying, and it holds no file that could keep it.
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

Duration SystemHost::shadow_time(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return Duration::zero();
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool SystemHost::is_shadow_at_work(pid_t pid) {
  // The state's letter stands behind the name, which may hold anything but is the binary's own.
  const auto stat = sys::read_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  const std::size_t name_end = stat ? stat->rfind(") ") : std::string::npos;
  return name_end != std::string::npos && stat->compare(name_end + 2, 1, "R") == 0;
}

void SystemHost::keep_checkpoint(int file) { give_to_keeper(file, roles::kCheckpointFd); }

void SystemHost::give_memory_back() { ::malloc_trim(0); }

Result<> SystemHost::set_terminal_size(const pty::Size& size) { return pty::set_size(roles::kMasterFd, size); }

std::string SystemHost::foreground_command() {
  const auto group = pty::foreground_group(roles::kMasterFd);
  if (!group || *group <= 0) return {};
  const auto command = sys::read_file("/proc/" + std::to_string(*group) + "/comm", 64);
  return command ? command->substr(0, command->find('\n')) : std::string();
}

Result<> SystemHost::signal_foreground(int signal_number) {
  const auto group = pty::foreground_group(roles::kMasterFd);
  if (group && *group > 1 && ::kill(-*group, signal_number) == 0) return {};
  return fail(ErrorKind::failed, "send signal " + std::to_string(signal_number),
              "no process is in the foreground of the session");
}

void SystemHost::hang_up_program() {
  const auto group = pty::foreground_group(roles::kMasterFd);
  for (const pty::Process& process : tree(-1)) {
    if (process.session != session_.program && (!group || process.group != *group)) continue;
    pty::signal_process(process, SIGHUP);
    pty::signal_process(process, SIGCONT);
  }
}

void SystemHost::kill_tree(pid_t shadow) {
  for (const pty::Process& process : tree(shadow)) pty::signal_process(process, SIGKILL);
}

bool SystemHost::is_tree_empty(pid_t shadow) { return tree(shadow).empty(); }

// A session that was started from inside this one hangs below our keeper, too (it adopts orphans), but is its own.
void SystemHost::leave_other_sessions(const std::vector<pty::Process>& all, std::vector<pty::Process>& found) const {
  std::vector<pid_t> others;
  for (const pty::Process& process : found) {
    if (process.command != roles::kKeeperVerb || process.pid == session_.keeper) continue;
    others.push_back(process.pid);
    for (const pty::Process& below : pty::descendants(all, process.pid)) others.push_back(below.pid);
  }
  std::erase_if(found, [&](const pty::Process& process) { return std::ranges::count(others, process.pid) > 0; });
}

// Everything of the session that runs, nearest first.
std::vector<pty::Process> SystemHost::tree(pid_t shadow) const {
  const auto all = pty::read_processes();
  if (!all) return {};
  // Without its keeper nobody knows whose descendants are this session's: what is below the program, and its session.
  const bool has_keeper = ::getppid() == session_.keeper && session_.keeper > 1;
  std::vector<pty::Process> found = pty::descendants(*all, has_keeper ? session_.keeper : session_.program);
  leave_other_sessions(*all, found);
  for (const pty::Process& process : *all) {
    const bool belongs = process.pid == session_.program || process.session == session_.program;
    const bool known = std::ranges::find(found, process.pid, &pty::Process::pid) != found.end();
    if (belongs && !known) found.push_back(process);
  }
  const pid_t self = ::getpid();
  std::erase_if(found, [&](const pty::Process& process) {
    return process.zombie || process.pid == self || process.pid == shadow || process.pid == session_.keeper;
  });
  return found;
}

void SystemHost::save_manifest(std::string text, Durable durable) {
  if (!writer_) return;
  take_outcomes();
  manifest_ = std::move(text);
  durable_ = durable;
  if (name_due_) (void)renew_name();
  queue_manifest();
}

void SystemHost::queue_manifest() {
  const auto queued = writer_->replace(store::kManifestName, manifest_,
                                       durable_ == Durable::yes ? sys::Durable::yes : sys::Durable::no);
  if (!queued) log::error(queued.error().message());
  unsaved_ = queued ? *queued : 0;
}

// Nothing is looked at on the disk before a write: a home that hangs would hang the loop. A removed directory is
// noticed by the write that fails.
void SystemHost::take_outcomes() {
  bool failed = false;
  for (const auto& outcome : writer_->take_outcomes()) {
    if (!outcome.result) log::error(outcome.result.error().message());
    if (outcome.ticket != unsaved_) continue;
    unsaved_ = 0;
    failed = !outcome.result;
  }
  if (!failed) return;
  const auto renewed = renew_record();
  if (!renewed) return log::error(renewed.error().message());
  if (*renewed == Made::anew) queue_manifest();
}

bool SystemHost::is_manifest_saved() {
  if (writer_) take_outcomes();
  return unsaved_ == 0;
}

Result<> SystemHost::renew_places() {
  if (!writer_) return {};
  const auto record = renew_record();
  TRY(renew_socket());
  TRY(record);
  return name_due_ ? renew_name() : Result<>();
}

Result<SystemHost::Made> SystemHost::renew_record() {
  const std::string state_dir = paths::state_dir();
  const std::string directory = store::SessionStore::directory_of(state_dir, session_.id);
  if (is_at(roles::kSessionDirFd, directory) && is_at(roles::kLockFd, directory + "/" + store::kLockName)) {
    return Made::nothing;
  }
  auto store = TRY(store::SessionStore::open(state_dir));
  auto restored = TRY(store.restore(session_.id));
  TRY(replace_descriptor(std::move(restored.directory), roles::kSessionDirFd));
  TRY(replace_descriptor(std::move(restored.lock), roles::kLockFd));
  (void)log::open(roles::log_path());
  log::warning("the session's directory had been removed and was made anew: " + directory);
  name_due_ = true;
  (void)renew_name();
  return Made::anew;
}

// Without its name it is still reached by its id.
Result<> SystemHost::renew_name() {
  auto store = TRY(store::SessionStore::open(paths::state_dir()));
  TRY(store.restore_name(session_.id, session_.name));
  name_due_ = false;
  return {};
}

Result<> SystemHost::renew_socket() {
  const std::string& path = session_.socket;
  // A connection is the proof: that something lies at the path is not.
  const auto probe = sys::connect_unix(path);
  if (probe || !sys::is_unserved(probe.error()) || !paths::is_socket_of(path, session_.id)) return {};
  const Fd directory = TRY(sys::open_private_directory(path.substr(0, path.rfind('/'))));
  const std::string name = paths::socket_name(session_.id);
  ::unlinkat(directory.get(), name.c_str(), 0);
  TRY(replace_descriptor(TRY(sys::listen_unix_at(directory.get(), name, sys::kListenBacklog)), roles::kListenerFd));
  log::warning("the session's socket had been removed and was made anew: " + path);
  return {};
}

// Ours, and the keeper's: the next holder has it from there.
Result<> SystemHost::replace_descriptor(Fd made, int number) {
  if (::dup2(made.get(), number) < 0) return fail_errno("replace descriptor " + std::to_string(number), errno);
  give_to_keeper(number, number);
  return {};
}

void SystemHost::give_to_keeper(int fd, int number) const {
  const roles::HolderNote note{number};
  const std::string_view bytes(reinterpret_cast<const char*>(&note), sizeof note);
  if (const auto sent = sys::send_with_fd(roles::kPeerFd, bytes, fd); !sent) log::error(sent.error().message());
  if (::getppid() == session_.keeper) ::kill(session_.keeper, roles::kSummonsSignal);
}

Result<> SystemHost::remove_session() {
  TRY(renew_record());  // what is gone cannot give its name up
  auto store = TRY(store::SessionStore::open(paths::state_dir()));
  // What still waits is written first: a file made while the directory is emptied would keep it from going away.
  writer_.reset();
  if (auto removed = store.remove(session_.id, store::SessionStore::Lock::of_caller); !removed) {
    writer_ = TRY(store::FileWriter::create(roles::kSessionDirFd));
    return removed;
  }
  if (paths::is_socket_of(session_.socket, session_.id)) ::unlink(session_.socket.c_str());
  return {};
}

}  // namespace holdfast::holder
