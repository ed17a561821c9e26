// A session and its program's queries: who answers, once, in order.
#include <doctest/doctest.h>

#include "holder/simulation.h"

using namespace holdfast;
using namespace holdfast::holder;
using namespace holdfast::holder::simulation;

TEST_CASE("queries: VTD answers while nobody leads, the leader's terminal what it was sent live") {
  World world;
  world.write("a\033[6n");
  world.settle();
  CHECK(world.input == answer_to(5));
  FakeClient& leader = world.attach();
  world.attach();
  world.write("b\033[6n");
  world.pass(20ms);
  CHECK(count_of(world.input, answer_to(10)) == 1);
  leader.answers = false;
  world.write("c\033[6n");
  world.pass(20ms);
  CHECK(count_of(world.input, answer_to(15)) == 0);
}

TEST_CASE("the status query is answered at once, taken out, and cannot be made to echo for ever") {
  World world;
  FakeClient& client = world.attach();
  world.write("a\033]7501;?\033\\b");
  world.settle();
  CHECK(world.input == "\033]7501;?\033\\");
  CHECK(client.drawn == "ab");
  for (int i = 0; i < 1000; ++i) world.write("\033]7501;?\a");
  world.settle();
  CHECK(count_of(world.input, "\033]7501;?\a") == 7);
}

TEST_CASE("queries in a dropped backlog go back to VTD, none is answered twice") {
  World world;
  FakeClient& stopped = world.attach();
  stopped.reads = false;
  for (int i = 0; i < 64; ++i) world.write(std::string(200'000, 'x') + "\033[6n");
  world.pass(100ms);
  stopped.reads = true;
  world.pass(1s);
  const auto answers = answers_in(world.input);
  for (const std::uint64_t query : query_ends(world.program)) {
    CAPTURE(query);
    CHECK((answers.contains(query) && answers.at(query) == 1));
  }
}

TEST_CASE("a long answer that the program does not get is kept from it to its end, however late that comes") {
  World world;
  world.host.shadow_status = SIGKILL;
  world.attach().answers = false;
  FakeClient& second = world.attach();
  second.answers = false;
  world.poison = 0;
  world.write(kQuery);
  world.pass(100ms);
  second.type("x");
  world.settle();
  REQUIRE(second.leader);
  world.input.clear();
  second.type("\033]52;c;" + std::string(100'000, 'a'));  // more than is held until VTD has got there
  world.pass(6s);
  second.type("aaaa\a");
  world.settle();
  CHECK(world.input.empty());
  second.type("y");
  world.settle();
  CHECK(world.input == "y");
}

TEST_CASE(
    "an answer that is held goes in after five seconds though nothing else happens; an idle session never wakes") {
  World world;
  world.host.shadow_status = SIGKILL;
  world.attach().answers = false;
  FakeClient& second = world.attach();
  second.answers = false;
  world.pass(1s);
  CHECK(world.sleep() >= 1h);
  world.poison = 0;
  world.write(kQuery);
  world.pass(12s);  // VTD is killed again and again: now it is started every ten seconds
  second.type("x");
  world.settle();
  REQUIRE(second.leader);
  world.input.clear();
  second.type("\033[0n");
  world.settle();
  CHECK(world.input.empty());
  CHECK(world.sleep() <= 5s);
  world.settle();
  CHECK(world.input == "\033[0n");
}

TEST_CASE("a leader that dies with a query in its socket: the shadow terminal answers it") {
  World world;
  FakeClient& client = world.attach();
  client.reads = false;
  world.write("ask \033[6n");
  world.pass(50ms);
  CHECK(world.input.empty());
  client.hang_up();
  world.pass(50ms);
  CHECK(world.input == answer_to(8));
}

TEST_CASE("a client that takes the lead does not answer what it was sent before, and answers what comes after") {
  World world;
  FakeClient& first = world.attach();
  FakeClient& second = world.attach();
  first.answers = false;
  second.reads = false;
  world.write("ask \033[6n");
  world.pass(50ms);
  second.type("k");
  world.pass(50ms);
  CHECK(world.input == "k" + answer_to(8));  // the shadow terminal's: the first did not, and cannot any more
  second.reads = true;
  world.pass(50ms);
  CHECK(world.input == "k" + answer_to(8));
  world.write("\033[6n");
  world.pass(50ms);
  CHECK(world.input == "k" + answer_to(8) + answer_to(12));
  second.type("\033");
  world.pass(1ms);
  CHECK(world.input.ends_with("\033"));  // its keys go in as they come again
}
