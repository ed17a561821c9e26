#include "vtd/shadow.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/json.h"
#include "base/limits.h"
#include "base/sys.h"
#include "vt/terminal.h"
#include "vtd/checkpoint.h"
#include "vtd/sandbox.h"

using namespace holdfast;
using namespace holdfast::vtd;
using namespace holdfast::wire::vtd;

namespace {

class Log final : public Channel {
 public:
  Result<> send(const FromVtd& message, int file) override {
    if (const auto* ack = std::get_if<Ack>(&message)) acks.push_back(ack->offset);
    if (const auto* reply = std::get_if<Reply>(&message)) replies.push_back(*reply);
    if (const auto* event = std::get_if<Event>(&message)) events.push_back(*event);
    if (const auto* answer = std::get_if<Answer>(&message)) {
      answers.push_back(*answer);
      files.emplace_back(file >= 0 ? ::dup(file) : -1);
    }
    return {};
  }
  std::string last_bytes() const {
    std::string bytes(answers.back().bytes, '\0');
    CHECK(::pread(files.back().get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    return bytes;
  }
  std::vector<std::uint64_t> acks;
  std::vector<Reply> replies;
  std::vector<Event> events;
  std::vector<Answer> answers;
  std::vector<Fd> files;
};

// Each look at it takes a while.
class SlowClock final : public Clock {
 public:
  Instant now() const override { return Instant{now_ += step}; }
  std::int64_t wall_ms() const override { return 0; }
  std::int64_t step = 0;

 private:
  mutable std::int64_t now_ = 0;
};

struct Bench {
  Bench() : memory(RingWriter::create_memfd(limits::kRingBytes).value()), ring(RingWriter::map(memory.get()).value()) {
    begin();
  }
  void begin() { shadow = std::make_unique<Shadow>(RingView::map(memory.get()).value(), log, clock); }
  void start(std::uint64_t offset = 0, Fd checkpoint = {}) {
    CHECK(shadow->take(Start{offset, 80, 24, 0, 0, 1000, 1u << 20}, std::move(checkpoint)).has_value());
  }
  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto space = ring.reserve(bytes.size());
      std::copy_n(bytes.data(), space.size(), space.data());
      ring.commit(space.size());
      bytes.remove_prefix(space.size());
    }
  }
  bool say(const ToVtd& word) { return shadow->take(word, {}).has_value(); }
  std::string ask(Want want, std::string json = {}) {
    CHECK(say(Request{9, want, 20, 5, -1, std::move(json)}));
    return log.last_bytes();
  }

  Fd memory;
  RingWriter ring;
  Log log;
  SlowClock clock;
  std::unique_ptr<Shadow> shadow;
};

}  // namespace

namespace {

// Where the cursor is behind a family of three: joined it takes two columns, one by one six.
constexpr std::string_view kFamily = "\r\033[K\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7";
std::int64_t family_columns(Bench& bench) {
  bench.write(kFamily);
  CHECK(bench.say(Range{bench.ring.head()}));
  return Json::parse(bench.ask(Want::read, R"({"format":"json"})"))->get("cursor").get("x").as_int();
}
void set_clusters(Bench& bench, std::string_view how, bool begin_off = false) {
  Json profile = Json::object().set("term", "xterm").set("clusters", how).set("clusters_begin_off", begin_off);
  CHECK(bench.say(Profile{profile.dump()}));
}
void say_bytes(Bench& bench, std::string_view bytes) {
  bench.write(bytes);
  CHECK(bench.say(Range{bench.ring.head()}));
}

}  // namespace

TEST_CASE("a range is parsed and acknowledged, the screen can be read") {
  Bench bench;
  bench.start();
  bench.write("hello");
  CHECK(bench.say(Range{5}));
  CHECK(bench.log.acks == std::vector<std::uint64_t>{5});
  CHECK(bench.ask(Want::read, R"({"format":"plain"})").starts_with("hello\n"));
  CHECK(bench.log.answers.back().offset == 5);
  CHECK(bench.log.answers.back().id == 9);
}

TEST_CASE("images are restored on terminals that may show them, and not sent to those that are known not to") {
  Bench bench;
  bench.start();
  say_bytes(bench, "\033_Ga=T,i=1,f=24,s=1,v=2;AAECAwQF\033\\");
  const auto has_image = [&](std::string_view term) {
    CHECK(bench.say(Profile{Json::object().set("term", term).dump()}));
    return bench.ask(Want::restore).find("AAECAwQF") != std::string::npos;
  };
  CHECK(has_image("xterm-ghostty"));
  CHECK_FALSE(has_image("tmux-256color"));
  CHECK_FALSE(has_image("linux"));
  CHECK(has_image("xterm-256color"));
}

TEST_CASE("a slow range is acknowledged slice by slice, on a large screen in small slices") {
  Bench bench;
  bench.start();
  bench.clock.step = Duration(100ms).count();
  bench.write(std::string(200'000, 'x'));
  CHECK(bench.say(Range{200'000}));
  CHECK(bench.log.acks == std::vector<std::uint64_t>{65'536, 131'072, 196'608, 200'000});
  CHECK(bench.say(Resize{200'000, 4096, 2048, 0, 0}));
  bench.log.acks.clear();
  bench.write(std::string(511, 'x'));
  CHECK(bench.say(Range{200'511}));
  CHECK(bench.log.acks == std::vector<std::uint64_t>{200'128, 200'256, 200'384, 200'511});
}

TEST_CASE("long ranges are acknowledged on the way") {
  Bench bench;
  bench.start();
  bench.write(std::string(1'000'000, 'x'));
  CHECK(bench.say(Range{1'000'000}));
  CHECK(bench.log.acks.size() == 4);
  CHECK(bench.log.acks.back() == 1'000'000);
}

TEST_CASE("queries are answered with the offset behind them") {
  Bench bench;
  bench.start();
  bench.write("ab\033[6n");
  CHECK(bench.say(Range{6}));
  REQUIRE(bench.log.replies.size() == 1);
  CHECK(bench.log.replies[0].offset == 6);
  CHECK(bench.log.replies[0].bytes == "\033[1;3R");
}

TEST_CASE("a flood of title changes becomes one event") {
  Bench bench;
  bench.start();
  std::string flood;
  for (int i = 0; i < 1000; ++i) flood += "\033]2;title " + std::to_string(i) + "\a\a";
  bench.write(flood);
  CHECK(bench.say(Range{flood.size()}));
  CHECK(bench.log.events.size() == 2);
  CHECK(bench.log.events[0].text == "title 999");
}

TEST_CASE("a checkpoint and the rest of the ring give the same screen as the bytes alone") {
  Bench bench;
  bench.start();
  bench.write("one\r\n\033[31mtwo\r\n\033[?1049h\033[5;5Hthr");
  CHECK(bench.say(Range{20}));
  CHECK(bench.say(Request{1, Want::checkpoint, 0, 0, -1, ""}));
  Fd checkpoint = std::move(bench.log.files.back());
  CHECK(bench.say(Range{bench.ring.head()}));
  const std::string whole = bench.ask(Want::restore);
  bench.begin();
  bench.start(20, std::move(checkpoint));
  CHECK(bench.say(Range{bench.ring.head()}));
  CHECK(bench.ask(Want::restore) == whole);
}

TEST_CASE("a checkpoint taken anywhere, compressed or not, gives a shadow that cannot be told from one that went on") {
  const std::string bytes =
      "one\r\n\033[31mtwo\033[6n \033]2;title\a\033]7;file:///x\a\033[?2004h\033[?1000;1006h\033[>1u\033[2;20r\033[?6h\xe4\xb8\xad"
      "\033]8;id=1;https://x.org\alink\033]8;;\a\033[?1049h\033[5;5Hthree\033[c\033P$qm\033\\\033[?2026hfour\033[4:3m\xf0\x9f\x91\xa9"
      "\xe2\x80\x8d\xf0\x9f\x91\xa7\033]4;1;#123456\a\033[?2027l\033[8;3Hfive\0337\033(0q\033[6n\033[?1049l\033[3b\033]0;last";
  Bench awake;
  awake.start();
  say_bytes(awake, bytes);
  const auto all_of = [](Bench& bench) {
    return bench.ask(Want::restore) + bench.ask(Want::view) + bench.ask(Want::undo) +
           bench.ask(Want::read, R"({"format":"json","all":true})") + bench.ask(Want::checkpoint);
  };
  const auto replies_of = [](const Bench& bench) {
    std::string text;
    for (const Reply& reply : bench.log.replies) text += std::to_string(reply.offset) + " " + reply.bytes + "\n";
    return text;
  };
  const std::string expected = all_of(awake), replies = replies_of(awake);
  for (const Want want : {Want::checkpoint, Want::packed_checkpoint}) {
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
      CAPTURE(cut);
      Bench sleeper;
      sleeper.start();
      say_bytes(sleeper, bytes.substr(0, cut));
      sleeper.ask(want);
      Fd checkpoint = std::move(sleeper.log.files.back());
      sleeper.begin();
      sleeper.start(cut, std::move(checkpoint));
      say_bytes(sleeper, bytes.substr(cut));
      REQUIRE(all_of(sleeper) == expected);
      REQUIRE(replies_of(sleeper) == replies);
    }
  }
}

TEST_CASE("what the program wants of mode 2027 outlives a sleep on a terminal that does not obey it") {
  for (const bool sleeps : {false, true}) {
    Bench bench;
    bench.start();
    set_clusters(bench, "never", true);
    say_bytes(bench, "\033[?2027h");
    if (sleeps) {
      bench.ask(Want::packed_checkpoint);
      Fd checkpoint = std::move(bench.log.files.back());
      const std::uint64_t at = bench.ring.head();
      bench.begin();
      bench.start(at, std::move(checkpoint));
      set_clusters(bench, "never", true);
    }
    CHECK(family_columns(bench) == 6);
    set_clusters(bench, "told", true);
    CHECK(family_columns(bench) == 2);
  }
}

TEST_CASE("a shadow that begins at a checkpoint says what the session is called, for a holder that cannot know it") {
  Bench bench;
  bench.start();
  say_bytes(bench, "\033]2;title\a\033]7;file:///x\a");
  bench.ask(Want::packed_checkpoint);
  Fd checkpoint = std::move(bench.log.files.back());
  bench.log.events.clear();
  bench.begin();
  bench.start(bench.ring.head(), std::move(checkpoint));
  REQUIRE(bench.log.events.size() == 2);
  CHECK(bench.log.events[0].text == "title");
  CHECK(bench.log.events[1].text == "file:///x");
}

TEST_CASE("restore, screen, view and undo are written out") {
  Bench bench;
  bench.start();
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "line " + std::to_string(i) + "\r\n";
  bench.write(lines);
  CHECK(bench.say(Range{lines.size()}));
  const std::string restore = bench.ask(Want::restore);
  CHECK(restore.find("line 3") < bench.log.answers.back().phase_two_at);
  CHECK(bench.ask(Want::restore_screen).find("line 3\r") == std::string::npos);
  CHECK_FALSE(bench.ask(Want::view).empty());
  CHECK_FALSE(bench.ask(Want::undo).empty());
}

TEST_CASE("clusters are joined as mode 2027 says, and as a terminal does that does not obey it") {
  Bench bench;
  bench.start();
  CHECK(family_columns(bench) == 2);
  set_clusters(bench, "never");
  CHECK(family_columns(bench) == 6);
  say_bytes(bench, "\033[?2027h");
  CHECK(family_columns(bench) == 6);
  set_clusters(bench, "told");
  CHECK(family_columns(bench) == 2);
  say_bytes(bench, "\033[?2027l");
  CHECK(family_columns(bench) == 6);
  set_clusters(bench, "always");
  CHECK(family_columns(bench) == 2);
  set_clusters(bench, "told");
  CHECK(family_columns(bench) == 6);
}

TEST_CASE("a session that begins on a terminal with mode 2027 off begins so, once, and its program may set it") {
  Bench bench;
  bench.start();
  set_clusters(bench, "told", true);
  CHECK(family_columns(bench) == 6);
  say_bytes(bench, "\033[?2027h");
  set_clusters(bench, "told", true);
  CHECK(family_columns(bench) == 2);
  // Built again from its bytes it begins so again; from a checkpoint it goes on as it was.
  bench.ask(Want::checkpoint);
  Fd checkpoint = std::move(bench.log.files.back());
  const std::uint64_t at = bench.ring.head();
  bench.begin();
  bench.start(at, std::move(checkpoint));
  set_clusters(bench, "told", true);
  CHECK(family_columns(bench) == 2);
}

TEST_CASE("what cannot be read is an error in the answer, and VTD goes on") {
  Bench bench;
  bench.start();
  CHECK(bench.say(Request{3, Want::read, 0, 0, -1, "{"}));
  CHECK_FALSE(bench.log.answers.back().error.empty());
  CHECK(bench.log.files.back().get() < 0);
  bench.write("x");
  CHECK(bench.say(Range{1}));
}

TEST_CASE("a holder that is out of step ends VTD") {
  Bench bench;
  CHECK_FALSE(bench.say(Range{0}));
  bench.start();
  CHECK_FALSE(bench.say(Range{1}));
  bench.write("abc");
  CHECK(bench.say(Range{3}));
  CHECK_FALSE(bench.say(Range{2}));
  CHECK_FALSE(bench.say(Resize{1, 10, 10, 0, 0}));
  CHECK_FALSE(bench.say(Start{}));
  CHECK(bench.say(Skip{10}));
  CHECK_FALSE(bench.say(Skip{9}));
}

TEST_CASE("bytes that were overwritten are not parsed") {
  Bench bench;
  bench.start();
  bench.write(std::string(limits::kRingBytes + 10, 'x'));
  CHECK_FALSE(bench.say(Range{bench.ring.head()}));
}

#ifndef HOLDFAST_SANITIZED
TEST_CASE("inside the sandbox memory and memfds work, files do not") {
  const auto status_of = [](auto action) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (!enter_sandbox()) ::_exit(99);
      action();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return status;
  };
  CHECK(status_of([] {
          const Fd file = sys::memory_file("x").value();
          const vt::Terminal terminal(vt::Options{{80, 24, 0, 0}, {1000, 1u << 20}});
          if (!write_checkpoint(terminal.state(), {}, Form::compressed, file.get())) ::_exit(1);
          if (!read_checkpoint(file.get())) ::_exit(2);
        }) == 0);
  CHECK(status_of([] {
          std::string memory(50u << 20, 'm');
          const Fd file = sys::memory_file("x").value();
          if (!sys::write_all(file.get(), memory)) ::_exit(1);
        }) == 0);
  const int status = status_of([] { (void)::open("/etc/passwd", O_RDONLY); });
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGSYS);
}
#endif
