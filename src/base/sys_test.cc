#include "base/sys.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/test_directory.h"

namespace holdfast::sys {
namespace {

struct TemporaryDirectory : TestDirectory {
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
  }
};

unsigned mode_of(const std::string& path) {
  struct stat info{};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

// Runs `body` in a child and gives its answer: for what must not stick to this process.
template <typename Body>
bool in_child(Body body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE_FIXTURE(TemporaryDirectory, "files are read whole, and refused above the bound") {
  REQUIRE(replace_file_at(fd.get(), "f", std::string(10'000, 'x'), Durable::no));
  CHECK(read_file(at("f"))->size() == 10'000);
  CHECK(read_file_at(fd.get(), "f", 10'000)->size() == 10'000);
  const auto refused = read_file_at(fd.get(), "f", 9'999);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() == "cannot read f: it is larger than 9999 bytes");
  CHECK(read_file("/proc/self/status")->find("Name:") == 0);
  CHECK(read_file(path).error().problem == "it is a directory");
  CHECK(read_file(at("none")).error().message() == "cannot open " + at("none") + ": No such file or directory");
}

TEST_CASE_FIXTURE(TemporaryDirectory, "a replaced file is private and nothing else is left") {
  REQUIRE(replace_file_at(fd.get(), "f", "one", Durable::yes));
  REQUIRE(replace_file_at(fd.get(), "f", "two", Durable::no));
  CHECK(*read_file(at("f")) == "two");
  CHECK(mode_of(at("f")) == 0600);
  CHECK(entries() == 1);
}

TEST_CASE_FIXTURE(TemporaryDirectory, "a write that fails leaves the old file and no other") {
  REQUIRE(replace_file_at(fd.get(), "f", "old", Durable::no));
  const bool failed_cleanly = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto written = replace_file_at(fd.get(), "f", std::string(5000, 'n'), Durable::no);
    return !written && written.error().message() == "cannot write f: File too large";
  });
  CHECK(failed_cleanly);
  CHECK(*read_file(at("f")) == "old");
  CHECK(entries() == 1);
}

TEST_CASE("messages carry bytes and a descriptor, tell full from empty, and an end from both") {
  auto [one, other] = socket_pair(SOCK_SEQPACKET | SOCK_NONBLOCK).value();
  std::array<char, 64> buffer;
  CHECK_FALSE(receive_with_fd(other.get(), buffer)->has_value());

  const Fd file = memory_file("test").value();
  REQUIRE(write_all(file.get(), "content"));
  CHECK(*send_with_fd(one.get(), "hello", file.get()));
  CHECK(*send_with_fd(one.get(), "again", -1));
  auto first = receive_with_fd(other.get(), buffer).value();
  REQUIRE(first);
  CHECK(std::string(buffer.data(), first->bytes) == "hello");
  REQUIRE(first->fd);
  CHECK((::fcntl(first->fd.get(), F_GETFD) & FD_CLOEXEC) != 0);
  char content[8] = {};
  CHECK(::pread(first->fd.get(), content, 7, 0) == 7);
  CHECK(std::string(content) == "content");
  CHECK_FALSE(receive_with_fd(other.get(), buffer).value()->fd);

  int sent = 0;
  while (*send_with_fd(one.get(), std::string(1000, 'x'), -1)) ++sent;
  CHECK(sent > 1);
  CHECK_FALSE(receive_with_fd(other.get(), buffer));  // larger than the buffer: an error, not half a message

  one.reset();
  while (true) {
    const auto rest = receive_with_fd(other.get(), buffer);
    if (rest && rest->has_value() && (*rest)->bytes == 0) break;
    REQUIRE_FALSE(rest);
  }
}

TEST_CASE("descriptors beyond the one of a message are closed") {
  auto [one, other] = socket_pair(SOCK_SEQPACKET).value();
  const auto open_descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = open_descriptors();
  char byte = 'x';
  iovec piece{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(8 * sizeof(int));
  for (int i = 0; i < 8; ++i) reinterpret_cast<int*>(CMSG_DATA(header))[i] = 0;
  REQUIRE(::sendmsg(one.get(), &message, 0) == 1);
  std::array<char, 8> buffer;
  REQUIRE(receive_with_fd(other.get(), buffer));
  CHECK(open_descriptors() == before);
}

TEST_CASE_FIXTURE(TemporaryDirectory, "missing components of a private directory are made, for us alone") {
  const auto made = open_private_directory(at("a/b/c"));
  REQUIRE(made);
  CHECK(mode_of(at("a")) == 0700);
  CHECK(mode_of(at("a/b/c")) == 0700);
  CHECK(open_private_directory(at("a//b/./c/")));
  CHECK((::fcntl(made->get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE_FIXTURE(TemporaryDirectory, "links, files and directories open to others are no private directories") {
  REQUIRE(open_private_directory(at("real")));
  std::filesystem::create_symlink("real", at("link"));
  REQUIRE(replace_file_at(fd.get(), "file", "", Durable::no));
  CHECK(open_private_directory(at("link")).error().kind == ErrorKind::refused);
  CHECK(open_private_directory(at("link/below")).error().kind == ErrorKind::refused);
  CHECK(open_private_directory(at("file")).error().kind == ErrorKind::refused);
  CHECK_FALSE(open_private_directory(""));
  CHECK_FALSE(open_private_directory("/"));

  ::chmod(at("real").c_str(), 0770);
  CHECK(open_private_directory(at("real")).error().problem == "other users may write to it");
  ::chmod(at("real").c_str(), 0755);
  CHECK(open_private_directory(at("real")));
  CHECK(mode_of(at("real")) == 0700);
}

TEST_CASE_FIXTURE(TemporaryDirectory, "a directory that another user left in /tmp is refused") {
  if (::geteuid() != 0) return;
  REQUIRE(open_private_directory(at("theirs")));
  REQUIRE(::chown(at("theirs").c_str(), 12345, 12345) == 0);
  CHECK(open_private_directory(at("theirs")).error().problem == "'theirs' belongs to another user");
  CHECK(open_private_directory(at("theirs/below")).error().problem == "'theirs' belongs to another user");
  CHECK(open_private_directory(at("theirs")).error().advice == "run hold as that user: sudo -u '#12345' hold …");
}

TEST_CASE_FIXTURE(TemporaryDirectory, "sockets are private, and work at any length of path") {
  std::string deep = path;
  while (deep.size() < 200) deep += "/" + std::string(40, 'd');
  for (const std::string& where : {path, deep}) {
    const Fd directory = open_private_directory(where).value();
    const Fd listener = listen_unix_at(directory.get(), "x.sock", 8).value();
    CHECK(mode_of(where + "/x.sock") == 0600);
    const Fd client = connect_unix(where + "/x.sock").value();
    const Fd server(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    REQUIRE(server);
    CHECK(*peer_uid(server.get()) == ::geteuid());
    CHECK(*peer_uid(client.get()) == ::geteuid());
    CHECK_FALSE(listen_unix_at(directory.get(), "x.sock", 8));
  }
}

TEST_CASE_FIXTURE(TemporaryDirectory, "the ways in which connecting fails are told apart") {
  CHECK(connect_unix(at("none.sock")).error().kind == ErrorKind::not_found);
  CHECK(is_unserved(connect_unix(at("none.sock")).error()));
  CHECK(connect_unix(at(std::string(120, 'n') + "/none.sock")).error().kind == ErrorKind::not_found);
  {
    const Fd gone = listen_unix_at(fd.get(), "gone.sock", 1).value();
  }
  CHECK(connect_unix(at("gone.sock")).error().kind == ErrorKind::ended);
  CHECK(is_unserved(connect_unix(at("gone.sock")).error()));

  const Fd busy = listen_unix_at(fd.get(), "busy.sock", 0).value();
  std::vector<Fd> waiting;
  Result<Fd> next = connect_unix(at("busy.sock"));
  for (; next && waiting.size() < 100; next = connect_unix(at("busy.sock"))) waiting.push_back(std::move(*next));
  REQUIRE_FALSE(next);
  CHECK(next.error().kind == ErrorKind::timeout);
  CHECK(connect_unix(std::string(300, 'n')).error().kind != ErrorKind::usage);
}

}  // namespace holdfast::sys
