#include "base/vfork.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/fd.h"

namespace holdfast::sys {
namespace {

int exit_code(pid_t pid) {
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int write_pid(void* answer) {
  *static_cast<std::string*>(answer) = std::to_string(::getpid()) + ", a child of its own that answers in words";
  return 3;
}

}  // namespace

TEST_CASE("what a child on our memory answers is there when it has ended, and so is its exit code") {
  std::string answer;
  const pid_t pid = vfork_call(write_pid, &answer);
  REQUIRE(pid > 0);
  CHECK(answer == std::to_string(pid) + ", a child of its own that answers in words");
  CHECK(exit_code(pid) == 3);
}

TEST_CASE("children on our memory may have such children, and each sleeps until the next has ended") {
  std::string answer;
  const auto middle = [](void* argument) {
    const pid_t inner = vfork_call(write_pid, argument);
    const auto& said = *static_cast<std::string*>(argument);
    return inner > 0 && said.starts_with(std::to_string(inner)) ? exit_code(inner) : 1;
  };
  CHECK(exit_code(vfork_call(middle, &answer)) == 3);
}

TEST_CASE("descriptors that a child on our memory closes stay open here") {
  const Fd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  int number = file.get();
  const auto close_it = [](void* argument) { return ::close(*static_cast<int*>(argument)); };
  CHECK(exit_code(vfork_call(close_it, &number)) == 0);
  CHECK(::fcntl(number, F_GETFD) == FD_CLOEXEC);
}

TEST_CASE("a signal for a child on our memory runs no handler of ours, and our mask comes back") {
  static int runs;
  runs = 0;
  struct sigaction counting{}, before{};
  counting.sa_handler = [](int) { ++runs; };
  REQUIRE(::sigaction(SIGUSR1, &counting, &before) == 0);
  const auto signalled = [](void*) { return ::kill(::getpid(), SIGUSR1); };
  CHECK(exit_code(vfork_call(signalled, nullptr)) == 0);
  CHECK(runs == 0);
  ::raise(SIGUSR1);
  CHECK(runs == 1);
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_CASE("the pidfd of a child on our memory tells its end") {
  int pidfd = -1;
  const pid_t pid = vfork_call([](void*) { return 0; }, nullptr, &pidfd);
  const Fd owned(pidfd);
  pollfd ended{pidfd, POLLIN, 0};
  CHECK(::poll(&ended, 1, 10'000) == 1);
  CHECK(exit_code(pid) == 0);
}

}  // namespace holdfast::sys
