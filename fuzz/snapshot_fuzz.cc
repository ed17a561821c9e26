// The snapshot decoder under any bytes: an error, or a terminal that can go on, be restored, and be written again.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "vt/restore.h"
#include "vt/snapshot.h"
#include "vt/terminal.h"

namespace {

struct Quiet : holdfast::vt::Sink {
  void reply(std::uint64_t, std::string_view) override {}
  void event(std::uint64_t, const holdfast::vt::Event&) override {}
};

constexpr std::string_view kMore =
    "\r\nmore "
    "\xe4\xb8\xad\xcc\x81\x1b[31;44mcolour\x1b]8;;a:b\x1b\\link\x1b[m\x1b[5;5H\x1b[2L\x1b[?1049h\x1b[J\x1b[?1049l\x1b["
    "S\n\n\n\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace holdfast;
  auto state = vt::decode_snapshot({reinterpret_cast<const char*>(data), size});
  if (!state) return 0;

  const std::string before = vt::everything(*state);
  auto again = vt::decode_snapshot(vt::encode_snapshot(*state));
  if (!again || vt::everything(*again) != before) {
    std::fprintf(stderr, "a snapshot written again is another one\n");
    std::abort();
  }
  Quiet sink;
  vt::Terminal terminal(std::move(*state), vt::Profile::ghostty);
  terminal.feed(kMore, sink);
  terminal.resize({20, 6, 0, 0}, sink);
  terminal.feed(kMore, sink);
  std::string bytes;
  vt::write_restore(terminal.mutable_state(), {}, bytes);
  return 0;
}
