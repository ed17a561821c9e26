#include "holder/system_host.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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

// Between fork and exec: only what is safe there.
[[noreturn]] void become_shadow(int socket, int ring, char** argv) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Both lie above the numbers they get, so neither overwrites the other; dup2 clears their CLOEXEC.
  if (::dup2(socket, roles::kVtdSocketFd) < 0 || ::dup2(ring, roles::kVtdRingFd) < 0) ::_exit(127);
  ::syscall(SYS_close_range, static_cast<unsigned>(roles::kVtdFdEnd), ~0u, 0u);
  ::syscall(SYS_execveat, roles::kBinaryFd, "", argv, environ, AT_EMPTY_PATH);
  ::_exit(127);
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
  const auto queued = writer_->replace(store::kManifestName, std::move(text),
                                       durable == Durable::yes ? sys::Durable::yes : sys::Durable::no);
  if (!queued) log::error(queued.error().message());
  unsaved_ = queued ? *queued : 0;
}

void SystemHost::take_outcomes() {
  for (const auto& outcome : writer_->take_outcomes()) {
    if (!outcome.result) log::error(outcome.result.error().message());
    if (outcome.ticket == unsaved_) unsaved_ = 0;
  }
}

bool SystemHost::is_manifest_saved() {
  if (writer_) take_outcomes();
  return unsaved_ == 0;
}

Result<> SystemHost::remove_session() {
  auto store = TRY(store::SessionStore::open(paths::state_dir()));
  // What still waits is written first: a file made while the directory is emptied would keep it from going away.
  writer_.reset();
  if (auto removed = store.remove(session_.id, true); !removed) {
    writer_ = TRY(store::FileWriter::create(roles::kSessionDirFd));
    return removed;
  }
  if (session_.socket.ends_with("/" + session_.id + ".sock")) ::unlink(session_.socket.c_str());
  return {};
}

}  // namespace holdfast::holder
