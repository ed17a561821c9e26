#include "base/vfork.h"

#include <sched.h>
#include <signal.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace holdfast::sys {
namespace {

constexpr std::size_t kChildStackBytes = 64u << 10;  // bytes; the child's frames are small, those of a sanitizer larger

// No signal may run a handler in the child while it has our memory.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

pid_t vfork_call(int (*run)(void*), void* argument, int* pidfd) {
  const auto stack = std::make_unique_for_overwrite<char[]>(kChildStackBytes);
  const auto top = reinterpret_cast<std::uintptr_t>(stack.get() + kChildStackBytes) & ~std::uintptr_t{15};
  const int flags = CLONE_VM | CLONE_VFORK | SIGCHLD | (pidfd != nullptr ? CLONE_PIDFD : 0);
  pid_t pid;
  int error_number;
  {
    const AllSignalsBlocked blocked;
    pid = ::clone(run, reinterpret_cast<void*>(top), flags, argument, pidfd);
    error_number = errno;
  }
  errno = error_number;
  return pid;
}

}  // namespace holdfast::sys
