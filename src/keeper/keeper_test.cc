#include "keeper/keeper.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/ids.h"
#include "base/roles.h"
#include "base/sys.h"
#include "base/test_directory.h"
#include "keeper/fake_holder.h"
#include "keeper/launch.h"
#include "pty/process_tree.h"

namespace holdfast::keeper {
namespace {

// A launched session with a fake holder, and the words to talk to it.
struct Session : TestDirectory {
  Session() {
    directory = sys::open_private_directory(path + "/session").value();
    lock = sys::open_at(directory.get(), "lock", O_RDWR | O_CREAT, 0600).value();
    REQUIRE(::flock(lock.get(), LOCK_EX | LOCK_NB) == 0);
  }
  ~Session() { finish(); }

  LaunchSpec spec(std::vector<std::string> argv) const {
    LaunchSpec spec;
    spec.id = id;
    spec.name = "test";
    spec.argv = std::move(argv);
    spec.environment = {"PATH=/usr/bin:/bin"};
    spec.cwd = fd.get();
    spec.size = {100, 30, 0, 0};
    spec.session_directory = directory.get();
    spec.lock = lock.get();
    spec.socket_directory = path + "/run/s";
    return spec;
  }
  void start(const std::string& script) {
    const auto launched = launch(spec({"sh", "-c", script}));
    REQUIRE(launched);
    lock.reset();
    running = true;
  }
  std::string socket() const { return path + "/run/s/" + id + ".sock"; }

  // The answer of the holder of the moment; "" if it ended instead.
  std::string ask(HolderCommand command) const {
    const Fd connection = sys::connect_unix(socket()).value();
    REQUIRE(sys::set_blocking(connection.get(), sys::Blocking::yes));
    REQUIRE(::send(connection.get(), &command, 1, MSG_NOSIGNAL) == 1);
    std::string answer;
    char byte;
    while (::read(connection.get(), &byte, 1) == 1 && byte != '\n') answer += byte;
    return answer;
  }
  pid_t ask_pid(HolderCommand command) const { return std::stoi(ask(command)); }

  // Returns when no process of the session has its lock any more.
  void wait_until_over() {
    const Fd probe = sys::open_at(directory.get(), "lock", O_RDWR).value();
    REQUIRE(::flock(probe.get(), LOCK_EX) == 0);
    running = false;
  }
  bool is_over() const {
    const Fd probe = sys::open_at(directory.get(), "lock", O_RDWR).value();
    return ::flock(probe.get(), LOCK_EX | LOCK_NB) == 0;
  }
  void finish() {
    if (!running) return;
    ask(kFinish);
    wait_until_over();
  }

  const std::string id = new_ulid(1'767'225'600'000);
  Fd directory, lock;
  bool running = false;
};

std::string note(unsigned kind, int wait_status, int restarts, int last_status) {
  return std::to_string(kind) + " " + std::to_string(wait_status) + " " + std::to_string(restarts) + " " +
         std::to_string(last_status);
}
std::string ended_with(int wait_status) { return note(roles::KeeperNote::program_ended, wait_status, 0, 0); }
std::string restarted(int restarts, int last_status) {
  return note(roles::KeeperNote::holder_restarted, 0, restarts, last_status);
}
constexpr int exit_status(int code) { return code << 8; }

bool is_there(pid_t pid) { return ::access(("/proc/" + std::to_string(pid)).c_str(), F_OK) == 0; }

}  // namespace

TEST_CASE_FIXTURE(Session, "the program runs when launch returns, and its session can be talked to") {
  start("stty size; exec cat");
  CHECK(ask(kSayOutput).starts_with("30 100"));
  CHECK(ask(kSayRing) == "100x30@0");
  const pid_t program = ask_pid(kSayProgram);
  CHECK(is_there(program));
  CHECK(::kill(program, SIGKILL) == 0);
  CHECK(ask(kSayNote) == ended_with(SIGKILL));
}

TEST_CASE_FIXTURE(Session, "keeper and holder have their descriptors, and nothing of the caller's") {
  const Fd leaked(::open("/dev/null", O_RDONLY));  // without CLOEXEC on purpose
  ::setenv("HOLDFAST_TEST_MARK", id.c_str(), 1);
  start("exec cat");
  ::unsetenv("HOLDFAST_TEST_MARK");
  CHECK(ask(kSayFiles) == "0 1 2 3 4 5 6 7 8 9 10 11 12 ");  // 11: its client, 12: the listing itself
  const std::string keeper = "/proc/" + ask(kSayKeeper), holder = "/proc/" + ask(kSayPid);
  for (const std::string& process : {keeper, holder}) {
    CHECK(std::filesystem::read_symlink(process + "/cwd") == "/");
    for (const char* name : {"/fd/0", "/fd/1", "/fd/2"})
      CHECK(std::filesystem::read_symlink(process + name) == "/dev/null");
    CHECK(sys::read_file(process + "/environ")->find("HOLDFAST_TEST_MARK=" + id) != std::string::npos);
    CHECK(sys::read_file(process + "/status")->find("SigBlk:\t0000000000000000") != std::string::npos);
  }
  const std::string arguments =
      std::string("\0", 1) + id + std::string("\0test\0", 6) + ask(kSayProgram) + std::string("\0", 1);
  CHECK(*sys::read_file(keeper + "/cmdline") == roles::kKeeperVerb + arguments);
  CHECK(*sys::read_file(holder + "/cmdline") == roles::kHolderVerb + arguments);
}

TEST_CASE_FIXTURE(Session, "the keeper is the program's parent and in a session without terminal") {
  start("exec cat");
  const pid_t keeper = ask_pid(kSayKeeper), program = ask_pid(kSayProgram);
  const auto processes = pty::read_processes().value();
  for (const pty::Process& process : processes) {
    if (process.pid == program) CHECK(process.parent == keeper);
    if (process.pid == keeper) CHECK(process.parent != ::getpid());
  }
  CHECK(::getsid(keeper) != ::getsid(0));
  CHECK(::getsid(program) == program);
  CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);
}

TEST_CASE_FIXTURE(Session, "a program that cannot be started leaves nothing behind") {
  const auto missing = launch(spec({"vimm"}));
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message() ==
        "cannot start 'vimm': there is no such program on PATH; check the spelling, or give its full path");
  CHECK(std::filesystem::is_empty(path + "/run/s"));
  lock.reset();
  wait_until_over();
  CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);
}

TEST_CASE_FIXTURE(Session, "a socket that cannot be made is an error, and the program does not run") {
  LaunchSpec what = spec({"touch", "ran"});
  what.socket_directory = "/proc/holdfast";
  REQUIRE_FALSE(launch(what));
  what = spec({"touch", "ran"});
  std::filesystem::create_directories(path + "/run");
  std::filesystem::create_symlink(path, path + "/run/s");
  CHECK(launch(what).error().kind == ErrorKind::refused);
  what = spec({"touch", "ran"});
  what.socket_directory = path + "/other";
  what.binary = "/nonexistent";
  CHECK(launch(what).error().problem == "No such file or directory");
  lock.reset();
  wait_until_over();
  CHECK_FALSE(std::filesystem::exists(path + "/ran"));
}

TEST_CASE_FIXTURE(Session, "a keeper that cannot be executed is an error, and leaves nothing behind") {
  REQUIRE(sys::replace_file_at(fd.get(), "no-binary", "not a program", sys::Durable::no));
  LaunchSpec what = spec({"sh", "-c", "exec cat"});
  what.binary = path + "/no-binary";
  const auto launched = launch(what);
  REQUIRE_FALSE(launched);
  CHECK(launched.error().message() == "cannot start the session 'test': Permission denied");
  CHECK(std::filesystem::is_empty(path + "/run/s"));
  lock.reset();
  wait_until_over();
  CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);
}

TEST_CASE_FIXTURE(Session, "the program's end reaches the holder with its exit code") {
  start("exit 7");
  CHECK(ask(kSayNote) == ended_with(exit_status(7)));
  CHECK_FALSE(is_over());
}

TEST_CASE_FIXTURE(Session, "a holder that finishes takes the keeper with it, and hangs the program up") {
  start("exec cat");
  const pid_t program = ask_pid(kSayProgram);
  const Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, program, 0u)));
  ask(kFinish);
  wait_until_over();
  pollfd end{pidfd.get(), POLLIN, 0};
  CHECK(::poll(&end, 1, 10'000) == 1);
}

TEST_CASE_FIXTURE(Session, "a holder that dies is started again at the same socket, and the program goes on") {
  start("exec cat");
  const pid_t first = ask_pid(kSayPid), program = ask_pid(kSayProgram), keeper = ask_pid(kSayKeeper);
  CHECK(ask(kCrash).empty());
  CHECK(ask(kSayNote) == restarted(1, exit_status(3)));
  const pid_t second = ask_pid(kSayPid);
  CHECK(second != first);
  CHECK(ask_pid(kSayProgram) == program);
  CHECK(ask_pid(kSayKeeper) == keeper);
  CHECK(is_there(program));

  ::kill(second, SIGKILL);
  CHECK(ask(kSayNote) == restarted(2, SIGKILL));
  CHECK(ask(kSayFiles) == "0 1 2 3 4 5 6 7 8 9 10 11 12 ");
}

TEST_CASE_FIXTURE(Session, "a program's end is told again to every later holder") {
  start("exit 7");
  CHECK(ask(kSayNote) == ended_with(exit_status(7)));
  ask(kCrash);
  CHECK(ask(kSayNote) == restarted(1, exit_status(3)));
  CHECK(ask(kSayNote) == ended_with(exit_status(7)));
  ask(kCrash);
  CHECK(ask(kSayNote) == restarted(2, exit_status(3)));
  CHECK(ask(kSayNote) == ended_with(exit_status(7)));
}

TEST_CASE_FIXTURE(Session, "the exit code of a program that ends while there is no holder is not lost") {
  start("read line; exit 9");
  const pid_t holder = ask_pid(kSayPid), keeper = ask_pid(kSayKeeper), program = ask_pid(kSayProgram);
  ::kill(keeper, SIGSTOP);
  ::kill(holder, SIGKILL);
  ::kill(program, SIGTERM);
  ::kill(keeper, SIGCONT);
  CHECK(ask(kSayNote) == restarted(1, SIGKILL));
  CHECK(ask(kSayNote) == ended_with(SIGTERM));
}

TEST_CASE_FIXTURE(Session, "orphans of the program become the keeper's and are reaped") {
  start("setsid -f sh -c 'echo $$; exec sleep 1000'; exec cat");
  const pid_t orphan = ask_pid(kSayOutput), keeper = ask_pid(kSayKeeper);
  const Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, orphan, 0u)));
  REQUIRE(pidfd);
  const auto below = pty::descendants(pty::read_processes().value(), keeper);
  CHECK(std::any_of(below.begin(), below.end(),
                    [&](const pty::Process& p) { return p.pid == orphan && p.parent == keeper; }));
  ::kill(orphan, SIGKILL);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (is_there(orphan) && std::chrono::steady_clock::now() < deadline) ::sched_yield();
  CHECK_FALSE(is_there(orphan));
}

TEST_CASE_FIXTURE(Session, "a hangup meant for everybody does not end the keeper") {
  start("exec cat");
  const pid_t keeper = ask_pid(kSayKeeper);
  ::kill(keeper, SIGHUP);
  ask(kCrash);
  CHECK(ask(kSayNote) == restarted(1, exit_status(3)));
  CHECK(ask_pid(kSayKeeper) == keeper);
}

TEST_CASE_FIXTURE(Session, "what the holder had to make anew the next one has too, and it stays locked all the while") {
  start("exec cat");
  const pid_t keeper = ask_pid(kSayKeeper), holder = ask_pid(kSayPid);
  CHECK(ask(kRelock) == "done");
  ::kill(keeper, SIGSTOP);
  ::kill(holder, SIGKILL);
  CHECK_FALSE(is_over());
  ::kill(keeper, SIGCONT);
  CHECK(ask(kSayNote) == restarted(1, SIGKILL));
  CHECK_FALSE(is_over());
  CHECK(ask(kSayFiles) == "0 1 2 3 4 5 6 7 8 9 10 11 12 ");
  CHECK(std::distance(std::filesystem::directory_iterator("/proc/" + std::to_string(keeper) + "/fd"),
                      std::filesystem::directory_iterator()) == 11);
}

TEST_CASE_FIXTURE(Session, "a keeper that is woken takes what waits for it, and goes on") {
  start("exec cat");
  const pid_t keeper = ask_pid(kSayKeeper);
  const std::string held = "/proc/" + std::to_string(keeper) + "/fd/" + std::to_string(roles::kLockFd);
  for (int i = 0; i < 100; ++i) {
    REQUIRE(ask(kRelock) == "done");
    // One that comes just before it waits wakes nobody: then the note is taken with the next.
    while (std::filesystem::read_symlink(held).string().ends_with("(deleted)")) {
      ::kill(keeper, roles::kSummonsSignal);
      ::sched_yield();
    }
  }
  CHECK(ask_pid(kSayKeeper) == keeper);
}

TEST_CASE_FIXTURE(Session, "the session outlives the whole group of the process that launched it") {
  const pid_t caller = ::fork();
  if (caller == 0) {
    ::setpgid(0, 0);
    const bool launched = launch(spec({"cat"})).has_value();
    ::kill(0, SIGKILL);
    ::_exit(launched ? 0 : 1);
  }
  ::waitpid(caller, nullptr, 0);
  lock.reset();
  running = true;
  CHECK(is_there(ask_pid(kSayProgram)));
  CHECK(ask_pid(kSayPid) > 0);
}

TEST_CASE_FIXTURE(Session, "a thousand launches leave no descriptor and no child in the caller") {
  const auto open_descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = open_descriptors();
  for (int i = 0; i < 1000; ++i) REQUIRE_FALSE(launch(spec({"./none"})));
  CHECK(open_descriptors() == before);
  CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);
}

}  // namespace holdfast::keeper
