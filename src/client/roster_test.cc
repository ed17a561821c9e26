#include "client/roster.h"

#include <doctest/doctest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys.h"
#include "base/test_directory.h"

using namespace holdfast;
using namespace holdfast::client;

namespace {

const SystemClock kClock;

// A state directory with sessions in it; sockets lie beside them.
class Herd {
 public:
  Herd() { store_.emplace(std::move(*store::SessionStore::open(directory_.path))); }

  // A session whose lock is held, as while a holder lives.
  store::SessionStore::Created add(const std::string& name, const std::string& life) {
    auto created = std::move(*store_->create(name, "x", kClock.wall_ms()));
    store::NewSession session;
    session.id = created.id;
    session.name = created.name;
    session.argv = {"/usr/bin/vim", "notes"};
    session.cwd = "/tmp";
    session.socket = socket(created.id);
    session.wall_ms = 1000;
    auto manifest = store::new_manifest(session);
    Json status = manifest.json.get("status");
    status.set("life", life).set("exit_code", life == "exited" ? Json(3) : Json());
    manifest.json.set("status", std::move(status));
    REQUIRE(manifest.write_to(created.directory.get(), sys::Durable::no));
    return created;
  }
  Fd listen(const std::string& id) {
    const Fd directory = std::move(*sys::open_private_directory(directory_.path));
    return std::move(*sys::listen_unix_at(directory.get(), id + ".sock", 8));
  }
  std::string socket(const std::string& id) const { return directory_.at(id + ".sock"); }
  const store::SessionStore& store() const { return *store_; }

 private:
  TestDirectory directory_;
  std::optional<store::SessionStore> store_;
};

}  // namespace

TEST_CASE("a mute holder is listed as not responding, after a tenth of a second") {
  Herd herd;
  const auto session = herd.add("mute", "running");
  const Fd listener = herd.listen(session.id);
  const Instant begin = kClock.now();
  const auto entries = read_roster(herd.store(), Ask::live, kClock);
  CHECK(kClock.now() - begin >= kRosterWait);
  REQUIRE(entries);
  REQUIRE(entries->size() == 1);
  CHECK((*entries)[0].presence == Presence::not_responding);
  CHECK((*entries)[0].info.life == "not-responding");
  CHECK((*entries)[0].info.name == "mute");
  CHECK((*entries)[0].info.argv == std::vector<std::string>{"/usr/bin/vim", "notes"});
}

TEST_CASE("a session whose lock is free is lost, and its stale socket is removed") {
  Herd herd;
  std::string path;
  {
    const auto session = herd.add("gone", "running");
    path = herd.socket(session.id);
    const Fd listener = herd.listen(session.id);
  }
  struct stat info{};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  const auto entries = read_roster(herd.store(), Ask::live, kClock);
  REQUIRE(entries->size() == 1);
  CHECK((*entries)[0].presence == Presence::lost);
  CHECK((*entries)[0].info.reason.starts_with("nothing of it runs any more"));
  CHECK((*entries)[0].info.pid == 0);
  CHECK(::stat(path.c_str(), &info) != 0);
}

TEST_CASE("a session whose holder cannot be reached though it lives is not left out") {
  Herd herd;
  const auto session = herd.add("deaf", "running");
  const auto entries = read_roster(herd.store(), Ask::live, kClock);
  REQUIRE(entries->size() == 1);
  CHECK((*entries)[0].presence == Presence::not_responding);
}

TEST_CASE("exited sessions are read from their files without asking anybody") {
  Herd herd;
  {
    const auto session = herd.add("done", "exited");
  }
  const auto entries = read_roster(herd.store(), Ask::live, kClock);
  REQUIRE(entries->size() == 1);
  CHECK((*entries)[0].presence == Presence::exited);
  CHECK((*entries)[0].info.has_exit);
  CHECK((*entries)[0].info.exit_code == 3);
}
