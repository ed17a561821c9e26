#include "holder/session.h"

#include <doctest/doctest.h>

#include "holder/simulation.h"

using namespace holdfast;
using namespace holdfast::holder;
using namespace holdfast::holder::simulation;

TEST_CASE("the first attach leads, gets history then screen, then live bytes from that offset on") {
  World world;
  world.write("before ");
  world.settle();
  FakeClient& client = world.attach();
  CHECK(client.leader);
  REQUIRE(client.snapshots.size() == 2);
  CHECK(client.snapshots[0].phase == wire::Phase::history);
  CHECK(client.snapshots[0].bytes == "res");
  CHECK(client.snapshots[1].phase == wire::Phase::screen);
  CHECK(client.snapshots[1].flags == wire::kLast);
  CHECK(client.snapshots[1].offset == 7);
  CHECK(last_picture(client) == "restore of 7");
  world.write("after");
  world.settle();
  CHECK(client.drawn == "after");
  CHECK(client.sound);
}

TEST_CASE("every leading attach signals the program once, also at the same size") {
  World world;
  world.attach();
  REQUIRE(world.host.sizes.size() == 1);
  world.clients.back()->hang_up();
  world.settle();
  world.attach();
  REQUIRE(world.host.sizes.size() == 2);
  CHECK(world.host.sizes[0] != world.host.sizes[1]);
  CHECK(world.host.sizes[1].cols == 80);
}

TEST_CASE("a leader of another size resizes program and VTD at one offset, before its picture") {
  World world;
  world.write("12345");
  world.settle();
  world.attach(100, 30);
  CHECK(world.host.sizes.back().cols == 100);
  const auto& words = world.host.vtd->words;
  const auto resize = std::ranges::find(words, "resize 5 100");
  REQUIRE(resize != words.end());
  CHECK(*(resize + 1) == "restore 5");
}

TEST_CASE("degenerate sizes never reach the program") {
  World world;
  FakeClient& client = world.attach(1, 1);
  CHECK(client.leader);
  CHECK(world.host.sizes.empty());
  client.resize(0, 0);
  world.pass(100ms);
  CHECK(world.host.sizes.empty());
}

TEST_CASE("a dragged window resizes the program at most every 30 ms, and with the last size") {
  World world;
  FakeClient& client = world.attach();
  world.pass(100ms);
  const std::size_t before = world.host.sizes.size();
  for (std::uint16_t cols = 81; cols <= 100; ++cols) {
    client.resize(cols, 24);
    world.settle();
  }
  CHECK(world.host.sizes.size() == before + 1);
  world.pass(30ms);
  CHECK(world.host.sizes.size() == before + 2);
  CHECK(world.host.sizes.back().cols == 100);
}

TEST_CASE("what the leader types goes in, what others send by themselves does not") {
  World world;
  FakeClient& leader = world.attach();
  FakeClient& other = world.attach();
  CHECK_FALSE(other.leader);
  leader.type("ls\r");
  other.type("\033[<0;1;1M\033[I\033[?1;2c\033[97;1:3u");
  world.pass(200ms);
  CHECK(world.input == "ls\r");
  CHECK(leader.leader);
}

TEST_CASE("typing takes the lead, with the size of who types, and the key arrives") {
  World world;
  FakeClient& first = world.attach(80, 24);
  FakeClient& second = world.attach(100, 30);
  CHECK_FALSE(second.leader);
  second.type("x");
  world.settle();
  CHECK(second.leader);
  CHECK_FALSE(first.leader);
  CHECK(world.host.sizes.back().cols == 100);
  CHECK(world.input == "x");
  CHECK(first.size.cols == 100);
}

TEST_CASE("a lone escape of a non-leader is a key after a moment") {
  World world;
  world.attach();
  FakeClient& second = world.attach();
  second.type("\033");
  world.settle();
  CHECK(world.input.empty());
  world.pass(50ms);
  CHECK(world.input == "\033");
  CHECK(second.leader);
}

TEST_CASE("who only observes never leads and never types") {
  World world;
  FakeClient& observer = world.attach(80, 24, true);
  CHECK_FALSE(observer.leader);
  observer.type("x");
  observer.say(wire::Type::take_size, Json::object());
  world.settle();
  CHECK_FALSE(observer.leader);
  CHECK(world.input.empty());
}

TEST_CASE("input of a connection that is not attached is delivered and never leads") {
  World world;
  FakeClient& leader = world.attach();
  FakeClient& script = world.connect();
  script.type("make\r");
  world.settle();
  CHECK(world.input == "make\r");
  CHECK(leader.leader);
}

TEST_CASE("when the leader leaves, the most recently active one leads and its size returns") {
  World world;
  FakeClient& first = world.attach(80, 24);
  FakeClient& second = world.attach(90, 24);
  world.attach(100, 24);
  world.pass(10ms);
  second.type("x");
  world.pass(10ms);
  first.type("y");
  world.settle();
  CHECK(first.leader);
  first.hang_up();
  world.settle();
  CHECK(second.leader);
  CHECK(world.host.sizes.back().cols == 90);
}

TEST_CASE("an observer of another size is drawn views, at most every 50 ms, and live bytes once it fits") {
  World world;
  world.attach(80, 24);
  FakeClient& small = world.attach(40, 10, true);
  REQUIRE_FALSE(small.snapshots.empty());
  CHECK(small.snapshots.back().phase == wire::Phase::view);
  CHECK(small.snapshots.back().bytes == "view of 0 40x10");
  const std::size_t before = small.snapshots.size();
  for (int i = 0; i < 50; ++i) {
    world.write("x");
    world.pass(1ms);
  }
  CHECK(small.snapshots.size() <= before + 2);
  world.pass(60ms);
  CHECK(small.snapshots.back().bytes == "view of 50 40x10");
  small.resize(80, 24);
  world.settle();
  world.write("live");
  world.settle();
  CHECK(small.drawn == "live");
  CHECK(small.sound);
}

TEST_CASE("a stopped client is given up, slows nobody, and gets the screen when it reads again") {
  World world;
  FakeClient& stopped = world.attach();
  stopped.reads = false;
  world.write(std::string(32u << 20, 'x'));
  world.pass(100ms);
  CHECK(world.program.size() == 32u << 20);
  stopped.reads = true;
  world.pass(500ms);
  CHECK(stopped.resyncs == 1);
  CHECK(last_picture(stopped).ends_with("screen of " + std::to_string(32u << 20)));
  world.write("end");
  world.settle();
  CHECK(stopped.drawn.ends_with("end"));
  CHECK(stopped.sound);
  CAPTURE(stopped.fault);
}

TEST_CASE("the exit comes once, behind the last byte, with the code; then the screen is kept") {
  World world;
  FakeClient& client = world.attach();
  world.write(std::string(3'000'000, 'z') + "last");
  world.end_program(3 << 8);
  world.settle();
  REQUIRE(client.exits == 1);
  CHECK(client.drawn.ends_with("last"));
  CHECK(client.events.back().get("code").as_int() == 3);
  CHECK(client.events.back().get("end").as_int() == 3'000'004);
  client.say(wire::Type::detach, Json::object());
  world.settle();
  CHECK(client.ended);
  CHECK(client.snapshots.back().phase == wire::Phase::undo);
  CHECK(world.host.vtd == nullptr);
  FakeClient& later = world.attach();
  CHECK(later.exits == 1);
  CHECK_FALSE(later.leader);
  CHECK(last_picture(later) == "restore of 3000004");
  CHECK(world.host.manifest.find("\"exited\"") != std::string::npos);
}

TEST_CASE("a sequence held back at the end of output goes out") {
  World world;
  FakeClient& client = world.attach();
  world.write("abc\033]133;A");
  world.settle();
  CHECK(client.drawn == "abc");
  world.end_program();
  world.settle();
  CHECK(client.drawn == "abc\033]133;A");
  CHECK(client.exits == 1);
}

TEST_CASE("a background process that keeps the terminal delays the exit by a second at most") {
  World world;
  FakeClient& client = world.attach();
  const roles::KeeperNote note{roles::KeeperNote::program_ended, 0, 0, 0, 0};
  REQUIRE(::send(world.keeper.get(), &note, sizeof note, 0) == ssize_t{sizeof note});
  world.write("late");
  world.pass(900ms);
  CHECK(client.exits == 0);
  world.pass(200ms);
  CHECK(client.exits == 1);
  CHECK(client.drawn == "late");
}

TEST_CASE("a terminal that tells that it obeys mode 2027, and was taken for another, is drawn anew; others are not") {
  using wire::Clusters;
  const auto tell = [](FakeClient& client, Clusters clusters) {
    client.say(wire::Type::terminal, wire::to_json(wire::TerminalFacts{"xterm", "", "", clusters}));
  };
  World world;
  FakeClient& client = world.attach();
  const auto pictures = [&] {
    world.settle();
    world.pass(1s);
    return std::ranges::count_if(client.snapshots, [](const Snapshot& s) { return s.phase == wire::Phase::screen; });
  };
  CHECK(pictures() == 1);
  tell(client, Clusters::told);  // as it was taken for
  tell(client, Clusters::always);
  tell(client, Clusters::never);  // nothing can be told to it
  CHECK(pictures() == 1);
  tell(client, Clusters::told);
  CHECK(pictures() == 2);
  tell(client, Clusters::off);
  CHECK(pictures() == 3);
  FakeClient& later = world.attach();
  tell(client, Clusters::told);  // the shadow terminal is the later one's
  CHECK(pictures() == 3);
  tell(later, Clusters::off);
  CHECK(later.sound);
  CHECK(client.sound);
}

TEST_CASE("detach gives the undo for what was drawn and closes; the next one leads") {
  World world;
  FakeClient& first = world.attach();
  FakeClient& second = world.attach();
  world.write("text");
  world.settle();
  first.say(wire::Type::detach, wire::to_json(wire::Detach{5, 1}));
  world.settle();
  CHECK(first.ended);
  CHECK(first.snapshots.back().phase == wire::Phase::undo);
  CHECK(first.snapshots.back().bytes == "undo of 4");
  CHECK(first.snapshots.back().flags == wire::kLast);
  CHECK(second.leader);
}

TEST_CASE("a detach from outside sends everyone away and says how many") {
  World world;
  FakeClient& one = world.attach();
  FakeClient& two = world.attach();
  FakeClient& outside = world.connect();
  outside.say(wire::Type::detach, wire::to_json(wire::Detach{7}));
  world.settle();
  CHECK(outside.oks.back().get("detached").as_int() == 2);
  for (FakeClient* client : {&one, &two}) {
    CHECK(client->ended);
    CHECK(client->events.back().get("event").as_string() == "detached");
    CHECK(client->events.back().get("reason").as_string() == "kicked");
    CHECK(client->snapshots.back().phase == wire::Phase::undo);
  }
}

TEST_CASE("kill asks, insists after the grace, and answers when the program has ended and is drained") {
  World world;
  FakeClient& client = world.connect();
  world.host.tree_empty = false;
  client.say(wire::Type::kill, wire::to_json(wire::Kill{.id = 4, .remove = false, .grace_ms = 3000}));
  world.settle();
  CHECK(world.host.signals == std::vector<int>{SIGHUP});
  world.pass(2900ms);
  CHECK(world.host.signals.size() == 1);
  world.pass(100ms);
  CHECK(world.host.signals.back() == SIGKILL);
  CHECK(client.oks.empty());
  world.host.tree_empty = true;
  world.write("last words");
  world.end_program(SIGKILL);
  world.pass(20ms);
  REQUIRE(client.oks.size() == 1);
  CHECK(client.oks[0].get("id").as_int() == 4);
  CHECK(client.oks[0].get("signal").as_int() == SIGKILL);
}

TEST_CASE("remove is refused while the program runs, and ends the session afterwards") {
  World world;
  FakeClient& client = world.connect();
  client.say(wire::Type::remove, Json::object().set("id", 1));
  world.settle();
  REQUIRE(client.errors.size() == 1);
  CHECK(client.errors[0].get("code").as_string() == "refused");
  CHECK_FALSE(world.host.removed);
  world.end_program();
  world.settle();
  FakeClient& watcher = world.attach();
  client.say(wire::Type::remove, Json::object().set("id", 2));
  world.settle();
  CHECK(world.host.removed);
  CHECK(client.oks.back().get("id").as_int() == 2);
  CHECK(watcher.events.back().get("reason").as_string() == "removed");
  CHECK(world.session->is_over());
}

TEST_CASE("kill with remove does both") {
  World world;
  FakeClient& client = world.connect();
  client.say(wire::Type::kill, wire::to_json(wire::Kill{.id = 4, .remove = true, .grace_ms = 10}));
  world.settle();
  world.end_program(SIGHUP);
  world.settle();
  CHECK(world.host.removed);
  CHECK(client.oks.size() == 1);
  CHECK(world.session->is_over());
}

TEST_CASE("a malformed frame ends that connection only, and says why") {
  const std::vector<std::string> bad{
      wire::frame_header(wire::Type::info, 0xffffffff),
      wire::encode(wire::Type::attach, "{"),
      wire::encode(wire::Type::input, "short"),
      wire::encode(wire::Type::output, "no client sends this"),
      wire::encode(wire::Type::info, std::string(limits::kControlBytesMax + 1, ' ')),
  };
  World world;
  FakeClient& good = world.attach();
  for (const std::string& bytes : bad) {
    FakeClient& client = world.connect();
    world.settle();
    client.send(bytes);
    world.settle();
    CAPTURE(bytes.substr(0, 20));
    CHECK(client.ended);
    CHECK(client.errors.size() == 1);
  }
  world.write("still here");
  world.settle();
  CHECK(good.drawn == "still here");
}

TEST_CASE("a message with a wrong field is an error with its id, and the connection goes on") {
  World world;
  FakeClient& client = world.connect();
  client.say(wire::Type::signal, Json::object().set("id", 9).set("number", 1000));
  client.say(static_cast<wire::Type>(99), Json::object());
  client.say(wire::Type::hook, Json::object().set("id", 10));
  client.say(wire::Type::info, Json::object().set("id", 11));
  world.settle();
  REQUIRE(client.errors.size() == 2);
  CHECK(client.errors[0].get("id").as_int() == 9);
  CHECK(client.errors[0].get("code").as_string() == "usage");
  CHECK(client.errors[1].get("advice").as_string().find("restart this session") != std::string::npos);
  REQUIRE(client.infos.size() == 1);
  CHECK(client.infos[0].get("id").as_int() == 11);
  CHECK(client.infos[0].get("info").get("life").as_string() == "running");
}

TEST_CASE("who does not say hello within five seconds is closed") {
  World world;
  FakeClient& silent = world.connect(FakeClient::Hello::no);
  FakeClient& rude = world.connect(FakeClient::Hello::no);
  FakeClient& polite = world.connect();
  rude.say(wire::Type::info, Json::object());
  world.settle();
  CHECK(rude.ended);
  CHECK_FALSE(silent.ended);
  world.pass(5s);
  CHECK(silent.ended);
  CHECK(silent.errors.size() == 1);
  CHECK_FALSE(polite.ended);
}

TEST_CASE("a program that does not read stops its typist only") {
  World world;
  FakeClient& typist = world.attach();
  world.program_reads = false;
  for (int i = 0; i < 8; ++i) typist.type(std::string(1'000'000, 'p'));
  world.settle();
  world.write("output flows");
  FakeClient& other = world.connect();
  other.say(wire::Type::info, Json::object().set("id", 1));
  world.settle();
  CHECK(typist.drawn == "output flows");
  CHECK(other.infos.size() == 1);
  world.program_reads = true;
  world.settle();
  CHECK(world.input.size() == 8'000'000);
}

TEST_CASE("lossless: the program waits for its leader, and for nobody else") {
  World world("lossless");
  FakeClient& leader = world.attach();
  FakeClient& observer = world.attach();
  observer.reads = false;
  world.write(std::string(12u << 20, 'x'));
  world.pass(500ms);
  CHECK(world.program.size() == 12u << 20);
  leader.reads = false;
  world.write(std::string(12u << 20, 'y'));
  world.pass(2s);
  CHECK(world.program.size() < 18u << 20);
  leader.reads = true;
  world.pass(100ms);
  CHECK(leader.drawn.size() == 24u << 20);
  CHECK(leader.resyncs == 0);
}

TEST_CASE("rows are read from VTD and come with the id of the question") {
  World world;
  world.write("text");
  FakeClient& client = world.connect();
  client.say(wire::Type::read_rows, wire::to_json(wire::ReadRows{.id = 3}));
  world.settle();
  CHECK(client.data.starts_with("read of "));
}

TEST_CASE("a holder that was started again says what was lost") {
  World world;
  const roles::KeeperNote note{roles::KeeperNote::holder_restarted, 0, 0, 1, SIGKILL};
  REQUIRE(::send(world.keeper.get(), &note, sizeof note, 0) == ssize_t{sizeof note});
  FakeClient& client = world.connect();
  client.say(wire::Type::info, Json::object().set("id", 1));
  world.settle();
  client.say(wire::Type::info, Json::object().set("id", 2));
  world.settle();
  const Json info = client.infos.back().get("info");
  CHECK(info.get("marks").items().size() == 1);
  CHECK(info.get("reason").as_string().find("the holder died") != std::string::npos);
}

TEST_CASE("keys that a client types in one go with what made it lead are not lost") {
  World world;
  world.attach();
  FakeClient& second = world.attach();
  second.type("k\033");
  world.pass(100ms);
  CHECK(world.input == "k\033");
  second.type("m\033[");
  world.pass(1ms);
  second.type("A");
  world.pass(100ms);
  CHECK(world.input == "k\033m\033[A");
}

TEST_CASE("a summons has socket and record looked after, and the manifest written anew") {
  World world;
  const int at_start = world.host.renewals;
  CHECK(at_start == 1);
  world.host.manifest.clear();
  world.session->take_summons();
  CHECK(world.host.renewals == at_start + 1);
  CHECK(world.host.manifest.find("\"sim\"") != std::string::npos);
  CHECK(world.attach().leader);  // the listener is watched as before
}

TEST_CASE("places that cannot be made anew at once are in a moment: nobody is waited for, and then all is quiet") {
  World world;
  world.settle();
  const int at_start = world.host.renewals;
  world.host.renewals_refused = 3;
  world.session->take_summons();
  CHECK(world.host.renewals == at_start + 1);
  world.host.manifest.clear();
  world.pass(100ms);
  CHECK(world.host.renewals == at_start + 4);
  CHECK_FALSE(world.host.manifest.empty());
  CHECK(world.sleep() >= 1h);
  world.host.renewals_refused = 1'000'000;
  world.session->take_summons();
  world.pass(2s);
  CHECK(world.sleep() >= 1h);
}

TEST_CASE("however many came by the old socket, they are let in before a new one takes its place") {
  World world;
  world.settle();
  for (int i = 0; i < 100; ++i) world.connect().say(wire::Type::info, Json::object());
  world.host.at_renewal = [&world] { world.listen(); };
  world.session->take_summons();
  world.settle();
  for (const auto& client : world.clients) CHECK(client->infos.size() == 1);
  CHECK(world.attach().leader);
}

TEST_CASE("a session that nothing happens to has no timers and does not wake, but once to go to sleep") {
  World sleeper;
  sleeper.write("prompt$ ");
  sleeper.pass(10s);
  CHECK(sleeper.sleep() == 590s);
  sleeper.idle(10s);
  CHECK(sleeper.sleep() == 1h);

  World world("auto", 0);
  world.write("prompt$ ");
  world.pass(10s);
  const Instant before = world.clock.now();
  world.loop.run_once(3600s);
  CHECK(world.clock.now() - before == 3600s);
}
