#include "probe/host.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/sys.h"
#include "pty/pty.h"
#include "pty/spawn.h"

namespace holdfast::probe {
namespace {

// Answers waiting for a program that does not read; more are dropped.
constexpr std::size_t kAnswerBytesMax = 1u << 20;
// How long output may still come after the program has ended, while something else holds the terminal.
constexpr int kDrainMs = 1000;
class Host : private vt::Sink {
 public:
  Host(const Options& options, int master)
      : master_(master), terminal_(make_terminal(options, options.cols, options.rows, options.scrollback)) {}

  // Until end of file, or until `pidfd` says that the program ended and a drain time has passed.
  Result<> run(int pidfd) {
    bool has_ended = false;
    for (;;) {
      pollfd fds[] = {{master_, static_cast<short>(POLLIN | (answers_.empty() ? 0 : POLLOUT)), 0},
                      {has_ended ? -1 : pidfd, POLLIN, 0}};
      const int ready = poll(fds, 2, has_ended ? kDrainMs : -1);
      if (ready < 0 && errno != EINTR) return fail_errno("wait for the program", errno);
      if (ready == 0) return {};
      if (fds[1].revents != 0) has_ended = true;
      if (fds[0].revents & POLLOUT) write_answers();
      if (fds[0].revents & (POLLIN | POLLHUP | POLLERR)) {
        if (!read_output()) return {};
      }
    }
  }

  vt::Terminal& terminal() { return terminal_; }
  const std::string& responses() const { return responses_; }

 private:
  // False at the end of the output.
  bool read_output() {
    char buffer[1 << 16];
    const ssize_t n = read(master_, buffer, sizeof buffer);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (n <= 0) return false;
    const vt::Size before = terminal_.state().size;
    terminal_.feed({buffer, static_cast<std::size_t>(n)}, *this);
    const vt::Size& size = terminal_.state().size;
    if (size != before) (void)pty::set_size(master_, {size.cols, size.rows, 0, 0});
    return true;
  }

  void write_answers() {
    const ssize_t n = write(master_, answers_.data(), answers_.size());
    if (n > 0) answers_.erase(0, static_cast<std::size_t>(n));
  }

  void reply(std::uint64_t, std::string_view bytes) override {
    if (answers_.size() + bytes.size() <= kAnswerBytesMax) answers_ += bytes;
    if (responses_.size() + bytes.size() <= kAnswerBytesMax) responses_ += bytes;
  }
  void event(std::uint64_t, const vt::Event&) override {}

  int master_;
  vt::Terminal terminal_;
  std::string answers_, responses_;
};

int exit_code_of_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

Result<int> run_host(const Options& options) {
  pty::Pty pty = TRY(pty::open({options.cols, options.rows, 0, 0}, nullptr));
  const Fd directory = TRY(sys::open_file(".", O_RDONLY | O_DIRECTORY));
  pty::SpawnSpec spec;
  spec.argv = options.host;
  spec.environment = options.environment;
  spec.directory = directory.get();
  spec.slave = pty.slave;
  const pty::Spawned program = TRY(pty::spawn(spec));
  Host host(options, pty.master.get());
  TRY(host.run(program.pidfd.get()));
  pty.master.reset();  // whatever still runs on the terminal is hung up
  int status = 0;
  while (waitpid(program.pid, &status, 0) < 0) {
    if (errno != EINTR) return fail_errno("wait for the program", errno);
  }
  if (!options.dump.empty()) {
    const std::string text = vt::canonical(host.terminal().mutable_state(), host.responses()).dump() + "\n";
    const Fd file = TRY(sys::open_file(options.dump, O_WRONLY | O_CREAT | O_TRUNC, 0666));
    TRY(sys::write_all(file.get(), text));
  }
  return exit_code_of_status(status);
}

}  // namespace holdfast::probe
