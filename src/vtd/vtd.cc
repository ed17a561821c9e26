#include "vtd/vtd.h"

#include <sys/prctl.h>

#include <array>
#include <csignal>

#include "base/roles.h"
#include "base/sys.h"
#include "vtd/sandbox.h"
#include "vtd/shadow.h"

namespace holdfast::vtd {
namespace {

// The socket to the holder, blocking: VTD has one thing to wait for.
class Socket final : public Channel {
 public:
  Result<> send(const wire::vtd::FromVtd& message, int file) override {
    TRY(sys::send_with_fd(roles::kVtdSocketFd, wire::vtd::encode(message), file));
    return {};
  }
};

Result<> serve() {
  TRY(sys::set_blocking(roles::kVtdSocketFd, sys::Blocking::yes));
  Socket socket;
  const SystemClock clock;
  Shadow shadow(TRY(RingView::map(roles::kVtdRingFd)), socket, clock);
  TRY(enter_sandbox());
  std::array<char, wire::vtd::kPacketBytesMax> packet;
  for (;;) {
    auto received = TRY(sys::receive_with_fd(roles::kVtdSocketFd, packet));
    if (!received) continue;
    if (received->bytes == 0) return {};  // the holder needs no shadow any more
    const auto message = TRY(wire::vtd::decode_to_vtd(std::string_view(packet.data(), received->bytes)));
    TRY(shadow.take(message, std::move(received->fd)));
  }
}

}  // namespace

int vtd_main(int, char**) {
  ::prctl(PR_SET_NAME, "hold-vtd");
  // It ends when its socket does, not when a terminal hangs up.
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) ::signal(number, SIG_IGN);
  return serve() ? 0 : 1;
}

}  // namespace holdfast::vtd
