// Pseudo-terminals: opening, sizes, who is in the foreground.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace holdfast::pty {

struct Size {
  std::uint16_t cols = 80, rows = 24, xpixel = 0, ypixel = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

struct Pty {
  Fd master;          // non-blocking
  std::string slave;  // path
};

// Opens a pair with this size. The line settings are sane defaults (UTF-8, echo, ICANON), with the erase character of
// `model` (the creating terminal's settings) if given.
Result<Pty> open(const Size& size, const termios* model);

Result<> set_size(int master, const Size& size);
Result<Size> get_size(int fd);
// The foreground process group of the terminal, if any.
std::optional<pid_t> foreground_group(int master);

}  // namespace holdfast::pty
