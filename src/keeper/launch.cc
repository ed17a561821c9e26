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

#include "base/limits.h"
#include "base/paths.h"
#include "base/ring.h"
#include "base/roles.h"
#include "base/sys.h"
#include "pty/spawn.h"

extern char** environ;

namespace holdfast::keeper {
namespace {

// Descriptors are first moved up here, so that putting one on its number cannot close another.
constexpr int kParkingFrom = 64;
// An error in its words, bytes; what is longer is cut.
constexpr std::size_t kReportBytesMax = 16u << 10;

// What the launcher says to the caller through the pipe: kOk, or an error as its kind and three texts, each ended by
// NUL.
constexpr char kOk = 'o', kError = 'e';

std::string encode(const Error& error) {
  std::string report{kError, static_cast<char>(error.kind)};
  for (const std::string* text : {&error.attempted, &error.problem, &error.advice}) report += *text + '\0';
  return report;
}

std::string take_text(std::string_view& report) {
  const std::size_t end = std::min(report.find('\0'), report.size());
  std::string text(report.substr(0, end));
  report.remove_prefix(std::min(end + 1, report.size()));
  return text;
}

Result<> decode(std::string_view report, const std::string& name) {
  if (report.starts_with(kOk)) return {};
  if (report.size() < 2 || report[0] != kError) {
    return fail(ErrorKind::failed, "start the session '" + name + "'", "its first process ended without a word",
                "look for messages of the system about it (dmesg), and try again");
  }
  Error error;
  error.kind = static_cast<ErrorKind>(report[1]);
  report.remove_prefix(2);
  error.attempted = take_text(report);
  error.problem = take_text(report);
  error.advice = take_text(report);
  return std::unexpected(std::move(error));
}

std::string read_report(int pipe) {
  std::string report;
  std::array<char, 1024> piece;
  while (report.size() < kReportBytesMax) {
    const ssize_t n = ::read(pipe, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    report.append(piece.data(), static_cast<std::size_t>(n));
    if (report[0] == kOk) break;
  }
  return report;
}

// What a session consists of before its keeper runs. Whatever is left of it at the end of a failed launch is closed.
struct Parts {
  Fd binary, master, listener, ring, socket_directory;
  pty::Spawned program;
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

Result<Parts> build(const LaunchSpec& spec) {
  Parts parts;
  parts.binary = TRY(sys::open_file(spec.binary, O_RDONLY));
  pty::Pty pty = TRY(pty::open(spec.size, spec.line_settings ? &*spec.line_settings : nullptr));
  parts.master = std::move(pty.master);
  parts.ring = TRY(make_ring(spec.size));
  parts.socket_directory = TRY(sys::open_private_directory(spec.socket_directory));
  parts.listener = TRY(sys::listen_unix_at(parts.socket_directory.get(), paths::socket_name(spec.id), sys::kListenBacklog));

  pty::SpawnSpec program;
  program.argv = spec.argv;
  program.argv0 = spec.argv0;
  program.environment = spec.environment;
  program.directory = spec.cwd;
  program.file_mode_mask = own_umask();
  program.slave = std::move(pty.slave);
  auto spawned = pty::spawn(program);
  if (!spawned) {
    ::unlinkat(parts.socket_directory.get(), paths::socket_name(spec.id).c_str(), 0);
    return std::unexpected(std::move(spawned).error());
  }
  parts.program = std::move(*spawned);
  return parts;
}

// Puts every descriptor on its number of base/roles.h and closes all others.
bool arrange_descriptors(const Parts& parts, const LaunchSpec& spec, int null) {
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
                                   {spec.session_directory, roles::kSessionDirFd},
                                   {spec.lock, roles::kLockFd},
                                   {parts.program.pidfd.get(), roles::kProgramFd}}};
  for (Place& place : places) {
    place.from = ::fcntl(place.from, F_DUPFD, kParkingFrom);
    if (place.from < 0) return false;
  }
  for (const Place& place : places) {
    if (::dup2(place.from, place.to) < 0) return false;
  }
  return ::syscall(SYS_close_range, static_cast<unsigned>(roles::kPeerFd), ~0u, 0u) == 0;
}

[[noreturn]] void become_keeper(const Parts& parts, const LaunchSpec& spec) {
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (null && ::chdir("/") == 0 && arrange_descriptors(parts, spec, null.get())) {
    sys::reset_signals();  // ignored ones would be inherited by every process of the session
    std::string verb = roles::kKeeperVerb, id = spec.id, name = spec.name, pid = std::to_string(parts.program.pid);
    char* argv[] = {verb.data(), id.data(), name.data(), pid.data(), nullptr};
    ::syscall(SYS_execveat, roles::kBinaryFd, "", argv, environ, AT_EMPTY_PATH);
  }
  // A program without keeper would be a session that nobody can reach.
  ::kill(parts.program.pid, SIGKILL);
  ::unlink((spec.socket_directory + "/" + paths::socket_name(spec.id)).c_str());
  ::_exit(1);
}

[[noreturn]] void run_launcher(const LaunchSpec& spec, int report) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto parts = build(spec);
  if (!parts) {
    (void)sys::write_all(report, encode(parts.error()));
    ::_exit(1);
  }
  (void)sys::write_all(report, std::string(1, kOk));
  become_keeper(*parts, spec);
}

}  // namespace

Result<> launch(const LaunchSpec& spec) {
  const std::string attempted = "start the session '" + spec.name + "'";
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(attempted, errno);
  const Fd report(ends[0]);
  Fd say(ends[1]);
  const pid_t middle = ::fork();
  if (middle < 0) return fail_errno(attempted, errno, "end some processes, or raise their limit (ulimit -u)");
  if (middle == 0) {
    // Not a child of the caller, and in a session without a terminal: nothing that ends the caller ends the keeper.
    ::setsid();
    const pid_t launcher = ::fork();
    if (launcher == 0) run_launcher(spec, say.get());
    if (launcher < 0) (void)sys::write_all(say.get(), encode(fail_errno(attempted, errno).error()));
    ::_exit(0);
  }
  say.reset();
  const std::string said = read_report(report.get());  // first, as the program may run while the middle one still ends
  while (::waitpid(middle, nullptr, 0) < 0 && errno == EINTR) {
  }
  return decode(said, spec.name);
}

}  // namespace holdfast::keeper
