#include "client/tty.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "client/terminal_guard.h"

namespace holdfast::client {

namespace {

constexpr int kOpenFlags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;

// The device a terminal descriptor really is, also when it was opened as /dev/tty.
std::optional<unsigned> device_of(int fd) {
  unsigned device = 0;
  if (::ioctl(fd, TIOCGDEV, &device) == 0) return device;
  struct stat info{};
  if (::fstat(fd, &info) != 0) return std::nullopt;
  return static_cast<unsigned>(info.st_rdev);
}

std::string name_of(int fd) {
  char name[256];
  return ::ttyname_r(fd, name, sizeof name) == 0 ? std::string(name) : std::string();
}

}  // namespace

Result<Tty> Tty::open() {
  if (::isatty(STDIN_FILENO) == 0) {
    return fail(ErrorKind::usage, "attach", "standard input is not a terminal", "run it in a terminal");
  }
  const auto device = device_of(STDIN_FILENO);
  const std::string name = name_of(STDIN_FILENO);
  int error_number = ENOTTY;
  // /dev/tty: also when the device belongs to the user that we came from (su). /proc: also when its path lies outside
  // what we can see (a container's terminal).
  for (const std::string& path : {name, std::string("/dev/tty"), std::string("/proc/self/fd/0")}) {
    if (path.empty()) continue;
    Fd fd(::open(path.c_str(), kOpenFlags));
    if (!fd) {
      error_number = errno;
      continue;
    }
    if (::isatty(fd.get()) == 1 && device_of(fd.get()) == device)
      return Tty(std::move(fd), name.empty() ? "terminal" : name);
  }
  return fail_errno("open the terminal " + name, error_number,
                    "log in as yourself instead of with su, or use: script -c 'hold …'");
}

Tty::~Tty() {
  if (fd_) restore(Unread::keep);
}

Result<> Tty::hold_keys() { return take_input(Output::cooked); }

Result<> Tty::make_raw() { return take_input(Output::raw); }

Result<> Tty::take_input(Output output) {
  if (!before_) {
    termios found{};
    if (::tcgetattr(fd(), &found) != 0) return fail_errno("read the terminal's settings", errno);
    before_ = found;
    terminal_guard::arm(fd(), *before_);
  }
  termios now = *before_;
  ::cfmakeraw(&now);
  if (output == Output::cooked) now.c_oflag = before_->c_oflag;
  now.c_cc[VMIN] = 1;
  now.c_cc[VTIME] = 0;
  if (::tcsetattr(fd(), TCSANOW, &now) != 0) return fail_errno("switch the terminal to raw", errno);
  return {};
}

void Tty::set_undo(std::string_view bytes) {
  if (before_) terminal_guard::set_undo(bytes);
}

void Tty::restore(Unread unread) {
  if (!before_) return;
  if (unread == Unread::discard) ::tcflush(fd(), TCIFLUSH);
  ::tcsetattr(fd(), TCSANOW, &*before_);
  before_.reset();
  terminal_guard::disarm();
}

wire::TermSize Tty::size() const {
  wire::TermSize size;
  winsize ws{};
  if (::ioctl(fd(), TIOCGWINSZ, &ws) != 0) return size;
  if (ws.ws_col != 0 && ws.ws_row != 0) {
    size.cols = std::min(ws.ws_col, limits::kColsMax);
    size.rows = std::min(ws.ws_row, limits::kRowsMax);
  }
  size.xpixel = ws.ws_xpixel;
  size.ypixel = ws.ws_ypixel;
  return size;
}

std::optional<std::size_t> Tty::read(std::span<char> into) {
  for (;;) {
    const ssize_t n = ::read(fd(), into.data(), into.size());
    if (n > 0) return static_cast<std::size_t>(n);
    if (n == 0) return std::nullopt;
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    return std::nullopt;
  }
}

std::optional<std::size_t> Tty::write(std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n = ::write(fd(), bytes.data() + written, bytes.size() - written);
    if (n > 0) {
      written += static_cast<std::size_t>(n);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    return std::nullopt;
  }
  return written;
}

bool Tty::write_until(std::string_view bytes, Instant deadline, const Clock& clock) {
  for (;;) {
    const auto written = write(bytes);
    if (!written) return false;
    bytes.remove_prefix(*written);
    if (bytes.empty()) return true;
    const Duration left = deadline - clock.now();
    if (left <= Duration::zero()) return false;
    pollfd item{fd(), POLLOUT, 0};
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    if (::poll(&item, 1, static_cast<int>(ms)) < 0 && errno != EINTR) return false;
  }
}

}  // namespace holdfast::client
