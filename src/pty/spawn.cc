#include "pty/spawn.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/sys.h"
#include "base/text.h"
#include "base/vfork.h"

namespace holdfast::pty {
namespace {

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr const char* kShellOfFormatless = "/bin/sh";
// Of 1000: under memory pressure a program goes before the session that keeps its screen.
constexpr int kOomScore = 500;
constexpr std::string_view kOomScoreText = "500";
// Of a name in an error, code points: a line of a terminal or two.
constexpr std::size_t kShownChars = 200;
// Where the kernel cannot close a range: descriptors looked at, at most. A limit above it is nobody's daily one, and a
// close for each number would take seconds.
constexpr rlim_t kClosedMax = 65536;

// How far the child came.
enum class Stage { session, terminal, directory, exec };

// Everything the child needs, prepared before it exists: it shares our memory and may neither allocate nor lock.
struct ChildPlan {
  const char* path;
  char** argv;
  char** shell_argv;  // /bin/sh, path, the arguments
  char** environment;
  const char* slave;
  int directory;
  mode_t file_mode_mask;
  bool raise_oom_score;
  // Answers.
  Stage stage = Stage::session;
  int error_number = 0;
};

void raise_oom_score() {
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  // A refusal changes nothing that we promise.
  [[maybe_unused]] const ssize_t written = ::write(file, kOomScoreText.data(), kOomScoreText.size());
  ::close(file);
}

void close_others() {
  if (::syscall(SYS_close_range, 3u, ~0u, 0u) == 0) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const int end = static_cast<int>(std::min(limit.rlim_cur, kClosedMax));
  for (int fd = 3; fd < end; ++fd) ::close(fd);
}

bool take_terminal(const char* slave) {
  const int terminal = ::open(slave, O_RDWR);
  if (terminal < 0) return false;
  ::ioctl(terminal, TIOCSCTTY, 0);
  for (int fd = 0; fd <= 2; ++fd) {
    if (::dup2(terminal, fd) < 0) return false;
  }
  return true;
}

// Runs in the child, on memory shared with the suspended parent. Comes back only on failure.
int child(void* argument) {
  auto& plan = *static_cast<ChildPlan*>(argument);
  const auto stopped = [&] {
    plan.error_number = errno;
    return 127;
  };
  if (::setsid() < 0) return stopped();
  plan.stage = Stage::terminal;
  if (!take_terminal(plan.slave)) return stopped();
  plan.stage = Stage::directory;
  if (plan.directory >= 0 && ::fchdir(plan.directory) != 0) return stopped();
  close_others();
  ::umask(plan.file_mode_mask);
  if (plan.raise_oom_score) raise_oom_score();
  sys::reset_signals();
  plan.stage = Stage::exec;
  ::execve(plan.path, plan.argv, plan.environment);
  if (errno == ENOEXEC) ::execve(kShellOfFormatless, plan.shell_argv, plan.environment);
  return stopped();
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

std::string attempt(const std::string& program) { return "start '" + printable(program, kShownChars) + "'"; }

std::unexpected<Error> cannot(const std::string& program, std::string problem, std::string advice) {
  return fail(ErrorKind::failed, attempt(program), std::move(problem), std::move(advice));
}

std::unexpected<Error> explain(const ChildPlan& plan, const std::string& program) {
  const int error_number = plan.error_number;
  switch (plan.stage) {
    case Stage::session:
      break;
    case Stage::terminal: {
      Error error = fail_errno(attempt(program), error_number).error();
      error.problem = "its terminal cannot be opened: " + error.problem;
      return std::unexpected(std::move(error));
    }
    case Stage::directory:
      if (error_number == EACCES) {
        return cannot(program, "its working directory may not be entered",
                      "choose another directory, or change its permissions");
      }
      break;
    case Stage::exec:
      switch (error_number) {
        case ENOENT:
          return cannot(program, "its interpreter is missing",
                        "look at the first line of the file, or install what it names");
        case EACCES:
          return cannot(program, "it may not be executed",
                        "make it executable with chmod +x, or check its file system");
        case E2BIG:
          return cannot(program, "arguments and environment are too long", "pass less, or pass it through a file");
        case ENOEXEC:
          return cannot(program, "it is no program for this machine", "install the right build of it");
        default:
          break;
      }
  }
  return fail_errno(attempt(program), error_number);
}

std::string path_of(const std::vector<std::string>& environment) {
  for (const std::string& entry : environment) {
    if (entry.starts_with("PATH=")) return entry.substr(5);
  }
  return kDefaultPath;
}

enum class Found { no, yes, not_executable, is_directory };

Found look_at(int directory, const std::string& path) {
  struct stat info{};
  if (::fstatat(directory, path.c_str(), &info, 0) != 0) return errno == EACCES ? Found::not_executable : Found::no;
  if (S_ISDIR(info.st_mode)) return Found::is_directory;
  return ::faccessat(directory, path.c_str(), X_OK, AT_EACCESS) == 0 ? Found::yes : Found::not_executable;
}

std::unexpected<Error> not_executable(const std::string& program, const std::string& path) {
  return cannot(program, "'" + printable(path, kShownChars) + "' is not executable",
                "make it executable with chmod +x, or name another program");
}

Result<std::string> find_by_path(int directory, const std::string& program) {
  switch (look_at(directory, program)) {
    case Found::yes:
      return program;
    case Found::not_executable:
      return not_executable(program, program);
    case Found::is_directory:
      return cannot(program, "it is a directory", "name a program in it");
    case Found::no:
      break;
  }
  return cannot(program, "there is no such file", "check the spelling of its path");
}

// A path that works for a process whose working directory is `directory`.
Result<std::string> find_at(int directory, const std::string& program, const std::string& path) {
  if (program.empty()) return cannot(program, "the name is empty", "name a program");
  if (program.find('/') != std::string::npos) return find_by_path(directory, program);
  std::string unusable;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    std::string candidate = path.substr(begin, end - begin);
    candidate = (candidate.empty() ? "." : candidate) + "/" + program;
    const Found found = look_at(directory, candidate);
    if (found == Found::yes) return candidate;
    if (found == Found::not_executable && unusable.empty()) unusable = candidate;
    begin = end + 1;
  }
  if (!unusable.empty()) return not_executable(program, unusable);
  return cannot(program, "there is no such program on PATH", "check the spelling, or give its full path");
}

bool oom_score_is_low() {
  const auto text = sys::read_file("/proc/self/oom_score_adj", 64);
  return text && std::atoi(text->c_str()) < kOomScore;
}

Result<Spawned> run(ChildPlan& plan, const std::string& program) {
  int pidfd = -1;
  const pid_t pid = sys::vfork_call(child, &plan, &pidfd);
  if (pid < 0) {
    const int error_number = errno;
    return fail_errno(attempt(program), error_number,
                      error_number == EAGAIN ? "too many processes run: end some, or raise the limit (ulimit -u)" : "");
  }
  Spawned spawned{pid, Fd(pidfd)};
  if (plan.error_number == 0) return spawned;
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return explain(plan, program);
}

}  // namespace

Result<Spawned> spawn(const SpawnSpec& spec) {
  CHECK(!spec.argv.empty());
  const std::string& program = spec.argv[0];
  const int directory = spec.directory >= 0 ? spec.directory : AT_FDCWD;
  const std::string path = TRY(find_at(directory, program, path_of(spec.environment)));

  std::vector<char*> argv = pointers(spec.argv);
  if (!spec.argv0.empty()) argv[0] = const_cast<char*>(spec.argv0.c_str());
  std::vector<char*> shell_argv = pointers(spec.argv);
  shell_argv[0] = const_cast<char*>(path.c_str());
  shell_argv.insert(shell_argv.begin(), const_cast<char*>(kShellOfFormatless));
  std::vector<char*> environment = pointers(spec.environment);

  ChildPlan plan{path.c_str(),       argv.data(),    shell_argv.data(),   environment.data(),
                 spec.slave.c_str(), spec.directory, spec.file_mode_mask, oom_score_is_low()};
  return run(plan, program);
}

}  // namespace holdfast::pty
