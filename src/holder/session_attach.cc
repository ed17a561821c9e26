// Showing the session: pictures and live bytes for each client, who leads, and the size of the program's terminal.
#include <algorithm>

#include "base/limits.h"
#include "base/log.h"
#include "holder/clusters_rule.h"
#include "holder/session.h"

namespace holdfast::holder {
namespace {

using wire::vtd::Want;

// Output the program wrote before an attach is read first, bytes at most: a flood must not hold an attach up.
constexpr std::size_t kAttachDrainBytes = 256u << 10;
// A client that was given up gets pictures no more often than this: each costs more than the bytes it replaces.
constexpr Duration kResyncPause = 250ms;
// The same for observers of another size.
constexpr Duration kViewPause = 50ms;
// A window that is being dragged changes its size with every frame; programs redraw at each.
constexpr Duration kResizePause = 30ms;

// What stays in the ring of a sleeping session, bytes: with the checkpoint nothing of it is needed to go on, it is there
// for a holder that has to begin without one.
constexpr std::uint64_t kSleepingRingBytes = 64u << 10;

std::string event_frame(const Json& json) { return wire::encode(wire::Type::event, json.dump()); }

}  // namespace

bool Session::fits(const Client& client) const {
  return client.size.cols == size_.cols && client.size.rows == size_.rows;
}

void Session::attach(Client& client, const wire::Attach& message) {
  if (client.stage != Stage::open) {
    const Error error{ErrorKind::refused, "attach", "this connection is attached already", {}};
    return queue(client, wire::encode(wire::Type::error, wire::error_json(message.id, error).dump()));
  }
  read_program(kAttachDrainBytes);
  client.stage = Stage::attached;
  client.name = message.client_id;
  client.observe = message.observe;
  client.size = message.size;
  client.last_active = loop_.now();
  if (!client.observe) set_profile(client, message.terminal);
  record_.attached();
  const Want want = message.history ? Want::restore : Want::restore_screen;
  const bool leads = life_ == Life::running && leads_at_attach(leader_, client.observe);
  if (leads) {
    tell_of_new_leader(nullptr);
    leader_ = client.id;
    leader_live_ = false;
    if (is_size_for_program(client.size)) set_size(client.size, Winch::always);
  }
  reply(client, wire::to_json(wire::Attached{message.id, leads, size_}));
  show(client, want);
  if (!leads) return;
  refit_observers();
  tell_roles();
}

// The shadow terminal is the terminal of the client that came last.
void Session::set_profile(Client& client, wire::TerminalFacts facts) {
  using wire::Clusters;
  if (facts.clusters == Clusters::unknown) facts.clusters = guessed_clusters(facts);
  client.clusters = facts.clusters;
  profile_of_ = client.id;
  // Of the session's beginning, so it is part of every profile from then on: a new VTD begins there again.
  if (facts.clusters == Clusters::off) clusters_begin_off_ = true;
  if (facts.clusters == Clusters::off) facts.clusters = Clusters::told;
  vtd_.set_profile(wire::to_json(facts).set("clusters_begin_off", clusters_begin_off_).dump());
}

void Session::take_terminal(Client& client, const wire::TerminalFacts& facts) {
  if (client.stage != Stage::attached || profile_of_ != client.id) return;
  const wire::Clusters before = client.clusters;
  set_profile(client, facts);
  const bool obeys = client.clusters == wire::Clusters::told || client.clusters == wire::Clusters::off;
  // It was told mode 2027 as the guess had it: a picture tells it anew, at a place where no sequence is cut.
  if (obeys && client.clusters != before) show(client, Want::restore_screen);
}

void Session::show(Client& client, Want want) {
  if (leader_ == client.id || fits(client)) {
    ask_restore(client, want);
  } else {
    forget_picture(client);
    client.ledger.live_over();
    client.output.show_views();
    client.view_due = true;
    ask_view(client);
  }
}

void Session::forget_picture(Client& client) {
  if (client.picture_id == 0) return;
  vtd_.cancel(client.picture_id);
  std::erase_if(asked_, [&](const Asked& asked) { return asked.id == client.picture_id; });
  client.picture_id = 0;
}

void Session::ask_restore(Client& client, Want want) {
  forget_picture(client);
  client.must_drain = false;
  client.resynced_at = loop_.now();
  client.ledger.live_over();
  client.output.wait_for_restore(safe());
  client.picture_id = vtd_.request(safe(), {.want = want});
  asked_.push_back({.id = client.picture_id, .client = client.id, .purpose = Purpose::restore});
  if (leader_ == client.id) {
    queries_.live_soon(safe());
    leader_live_ = false;
  }
}

void Session::ask_view(Client& client) {
  if (client.picture_id != 0 || !client.output.is_drained()) return;
  if (!client.view_due && client.viewed_to == safe()) return;
  const Instant due = client.viewed_at + kViewPause;
  if (client.viewed_to != 0 && loop_.now() < due) {
    if (!view_timer_) view_timer_ = loop_.at(due, [this] { view_timer_.reset(); });
    return;
  }
  client.view_due = false;
  client.viewed_at = loop_.now();
  client.viewed_to = safe();
  const auto cells = [](std::uint16_t n) { return std::max<std::uint16_t>(n, 1); };
  client.picture_id =
      vtd_.request(safe(), {.want = Want::view, .cols = cells(client.size.cols), .rows = cells(client.size.rows)});
  asked_.push_back({.id = client.picture_id, .client = client.id, .purpose = Purpose::view});
}

void Session::ask_undo(Client& client, int kitty_flags) {
  forget_picture(client);
  client.picture_id =
      vtd_.request(safe(), {.want = Want::undo, .outer_kitty_flags = static_cast<std::int16_t>(kitty_flags)});
  asked_.push_back({.id = client.picture_id, .client = client.id, .purpose = Purpose::undo});
}

// What a client is due in this turn beside live bytes.
void Session::refresh(Client& client) {
  switch (client.output.stream()) {
    case Output::Stream::view:
      return ask_view(client);
    case Output::Stream::stalled:
      if (!client.must_drain && client.output.is_drained()) resync(client);
      return;
    case Output::Stream::off:
    case Output::Stream::waiting:
    case Output::Stream::live:
      return;
  }
}

void Session::drop_backlog(Client& client) {
  forget_picture(client);
  client.ledger.live_over();
  client.output.drop_backlog(line_.source());
  client.must_drain = true;
  if (leader_ != client.id) return;
  queries_.live_over();
  leader_live_ = false;
}

void Session::resync(Client& client) {
  if (!fits(client) && leader_ != client.id) return show(client, Want::restore_screen);
  const Instant due = client.resynced_at + kResyncPause;
  if (loop_.now() < due) {
    if (client.resync_timer) return;
    client.resync_timer = loop_.at(due, [this, id = client.id] {
      if (Client* c = find(id)) c->resync_timer.reset();
    });
    return;
  }
  queue(client,
        event_frame(Json::object().set("event", "resync").set("reason", "the terminal is slower than the program")));
  ask_restore(client, Want::restore_screen);
}

// ---- leading

void Session::promote(Client& client) { lead(&client, Want::restore_screen); }

void Session::lead(Client* client, Want want) {
  if (Client* old = leader()) {
    old->discard_token = old->scanner.pending();  // it keeps its live stream
  }
  tell_of_new_leader(client);
  leader_live_ = false;
  leader_.reset();
  if (client != nullptr) {
    leader_ = client->id;
    client->cut = true;
    const bool other_size = is_size_for_program(client->size) && !fits(*client);
    if (other_size) {
      read_program(kAttachDrainBytes);
      set_size(client->size, Winch::always);
    }
    // With a backlog it would be shown again what the leader before it has answered: it gets a picture instead.
    const bool up_to_date = client->output.stream() == Output::Stream::live && client->output.position() == safe();
    if (other_size || !up_to_date) {
      ask_restore(*client, want);
    } else {
      client->live_from = client->output.position();
      follow_leader(*client);
    }
    refit_observers();
  }
  tell_roles();
}

// Before it leads: what the one before has not answered goes back to VTD, and what the new one was sent is not its to
// answer.
void Session::tell_of_new_leader(const Client* client) {
  // Also one that is gone.
  const auto old = std::ranges::find_if(clients_, [&](const auto& c) { return leader_ == c->id; });
  Ledger* before = old != clients_.end() ? &(*old)->ledger : nullptr;
  queries_.leader_changed(before, client != nullptr ? client->ledger.sent_to() : 0, loop_.now());
}

void Session::leader_left() {
  std::vector<Candidate> candidates;
  for (const auto& client : clients_) {
    if (client->stage != Stage::attached) continue;
    candidates.push_back({client->id, client->observe, client->last_active});
  }
  const auto next = successor(candidates);
  lead(next && life_ == Life::running ? find(*next) : nullptr, Want::restore_screen);
}

void Session::take_size(Client& client, std::int64_t request) {
  if (client.stage != Stage::attached || client.observe) {
    return deny(client, request,
                {ErrorKind::refused, "take the size", "this client does not lead", "attach without --observe"});
  }
  if (leader_ != client.id && life_ == Life::running) promote(client);
  reply(client, Json::object().set("id", request));
}

void Session::take_resize(Client& client, const wire::TermSize& size) {
  if (client.stage != Stage::attached) return;
  client.size = size;
  if (leader_ != client.id) {
    client.view_due = true;
    refit_observers();
    return;
  }
  const Instant due = resized_at_ + kResizePause;
  if (loop_.now() >= due) {
    apply_leader_size();
  } else if (!resize_timer_) {
    resize_timer_ = loop_.at(due, [this] {
      resize_timer_.reset();
      apply_leader_size();
    });
  }
}

void Session::apply_leader_size() {
  const Client* client = leader();
  if (client == nullptr || !is_size_for_program(client->size) || client->size == size_) return;
  read_program(kAttachDrainBytes);
  set_size(client->size, Winch::if_changed);
  refit_observers();
  tell_roles();
}

// The program's and VTD's size change at one offset.
void Session::set_size(const wire::TermSize& size, Winch winch) {
  resized_at_ = loop_.now();
  if (size != size_) {
    size_ = size;
    line_.ring().log_resize({safe(), size.cols, size.rows, size.xpixel, size.ypixel});
    vtd_.resized(safe(), {safe(), size.cols, size.rows, size.xpixel, size.ypixel});
    record_.resized(size);
  }
  pty::Size terminal{size.cols, size.rows, size.xpixel, size.ypixel};
  // A size that differs in one pixel gives exactly one SIGWINCH to the right group; the next real size puts it right.
  if (winch == Winch::always && terminal == terminal_size_) ++terminal.ypixel;
  terminal_size_ = terminal;
  if (const auto set = host_.set_terminal_size(terminal); !set) log::warning(set.error().message());
}

void Session::refit_observers() {
  for (const auto& client : clients_) {
    if (client->stage != Stage::attached || leader_ == client->id) continue;
    const bool viewing = client->output.stream() == Output::Stream::view;
    if (fits(*client) == !viewing) continue;
    if (viewing)
      ask_restore(*client, Want::restore_screen);
    else
      show(*client, Want::view);
  }
}

void Session::tell_roles() {
  for (const auto& client : clients_) {
    if (client->stage != Stage::attached) continue;
    // At the client's place in the stream, where the query rule puts the change too.
    queue(*client, event_frame(wire::to_json(wire::RoleEvent{leader_ == client->id, size_})));
  }
}

// ---- leaving

void Session::leave(Client& client, int kitty_flags, std::string farewell) {
  if (client.stage != Stage::attached) return;
  client.stage = Stage::leaving;
  client.farewell = std::move(farewell);
  const bool live = client.output.stream() == Output::Stream::live;
  if (live)
    client.output.stop_live_at(safe());
  else
    client.output.stop();
  ask_undo(client, kitty_flags);
  expect_leave(client);
  if (leader_ == client.id) leader_left();
}

void Session::finish_leaving(Client& client) {
  if (client.picture_id != 0 || client.output.has_picture() || client.output.stream() == Output::Stream::live) return;
  if (!client.output.is_drained()) return;
  close_after(client, std::exchange(client.farewell, {}));
}

// ---- what VTD says

void Session::shadow_parsed(std::uint64_t offset) { queries_.parsed_to(offset); }

void Session::shadow_replied(std::uint64_t offset, std::string_view bytes) {
  if (!queries_.answered(offset, bytes, loop_.now())) return;
  const std::string shape = reply_shape(bytes);
  for (const auto& client : clients_) client->ledger.told(offset, shape);
}

void Session::shadow_event(const wire::vtd::Event& event) {
  // The numbers of vt::EventKind, which the holder does not include; wire/vtd.h passes them on.
  constexpr std::uint8_t kTitle = 1, kWorkingDirectory = 2;
  if (event.kind == kTitle) record_.set_title(event.text);
  if (event.kind == kWorkingDirectory) record_.set_working_directory(event.text);
}

void Session::shadow_restarted(std::string_view why) {
  queries_.shadow_restarted();
  log::info(why);
}

void Session::shadow_inexact(std::string_view why) {
  // What was said of it already says more.
  if (std::ranges::count(record_.info().marks, "rebuilt") > 0) return;
  record_.mark("rebuilt", "the screen was put together again and may not be exact: " + std::string(why));
}

// The keeper is given the checkpoint first: until the ring says so, a new holder goes by the ring alone.
void Session::shadow_sleeps(std::uint64_t offset, int checkpoint, bool exact) {
  host_.keep_checkpoint(checkpoint);
  line_.ring().log_checkpoint(offset, exact);
  line_.ring().forget_before(line_.head() - std::min<std::uint64_t>(line_.head(), kSleepingRingBytes));
  host_.give_memory_back();
}

void Session::shadow_answered(const wire::vtd::Answer& answer, Fd file, bool rebuilt) {
  const auto found = std::ranges::find(asked_, answer.id, &Asked::id);
  if (found == asked_.end()) return;
  const Asked asked = *found;
  asked_.erase(found);
  Client* client = find(asked.client);
  if (client == nullptr) return;
  queued_ = true;
  if (asked.purpose == Purpose::read) {
    if (file) return client->output.answer(static_cast<std::uint64_t>(asked.request), std::move(file), answer.bytes);
    const Error error{ErrorKind::failed, "read the screen", answer.error, {}};
    return queue(*client, wire::encode(wire::Type::error, wire::error_json(asked.request, error).dump()));
  }
  client->picture_id = 0;
  Picture picture{
      .file = std::move(file), .size = answer.bytes, .offset = std::min(answer.offset, safe()), .rebuilt = rebuilt};
  if (asked.purpose == Purpose::view) picture.kind = Picture::Kind::view;
  if (asked.purpose == Purpose::undo) picture.kind = Picture::Kind::undo;
  // Without a picture the client goes on with what comes: an empty one in its place.
  if (!picture.file)
    picture.size = 0;
  else
    picture.screen_at = std::min(answer.phase_two_at, answer.bytes);
  client->live_from = picture.offset;
  if (picture.kind == Picture::Kind::restore) client->ledger.live_from(picture.offset);
  client->output.give(std::move(picture));
}

}  // namespace holdfast::holder
