#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/ring.h"
#include "base/roles.h"
#include "base/sys.h"
#include "keeper/fake_holder.h"
#include "keeper/keeper.h"

namespace holdfast::keeper {
namespace {

void wait_readable(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  ::poll(&waiting, 1, -1);
}

std::string open_files() {
  std::vector<int> numbers;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    numbers.push_back(std::stoi(entry.path().filename()));
  std::sort(numbers.begin(), numbers.end());
  std::string text;
  for (const int number : numbers) text += std::to_string(number) + " ";
  return text;
}

std::string next_output() {
  wait_readable(roles::kMasterFd);
  char bytes[4096];
  const ssize_t n = ::read(roles::kMasterFd, bytes, sizeof bytes);
  return n > 0 ? std::string(bytes, static_cast<std::size_t>(n)) : "end";
}

std::string next_note() {
  wait_readable(roles::kPeerFd);
  roles::KeeperNote note{};
  if (::read(roles::kPeerFd, &note, sizeof note) != sizeof note) return "keeper gone";
  return std::to_string(note.kind) + " " + std::to_string(note.wait_status) + " " + std::to_string(note.restarts) +
         " " + std::to_string(note.last_status) + (note.wall_ms > 1'700'000'000'000 ? "" : " timeless");
}

std::string first_size() {
  std::string text;
  const auto ring = RingView::map(roles::kRingFd);
  if (ring)
    ring->each_resize([&](const RingResize& r) {
      text += std::to_string(r.cols) + "x" + std::to_string(r.rows) + "@" + std::to_string(r.offset);
    });
  return text;
}

std::string relock() {
  ::unlinkat(roles::kSessionDirFd, "lock", 0);
  const Fd lock(::openat(roles::kSessionDirFd, "lock", O_RDWR | O_CREAT, 0600));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return "cannot lock";
  ::dup2(lock.get(), roles::kLockFd);
  const roles::HolderNote note{roles::kLockFd};
  const std::string_view bytes(reinterpret_cast<const char*>(&note), sizeof note);
  return sys::send_with_fd(roles::kPeerFd, bytes, lock.get()).has_value() ? "done" : "cannot send";
}

// The first says "1", each one after the one that the holder was started with says one more.
std::string aside() {
  std::array<char, 16> text{};
  const auto n = ::pread(roles::kCheckpointFd, text.data(), text.size(), 0);
  return n > 0 ? std::string(text.data(), static_cast<std::size_t>(n)) : "0";
}

std::string put_aside() {
  const Fd checkpoint = sys::memory_file("checkpoint").value();
  if (!sys::write_all(checkpoint.get(), std::to_string(std::stoi(aside()) + 1))) return "cannot write";
  const roles::HolderNote note{roles::kCheckpointFd};
  const std::string_view bytes(reinterpret_cast<const char*>(&note), sizeof note);
  return sys::send_with_fd(roles::kPeerFd, bytes, checkpoint.get()).has_value() ? "done" : "cannot send";
}

std::string obey(char command, char** argv) {
  switch (command) {
    case kSayPid:
      return std::to_string(::getpid());
    case kSayKeeper:
      return std::to_string(::getppid());
    case kSayProgram:
      return argv[3];
    case kSayFiles:
      return open_files();
    case kSayOutput:
      return next_output();
    case kSayRing:
      return first_size();
    case kSayNote:
      return next_note();
    case kRelock:
      return relock();
    case kPutAside:
      return put_aside();
    case kSayAside:
      return aside();
    case kFinish:
      ::_exit(roles::kHolderFinished);
    case kCrash:
      ::_exit(3);
    default:
      return "?";
  }
}

[[noreturn]] void run_fake_holder(char** argv) {
  for (;;) {
    wait_readable(roles::kListenerFd);
    const Fd client(::accept4(roles::kListenerFd, nullptr, nullptr, SOCK_CLOEXEC));
    char command;
    while (client && ::read(client.get(), &command, 1) == 1) {
      const std::string answer = obey(command, argv) + "\n";
      if (::send(client.get(), answer.data(), answer.size(), MSG_NOSIGNAL) < 0) break;
    }
  }
}

// Before main, because main is the tests'.
__attribute__((constructor)) void choose_role(int argc, char** argv, char**) {
  const std::string verb = argc > 0 ? argv[0] : "";
  if (verb == roles::kKeeperVerb) ::_exit(keeper_main(argc, argv));
  if (verb == roles::kHolderVerb) run_fake_holder(argv);
}

}  // namespace
}  // namespace holdfast::keeper
