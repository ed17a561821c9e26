// Requests about the whole session, and its end: the program's, the kill's, and its removal.
#include <sys/socket.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>

#include "base/log.h"
#include "holder/session.h"

namespace holdfast::holder {
namespace {

// After the program's end its terminal is read for so long at most: a background process may keep it open for ever.
constexpr Duration kDrainWait = 1s;
// How long the end is kept back for a disk that does not take the record: a name is free only once the record says so.
constexpr Duration kRecordWait = 500ms;
// The last look before the rest is given up, bytes.
constexpr std::size_t kLastReadBytes = 1u << 20;
// Clients are told that the session was removed; whoever does not take it by then is not waited for.
constexpr Duration kGoodbyeWait = 500ms;
constexpr std::size_t kReadDrainBytes = 256u << 10;
constexpr std::size_t kQuestionsMax = 64;  // of one client, unanswered

Json with_id(std::int64_t request) {
  Json json = Json::object();
  if (request != 0) json.set("id", request);
  return json;
}

std::string detached_frame(std::string_view reason) {
  return wire::encode(wire::Type::event, Json::object().set("event", "detached").set("reason", reason).dump());
}

}  // namespace

void Session::answer_info(Client& client, std::int64_t request) {
  wire::Info info = record_.info();
  info.offset = line_.head();
  const Client* leading = leader();
  info.leader = leading != nullptr ? leading->name : "";
  info.clients = std::ranges::count_if(clients_, [](const auto& c) { return c->stage == Stage::attached; });
  if (life_ == Life::running) info.foreground = host_.foreground_command();
  Json answer = with_id(request);
  answer.set("info", wire::to_json(info));
  queue(client, wire::encode(wire::Type::info, answer.dump()));
}

void Session::detach(Client& client, const wire::Detach& message) {
  if (client.stage == Stage::attached) return leave(client, message.kitty_flags, {});
  if (client.stage == Stage::leaving) return;
  std::int64_t count = 0;
  for (const auto& other : clients_) {
    if (other->stage != Stage::attached) continue;
    ++count;
    leave(*other, -1, detached_frame("kicked"));
  }
  reply(client, with_id(message.id).set("detached", count));
}

void Session::read_rows(Client& client, const wire::ReadRows& message) {
  const auto questions = std::ranges::count(asked_, client.id, &Asked::client);
  if (static_cast<std::size_t>(questions) >= kQuestionsMax) {
    return deny(client, message.id, {ErrorKind::refused, "read the screen", "too many questions at once", {}});
  }
  stir();
  read_program(kReadDrainBytes);
  const std::uint64_t id = vtd_.request(safe(), {.want = wire::vtd::Want::read, .json = wire::to_json(message).dump()});
  asked_.push_back({.id = id, .client = client.id, .purpose = Purpose::read, .request = message.id});
}

void Session::signal(Client& client, const wire::Signal& message) {
  const auto sent = host_.signal_foreground(message.number);
  if (sent)
    reply(client, with_id(message.id));
  else
    deny(client, message.id, sent.error());
}

// ---- kill and remove

void Session::kill(Client& client, const wire::Kill& message) {
  waiters_.push_back({client.id, message.id, message.remove});
  const Duration grace = std::chrono::milliseconds(message.grace_ms);
  if (kill_)
    kill_->hurry(loop_.now(), grace);
  else
    kill_.emplace(loop_.now(), grace);
  step_kill();
}

void Session::step_kill() {
  if (!kill_) return;
  if (kill_timer_) loop_.cancel(*kill_timer_);
  kill_timer_.reset();
  const auto next = kill_->next(loop_.now(), ending_.has_value(), host_.is_tree_empty(vtd_.pid()));
  if (next.step == KillRule::Step::hang_up) host_.hang_up_program();
  if (next.step == KillRule::Step::kill_all) host_.kill_tree(vtd_.pid());
  if (next.look_at) {
    kill_timer_ = loop_.at(*next.look_at, [this] {
      kill_timer_.reset();
      step_kill();
    });
  }
  if (next.step != KillRule::Step::done) return;
  kill_.reset();
  answer_waiters();
}

// Answers once the kill is done and the last byte is out of the terminal.
void Session::answer_waiters() {
  if (kill_ || waiters_.empty()) return;
  if (ending_ && life_ != Life::ended) return;
  bool remove_too = false;
  for (const Waiter& waiter : std::exchange(waiters_, {})) {
    Client* client = find(waiter.client);
    if (client == nullptr) continue;
    if (!ending_) {
      deny(*client, waiter.request,
           {ErrorKind::failed, "end the program", "it cannot be killed",
            "it waits in the kernel or belongs to another user"});
      continue;
    }
    Json answer = with_id(waiter.request);
    answer.set("code", ending_->code).set("signal", ending_->signal).set("reason", record_.info().reason);
    if (waiter.remove && !removed_) {
      if (const auto done = remove_from_disk(); !done) {
        deny(*client, waiter.request, done.error());
        continue;
      }
      remove_too = true;
    }
    reply(*client, answer);
  }
  if (remove_too) say_goodbye();
}

Result<> Session::remove_from_disk() {
  TRY(host_.remove_session());
  removed_ = true;
  return {};
}

void Session::remove(Client& client, std::int64_t request) {
  if (life_ != Life::ended) {
    return deny(client, request,
                {ErrorKind::refused, "remove '" + record_.info().name + "'", "its program is running",
                 "hold kill --rm " + record_.info().name});
  }
  if (!removed_) {
    if (const auto done = remove_from_disk(); !done) return deny(client, request, done.error());
  }
  reply(client, with_id(request));
  say_goodbye();
}

void Session::say_goodbye() {
  loop_.forget(setup_.listener);
  for (const auto& client : clients_) {
    if (client->stage == Stage::gone || client->stage == Stage::closing) continue;
    close_after(*client, client->stage == Stage::attached ? detached_frame("removed") : std::string());
  }
  if (over_timer_) return;
  over_timer_ = loop_.after(kGoodbyeWait, [this] {
    over_timer_.reset();
    over_ = true;
    loop_.stop();
  });
}

// ---- the end of the program

void Session::on_keeper() {
  roles::KeeperNote note;
  for (;;) {
    const auto n = ::recv(setup_.keeper, &note, sizeof note, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n == ssize_t{sizeof note}) {
      on_keeper_note(note);
      continue;
    }
    break;
  }
  // The keeper is gone. The program's end is seen through its pidfd from now on; its exit code is lost.
  log::error("the keeper is gone");
  loop_.forget(setup_.keeper);
  if (ending_ || setup_.program < 0) return;
  const auto watched = loop_.watch(setup_.program, loop::kRead, [this](unsigned) {
    loop_.forget(setup_.program);
    program_ended({-1, 0, "its exit code is not known because the keeper was gone"}, clock_.wall_ms());
  });
  if (!watched) log::error(watched.error().message());
}

void Session::on_keeper_note(const roles::KeeperNote& note) {
  switch (note.kind) {
    case roles::KeeperNote::program_ended:
      return program_ended(ending_of(note.wait_status), note.wall_ms);
    case roles::KeeperNote::holder_restarted: {
      // Behind a checkpoint nothing of the screen is lost but what only the dead one knew.
      const RingCheckpoint& kept = line_.ring().checkpoint();
      const bool has_checkpoint = vtd_.rebuild_offset() == kept.offset && kept.resizes != 0;
      const std::uint64_t bytes = line_.head() - (has_checkpoint ? kept.offset : line_.ring().oldest());
      return record_.mark("rebuilt",
                          "the holder died and was started again; clients were disconnected; the screen was "
                          "rebuilt from " +
                              std::string(has_checkpoint ? "a checkpoint and " : "") + "the last " +
                              std::to_string(bytes) + " bytes");
    }
    default:
      return;
  }
}

void Session::program_ended(const Ending& ending, std::int64_t wall_ms) {
  if (ending_) return;
  ending_ = ending;
  ended_ms_ = wall_ms;
  life_ = Life::draining;
  wait_for_drain();
  line_.try_again();
  read_program(kLastReadBytes);
  step_kill();
}

void Session::wait_for_drain() {
  drain_timer_ = loop_.after(kDrainWait, [this] {
    drain_timer_.reset();
    if (life_ != Life::draining) return;
    // The leader or VTD is waited for: what lies in the terminal is still to be read.
    if (paused_ || allowance() == 0) return wait_for_drain();
    read_program(kLastReadBytes);
    if (life_ == Life::draining) output_ended();
  });
}

void Session::check_drained() {
  if (life_ == Life::draining) output_ended();
}

void Session::output_ended() {
  line_.finish();
  life_ = Life::recording;
  for (auto* timer : {&drain_timer_, &reopen_timer_, &resize_timer_}) {
    if (*timer) loop_.cancel(**timer);
    timer->reset();
  }
  loop_.forget(setup_.master);
  vtd_.finish(safe());
  record_.save_ending(*ending_, ended_ms_);
  record_timer_ = loop_.after(kRecordWait, [this] {
    record_timer_.reset();
    announce_end();
  });
  const int saved = host_.saved_fd();
  if (saved >= 0) (void)loop_.watch(saved, loop::kRead, [this](unsigned) { check_recorded(); });
  check_recorded();
}

void Session::check_recorded() {
  if (life_ == Life::recording && host_.is_manifest_saved()) announce_end();
}

void Session::announce_end() {
  if (record_timer_) loop_.cancel(*record_timer_);
  record_timer_.reset();
  if (host_.saved_fd() >= 0) loop_.forget(host_.saved_fd());
  life_ = Life::ended;
  record_.ended(*ending_, ended_ms_);
  answer_waiters();
}

// Tells a client the end once it has been sent everything before it.
void Session::tell_end(Client& client) {
  if (client.told_end || client.picture_id != 0 || client.output.has_picture()) return;
  const Output::Stream stream = client.output.stream();
  const bool has_all = (stream == Output::Stream::live && client.output.position() == safe()) ||
                       (stream == Output::Stream::view && client.viewed_to == safe() && !client.view_due);
  if (!has_all) return;
  client.told_end = true;
  const wire::ExitEvent event{ending_->code, ending_->signal, safe(), record_.info().reason};
  queue(client, wire::encode(wire::Type::event, wire::to_json(event).dump()));
}

}  // namespace holdfast::holder
