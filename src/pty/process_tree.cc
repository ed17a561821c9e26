#include "pty/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "base/fd.h"

namespace holdfast::pty {
namespace {

// Bytes of /proc/PID/stat; the name is at most 64 of them, numbers the rest.
constexpr std::size_t kStatBytesMax = 1024;

// Fields of /proc/PID/stat behind the name (proc(5)), counted from the state.
enum StatField : std::size_t { kState = 0, kParent = 1, kGroup = 2, kSession = 3, kStartTime = 19, kFieldCount = 20 };

template <typename Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<Process> parse_stat(std::string_view text) {
  // The name stands in parentheses and may itself hold blanks and parentheses: only the last one closes it.
  const std::size_t open = text.find(" (");
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2) return std::nullopt;
  Process process;
  process.command = std::string(text.substr(open + 2, close - open - 2));

  std::array<std::string_view, kFieldCount> fields;
  std::string_view rest = text.substr(close + 1);
  for (std::string_view& field : fields) {
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    field = rest.substr(0, rest.find_first_of(" \n"));
    rest.remove_prefix(field.size());
  }
  process.zombie = fields[kState] == "Z" || fields[kState] == "X";
  const bool sound = parse_number(text.substr(0, open), process.pid) && parse_number(fields[kParent], process.parent) &&
                     parse_number(fields[kGroup], process.group) && parse_number(fields[kSession], process.session) &&
                     parse_number(fields[kStartTime], process.start_time);
  if (!sound) return std::nullopt;
  return process;
}

std::optional<Process> read_process(int proc_directory, const std::string& pid) {
  const Fd file(::openat(proc_directory, (pid + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::array<char, kStatBytesMax> text;
  const ssize_t n = ::read(file.get(), text.data(), text.size());
  if (n <= 0) return std::nullopt;
  return parse_stat({text.data(), static_cast<std::size_t>(n)});
}

// Debian 12's <sys/pidfd.h> does not link from C++.
Fd open_pidfd(pid_t pid) { return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0u))); }
bool send_through(const Fd& pidfd, int signal_number) {
  return ::syscall(SYS_pidfd_send_signal, pidfd.get(), signal_number, nullptr, 0u) == 0;
}

bool is_pid(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::uint64_t start_time_of(const std::vector<Process>& all, pid_t pid) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Process& p) { return p.pid == pid; });
  return found == all.end() ? 0 : found->start_time;
}

}  // namespace

Result<std::vector<Process>> read_processes(const std::string& proc_directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(proc_directory.c_str()), &::closedir);
  if (directory == nullptr) return fail_errno("list the processes in " + proc_directory, errno);
  std::vector<Process> all;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (!is_pid(entry->d_name)) continue;
    if (auto process = read_process(::dirfd(directory.get()), entry->d_name)) all.push_back(std::move(*process));
  }
  return all;
}

std::vector<Process> descendants(const std::vector<Process>& all, pid_t root) {
  std::vector<const Process*> by_parent;
  for (const Process& process : all) by_parent.push_back(&process);
  std::sort(by_parent.begin(), by_parent.end(), [](const Process* a, const Process* b) {
    return std::tie(a->parent, a->start_time, a->pid) < std::tie(b->parent, b->start_time, b->pid);
  });

  std::vector<Process> found;
  std::unordered_set<pid_t> seen{root};
  const auto add_children = [&](pid_t parent, std::uint64_t parent_start) {
    auto child = std::lower_bound(by_parent.begin(), by_parent.end(), parent,
                                  [](const Process* p, pid_t wanted) { return p->parent < wanted; });
    for (; child != by_parent.end() && (*child)->parent == parent; ++child) {
      if ((*child)->start_time >= parent_start && seen.insert((*child)->pid).second) found.push_back(**child);
    }
  };
  add_children(root, start_time_of(all, root));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Process parent = found[i];  // a copy: the list grows
    add_children(parent.pid, parent.start_time);
  }
  return found;
}

bool signal_process(const Process& process, int signal_number) {
  // The pidfd pins whoever has the pid now; only then it makes sense to ask whether it is still the same one.
  const Fd pidfd = open_pidfd(process.pid);
  if (!pidfd) return false;
  const Fd proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto now = read_process(proc.get(), std::to_string(process.pid));
  if (!now || now->start_time != process.start_time) return false;
  return send_through(pidfd, signal_number);
}

}  // namespace holdfast::pty
