#include "base/sys.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace holdfast::sys {
namespace {

template <typename Call>
auto retried(Call call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

std::string sized(std::size_t bytes) { return std::to_string(bytes) + " bytes"; }

// Everything of an open file, named `what` in errors.
Result<std::string> read_all(int fd, std::size_t max, const std::string& what) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return fail_errno("read " + what, errno);
  if (S_ISDIR(info.st_mode)) return fail(ErrorKind::failed, "read " + what, "it is a directory");
  std::string text;
  // The size is a hint: files of /proc say 0.
  std::size_t step = std::min(max, static_cast<std::size_t>(info.st_size > 0 ? info.st_size : 4095)) + 1;
  for (;;) {
    const std::size_t had = text.size();
    text.resize(had + step);
    const ssize_t n = retried([&] { return ::read(fd, text.data() + had, step); });
    if (n < 0) return fail_errno("read " + what, errno);
    text.resize(had + static_cast<std::size_t>(n));
    if (text.size() > max) return fail(ErrorKind::failed, "read " + what, "it is larger than " + sized(max));
    // The whole of the file, and less than was asked for: there is no more to come.
    const bool is_all = text.size() == static_cast<std::size_t>(info.st_size) && static_cast<std::size_t>(n) < step;
    if (n == 0 || is_all) return text;
    step = std::min<std::size_t>(std::max<std::size_t>(text.size(), 4096), max - text.size() + 1);
  }
}

Result<> write_and_rename(int directory, const std::string& temporary, const std::string& name, std::string_view bytes,
                          Durable durable) {
  {
    const Fd file = TRY(open_at(directory, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600));
    TRY(write_all(file.get(), bytes));
    if (durable == Durable::yes && ::fsync(file.get()) != 0)
      return fail_errno("write " + temporary + " to disk", errno);
  }
  if (::renameat(directory, temporary.c_str(), directory, name.c_str()) != 0) {
    return fail_errno("rename " + temporary + " to " + name, errno);
  }
  return {};
}

}  // namespace

Result<Fd> open_file(const std::string& path, int flags, unsigned mode) { return open_at(AT_FDCWD, path, flags, mode); }

Result<Fd> open_at(int directory, const std::string& name, int flags, unsigned mode) {
  Fd fd(retried([&] { return ::openat(directory, name.c_str(), flags | O_CLOEXEC, mode); }));
  if (!fd) return fail_errno("open " + name, errno);
  return fd;
}

Result<std::string> read_file(const std::string& path, std::size_t max) { return read_file_at(AT_FDCWD, path, max); }

Result<std::string> read_file_at(int directory, const std::string& name, std::size_t max) {
  const Fd file = TRY(open_at(directory, name, O_RDONLY | O_NOCTTY));
  return read_all(file.get(), max, name);
}

Result<> replace_file_at(int directory, const std::string& name, std::string_view bytes, Durable durable) {
  // Numbered, so that two threads that replace one file do not write into each other's.
  static std::atomic<unsigned> count{0};
  const std::string temporary = name + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(count++);
  if (auto written = write_and_rename(directory, temporary, name, bytes, durable); !written) {
    ::unlinkat(directory, temporary.c_str(), 0);
    Error error = std::move(written).error();
    error.attempted = "write " + name;
    return std::unexpected(std::move(error));
  }
  if (durable == Durable::yes && ::fsync(directory) != 0)
    return fail_errno("write the directory of " + name + " to disk", errno);
  return {};
}

Result<std::pair<Fd, Fd>> socket_pair(int type) {
  int ends[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return fail_errno("make a socket pair", errno);
  return std::pair(Fd(ends[0]), Fd(ends[1]));
}

Result<Fd> memory_file(const char* name) {
  Fd fd(::memfd_create(name, MFD_CLOEXEC));
  if (!fd) return fail_errno(std::string("make the memory file ") + name, errno);
  return fd;
}

Result<> set_blocking(int fd, Blocking blocking) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return fail_errno("read a descriptor's flags", errno);
  const int wanted = blocking == Blocking::no ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (wanted != flags && ::fcntl(fd, F_SETFL, wanted) != 0) return fail_errno("set a descriptor's flags", errno);
  return {};
}

Result<> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = retried([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (n < 0) return fail_errno("write", errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<bool> send_with_fd(int socket, std::string_view bytes, int fd) {
  iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    __builtin_memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  const ssize_t n = retried([&] { return ::sendmsg(socket, &message, MSG_NOSIGNAL); });
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (n < 0) return fail_errno("send a message", errno);
  if (static_cast<std::size_t>(n) != bytes.size())
    return fail(ErrorKind::failed, "send a message", "only a part was taken");
  return true;
}

Result<std::optional<Received>> receive_with_fd(int socket, std::span<char> into) {
  iovec piece{into.data(), into.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t n = retried([&] { return ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC); });
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::optional<Received>();
  // A peer that died with our bytes unread resets the connection; for the reader that is its end.
  if (n < 0 && errno == ECONNRESET) return Received{};
  if (n < 0) return fail_errno("receive a message", errno);

  Received received;
  received.bytes = static_cast<std::size_t>(n);
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd;
      __builtin_memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
      received.fd.reset(fd);  // more than one: the last counts, the others are closed
    }
  }
  if ((message.msg_flags & MSG_TRUNC) != 0) {
    return fail(ErrorKind::failed, "receive a message", "it is larger than " + sized(into.size()));
  }
  return received;
}

Result<std::uint32_t> peer_uid(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return fail_errno("ask who the peer is", errno);
  return peer.uid;
}

void reset_signals() {
  // By the bare system call: glibc keeps two numbers to itself and will not reset them, though its own posix_spawn(3)
  // leaves them ignored in what it starts. All zeros is SIG_DFL, no flags, an empty mask.
  const std::array<std::uint64_t, 4> default_action{};
  constexpr std::size_t kMaskBytes = 8;
  for (int number = 1; number < NSIG; ++number) {
    ::syscall(SYS_rt_sigaction, number, default_action.data(), nullptr, kMaskBytes);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace holdfast::sys
