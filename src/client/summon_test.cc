#include "client/summon.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/ids.h"
#include "base/paths.h"
#include "base/roles.h"
#include "base/sys.h"
#include "base/test_directory.h"

namespace holdfast::client {
namespace {

const SystemClock kClock;

// A process that looks like the holder of a session: cat under its name, opening a FIFO for ever.
class Impostor {
 public:
  enum class Summons { blocked, unknown };
  Impostor(const std::string& id, Summons summons, const std::string& session_directory = "/") : id_(id) {
    REQUIRE(::mkfifo(directory_.at(id).c_str(), 0600) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      sigset_t mask;
      ::sigemptyset(&mask);
      if (summons == Summons::blocked) ::sigaddset(&mask, roles::kSummonsSignal);
      ::sigprocmask(SIG_SETMASK, &mask, nullptr);
      const int open = ::open(session_directory.c_str(), O_RDONLY | O_DIRECTORY);
      if (::dup2(open, roles::kSessionDirFd) < 0 || ::chdir(directory_.path.c_str()) != 0) ::_exit(1);
      ::execl("/bin/cat", roles::kHolderVerb, id.c_str(), nullptr);
      ::_exit(1);
    }
    while (find_holders(std::span(&id_, 1)).empty() && ::waitpid(pid_, nullptr, WNOHANG) == 0) ::sched_yield();
  }
  ~Impostor() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::vector<HolderProcess> found() const { return find_holders(std::span(&id_, 1)); }
  bool lives() const { return ::waitpid(pid_, nullptr, WNOHANG) == 0; }
  pid_t pid() const { return pid_; }

 private:
  std::string id_;
  TestDirectory directory_;
  pid_t pid_ = -1;
};

}  // namespace

TEST_CASE("a holder is found by its session's id, and by no other") {
  const std::string id = new_ulid(kClock.wall_ms());
  const Impostor holder(id, Impostor::Summons::blocked, "/tmp");
  const auto found = holder.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].pid == holder.pid());
  CHECK(found[0].directory == "/tmp");
  CHECK_FALSE(found[0].stopped);
  const std::string other = new_ulid(kClock.wall_ms());
  CHECK(find_holders(std::span(&other, 1)).empty());
}

TEST_CASE("only a holder that knows the summons is sent it: it would end any other process") {
  const Impostor knows(new_ulid(kClock.wall_ms()), Impostor::Summons::blocked);
  CHECK(summon(knows.found()) == 1);
  const Impostor starting(new_ulid(kClock.wall_ms()), Impostor::Summons::unknown);
  CHECK(summon(starting.found()) == 0);
  CHECK(starting.lives());
}

TEST_CASE("a process that is no holder any more is not signalled") {
  const Impostor holder(new_ulid(kClock.wall_ms()), Impostor::Summons::blocked);
  auto found = holder.found();
  found[0].pid = ::getpid();
  CHECK(summon(found) == 0);
}

TEST_CASE("why a session is silent: nobody, a stopped holder, a socket that is gone, or too much to do") {
  const std::string id = new_ulid(kClock.wall_ms());
  CHECK(silence_of(id, "/none", {}).problem == "its holder does not answer: none runs just now");
  CHECK(silence_of(id, "/", std::vector{HolderProcess{id, 12, true, {}}}).advice == "let it go on with: kill -CONT 12");
  CHECK(silence_of(id, "/none", std::vector{HolderProcess{id, 12, false, {}}}).problem ==
        "its socket /none is gone, and its holder (process 12) has not made it again");
  CHECK(silence_of(id, "/", std::vector{HolderProcess{id, 12, false, {}}}).problem ==
        "its holder (process 12) does not answer");
}

TEST_CASE("a holder of another store that shares the sockets is neither told nor waited for") {
  const TestDirectory scratch;
  const auto store = store::SessionStore::open(scratch.at("state")).value();
  const std::string id = new_ulid(kClock.wall_ms());
  REQUIRE(sys::write_all(sys::open_file(scratch.at("state/names/work"), O_WRONLY | O_CREAT, 0600)->get(), id + "\n"));
  const Impostor elsewhere(id, Impostor::Summons::blocked, "/tmp");
  const Instant begin = kClock.now();
  summon_broken(store, kClock);
  CHECK(kClock.now() - begin < kSummonWait);
  CHECK_FALSE(std::filesystem::exists(scratch.at("state/names/work")));
}

TEST_CASE("the socket of a session that is only starting is left alone, also before anybody listens there; one of nobody goes") {
  const TestDirectory scratch;
  ::setenv("HOLDFAST_RUNTIME_DIR", scratch.at("run").c_str(), 1);
  std::filesystem::create_directories(paths::socket_dir());
  auto store = store::SessionStore::open(scratch.at("state")).value();
  const auto starting = store.create("work", "", kClock.wall_ms()).value();
  const auto bound = [](const std::string& id) {
    const std::string path = paths::socket_dir() + "/" + paths::socket_name(id);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    return std::pair(path, std::move(socket));
  };
  const auto [its_path, its_socket] = bound(starting.id);
  const auto [stale_path, stale_socket] = bound(new_ulid(kClock.wall_ms()));
  summon_broken(store, kClock);
  CHECK(std::filesystem::exists(its_path));
  CHECK_FALSE(std::filesystem::exists(stale_path));
  ::unsetenv("HOLDFAST_RUNTIME_DIR");
}

}  // namespace holdfast::client
