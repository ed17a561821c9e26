// What runs inside a session under test.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <random>

#include "mxb.h"

namespace mxb {
namespace {

constexpr std::size_t kChunk = 65536;  // of one write

void put(const char* bytes, std::size_t n) {
  while (n > 0) {
    const ssize_t k = write(1, bytes, n);
    if (k < 0 && errno != EINTR && errno != EAGAIN) _exit(3);
    if (k > 0) bytes += k, n -= static_cast<std::size_t>(k);
  }
}
void put(std::string_view text) { put(text.data(), text.size()); }

class Line {  // to the driver
 public:
  explicit Line(int fd) : fd_(fd) {}
  void tell(const std::string& text) {
    const std::string bytes = text + "\n";
    (void)!write(fd_, bytes.data(), bytes.size());
  }
  std::string hear() {  // ends the program when the driver is gone
    std::string text;
    char c;
    while (read(fd_, &c, 1) == 1) {
      if (c == '\n') return text;
      text += c;
    }
    std::exit(0);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

int idle(Line& driver) {
  driver.tell("ready");
  while (driver.hear() != "exit") {
  }
  return 0;
}

int flood(Line& driver, const std::string& block) {
  const std::int64_t total = number_option("bytes", 64 << 20);
  driver.tell("ready");
  for (;;) {
    const std::string word = driver.hear();
    if (word == "exit") return 0;
    if (word != "go") continue;
    const std::int64_t began = now();
    std::int64_t left = total;
    for (std::size_t at = 0; left > 0;) {
      const std::size_t n = std::min({kChunk, static_cast<std::size_t>(left), block.size() - at});
      put(block.data() + at, n);
      left -= static_cast<std::int64_t>(n);
      at = at + n == block.size() ? 0 : at + n;
    }
    put("\033[0m\033[?2026l\r\n");
    put(kMark);
    driver.tell("done " + std::to_string(began) + " " + std::to_string(now()) + " " + std::to_string(total));
  }
}

// Floods from "go" until the driver is gone.
int flood_for_ever(Line& driver, const std::string& block) {
  driver.tell("ready");
  while (driver.hear() != "go") {
  }
  fcntl(driver.fd(), F_SETFL, O_NONBLOCK);
  char c;
  for (;;)
    for (std::size_t at = 0; at < block.size(); at += kChunk) {
      put(block.data() + at, std::min(kChunk, block.size() - at));
      if (read(driver.fd(), &c, 1) == 0) return 0;
    }
}

int echo(Line& driver) {
  driver.tell("ready");
  pollfd p[2] = {{0, POLLIN, 0}, {driver.fd(), POLLIN, 0}};
  char bytes[256];
  for (;;) {
    poll(p, 2, -1);
    if (p[1].revents != 0) return 0;
    if (p[0].revents == 0) continue;
    const ssize_t n = read(0, bytes, sizeof bytes);
    if (n <= 0) return 0;
    put(bytes, static_cast<std::size_t>(n));
  }
}

class Text {
 public:
  explicit Text(bool coloured) : coloured_(coloured) {}
  std::string line() {
    constexpr int kWidth = 118, kRun = 12;
    if (!coloured_) return plain(kWidth);
    std::string out;
    for (int at = 0; at < kWidth; at += kRun) {
      out += "\033[38;2";
      for (int i = 0; i < 3; ++i) out += ";" + std::to_string(random_() % 256);
      out += "m" + plain(std::min(kRun, kWidth - at));
    }
    return out + "\033[0m";
  }

 private:
  std::string plain(int width) {
    std::string out;
    for (int i = 0; i < width; ++i) {
      const int k = static_cast<int>(random_() % 70);
      out += static_cast<char>(k > 61 ? ' ' : k < 26 ? 'a' + k : k < 52 ? 'A' + k - 26 : '0' + k - 52);
    }
    return out;
  }
  bool coloured_;
  std::mt19937 random_{7};
};

volatile sig_atomic_t winch_seen = 0;

// --lines of history, then a full screen that ends in the mark; with --winch it repaints on SIGWINCH, for peers that
// leave the screen to the program.
int fill(Line& driver) {
  Text text(text_option("style") == "sgr");
  std::string out, screen;
  for (std::int64_t i = number_option("lines", 0); i > 0; --i) {
    out += text.line() + "\r\n";
    if (out.size() > kChunk) put(out), out.clear();
  }
  for (int i = 1; i < kRows; ++i) screen += text.line() + "\r\n";
  screen += kMark;
  put(out + screen);
  if (flag("winch")) {
    struct sigaction action{};
    action.sa_handler = [](int) { winch_seen = 1; };
    sigaction(SIGWINCH, &action, nullptr);
  }
  driver.tell("ready");
  driver.tell("done");
  pollfd p{driver.fd(), POLLIN, 0};
  for (;;) {
    if (poll(&p, 1, -1) > 0) return 0;
    if (winch_seen != 0) winch_seen = 0, put("\033[H\033[2J" + screen);
  }
}

}  // namespace

int run_program(const std::string& mode) {
  const std::int64_t started = now();
  signal(SIGHUP, SIG_DFL);
  const int fd = connect_control(text_option("ctl"));
  if (fd < 0) return 1;
  Line driver(fd);
  driver.tell("hello " + std::to_string(getpid()) + " " + std::to_string(started));
  make_raw(0);
  if (mode == "idle") return idle(driver);
  if (mode == "echo") return echo(driver);
  if (mode == "fill") return fill(driver);
  const std::string block = workload(text_option("kind", "ascii"), 8 << 20);
  if (mode == "flood") return flood(driver, block);
  if (mode == "floodforever") return flood_for_ever(driver, block);
  return 2;
}

}  // namespace mxb
