#include "base/fd.h"

#include <doctest/doctest.h>
#include <fcntl.h>

namespace holdfast {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }
Fd any_descriptor() { return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

TEST_CASE("a descriptor is closed once, by its last owner") {
  int number;
  {
    Fd first = any_descriptor();
    number = first.get();
    Fd second = std::move(first);
    CHECK_FALSE(first);  // NOLINT(bugprone-use-after-move): that it is empty is the point
    CHECK(is_open(number));
  }
  CHECK_FALSE(is_open(number));
}

TEST_CASE("assigning over a descriptor closes the old one; a released one stays open") {
  Fd fd = any_descriptor();
  const int old = fd.get();
  Fd other = any_descriptor();
  const int kept = other.get();
  fd = std::move(other);
  CHECK_FALSE(is_open(old));
  CHECK(fd.release() == kept);
  CHECK(is_open(kept));
  const Fd owner(kept);
}

}  // namespace holdfast
