#include "client/terminal_guard.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "base/result.h"

namespace holdfast::client::terminal_guard {

namespace {

constexpr std::size_t kUndoBytesMax = 4096;

// All a handler may touch: it runs at any moment, also in the middle of an allocation.
struct Guarded {
  volatile sig_atomic_t armed = 0;
  int fd = -1;
  termios settings{};
  volatile sig_atomic_t undo_bytes = 0;
  std::array<char, kUndoBytesMax> undo{};
  std::array<struct sigaction, NSIG> before{};
};
Guarded guarded;

// What is written before stands in memory before what is written behind: a handler that sees a flag sees what it tells
// of. The compiler keeps only volatile accesses in order among themselves.
void keep_order() { std::atomic_signal_fence(std::memory_order_seq_cst); }

void put_back(int number, siginfo_t* info, void*) {
  const int saved_errno = errno;
  if (guarded.armed != 0) {
    guarded.armed = 0;
    // What the terminal does not take at once is lost: nobody may wait here.
    if (guarded.undo_bytes > 0) {
      (void)!::write(guarded.fd, guarded.undo.data(), static_cast<std::size_t>(guarded.undo_bytes));
    }
    (void)::tcsetattr(guarded.fd, TCSANOW, &guarded.settings);
  }
  ::sigaction(number, &guarded.before[static_cast<std::size_t>(number)], nullptr);
  // A fault of our own happens again as soon as this returns, with all that a debugger wants to know of it.
  if (info->si_code <= 0 || info->si_code == SI_KERNEL) ::raise(number);
  errno = saved_errno;
}

std::vector<int> all_signals() {
  auto all = sent_signals();
  const auto faults = fault_signals();
  all.insert(all.end(), faults.begin(), faults.end());
  return all;
}

}  // namespace

std::vector<int> sent_signals() {
  std::vector<int> numbers{SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM,  SIGVTALRM,
                           SIGPROF, SIGPIPE, SIGXCPU, SIGXFSZ, SIGIO,   SIGPWR,  SIGSTKFLT};
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) numbers.push_back(number);
  return numbers;
}

std::vector<int> fault_signals() { return {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS}; }

void arm(int fd, const termios& settings) {
  disarm();
  guarded.fd = fd;
  guarded.settings = settings;
  guarded.undo_bytes = 0;
  keep_order();
  guarded.armed = 1;
  struct sigaction action{};
  action.sa_sigaction = put_back;
  action.sa_flags = SA_SIGINFO;
  ::sigfillset(&action.sa_mask);
  for (const int number : all_signals()) {
    auto& before = guarded.before[static_cast<std::size_t>(number)];
    ::sigaction(number, &action, &before);
    if (before.sa_handler == SIG_IGN) ::sigaction(number, &before, nullptr);
  }
}

void set_undo(std::string_view bytes) {
  CHECK(bytes.size() <= kUndoBytesMax);
  guarded.undo_bytes = 0;
  keep_order();
  std::ranges::copy(bytes, guarded.undo.begin());
  keep_order();
  guarded.undo_bytes = static_cast<sig_atomic_t>(bytes.size());
}

void disarm() {
  if (guarded.armed == 0) return;
  guarded.armed = 0;
  for (const int number : all_signals())
    ::sigaction(number, &guarded.before[static_cast<std::size_t>(number)], nullptr);
}

}  // namespace holdfast::client::terminal_guard
