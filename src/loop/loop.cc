#include "loop/loop.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iterator>

#include "base/fd.h"

namespace holdfast::loop {
namespace {

struct Watch {
  unsigned interest;
  std::uint64_t since_turn;  // events of this turn were meant for an earlier descriptor of the same number
  Loop::IoHandler handler;
};

struct Timer {
  Instant when;
  TimerId id;
  Loop::Action action;
};

// Later ones first, so that the next one to run is at the back.
bool runs_later(const Timer& a, const Timer& b) { return a.when != b.when ? a.when > b.when : a.id > b.id; }

struct SignalAction {
  int signal_number;
  std::shared_ptr<Loop::Action> action;  // shared: it may be replaced while it runs
};

}  // namespace

struct Loop::Impl {
  Impl(Poller& p, const Clock& c) : poller(p), clock(c), now(c.now()) {}

  Watch* find(int fd) {
    const auto index = static_cast<std::size_t>(fd);
    return fd >= 0 && index < watches.size() ? watches[index].get() : nullptr;
  }

  void dispatch_io();
  void dispatch_timers();
  void dispatch_signals();
  Duration time_to_sleep(Duration timeout_max) const;

  Poller& poller;
  const Clock& clock;
  Instant now;
  std::uint64_t turn = 0;
  bool stopped = false;
  Action pump;

  std::vector<std::unique_ptr<Watch>> watches;    // by descriptor
  std::vector<std::unique_ptr<Watch>> forgotten;  // kept until the end of the turn: one of them may be running
  std::vector<Poller::Ready> ready;

  std::vector<Timer> timers;  // sorted by runs_later
  TimerId next_timer = 1;

  Fd signal_fd;
  sigset_t signals{};
  std::vector<SignalAction> signal_actions;
};

void Loop::Impl::dispatch_io() {
  for (const Poller::Ready& event : ready) {
    Watch* watch = find(event.fd);
    if (watch != nullptr && watch->since_turn != turn) watch->handler(event.events);
  }
}

void Loop::Impl::dispatch_timers() {
  // What a timer starts now waits for the next turn: a timer that restarts itself must not starve the descriptors.
  const TimerId end = next_timer;
  auto at = timers.size();
  while (at > 0 && timers[at - 1].when <= now) {
    if (timers[at - 1].id >= end) {
      --at;
      continue;
    }
    Action action = std::move(timers[at - 1].action);
    timers.erase(timers.begin() + static_cast<std::ptrdiff_t>(at - 1));
    action();
    at = timers.size();
  }
}

void Loop::Impl::dispatch_signals() {
  signalfd_siginfo info;
  while (::read(signal_fd.get(), &info, sizeof info) == sizeof info) {
    const auto found = std::find_if(signal_actions.begin(), signal_actions.end(), [&](const SignalAction& s) {
      return s.signal_number == static_cast<int>(info.ssi_signo);
    });
    if (found == signal_actions.end()) continue;
    const std::shared_ptr<Action> action = found->action;
    (*action)();
  }
}

Duration Loop::Impl::time_to_sleep(Duration timeout_max) const {
  if (timers.empty()) return timeout_max;
  const Duration until_timer = std::max(timers.back().when - clock.now(), Duration::zero());
  return timeout_max < Duration::zero() ? until_timer : std::min(until_timer, timeout_max);
}

Loop::Loop(Poller& poller, const Clock& clock) : impl_(std::make_unique<Impl>(poller, clock)) {
  ::sigemptyset(&impl_->signals);
}

Loop::~Loop() {
  for (std::size_t fd = 0; fd < impl_->watches.size(); ++fd) forget(static_cast<int>(fd));
}

Result<> Loop::watch(int fd, unsigned interest, IoHandler handler) {
  CHECK(fd >= 0 && impl_->find(fd) == nullptr);
  TRY(impl_->poller.set(fd, interest));
  const auto index = static_cast<std::size_t>(fd);
  if (impl_->watches.size() <= index) impl_->watches.resize(index + 1);
  impl_->watches[index] = std::make_unique<Watch>(interest, impl_->turn, std::move(handler));
  return {};
}

Result<> Loop::change(int fd, unsigned interest) {
  Watch* watch = impl_->find(fd);
  CHECK(watch != nullptr);
  if (watch->interest == interest) return {};
  TRY(impl_->poller.set(fd, interest));
  watch->interest = interest;
  return {};
}

void Loop::forget(int fd) {
  if (impl_->find(fd) == nullptr) return;
  impl_->poller.remove(fd);
  impl_->forgotten.push_back(std::move(impl_->watches[static_cast<std::size_t>(fd)]));
}

TimerId Loop::at(Instant when, Action action) {
  Timer timer{when, impl_->next_timer++, std::move(action)};
  const TimerId id = timer.id;
  auto& timers = impl_->timers;
  timers.insert(std::upper_bound(timers.begin(), timers.end(), timer, runs_later), std::move(timer));
  return id;
}

void Loop::cancel(TimerId id) {
  auto& timers = impl_->timers;
  const auto found = std::find_if(timers.begin(), timers.end(), [&](const Timer& t) { return t.id == id; });
  if (found == timers.end()) return;
  const Action dropped = std::move(found->action);  // destroyed after the list is whole again
  timers.erase(found);
}

Result<> Loop::on_signal(int signal_number, Action action) {
  ::sigaddset(&impl_->signals, signal_number);
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &impl_->signals, nullptr); error != 0) {
    return fail_errno("block a signal", error);
  }
  const int fd =
      ::signalfd(impl_->signal_fd ? impl_->signal_fd.get() : -1, &impl_->signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) return fail_errno("watch for a signal", errno);
  if (!impl_->signal_fd) {
    impl_->signal_fd.reset(fd);
    TRY(watch(fd, kRead, [this](unsigned) { impl_->dispatch_signals(); }));
  }
  std::erase_if(impl_->signal_actions, [&](const SignalAction& s) { return s.signal_number == signal_number; });
  impl_->signal_actions.push_back({signal_number, std::make_shared<Action>(std::move(action))});
  return {};
}

void Loop::set_pump(Action pump) { impl_->pump = std::move(pump); }

Instant Loop::now() const { return impl_->now; }

void Loop::run() {
  while (run_once(Duration(-1))) {
  }
}

bool Loop::run_once(Duration timeout_max) {
  if (impl_->stopped) return false;
  ++impl_->turn;
  impl_->ready.clear();
  impl_->poller.wait(impl_->time_to_sleep(timeout_max), impl_->ready);
  impl_->now = impl_->clock.now();
  impl_->dispatch_io();
  impl_->dispatch_timers();
  if (impl_->pump) impl_->pump();
  // Destroying a handler may forget others: take the list first.
  while (!impl_->forgotten.empty()) std::exchange(impl_->forgotten, {}).clear();
  return !impl_->stopped;
}

void Loop::stop() { impl_->stopped = true; }

}  // namespace holdfast::loop
