#include "pty/process_tree.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/sys.h"
#include "base/test_directory.h"

namespace holdfast::pty {
namespace {

// A directory in the form of /proc.
struct FakeProc : TestDirectory {
  void raw(const std::string& pid, std::string_view stat) {
    const Fd directory = sys::open_private_directory(path + "/" + pid).value();
    REQUIRE(sys::replace_file_at(directory.get(), "stat", stat, sys::Durable::no));
  }
  void process(pid_t pid, pid_t parent, std::uint64_t start, const std::string& name = "sh",
               const std::string& state = "S") {
    raw(std::to_string(pid), std::to_string(pid) + " (" + name + ") " + state + " " + std::to_string(parent) +
                                 " 10 11 0 -1 4194304" + " 0 0 0 0 0 0 0 0 20 0 1 0 " + std::to_string(start) +
                                 " 0 0 18446744073709551615\n");
  }
  std::vector<pid_t> below(pid_t root) const {
    std::vector<pid_t> pids;
    for (const Process& p : descendants(read_processes(path).value(), root)) pids.push_back(p.pid);
    return pids;
  }
};

Process self_of(pid_t pid) {
  const auto all = read_processes().value();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Process& p) { return p.pid == pid; });
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE_FIXTURE(FakeProc, "a process is read with all its parts, whatever its name") {
  process(7, 3, 1234567, ") S 1 (x) 99 ", "Z");
  const auto all = read_processes(path).value();
  REQUIRE(all.size() == 1);
  CHECK(all[0].pid == 7);
  CHECK(all[0].parent == 3);
  CHECK(all[0].group == 10);
  CHECK(all[0].session == 11);
  CHECK(all[0].start_time == 1234567);
  CHECK(all[0].command == ") S 1 (x) 99 ");
  CHECK(all[0].zombie);
}

TEST_CASE_FIXTURE(FakeProc, "what is no process or is torn is left out") {
  process(1, 0, 1);
  for (const char* stat :
       {"", "7", "7 (", "7 (sh", "7 (sh)", "7 (sh) S 1 2", "x (sh) S 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0"}) {
    raw("7", stat);
    CHECK(read_processes(path)->size() == 1);
  }
  raw("self", "8 (sh) S 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 0");
  std::filesystem::create_directory(path + "/9");
  CHECK(read_processes(path)->size() == 1);
  CHECK_FALSE(read_processes("/nonexistent"));
}

TEST_CASE_FIXTURE(FakeProc, "descendants come nearest first and without the root") {
  process(1, 0, 1);
  process(100, 1, 10);
  process(101, 100, 11);
  process(90, 101, 12);
  process(102, 100, 13);
  process(200, 1, 14);
  CHECK(below(100) == std::vector<pid_t>{101, 102, 90});
  CHECK(below(90).empty());
  CHECK(below(1).size() == 5);
}

TEST_CASE_FIXTURE(FakeProc, "a cycle in the table does not hang the walk") {
  process(1, 0, 1);
  process(50, 51, 5);
  process(51, 50, 5);
  process(60, 60, 5);
  CHECK(below(50) == std::vector<pid_t>{51});
  CHECK(below(51) == std::vector<pid_t>{50});
  CHECK(below(60).empty());
  CHECK(below(1).empty());
}

TEST_CASE_FIXTURE(FakeProc, "a child older than its parent belongs to an earlier owner of the pid") {
  process(100, 1, 1000);
  process(101, 100, 999);
  process(102, 100, 1000);
  CHECK(below(100) == std::vector<pid_t>{102});
}

TEST_CASE("a signal reaches the process it was meant for, and never a later one with its pid") {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
  }
  Process process = self_of(pid);
  CHECK(process.parent == ::getpid());

  Process later = process;
  later.start_time += 1;
  CHECK_FALSE(signal_process(later, SIGKILL));
  CHECK(::waitpid(pid, nullptr, WNOHANG) == 0);

  CHECK(signal_process(process, SIGKILL));
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(WTERMSIG(status) == SIGKILL);
  CHECK_FALSE(signal_process(process, SIGKILL));
}

TEST_CASE("real processes are found below their parent") {
  auto [ours, theirs] = sys::socket_pair(SOCK_STREAM).value();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::fork() == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::write(theirs.get(), "r", 1) != 1) ::_exit(1);
    }
    for (;;) ::pause();
  }
  char ready;
  REQUIRE(::read(ours.get(), &ready, 1) == 1);
  const auto tree = descendants(read_processes().value(), ::getpid());
  CHECK(tree.size() == 2);
  CHECK(tree.front().pid == pid);
  CHECK(tree.back().parent == pid);
  // The child first: the end of its parent would end it too, and whoever adopts it may have reaped it by then.
  CHECK(signal_process(tree.back(), SIGKILL));
  CHECK(signal_process(tree.front(), SIGKILL));
  ::waitpid(pid, nullptr, 0);
}

}  // namespace holdfast::pty
