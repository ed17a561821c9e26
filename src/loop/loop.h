// The event loop: descriptors, timers, signals; level-triggered; one thread.
//
// Handlers only set flags and move their own bytes; one pump, run after every batch of events, does the rest. The loop
// never blocks but in the poller, and knows nothing of what it watches. Handlers may forget any descriptor, also their
// own: a forgotten handler is not called again, and is destroyed after the batch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace holdfast::loop {

enum Interest : unsigned { kNone = 0, kRead = 1, kWrite = 2 };
// kHangup comes with kReadable until all is read.
enum Event : unsigned { kReadable = 1, kWritable = 2, kHangup = 4 };

// Where events come from: the kernel, or a test's script.
class Poller {
 public:
  struct Ready {
    int fd;
    unsigned events;
  };
  virtual ~Poller() = default;
  // Adds or changes. kNone keeps it registered for hangup only, which is then told once: a descriptor that nobody reads
  // must not keep the loop awake.
  virtual Result<> set(int fd, unsigned interest) = 0;
  virtual void remove(int fd) = 0;
  // Waits until something is ready or `timeout` is over (negative: for ever; zero: do not wait).
  virtual void wait(Duration timeout, std::vector<Ready>& ready) = 0;
};

Result<std::unique_ptr<Poller>> make_epoll_poller();

using TimerId = std::uint64_t;

class Loop {
 public:
  using IoHandler = std::move_only_function<void(unsigned events)>;
  using Action = std::move_only_function<void()>;

  // The references outlive the loop. Signals stay blocked after it.
  Loop(Poller& poller, const Clock& clock);
  ~Loop();

  // Watches a descriptor that is not watched yet. The caller owns it, and forgets it before closing it.
  Result<> watch(int fd, unsigned interest, IoHandler handler);
  // Changes what a watched descriptor is watched for; no system call if nothing changes.
  Result<> change(int fd, unsigned interest);
  // Nothing happens if it is not watched.
  void forget(int fd);

  // Runs `action` once at or after the given time, in the order of the times (then of the calls). A cancelled or
  // finished id is ignored by cancel().
  TimerId at(Instant when, Action action);
  TimerId after(Duration delay, Action action) { return at(now() + delay, std::move(action)); }
  void cancel(TimerId id);

  // Blocks the signal and has `action` run in the loop when it arrives (signalfd). One action a signal: a later one
  // replaces it.
  Result<> on_signal(int signal_number, Action action);

  // Run after every batch of events and timers, before the loop sleeps.
  void set_pump(Action pump);

  // The time of this turn (taken once after each wait).
  Instant now() const;

  void run();                           // until stop()
  bool run_once(Duration timeout_max);  // one wait, one batch, one pump; false after stop()
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::loop
