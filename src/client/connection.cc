#include "client/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/limits.h"
#include "base/sys.h"
#include "wire/messages.h"

namespace holdfast::client {

namespace {

// Input in one frame, bytes: what a holder takes in one read.
constexpr std::size_t kInputPieceBytes = 64u << 10;
// Sent bytes that are kept in front of unsent ones until there are so many: each time the rest is moved.
constexpr std::size_t kSentBytesMax = 64u << 10;
// The longest single poll(2), milliseconds: deadlines may lie beyond what it takes.
constexpr std::int64_t kPollMsMax = 60'000;

std::unexpected<Error> gone() {
  return fail(ErrorKind::ended, "talk to the session", "its holder went away",
              "see what became of it with: hold ls --all");
}

// The peer must be us: a socket in a shared directory could be somebody's trap.
Result<> check_peer(int socket, const std::string& path) {
  const std::uint32_t peer = TRY(sys::peer_uid(socket));
  if (peer == ::geteuid()) return {};
  return fail(ErrorKind::refused, "talk to the holder at " + path,
              "it runs as user " + std::to_string(peer) + ", not as you",
              "run hold as that user: sudo -u '#" + std::to_string(peer) + "' hold …");
}

Result<> check_hello(std::string_view payload) {
  const Json json = TRY(Json::parse(payload));
  const wire::Hello hello = TRY(wire::parse_hello(json));
  if (hello.protocol == wire::kProtocol) return {};
  return fail(ErrorKind::refused, "talk to the session",
              "its holder speaks protocol " + std::to_string(hello.protocol) + ", this hold speaks " +
                  std::to_string(wire::kProtocol),
              "restart the session, or use the version of hold it was started with");
}

}  // namespace

bool wait_ready(int fd, Until until, Instant deadline, const Clock& clock) {
  const short events = until == Until::readable_or_writable ? POLLIN | POLLOUT : POLLIN;
  for (;;) {
    const Duration left = deadline - clock.now();
    if (left <= Duration::zero()) return false;
    pollfd item{fd, events, 0};
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int n = ::poll(&item, 1, static_cast<int>(std::min<std::int64_t>(ms, kPollMsMax)));
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return true;  // the next read or write says what is wrong
  }
}

Connection::Connection(Fd socket) : socket_(std::move(socket)), decoder_(limits::kFrameBytesMax) {
  wire::Hello hello;
  hello.version = HOLDFAST_VERSION;
  queue(wire::Type::hello, wire::to_json(hello));
}

Result<Connection> Connection::open(const std::string& socket_path) {
  Fd socket = TRY(sys::connect_unix(socket_path));
  TRY(check_peer(socket.get(), socket_path));
  return Connection(std::move(socket));
}

void Connection::forget_sent() {
  if (sent_ != out_.size()) return;
  out_.clear();
  sent_ = 0;
}

void Connection::queue(wire::Type type, std::string_view payload) {
  forget_sent();
  out_ += wire::frame_header(type, payload.size());
  out_ += payload;
}

void Connection::queue_input(std::string_view bytes) {
  forget_sent();
  while (!bytes.empty()) {
    const auto piece = bytes.substr(0, kInputPieceBytes);
    out_ += wire::encode_input(input_offset_, piece);
    input_offset_ += piece.size();
    bytes.remove_prefix(piece.size());
  }
}

Result<> Connection::flush() {
  while (sent_ < out_.size()) {
    const ssize_t n = ::send(socket_.get(), out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (n >= 0) {
      sent_ += static_cast<std::size_t>(n);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) break;
    return gone();
  }
  if (sent_ > kSentBytesMax) {
    out_.erase(0, sent_);
    sent_ = 0;
  }
  return {};
}

Result<Connection::Read> Connection::fill() {
  const auto space = decoder_.space();
  for (;;) {
    const ssize_t n = ::recv(socket_.get(), space.data(), space.size(), 0);
    if (n > 0) {
      decoder_.filled(static_cast<std::size_t>(n));
      return static_cast<std::size_t>(n) == space.size() ? Read::some : Read::all;
    }
    if (n == 0) return Read::end;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return Read::nothing;
    return Read::end;  // a reset is an end, too
  }
}

Result<std::optional<wire::Frame>> Connection::next() {
  for (;;) {
    auto frame = TRY(decoder_.next());
    if (!frame || frame->type != wire::Type::hello) return frame;
    TRY(check_hello(frame->payload));
  }
}

namespace {

std::unexpected<Error> too_late() {
  return fail(ErrorKind::timeout, "talk to the session", "its holder does not answer",
              "it may be stopped or overloaded; try again, or look at it with: hold ls");
}

}  // namespace

Result<wire::Frame> Connection::await_frame(Instant deadline, const Clock& clock) {
  bool sendable = true;
  for (;;) {
    if (auto frame = TRY(next())) return *frame;
    // Before anything more is read: a peer that drips bytes always has some.
    if (clock.now() >= deadline) return too_late();
    // A holder that refuses us says why and hangs up: what it said is read before its end is reported.
    if (sendable) sendable = flush().has_value();
    const Read read = TRY(fill());
    if (read == Read::end) return gone();
    if (read != Read::nothing) continue;
    const Until until = sendable && unsent() > 0 ? Until::readable_or_writable : Until::readable;
    if (!wait_ready(fd(), until, deadline, clock)) return too_late();
  }
}

Result<Json> Connection::request(wire::Type type, Json message, Instant deadline, const Clock& clock) {
  const std::int64_t id = next_id_++;
  message.set("id", id);
  queue(type, message);
  for (;;) {
    const wire::Frame frame = TRY(await_frame(deadline, clock));
    if (frame.type == wire::Type::ok || frame.type == wire::Type::info || frame.type == wire::Type::error) {
      Json answer = TRY(Json::parse(frame.payload));
      const std::int64_t answered = answer.get("id").as_int();
      // An error without an id concerns the connection itself.
      if (frame.type == wire::Type::error && (answered == id || answered == 0))
        return std::unexpected(wire::parse_error(answer));
      if (answered == id && frame.type != wire::Type::error) return answer;
    }
    if (clock.now() >= deadline) return too_late();  // it talks, but of something else
  }
}

Result<> Connection::request_data(wire::Type type, Json message, Duration patience, const Clock& clock,
                                  const std::function<Result<>(std::string_view)>& sink) {
  const std::int64_t id = next_id_++;
  message.set("id", id);
  queue(type, message);
  Instant deadline = clock.now() + patience;
  for (;;) {
    const wire::Frame frame = TRY(await_frame(deadline, clock));
    if (frame.type == wire::Type::error) {
      const Json answer = TRY(Json::parse(frame.payload));
      const std::int64_t answered = answer.get("id").as_int();
      if (answered == id || answered == 0) return std::unexpected(wire::parse_error(answer));
    }
    const auto data = frame.type == wire::Type::data ? wire::decode_data(frame.payload) : std::nullopt;
    if (data && data->request == static_cast<std::uint64_t>(id)) {
      TRY(sink(data->bytes));
      if (data->last == wire::Last::yes) return {};
      deadline = clock.now() + patience;
    } else if (clock.now() >= deadline) {
      return too_late();
    }
  }
}

}  // namespace holdfast::client
