// A session and its shadow terminal: deaths, hangs, poison, checkpoints.
#include <doctest/doctest.h>

#include "holder/simulation.h"

using namespace holdfast;
using namespace holdfast::holder;
using namespace holdfast::holder::simulation;

namespace {

// The bytes behind 4 end each VTD that comes to them.
void check_poison_is_skipped(World& world) {
  world.write("good");
  world.settle();
  world.poison = 6;
  world.write("poison");
  world.pass(1s);
  CHECK(world.host.shadows == 3);
  FakeClient& client = world.attach();
  CHECK((client.snapshots.back().flags & wire::kRebuilt) != 0);
  CHECK(last_picture(client) == "restore of 10");
  client.say(wire::Type::info, Json::object().set("id", 3));
  world.settle();
  REQUIRE(client.infos.size() == 1);
  CHECK(client.infos[0].get("info").get("marks").items().at(0).as_string() == "rebuilt");
  CHECK(client.infos[0].get("info").get("reason").as_string().find("left out") != std::string::npos);
}

}  // namespace

TEST_CASE("VTD is fed, dies, and is brought back to where it was without answering twice") {
  World world;
  world.write("a\033[6n");
  world.settle();
  world.attach(100, 24);
  world.clients.back()->hang_up();
  world.write("b\033[6n");
  world.settle();
  world.kill_vtd();
  world.settle();
  world.write("c\033[6n");
  world.settle();
  CHECK(world.host.shadows == 2);
  const auto& words = world.host.vtd->words;
  REQUIRE(words.size() >= 4);
  CHECK(words[0] == "start 0 80");
  CHECK(words[1] == "range 5");
  CHECK(words[2] == "resize 5 100");
  CHECK(count_of(world.input, answer_to(5)) == 1);
  CHECK(count_of(world.input, answer_to(10)) == 1);
  CHECK(count_of(world.input, answer_to(15)) == 1);
  FakeClient& client = world.attach(100, 24);
  CHECK((client.snapshots.back().flags & wire::kRebuilt) == 0);
}

TEST_CASE("a VTD that hangs is replaced after two seconds, and the attach that waits is served") {
  World world;
  world.write("text");
  world.settle();
  world.host.vtd->hangs = true;
  FakeClient& client = world.attach();
  CHECK(client.snapshots.empty());
  world.pass(1900ms);
  CHECK(world.host.shadows == 1);
  world.pass(200ms);
  CHECK(world.host.shadows == 2);
  CHECK(last_picture(client) == "restore of 4");
}

TEST_CASE("a VTD that is at work and gets no processor is waited for, until it has had its time or half a minute has passed") {
  const auto lives = [](Duration had_in_ten_seconds) {
    World world;
    world.write("text");
    world.settle();
    world.host.vtd->hangs = true;
    world.host.shadow_at_work = true;
    world.attach();
    for (int s = 1; s <= 60; ++s) {
      world.host.shadow_had += had_in_ten_seconds / 10;
      world.pass(1s);
      if (world.host.shadows > 1) return s;
    }
    return 0;
  };
  CHECK(lives(10s) <= 3);
  const int starved = lives(1s);
  CHECK(starved >= 15);
  CHECK(starved <= 18);
  const int forgotten = lives(0s);
  CHECK(forgotten >= 30);
  CHECK(forgotten <= 32);
}

TEST_CASE(
    "a VTD that is killed from outside again and again is not the fault of the bytes: they are parsed in the end") {
  World world;
  world.host.shadow_status = SIGKILL;
  world.poison = 6;
  world.write("before\033[6n");
  world.pass(10s);
  CHECK(world.host.shadows > 8);
  CHECK(world.input.empty());
  world.poison.reset();
  world.pass(10s);
  CHECK(world.input == answer_to(10));
  CHECK((world.attach().snapshots.back().flags & wire::kRebuilt) == 0);
}

TEST_CASE(
    "while a killed VTD is about to be started again the program does not outrun the ring, for two seconds at most") {
  World world;
  world.host.shadow_status = SIGKILL;
  world.poison = 6;
  world.write("before\033[6n" + std::string(20u << 20, 'x'));
  world.pass(1s);
  CHECK(world.program.size() <= limits::kRingBytes + (1u << 20));  // what lies in the line between is not the ring's
  world.poison.reset();
  world.pass(2s);
  CHECK(world.input == answer_to(10));
  CHECK(world.program.size() == 10 + (20u << 20));
  CHECK((world.attach().snapshots.back().flags & wire::kRebuilt) == 0);

  World unlucky;
  unlucky.host.shadow_status = SIGKILL;
  unlucky.poison = 6;
  unlucky.write("before\033[6n" + std::string(20u << 20, 'x'));
  unlucky.pass(5s);
  CHECK(unlucky.program.size() == 10 + (20u << 20));
}

TEST_CASE("what comes in with the end of VTD does not let the program outrun the ring") {
  World world;
  FakeClient& client = world.attach();
  world.write("x");
  world.pass(100ms);  // how fast it parses is known then
  world.host.vtd->hangs = true;
  world.write(std::string(20u << 20, 'x'));
  world.settle();
  const std::uint64_t head = client.drawn_to;
  CHECK(head == 1 + limits::kVtdLagBytes);
  FakeClient& next = world.connect();
  world.settle();
  next.attach();
  world.kill_vtd();
  world.settle();
  REQUIRE_FALSE(next.snapshots.empty());
  CHECK(next.snapshots.back().offset == head);
}

TEST_CASE("the program goes on two seconds after VTD died, also when nothing else happens then") {
  World world;
  world.host.shadow_status = SIGKILL;
  world.poison = 6;
  const Instant from = world.clock.now();
  world.write("before\033[6n" + std::string(20u << 20, 'x'));
  world.settle();
  while (world.program.size() < (20u << 20) && world.clock.now() - from < 10s) {
    world.sleep();
    world.settle();
  }
  CHECK(world.clock.now() - from <= 2s);
}

TEST_CASE("a VTD that is killed, lives for an hour and is killed again at the same place is started again at once") {
  World world("auto", 0);
  world.host.shadow_status = SIGKILL;
  world.write("text");
  world.settle();
  world.kill_vtd();
  world.settle();
  while (world.sleep() < 1h) {
  }
  world.host.vtd->hangs = true;
  FakeClient& client = world.attach();
  world.kill_vtd();
  world.settle();
  CHECK(last_picture(client) == "restore of 4");
}

TEST_CASE("a VTD that talks nonsense crashes, though it is killed for it") {
  World world;
  world.host.shadow_status = SIGKILL;
  world.poison_babbles = true;
  check_poison_is_skipped(world);
}

TEST_CASE("a crash after kills from outside is a first crash") {
  World world;
  world.host.shadow_status = SIGKILL;
  world.poison = 6;
  world.write("before\033[6n");
  world.pass(2s);
  world.host.shadow_status = SIGSEGV;
  const int before = world.host.shadows;
  while (world.host.shadows == before) world.pass(100ms);
  world.poison.reset();
  world.pass(10s);
  CHECK(world.input == answer_to(10));
}

TEST_CASE("where nothing but SIGKILL happens for half a minute, memory is short: the place is given up") {
  World world;
  world.host.shadow_status = SIGKILL;
  world.poison = 6;
  world.write("before\033[6n");
  world.pass(60s);
  CHECK(world.host.shadows < 20);
  FakeClient& client = world.attach();
  world.pass(1s);
  REQUIRE_FALSE(client.snapshots.empty());
  CHECK((client.snapshots.back().flags & wire::kRebuilt) != 0);
}

TEST_CASE("bytes that crash VTD again and again are skipped, and the picture says so") {
  World world;
  check_poison_is_skipped(world);
}

TEST_CASE("checkpoints are taken, and a rebuild starts from the last one") {
  World world;
  for (int i = 0; i < 12; ++i) {
    world.write(std::string(1u << 20, 'x'));
    world.settle();
  }
  world.kill_vtd();
  world.write("y");
  world.settle();
  const std::string start = world.host.vtd->words[0];
  CHECK(start != "start 0 80");
  FakeClient& client = world.attach();
  CHECK((client.snapshots.back().flags & wire::kRebuilt) == 0);
}
