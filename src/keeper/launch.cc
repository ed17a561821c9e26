#include "keeper/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>

#include "base/limits.h"
#include "base/paths.h"
#include "base/ring.h"
#include "base/roles.h"
#include "base/sys.h"
#include "base/vfork.h"
#include "pty/spawn.h"

extern char** environ;

namespace holdfast::keeper {
namespace {

// Descriptors are first moved up here, so that putting one on its number cannot close another.
constexpr int kParkingFrom = 64;

// What a session consists of before its program runs. The caller's own are closed when it has been launched.
struct Parts {
  Fd binary, master, listener, ring, socket_directory;
  std::string slave;
};

// All that the processes between caller and keeper need. They run on the caller's memory, each while the one before sleeps.
struct Start {
  const LaunchSpec& spec;
  const Parts& parts;
  pty::SpawnSpec program;
  // The keeper's words, its strings here because nobody would free those of a process that executes.
  std::string verb, id, name;
  std::array<char, 16> pid{};
  // Answers.
  bool executed = false;
  std::optional<Error> failure{};
};

mode_t own_umask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

Result<Fd> make_ring(const pty::Size& size) {
  Fd memfd = TRY(RingWriter::create_memfd(limits::kRingBytes));
  RingWriter ring = TRY(RingWriter::map(memfd.get()));
  ring.log_resize({0, size.cols, size.rows, size.xpixel, size.ypixel});
  return memfd;
}

Result<Parts> prepare(const LaunchSpec& spec) {
  Parts parts;
  parts.binary = TRY(sys::open_file(spec.binary, O_RDONLY));
  pty::Pty pty = TRY(pty::open(spec.size, spec.line_settings ? &*spec.line_settings : nullptr));
  parts.master = std::move(pty.master);
  parts.slave = std::move(pty.slave);
  parts.ring = TRY(make_ring(spec.size));
  parts.socket_directory = TRY(sys::open_private_directory(spec.socket_directory));
  parts.listener = TRY(sys::listen_unix_at(parts.socket_directory.get(), paths::socket_name(spec.id), sys::kListenBacklog));
  return parts;
}

pty::SpawnSpec program_of(const LaunchSpec& spec, const Parts& parts) {
  pty::SpawnSpec program;
  program.argv = spec.argv;
  program.argv0 = spec.argv0;
  program.environment = spec.environment;
  program.directory = spec.cwd;
  program.file_mode_mask = own_umask();
  program.slave = parts.slave;
  return program;
}

// Puts every descriptor on its number of base/roles.h and closes all others.
bool arrange_descriptors(const Start& start, int program, int null) {
  const Parts& parts = start.parts;
  struct Place {
    int from, to;
  };
  std::array<Place, 10> places = {{{null, 0},
                                   {null, 1},
                                   {null, 2},
                                   {parts.binary.get(), roles::kBinaryFd},
                                   {parts.master.get(), roles::kMasterFd},
                                   {parts.listener.get(), roles::kListenerFd},
                                   {parts.ring.get(), roles::kRingFd},
                                   {start.spec.session_directory, roles::kSessionDirFd},
                                   {start.spec.lock, roles::kLockFd},
                                   {program, roles::kProgramFd}}};
  for (Place& place : places) {
    place.from = ::fcntl(place.from, F_DUPFD, kParkingFrom);
    if (place.from < 0) return false;
  }
  for (const Place& place : places) {
    if (::dup2(place.from, place.to) < 0) return false;
  }
  return ::syscall(SYS_close_range, static_cast<unsigned>(roles::kPeerFd), ~0u, 0u) == 0;
}

// Comes back only on failure, with its errno.
int become_keeper(Start& start, const pty::Spawned& program) {
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null || ::chdir("/") != 0 || !arrange_descriptors(start, program.pidfd.get(), null.get())) return errno;
  sys::reset_signals();  // ignored ones would be inherited by every process of the session
  std::to_chars(start.pid.data(), start.pid.data() + start.pid.size() - 1, program.pid);
  char* argv[] = {start.verb.data(), start.id.data(), start.name.data(), start.pid.data(), nullptr};
  start.executed = true;
  ::syscall(SYS_execveat, roles::kBinaryFd, "", argv, environ, AT_EMPTY_PATH);
  start.executed = false;
  return errno;
}

std::string attempt(const LaunchSpec& spec) { return "start the session '" + spec.name + "'"; }

int run_launcher(void* argument) {
  auto& start = *static_cast<Start*>(argument);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto program = pty::spawn(start.program);
  if (!program) {
    start.failure = std::move(program).error();
    return 1;
  }
  const int error_number = become_keeper(start, *program);
  // A program without keeper would be a session that nobody can reach.
  ::kill(program->pid, SIGKILL);
  start.failure = fail_errno(attempt(start.spec), error_number).error();
  return 1;
}

std::unexpected<Error> no_process(const LaunchSpec& spec) {
  return fail_errno(attempt(spec), errno, "end some processes, or raise their limit (ulimit -u)");
}

// Between caller and launcher: the launcher is not a child of the caller, and in a session without a terminal, so nothing
// that ends the caller ends the keeper.
int run_middle(void* argument) {
  auto& start = *static_cast<Start*>(argument);
  ::setsid();
  if (sys::vfork_call(run_launcher, &start) < 0) start.failure = no_process(start.spec).error();
  return 0;
}

Result<> run(Start& start) {
  const pid_t middle = sys::vfork_call(run_middle, &start);
  if (middle < 0) return no_process(start.spec);
  while (::waitpid(middle, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (start.executed) return {};
  if (start.failure) return std::unexpected(std::move(*start.failure));
  return fail(ErrorKind::failed, attempt(start.spec), "its first process ended without a word",
              "look for messages of the system about it (dmesg), and try again");
}

}  // namespace

Result<> launch(const LaunchSpec& spec) {
  const Parts parts = TRY(prepare(spec));
  Start start{spec, parts, program_of(spec, parts), roles::kKeeperVerb, spec.id, spec.name};
  auto launched = run(start);
  if (!launched) ::unlinkat(parts.socket_directory.get(), paths::socket_name(spec.id).c_str(), 0);
  return launched;
}

}  // namespace holdfast::keeper
