#include "pty/pty.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace holdfast::pty {
namespace {

termios line_of(int fd) {
  termios line{};
  REQUIRE(::tcgetattr(fd, &line) == 0);
  return line;
}

}  // namespace

TEST_CASE("a new pair has its size, UTF-8, and the settings a login expects") {
  const Pty pty = open({132, 43, 1320, 860}, nullptr).value();
  const Fd slave(::open(pty.slave.c_str(), O_RDWR | O_NOCTTY));
  REQUIRE(slave);
  CHECK(*get_size(slave.get()) == Size{132, 43, 1320, 860});
  const termios line = line_of(slave.get());
  CHECK((line.c_iflag & IUTF8) != 0);
  CHECK((line.c_iflag & ICRNL) != 0);
  CHECK((line.c_oflag & ONLCR) != 0);
  CHECK((line.c_lflag & (ECHO | ICANON | ISIG)) == (ECHO | ICANON | ISIG));
  CHECK(line.c_cc[VERASE] == 0x7F);
}

TEST_CASE("the erase character is that of the creating terminal, if it has one") {
  termios model{};
  model.c_cc[VERASE] = 0x08;
  CHECK(line_of(open({}, &model)->master.get()).c_cc[VERASE] == 0x08);
  model.c_cc[VERASE] = _POSIX_VDISABLE;
  CHECK(line_of(open({}, &model)->master.get()).c_cc[VERASE] == 0x7F);
}

TEST_CASE("the master does not block and is not inherited") {
  const Pty pty = open({}, nullptr).value();
  CHECK((::fcntl(pty.master.get(), F_GETFL) & O_NONBLOCK) != 0);
  CHECK((::fcntl(pty.master.get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("a size set at the master is seen at the slave") {
  const Pty pty = open({80, 24, 0, 0}, nullptr).value();
  const Fd slave(::open(pty.slave.c_str(), O_RDWR | O_NOCTTY));
  REQUIRE(set_size(pty.master.get(), {100, 30, 0, 1}));
  CHECK(*get_size(slave.get()) == Size{100, 30, 0, 1});
  CHECK(*get_size(pty.master.get()) == Size{100, 30, 0, 1});
  const Fd null(::open("/dev/null", O_RDWR));
  CHECK_FALSE(set_size(null.get(), {}));
  CHECK_FALSE(get_size(null.get()));
}

TEST_CASE("a terminal of nobody has no foreground group") {
  CHECK_FALSE(foreground_group(open({}, nullptr)->master.get()));
}

}  // namespace holdfast::pty
