#include "store/file_writer.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test_directory.h"


namespace holdfast::store {
namespace {

// A writer, and a fifo by which a test can hold its thread: an append to it waits until somebody reads.
struct Writing : TestDirectory {
  std::vector<FileWriter::Outcome> wait_for(std::size_t count) {
    std::vector<FileWriter::Outcome> all;
    pollfd waiting{writer->outcome_fd(), POLLIN, 0};
    while (all.size() < count && ::poll(&waiting, 1, 10'000) == 1) {
      for (auto& outcome : writer->take_outcomes()) all.push_back(std::move(outcome));
    }
    return all;
  }
  void block_thread() {
    REQUIRE(::mkfifoat(fd.get(), "gate", 0600) == 0);
    REQUIRE(writer->append("gate", "x"));
  }
  void release_thread() { gate_reader = Fd(::openat(fd.get(), "gate", O_RDONLY | O_CLOEXEC)); }

  std::unique_ptr<FileWriter> writer = FileWriter::create(fd.get()).value();
  Fd gate_reader;
};

}  // namespace

TEST_CASE_FIXTURE(Writing, "files are replaced and appended to, in order, and each outcome has its ticket") {
  const auto one = writer->append("events", "a\n").value();
  const auto two = writer->append("events", "b\n").value();
  const auto three = writer->replace("manifest.json", "{}", sys::Durable::yes).value();
  const auto outcomes = wait_for(3);
  REQUIRE(outcomes.size() == 3);
  CHECK(outcomes[0].ticket == one);
  CHECK(outcomes[1].ticket == two);
  CHECK(outcomes[2].ticket == three);
  for (const auto& outcome : outcomes) CHECK(outcome.result);
  CHECK(read("events") == "a\nb\n");
  CHECK(read("manifest.json") == "{}");
  struct stat info{};
  REQUIRE(::stat((path + "/events").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(writer->take_outcomes().empty());
}

TEST_CASE_FIXTURE(Writing, "the writer works again after every pause") {
  for (int i = 0; i < 50; ++i) {
    REQUIRE(writer->replace("f", std::to_string(i), sys::Durable::no));
    REQUIRE(wait_for(1).size() == 1);
    CHECK(read("f") == std::to_string(i));
  }
}

TEST_CASE_FIXTURE(Writing, "what waits is written before the writer is gone") {
  for (int i = 0; i < 100; ++i) REQUIRE(writer->append("events", "x"));
  writer.reset();
  CHECK(read("events").size() == 100);
}

TEST_CASE_FIXTURE(Writing, "errors come back as values") {
  REQUIRE(writer->append("no/such/file", "x"));
  std::filesystem::create_symlink("/etc/passwd", path + "/link");
  REQUIRE(writer->append("link", "x"));
  const auto outcomes = wait_for(2);
  REQUIRE(outcomes.size() == 2);
  CHECK_FALSE(outcomes[0].result);
  CHECK_FALSE(outcomes[1].result);
}

TEST_CASE_FIXTURE(Writing, "a newer content of a file takes the place of one that still waits") {
  block_thread();
  REQUIRE(writer->replace("first", "", sys::Durable::no));
  REQUIRE(writer->replace("f", "old", sys::Durable::yes));
  const auto last = writer->replace("f", "new", sys::Durable::no).value();
  release_thread();
  const auto outcomes = wait_for(3);
  REQUIRE(outcomes.size() == 3);
  CHECK(outcomes[2].ticket == last);
  CHECK(read("f") == "new");
}

TEST_CASE_FIXTURE(Writing, "a disk that hangs makes writes fail and not memory grow") {
  block_thread();
  std::size_t taken = 0;
  while (taken < 100 && writer->append("events", std::string(100u << 10, 'x'))) ++taken;
  CHECK(taken == 10);
  CHECK(writer->append("events", std::string(100u << 10, 'x')).error().message() ==
        "cannot write events: the disk does not keep up");
  while (taken < 1000 && writer->append("events", "")) ++taken;
  CHECK(taken >= FileWriter::kQueueWritesMax - 1);
  CHECK(taken <= FileWriter::kQueueWritesMax);
  release_thread();
  CHECK(wait_for(taken + 1).size() == taken + 1);
}

TEST_CASE_FIXTURE(Writing, "a full disk is an outcome, and the old file stands") {
  write("f", "old");
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const bool queued = writer->replace("f", std::string(5000, 'x'), sys::Durable::no).has_value();
    const auto outcomes = wait_for(1);
    ::_exit(queued && outcomes.size() == 1 && !outcomes[0].result ? 0 : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  CHECK(status == 0);
  CHECK(read("f") == "old");
}

}  // namespace holdfast::store
