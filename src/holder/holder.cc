#include "holder/holder.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/roles.h"
#include "base/sys.h"
#include "holder/session.h"
#include "holder/system_host.h"

namespace holdfast::holder {
namespace {

// A session's record cannot be read: it goes on without what the record alone knows. Its environment, which is that of
// the one who started it, says where its socket has to be.
store::Manifest stand_in_manifest(const std::string& id, const std::string& name) {
  store::NewSession known;
  known.id = id;
  known.name = name;
  known.socket = paths::socket_dir() + "/" + paths::socket_name(id);
  known.history_rows = limits::kHistoryRowsDefault;
  known.history_bytes = limits::kHistoryBytesDefault;
  return store::new_manifest(known);
}

// Before any descriptor of our own takes the number.
Fd inherited_checkpoint() {
  Fd checkpoint(::fcntl(roles::kCheckpointFd, F_DUPFD_CLOEXEC, roles::kKeeperFdEnd));
  if (checkpoint) ::close(roles::kCheckpointFd);
  return checkpoint;
}

Result<> serve(char** argv, pid_t program, Fd checkpoint) {
  const std::string id = argv[1], name = argv[2];
  auto manifest = store::Manifest::read_from(roles::kSessionDirFd);
  if (!manifest) log::error(manifest.error().message());
  if (!manifest) manifest = stand_in_manifest(id, name);

  const SystemClock clock;
  const auto poller = TRY(loop::make_epoll_poller());
  loop::Loop loop(*poller, clock);
  const auto host = TRY(SystemHost::create({id, name, manifest->socket(), ::getppid(), program}));
  auto ring = TRY(RingWriter::map(roles::kRingFd));
  Session session(loop, clock, *host, std::move(ring), std::move(*manifest),
                  {.master = roles::kMasterFd,
                   .listener = roles::kListenerFd,
                   .keeper = roles::kPeerFd,
                   .program = roles::kProgramFd,
                   .program_pid = program,
                   .own_pid = ::getpid(),
                   .uid = ::geteuid()},
                  std::move(checkpoint));
  // Before the session looks after its places for the first time: a summons that comes meanwhile is not lost.
  TRY(loop.on_signal(roles::kSummonsSignal, [&session] { session.take_summons(); }));
  TRY(session.begin());
  loop.run();
  return {};
}

}  // namespace

int holder_main(int argc, char** argv) {
  if (argc != 4) return 2;
  Fd checkpoint = inherited_checkpoint();
  ::prctl(PR_SET_NAME, roles::kHolderVerb);  // after execveat(2) it would be the number of a descriptor
  // One arena for both threads: each would cost pages of its own.
  ::mallopt(M_ARENA_MAX, 1);
  // A holder is no terminal's job. SIGTERM ends it, so that a host can go down; its keeper starts another otherwise.
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE}) ::signal(number, SIG_IGN);
  // A session without a log is better than none.
  (void)log::open(roles::log_path());
  const auto served = serve(argv, static_cast<pid_t>(std::atoi(argv[3])), std::move(checkpoint));
  if (served) return roles::kHolderFinished;
  log::error(served.error().message());
  return 1;
}

}  // namespace holdfast::holder
