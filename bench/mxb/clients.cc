// What drives a session from outside: clients on PTYs, and the measurements. Each prints one JSON object.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "mxb.h"

namespace mxb {
namespace {

char buffer[65536];

double ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }
double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

int failed(const char* why) {
  std::printf("{\"error\":\"%s\"}\n", why);
  return 1;
}

std::vector<char*> pointers(const std::vector<std::string>& argv) {
  std::vector<char*> out;
  for (const std::string& word : argv) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  for (const char c : text) c == separator ? (void)out.emplace_back() : out.back().push_back(c);
  return out;
}

bool readable(int fd, int timeout_ms) {
  pollfd p{fd, POLLIN, 0};
  return poll(&p, 1, timeout_ms) > 0;
}

bool contains_mark(const char* bytes, std::size_t n) { return memmem(bytes, n, kMark.data(), kMark.size()) != nullptr; }

// Cores used by anything that is not ours, over a sample.
class Foreign {
 public:
  explicit Foreign(const std::vector<Process>& processes)
      : processes_(processes), began_(now()), busy_(machine_busy()), own_(own(before_)) {}
  void end() {
    ended_ = now();
    const std::int64_t mine = own(after_) - own_;
    cores_ = std::max(0.0, static_cast<double>(machine_busy() - busy_ - mine) / static_cast<double>(ended_ - began_));
  }
  double cores() const { return cores_; }
  std::int64_t server_cpu() const { return after_.server - before_.server; }
  std::int64_t client_cpu() const { return after_.client - before_.client; }
  std::int64_t sleeps() const {
    return after_.server_sleeps + after_.client_sleeps - before_.server_sleeps - before_.client_sleeps;
  }

 private:
  std::int64_t own(Account& account) {
    account = account_of(processes_);
    return account.server + account.client + account.program + own_cpu();
  }
  const std::vector<Process>& processes_;
  Account before_, after_;
  std::int64_t began_, busy_, own_, ended_ = 0;
  double cores_ = 0;
};

// Reads one client until `stop`, counting bytes and looking for the mark.
void read_until(Client& client, const std::atomic<bool>& stop, std::atomic<int>& waiting_for_mark) {
  constexpr std::size_t kKept = 32;  // of what was read before: the mark may be cut
  std::vector<char> bytes(65536 + kKept);
  std::size_t kept = 0;
  fcntl(client.fd, F_SETFL, O_NONBLOCK);
  while (!stop) {
    const ssize_t n = read(client.fd, bytes.data() + kept, 65536);
    if (n < 0 && errno == EAGAIN) {
      readable(client.fd, 200);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    client.bytes += n;
    const std::size_t held = kept + static_cast<std::size_t>(n);
    if (client.mark_at == 0 && contains_mark(bytes.data(), held)) client.mark_at = now(), --waiting_for_mark;
    kept = std::min(kKept, held);
    std::memmove(bytes.data(), bytes.data() + held - kept, kept);
  }
}

// After the program is done: until every reader has the mark, or nothing moves for two seconds.
void wait_for_marks(const std::vector<Client>& clients, const std::atomic<int>& waiting) {
  constexpr std::int64_t kStill = 2000 * kMs, kLongest = 25'000 * kMs;
  const std::int64_t end = now() + kLongest;
  std::int64_t last_bytes = -1, moved_at = now();
  while (waiting > 0 && now() < end && now() - moved_at < kStill) {
    pause_ns(kMs / 2);
    std::int64_t bytes = 0;
    for (const Client& client : clients) bytes += client.bytes;
    if (bytes != last_bytes) last_bytes = bytes, moved_at = now();
  }
}

void print_quantiles(const char* name, std::vector<std::int64_t> ns) {
  std::sort(ns.begin(), ns.end());
  const auto at = [&](double p) {
    return ns.empty() ? 0.0
                      : static_cast<double>(
                            ns[std::min(ns.size() - 1, static_cast<std::size_t>(p * static_cast<double>(ns.size())))]) /
                            1e3;
  };
  std::printf("\"%s\":{\"n\":%zu,\"p50_us\":%.2f,\"p90_us\":%.2f,\"p99_us\":%.2f}", name, ns.size(), at(.5), at(.9),
              at(.99));
}

}  // namespace

Client spawn_on_pty(const std::vector<std::string>& argv) {
  winsize size{kRows, kCols, 0, 0};
  int master, slave;
  if (openpty(&master, &slave, nullptr, nullptr, &size) != 0) die("openpty");
  fcntl(master, F_SETFD, FD_CLOEXEC);
  std::vector<char*> words = pointers(argv);
  const pid_t pid = vfork();
  if (pid == 0) {
    setsid();
    ioctl(slave, TIOCSCTTY, 0);
    for (int fd = 0; fd < 3; ++fd) dup2(slave, fd);
    if (slave > 2) close(slave);
    execvp(words[0], words.data());
    _exit(127);
  }
  close(slave);
  Client client;
  client.pid = pid;
  client.fd = master;
  return client;
}

pid_t spawn_plain(const std::vector<std::string>& argv) {
  std::vector<char*> words = pointers(argv);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const pid_t pid = vfork();
  if (pid == 0) {
    setsid();
    for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
    execvp(words[0], words.data());
    _exit(127);
  }
  close(null);
  return pid;
}

void settle(std::vector<Client>& clients, std::int64_t quiet_ms, std::int64_t timeout_ms) {
  std::vector<pollfd> polled;
  for (const Client& client : clients) polled.push_back({client.fd, POLLIN, 0});
  const std::int64_t began = now();
  for (std::int64_t last = began; now() - last < quiet_ms * kMs && now() - began < timeout_ms * kMs;) {
    if (poll(polled.data(), polled.size(), 10) <= 0) continue;
    for (pollfd& p : polled) {
      if (p.revents == 0) continue;
      if (read(p.fd, buffer, sizeof buffer) > 0)
        last = now();
      else
        p.fd = -1;
    }
  }
}

void hang_up(std::vector<Client>& clients) {
  constexpr int kGraceMs = 300;
  for (Client& client : clients)
    if (client.fd >= 0) close(client.fd), client.fd = -1;
  for (Client& client : clients) {
    if (client.pid <= 0) continue;
    int waited = 0;
    while (waitpid(client.pid, nullptr, WNOHANG) == 0) {
      if (waited++ == kGraceMs) kill(client.pid, SIGKILL);
      pause_ns(kMs);
    }
    client.pid = -1;
  }
}

// --clients readers and --stalled ones that never read; --preattach: one client first, then none (the session must have
// a size and a first attach); --caught-up: a command (words separated by \x1f) that returns when the peer has taken in
// all output, run after the program's last write: its end is then the end of the sample.
int run_throughput() {
  const auto readers = number_option("clients", 1), stalled = number_option("stalled", 0);
  const bool raw = flag("raw");
  Control control(text_option("ctl"));
  std::vector<Client> clients;
  if (raw) clients.push_back(spawn_on_pty(words()));
  if (!control.accept_program(15'000) || !control.wait_for("ready", 15'000)) {
    hang_up(clients);
    return failed("the program never connected");
  }
  if (flag("preattach")) {
    std::vector<Client> first;
    first.push_back(spawn_on_pty(words()));
    settle(first, 200, 3000);
    hang_up(first);
    pause_ns(100 * kMs);
  }
  for (std::int64_t i = 0; !raw && i < readers + stalled; ++i) {
    clients.push_back(spawn_on_pty(words()));
    clients.back().stalled = i >= readers;
  }
  settle(clients, 250, 4000);

  std::set<pid_t> pids;
  for (const Client& client : clients) pids.insert(client.pid);
  const std::vector<Process> processes = processes_of_run(pids);
  std::atomic<int> waiting{0};
  std::atomic<bool> stop{false};
  Foreign sample(processes);
  for (Client& client : clients) {
    if (client.stalled) continue;
    ++waiting;
    client.reader = std::thread([&client, &stop, &waiting] { read_until(client, stop, waiting); });
  }
  control.send("go");
  long began = 0, wrote = 0, bytes = 0;
  const bool timeout = std::sscanf(control.line(number_option("timeout", 60) * 1000).c_str(), "done %ld %ld %ld",
                                   &began, &wrote, &bytes) != 3;
  std::int64_t ended = wrote;
  if (!timeout) wait_for_marks(clients, waiting);
  if (const std::string command = text_option("caught-up"); !timeout && !command.empty()) {
    waitpid(spawn_plain(split(command, '\x1f')), nullptr, 0);
    ended = now();
  }
  sample.end();
  stop = true;
  bool lost = false;
  for (Client& client : clients) {
    if (!client.reader.joinable()) continue;
    client.reader.join();
    lost |= client.mark_at == 0;
    ended = std::max(ended, client.mark_at);
  }
  std::printf("{\"timeout\":%s,\"marker_lost\":%s,\"bytes\":%ld,\"prog_s\":%.6f,\"end_s\":%.6f,",
              timeout ? "true" : "false", lost ? "true" : "false", bytes, seconds(wrote - began),
              seconds(ended - began));
  std::printf("\"server_cpu_s\":%.6f,\"client_cpu_s\":%.6f,\"sleeps\":%ld,\"foreign_cores\":%.3f,\"clients\":[",
              seconds(sample.server_cpu()), seconds(sample.client_cpu()), static_cast<long>(sample.sleeps()),
              sample.cores());
  for (std::size_t i = 0; i < clients.size(); ++i)
    std::printf("%s%ld", i != 0 ? "," : "", static_cast<long>(clients[i].bytes));
  std::printf("]}\n");
  std::fflush(stdout);
  if (flag("hold")) (void)!read(0, buffer, 1);  // alive until the caller has read the memory
  hang_up(clients);
  control.send("exit");
  pause_ns(20 * kMs);
  return 0;
}

// One key at a time, there and back. "gap": a pause of 1 to 3 ms before each, as people type to sleeping CPUs; "hot":
// none.
int run_echo() {
  constexpr int kLostMax = 20, kWaitMs = 2000;
  constexpr char kKeys[] = "#%&~@_";
  const auto n = number_option("n", 700), gap_min = number_option("gap0", 1000), gap_max = number_option("gap1", 3000);
  const bool raw = flag("raw");
  Control control(text_option("ctl"));
  std::vector<Client> clients;
  if (raw) clients.push_back(spawn_on_pty(words()));
  if (!control.accept_program(15'000) || !control.wait_for("ready", 15'000)) {
    hang_up(clients);
    return failed("the program never connected");
  }
  if (!raw) clients.push_back(spawn_on_pty(words()));
  settle(clients, 300, 5000);

  const int fd = clients[0].fd;
  const std::vector<Process> processes = processes_of_run({clients[0].pid});
  int lost = 0;
  const auto one = [&](std::int64_t i, std::vector<std::int64_t>& times) {
    const char key = kKeys[i % 6];
    const std::int64_t began = now();
    if (write(fd, &key, 1) != 1) return false;
    for (;;) {
      if (!readable(fd, kWaitMs)) return ++lost <= kLostMax;
      const ssize_t got = read(fd, buffer, sizeof buffer);
      if (got <= 0) return false;
      if (std::memchr(buffer, key, static_cast<std::size_t>(got)) == nullptr) continue;
      times.push_back(now() - began);
      return true;
    }
  };
  std::mt19937 random(static_cast<unsigned>(now()));
  std::vector<std::int64_t> gap, hot;
  Foreign sample(processes);
  bool alive = true;
  for (std::int64_t i = 0; alive && i < n; ++i) {
    const auto spread = static_cast<unsigned>(gap_max > gap_min ? gap_max - gap_min : 1);
    pause_ns((gap_min + random() % spread) * 1000LL);
    while (readable(fd, 0) && read(fd, buffer, sizeof buffer) > 0) {  // the rest of the redraw before
    }
    alive = one(i, gap);
  }
  sample.end();
  for (std::int64_t i = 0; alive && i < n; ++i) alive = one(i, hot);
  std::printf("{");
  print_quantiles("gap", gap);
  std::printf(",");
  print_quantiles("hot", hot);
  std::printf(",\"lost\":%d,\"cpu_us_per_key\":%.2f,\"foreign_cores\":%.3f}\n", lost,
              static_cast<double>(sample.server_cpu() + sample.client_cpu()) / 1e3 / static_cast<double>(n),
              sample.cores());
  std::fflush(stdout);
  hang_up(clients);
  control.send("exit");
  pause_ns(20 * kMs);
  return 0;
}

// exec of attach to the mark, and to the last byte before `--quiet` ms of silence; --reps times on one session.
int run_attach() {
  constexpr std::int64_t kFirstByteMs = 3000;
  const std::int64_t quiet = number_option("quiet", 250), reps = number_option("reps", 5);
  Control control(text_option("ctl"));
  if (!control.accept_program(15'000) || !control.wait_for("done", 60'000))
    return failed("the program never connected");
  pause_ns(300 * kMs);
  std::printf("{\"runs\":[");
  for (std::int64_t rep = 0; rep < reps; ++rep) {
    std::string all;
    const std::int64_t began = now();
    std::vector<Client> clients;
    clients.push_back(spawn_on_pty(words()));
    std::int64_t last = 0, mark = 0;
    for (;;) {
      const std::int64_t left = (last != 0 ? quiet : kFirstByteMs) - (now() - (last != 0 ? last : began)) / kMs;
      if (left <= 0) break;
      if (!readable(clients[0].fd, static_cast<int>(left))) continue;
      const ssize_t n = read(clients[0].fd, buffer, sizeof buffer);
      if (n <= 0) break;
      last = now();
      const std::size_t from = all.size() > kMark.size() ? all.size() - kMark.size() : 0;
      all.append(buffer, static_cast<std::size_t>(n));
      if (mark == 0 && contains_mark(all.data() + from, all.size() - from)) mark = last;
    }
    const std::int64_t leave = now();
    hang_up(clients);
    std::printf("%s{\"mark_ms\":%.3f,\"last_ms\":%.3f,\"bytes\":%zu,\"detach_ms\":%.3f}", rep != 0 ? "," : "",
                mark != 0 ? ms(mark - began) : -1, last != 0 ? ms(last - began) : -1, all.size(), ms(now() - leave));
    pause_ns(60 * kMs);
  }
  std::printf("]}\n");
  std::fflush(stdout);
  if (flag("hold")) (void)!read(0, buffer, 1);
  control.send("exit");
  pause_ns(20 * kMs);
  return 0;
}

// -- create… :: kill…   exec of create to the first instruction of the program's main; kill to the end of the program.
int run_life() {
  std::vector<std::string> create, end;
  bool second = false;
  for (const std::string& word : words()) {
    if (word == "::")
      second = true;
    else
      (second ? end : create).push_back(word);
  }
  Control control(text_option("ctl"));
  std::vector<Client> clients;
  const std::int64_t began = now();
  pid_t creating = -1;
  if (flag("raw"))
    clients.push_back(spawn_on_pty(create));
  else
    creating = spawn_plain(create);
  std::int64_t created = 0;
  std::thread waiter([&] {
    if (creating > 0) waitpid(creating, nullptr, 0), created = now();
  });
  const bool came = control.accept_program(10'000);
  if (!came && creating > 0) kill(creating, SIGKILL);
  waiter.join();
  if (!came) return failed("the program never connected");
  int pid = 0;
  long ran = 0;
  std::sscanf(control.line(5000).c_str(), "hello %d %ld", &pid, &ran);
  pause_ns(80 * kMs);
  const std::int64_t killed = now();
  pid_t killing = -1;
  if (end.empty())
    kill(pid, SIGTERM);
  else
    killing = spawn_plain(end);
  std::string word;
  while ((word = control.line(5000)) != "EOF" && !word.empty()) {
  }
  const std::int64_t gone = now();
  if (killing > 0) waitpid(killing, nullptr, 0);
  std::printf("{\"create_ms\":%.3f,\"create_cmd_ms\":%.3f,\"kill_ms\":%.3f}\n", ms(ran - began),
              created != 0 ? ms(created - began) : -1, word == "EOF" ? ms(gone - killed) : -1);
  hang_up(clients);
  return 0;
}

int run_time_command() {
  const std::int64_t reps = number_option("reps", 7);
  std::printf("{\"ms\":[");
  for (std::int64_t i = 0; i < reps; ++i) {
    const std::int64_t began = now();
    waitpid(spawn_plain(words()), nullptr, 0);
    std::printf("%s%.3f", i != 0 ? "," : "", ms(now() - began));
  }
  std::printf("]}\n");
  return 0;
}

// Keeps --want programs and any number of drained clients alive. Words on stdin: "attach <argv, \x1f between>", "go";
// ends at the end of stdin.
int run_hold() {
  const auto want = static_cast<std::size_t>(number_option("want", 1));
  Control control(text_option("ctl"));
  std::printf("listening\n");
  std::fflush(stdout);
  std::vector<int> programs;
  const std::int64_t end = now() + number_option("timeout", 60) * 1000 * kMs;
  while (programs.size() < want && now() < end)
    if (readable(control.listener(), 200))
      programs.push_back(accept4(control.listener(), nullptr, nullptr, SOCK_CLOEXEC));
  for (const int fd : programs) {
    std::string text;
    char c;
    while (text.find("ready") == std::string::npos && read(fd, &c, 1) == 1) text += c;
  }
  std::printf("up %zu\n", programs.size());
  std::fflush(stdout);

  std::vector<Client> clients;
  std::string line;
  for (bool open = true; open;) {
    std::vector<pollfd> polled{{0, POLLIN, 0}};
    for (const Client& client : clients) polled.push_back({client.fd, POLLIN, 0});
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    for (std::size_t i = 1; i < polled.size(); ++i)
      if (polled[i].revents != 0 && read(polled[i].fd, buffer, sizeof buffer) <= 0) clients[i - 1].fd = -1;
    if (polled[0].revents == 0) continue;
    char c;
    open = read(0, &c, 1) == 1;
    if (!open || c != '\n') {
      line += c;
      continue;
    }
    if (line.rfind("attach ", 0) == 0) clients.push_back(spawn_on_pty(split(line.substr(7), '\x1f')));
    if (line == "go")
      for (const int fd : programs) (void)!write(fd, "go\n", 3);
    std::printf("ok\n");
    std::fflush(stdout);
    line.clear();
  }
  hang_up(clients);
  for (const int fd : programs) (void)!write(fd, "exit\n", 5), close(fd);
  return 0;
}

}  // namespace mxb
