#include "base/log.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/sys.h"
#include "base/test_directory.h"

namespace holdfast::log {
namespace {

struct LogDirectory : TestDirectory {
  std::string file() const { return at("holder.log"); }
};

}  // namespace

TEST_CASE_FIXTURE(LogDirectory, "lines carry time, level and text, and cannot be forged from within") {
  warning("before open: dropped");
  REQUIRE(open(file()));
  info("started");
  error("bad\n2026-01-01 info forged\x1b[2J");
  const std::string text = sys::read_file(file()).value();
  CHECK(text.find(" info started\n") != std::string::npos);
  CHECK(text.find(" error bad\uFFFD2026-01-01 info forged\uFFFD[2J\n") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(text.find("dropped") == std::string::npos);
}

TEST_CASE_FIXTURE(LogDirectory, "a log never takes more than two files of 256 KiB, all of them private") {
  REQUIRE(open(file()));
  for (int i = 0; i < 2000; ++i) info(std::string(1000, 'x'));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    ++files;
    CHECK(entry.file_size() <= 256u << 10);
    struct stat status{};
    REQUIRE(::stat(entry.path().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
  }
  CHECK(files == 2);
}

TEST_CASE("a log that cannot be opened is an error, and writing goes on to nowhere") {
  const auto opened = open("/proc/no/such/place");
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message().starts_with("cannot open the log /proc/no/such/place: "));
  info("nobody hears this");
}

TEST_CASE_FIXTURE(LogDirectory, "a full disk silences the log and nothing else") {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{2000, 2000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    if (!open(file())) ::_exit(2);
    for (int i = 0; i < 100; ++i) info(std::string(100, 'x'));
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(std::filesystem::file_size(file()) <= 2000);
}

}  // namespace holdfast::log
