#include "holder/output.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/limits.h"
#include "base/sys.h"

using namespace holdfast;
using namespace holdfast::holder;

namespace {

// A ring with some bytes, and a socket whose other end reads frames.
struct Bench {
  explicit Bench(int socket_bytes = 0) {
    memory = RingWriter::create_memfd(limits::kRingBytes).value();
    ring.emplace(RingWriter::map(memory.get()).value());
    auto pair = sys::socket_pair(SOCK_STREAM | SOCK_NONBLOCK).value();
    ours = std::move(pair.first);
    theirs = std::move(pair.second);
    if (socket_bytes > 0) ::setsockopt(ours.get(), SOL_SOCKET, SO_SNDBUF, &socket_bytes, sizeof socket_bytes);
  }
  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto space = ring->reserve(bytes.size());
      std::copy_n(bytes.data(), space.size(), space.data());
      ring->commit(space.size());
      bytes.remove_prefix(space.size());
    }
  }
  Source source() const { return {*ring, edits, ring->head()}; }
  Output::Pumped pump() { return output.pump(ours.get(), source()).state; }

  std::string read_some(std::size_t most = 1u << 20) {
    std::string bytes(most, '\0');
    const auto n = ::recv(theirs.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return bytes;
  }
  // Everything until nothing moves any more, as "type:payload" without the offsets of output.
  std::string drain() {
    std::string out;
    for (;;) {
      const auto state = pump();
      const std::string bytes = read_some();
      decoder.push(bytes);
      for (auto frame = decoder.next(); frame && *frame; frame = decoder.next()) {
        switch ((*frame)->type) {
          case wire::Type::output: out += (*frame)->payload.substr(wire::kOutputPrefixBytes); break;
          case wire::Type::snapshot:
            out += "<" + std::to_string((*frame)->payload[8]) + ":" + std::string((*frame)->payload.substr(12)) + ">";
            break;
          case wire::Type::data: out += "{" + std::string((*frame)->payload.substr(9)) + "}"; break;
          default: out += "[" + std::string((*frame)->payload) + "]";
        }
      }
      if (bytes.empty() && state == Output::Pumped::idle) return out;
    }
  }
  Picture picture(std::string_view bytes, std::uint64_t offset, std::uint64_t screen_at = 0) {
    Picture p;
    p.file = sys::memory_file("test").value();
    CHECK(sys::write_all(p.file.get(), bytes).has_value());
    p.size = bytes.size();
    p.offset = offset;
    p.screen_at = screen_at;
    return p;
  }
  void live(std::uint64_t offset) {
    output.wait_for_restore(offset);
    output.give(picture("", offset));
  }

  Fd memory, ours, theirs;
  std::optional<RingWriter> ring;
  EditList edits;
  Output output;
  wire::FrameDecoder decoder{limits::kFrameBytesMax};
};

std::string event(std::string_view text) { return wire::encode(wire::Type::event, text); }

}  // namespace

TEST_CASE("nothing live goes out before the restore, and then from its offset on") {
  Bench bench;
  bench.write("0123456789");
  bench.output.wait_for_restore(4);
  bench.output.control(event("ok"));
  CHECK(bench.drain() == "[ok]");
  bench.output.give(bench.picture("HIST|screen", 4, 5));
  CHECK(bench.drain() == "<1:HIST|><2:screen>456789");
  CHECK(bench.output.position() == 10);
}

TEST_CASE("control frames go out at their place between live bytes") {
  Bench bench;
  bench.live(0);
  bench.write("abcdef");
  bench.output.control(event("mid"), 3);
  bench.output.control(event("end"), 6);
  CHECK(bench.drain() == "<2:>abc[mid]def[end]");
}

TEST_CASE("rewrites are made on the way out, also when the socket takes a few bytes at a time") {
  Bench bench(1);
  bench.live(0);
  std::string program, drawn;
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t at = program.size();
    program += "\033]133;A\aprompt\033]7501;?\a";
    drawn += "\033]133;A;redraw=0\aprompt";
    bench.edits.add({at, at + 7, Rewrite::redraw});
    bench.edits.add({at + 14, at + 23, Rewrite::status_query});
  }
  bench.write(program);
  CHECK(bench.drain() == "<2:>" + drawn);
}

TEST_CASE("live bytes cross the end of the ring's memory") {
  Bench bench;
  bench.write(std::string(limits::kRingBytes - 3, 'x'));
  bench.live(limits::kRingBytes - 3);
  bench.write("abcdef");
  CHECK(bench.drain() == "<2:>abcdef");
}

TEST_CASE("a dropped backlog finishes the frame that was begun, byte for byte, and nothing of the rest") {
  Bench bench(1);
  bench.live(0);
  const std::string bytes(200'000, 'b');
  bench.write(bytes);
  CHECK(bench.pump() == Output::Pumped::blocked);
  const std::uint64_t begun = bench.output.position();
  CHECK(begun < bytes.size());
  bench.output.drop_backlog(bench.source());
  CHECK(bench.output.stream() == Output::Stream::stalled);
  CHECK_FALSE(bench.output.needs_from().has_value());
  bench.write(std::string(limits::kRingBytes, 'o'));  // the ring no longer has the frame's bytes
  bench.output.control(event("resync"));
  CHECK(bench.drain() == "<2:>" + std::string(begun, 'b') + "[resync]");
}

TEST_CASE("a frame that was begun needs its ring bytes") {
  Bench bench(1);
  bench.live(0);
  bench.write(std::string(200'000, 'b'));
  CHECK(bench.pump() == Output::Pumped::blocked);
  CHECK(bench.output.needs_from().value() < bench.output.position());
}

TEST_CASE("an undo comes behind everything that was drawn, and nothing behind it") {
  Bench bench;
  bench.live(0);
  CHECK(bench.drain() == "<2:>");
  bench.write("drawn");
  bench.output.stop_live_at(5);
  Picture undo = bench.picture("undo", 5);
  undo.kind = Picture::Kind::undo;
  bench.output.give(std::move(undo));
  bench.write("later");
  CHECK(bench.drain() == "drawn<4:undo>");
  CHECK(bench.output.stream() == Output::Stream::off);
}

TEST_CASE("long answers come in pieces, the last one marked") {
  Bench bench;
  const std::string bytes(150'000, 'r');
  bench.output.answer(7, std::move(bench.picture(bytes, 0).file), bytes.size());
  std::string all;
  int frames = 0, last = 0;
  while (bench.pump() == Output::Pumped::blocked || !bench.output.is_drained() || frames == 0) {
    bench.decoder.push(bench.read_some());
    for (auto frame = bench.decoder.next(); frame && *frame; frame = bench.decoder.next()) {
      CHECK(wire::get_u64((*frame)->payload, 0) == 7);
      last += (*frame)->payload[8];
      all += (*frame)->payload.substr(9);
      ++frames;
    }
  }
  CHECK(all.size() == bytes.size());
  CHECK(frames == 3);
  CHECK(last == 1);
}

TEST_CASE("an empty answer is one empty piece") {
  Bench bench;
  bench.output.answer(7, std::move(bench.picture("", 0).file), 0);
  CHECK(bench.drain() == "{}");
}

TEST_CASE("a client that takes no control frames is given up") {
  Bench bench(1);
  for (int i = 0; i < 300; ++i) bench.output.control(event(std::string(10'000, 'e')));
  CHECK(bench.pump() == Output::Pumped::broken);
}

TEST_CASE("a client that is gone is noticed without a signal") {
  Bench bench;
  bench.theirs.reset();
  bench.output.control(event("x"));
  CHECK(bench.pump() == Output::Pumped::broken);
}

TEST_CASE("a picture shorter than announced closes the client instead of lying to it") {
  Bench bench;
  Picture picture = bench.picture("short", 0);
  picture.size = 100;
  bench.output.wait_for_restore(0);
  bench.output.give(std::move(picture));
  CHECK(bench.pump() == Output::Pumped::broken);
}
