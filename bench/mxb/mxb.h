// mxb: the timing-critical parts of the side-by-side benchmark, in one program that plays every part (bench/README.md).
//
//   program.cc   what runs INSIDE a session: floods, echoes, fills the screen, idles
//   clients.cc   what drives a PTY from OUTSIDE: throughput, echo, attach, create and kill
//   relay.cc     two reference relays without any terminal state: the ceilings of a pass-through design
//   accounts.cc  CPU time and sleeps of every process of the peer under test, found by an environment mark
//
// Program and driver talk over a unix socket (--ctl) and never through the terminal, so no timing depends on what the
// peer does with the byte stream. All times are CLOCK_MONOTONIC nanoseconds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace mxb {

inline constexpr std::string_view kMark = "MXB~END~7f3a9";  // what ends a flood and a screen: when it arrives, all has
inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr int kRows = 40, kCols = 120;

std::int64_t now();
void pause_ns(std::int64_t ns);
[[noreturn]] void die(const char* what);

// --key value, --flag, and the words behind `--`.
struct Options {
  static void parse(int argc, char** argv, int first);
};
std::string text_option(const char* key, const char* fallback = "");
std::int64_t number_option(const char* key, std::int64_t fallback);
bool flag(const char* key);
std::vector<std::string>& words();

std::string workload(const std::string& kind, std::size_t bytes);
void make_raw(int fd);

// The driver's side of the control socket; one program connects.
class Control {
 public:
  explicit Control(const std::string& path);
  bool accept_program(std::int64_t timeout_ms);
  // The next line; "" on timeout, "EOF" when the program is gone.
  std::string line(std::int64_t timeout_ms);
  bool wait_for(std::string_view word, std::int64_t timeout_ms);  // lines until one equals (or begins with) the word
  void send(const std::string& text);
  int listener() const { return listener_; }

 private:
  int listener_ = -1, fd_ = -1;
  std::string buffer_;
};
int connect_control(const std::string& path);

// A process on a PTY of its own whose master we hold: the terminal of a person.
struct Client {
  pid_t pid = -1;
  int fd = -1;
  bool stalled = false;  // never read
  std::int64_t bytes = 0, mark_at = 0;
  std::thread reader;
};
Client spawn_on_pty(const std::vector<std::string>& argv);
pid_t spawn_plain(const std::vector<std::string>& argv);
void hang_up(std::vector<Client>& clients);
// Reads until `quiet_ms` pass without output.
void settle(std::vector<Client>& clients, std::int64_t quiet_ms, std::int64_t timeout_ms);

// The processes that carry MXB_RUN=<id of this run> in their environment.
enum class Part { server, client, program };
struct Process {
  std::string pid;
  Part part;
};
std::vector<Process> processes_of_run(const std::set<pid_t>& clients);
struct Account {  // nanoseconds on a CPU, and voluntary context switches
  std::int64_t server = 0, client = 0, program = 0;
  std::int64_t server_sleeps = 0, client_sleeps = 0, program_sleeps = 0;
};
Account account_of(const std::vector<Process>& processes);
std::int64_t own_cpu();
std::int64_t machine_busy();  // of all CPUs

int run_program(const std::string& mode);
int run_throughput();
int run_echo();
int run_attach();
int run_life();
int run_time_command();
int run_hold();
int run_relay_server();
int run_relay_client();
int run_micro();

}  // namespace mxb
