#include "pty/pty.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::pty {
namespace {

constexpr const char* kAttempt = "open a pseudo-terminal";

winsize to_winsize(const Size& size) { return {size.rows, size.cols, size.xpixel, size.ypixel}; }

// Through the master: it speaks for the slave, which nobody has opened yet.
Result<> adjust_line(int master, const termios* model) {
  termios line{};
  if (::tcgetattr(master, &line) != 0) return fail_errno("read the settings of a pseudo-terminal", errno);
  line.c_iflag |= IUTF8;  // so that erase takes a character, not a byte
  if (model != nullptr && model->c_cc[VERASE] != _POSIX_VDISABLE) line.c_cc[VERASE] = model->c_cc[VERASE];
  if (::tcsetattr(master, TCSANOW, &line) != 0) return fail_errno("set up a pseudo-terminal", errno);
  return {};
}

}  // namespace

Result<Pty> open(const Size& size, const termios* model) {
  Pty pty;
  pty.master.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!pty.master) {
    return fail_errno(kAttempt, errno,
                      errno == ENOSPC ? "all are in use: end some sessions, or raise kernel.pty.max" : "");
  }
  char name[64];
  if (::grantpt(pty.master.get()) != 0 || ::unlockpt(pty.master.get()) != 0 ||
      ::ptsname_r(pty.master.get(), name, sizeof name) != 0) {
    return fail_errno(kAttempt, errno);
  }
  pty.slave = name;
  TRY(adjust_line(pty.master.get(), model));
  TRY(set_size(pty.master.get(), size));
  return pty;
}

Result<> set_size(int master, const Size& size) {
  const winsize window = to_winsize(size);
  if (::ioctl(master, TIOCSWINSZ, &window) != 0) return fail_errno("set the size of a terminal", errno);
  return {};
}

Result<Size> get_size(int fd) {
  winsize window{};
  if (::ioctl(fd, TIOCGWINSZ, &window) != 0) return fail_errno("ask for the size of a terminal", errno);
  return Size{window.ws_col, window.ws_row, window.ws_xpixel, window.ws_ypixel};
}

std::optional<pid_t> foreground_group(int master) {
  const pid_t group = ::tcgetpgrp(master);
  if (group <= 0) return std::nullopt;
  return group;
}

}  // namespace holdfast::pty
