#include "holder/input_queue.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "base/limits.h"
#include "base/sys.h"

using namespace holdfast;
using namespace holdfast::holder;

namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    CHECK(::pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
    out.reset(ends[0]);
    in.reset(ends[1]);
  }
  std::string read() {
    std::string bytes(1u << 16, '\0');
    const auto n = ::read(out.get(), bytes.data(), bytes.size());
    bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return bytes;
  }
  Fd out, in;
};

}  // namespace

TEST_CASE("bytes go in in order, as much as the terminal takes, and the rest waits") {
  Pipe pipe;
  InputQueue queue;
  std::string all, back;
  for (int i = 0; i < 100'000; ++i) all += std::to_string(i) + ",";
  queue.push(all);
  while (!queue.empty()) {
    CHECK(queue.flush(pipe.in.get()));
    back += pipe.read();
  }
  back += pipe.read();
  CHECK(back == all);
}

TEST_CASE("answers are dropped when the program does not read, typed bytes are not") {
  InputQueue queue;
  queue.push_reply("answer");
  CHECK(queue.size() == 6);
  queue.push(std::string(5000, 't'));
  queue.push_reply("late");
  CHECK(queue.size() == 5006);
}

TEST_CASE("a full queue has room again once half of it is gone") {
  Pipe pipe;
  InputQueue queue;
  queue.push(std::string(limits::kInputQueueBytes - 1, 't'));
  CHECK_FALSE(queue.is_full());
  queue.push("t");
  CHECK(queue.is_full());
  while (queue.size() >= limits::kInputQueueBytes / 2) {
    CHECK_FALSE(queue.has_room());
    queue.flush(pipe.in.get());
    pipe.read();
  }
  CHECK(queue.has_room());
}

TEST_CASE("a terminal that is gone empties the queue") {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  pipe.out.reset();
  InputQueue queue;
  queue.push("x");
  CHECK_FALSE(queue.flush(pipe.in.get()));
  CHECK(queue.empty());
}
