#include "base/ring.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/sys.h"

namespace holdfast {
namespace {

struct RingFixture {
  Fd memfd = RingWriter::create_memfd(8192).value();
  RingWriter writer = RingWriter::map(memfd.get()).value();
  RingView view = RingView::map(memfd.get()).value();

  void put(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::span<char> room = writer.reserve(bytes.size());
      std::memcpy(room.data(), bytes.data(), room.size());
      writer.commit(room.size());
      bytes.remove_prefix(room.size());
    }
  }
  std::string read(std::uint64_t from, std::uint64_t to) const {
    const RingSlice slice = view.slice(from, to);
    return std::string(slice.first.begin(), slice.first.end()) + std::string(slice.second.begin(), slice.second.end());
  }
  std::vector<RingResize> resizes() const {
    std::vector<RingResize> all;
    view.each_resize([&](const RingResize& r) { all.push_back(r); });
    return all;
  }
};

char byte_at(std::uint64_t offset) { return static_cast<char>(offset * 7 + offset / 251); }

}  // namespace

TEST_CASE_FIXTURE(RingFixture, "what the writer commits, every reader finds at its offset") {
  put("hello ");
  put("world");
  CHECK(view.head() == 11);
  CHECK(view.oldest() == 0);
  CHECK(read(0, 11) == "hello world");
  CHECK(read(6, 6).empty());
}

TEST_CASE_FIXTURE(RingFixture, "reserved bytes are not readable before they are committed") {
  const std::span<char> room = writer.reserve(100);
  CHECK(room.size() == 100);
  room[0] = 'x';
  CHECK(view.head() == 0);
  writer.commit(1);
  CHECK(read(0, 1) == "x");
}

TEST_CASE_FIXTURE(RingFixture, "the last capacity bytes stay, whatever the sizes of the writes") {
  std::uint64_t at = 0;
  for (std::size_t size = 1; at < 50'000; size = size * 5 % 3001 + 1) {
    std::string piece;
    for (std::size_t i = 0; i < size; ++i) piece += byte_at(at + i);
    put(piece);
    at += size;
    REQUIRE(view.head() == at);
    const std::uint64_t oldest = at > 8192 ? at - 8192 : 0;
    REQUIRE(view.oldest() == oldest);
    const std::string kept = read(oldest, at);
    for (std::size_t i = 0; i < kept.size(); ++i) REQUIRE(kept[i] == byte_at(oldest + i));
  }
}

TEST_CASE_FIXTURE(RingFixture, "a slice over the end of the memory comes in two spans") {
  put(std::string(8190, 'a'));
  put("bcde");
  const RingSlice slice = view.slice(8189, 8194);
  CHECK(slice.first.size() == 3);
  CHECK(slice.second.size() == 2);
  CHECK(read(8189, 8194) == "abcde");
}

TEST_CASE_FIXTURE(RingFixture, "a new writer goes on where a dead one stopped") {
  put("before");
  {
    const RingWriter dead = std::move(writer);
  }
  writer = RingWriter::map(memfd.get()).value();
  put(" after");
  CHECK(read(0, 12) == "before after");
}

TEST_CASE_FIXTURE(RingFixture, "resizes come back oldest first, and the last ones stay") {
  for (std::uint16_t i = 1; i <= 250; ++i) writer.log_resize({i * 10u, i, 24, 0, 0});
  const auto all = resizes();
  REQUIRE(all.size() == RingHeader::kResizesMax);
  CHECK(all.front().cols == 51);
  CHECK(all.back().cols == 250);
  CHECK(all.back().offset == 2500);
}

TEST_CASE_FIXTURE(RingFixture, "nobody can cut the ring under a reader, and a reader opened read-only cannot write") {
  CHECK(::ftruncate(memfd.get(), 4096) != 0);
  const Fd read_only = sys::open_file("/proc/self/fd/" + std::to_string(memfd.get()), O_RDONLY).value();
  CHECK(RingView::map(read_only.get()));
  CHECK_FALSE(RingWriter::map(read_only.get()));
}

TEST_CASE("a file that is no ring is refused") {
  const Fd file = sys::memory_file("test").value();
  CHECK_FALSE(RingView::map(file.get()));
  REQUIRE(::ftruncate(file.get(), 16384) == 0);
  const auto refused = RingView::map(file.get());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() == "cannot map the output ring: the file is not a ring of this version");
}

TEST_CASE("what a ring forgets is given back to the system, the rest can be read, and writing goes on") {
  constexpr std::size_t kBytes = 1u << 20, kKept = 64u << 10;
  const Fd memfd = RingWriter::create_memfd(kBytes).value();
  RingWriter ring = RingWriter::map(memfd.get()).value();
  const auto byte_at = [](std::uint64_t offset) { return static_cast<char>('a' + offset % 23); };
  const auto put = [&](std::size_t count) {
    while (count > 0) {
      const auto space = ring.reserve(std::min<std::size_t>(count, 4000));
      for (std::size_t i = 0; i < space.size(); ++i) space[i] = byte_at(ring.head() + i);
      ring.commit(space.size());
      count -= space.size();
    }
  };
  const auto check_kept = [&] {
    const RingSlice slice = ring.slice(ring.oldest(), ring.head());
    std::uint64_t at = ring.oldest();
    for (const auto& part : {slice.first, slice.second}) {
      for (const char c : part) REQUIRE(c == byte_at(at++));
    }
  };
  const auto memory = [&] {
    struct stat info{};
    REQUIRE(::fstat(memfd.get(), &info) == 0);
    return static_cast<std::size_t>(info.st_blocks) * 512;
  };
  put(100);
  ring.forget_before(0);
  CHECK(ring.oldest() == 0);
  // Kept in the middle of the memory, around its end, and at its very end.
  for (const std::size_t more : {3 * kBytes + 300'000, kBytes + 760'000, std::size_t{30'000}, 4 * kBytes - 41'476}) {
    put(more);
    CHECK(memory() > kBytes / 2);
    const std::uint64_t head = ring.head();
    ring.forget_before(head - kKept);
    CHECK(ring.oldest() == head - kKept);
    CHECK(memory() <= kKept + 3 * RingHeader::kBytes);
    check_kept();
    put(kBytes / 2);
    check_kept();
    put(kBytes);
    CHECK(ring.oldest() == ring.head() - kBytes);
    check_kept();
  }
  ring.forget_before(ring.head());
  CHECK(memory() <= 2 * RingHeader::kBytes);
  ring.forget_before(1);
  CHECK(ring.oldest() == ring.head());
}

TEST_CASE_FIXTURE(RingFixture, "a ring says what the checkpoint beside it covers, also to the next holder") {
  CHECK(view.checkpoint().resizes == 0);
  put("text");
  writer.log_resize({4, 80, 24, 0, 0});
  writer.log_checkpoint(4, true);
  writer.log_resize({4, 81, 24, 0, 0});
  CHECK(view.checkpoint().offset == 4);
  CHECK(view.checkpoint().resizes == 1);
  CHECK(view.checkpoint().exact == 1);
  CHECK(view.resizes_logged() == 2);
}

TEST_CASE("a ring takes no memory before it is written") {
  const Fd memfd = RingWriter::create_memfd(8u << 20).value();
  struct stat info{};
  REQUIRE(::fstat(memfd.get(), &info) == 0);
  CHECK(info.st_blocks * 512 <= 4096);
}

}  // namespace holdfast
