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
// More than any file of ours holds, bytes: who expects a large one says so.
inline constexpr std::size_t kFileBytesMax = 16u << 20;
// The whole of a file, at most `max` bytes (error above it).
Result<std::string> read_file(const std::string& path, std::size_t max = kFileBytesMax);
Result<std::string> read_file_at(int directory, const std::string& name, std::size_t max = kFileBytesMax);

enum class Durable { no, yes };
// Writes name.tmp.<pid>.<n> in `directory`, fsyncs if asked, renames over `name` (mode 0600), fsyncs the directory if
// asked. On any error the old file stands as it was and no temporary file is left.
Result<> replace_file_at(int directory, const std::string& name, std::string_view bytes, Durable durable);

Result<std::pair<Fd, Fd>> socket_pair(int type);  // AF_UNIX, CLOEXEC; type may carry SOCK_NONBLOCK
Result<Fd> memory_file(const char* name);         // memfd, CLOEXEC
enum class Blocking { no, yes };
Result<> set_blocking(int fd, Blocking blocking);

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

// Makes missing components with mode 0700 and returns the last one, opened O_RDONLY|O_DIRECTORY. The last one must be a
// real directory (no link), ours and not writable by others; one that others may read is made private (0700).
// Of the components before it, those behind a directory that everybody may write to (/tmp) must be real directories of
// ours or root's. Error kind refused: a component is not so.
Result<Fd> open_private_directory(const std::string& path);

// Connections that wait to be accepted: more attach at once than people do.
inline constexpr int kListenBacklog = 128;
// Binds (mode 0600) or connects a non-blocking SOCK_STREAM socket; works for paths longer than sun_path by going
// through /proc/self/fd/<directory>. Kinds of connect_unix's errors: not_found (no such file), ended (nobody listens
// any more), timeout (the listener's queue is full), failed.
Result<Fd> listen_unix_at(int directory, const std::string& name, int backlog);
Result<Fd> connect_unix(const std::string& path);
// Whether its error says that nobody is there to be reached: no file, or nobody listens any more.
bool is_unserved(const Error& error);

// Every signal back to its default action, and none blocked: what a process leaves to the one it becomes. Does nothing
// that a child may not do between fork and exec.
void reset_signals();

}  // namespace holdfast::sys
