#include "store/manifest.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/ids.h"
#include "base/sys.h"
#include "base/test_directory.h"

namespace holdfast::store {
namespace {

NewSession a_session() {
  NewSession session;
  session.id = new_ulid(1'767'225'600'000);
  session.name = "claude-api";
  session.argv = {"claude", "--no-daemon", "a b\n"};
  session.cwd = "/srv/api";
  session.term = "xterm-ghostty";
  session.cols = 132;
  session.rows = 43;
  session.history_rows = 10'000;
  session.history_bytes = 64u << 20;
  session.flow = "auto";
  session.socket = "/run/user/1000/holdfast/s/x.sock";
  session.labels = {{"team", "a/b: c"}};
  session.wall_ms = 1'767'225'600'000;
  return session;
}

}  // namespace

TEST_CASE("a new manifest has every field of the record, and reads back equal") {
  const NewSession session = a_session();
  const Manifest manifest = new_manifest(session);
  for (const char* field : {"schema",
                            "id",
                            "name",
                            "labels",
                            "created_at",
                            "updated_at",
                            "last_activity_at",
                            "last_attached_at",
                            "host_version",
                            "holder_binary",
                            "agent",
                            "cwd",
                            "git",
                            "env",
                            "term",
                            "limits",
                            "runtime",
                            "status",
                            "restart",
                            "snapshot_path"}) {
    CHECK(manifest.json.get("term").get("sleep_after_s").as_int() == 600);
    CAPTURE(field);
    bool present = false;
    for (const auto& [name, value] : manifest.json.members()) present = present || name == field;
    CHECK(present);
  }
  CHECK(manifest.id() == session.id);
  CHECK(manifest.name() == "claude-api");
  CHECK(manifest.life() == "starting");
  CHECK(manifest.socket() == session.socket);
  CHECK(manifest.machine_id() == this_machine_id());
  CHECK(manifest.json.get("agent").get("argv").items().at(2).as_string() == "a b\n");
  CHECK(manifest.json.get("labels").get("team").as_string() == "a/b: c");
  CHECK(Manifest::parse(manifest.text())->json == manifest.json);
}

TEST_CASE_FIXTURE(TestDirectory, "fields that are not known are kept, in their place") {
  const std::string text = R"({"future":{"deep":[1,2.5,null]},"id":")" + new_ulid(1) +
                           R"(","status":{"life":"running","mood":"good"},"z":true})";
  REQUIRE(sys::replace_file_at(fd.get(), kManifestName, text, sys::Durable::no));
  Manifest manifest = Manifest::read_from(fd.get()).value();
  Json status = manifest.json.get("status");
  status.set("life", "exited");
  manifest.json.set("status", status);
  REQUIRE(manifest.write_to(fd.get(), sys::Durable::yes));
  const Manifest again = Manifest::read_from(fd.get()).value();
  CHECK(again.life() == "exited");
  CHECK(again.json.get("status").get("mood").as_string() == "good");
  CHECK(again.json.members().front().first == "future");
  CHECK(again.json.get("future").dump() == R"({"deep":[1,2.5,null]})");
  CHECK(again.json.get("z").as_bool());
}

TEST_CASE_FIXTURE(TestDirectory, "a manifest is private") {
  REQUIRE(new_manifest(a_session()).write_to(fd.get(), sys::Durable::no));
  struct stat info{};
  REQUIRE(::stat((path + "/manifest.json").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("what is no manifest is an error") {
  for (const char* text : {"", "{}", "[]", "null", R"({"id":7})", R"({"id":"../../etc"})", R"({"id":"x)"}) {
    CAPTURE(text);
    CHECK_FALSE(Manifest::parse(text));
  }
}

}  // namespace holdfast::store
