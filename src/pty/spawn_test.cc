#include "pty/spawn.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/sys.h"
#include "base/test_directory.h"
#include "pty/pty.h"

namespace holdfast::pty {
namespace {

struct Ended {
  std::string output;
  int status = 0;
  int code() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
};

// A PTY and a scratch directory to run programs in.
struct Terminal : TestDirectory {
  ~Terminal() { ::chmod(path.c_str(), 0700); }

  SpawnSpec spec(std::vector<std::string> argv) const {
    SpawnSpec spec;
    spec.argv = std::move(argv);
    spec.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
    spec.directory = fd.get();
    spec.slave = pty.slave;
    return spec;
  }
  SpawnSpec shell(const std::string& script) const { return spec({"sh", "-c", script}); }

  // Everything the program prints until it ends.
  Ended finish(const Spawned& spawned) {
    Ended ended;
    char bytes[4096];
    pollfd waiting{pty.master.get(), POLLIN, 0};
    while (::poll(&waiting, 1, 10'000) > 0) {
      const ssize_t n = ::read(pty.master.get(), bytes, sizeof bytes);
      if (n <= 0) break;
      ended.output.append(bytes, static_cast<std::size_t>(n));
    }
    ::waitpid(spawned.pid, &ended.status, 0);
    return ended;
  }
  Ended run(const SpawnSpec& what) { return finish(spawn(what).value()); }

  void write_file(const std::string& name, std::string_view text, unsigned mode) {
    REQUIRE(sys::replace_file_at(fd.get(), name, text, sys::Durable::no));
    ::chmod((path + "/" + name).c_str(), mode);
  }

  Pty pty = open({90, 20, 0, 0}, nullptr).value();
};

}  // namespace

TEST_CASE_FIXTURE(Terminal, "a program runs on the terminal, as leader of its session, and its end is seen") {
  const Ended ended = run(shell("test -t 0 && test -t 1 && test -t 2 && stty size && tty && exit 7"));
  CHECK(ended.output == "20 90\r\n" + pty.slave + "\r\n");
  CHECK(ended.code() == 7);

  const Spawned reader = spawn(spec({"cat"})).value();
  CHECK(::getsid(reader.pid) == reader.pid);
  CHECK(*foreground_group(pty.master.get()) == reader.pid);
  pollfd end{reader.pidfd.get(), POLLIN, 0};
  CHECK(::poll(&end, 1, 0) == 0);
  REQUIRE(::write(pty.master.get(), "\x04", 1) == 1);
  CHECK(finish(reader).code() == 0);
  CHECK(::poll(&end, 1, 10'000) == 1);
}

TEST_CASE_FIXTURE(Terminal, "environment, directory, umask and argv[0] are what was asked for") {
  SpawnSpec what = spec({"sh", "-c", "pwd -P; umask; tr '\\0' ' ' </proc/$$/cmdline", "name"});
  what.file_mode_mask = 027;
  what.argv0 = "-sh";
  const std::string output = run(what).output;
  CHECK(output.find(path + "\r\n0027\r\n") == 0);
  CHECK(output.find("-sh -c") != std::string::npos);

  SpawnSpec environment = spec({"env"});
  environment.environment = {"PATH=/usr/bin:/bin", "MINE=1 2"};
  CHECK(run(environment).output == "PATH=/usr/bin:/bin\r\nMINE=1 2\r\n");
}

TEST_CASE_FIXTURE(Terminal, "the program inherits no descriptors and no signal state") {
  const Fd leaked(::open("/dev/null", O_RDONLY));  // without CLOEXEC on purpose
  ::signal(SIGUSR1, SIG_IGN);
  sigset_t mask;
  ::sigemptyset(&mask);
  ::sigaddset(&mask, SIGUSR2);
  ::sigprocmask(SIG_BLOCK, &mask, nullptr);
  const Ended ended = run(
      shell("ls /proc/self/fd | tr '\\n' ' '; grep -E 'Sig(Blk|Ign)' /proc/self/status; cat /proc/self/oom_score_adj"));
  ::sigprocmask(SIG_UNBLOCK, &mask, nullptr);
  ::signal(SIGUSR1, SIG_DFL);
  CHECK(ended.output.find("0 1 2 3 ") == 0);  // 3 is ls's own
  CHECK(ended.output.find("SigBlk:\t0000000000000000") != std::string::npos);
  CHECK(ended.output.find("SigIgn:\t0000000000000000") != std::string::npos);
  CHECK(ended.output.ends_with("500\r\n"));
}

TEST_CASE_FIXTURE(Terminal, "the caller keeps its own signal state, umask and directory") {
  const mode_t mask = ::umask(022);
  char* before = ::get_current_dir_name();
  SpawnSpec what = shell("true");
  what.file_mode_mask = 077;
  run(what);
  char* after = ::get_current_dir_name();
  CHECK(std::string(before) == after);
  CHECK(::umask(mask) == 022);
  std::free(before);
  std::free(after);
  sigset_t blocked;
  ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
  CHECK_FALSE(::sigismember(&blocked, SIGTERM));
}

TEST_CASE_FIXTURE(Terminal, "a missing program is told from one that cannot be executed") {
  write_file("plain", "text", 0600);
  CHECK(spawn(spec({"vimm"})).error().message() ==
        "cannot start 'vimm': there is no such program on PATH; check the spelling, or give its full path");
  CHECK(spawn(spec({"./none"})).error().problem == "there is no such file");
  CHECK(spawn(spec({"./plain"})).error().problem == "'./plain' is not executable");
  CHECK(spawn(spec({"/tmp"})).error().problem == "it is a directory");
  CHECK(spawn(spec({""})).error().problem == "the name is empty");
  SpawnSpec on_path = spec({"plain"});
  on_path.environment = {"PATH=/usr/bin:" + path};
  CHECK(spawn(on_path).error().problem == "'" + path + "/plain' is not executable");
}

TEST_CASE_FIXTURE(Terminal,
                  "a script without an interpreter line is run by sh, one with a missing interpreter is an error") {
  write_file("script", "echo ran $1; exit 3\n", 0700);
  const Ended ended = run(spec({"./script", "it"}));
  CHECK(ended.output == "ran it\r\n");
  CHECK(ended.code() == 3);
  write_file("orphan", "#!/nonexistent/python\n", 0700);
  CHECK(spawn(spec({"./orphan"})).error().problem == "its interpreter is missing");
}

TEST_CASE_FIXTURE(Terminal, "a directory that may not be entered is an error, and nothing runs") {
  if (::geteuid() == 0) {
    // Permissions do not bind root: the test goes on as somebody else, in a child.
    REQUIRE(::chown(path.c_str(), 12345, 12345) == 0);
    ::chmod(path.c_str(), 0000);
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (::chown(pty.slave.c_str(), 12345, 12345) != 0 || ::setgid(12345) != 0 || ::setuid(12345) != 0) ::_exit(2);
      const auto spawned = spawn(spec({"/bin/true"}));
      const bool right = !spawned && spawned.error().problem == "its working directory may not be entered" &&
                         ::waitpid(-1, nullptr, 0) < 0;
      ::_exit(right ? 0 : 1);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    CHECK(status == 0);
  } else {
    ::chmod(path.c_str(), 0000);
    CHECK(spawn(spec({"/bin/true"})).error().problem == "its working directory may not be entered");
  }
}

TEST_CASE_FIXTURE(Terminal, "a terminal that is gone is an error") {
  SpawnSpec what = shell("true");
  what.slave = "/dev/pts/none";
  CHECK(spawn(what).error().message() == "cannot start 'sh': its terminal cannot be opened: No such file or directory");
}

TEST_CASE_FIXTURE(Terminal, "arguments beyond what the system takes are an error") {
  CHECK(spawn(spec({"true", std::string(4u << 20, 'x')})).error().problem == "arguments and environment are too long");
}

TEST_CASE_FIXTURE(Terminal, "a thousand starts leak no descriptor and no process") {
  const auto open_descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = open_descriptors();
  for (int i = 0; i < 1000; ++i) {
    if (i % 2 == 0) {
      REQUIRE_FALSE(spawn(spec({"./none"})));
    } else {
      const Spawned spawned = spawn(spec({"/bin/true"})).value();
      REQUIRE(::waitpid(spawned.pid, nullptr, 0) == spawned.pid);
    }
  }
  CHECK(open_descriptors() == before);
  CHECK(::waitpid(-1, nullptr, WNOHANG) < 0);
}

}  // namespace holdfast::pty
