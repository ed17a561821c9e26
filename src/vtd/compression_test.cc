#include "vtd/compression.h"

#include <doctest/doctest.h>

#include <random>

using namespace holdfast;
using namespace holdfast::vtd;

namespace {

std::string compressed(std::string_view bytes, std::size_t piece) {
  std::string out;
  Compressor compressor([&](std::string_view part) -> Result<> {
    out += part;
    return {};
  });
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    REQUIRE(compressor.add(bytes.substr(0, piece)).has_value());
  }
  REQUIRE(compressor.finish().has_value());
  return out;
}

std::string noise(std::size_t bytes) {
  std::mt19937 dice(1);
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(dice());
  return text;
}

}  // namespace

TEST_CASE("what is compressed in pieces of any size comes back, and text takes less") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "line " + std::to_string(i) + " of a long build\n";
  for (const std::string& bytes : {std::string(), std::string("x"), text, noise(300'000)}) {
    for (const std::size_t piece : {std::size_t{1000}, std::size_t{70'000}, bytes.size() + 1}) {
      CHECK(decompress(compressed(bytes, piece), bytes.size()).value() == bytes);
    }
  }
  CHECK(compressed(text, 4096).size() < text.size() / 5);
}

TEST_CASE("a frame that holds more than it may is refused, however small it is") {
  const std::string bomb = compressed(std::string(64u << 20, '\0'), 1u << 20);
  CHECK(bomb.size() < 10'000);
  const auto refused = decompress(bomb, (64u << 20) - 1);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().problem == "it holds more than a checkpoint may");
  CHECK(decompress(bomb, 64u << 20));
}

TEST_CASE("a frame that is cut short, damaged, followed by something or none at all is refused") {
  const std::string whole = compressed(noise(100'000) + std::string(100'000, 'x'), 4096);
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 3) CHECK_FALSE(decompress(whole.substr(0, size), 1u << 20));
  CHECK_FALSE(decompress(whole.substr(0, whole.size() - 1), 1u << 20));
  CHECK_FALSE(decompress(whole + "x", 1u << 20));
  for (std::size_t at = 0; at < whole.size(); at += 997) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const auto result = decompress(damaged, 1u << 20);
    CHECK_FALSE(result);
  }
  CHECK_FALSE(decompress(noise(1000), 1u << 20));
  // Two empty ones of the format's own: one that may look back 8 MiB, one that wants 16.
  CHECK(decompress(std::string("\x28\xb5\x2f\xfd\x00\x68\x01\x00\x00", 9), 1u << 20).value().empty());
  CHECK_FALSE(decompress(std::string("\x28\xb5\x2f\xfd\x00\x70\x01\x00\x00", 9), 1u << 20));
}

TEST_CASE("an error of who takes the pieces is given back, now and later") {
  int calls = 0;
  Compressor compressor([&](std::string_view) -> Result<> {
    ++calls;
    return fail(ErrorKind::failed, "write", "no room");
  });
  const std::string much = noise(1u << 20);
  CHECK_FALSE(compressor.add(much));
  CHECK_FALSE(compressor.add("x"));
  CHECK_FALSE(compressor.finish());
  CHECK(calls == 1);
}
