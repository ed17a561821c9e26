#include "keeper/keeper.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/roles.h"

// Nothing here allocates: the keeper of a session lives for weeks in a few pages.

extern char** environ;

namespace holdfast::keeper {
namespace {

using roles::KeeperNote;

// A holder that lived shorter died at once: the next one waits, longer each time, so that a fault which every holder
// meets does not take a processor.
constexpr std::int64_t kShortLifeMs = 1000;
constexpr std::int64_t kPauseMsMin = 10, kPauseMsMax = 1000;

std::int64_t milliseconds(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1'000'000;
}

void pause_for(std::int64_t ms) {
  timespec left{ms / 1000, ms % 1000 * 1'000'000};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

class Keeper {
 public:
  explicit Keeper(char** argv) : id_(argv[1]), name_(argv[2]), program_text_(argv[3]), program_(std::atoi(argv[3])) {}

  int run() {
    start_holder();
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, 0);
      if (pid < 0 && errno == EINTR) {
        take_descriptors();
        continue;
      }
      if (pid < 0) return 1;  // no child left, not even a holder: only a holder that could not be made leaves that
      if (pid == program_) {
        program_ended(status);
      } else if (pid == holder_) {
        if (WIFEXITED(status) && WEXITSTATUS(status) == roles::kHolderFinished) return 0;
        replace_holder(status);
      }  // else an orphan of the session, reaped
    }
  }

 private:
  void program_ended(int status) {
    // The kernel may give the pid to another process of the session now.
    program_ = -1;
    end_ = {KeeperNote::program_ended, status, milliseconds(CLOCK_REALTIME), 0, 0};
    say(end_);
  }

  void replace_holder(int status) {
    const bool died_at_once = milliseconds(CLOCK_MONOTONIC) - holder_started_ms_ < kShortLifeMs;
    pause_ms_ = died_at_once ? next_pause(pause_ms_) : 0;
    ++restarts_;
    take_descriptors();
    pause_for(pause_ms_);
    start_holder();
    say({KeeperNote::holder_restarted, 0, milliseconds(CLOCK_REALTIME), restarts_, status});
    if (end_.kind == KeeperNote::program_ended) say(end_);
  }

  static std::int64_t next_pause(std::int64_t pause_ms) {
    if (pause_ms == 0) return kPauseMsMin;
    return pause_ms * 2 < kPauseMsMax ? pause_ms * 2 : kPauseMsMax;
  }

  // Tries until there is one: without a holder the session is deaf, and what is missing (memory, processes) comes back.
  void start_holder() {
    while (!try_start_holder()) {
      pause_ms_ = next_pause(pause_ms_);
      pause_for(pause_ms_);
    }
  }

  bool try_start_holder() {
    if (peer_ >= 0) ::close(peer_);
    peer_ = -1;
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return false;
    holder_started_ms_ = milliseconds(CLOCK_MONOTONIC);
    holder_ = ::fork();
    if (holder_ == 0) run_holder(ends[1]);
    ::close(ends[1]);
    peer_ = ends[0];
    return holder_ > 0;
  }

  [[noreturn]] void run_holder(int peer) {
    // The pair may lie on the number itself, and dup2 onto itself would leave CLOEXEC on.
    const int parked = ::fcntl(peer, F_DUPFD, roles::kKeeperFdEnd);
    if (parked >= 0 && ::dup2(parked, roles::kPeerFd) >= 0) {
      ::syscall(SYS_close_range, static_cast<unsigned>(roles::kKeeperFdEnd), ~0u, 0u);
      char* argv[] = {const_cast<char*>(roles::kHolderVerb), id_, name_, program_text_, nullptr};
      ::syscall(SYS_execveat, roles::kBinaryFd, "", argv, environ, AT_EMPTY_PATH);
    }
    ::_exit(127);
  }

  // What the holder had to make anew takes the place of our duplicates.
  void take_descriptors() {
    for (;;) {
      roles::HolderNote note{};
      iovec bytes{&note, sizeof note};
      alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))];
      msghdr message{};
      message.msg_iov = &bytes;
      message.msg_iovlen = 1;
      message.msg_control = space;
      message.msg_controllen = sizeof space;
      const auto n = ::recvmsg(peer_, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
      // ECONNRESET says, once, that a holder died with notes of ours unread; its own still lie here.
      if (n < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
      if (n <= 0) return;
      const cmsghdr* attached = CMSG_FIRSTHDR(&message);
      if (attached == nullptr || attached->cmsg_type != SCM_RIGHTS) continue;
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(attached), sizeof fd);
      const bool known = note.number == roles::kListenerFd || note.number == roles::kSessionDirFd ||
                         note.number == roles::kLockFd || note.number == roles::kCheckpointFd;
      // It may have come on the very number, and dup2 onto itself would leave CLOEXEC on.
      if (fd == note.number) {
        ::fcntl(fd, F_SETFD, 0);
        continue;
      }
      if (n == sizeof note && known) ::dup2(fd, note.number);
      ::close(fd);
    }
  }

  // A holder that does not listen is told nothing and loses nothing: what it must know is said again to the next one.
  void say(const KeeperNote& note) { ::send(peer_, &note, sizeof note, MSG_NOSIGNAL | MSG_DONTWAIT); }

  char *id_, *name_, *program_text_;
  pid_t program_;  // -1 once it has ended
  pid_t holder_ = -1;
  int peer_ = -1;
  std::int32_t restarts_ = 0;
  std::int64_t holder_started_ms_ = 0;
  std::int64_t pause_ms_ = 0;  // before the last start
  KeeperNote end_{};           // kind 0 while the program lives
};

}  // namespace

int keeper_main(int argc, char** argv) {
  if (argc != 4) return 2;
  ::prctl(PR_SET_NAME, "hold-keeper");
  // The keeper is nobody's terminal job: who hangs up means the program.
  ::signal(SIGHUP, SIG_IGN);
  // Wakes it and does nothing else: no SA_RESTART.
  struct sigaction wake{};
  wake.sa_handler = [](int) {};
  ::sigaction(roles::kSummonsSignal, &wake, nullptr);
  return Keeper(argv).run();
}

}  // namespace holdfast::keeper
