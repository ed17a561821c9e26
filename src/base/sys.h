// Checked wrappers of the system calls we use: EINTR handled, errors as values that say what was attempted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

namespace holdfast::sys {

// Descriptors made here are always CLOEXEC.
Result<Fd> open_file(const std::string& path, int flags, unsigned mode = 0);
Result<Fd> open_at(int directory, const std::string& name, int flags, unsigned mode = 0);
// The whole of a file, at most `max` bytes (error above it).
Result<std::string> read_file(const std::string& path, std::size_t max = 16u << 20);
Result<std::string> read_file_at(int directory, const std::string& name, std::size_t max = 16u << 20);

enum class Durable { no, yes };
// Writes name.tmp.<pid> in `directory`, fsyncs if asked, renames over `name` (mode 0600), fsyncs the directory if asked.
// On any error the old file stands as it was and no temporary file is left.
Result<> replace_file_at(int directory, const std::string& name, std::string_view bytes, Durable durable);

Result<std::pair<Fd, Fd>> socket_pair(int type);  // AF_UNIX, CLOEXEC; type may carry SOCK_NONBLOCK
Result<Fd> memory_file(const char* name);         // memfd, CLOEXEC
Result<> set_nonblocking(int fd, bool on);
Result<> set_cloexec(int fd, bool on);

// Writes all of it to a blocking descriptor.
Result<> write_all(int fd, std::string_view bytes);

// One message over a SEQPACKET or STREAM socket with at most one descriptor attached (SCM_RIGHTS).
// send: false means the socket is full (EAGAIN). receive: nullopt means nothing there (EAGAIN); zero bytes mean end.
Result<bool> send_with_fd(int socket, std::string_view bytes, int fd);
struct Received {
  std::size_t bytes = 0;
  Fd fd;
};
Result<std::optional<Received>> receive_with_fd(int socket, std::span<char> into);

// The uid of the peer of a unix socket (SO_PEERCRED).
Result<std::uint32_t> peer_uid(int socket);

// mkdir -p for one component at a time with mode 0700; existing ones must be directories (not links), ours and not
// writable by others. Returns the directory opened O_PATH-free (O_RDONLY|O_DIRECTORY).
Result<Fd> open_private_directory(const std::string& path);

// Binds or connects a SOCK_STREAM socket at directory/name; works for paths longer than sun_path by going
// through /proc/self/fd/<directory>.
Result<Fd> listen_unix_at(int directory, const std::string& name, int backlog);
Result<Fd> connect_unix(const std::string& path, bool nonblocking);

}  // namespace holdfast::sys
