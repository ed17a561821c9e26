#include "base/paths.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "base/sys.h"

extern char** environ;

namespace holdfast::paths {
namespace {

constexpr std::size_t kPasswdBytesMax = 4u << 20;  // bytes; hosts with ten thousand accounts stay below
constexpr int kGetentTimeoutMs = 3000;             // a directory server that hangs must not hang `hold new`

// Columns of a passwd line.
enum PasswdField { kName = 0, kUid = 2, kHome = 5, kShell = 6 };

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// XDG: a relative path in these variables is to be ignored.
std::string xdg_directory(const char* name, const char* below_home) {
  const std::string value = environment(name);
  return value.starts_with('/') ? value : paths::home_dir() + below_home;
}

std::string passwd_field(std::string_view line, int wanted) {
  for (int field = 0; field < wanted; ++field) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return {};
    line.remove_prefix(colon + 1);
  }
  return std::string(line.substr(0, line.find(':')));
}

// The passwd line of our uid in `text`, or "".
std::string passwd_line(std::string_view text) {
  const std::string uid = std::to_string(::getuid());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (passwd_field(line, kUid) == uid) return std::string(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return {};
}

std::string local_passwd_line() {
  const auto text = sys::read_file("/etc/passwd", kPasswdBytesMax);
  return text ? passwd_line(*text) : "";
}

bool is_executable_file(const std::string& path) {
  struct stat info{};
  return path.starts_with('/') && ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// What the pipe says until it closes; gives up after the time, so that the caller can end its writer.
std::string read_until_closed(int pipe, int timeout_ms) {
  std::string text;
  char piece[1024];
  pollfd waiting{pipe, POLLIN, 0};
  while (text.size() < kPasswdBytesMax && ::poll(&waiting, 1, timeout_ms) > 0) {
    const ssize_t n = ::read(pipe, piece, sizeof piece);
    if (n <= 0) break;
    text.append(piece, static_cast<std::size_t>(n));
  }
  return text;
}

std::optional<pid_t> start_getent(int output) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::string uid = std::to_string(::getuid());
  char program[] = "getent", database[] = "passwd";
  char* argv[] = {program, database, uid.data(), nullptr};
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, program, &actions, nullptr, argv, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::nullopt;
  return pid;
}

// The passwd line from wherever the host keeps its people (LDAP, SSSD): a static binary has no NSS of its own.
std::string getent_passwd_line() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const Fd output(ends[0]);
  Fd input(ends[1]);
  const std::optional<pid_t> pid = start_getent(input.get());
  input.reset();
  if (!pid) return {};
  const std::string text = read_until_closed(output.get(), kGetentTimeoutMs);
  ::kill(*pid, SIGKILL);  // no effect when it has ended
  while (::waitpid(*pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return passwd_line(text);
}

bool lingers() {
  const std::string user = passwd_field(local_passwd_line(), kName);
  return !user.empty() && ::access(("/var/lib/systemd/linger/" + user).c_str(), F_OK) == 0;
}

bool is_directory(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::string absolute(const std::string& path) {
  if (path.starts_with('/')) return path;
  char* here = ::get_current_dir_name();
  std::string result = std::string(here != nullptr ? here : "/") + "/" + path;
  std::free(here);
  return result;
}

}  // namespace

std::string runtime_dir() {
  if (const std::string chosen = environment("HOLDFAST_RUNTIME_DIR"); !chosen.empty()) return absolute(chosen);
  // Without linger systemd removes this directory at the last logout, while sessions live on.
  const std::string run = environment("XDG_RUNTIME_DIR");
  if (run.starts_with('/') && is_directory(run) && lingers()) return run + "/holdfast";
  return "/tmp/holdfast-" + std::to_string(::getuid());
}

std::string socket_dir() { return runtime_dir() + "/s"; }

std::string socket_name(const std::string& id) { return id + ".sock"; }

bool is_socket_of(const std::string& path, const std::string& id) {
  return !id.empty() && path.starts_with('/') && path.ends_with("/" + socket_name(id));
}

std::string state_dir() { return xdg_directory("XDG_STATE_HOME", "/.local/state") + "/holdfast"; }

std::string config_file() { return xdg_directory("XDG_CONFIG_HOME", "/.config") + "/holdfast/config.toml"; }

std::string home_dir() {
  if (const std::string home = environment("HOME"); home.starts_with('/')) return home;
  const std::string home = passwd_field(local_passwd_line(), kHome);
  return home.empty() ? "/" : home;
}

std::string login_shell() {
  if (const std::string shell = environment("SHELL"); is_executable_file(shell)) return shell;
  std::string line = local_passwd_line();
  if (line.empty()) line = getent_passwd_line();
  const std::string shell = passwd_field(line, kShell);
  return is_executable_file(shell) ? shell : "/bin/sh";
}

}  // namespace holdfast::paths
