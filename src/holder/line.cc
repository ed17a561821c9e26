#include "holder/line.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace holdfast::holder {
namespace {

// What one read may bring. The kernel's terminal gives at most 4095 bytes; other kinds of terminal more.
constexpr std::size_t kReadBytes = 64u << 10;
// A read that brings less than this has emptied the terminal: another would only say so.
constexpr std::size_t kFullRead = 4000;

}  // namespace

Line::Line(loop::Loop& loop, int master, RingWriter ring)
    : loop_(loop), master_(master), ring_(std::move(ring)), scanner_(ring_.head()) {}

Result<> Line::watch(loop::Loop::IoHandler handler) { return loop_.watch(master_, loop::kRead, std::move(handler)); }

void Line::want(bool output) {
  unsigned interest = loop::kNone;
  if (output && !hung_up_) interest |= loop::kRead;
  if (!input_.empty()) interest |= loop::kWrite;
  // Changing the interest of a descriptor that is watched does not fail.
  (void)loop_.change(master_, interest);
}

std::size_t Line::read(std::size_t budget) {
  std::size_t total = 0;
  while (total < budget && !hung_up_) {
    const auto space = ring_.reserve(std::min(kReadBytes, budget - total));
    const auto n = ::read(master_, space.data(), space.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0) {  // EIO is how Linux says that nobody has the other side open
      hung_up_ = true;
      break;
    }
    const auto bytes = static_cast<std::size_t>(n);
    scanner_.feed(std::string_view(space.data(), bytes), findings_);
    ring_.commit(bytes);
    total += bytes;
    if (bytes < std::min(space.size(), kFullRead)) break;
  }
  for (const Edit& edit : findings_.edits) edits_.add(edit);
  findings_.edits.clear();
  return total;
}

std::vector<Scanner::Query> Line::take_queries() { return std::exchange(findings_.queries, {}); }

void Line::flush_input() {
  if (!input_.empty()) input_.flush(master_);
}

}  // namespace holdfast::holder
