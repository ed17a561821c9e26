// How the processes of one session find their descriptors: one binary, a hidden verb, fixed numbers.
//
//   hold new ── vfork, twice ── launcher, which becomes KEEPER by exec after it has started the program
//   KEEPER ── starts HOLDER (again after a crash)        HOLDER ── starts VTD (again after a crash)
//
// Every process is executed anew through the descriptor of the binary that the session was started with, so a session
// keeps its code when the file on disk is replaced, and no process carries the memory of the one that started it.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

namespace holdfast::roles {

// argv[0]. Keeper and holder have the session's id, its name (for `ps`) and the pid of the program behind it.
inline constexpr const char* kKeeperVerb = "hold-keeper";
inline constexpr const char* kHolderVerb = "hold-holder";
inline constexpr const char* kVtdVerb = "hold-vtd";

// Standard input, output and error are /dev/null in all three. Keeper and holder:
inline constexpr int kBinaryFd = 3;      // the executable, opened O_RDONLY
inline constexpr int kMasterFd = 4;      // PTY master, non-blocking
inline constexpr int kListenerFd = 5;    // the listening socket, non-blocking
inline constexpr int kRingFd = 6;        // memfd of the output ring (base/ring.h)
inline constexpr int kSessionDirFd = 7;  // the session's directory
inline constexpr int kLockFd = 8;        // flock(2)ed for life; shared by keeper and holder
inline constexpr int kProgramFd = 9;     // pidfd of the program
inline constexpr int kPeerFd = 10;       // holder only: SEQPACKET socket to the keeper
inline constexpr const char* kLogName = "holder.log";  // in the session's directory
inline constexpr int kKeeperFdEnd = 11;  // close_range from here on

// The holder's log as the holder reaches it, wherever its directory is.
inline std::string log_path() { return "/proc/self/fd/" + std::to_string(kSessionDirFd) + "/" + kLogName; }

// VTD: kBinaryFd and
inline constexpr int kVtdSocketFd = 4;  // SEQPACKET socket to the holder (wire/vtd.h)
inline constexpr int kVtdRingFd = 5;    // the ring, opened read-only
inline constexpr int kVtdFdEnd = 6;

// Keeper to holder, one packet each. The only thing the keeper ever says.
struct KeeperNote {
  enum Kind : std::uint32_t { program_ended = 1, holder_restarted = 2 };
  std::uint32_t kind;
  std::int32_t wait_status;  // program_ended: as waitpid(2) gives it
  std::int64_t wall_ms;      // when
  std::int32_t restarts;     // holder_restarted: how many holders came before
  std::int32_t last_status;  // holder_restarted: wait status of the last one
};

// Holder to keeper, one packet with one descriptor each (SCM_RIGHTS): what has taken the place of the keeper's duplicate
// of that number, because a directory was removed from outside. The keeper takes them when it is signalled, and at the
// latest before it starts another holder (a signal that comes just before it waits is lost); until then they live in the
// socket, so a lock stays held.
struct HolderNote {
  std::int32_t number;  // kListenerFd, kSessionDirFd or kLockFd
};

// To a holder: your socket or record seems to be gone, look after them. Blocked by every holder that can take it. To a
// keeper, from its holder: notes wait.
inline constexpr int kSummonsSignal = SIGUSR1;

// A holder that exits with this code has finished its session: the keeper ends too. Any other end is a crash.
inline constexpr int kHolderFinished = 0;

}  // namespace holdfast::roles
