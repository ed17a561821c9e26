#include "store/session_store.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>

#include "base/ids.h"
#include "base/test_directory.h"

namespace holdfast::store {
namespace {

using Life = SessionStore::Life;

struct Sessions : TestDirectory {
  SessionStore::Created create(const std::string& name, const std::string& fallback = "sh-tmp") {
    return store.create(name, fallback, wall_ms += 1000).value();
  }
  // A session as a start leaves it: with its manifest.
  SessionStore::Created start(const std::string& name, const std::string& life = "running") {
    auto created = create(name);
    NewSession session;
    session.id = created.id;
    session.name = created.name;
    session.wall_ms = wall_ms;
    save(created, new_manifest(session), life);
    return created;
  }
  void save(const SessionStore::Created& created, Manifest manifest, const std::string& life) {
    Json status = manifest.json.get("status");
    manifest.json.set("status", status.set("life", life));
    REQUIRE(manifest.write_to(created.directory.get(), sys::Durable::no));
  }
  void set_life(const SessionStore::Created& created, const std::string& life) {
    save(created, Manifest::read_from(created.directory.get()).value(), life);
  }
  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    const auto list = store.list().value();
    for (const auto& entry : list) all.push_back(entry.id);
    return all;
  }
  std::vector<std::string> files(const std::string& directory) const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path + "/state/" + directory))
      all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }

  SessionStore store = SessionStore::open(path + "/state").value();
  std::int64_t wall_ms = 1'767'225'600'000;
};

// Processes that run one body at the same moment and then live on, with what they have opened, until the race is over.
class Race {
 public:
  Race(int count, const std::function<bool()>& body) {
    int start[2], answers[2], end[2];
    REQUIRE((::pipe(start) == 0 && ::pipe(answers) == 0 && ::pipe(end) == 0));
    for (int i = 0; i < count; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) {
        ::close(start[1]);
        ::close(end[1]);
        wait_for_end_of(start[0]);
        const char answer = body() ? 'y' : 'n';
        if (::write(answers[1], &answer, 1) == 1) wait_for_end_of(end[0]);
        ::_exit(0);
      }
      racers_.push_back(pid);
    }
    for (const int fd : {start[0], start[1], end[0]}) ::close(fd);
    end_ = end[1];
    for (int i = 0; i < count; ++i) {
      char answer = 'n';
      REQUIRE(::read(answers[0], &answer, 1) == 1);
      winners_ += answer == 'y' ? 1 : 0;
    }
    for (const int fd : answers) ::close(fd);
  }
  ~Race() {
    ::close(end_);
    for (const pid_t pid : racers_) ::waitpid(pid, nullptr, 0);
  }
  Race(const Race&) = delete;
  Race& operator=(const Race&) = delete;
  int winners() const { return winners_; }

 private:
  static void wait_for_end_of(int pipe) {
    char byte;
    while (::read(pipe, &byte, 1) > 0) {
    }
  }

  int end_ = -1;
  int winners_ = 0;
  std::vector<pid_t> racers_;
};

}  // namespace

TEST_CASE_FIXTURE(Sessions, "a session has a private directory, a lock and its name") {
  const auto created = start("api");
  CHECK(is_ulid(created.id));
  CHECK(store.directory_of(created.id) == path + "/state/sessions/" + created.id);
  struct stat info{};
  REQUIRE(::stat(store.directory_of(created.id).c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  CHECK(read("state/names/api") == created.id + "\n");
  const auto entry = store.find("api").value();
  CHECK(entry.id == created.id);
  CHECK(entry.life == Life::running);
  CHECK(entry.manifest.name() == "api");
}

TEST_CASE_FIXTURE(Sessions, "a name that a live session has is refused, with the way to that session") {
  const auto created = start("api");
  const auto refused = store.create("api", "x", wall_ms);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::refused);
  CHECK(refused.error().message() ==
        "cannot use the name 'api': a session has it already; attach to it with `hold attach api`, or choose another "
        "name");
  CHECK(files("sessions").size() == 1);
}

TEST_CASE_FIXTURE(
    Sessions, "a name is free again when its session has ended, even while its holder still shows the last screen") {
  const auto first = start("api", "exited");
  CHECK(store.find("api")->life == Life::exited);
  const auto second = start("api");
  CHECK(store.find("api")->id == second.id);
  CHECK(store.find(first.id)->id == first.id);
  CHECK(second.displaced == first.id);

  auto lost = start("web");
  lost.lock.reset();
  CHECK(store.find("web")->life == Life::lost);
  CHECK(start("web").displaced == lost.id);
}

TEST_CASE_FIXTURE(Sessions, "a session whose manifest is not written yet keeps its name and is starting") {
  auto created = create("api");
  CHECK(store.find("api")->life == Life::starting);
  CHECK(ids() == std::vector<std::string>{created.id});
  CHECK(store.create("api", "", wall_ms).error().kind == ErrorKind::refused);
  created.lock.reset();
  CHECK(ids().empty());
  CHECK(store.create("api", "", wall_ms));
}

TEST_CASE_FIXTURE(Sessions, "default names get a number when they are taken, and stay within the limit") {
  const auto first = start("", "running"), second = start(""), third = start("");
  CHECK(first.name == "sh-tmp");
  CHECK(second.name == "sh-tmp-2");
  CHECK(third.name == "sh-tmp-3");
  set_life(second, "exited");
  CHECK(create("").name == "sh-tmp-2");

  const std::string longest(32, 'x');
  const auto one = start(longest);
  CHECK(create("", longest).name == std::string(30, 'x') + "-2");
}

TEST_CASE_FIXTURE(Sessions, "words that are no names are refused with an example of one") {
  for (const char* bad : {"Api", "1", "a b", "../x", "a/b", ".lock", "-a"}) {
    CAPTURE(bad);
    const auto refused = store.create(bad, "x", wall_ms);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::usage);
  }
  CHECK(store.create("My Api", "", wall_ms).error().advice.ends_with("'my-api'"));
  CHECK(files("sessions").empty());
  CHECK(files("names").size() <= 1);  // at most their lock
}

TEST_CASE_FIXTURE(Sessions, "of twenty racing starts of one name one wins") {
  std::optional<SessionStore::Created> mine;
  const Race race(20, [&] {
    auto created = SessionStore::open(path + "/state")->create("api", "", wall_ms);
    if (created) mine = std::move(*created);  // its lock is held until the race is over
    return created.has_value();
  });
  CHECK(race.winners() == 1);
  CHECK(files("sessions").size() == 1);
  REQUIRE(ids().size() == 1);
  CHECK(store.find("api")->id == ids()[0]);
  CHECK(store.find("api")->life == Life::starting);
}

TEST_CASE_FIXTURE(Sessions, "fifty parallel starts without a name all get one of their own") {
  std::optional<SessionStore::Created> mine;
  const Race race(50, [&] {
    auto created = SessionStore::open(path + "/state")->create("", "sh-tmp", wall_ms);
    if (created) mine = std::move(*created);
    return created.has_value();
  });
  CHECK(race.winners() == 50);
  CHECK(ids().size() == 50);
  CHECK(files("names").size() == 51);  // and their lock
}

TEST_CASE_FIXTURE(Sessions, "an undone start leaves nothing, and gives a displaced session its name back") {
  const auto ended = start("api", "exited");
  const auto before_sessions = files("sessions"), before_names = files("names");
  store.undo_create(create("api"));
  store.undo_create(create("web"));
  store.undo_create(create(""));
  CHECK(files("sessions") == before_sessions);
  CHECK(files("names") == before_names);
  CHECK(store.find("api")->id == ended.id);
}

TEST_CASE_FIXTURE(Sessions, "a full disk at the start is an error, and nothing is left") {
  struct rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto old = ::signal(SIGXFSZ, SIG_IGN);
  const auto ended = start("api", "exited");
  const rlimit none{0, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &none);
  const auto created = store.create("api", "", wall_ms);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, old);
  REQUIRE_FALSE(created);
  CHECK(files("sessions") == std::vector<std::string>{ended.id});
  CHECK(files("names") == std::vector<std::string>{".lock", "api"});
  CHECK(store.find("api")->id == ended.id);
}

TEST_CASE_FIXTURE(Sessions, "handles are names, ids, and beginnings of ids, and nothing else") {
  const auto api = start("api");
  const auto web = start("web");
  CHECK(store.find(web.id)->id == web.id);
  CHECK(store.find("WEB").error().kind == ErrorKind::not_found);
  std::string upper = web.id;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  CHECK(store.find(upper)->id == web.id);

  const auto same = std::mismatch(api.id.begin(), api.id.end(), web.id.begin());
  const auto shared = static_cast<std::size_t>(same.first - api.id.begin());
  CHECK(store.find(api.id.substr(0, shared + 1))->id == api.id);
  const auto ambiguous = store.find(api.id.substr(0, shared));
  REQUIRE_FALSE(ambiguous);
  CHECK(ambiguous.error().kind == ErrorKind::usage);
  CHECK(ambiguous.error().problem == "2 ids begin so");
  for (const char* none : {"", "ap", "apix", "../api", "x\x1b[2J"}) {
    CAPTURE(none);
    CHECK(store.find(none).error().kind == ErrorKind::not_found);
  }
}

TEST_CASE_FIXTURE(Sessions, "an unknown name is told with its neighbours, and never falls back to another session") {
  const auto api = start("claude-api");
  CHECK(store.find("claude-apo").error().message() ==
        "cannot find the session 'claude-apo': no session has that name or id; did you mean 'claude-api'?");
  CHECK(store.find("zzz").error().message() ==
        "cannot find the session 'zzz': no session has that name or id; `hold ls` shows all sessions");
}

TEST_CASE_FIXTURE(Sessions, "the list is oldest first and leaves out what is no session") {
  const auto one = start("b"), two = start("a", "exited"), three = start("c");
  std::filesystem::create_directory(path + "/state/sessions/" + new_ulid(5));
  std::filesystem::create_directory(path + "/state/sessions/other");
  std::filesystem::create_symlink(store.directory_of(one.id), path + "/state/sessions/" + new_ulid(6));
  const auto broken = create("broken");
  sys::replace_file_at(broken.directory.get(), kManifestName, "{\"id\":", sys::Durable::no).value();
  const auto list = store.list().value();
  REQUIRE(list.size() == 4);
  CHECK(list[0].id == one.id);
  CHECK(list[1].life == Life::exited);
  CHECK(list[2].id == three.id);
  CHECK(list[3].id == broken.id);
  CHECK(list[3].life == Life::starting);
}

TEST_CASE_FIXTURE(Sessions, "a session of another machine is shown as such and not touched") {
  auto created = start("api");
  Manifest manifest = Manifest::read_from(created.directory.get()).value();
  Json runtime = manifest.json.get("runtime");
  manifest.json.set("runtime", runtime.set("machine_id", "0123456789abcdef0123456789abcdef"));
  REQUIRE(manifest.write_to(created.directory.get(), sys::Durable::no));
  created.lock.reset();
  CHECK(store.find("api")->life == Life::elsewhere);
  CHECK(store.create("api", "", wall_ms).error().kind == ErrorKind::refused);
  CHECK(store.remove(created.id, SessionStore::Lock::of_others).error().kind == ErrorKind::refused);
  CHECK(ids().size() == 1);
}

TEST_CASE_FIXTURE(Sessions, "a session that still runs is not removed, and an ended one with all its files") {
  auto created = start("api");
  CHECK(store.remove(created.id, SessionStore::Lock::of_others).error().kind == ErrorKind::refused);
  CHECK(ids().size() == 1);
  std::filesystem::create_directory(store.directory_of(created.id) + "/paste");
  write("state/sessions/" + created.id + "/paste/x", "");
  created.lock.reset();
  REQUIRE(store.remove(created.id, SessionStore::Lock::of_others));
  CHECK(files("sessions").empty());
  CHECK(store.find("api").error().kind == ErrorKind::not_found);
  CHECK(store.remove(created.id, SessionStore::Lock::of_others).error().kind == ErrorKind::not_found);
}

TEST_CASE_FIXTURE(Sessions, "the holder removes its own session, and leaves the name to its new owner") {
  const auto old = start("api", "exited");
  const auto now = start("api");
  REQUIRE(store.remove(old.id, SessionStore::Lock::of_caller));
  CHECK(ids() == std::vector<std::string>{now.id});
  CHECK(store.find("api")->id == now.id);
  REQUIRE(store.remove(now.id, SessionStore::Lock::of_caller));
  CHECK_FALSE(store.find("api"));
}

TEST_CASE_FIXTURE(Sessions, "a session whose directory was removed gets it back from its holder, with lock and name") {
  const auto session = start("api");
  std::filesystem::remove_all(path + "/state");
  store = SessionStore::open(path + "/state").value();
  CHECK_FALSE(store.is_whole(session.id));
  auto restored = store.restore(session.id).value();
  REQUIRE(store.restore_name(session.id, "api"));
  CHECK(store.find("api")->life == Life::starting);  // until the manifest is there
  NewSession known;
  known.id = session.id;
  known.name = "api";
  Manifest manifest = new_manifest(known);
  manifest.json.set("status", Json::object().set("life", "running"));
  REQUIRE(manifest.write_to(restored.directory.get(), sys::Durable::no));
  CHECK(store.is_whole(session.id));
  CHECK(store.find("api")->life == Life::running);
  restored.lock.reset();
  CHECK(store.find("api")->life == Life::lost);
}

TEST_CASE_FIXTURE(Sessions, "who makes a session anew waits for no lock: somebody else's is said to be one") {
  const auto session = start("api");
  std::filesystem::remove_all(path + "/state/names/api");
  const auto looked_at = store.restore(session.id);
  REQUIRE_FALSE(looked_at);
  CHECK(looked_at.error().kind == ErrorKind::timeout);
  {
    const Fd names = sys::open_file(path + "/state/names/.lock", O_RDWR).value();
    REQUIRE(::flock(names.get(), LOCK_EX) == 0);
    CHECK(store.restore_name(session.id, "api").error().kind == ErrorKind::timeout);
  }
  REQUIRE(store.restore_name(session.id, "api"));
  CHECK(store.find("api")->id == session.id);
}

TEST_CASE_FIXTURE(Sessions, "a name that a live session took meanwhile stays its own") {
  const auto first = start("api");
  std::filesystem::remove_all(store.directory_of(first.id));
  CHECK(store.broken_ids() == std::vector<std::string>{first.id});
  const auto second = start("api");
  const auto restored = store.restore(first.id).value();
  REQUIRE(store.restore_name(first.id, "api"));
  CHECK(store.find("api")->id == second.id);
  CHECK(store.find(first.id)->id == first.id);
}

TEST_CASE_FIXTURE(Sessions, "what a start that was cut short left is swept; what lives is not") {
  auto cut_short = create("half");
  const auto whole = start("whole");
  CHECK(store.broken_ids() == std::vector<std::string>{cut_short.id});
  store.sweep(cut_short.id);
  CHECK(std::filesystem::exists(store.directory_of(cut_short.id)));
  cut_short.lock.reset();
  store.sweep(cut_short.id);
  store.sweep(whole.id);
  CHECK_FALSE(std::filesystem::exists(store.directory_of(cut_short.id)));
  CHECK_FALSE(std::filesystem::exists(path + "/state/names/half"));
  CHECK(store.broken_ids().empty());
  CHECK(store.find("whole")->life == Life::running);
}

TEST_CASE_FIXTURE(Sessions, "a state directory that is a link or open to others is refused") {
  std::filesystem::create_directory(path + "/elsewhere");
  std::filesystem::create_symlink("elsewhere", path + "/linked");
  CHECK(SessionStore::open(path + "/linked").error().kind == ErrorKind::refused);
  std::filesystem::create_directories(path + "/open/sessions");
  ::chmod((path + "/open/sessions").c_str(), 0777);
  CHECK(SessionStore::open(path + "/open").error().kind == ErrorKind::refused);
  std::filesystem::create_directories(path + "/foreign/names");
  std::filesystem::create_symlink(path + "/elsewhere", path + "/foreign/sessions");
  CHECK(SessionStore::open(path + "/foreign").error().kind == ErrorKind::refused);
}

}  // namespace holdfast::store
