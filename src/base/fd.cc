#include "base/fd.h"

#include <unistd.h>

namespace holdfast {

void Fd::reset(int fd) {
  // EINTR is not retried: Linux has closed the descriptor by then, and a second close could hit somebody else's.
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

}  // namespace holdfast
