// The kernel's events by epoll(7).
#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <limits>

#include "base/fd.h"
#include "loop/loop.h"

namespace holdfast::loop {
namespace {

// Events taken a turn: more of them wait in the kernel for the next, so nobody is starved by the bound.
constexpr int kBatch = 64;

// The interest travels with the descriptor, so that a hangup can be told in the terms of who waits for it.
std::uint64_t pack(int fd, unsigned interest) { return std::uint64_t{interest} << 32 | static_cast<std::uint32_t>(fd); }
int fd_of(std::uint64_t packed) { return static_cast<int>(packed & 0xFFFFFFFFu); }
unsigned interest_of(std::uint64_t packed) { return static_cast<unsigned>(packed >> 32); }

std::uint32_t epoll_events(unsigned interest) {
  // A hangup cannot be masked, and level-triggered it would wake us for ever.
  if (interest == kNone) return EPOLLET;
  return ((interest & kRead) != 0 ? EPOLLIN : 0u) | ((interest & kWrite) != 0 ? EPOLLOUT : 0u);
}

unsigned events_of(const epoll_event& event) {
  unsigned events = 0;
  if ((event.events & EPOLLIN) != 0) events |= kReadable;
  if ((event.events & EPOLLOUT) != 0) events |= kWritable;
  if ((event.events & (EPOLLHUP | EPOLLERR)) != 0) {
    events |= kHangup;
    if ((interest_of(event.data.u64) & kRead) != 0) events |= kReadable;
  }
  return events;
}

// Rounded up: a timer that is woken early is a turn for nothing.
int milliseconds(Duration timeout) {
  if (timeout < Duration::zero()) return -1;
  const auto ms = (timeout.count() + 999'999) / 1'000'000;
  return static_cast<int>(std::min<std::int64_t>(ms, std::numeric_limits<int>::max()));
}

class EpollPoller final : public Poller {
 public:
  explicit EpollPoller(Fd epoll) : epoll_(std::move(epoll)) {}

  Result<> set(int fd, unsigned interest) override {
    epoll_event event{};
    event.events = epoll_events(interest);
    event.data.u64 = pack(fd, interest);
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0) return {};
    if (errno == ENOENT && ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return {};
    return fail_errno("watch a descriptor", errno);
  }

  void remove(int fd) override { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

  void wait(Duration timeout, std::vector<Ready>& ready) override {
    std::array<epoll_event, kBatch> events;
    const int n = ::epoll_wait(epoll_.get(), events.data(), kBatch, milliseconds(timeout));
    for (int i = 0; i < n; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      ready.push_back({fd_of(event.data.u64), events_of(event)});
    }
  }

 private:
  Fd epoll_;
};

}  // namespace

Result<std::unique_ptr<Poller>> make_epoll_poller() {
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return fail_errno("make an event queue", errno);
  return std::make_unique<EpollPoller>(std::move(epoll));
}

}  // namespace holdfast::loop
