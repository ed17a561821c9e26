// Connections: who may come in, what they say, and their typing.
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "base/limits.h"
#include "base/log.h"
#include "base/sys.h"
#include "holder/session.h"

namespace holdfast::holder {
namespace {

// A connection that does not say hello is closed: descriptors are few.
constexpr Duration kHelloWait = 5s;
// How long the bytes of one key may be apart. A terminal sends them at once; a network may cut them.
constexpr Duration kEscapeWait = 50ms;
// A client that is to leave and takes no bytes is closed.
constexpr Duration kLeaveWait = 3s;
// Connections taken in one turn.
constexpr int kAcceptsMax = 16;
// What one client may send in one turn, bytes.
constexpr std::size_t kTurnBytes = 256u << 10;

std::string frame_of(wire::Type type, const Json& json) { return wire::encode(type, json.dump()); }

Error protocol_error(std::string problem) {
  return {ErrorKind::failed, "understand this client", std::move(problem), "use a hold of the same or a newer version"};
}

}  // namespace

Client* Session::find(ClientId id) {
  const auto found = std::ranges::find_if(clients_, [&](const auto& c) { return c->id == id; });
  return found == clients_.end() || (*found)->stage == Stage::gone ? nullptr : found->get();
}

void Session::on_listener() {
  for (int i = 0; i < kAcceptsMax && accept_next(); ++i) {
  }
}

// False: nobody waits.
bool Session::accept_next() {
  Fd socket(::accept4(setup_.listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return errno == EINTR || errno == ECONNABORTED;
  accept_client(std::move(socket));
  return true;
}

void Session::accept_client(Fd socket) {
  const auto uid = sys::peer_uid(socket.get());
  auto client = std::make_unique<Client>(next_client_++, std::move(socket));
  Client& c = *client;
  if (const auto watched =
          loop_.watch(c.socket.get(), loop::kRead, [this, id = c.id](unsigned events) { on_client(id, events); });
      !watched) {
    return log::error(watched.error().message());
  }
  clients_.push_back(std::move(client));
  if (!uid || *uid != setup_.uid) {
    const std::string owner = std::to_string(setup_.uid);
    return refuse(c, 0,
                  {ErrorKind::refused, "join this session", "it belongs to the user with id " + owner,
                   "run: sudo -u '#" + owner + "' hold ..."});
  }
  if (clients_.size() > limits::kClientsMax) {
    return refuse(c, 0,
                  {ErrorKind::refused, "join this session",
                   "it has " + std::to_string(limits::kClientsMax) + " clients already", "close some of them"});
  }
  namespace feature = wire::feature;
  wire::Hello hello{.features = {feature::kAttach, feature::kUndo, feature::kView, feature::kReadRows, feature::kKill},
                    .version = HOLDFAST_VERSION,
                    .session = record_.info().id};
  queue(c, frame_of(wire::Type::hello, wire::to_json(hello)));
  c.hello_timer = loop_.after(kHelloWait, [this, id = c.id] {
    if (Client* late = find(id)) {
      late->hello_timer.reset();
      refuse(*late, 0, protocol_error("it did not say hello"));
    }
  });
}

void Session::on_client(ClientId id, unsigned events) {
  Client* client = find(id);
  if (client == nullptr) return;
  if ((events & loop::kWritable) != 0) client->must_drain = false;
  if ((events & loop::kReadable) != 0 && !client->held) read_client(*client);
  // The peer is gone: there is nobody to answer. What it had sent is read before, also what waits for the program.
  const bool has_more = client->held || (client->stage != Stage::gone && !client->end_of_input);
  if ((events & loop::kHangup) != 0 && !has_more) drop_client(*client);
}

void Session::read_client(Client& client) {
  std::size_t total = 0;
  while (client.stage != Stage::gone && !client.held && total < kTurnBytes) {
    const auto space = client.decoder.space();
    const auto n = ::recv(client.socket.get(), space.data(), space.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) return drop_client(client);
    if (n == 0) {
      // A client that shuts its side down may still want its answers; one that is attached has left.
      client.end_of_input = true;
      if (client.stage == Stage::attached) drop_client(client);
      return;
    }
    if (client.stage == Stage::closing) return;  // nobody listens any more
    client.decoder.filled(static_cast<std::size_t>(n));
    total += static_cast<std::size_t>(n);
    take_frames(client);
    if (static_cast<std::size_t>(n) < space.size()) return;
  }
}

void Session::take_frames(Client& client) {
  while (!client.held && client.stage != Stage::gone && client.stage != Stage::closing) {
    const auto frame = client.decoder.next();
    if (!frame) return refuse(client, 0, frame.error());
    if (!*frame) return;
    take_frame(client, **frame);
  }
}

void Session::take_frame(Client& client, const wire::Frame& frame) {
  if (client.stage == Stage::greeting) {
    if (frame.type != wire::Type::hello) return refuse(client, 0, protocol_error("its first message is no hello"));
    return take_hello(client, frame.payload);
  }
  if (frame.type == wire::Type::input) {
    if (frame.payload.size() < wire::kInputPrefixBytes)
      return refuse(client, 0, protocol_error("an input frame is cut short"));
    if (client.stage != Stage::leaving) take_input(client, frame.payload.substr(wire::kInputPrefixBytes));
    return;
  }
  if (frame.payload.size() > limits::kControlBytesMax) {
    return refuse(client, 0, protocol_error("a control message is longer than its limit"));
  }
  switch (frame.type) {
    case wire::Type::hello:
    case wire::Type::output:
    case wire::Type::snapshot:
    case wire::Type::event:
    case wire::Type::error:
    case wire::Type::ok:
    case wire::Type::data:
      return refuse(client, 0, protocol_error("it sends what only a session sends"));
    case wire::Type::attach:
    case wire::Type::detach:
    case wire::Type::take_size:
    case wire::Type::resize:
    case wire::Type::info:
    case wire::Type::read_rows:
    case wire::Type::signal:
    case wire::Type::kill:
    case wire::Type::remove:
    case wire::Type::subscribe:
    case wire::Type::hook:
    case wire::Type::set_meta:
    case wire::Type::rename:
    case wire::Type::replay:
    case wire::Type::terminal:
    case wire::Type::input:
      break;
    default:
      return;  // of a later version: skipped
  }
  const auto message = frame.payload.empty() ? Result<Json>(Json::object()) : Json::parse(frame.payload);
  if (!message) return refuse(client, 0, message.error());
  take_control(client, frame.type, *message);
}

void Session::take_hello(Client& client, std::string_view payload) {
  const auto json = Json::parse(payload);
  if (!json) return refuse(client, 0, json.error());
  const auto hello = wire::parse_hello(*json);
  if (!hello) return refuse(client, 0, hello.error());
  if (client.hello_timer) loop_.cancel(*client.hello_timer);
  client.hello_timer.reset();
  client.stage = Stage::open;
  client.decoder.set_frame_bytes_max(limits::kInputFrameBytesMax + wire::kInputPrefixBytes);
}

void Session::take_control(Client& client, wire::Type type, const Json& json) {
  const std::int64_t request = json.get("id").as_int();
  // Each message: read it, or tell what is wrong with it; a wrong message does not end the connection.
  const auto with = [&](auto message, auto action) {
    if (message)
      action(*message);
    else
      deny(client, request, message.error());
  };
  switch (type) {
    case wire::Type::attach:
      return with(wire::parse_attach(json), [&](const auto& m) { attach(client, m); });
    case wire::Type::detach:
      return with(wire::parse_detach(json), [&](const auto& m) { detach(client, m); });
    case wire::Type::resize:
      return with(wire::parse_size(json), [&](const auto& m) { take_resize(client, m); });
    case wire::Type::terminal:
      return with(wire::parse_terminal(json), [&](const auto& m) { take_terminal(client, m); });
    case wire::Type::read_rows:
      return with(wire::parse_read_rows(json), [&](const auto& m) { read_rows(client, m); });
    case wire::Type::signal:
      return with(wire::parse_signal(json), [&](const auto& m) { signal(client, m); });
    case wire::Type::kill:
      return with(wire::parse_kill(json), [&](const auto& m) { kill(client, m); });
    case wire::Type::take_size:
      return take_size(client, request);
    case wire::Type::info:
      return answer_info(client, request);
    case wire::Type::remove:
      return remove(client, request);
    default:
      deny(client, request,
           {ErrorKind::refused, "do this", "this session's holder cannot", "restart this session to enable it"});
  }
}

void Session::take_input(Client& client, std::string_view bytes) {
  if (has_all_output()) return;
  record_.active();
  stir();
  InputQueue& input = line_.input();
  if (client.stage != Stage::attached) {
    input.push(bytes);
  } else if (leader_ == client.id && !is_cut(client)) {
    // The leader's bytes go in as they come; its tokens are followed to know where one ends, and what it has answered.
    input.push(bytes);
    client.last_active = loop_.now();
    client.scanner.feed(bytes, [&](const wire::InputToken& token) {
      if (token.kind == wire::InputKind::reply) queries_.replied(client.ledger, token, loop_.now());
    });
  } else {
    client.scanner.feed(bytes, [&](const wire::InputToken& token) { take_token(client, token); });
    arm_escape_timer(client);
  }
  if (input.is_full()) client.held = true;
}

// Whether a leader's input has to be looked at token by token. One that was cut stays so until a token ends.
bool Session::is_cut(Client& client) {
  if (client.cut) client.cut = client.scanner.is_amid_token() || queries_.judges(client.ledger, loop_.now());
  return client.cut;
}

void Session::take_token(Client& client, const wire::InputToken& token) {
  const bool discarded = std::exchange(client.discard_token, false);
  const bool is_reply = token.kind == wire::InputKind::reply;
  // Also what is not for the program is an answer given.
  if (is_reply && (discarded || leader_ != client.id)) client.ledger.replied(reply_shape(token.bytes));
  if (discarded) return;
  if (is_reply && leader_ == client.id) {
    const auto verdict = queries_.replied(client.ledger, token, loop_.now());
    if (verdict != QueryRule::Verdict::deliver) return;
  }
  switch (decide_input(token.kind, leader_ == client.id, client.observe)) {
    case InputFate::drop:
      return;
    case InputFate::promote:
      promote(client);
      [[fallthrough]];
    case InputFate::deliver:
      client.last_active = loop_.now();
      line_.input().push(token.bytes);
  }
}

void Session::arm_escape_timer(Client& client) {
  if (client.escape_timer) loop_.cancel(*client.escape_timer);
  client.escape_timer.reset();
  if (!client.scanner.pending()) return;
  client.escape_timer = loop_.after(kEscapeWait, [this, id = client.id] {
    Client* c = find(id);
    if (c == nullptr) return;
    c->escape_timer.reset();
    if (leader_ != id || c->cut) c->scanner.flush([&](const wire::InputToken& token) { take_token(*c, token); });
  });
}

void Session::queue(Client& client, std::string frame, std::uint64_t after) {
  client.output.control(std::move(frame), after);
  queued_ = true;
}

void Session::deny(Client& client, std::int64_t request, const Error& error) {
  queue(client, frame_of(wire::Type::error, wire::error_json(request, error)));
}

void Session::reply(Client& client, const Json& message) { queue(client, frame_of(wire::Type::ok, message)); }

// Says what is wrong and ends the connection.
void Session::refuse(Client& client, std::int64_t request, const Error& error) {
  close_after(client, frame_of(wire::Type::error, wire::error_json(request, error)));
}

void Session::close_after(Client& client, std::string frame) {
  if (client.stage == Stage::gone) return;
  const bool led = leader_ == client.id;
  client.stage = Stage::closing;
  client.output.stop();
  forget_picture(client);
  if (!frame.empty()) queue(client, std::move(frame));
  expect_leave(client);
  if (led) leader_left();
}

void Session::expect_leave(Client& client) {
  if (client.leave_timer) return;
  client.leave_timer = loop_.after(kLeaveWait, [this, id = client.id] {
    if (Client* c = find(id)) {
      c->leave_timer.reset();
      drop_client(*c);
    }
  });
}

void Session::drop_client(Client& client) {
  if (client.stage == Stage::gone) return;
  const bool led = leader_ == client.id;
  client.stage = Stage::gone;
  forget_picture(client);
  for (auto* timer : {&client.hello_timer, &client.escape_timer, &client.leave_timer, &client.resync_timer}) {
    if (*timer) loop_.cancel(**timer);
    timer->reset();
  }
  loop_.forget(client.socket.get());
  std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.client == client.id; });
  if (led) leader_left();
}

}  // namespace holdfast::holder
