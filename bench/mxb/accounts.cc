// What the processes of a peer cost. They are found by MXB_RUN=<id> in their environment, which create and attach give
// to whatever they start. Kernel workers (the tty's flush) are charged to nobody.
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mxb.h"

namespace mxb {
namespace {

std::string contents(const std::string& path) {
  std::string text;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char bytes[65536];
  for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;) text.append(bytes, static_cast<std::size_t>(n));
  close(fd);
  return text;
}

template <typename F>
void each_entry(const std::string& directory, F f) {
  DIR* dir = opendir(directory.c_str());
  if (dir == nullptr) return;
  while (const dirent* entry = readdir(dir))
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9') f(std::string(entry->d_name));
  closedir(dir);
}

std::string target(const std::string& link) {
  char path[512]{};
  (void)!readlink(link.c_str(), path, sizeof path - 1);
  return path;
}

bool has_word(const std::string& zero_separated, std::string_view word) {
  return ('\0' + zero_separated).find('\0' + std::string(word) + '\0') != std::string::npos;
}

std::int64_t cpu_of(const std::string& pid) {
  std::int64_t total = 0;
  const std::string tasks = "/proc/" + pid + "/task";
  each_entry(tasks, [&](const std::string& task) {
    total += std::atoll(contents(tasks + "/" + task + "/schedstat").c_str());
  });
  return total;
}

std::int64_t sleeps_of(const std::string& pid) {
  constexpr std::string_view kKey = "\nvoluntary_ctxt_switches:";
  const std::string status = contents("/proc/" + pid + "/status");
  const std::size_t at = status.find(kKey);
  return at == std::string::npos ? 0 : std::atoll(status.c_str() + at + kKey.size());
}

}  // namespace

std::vector<Process> processes_of_run(const std::set<pid_t>& clients) {
  std::vector<Process> found;
  const char* run = getenv("MXB_RUN");
  if (run == nullptr) return found;
  const std::string mark = std::string("MXB_RUN=") + run, self = target("/proc/self/exe");
  each_entry("/proc", [&](const std::string& name) {
    const std::string at = "/proc/" + name;
    const pid_t pid = std::atoi(name.c_str());
    if (pid == getpid() || pid == getppid() || !has_word(contents(at + "/environ") + '\0', mark)) return;
    const std::string command = contents(at + "/cmdline"), file = target(at + "/exe");
    if (file.find("python") != std::string::npos) return;
    if (file == self && has_word(command, "prog") && !has_word(command, "relayd"))
      found.push_back({name, Part::program});
    else
      found.push_back({name, clients.count(pid) != 0 ? Part::client : Part::server});
  });
  return found;
}

Account account_of(const std::vector<Process>& processes) {
  Account account;
  for (const Process& process : processes) {
    const std::int64_t cpu = cpu_of(process.pid), sleeps = sleeps_of(process.pid);
    switch (process.part) {
      case Part::server:
        account.server += cpu, account.server_sleeps += sleeps;
        break;
      case Part::client:
        account.client += cpu, account.client_sleeps += sleeps;
        break;
      case Part::program:
        account.program += cpu, account.program_sleeps += sleeps;
        break;
    }
  }
  return account;
}

std::int64_t own_cpu() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000'000LL +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

std::int64_t machine_busy() {
  constexpr std::int64_t kTickNs = 10 * kMs;
  long user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0;
  std::sscanf(contents("/proc/stat").c_str(), "cpu %ld %ld %ld %ld %ld %ld %ld", &user, &nice, &system, &idle, &wait,
              &irq, &soft);
  return (user + nice + system + irq + soft) * kTickNs;
}

}  // namespace mxb
