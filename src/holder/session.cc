#include "holder/session.h"

#include <algorithm>

#include "base/limits.h"
#include "base/log.h"
#include "base/sys.h"
#include "holder/sleep_rule.h"

namespace holdfast::holder {
namespace {

// Program output moved in one turn, bytes: then keys, signals and other clients are looked at.
constexpr std::size_t kTurnBytes = 64u << 10;
// A program that has closed its terminal may open it again; nothing tells when.
constexpr Duration kReopenCheck = 1s;
constexpr int kRoundsMax = 4;
// Others hold the locks of a record for moments; who told us to renew it waits a second (client/summon.h).
constexpr Duration kRenewPause = 5ms;
constexpr int kRenewTriesMax = 200;

}  // namespace

Session::Session(loop::Loop& loop, const Clock& clock, Host& host, RingWriter ring, store::Manifest manifest, Setup setup,
                 Fd checkpoint)
    : loop_(loop), clock_(clock), host_(host), setup_(setup), line_(loop, setup.master, std::move(ring)),
      record_(std::move(manifest), host, clock),
      vtd_(loop, host, line_.ring(), *this, {record_.history_rows(), record_.history_bytes()}, std::move(checkpoint)) {
  line_.ring().each_resize([&](const RingResize& logged) {
    size_ = {logged.cols, logged.rows, logged.xpixel, logged.ypixel};
  });
  record_.resized(size_);
}

Session::~Session() {
  for (auto* timer : {&resize_timer_, &view_timer_, &flow_timer_, &again_timer_, &answers_timer_, &drain_timer_,
                      &record_timer_, &reopen_timer_, &kill_timer_, &over_timer_, &renew_timer_, &quiet_timer_}) {
    if (*timer) loop_.cancel(**timer);
  }
  for (const auto& client : clients_) drop_client(*client);
  for (const int fd : {setup_.master, setup_.listener, setup_.keeper, setup_.program}) loop_.forget(fd);
}

Result<> Session::begin() {
  stir();
  renew_places();
  record_.started(setup_.program_pid, setup_.own_pid);
  queries_.begin_behind(line_.head());
  loop_.set_pump([this] { pump(); });
  TRY(line_.watch([this](unsigned events) { on_line(events); }));
  if (setup_.keeper >= 0) TRY(loop_.watch(setup_.keeper, loop::kRead, [this](unsigned) { on_keeper(); }));
  if (const auto ending = record_.recorded_ending()) {
    // A holder before this one saw the end.
    const std::int64_t ended_ms = record_.recorded_end_ms();
    record_.ended(*ending, ended_ms);
    program_ended(*ending, ended_ms);
  }
  return {};
}

void Session::take_summons() {
  if (removed_) return;
  renew_tries_ = 0;
  renew_places();
  record_.save_again();
}

void Session::renew_places() {
  // Who came by the old socket is not turned away.
  for (int taken = 0; taken <= sys::kListenBacklog && accept_next(); ++taken) {
  }
  loop_.forget(setup_.listener);
  const auto renewed = host_.renew_places();
  if (const auto watched = loop_.watch(setup_.listener, loop::kRead, [this](unsigned) { on_listener(); }); !watched) {
    log::error(watched.error().message());
  }
  if (renewed) return;
  if (renewed.error().kind != ErrorKind::timeout || ++renew_tries_ > kRenewTriesMax) {
    return log::error(renewed.error().message());
  }
  if (renew_timer_) return;
  renew_timer_ = loop_.after(kRenewPause, [this] {
    renew_timer_.reset();
    if (removed_) return;
    renew_places();
    record_.save_again();
  });
}

std::uint64_t Session::allowance() const {
  return shadow_allowance({.running = vtd_.is_awaited(),
                           .head = line_.head(),
                           .parsed = vtd_.parsed(),
                           .checkpoint = vtd_.rebuild_offset(),
                           .bytes_a_second = vtd_.bytes_a_second(),
                           .ring_bytes = line_.ring_bytes()});
}

void Session::on_line(unsigned events) {
  if ((events & loop::kReadable) != 0) read_program(kTurnBytes);
}

void Session::read_program(std::size_t budget) {
  if (has_all_output() || paused_) return;
  const std::size_t bytes = line_.read(std::min<std::uint64_t>(budget, allowance()));
  if (bytes > 0) {
    answer_status_queries();
    record_.active();
    stir();
  }
  if (line_.is_hung_up()) check_drained();
  if (line_.is_hung_up() && life_ == Life::running && !reopen_timer_) {
    reopen_timer_ = loop_.after(kReopenCheck, [this] {
      reopen_timer_.reset();
      line_.try_again();
      read_program(kTurnBytes);
    });
  }
}

// Before the bytes around the question go anywhere: nobody's answer to a later question can come before ours.
void Session::answer_status_queries() {
  for (const Scanner::Query& query : line_.take_queries()) {
    if (query_budget_.allow(loop_.now())) line_.input().push_reply(status_answer(query.terminator));
  }
}

void Session::pump() {
  line_.flush_input();
  // What one client's step queues for another goes out in the same turn; a few rounds are enough for any of them.
  for (int round = 0; round == 0 || (queued_ && round < kRoundsMax); ++round) {
    queued_ = false;
    pump_clients();
  }
  push_answers();
  line_.flush_input();
  for (const auto& client : clients_) {
    if (client->held && line_.input().has_room()) {
      client->held = false;
      take_frames(*client);
    }
  }
  watch_quiet();
  // It may wait while somebody is fed, but not while the program waits for it.
  const bool may_wait = leader_.has_value() && allowance() > 0;
  vtd_.advance(safe(), may_wait ? VtdLink::Wake::later : VtdLink::Wake::now);
  apply_flow();
  sweep();
  update_interests();
  // Something was queued behind the clients' turn, and nothing else may wake us for it.
  if (queued_ && !again_timer_) again_timer_ = loop_.after(Duration::zero(), [this] { again_timer_.reset(); });
}

void Session::push_answers() {
  Client* leading = leader();
  Ledger* ledger = leading != nullptr ? &leading->ledger : nullptr;
  for (const std::string& answer : queries_.take(ledger, loop_.now())) line_.input().push_reply(answer);
  // VTD may stay behind: then nothing else wakes us for what is held.
  const auto due = queries_.due();
  if (answers_timer_ && !due) loop_.cancel(*answers_timer_);
  if (!due) answers_timer_.reset();
  if (due && !answers_timer_) answers_timer_ = loop_.at(*due, [this] { answers_timer_.reset(); });
}

void Session::pump_clients() {
  // By index: a client may be accepted or leave meanwhile; they are only removed in sweep().
  for (std::size_t i = 0; i < clients_.size(); ++i) pump_client(*clients_[i]);
  if (clients_.empty()) return line_.edits().forget_before(safe());
  std::uint64_t needed = safe();
  for (const auto& client : clients_) {
    if (const auto from = client->output.needs_from()) needed = std::min(needed, *from);
  }
  line_.edits().forget_before(needed);
}

void Session::pump_client(Client& client) {
  if (client.stage == Stage::gone) return;
  const auto pumped = client.output.pump(client.socket.get(), line_.source());
  client.blocked = pumped.state == Output::Pumped::blocked;
  if (client.output.stream() == Output::Stream::live) client.ledger.live_to(client.output.position());
  if (pumped.bytes > 0) client.meter.took(loop_.now(), pumped.bytes);
  if (pumped.state == Output::Pumped::broken) return drop_client(client);
  if (client.stage == Stage::attached) refresh(client);
  if (client.stage == Stage::attached && life_ == Life::ended) tell_end(client);
  if (leader_ == client.id) follow_leader(client);
  if (client.stage == Stage::leaving) finish_leaving(client);
  const bool finished = client.stage == Stage::closing || (client.end_of_input && !awaits_answer(client));
  if (finished && client.output.is_drained()) drop_client(client);
}

bool Session::awaits_answer(const Client& client) const {
  return std::ranges::any_of(asked_, [&](const Asked& asked) { return asked.client == client.id; }) ||
         std::ranges::any_of(waiters_, [&](const Waiter& waiter) { return waiter.client == client.id; });
}

// Keeps the query rule informed of what the leader's terminal has been sent.
void Session::follow_leader(const Client& client) {
  if (client.output.stream() != Output::Stream::live) return;
  if (!leader_live_) queries_.live_from(client.live_from);
  leader_live_ = true;
  queries_.live_to(client.output.position());
}

void Session::apply_flow() {
  bool pause = false;
  for (const auto& client : clients_) {
    const Output::Stream stream = client->output.stream();
    if (client->stage != Stage::attached) continue;
    if (stream != Output::Stream::live && stream != Output::Stream::waiting) continue;
    const std::uint64_t lag = safe() - client->output.position();
    if (lag < kResumeBelowBytes) continue;
    const bool leads = leader_ == client->id;
    // A leader whose picture VTD is still to make is not slow.
    const bool waits_for_shadow = stream == Output::Stream::waiting && !client->output.has_picture() && vtd_.is_running();
    const auto action = decide_backlog({.role = leads ? Role::leader : Role::observer,
                                        .flow = record_.flow(),
                                        .lag = lag,
                                        .drained = waits_for_shadow ? kWorthWaitingBytes : client->meter.recent(loop_.now()),
                                        .paused = leads && paused_});
    if (action == BacklogAction::pause) pause = true;
    if (action == BacklogAction::drop) drop_backlog(*client);
  }
  paused_ = pause;
  if (flow_timer_ && !paused_) {
    loop_.cancel(*flow_timer_);
    flow_timer_.reset();
  }
  // A leader that takes nothing makes no events: it is looked at again when its window is over.
  if (paused_ && !flow_timer_) flow_timer_ = loop_.after(kDrainWindow, [this] { flow_timer_.reset(); });
}

void Session::update_interests() {
  if (!has_all_output()) line_.want(!paused_ && allowance() > 0);
  for (const auto& client : clients_) {
    if (client->stage == Stage::gone) continue;
    unsigned interest = loop::kNone;
    if (!client->held && !client->end_of_input) interest |= loop::kRead;
    if (client->must_drain || client->blocked) interest |= loop::kWrite;
    if (const auto changed = loop_.change(client->socket.get(), interest); !changed) drop_client(*client);
  }
}

// Somebody is attached, or is still to be sent bytes of the ring.
bool Session::is_watched() const {
  return std::ranges::any_of(clients_, [](const auto& client) {
    return client->stage == Stage::attached || client->stage == Stage::leaving ||
           (client->stage != Stage::gone && client->output.needs_from());
  });
}

void Session::watch_quiet() {
  const bool watched = is_watched();
  if (watched) stir();
  const Quiet quiet = decide_quiet({.sleep_after = record_.sleep_after(),
                                    .now = loop_.now(),
                                    .stirred = stirred_,
                                    .watched = watched,
                                    .awake = vtd_.is_running()});
  vtd_.expect_work(watched);
  vtd_.let_sleep(quiet.may_sleep);
  if (quiet_timer_ && !quiet.look_at) loop_.cancel(*quiet_timer_);
  if (!quiet.look_at) quiet_timer_.reset();
  // One that is set may come too early: then it is set again, once in so long a time.
  if (quiet.look_at && !quiet_timer_) quiet_timer_ = loop_.at(*quiet.look_at, [this] { quiet_timer_.reset(); });
}

void Session::sweep() {
  if (std::ranges::none_of(clients_, [](const auto& c) { return c->stage == Stage::gone; })) return;
  std::erase_if(clients_, [](const auto& c) { return c->stage == Stage::gone; });
  if (clients_.empty() && removed_) {
    over_ = true;
    loop_.stop();
  }
}

}  // namespace holdfast::holder
