#include "holder/record.h"

#include <doctest/doctest.h>

#include <csignal>

#include "holder/simulation.h"

using namespace holdfast;
using namespace holdfast::holder;
using simulation::FakeHost;

namespace {

store::Manifest manifest() {
  store::Manifest m;
  m.json = Json::parse(R"({"id":"01h","name":"n","later_field":{"kept":true},"labels":{"a":"b"},"cwd":"/w",
    "agent":{"argv":["sh"]},"term":{"history_rows":5,"flow":"latest"},"status":{"life":"starting"}})").value();
  return m;
}

}  // namespace

TEST_CASE("how a program ended is said in numbers and in words") {
  CHECK(ending_of(0).code == 0);
  CHECK(ending_of(3 << 8).code == 3);
  CHECK(ending_of(3 << 8).reason == "it ended with exit code 3");
  CHECK(ending_of(SIGKILL).code == -1);
  CHECK(ending_of(SIGKILL).signal == SIGKILL);
  CHECK(ending_of(SIGKILL).reason == "it was ended by SIGKILL");
}

TEST_CASE("the record is read from the manifest") {
  FakeHost host;
  ManualClock clock;
  const Record record(manifest(), host, clock);
  CHECK(record.flow() == store::Flow::latest);
  CHECK(record.history_rows() == 5);
  CHECK(record.history_bytes() == limits::kHistoryBytesDefault);
  CHECK(record.sleep_after() == Duration(600s));
  for (const auto& [said, meant] : {std::pair{0, 0}, std::pair{-5, 0}, std::pair{90, 90}, std::pair{2'000'000'000, 31'536'000}}) {
    store::Manifest other = manifest();
    Json term = other.json.get("term");
    other.json.set("term", term.set("sleep_after_s", said));
    CHECK(Record(std::move(other), host, clock).sleep_after() == std::chrono::seconds(meant));
  }
  CHECK(record.info().argv == std::vector<std::string>{"sh"});
  CHECK(record.info().labels.at(0).second == "b");
  CHECK(record.info().cwd == "/w");
}

TEST_CASE("start and end are saved, fields of others are kept") {
  FakeHost host;
  ManualClock clock;
  Record record(manifest(), host, clock);
  record.started(7, 8);
  Json saved = Json::parse(host.manifest).value();
  CHECK(saved.get("runtime").get("agent_pid").as_int() == 7);
  CHECK(saved.get("status").get("life").as_string() == "running");
  record.save_ending(ending_of(3 << 8), 123);
  CHECK(!record.info().has_exit);  // nobody is told before it is on disk
  saved = Json::parse(host.manifest).value();
  CHECK(saved.get("status").get("life").as_string() == "exited");
  CHECK(saved.get("status").get("exit_code").as_int() == 3);
  CHECK(saved.get("status").get("signal").is_null());
  CHECK(saved.get("later_field").get("kept").as_bool());
  record.ended(ending_of(3 << 8), 123);
  CHECK(record.info().has_exit);
  CHECK(record.info().ended_ms == 123);

  store::Manifest written;
  written.json = Json::parse(host.manifest).value();
  Record next(written, host, clock);  // of the holder after a crash
  next.started(7, 9);
  CHECK(next.recorded_ending()->code == 3);
  CHECK(next.recorded_end_ms() == 123);
  CHECK(Json::parse(host.manifest).value().get("status").get("life").as_string() == "exited");
}

TEST_CASE("activity is saved now and then only") {
  FakeHost host;
  ManualClock clock;
  Record record(manifest(), host, clock);
  record.started(1, 2);
  host.manifest.clear();
  record.active();
  CHECK(host.manifest.empty());
  clock.advance(10s);
  record.active();
  CHECK_FALSE(host.manifest.empty());
  host.manifest.clear();
  record.active();
  CHECK(host.manifest.empty());
}
