#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>

#include "mxb.h"

namespace mxb {

namespace {
std::map<std::string, std::string> options;
std::vector<std::string> trailing;
const std::set<std::string> kFlags{"raw", "winch", "hold", "preattach"};

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}
}  // namespace

std::int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

void pause_ns(std::int64_t ns) {
  timespec t{ns / 1'000'000'000, ns % 1'000'000'000};
  while (nanosleep(&t, &t) != 0 && errno == EINTR) {
  }
}

void die(const char* what) {
  std::fprintf(stderr, "mxb: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

void Options::parse(int argc, char** argv, int first) {
  for (int i = first; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--") {
      trailing.assign(argv + i + 1, argv + argc);
      return;
    }
    if (word.rfind("--", 0) != 0) {
      std::fprintf(stderr, "mxb: not an option: %s\n", word.c_str());
      std::exit(2);
    }
    word.erase(0, 2);
    options[word] = kFlags.count(word) != 0 || i + 1 >= argc ? "1" : argv[++i];
  }
}

std::string text_option(const char* key, const char* fallback) {
  const auto found = options.find(key);
  return found == options.end() ? fallback : found->second;
}
std::int64_t number_option(const char* key, std::int64_t fallback) {
  const auto found = options.find(key);
  return found == options.end() ? fallback : std::atoll(found->second.c_str());
}
bool flag(const char* key) { return options.count(key) != 0; }
std::vector<std::string>& words() { return trailing; }

void make_raw(int fd) {
  termios settings;
  if (tcgetattr(fd, &settings) != 0) return;
  cfmakeraw(&settings);
  tcsetattr(fd, TCSANOW, &settings);
}

Control::Control(const std::string& path) {
  unlink(path.c_str());
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(path);
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || listen(listener_, 64) != 0)
    die("listen on the control socket");
}

bool Control::accept_program(std::int64_t timeout_ms) {
  pollfd p{listener_, POLLIN, 0};
  if (poll(&p, 1, static_cast<int>(timeout_ms)) <= 0) return false;
  fd_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  return fd_ >= 0;
}

std::string Control::line(std::int64_t timeout_ms) {
  const std::int64_t end = now() + timeout_ms * kMs;
  for (;;) {
    if (const std::size_t at = buffer_.find('\n'); at != std::string::npos) {
      std::string text = buffer_.substr(0, at);
      buffer_.erase(0, at + 1);
      return text;
    }
    const std::int64_t left = (end - now()) / kMs;
    if (left < 0) return "";
    pollfd p{fd_, POLLIN, 0};
    const int ready = poll(&p, 1, static_cast<int>(left + 1));
    if (ready < 0 && errno != EINTR) return "EOF";
    if (ready <= 0) continue;
    char bytes[512];
    const ssize_t n = read(fd_, bytes, sizeof bytes);
    if (n <= 0) return "EOF";
    buffer_.append(bytes, static_cast<std::size_t>(n));
  }
}

bool Control::wait_for(std::string_view word, std::int64_t timeout_ms) {
  for (;;) {
    const std::string text = line(timeout_ms);
    if (text.rfind(word, 0) == 0) return true;
    if (text.empty() || text == "EOF") return false;
  }
}

void Control::send(const std::string& text) {
  const std::string bytes = text + "\n";
  (void)!write(fd_, bytes.data(), bytes.size());
}

int connect_control(const std::string& path) {
  constexpr int kTries = 20'000;  // a millisecond each
  const sockaddr_un address = address_of(path);
  for (int i = 0; i < kTries; ++i) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
    close(fd);
    pause_ns(kMs);
  }
  return -1;
}

namespace {

void append_utf8(std::string& out, unsigned c) {
  const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) return put(0xc0 | c >> 6), put(0x80 | (c & 63));
  if (c < 0x10000) return put(0xe0 | c >> 12), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
  put(0xf0 | c >> 18), put(0x80 | (c >> 12 & 63)), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
}

class Maker {
 public:
  // Dense lines of 100 to 119 printable columns.
  void ascii_line() {
    for (int n = 100 + below(20); n > 0; --n) {
      const int c = below(94 + 12);
      text += c >= 94 ? ' ' : static_cast<char>(33 + c);
    }
    text += "\r\n";
  }

  // A repaint of the whole screen as a full-screen program does it: a truecolour run every 4 to 12 cells.
  void truecolour_frame() {
    text += "\033[?2026h\033[H";
    for (int row = 1; row <= kRows; ++row) {
      text += "\033[" + std::to_string(row) + ";1H";
      for (int col = 0; col < kCols;) {
        const int n = std::min(kCols - col, 4 + below(9));
        text += below(3) != 0 ? "\033[38;2" + colour() + "m" : "\033[1;38;2" + colour() + ";48;2" + colour() + "m";
        for (int i = 0; i < n; ++i) text += static_cast<char>(33 + below(94));
        col += n;
      }
      text += "\033[0m";
    }
    text += "\033[?2026l";
  }

  // Accents, Cyrillic, wide CJK, emoji, combining marks, box drawing.
  void utf8_line() {
    const int limit = 90 + below(25);
    for (int col = 0; col < limit;) {
      switch (below(8)) {
        case 0:
          col += several(6, 0xc0, 63);
          break;
        case 1:
          col += several(6, 0x410, 64);
          break;
        case 2:
        case 3:
          col += 2 * several(5, 0x4e00, 0x4000);
          break;
        case 4:
          col += 2 * several(1, 0x1f600, 60) + 1, text += ' ';
          break;
        case 5:
          several(1, 'a', 26), append_utf8(text, 0x301), col += 1 + several(1, 'a', 26);
          break;
        case 6:
          col += several(6, 0x2500, 128);
          break;
        default:
          col += several(6, 'a', 26) + 1, text += ' ';
      }
    }
    text += "\r\n";
  }

  std::string text;

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string colour() {
    std::string out;
    for (int i = 0; i < 3; ++i) out += ";" + std::to_string(below(256));
    return out;
  }
  int several(int count, unsigned first, int range) {
    for (int i = 0; i < count; ++i) append_utf8(text, first + static_cast<unsigned>(below(range)));
    return count;
  }
  std::mt19937 random_{12345};
};

}  // namespace

std::string workload(const std::string& kind, std::size_t bytes) {
  Maker maker;
  maker.text.reserve(bytes + 65536);
  while (maker.text.size() < bytes) {
    if (kind == "ascii")
      maker.ascii_line();
    else if (kind == "sgr")
      maker.truecolour_frame();
    else if (kind == "unicode")
      maker.utf8_line();
    else
      die("unknown --kind");
  }
  return std::move(maker.text);
}

}  // namespace mxb

int main(int argc, char** argv) {
  using namespace mxb;
  const std::string part = argc > 1 ? argv[1] : "";
  const bool has_mode = part == "prog";
  if (has_mode && argc < 3) return 2;
  Options::parse(argc, argv, has_mode ? 3 : 2);
  if (has_mode) return run_program(argv[2]);
  if (part == "relayd") return run_relay_server();
  if (part == "relay-attach") return run_relay_client();
  signal(SIGPIPE, SIG_IGN);
  if (part == "tp") return run_throughput();
  if (part == "echo") return run_echo();
  if (part == "attach") return run_attach();
  if (part == "life") return run_life();
  if (part == "timecmd") return run_time_command();
  if (part == "hold") return run_hold();
  if (part == "micro") return run_micro();
  std::fprintf(stderr, "usage: mxb prog|tp|echo|attach|life|timecmd|hold|relayd|relay-attach|micro …\n");
  return 2;
}
