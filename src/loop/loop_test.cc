#include "loop/loop.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <string>

#include "base/fd.h"
#include "base/sys.h"

namespace holdfast::loop {
namespace {

// A poller whose events a test writes down. Level-triggered like the real one.
class ScriptedPoller final : public Poller {
 public:
  Result<> set(int fd, unsigned interest) override {
    ++sets;
    interest_[fd] = interest;
    told_hangup_[fd] = false;
    return {};
  }
  void remove(int fd) override { interest_.erase(fd); }
  void wait(Duration timeout, std::vector<Ready>& ready) override {
    last_timeout = timeout;
    for (const auto& [fd, interest] : interest_) {
      unsigned events = state[fd] & interest;
      if ((state[fd] & kHangup) != 0 && !(interest == kNone && told_hangup_[fd])) {
        events |= kHangup | (interest & kRead);
        told_hangup_[fd] = true;
      }
      if (events != 0) ready.push_back({fd, events});
    }
  }

  std::map<int, unsigned> state;  // what is so, by descriptor
  Duration last_timeout{};
  int sets = 0;

 private:
  std::map<int, unsigned> interest_;
  std::map<int, bool> told_hangup_;
};

// Descriptors whose readiness a test decides: by script, or by a peer at the other end of a real socket.
class ScriptedWorld {
 public:
  Poller& poller() { return script; }
  int open() { return next_fd_++; }
  void close(int fd) { script.state.erase(fd); }
  void make_readable(int fd) { script.state[fd] |= kReadable; }
  void consume(int fd) { script.state[fd] &= ~unsigned{kReadable}; }
  void make_writable(int fd) { script.state[fd] |= kWritable; }
  void hang_up(int fd) { script.state[fd] |= kHangup; }

  ScriptedPoller script;

 private:
  int next_fd_ = 20;
};

class EpollWorld {
 public:
  Poller& poller() { return *poller_; }
  int open() {
    auto [ours, peer] = sys::socket_pair(SOCK_STREAM | SOCK_NONBLOCK).value();
    const int fd = ours.get();
    while (::write(fd, "xxxxxxxx", 8) > 0) {  // not writable until the peer reads
    }
    ends_[fd] = {std::move(ours), std::move(peer)};
    return fd;
  }
  void close(int fd) { ends_.erase(fd); }
  void make_readable(int fd) { REQUIRE(::write(ends_[fd].second.get(), "x", 1) == 1); }
  void consume(int fd) {
    char byte;
    REQUIRE(::read(fd, &byte, 1) == 1);
  }
  void make_writable(int fd) {
    std::string bytes(1 << 20, '\0');
    while (::read(ends_[fd].second.get(), bytes.data(), bytes.size()) > 0) {
    }
  }
  void hang_up(int fd) { ends_[fd].second.reset(); }

 private:
  std::unique_ptr<Poller> poller_ = make_epoll_poller().value();
  std::map<int, std::pair<Fd, Fd>> ends_;
};

template <typename World>
struct Fixture {
  World world;
  ManualClock clock;
  Loop loop{world.poller(), clock};
  std::string story;

  void turn() { loop.run_once(0ns); }
  Loop::Action say(std::string word) {
    return [this, word] { story += word; };
  }
};

}  // namespace

TEST_CASE_TEMPLATE("a handler hears what it asked for, until it has taken it", W, ScriptedWorld, EpollWorld) {
  Fixture<W> f;
  const int fd = f.world.open();
  REQUIRE(f.loop.watch(fd, kRead, [&](unsigned events) { f.story += events == kReadable ? "r" : "?"; }));
  f.turn();
  CHECK(f.story.empty());
  f.world.make_readable(fd);
  f.world.make_writable(fd);
  f.turn();
  f.turn();
  CHECK(f.story == "rr");
  f.world.consume(fd);
  f.turn();
  CHECK(f.story == "rr");
}

TEST_CASE_TEMPLATE("interest can change, and none means silence", W, ScriptedWorld, EpollWorld) {
  Fixture<W> f;
  const int fd = f.world.open();
  REQUIRE(f.loop.watch(fd, kRead, [&](unsigned events) { f.story += std::to_string(events); }));
  f.world.make_readable(fd);
  f.world.make_writable(fd);
  REQUIRE(f.loop.change(fd, kRead | kWrite));
  f.turn();
  REQUIRE(f.loop.change(fd, kWrite));
  f.turn();
  REQUIRE(f.loop.change(fd, kNone));
  f.turn();
  CHECK(f.story == "32");
}

TEST_CASE_TEMPLATE("a handler may forget itself and be destroyed only afterwards", W, ScriptedWorld, EpollWorld) {
  Fixture<W> f;
  const int fd = f.world.open();
  auto witness = std::make_shared<int>(7);
  const std::weak_ptr<int> alive = witness;
  REQUIRE(f.loop.watch(fd, kRead, [&, witness = std::move(witness)](unsigned) {
    f.loop.forget(fd);
    f.story += std::to_string(*witness);
  }));
  f.world.make_readable(fd);
  f.turn();
  CHECK(f.story == "7");
  CHECK(alive.expired());
  f.turn();
  CHECK(f.story == "7");
}

TEST_CASE_TEMPLATE("a handler forgotten by another of the same batch is not called", W, ScriptedWorld, EpollWorld) {
  Fixture<W> f;
  const int one = f.world.open(), two = f.world.open();
  const auto handler = [&](int other) {
    return [&f, other](unsigned) {
      f.loop.forget(other);
      f.story += "x";
    };
  };
  REQUIRE(f.loop.watch(one, kRead, handler(two)));
  REQUIRE(f.loop.watch(two, kRead, handler(one)));
  f.world.make_readable(one);
  f.world.make_readable(two);
  f.turn();
  CHECK(f.story == "x");
}

TEST_CASE_TEMPLATE("events of a closed descriptor do not reach the next one of its number", W, ScriptedWorld,
                   EpollWorld) {
  Fixture<W> f;
  const int one = f.world.open(), two = f.world.open();
  const auto replace_other = [&](int other) {
    return [&f, other](unsigned) {
      f.loop.forget(other);
      REQUIRE(f.loop.watch(other, kRead, [&f](unsigned) { f.story += "new"; }));
      f.story += "x";
    };
  };
  REQUIRE(f.loop.watch(one, kRead, replace_other(two)));
  REQUIRE(f.loop.watch(two, kRead, replace_other(one)));
  f.world.make_readable(one);
  f.world.make_readable(two);
  f.turn();
  CHECK(f.story == "x");
}

TEST_CASE_TEMPLATE("a hangup comes with readable for a reader, and once for one who only waits", W, ScriptedWorld,
                   EpollWorld) {
  Fixture<W> f;
  const int reader = f.world.open(), idle = f.world.open();
  std::string idle_story;
  REQUIRE(f.loop.watch(reader, kRead,
                       [&](unsigned events) { f.story += (events & kHangup) && (events & kReadable) ? "h" : "?"; }));
  REQUIRE(f.loop.watch(idle, kNone, [&](unsigned events) { idle_story += events == kHangup ? "h" : "?"; }));
  f.turn();
  CHECK(f.story + idle_story == "");
  f.world.hang_up(reader);
  f.world.hang_up(idle);
  f.turn();
  f.turn();
  f.turn();
  CHECK(f.story == "hhh");
  CHECK(idle_story == "h");
}

TEST_CASE_TEMPLATE("timers run in order of time, then of creation, and not before", W, ScriptedWorld, EpollWorld) {
  Fixture<W> f;
  f.loop.after(20ms, f.say("c"));
  f.loop.after(10ms, f.say("a"));
  f.loop.after(10ms, f.say("b"));
  f.turn();
  CHECK(f.story.empty());
  f.clock.advance(10ms);
  f.turn();
  CHECK(f.story == "ab");
  f.clock.advance(1s);
  f.turn();
  f.turn();
  CHECK(f.story == "abc");
}

TEST_CASE_TEMPLATE("a cancelled timer does not run, and old ids are ignored", W, ScriptedWorld, EpollWorld) {
  Fixture<W> f;
  const TimerId one = f.loop.after(1ms, f.say("1"));
  TimerId two = 0;
  two = f.loop.after(1ms, f.say("2"));
  f.loop.after(0ms, [&] { f.loop.cancel(two); });
  f.clock.advance(1ms);
  f.turn();
  f.loop.cancel(one);
  f.loop.cancel(two);
  f.loop.cancel(12345);
  f.turn();
  CHECK(f.story == "1");
}

TEST_CASE_TEMPLATE("a timer that restarts itself runs once a turn", W, ScriptedWorld, EpollWorld) {
  Fixture<W> f;
  std::function<void()> again = [&] {
    f.story += "t";
    f.loop.after(0ms, [&] { again(); });
  };
  f.loop.after(0ms, [&] { again(); });
  f.turn();
  CHECK(f.story == "t");
  f.turn();
  CHECK(f.story == "tt");
}

TEST_CASE_TEMPLATE("the pump runs once after events and timers of a turn", W, ScriptedWorld, EpollWorld) {
  Fixture<W> f;
  const int fd = f.world.open();
  f.loop.set_pump(f.say("|"));
  REQUIRE(f.loop.watch(fd, kRead, [&](unsigned) { f.story += "e"; }));
  f.loop.after(0ms, f.say("t"));
  f.world.make_readable(fd);
  f.turn();
  CHECK(f.story == "et|");
}

TEST_CASE_TEMPLATE("stop ends the run after the turn", W, ScriptedWorld, EpollWorld) {
  Fixture<W> f;
  f.loop.set_pump(f.say("p"));
  f.loop.after(0ms, [&] { f.loop.stop(); });
  f.loop.run();
  CHECK(f.story == "p");
  CHECK_FALSE(f.loop.run_once(0ns));
  CHECK(f.story == "p");
}

TEST_CASE_TEMPLATE("signals arrive in the loop, once each, to their last action", W, ScriptedWorld, EpollWorld) {
  Fixture<W> f;
  REQUIRE(f.loop.on_signal(SIGUSR1, f.say("old")));
  REQUIRE(f.loop.on_signal(SIGUSR2, f.say("2")));
  REQUIRE(f.loop.on_signal(SIGUSR1, f.say("1")));
  if constexpr (std::is_same_v<W, ScriptedWorld>) {
    // The loop's own descriptor is a real one: the script says that all are readable.
    for (int fd = 3; fd < 20; ++fd) f.world.make_readable(fd);
  }
  f.turn();
  CHECK(f.story.empty());
  ::kill(::getpid(), SIGUSR1);
  f.turn();
  CHECK(f.story == "1");
  ::kill(::getpid(), SIGUSR2);
  f.turn();
  f.turn();
  CHECK(f.story == "12");
}

TEST_CASE("the loop sleeps until the next timer, and without one for ever") {
  Fixture<ScriptedWorld> f;
  f.loop.run_once(Duration(-1));
  CHECK(f.world.script.last_timeout < Duration::zero());
  f.loop.after(7ms, f.say(""));
  f.loop.after(3ms, f.say(""));
  f.loop.run_once(Duration(-1));
  CHECK(f.world.script.last_timeout == 3ms);
  f.loop.run_once(1ms);
  CHECK(f.world.script.last_timeout == 1ms);
  f.clock.advance(1s);
  f.loop.run_once(Duration(-1));
  CHECK(f.world.script.last_timeout == 0ms);
}

TEST_CASE("now stands still within a turn") {
  Fixture<ScriptedWorld> f;
  Instant first, second;
  f.loop.after(0ms, [&] {
    first = f.loop.now();
    f.clock.advance(5ms);
    second = f.loop.now();
  });
  f.turn();
  CHECK(first == second);
  f.turn();
  CHECK(f.loop.now() - first == 5ms);
}

TEST_CASE("an unchanged interest costs no call") {
  Fixture<ScriptedWorld> f;
  const int fd = f.world.open();
  REQUIRE(f.loop.watch(fd, kRead, [](unsigned) {}));
  REQUIRE(f.loop.change(fd, kRead));
  CHECK(f.world.script.sets == 1);
  REQUIRE(f.loop.change(fd, kRead | kWrite));
  CHECK(f.world.script.sets == 2);
}

TEST_CASE("epoll wakes for a timer without any descriptor") {
  const auto poller = make_epoll_poller().value();
  const SystemClock clock;
  Loop loop(*poller, clock);
  const Instant begin = clock.now();
  loop.after(2ms, [&] { loop.stop(); });
  loop.run();
  CHECK(clock.now() - begin >= 2ms);
}

TEST_CASE("what cannot be watched is an error") {
  const auto poller = make_epoll_poller().value();
  const SystemClock clock;
  Loop loop(*poller, clock);
  const Fd file = sys::open_file("/etc/passwd", O_RDONLY).value();
  CHECK_FALSE(loop.watch(file.get(), kRead, [](unsigned) {}));
  CHECK_FALSE(loop.watch(999, kRead, [](unsigned) {}));
}

}  // namespace holdfast::loop
