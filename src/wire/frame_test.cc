#include "wire/frame.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "base/limits.h"
#include "base/text.h"

using namespace holdfast;
using namespace holdfast::wire;

namespace {

// The numbers on the wire (docs/protocol.md). A row is never changed or removed.
const std::map<Type, int> kNumbers{
    {Type::hello, 1},     {Type::attach, 2},  {Type::detach, 3},   {Type::take_size, 4}, {Type::input, 5},
    {Type::resize, 6},    {Type::output, 7},  {Type::snapshot, 8}, {Type::info, 9},      {Type::subscribe, 10},
    {Type::event, 11},    {Type::hook, 12},   {Type::set_meta, 13}, {Type::read_rows, 14}, {Type::rename, 15},
    {Type::replay, 16},   {Type::signal, 17}, {Type::kill, 18},    {Type::error, 19},    {Type::ok, 20},
    {Type::data, 21},     {Type::remove, 22},   {Type::terminal, 23},
};

}  // namespace

TEST_CASE("every type keeps its number") {
  for (const auto& [type, number] : kNumbers) CHECK(static_cast<int>(type) == number);
  CHECK(kNumbers.size() == 23);
}

TEST_CASE("frames with a binary prefix are the golden bytes of docs/protocol.md") {
  CHECK(hex(output_header(0x0102, 0x0105, 3) + "abc") == "1300000007" "0201000000000000" "0501000000000000" "616263");
  CHECK(hex(snapshot_header(7, Phase::screen, kLast | kRebuilt, 1) + "x") == "0d00000008" "0700000000000000" "02030000" "78");
  CHECK(hex(data_header(9, Last::yes, 2) + "hi") == "0b00000015" "0900000000000000" "01" "6869");
  CHECK(hex(encode_input(1, "q")) == "0900000005" "0100000000000000" "71");
  CHECK(static_cast<int>(Phase::history) == 1);
  CHECK(static_cast<int>(Phase::view) == 3);
  CHECK(static_cast<int>(Phase::undo) == 4);
}

TEST_CASE("what stands in front of raw bytes is read back, and nothing is read from what is cut short") {
  const auto payload = [](const std::string& frame) { return frame.substr(kFrameHeaderBytes); };
  const std::string output = payload(output_header(258, 261, 3) + "abc");
  CHECK(decode_output(output)->start == 258);
  CHECK(decode_output(output)->end == 261);
  CHECK(decode_output(output)->bytes == "abc");
  CHECK_FALSE(decode_output(payload(output_header(261, 258, 0))));
  const std::string snapshot = payload(snapshot_header(7, Phase::screen, kLast | kRebuilt, 1) + "x");
  CHECK(decode_snapshot(snapshot)->offset == 7);
  CHECK(decode_snapshot(snapshot)->phase == Phase::screen);
  CHECK(decode_snapshot(snapshot)->flags == (kLast | kRebuilt));
  CHECK(decode_snapshot(snapshot)->bytes == "x");
  const std::string data = payload(data_header(9, Last::yes, 2) + "hi");
  CHECK(decode_data(data)->request == 9);
  CHECK(decode_data(data)->last == Last::yes);
  CHECK(decode_data(data)->bytes == "hi");
  CHECK(decode_data(payload(data_header(9, Last::no, 0)))->last == Last::no);
  for (std::size_t bytes = 0; bytes < kDataPrefixBytes; ++bytes) CHECK_FALSE(decode_data(data.substr(0, bytes)));
  for (std::size_t bytes = 0; bytes < kOutputPrefixBytes; ++bytes) CHECK_FALSE(decode_output(output.substr(0, bytes)));
  for (std::size_t bytes = 0; bytes < kSnapshotPrefixBytes; ++bytes) {
    CHECK_FALSE(decode_snapshot(snapshot.substr(0, bytes)));
  }
}

TEST_CASE("frames come out whole however the stream is cut") {
  std::string stream;
  for (int i = 0; i < 50; ++i) stream += encode(Type::event, std::string(static_cast<std::size_t>(i * 7), 'e'));
  for (const std::size_t step : {1u, 2u, 3u, 7u, 64u, 5000u}) {
    FrameDecoder decoder(limits::kFrameBytesMax);
    int frames = 0;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      decoder.push(std::string_view(stream).substr(at, step));
      while (true) {
        const auto frame = decoder.next();
        REQUIRE(frame.has_value());
        if (!*frame) break;
        CHECK((*frame)->type == Type::event);
        CHECK((*frame)->payload == std::string(static_cast<std::size_t>(frames * 7), 'e'));
        ++frames;
      }
    }
    CHECK(frames == 50);
    CHECK_FALSE(decoder.mid_frame());
  }
}

TEST_CASE("reading straight into the decoder gives the same frames") {
  const std::string stream = encode(Type::output, std::string(300'000, 'o')) + encode(Type::ok, "{}");
  FrameDecoder decoder(limits::kFrameBytesMax);
  std::size_t at = 0, frames = 0;
  while (at < stream.size()) {
    const auto space = decoder.space();
    REQUIRE(space.size() >= 2u << 10);
    const std::size_t n = std::min(space.size(), stream.size() - at);
    std::copy_n(stream.data() + at, n, space.data());
    at += n;
    decoder.filled(n);
    for (auto frame = decoder.next(); frame && *frame; frame = decoder.next()) ++frames;
  }
  CHECK(frames == 2);
}

TEST_CASE("little is asked of a peer that says little, and soon 64 KiB at a time of one that says much") {
  FrameDecoder decoder(limits::kFrameBytesMax);
  const auto read = [&](std::size_t payload) {
    const std::string frame = encode(Type::output, std::string(payload, 'o'));
    std::size_t at = 0, reads = 0;
    for (; at < frame.size(); ++reads) {
      const auto space = decoder.space();
      const std::size_t n = std::min(space.size(), frame.size() - at);
      std::copy_n(frame.data() + at, n, space.data());
      at += n;
      decoder.filled(n);
      REQUIRE(decoder.next().has_value());
    }
    return reads;
  };
  CHECK(read(100) == 1);
  CHECK(decoder.space().size() < 8u << 10);
  CHECK(read(100'000) < 4);
  CHECK(read(100'000) < 3);
  CHECK(decoder.space().size() >= 64u << 10);
}

TEST_CASE("a frame above the limit is an error, one at the limit is not") {
  FrameDecoder decoder(10);
  decoder.push(encode(Type::ok, "0123456789"));
  CHECK(decoder.next().value().has_value());
  decoder.push(frame_header(Type::ok, 11));
  const auto frame = decoder.next();
  REQUIRE_FALSE(frame.has_value());
  CHECK(frame.error().problem.find("11 bytes") != std::string::npos);
}

TEST_CASE("an unknown type is a frame like any other") {
  FrameDecoder decoder(100);
  decoder.push(encode(static_cast<Type>(200), "later") + encode(Type::ok, "{}"));
  CHECK(static_cast<int>(decoder.next().value()->type) == 200);
  CHECK(decoder.next().value()->type == Type::ok);
}

TEST_CASE("integers are little-endian") {
  std::string out;
  put_u16(out, 0x0102);
  put_u32(out, 0x03040506);
  put_u64(out, 0x0708090a0b0c0d0e);
  CHECK(hex(out) == "020106050403" "0e0d0c0b0a090807");
  CHECK(get_u16(out, 0) == 0x0102);
  CHECK(get_u32(out, 2) == 0x03040506);
  CHECK(get_u64(out, 6) == 0x0708090a0b0c0d0e);
}
