#include "client/roster.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/paths.h"
#include "base/sys.h"
#include "client/connection.h"
#include "client/summon.h"

namespace holdfast::client {

namespace {

// Holders asked at a time: well below the usual limit of 1024 descriptors.
constexpr std::size_t kAskedAtOnce = 256;

using Life = store::SessionStore::Life;

Presence presence_of(Life life) {
  switch (life) {
    case Life::starting:
      return Presence::starting;
    case Life::running:
      return Presence::running;
    case Life::exited:
      return Presence::exited;
    case Life::lost:
      return Presence::lost;
    case Life::elsewhere:
      return Presence::elsewhere;
  }
  return Presence::lost;
}

// One holder that has been asked and has not answered yet.
struct Asked {
  std::size_t entry;
  Connection connection;
};

// What is left to do with it.
enum class Progress { waiting, done };

Progress take_answers(Asked& asked, RosterEntry& entry) {
  for (;;) {
    auto frame = asked.connection.next();
    if (!frame) return Progress::done;
    if (!*frame) return Progress::waiting;
    if ((*frame)->type == wire::Type::error) return Progress::done;
    if ((*frame)->type != wire::Type::info) continue;
    const auto answer = Json::parse((*frame)->payload);
    if (!answer) return Progress::done;
    auto info = wire::parse_info(answer->get("info"));
    if (!info) return Progress::done;
    entry.info = std::move(*info);
    entry.answered = true;
    entry.presence = entry.info.life == "exited"     ? Presence::exited
                     : entry.info.life == "starting" ? Presence::starting
                                                     : Presence::running;
    return Progress::done;
  }
}

Progress advance(Asked& asked, RosterEntry& entry) {
  if (!asked.connection.flush()) return Progress::done;
  for (;;) {
    const auto read = asked.connection.fill();
    if (!read || *read == Connection::Read::end) {
      take_answers(asked, entry);
      return Progress::done;
    }
    if (*read == Connection::Read::nothing) return Progress::waiting;
    if (take_answers(asked, entry) == Progress::done) return Progress::done;
  }
}

// Tells the holders of these entries that their sockets are gone, and waits for those that were told to make them anew.
void await_sockets(const std::vector<std::size_t>& gone, const std::vector<RosterEntry>& entries, const Clock& clock) {
  std::vector<std::string> ids;
  for (const std::size_t index : gone) ids.push_back(entries[index].info.id);
  const auto holders = find_holders(ids);
  if (summon(holders) == 0) return;
  const Instant deadline = clock.now() + kSummonWait;
  const auto is_awaited = [&](std::size_t index) {
    return ::access(entries[index].socket.c_str(), F_OK) != 0 &&
           std::ranges::find(holders, entries[index].info.id, &HolderProcess::id) != holders.end();
  };
  while (std::ranges::any_of(gone, is_awaited) && clock.now() < deadline) ::poll(nullptr, 0, kLookAgainMs);
}

// Sends the question. Nothing if the holder cannot be reached; the entry then says so.
std::optional<Asked> ask_holder(std::size_t index, RosterEntry& entry, std::vector<std::size_t>& gone) {
  auto connection = Connection::open(entry.socket);
  if (!connection) {
    const bool should_be_there = entry.presence != Presence::exited && !entry.socket.empty();
    // Removed from outside.
    if (should_be_there && sys::is_unserved(connection.error())) gone.push_back(index);
    if (entry.presence == Presence::running) entry.presence = Presence::not_responding;
    return std::nullopt;
  }
  if (entry.presence != Presence::exited) entry.presence = Presence::not_responding;  // until it answers
  connection->queue(wire::Type::info, Json::object().set("id", 1));
  if (!connection->flush()) return std::nullopt;
  return Asked{index, std::move(*connection)};
}

void collect(std::vector<Asked>& asked, std::vector<RosterEntry>& entries, const Clock& clock) {
  const Instant deadline = clock.now() + kRosterWait;
  std::vector<pollfd> fds;
  while (!asked.empty()) {
    fds.clear();
    for (const auto& item : asked) {
      fds.push_back(
          {item.connection.fd(), static_cast<short>(POLLIN | (item.connection.unsent() > 0 ? POLLOUT : 0)), 0});
    }
    const Duration left = deadline - clock.now();
    if (left <= Duration::zero()) return;
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int n = ::poll(fds.data(), fds.size(), static_cast<int>(ms));
    if (n == 0) return;
    if (n < 0 && errno != EINTR) return;
    if (n < 0) continue;
    std::vector<Asked> waiting;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const bool ready = fds[i].revents != 0;
      if (!ready || advance(asked[i], entries[asked[i].entry]) == Progress::waiting)
        waiting.push_back(std::move(asked[i]));
    }
    asked = std::move(waiting);
  }
}

RosterEntry entry_of(const store::SessionStore::Entry& session) {
  RosterEntry entry{.info = info_from_manifest(session.manifest),
                    .presence = presence_of(session.life),
                    .socket = session.manifest.socket(),
                    .silence = {}};
  entry.info.id = session.id;
  if (entry.presence == Presence::lost) {
    remove_stale_socket(session.manifest);
    // What the record says is of a time when something of it still ran.
    entry.info.pid = 0;
    entry.info.reason = "nothing of it runs any more: the machine was restarted, or its keeper and holder were killed";
  }
  return entry;
}

void say_life(RosterEntry& entry) {
  if (!entry.silence.problem.empty()) entry.info.reason = entry.silence.problem + "; " + entry.silence.advice;
  entry.info.life = entry.presence == Presence::not_responding ? "not-responding" : presence_name(entry.presence);
}

// Why those that do not answer do not, as far as their processes tell.
void explain_silence(std::vector<RosterEntry>& entries) {
  std::vector<std::string> mute;
  for (const auto& entry : entries) {
    if (entry.presence == Presence::not_responding) mute.push_back(entry.info.id);
  }
  const auto holders = find_holders(mute);
  for (auto& entry : entries) {
    if (entry.presence == Presence::not_responding) entry.silence = silence_of(entry.info.id, entry.socket, holders);
  }
}

bool may_ask(Presence presence, Ask ask) {
  if (presence == Presence::exited) return ask == Ask::all;
  return presence == Presence::running || presence == Presence::starting;
}

}  // namespace

const char* presence_name(Presence presence) {
  switch (presence) {
    case Presence::starting:
      return "starting";
    case Presence::running:
      return "running";
    case Presence::exited:
      return "exited";
    case Presence::lost:
      return "lost";
    case Presence::elsewhere:
      return "elsewhere";
    case Presence::not_responding:
      return "not responding";
  }
  return "unknown";
}

wire::Info info_from_manifest(const store::Manifest& manifest) {
  const Json& json = manifest.json;
  wire::Info info;
  info.id = manifest.id();
  info.name = manifest.name();
  info.life = manifest.life();
  info.state = "unknown";
  for (const auto& word : json.get("agent").get("argv").items()) info.argv.push_back(word.as_string());
  info.cwd = json.get("cwd").as_string();
  const Json& term = json.get("term");
  info.size.cols = static_cast<std::uint16_t>(std::clamp<std::int64_t>(term.get("cols").as_int(80), 0, 0xffff));
  info.size.rows = static_cast<std::uint16_t>(std::clamp<std::int64_t>(term.get("rows").as_int(24), 0, 0xffff));
  info.created_ms = json.get("created_at").as_int();
  info.last_activity_ms = json.get("last_activity_at").as_int();
  info.last_attached_ms = json.get("last_attached_at").as_int();
  info.pid = json.get("runtime").get("agent_pid").as_int();
  const Json& status = json.get("status");
  if (info.life == "exited") info.ended_ms = status.get("since").as_int();
  if (status.get("exit_code").is_number() || status.get("signal").is_number()) {
    info.has_exit = true;
    info.exit_code = static_cast<int>(status.get("exit_code").as_int(-1));
    info.exit_signal = static_cast<int>(status.get("signal").as_int(0));
  }
  info.reason = status.get("reason").as_string();
  info.version = json.get("host_version").as_string();
  for (const auto& [name, value] : json.get("labels").members()) info.labels.emplace_back(name, value.as_string());
  return info;
}

void remove_stale_socket(const store::Manifest& manifest) {
  const std::string path = manifest.socket();
  if (paths::is_socket_of(path, manifest.id())) ::unlink(path.c_str());
}

namespace {

// The questions that are under way. Answers are taken when there are many, and at the end.
class Survey {
 public:
  Survey(Ask ask, const Clock& clock) : ask_(ask), clock_(clock) {}

  void add(const store::SessionStore::Entry& session) {
    entries_.push_back(entry_of(session));
    if (may_ask(entries_.back().presence, ask_)) put(entries_.size() - 1);
  }

  std::vector<RosterEntry> end() && {
    if (!gone_.empty()) {
      const auto again = std::exchange(gone_, {});
      await_sockets(again, entries_, clock_);
      for (const std::size_t index : again) put(index);
    }
    collect(asked_, entries_, clock_);
    explain_silence(entries_);
    for (auto& entry : entries_) say_life(entry);
    return std::move(entries_);
  }

 private:
  void put(std::size_t index) {
    if (auto question = ask_holder(index, entries_[index], gone_)) asked_.push_back(std::move(*question));
    if (asked_.size() < kAskedAtOnce) return;
    collect(asked_, entries_, clock_);
    asked_.clear();
  }

  Ask ask_;
  const Clock& clock_;
  std::vector<RosterEntry> entries_;
  std::vector<Asked> asked_;
  std::vector<std::size_t> gone_;  // their sockets were removed
};

}  // namespace

RosterEntry read_session(const store::SessionStore::Entry& session, const Clock& clock) {
  Survey survey(Ask::all, clock);
  survey.add(session);
  return std::move(std::move(survey).end()[0]);
}

// Each is asked as soon as its record is read: holders answer while we read on.
Result<std::vector<RosterEntry>> read_roster(const store::SessionStore& store, Ask ask, const Clock& clock) {
  summon_broken(store, clock);
  Survey survey(ask, clock);
  store.each([&](const store::SessionStore::Entry& session) { survey.add(session); });
  return std::move(survey).end();
}

}  // namespace holdfast::client
