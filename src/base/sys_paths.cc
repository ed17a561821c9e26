// The part of sys.h about directories that must be private, and sockets that lie in them.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/sys.h"

namespace holdfast::sys {
namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY;

bool others_may_write(const struct stat& info) { return (info.st_mode & 0002) != 0; }

std::unexpected<Error> refuse(const std::string& path, std::string problem) {
  return fail(ErrorKind::refused, "use the directory " + path, std::move(problem),
              "move it away, or choose another place with HOLDFAST_RUNTIME_DIR or XDG_STATE_HOME");
}

// Root is sent to the owner: what it made here, the owner could not use any more.
std::unexpected<Error> refuse_foreign(const std::string& path, const std::string& name, unsigned owner) {
  auto error = refuse(path, "'" + name + "' belongs to another user");
  if (::geteuid() == 0) error.error().advice = "run hold as that user: sudo -u '#" + std::to_string(owner) + "' hold …";
  return error;
}

// The way down a path, a step a component. Behind a directory that everybody may write to (/tmp) anybody may have put
// what we find there: from then on only our own and root's real directories will do.
class Descent {
 public:
  explicit Descent(std::string path) : path_(std::move(path)) {}

  Result<> begin() {
    at_ = TRY(open_file(path_.starts_with('/') ? "/" : ".", kDirectoryFlags));
    return note_exposure("/");
  }

  Result<> step(const std::string& name) {
    if (::mkdirat(at_.get(), name.c_str(), 0700) != 0 && errno != EEXIST) {
      return fail_errno("make the directory " + path_, errno);
    }
    const int nofollow = exposed_ ? O_NOFOLLOW : 0;
    Fd next(::openat(at_.get(), name.c_str(), kDirectoryFlags | nofollow | O_CLOEXEC));
    if (!next && exposed_ && (errno == ELOOP || errno == ENOTDIR)) {
      return refuse(path_, "'" + name + "' in it is a link or a file, which somebody else may have put there");
    }
    if (!next) return fail_errno("open the directory " + path_, errno);
    at_ = std::move(next);
    return note_exposure(name);
  }

  // The last component: a real directory, ours, private.
  Result<Fd> last(const std::string& name) {
    exposed_ = true;
    TRY(step(name));
    struct stat info{};
    if (::fstat(at_.get(), &info) != 0) return fail_errno("look at " + path_, errno);
    if (info.st_uid != ::geteuid()) return refuse_foreign(path_, name, info.st_uid);
    if ((info.st_mode & 0022) != 0) return refuse(path_, "other users may write to it");
    // Ours, but open to readers: what stands in it is not for them.
    if ((info.st_mode & 0077) != 0 && ::fchmod(at_.get(), 0700) != 0)
      return fail_errno("make " + path_ + " private", errno);
    return std::move(at_);
  }

 private:
  Result<> note_exposure(const std::string& name) {
    struct stat info{};
    if (::fstat(at_.get(), &info) != 0) return fail_errno("look at the directories of " + path_, errno);
    if (exposed_ && info.st_uid != ::geteuid() && info.st_uid != 0) {
      return refuse_foreign(path_, name, info.st_uid);
    }
    exposed_ = exposed_ || others_may_write(info);
    return {};
  }

  std::string path_;
  Fd at_;
  bool exposed_ = false;
};

// The next component of `rest`, taken off it; empty at the end.
std::string take_component(std::string_view& rest) {
  while (rest.starts_with('/')) rest.remove_prefix(1);
  const std::size_t end = std::min(rest.find('/'), rest.size());
  std::string name(rest.substr(0, end));
  rest.remove_prefix(end);
  return name;
}

Result<sockaddr_un> address_of(const std::string& path, const std::string& attempted) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return fail(ErrorKind::failed, attempted, "the path " + path + " is too long for a socket",
                "set HOLDFAST_RUNTIME_DIR to a shorter directory");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

std::string through_descriptor(int directory, const std::string& name) {
  return "/proc/self/fd/" + std::to_string(directory) + "/" + name;
}

std::unexpected<Error> connect_failed(const std::string& path, int error_number) {
  const std::string attempted = "connect to " + path;
  switch (error_number) {
    case ENOENT:
      return fail(ErrorKind::not_found, attempted, "no socket is there");
    case ECONNREFUSED:
      return fail(ErrorKind::ended, attempted, "nobody listens there any more");
    case EAGAIN:
      return fail(ErrorKind::timeout, attempted, "too many callers wait already", "try again in a moment");
    default:
      return fail_errno(attempted, error_number);
  }
}

}  // namespace

Result<Fd> open_private_directory(const std::string& path) {
  Descent descent(path);
  TRY(descent.begin());
  std::string_view rest = path;
  std::string name = take_component(rest);
  if (name.empty()) return refuse(path, "it is no private directory");
  for (;;) {
    std::string next = take_component(rest);
    if (next.empty()) return descent.last(name);
    TRY(descent.step(name));
    name = std::move(next);
  }
}

Result<Fd> listen_unix_at(int directory, const std::string& name, int backlog) {
  const std::string attempted = "listen at the socket " + name;
  const sockaddr_un address = TRY(address_of(through_descriptor(directory, name), attempted));
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return fail_errno("make a socket", errno);
  // Before bind, so that the file never has another mode.
  if (::fchmod(socket.get(), 0600) != 0) return fail_errno("make a socket private", errno);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return fail_errno(attempted, errno, errno == EADDRINUSE ? "another session has it; try again" : "");
  }
  if (::listen(socket.get(), backlog) != 0) {
    const int error_number = errno;
    ::unlinkat(directory, name.c_str(), 0);
    return fail_errno(attempted, error_number);
  }
  return socket;
}

bool is_unserved(const Error& error) {
  return error.kind == ErrorKind::not_found || error.kind == ErrorKind::ended;
}

Result<Fd> connect_unix(const std::string& path) {
  std::string usable = path;
  Fd directory;
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    const std::size_t slash = path.rfind('/');
    if (slash != std::string::npos) {
      Fd opened(::open(path.substr(0, slash + 1).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (!opened) return connect_failed(path, errno);
      directory = std::move(opened);
      usable = through_descriptor(directory.get(), path.substr(slash + 1));
    }
  }
  const sockaddr_un address = TRY(address_of(usable, "connect to " + path));
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return fail_errno("make a socket", errno);
  int result;
  do {
    result = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } while (result != 0 && errno == EINTR);
  if (result != 0) return connect_failed(path, errno);
  return socket;
}

}  // namespace holdfast::sys
