// Two relays without terminal state: not products, but the ceiling of a pass-through design.
//   --mode sock   server -> unix socket -> client process -> its terminal
//   --mode fd     the client hands its terminal to the server: one process between the two PTYs
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "mxb.h"

namespace mxb {
namespace {

char buffer[65536];

int unix_socket(const std::string& path, bool serve) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const auto* at = reinterpret_cast<const sockaddr*>(&address);
  if (serve) {
    unlink(path.c_str());
    if (bind(fd, at, sizeof address) != 0 || listen(fd, 8) != 0) die("bind");
  } else if (connect(fd, at, sizeof address) != 0) {
    die("connect");
  }
  return fd;
}

void put_all(int fd, const char* bytes, ssize_t n) {
  while (n > 0) {
    const ssize_t k = write(fd, bytes, static_cast<std::size_t>(n));
    if (k > 0) {
      bytes += k, n -= k;
    } else if (errno == EAGAIN) {
      pollfd p{fd, POLLOUT, 0};
      poll(&p, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

// True while there is something; false at the end.
bool copy(int from, int to) {
  const ssize_t n = read(from, buffer, sizeof buffer);
  if (n <= 0) return false;
  put_all(to, buffer, n);
  return true;
}

struct Peer {
  int socket, in, out;
};

int receive_terminal(int socket) {
  char byte, control[CMSG_SPACE(sizeof(int))]{};
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) <= 0 || CMSG_FIRSTHDR(&message) == nullptr) return -1;
  int fd;
  std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  return fd;
}

void send_terminal(int socket) {
  char byte = 'x', control[CMSG_SPACE(sizeof(int))]{};
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int terminal = 0;
  std::memcpy(CMSG_DATA(header), &terminal, sizeof terminal);
  sendmsg(socket, &message, 0);
}

pid_t start_program(int& master) {
  std::vector<char*> argv;
  for (std::string& word : words()) argv.push_back(word.data());
  argv.push_back(nullptr);
  winsize size{kRows, kCols, 0, 0};
  const pid_t pid = forkpty(&master, nullptr, nullptr, &size);
  if (pid == 0) {
    signal(SIGHUP, SIG_DFL);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  return pid;
}

}  // namespace

int run_relay_server() {
  const bool hand_over = text_option("mode") == "fd";
  const std::string path = text_option("sock");
  const int listener = unix_socket(path, true);
  if (fork() != 0) _exit(0);
  setsid();
  signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  int master = -1;
  start_program(master);
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(null, fd);

  std::vector<Peer> peers;
  for (;;) {
    std::vector<pollfd> polled{{master, POLLIN, 0}, {listener, POLLIN, 0}};
    for (const Peer& peer : peers) polled.push_back({peer.socket, POLLIN, 0}), polled.push_back({peer.in, POLLIN, 0});
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled[0].revents != 0) {
      const ssize_t n = read(master, buffer, sizeof buffer);
      if (n <= 0) break;
      for (const Peer& peer : peers) put_all(peer.out, buffer, n);
    }
    std::vector<Peer> kept;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      const bool from_socket = polled[2 + 2 * i].revents != 0,
                 from_terminal = hand_over && polled[3 + 2 * i].revents != 0;
      bool alive = true;
      if (from_terminal)
        alive = copy(peers[i].in, master);
      else if (from_socket)
        alive = !hand_over && copy(peers[i].socket, master);
      if (alive) {
        kept.push_back(peers[i]);
      } else {
        close(peers[i].socket);
        if (hand_over) close(peers[i].in);
      }
    }
    peers = kept;
    if (polled[1].revents == 0) continue;
    const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    const int terminal = hand_over && socket >= 0 ? receive_terminal(socket) : socket;
    if (terminal < 0) continue;
    peers.push_back({socket, terminal, terminal});
    kill(-tcgetpgrp(master), SIGWINCH);
  }
  unlink(path.c_str());
  return 0;
}

int run_relay_client() {
  const int socket = unix_socket(text_option("sock"), false);
  make_raw(0);
  if (text_option("mode") == "fd") {
    send_terminal(socket);
    while (read(socket, buffer, 1) > 0) {
    }
    return 0;
  }
  pollfd p[2] = {{0, POLLIN, 0}, {socket, POLLIN, 0}};
  for (;;) {
    poll(p, 2, -1);
    if (p[0].revents != 0 && !copy(0, socket)) return 0;
    if (p[1].revents != 0 && !copy(socket, 1)) return 0;
  }
}

// What this machine moves at all, MB/s from a writing to a reading process: pipe, unix socket, PTY.
int run_micro() {
  const std::size_t total = static_cast<std::size_t>(number_option("mb", 256)) << 20;
  const std::string block = workload("ascii", 1 << 20);
  const auto measure = [&](const char* name, int out, int in, std::size_t chunk) {
    const pid_t writer = fork();
    if (writer == 0) {
      for (std::size_t left = total, at = 0; left > 0;) {
        const ssize_t n = write(out, block.data() + at, std::min({left, chunk, block.size() - at}));
        if (n <= 0) _exit(1);
        left -= static_cast<std::size_t>(n);
        at = (at + static_cast<std::size_t>(n)) % block.size();
      }
      pause();
    }
    std::size_t got = 0, reads = 0;
    const std::int64_t began = now();
    for (ssize_t n; got < total && (n = read(in, buffer, sizeof buffer)) > 0; ++reads)
      got += static_cast<std::size_t>(n);
    const double seconds = static_cast<double>(now() - began) / 1e9;
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    std::printf("%-28s %8.1f MB/s  %6.0f bytes a read\n", name, static_cast<double>(got) / 1e6 / seconds,
                static_cast<double>(got) / static_cast<double>(reads));
  };
  int ends[2], master, slave;
  if (pipe(ends) != 0) die("pipe");
  measure("pipe, 64 KiB", ends[1], ends[0], 65536);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) die("socketpair");
  measure("unix socket, 64 KiB", ends[1], ends[0], 65536);
  measure("unix socket, 4 KiB", ends[1], ends[0], 4096);
  if (openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) die("openpty");
  make_raw(slave);
  measure("PTY, raw, 64 KiB", slave, master, 65536);
  measure("PTY, raw, 256 B", slave, master, 256);
  return 0;
}

}  // namespace mxb
