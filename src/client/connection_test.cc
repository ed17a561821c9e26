#include "client/connection.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "base/sys.h"
#include "base/test_directory.h"
#include "wire/messages.h"

using namespace holdfast;
using namespace holdfast::client;

namespace {

// A holder of one caller: answers as a test says, in a thread, over a real socket.
class FakeHolder {
 public:
  explicit FakeHolder(std::function<void(int)> serve) {
    listener_ = std::move(*sys::listen_unix_at(directory_.fd.get(), "s", 4));
    REQUIRE(sys::set_blocking(listener_.get(), sys::Blocking::yes));
    thread_ = std::thread([this, serve = std::move(serve)] {
      const Fd caller(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      serve(caller.get());
    });
  }
  ~FakeHolder() { thread_.join(); }
  std::string path() const { return directory_.at("s"); }

 private:
  TestDirectory directory_;
  Fd listener_;
  std::thread thread_;
};

// Reads frames until one of the type is there.
std::string await(int caller, wire::FrameDecoder& decoder, wire::Type type) {
  for (;;) {
    while (auto frame = *decoder.next()) {
      if (frame->type == type) return std::string(frame->payload);
    }
    const auto space = decoder.space();
    const ssize_t n = ::read(caller, space.data(), space.size());
    if (n <= 0) return {};
    decoder.filled(static_cast<std::size_t>(n));
  }
}

void say(int caller, wire::Type type, std::string_view payload) {
  (void)sys::write_all(caller, wire::encode(type, payload));
}

std::string hello(int protocol = wire::kProtocol) {
  wire::Hello m;
  m.protocol = protocol;
  return wire::to_json(m).dump();
}

const SystemClock kClock;
Instant soon() { return kClock.now() + 5s; }

}  // namespace

TEST_CASE("a request gets the answer that carries its id, whatever comes before it") {
  FakeHolder holder([](int caller) {
    wire::FrameDecoder decoder(1 << 20);
    say(caller, wire::Type::hello, hello());
    const auto request = *Json::parse(await(caller, decoder, wire::Type::info));
    say(caller, wire::Type::event, R"({"event":"role"})");
    say(caller, static_cast<wire::Type>(200), "a type of the future");
    say(caller, wire::Type::ok, R"({"id":99})");
    say(caller, wire::Type::info, Json::object().set("id", request.get("id")).set("info", "yes").dump());
  });
  auto connection = Connection::open(holder.path());
  REQUIRE(connection);
  const auto answer = connection->request(wire::Type::info, Json::object(), soon(), kClock);
  REQUIRE(answer);
  CHECK(answer->get("info").as_string() == "yes");
}

TEST_CASE("an error answer is the holder's error, kind and all") {
  FakeHolder holder([](int caller) {
    wire::FrameDecoder decoder(1 << 20);
    const auto request = *Json::parse(await(caller, decoder, wire::Type::remove));
    const Error error{ErrorKind::refused, "remove it", "it still runs", "kill it first"};
    say(caller, wire::Type::error, wire::error_json(request.get("id").as_int(), error).dump());
  });
  auto connection = Connection::open(holder.path());
  const auto answer = connection->request(wire::Type::remove, Json::object(), soon(), kClock);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().kind == ErrorKind::refused);
  CHECK(answer.error().message() == "cannot remove it: it still runs; kill it first");
}

TEST_CASE("what a holder says before it hangs up is heard") {
  FakeHolder holder([](int caller) {
    const Error error{ErrorKind::refused, "talk to it", "you are root", "use sudo"};
    say(caller, wire::Type::error, wire::error_json(0, error).dump());
  });
  auto connection = Connection::open(holder.path());
  const auto answer = connection->request(wire::Type::info, Json::object(), soon(), kClock);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().problem == "you are root");
}

TEST_CASE("a holder that goes away ends the request, a mute one times out") {
  {
    FakeHolder holder([](int) {});
    auto connection = Connection::open(holder.path());
    CHECK(connection->request(wire::Type::info, Json::object(), soon(), kClock).error().kind == ErrorKind::ended);
  }
  FakeHolder holder([](int caller) {
    char sink[4096];
    while (::read(caller, sink, sizeof sink) > 0) {
    }
  });
  auto connection = Connection::open(holder.path());
  const auto answer = connection->request(wire::Type::info, Json::object(), kClock.now() + 20ms, kClock);
  CHECK(answer.error().kind == ErrorKind::timeout);
  connection = fail(ErrorKind::failed, "", "");  // hangs up
}

TEST_CASE("a holder of another protocol is refused with a sentence") {
  FakeHolder holder([](int caller) { say(caller, wire::Type::hello, hello(wire::kProtocol + 1)); });
  auto connection = Connection::open(holder.path());
  const auto answer = connection->request(wire::Type::info, Json::object(), soon(), kClock);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().kind == ErrorKind::refused);
}

TEST_CASE("data comes in pieces, in order, until the last") {
  FakeHolder holder([](int caller) {
    wire::FrameDecoder decoder(1 << 20);
    const auto request = *Json::parse(await(caller, decoder, wire::Type::read_rows));
    const auto id = static_cast<std::uint64_t>(request.get("id").as_int());
    (void)sys::write_all(caller, wire::data_header(id, wire::Last::no, 3) + "one" + wire::data_header(id + 5, wire::Last::no, 2) + "no" +
                                     wire::data_header(id, wire::Last::yes, 3) + "two");
  });
  auto connection = Connection::open(holder.path());
  std::string text;
  const auto done = connection->request_data(wire::Type::read_rows, Json::object(), 5s, kClock,
                                             [&text](std::string_view piece) -> Result<> {
                                               text += piece;
                                               return {};
                                             });
  CHECK(done);
  CHECK(text == "onetwo");
}

// A peer that always has something to say, until the test has had enough of it.
void drip(int caller, std::string_view bytes) {
  const Instant end = kClock.now() + 5s;
  while (kClock.now() < end && ::send(caller, bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0) {
  }
}

TEST_CASE("a peer that drips bytes does not hold a request beyond its deadline") {
  const std::string other = wire::encode(wire::Type::event, R"({"event":"role"})");
  for (const std::string_view bytes : {std::string_view(other), std::string_view("\xff\xff\x0f\0\x09", 5)}) {
    FakeHolder holder([bytes](int caller) { drip(caller, bytes); });
    auto connection = Connection::open(holder.path());
    const Instant begin = kClock.now();
    const auto answer = connection->request(wire::Type::info, Json::object(), begin + 100ms, kClock);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().kind == ErrorKind::timeout);
    CHECK(kClock.now() - begin < 3s);
  }
}

TEST_CASE("nor does one that talks of other things hold a request for data") {
  const std::string other = wire::data_header(99, wire::Last::no, 2) + "no";
  FakeHolder holder([&other](int caller) { drip(caller, other); });
  auto connection = Connection::open(holder.path());
  const auto sink = [](std::string_view) -> Result<> { return {}; };
  const auto done = connection->request_data(wire::Type::read_rows, Json::object(), 100ms, kClock, sink);
  REQUIRE_FALSE(done);
  CHECK(done.error().kind == ErrorKind::timeout);
}

TEST_CASE("input is cut into frames that carry their offsets") {
  std::string received;
  std::vector<std::uint64_t> offsets;
  {
    FakeHolder holder([&](int caller) {
      wire::FrameDecoder decoder(1 << 20);
      while (received.size() < 200'000) {
        const std::string payload = await(caller, decoder, wire::Type::input);
        if (payload.empty()) return;
        offsets.push_back(wire::get_u64(payload, 0));
        received += payload.substr(wire::kInputPrefixBytes);
      }
    });
    auto connection = Connection::open(holder.path());
    connection->queue_input(std::string(150'000, 'a'));
    connection->queue_input(std::string(50'000, 'b'));
    while (connection->unsent() > 0) {
      REQUIRE(connection->flush());
      wait_ready(connection->fd(), Until::readable_or_writable, kClock.now() + 1ms, kClock);
    }
  }
  CHECK(received == std::string(150'000, 'a') + std::string(50'000, 'b'));
  CHECK(offsets == std::vector<std::uint64_t>{0, 65536, 131072, 150'000});
}

TEST_CASE("no socket is told from a socket where nobody listens") {
  CHECK(Connection::open("/tmp/holdfast-test-none/s").error().kind == ErrorKind::not_found);
}
