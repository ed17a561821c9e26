// A quiet session: VTD goes behind a checkpoint, the ring is emptied, and nobody can tell afterwards.
#include <doctest/doctest.h>

#include "holder/simulation.h"

using namespace holdfast;
using namespace holdfast::holder;
using namespace holdfast::holder::simulation;

namespace {

// Lets time pass, with nothing coming from outside, until VTD has gone. How often the session woke by itself.
int fall_asleep(World& world) {
  int wakes = 0;
  while (world.host.vtd && wakes < 100) {
    world.sleep();
    world.settle();
    ++wakes;
  }
  CHECK_FALSE(world.host.vtd);
  return wakes;
}

}  // namespace

TEST_CASE("a session that is quiet for ten minutes lets VTD go behind a compressed checkpoint, and wakes for nothing") {
  World world;
  world.write(std::string(2u << 20, 'x'));
  world.idle(599s);
  CHECK(world.host.vtd);
  CHECK(fall_asleep(world) <= 2);
  CHECK(world.sleep() >= 1h);
  CHECK(world.host.shadows == 1);
  CHECK(world.host.checkpoint);
}

TEST_CASE("what a sleeping session's ring holds is its last 64 KiB, and the rest of the memory is given back") {
  World world;
  world.write(std::string(20u << 20, 'x'));
  world.settle();
  CHECK(world.ring_memory() > limits::kRingBytes);
  fall_asleep(world);
  CHECK(world.ring_memory() <= 80u << 10);
  CHECK(world.ring().oldest() == (20u << 20) - (64u << 10));
}

TEST_CASE("output wakes a sleeping session, which goes on from the checkpoint and answers what was asked") {
  World world;
  world.write("before\033[6n");
  world.settle();
  fall_asleep(world);
  world.write("\033[6nasleep\033[6n");
  world.settle();
  REQUIRE(world.host.vtd);
  CHECK(world.host.vtd->words == std::vector<std::string>{"start 10 80", "range 24"});
  CHECK(world.input == answer_to(10) + answer_to(14) + answer_to(24));
  FakeClient& client = world.attach();
  CHECK(last_picture(client) == "restore of 24");
  CHECK((client.snapshots.back().flags & wire::kRebuilt) == 0);
}

TEST_CASE("an attach and a read wake a sleeping session, input without an answer and info do not") {
  World world;
  world.write("text");
  world.settle();
  fall_asleep(world);
  FakeClient& script = world.connect();
  script.say(wire::Type::info, Json::object().set("id", 1));
  script.type("keys");
  world.settle();
  CHECK(script.infos.size() == 1);
  CHECK(world.input == "keys");
  CHECK_FALSE(world.host.vtd);
  script.say(wire::Type::read_rows, Json::object().set("id", 2));
  world.settle();
  CHECK(script.data == "read of 4");
  REQUIRE(world.host.vtd);
  fall_asleep(world);
  FakeClient& client = world.attach(100, 24);
  CHECK(last_picture(client) == "restore of 4");
  CHECK(world.host.vtd->words[0] == "start 4 80");
  CHECK(world.host.vtd->words[1] == "resize 4 100");
}

TEST_CASE("nobody who is attached finds the session asleep, and the time counts from the last one's leaving") {
  World world;
  FakeClient& client = world.attach();
  world.write("text");
  world.idle(2h);
  CHECK(world.host.vtd);
  client.hang_up();
  world.idle(599s);
  CHECK(world.host.vtd);
  fall_asleep(world);
}

TEST_CASE("output, input and reads put the sleep off") {
  World world;
  FakeClient& script = world.connect();
  for (int i = 0; i < 6; ++i) {
    if (i % 3 == 0) world.write("x");
    if (i % 3 == 1) script.type("k");
    if (i % 3 == 2) script.say(wire::Type::read_rows, Json::object().set("id", 2));
    world.idle(500s);
    CHECK(world.host.vtd);
  }
  fall_asleep(world);
  CHECK(world.host.shadows == 1);
}

TEST_CASE("what comes while the checkpoint is written keeps VTD, and the session sleeps later") {
  World world;
  world.write("text");
  world.settle();
  world.host.vtd->hangs = true;
  world.sleep();  // the checkpoint is asked for
  world.write(" more");
  world.loop.run_once(Duration::zero());
  world.host.vtd->hangs = false;
  world.settle();
  REQUIRE(world.host.vtd);
  CHECK(world.host.vtd->words.back() == "range 9");
  fall_asleep(world);
  CHECK(last_picture(world.attach()) == "restore of 9");
}

TEST_CASE("a session that may not sleep never does") {
  World world("auto", 0);
  world.write("text");
  world.idle(3h);
  CHECK(world.host.vtd);
  CHECK(world.sleep() >= 1h);
}

TEST_CASE("a VTD that crashes after waking is brought back from the checkpoint it woke with, exactly") {
  World world;
  world.write(std::string(9u << 20, 'x') + "\033[6n");
  world.settle();
  fall_asleep(world);
  const std::uint64_t slept_at = world.program.size();
  world.write("y\033[6n");
  world.settle();
  world.kill_vtd();
  world.write("z");
  world.settle();
  CHECK(world.host.vtd->words[0] == "start " + std::to_string(slept_at) + " 80");
  CHECK(count_of(world.input, answer_to(slept_at + 5)) == 1);
  CHECK(count_of(world.input, answer_to(slept_at)) == 1);
  FakeClient& client = world.attach();
  CHECK((client.snapshots.back().flags & wire::kRebuilt) == 0);
}

TEST_CASE("a program that ends while its session sleeps wakes nobody, and its last screen can be had") {
  World world;
  world.write("text");
  world.settle();
  fall_asleep(world);
  world.end_program();
  world.idle(5s);
  CHECK(world.host.shadows == 1);
  FakeClient& client = world.attach();
  CHECK(last_picture(client) == "restore of 4");
  CHECK(client.exits == 1);
}

TEST_CASE("a session whose program has ended keeps no more of the ring than a sleeping one") {
  World world;
  world.write(std::string(9u << 20, 'x'));
  world.settle();
  world.end_program();
  world.idle(2s);
  CHECK_FALSE(world.host.vtd);
  CHECK(world.ring_memory() <= 80u << 10);
  CHECK(last_picture(world.attach()) == "restore of " + std::to_string(9u << 20));
}

TEST_CASE("a holder that starts for a session that slept goes on from the checkpoint, with the sizes since") {
  World world;
  world.write(std::string(9u << 20, 'x'));
  world.settle();
  world.attach(90, 24);
  world.clients.back()->hang_up();
  world.settle();
  fall_asleep(world);
  const std::string slept_at = std::to_string(9u << 20);
  world.restart_holder();
  world.settle();
  REQUIRE(world.host.vtd);  // it tells what the new holder cannot know: the title
  CHECK(world.host.vtd->words == std::vector<std::string>{"start " + slept_at + " 90"});
  FakeClient& client = world.attach(70, 24);
  CHECK(world.host.vtd->words[1] == "resize " + slept_at + " 70");
  CHECK(last_picture(client) == "restore of " + slept_at);
  CHECK((client.snapshots.back().flags & wire::kRebuilt) == 0);
  client.hang_up();
  world.settle();
  // The size that came after the checkpoint is none of it.
  world.restart_holder();
  world.settle();
  CHECK(world.host.vtd->words == std::vector<std::string>{"start " + slept_at + " 90", "resize " + slept_at + " 70"});
  fall_asleep(world);
  world.restart_holder();
  world.settle();
  CHECK(world.host.vtd->words.size() == 1);
}

TEST_CASE("a session that slept, woke and printed more than the ring holds is rebuilt from the ring by a new holder") {
  World world;
  world.write("text");
  world.settle();
  fall_asleep(world);
  world.write(std::string(9u << 20, 'x'));
  world.settle();
  world.restart_holder();
  world.settle();
  CHECK(world.host.vtd->words[0] == "start " + std::to_string(4 + (1u << 20)) + " 80");
  CHECK((world.attach().snapshots.back().flags & wire::kRebuilt) != 0);
}

TEST_CASE("a sleeping session that cannot be woken at once does not outrun its ring meanwhile, for two seconds at most") {
  for (const int refused : {3, 1'000'000}) {
    World world;
    world.write("before");
    world.settle();
    fall_asleep(world);
    world.host.starts_refused = refused;
    world.write("\033[6n" + std::string(20u << 20, 'x'));
    world.settle();
    CHECK(world.program.size() <= limits::kRingBytes + (1u << 20));
    world.idle(3s);
    CHECK(world.program.size() == 10 + (20u << 20));
    world.host.starts_refused = 0;
    world.idle(20s);
    CHECK(((world.attach().snapshots.back().flags & wire::kRebuilt) != 0) == (refused > 3));
    CHECK(world.input == (refused > 3 ? "" : answer_to(10)));
  }
}

TEST_CASE("a session whose checkpoint cannot be written stays awake, and asks for it only once") {
  World world;
  world.refuses_checkpoints = true;
  world.write("text");
  world.settle();
  world.idle(2h);
  REQUIRE(world.host.vtd);
  CHECK(std::ranges::count(world.host.vtd->words, "packed 4") == 1);
}
