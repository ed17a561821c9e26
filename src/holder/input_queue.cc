#include "holder/input_queue.h"

#include <unistd.h>

#include <cerrno>

#include "base/limits.h"

namespace holdfast::holder {
namespace {

// Waiting input above which answers are dropped, bytes: the terminal's own queue (4095) is full by then.
constexpr std::size_t kReplyRoomBytes = 4096;
// Kept for the next keystroke.
constexpr std::size_t kKeptBytes = 4096;

}  // namespace

void InputQueue::push_reply(std::string_view bytes) {
  if (size() + bytes.size() <= kReplyRoomBytes) push(bytes);
}

bool InputQueue::is_full() const { return size() >= limits::kInputQueueBytes; }
bool InputQueue::has_room() const { return size() < limits::kInputQueueBytes / 2; }

bool InputQueue::flush(int master) {
  while (!empty()) {
    const auto n = ::write(master, bytes_.data() + begin_, size());
    if (n > 0) {
      begin_ += static_cast<std::size_t>(n);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) {
      begin_ = bytes_.size();
      tidy();
      return false;
    }
    break;
  }
  tidy();
  return true;
}

void InputQueue::tidy() {
  if (empty()) {
    if (bytes_.capacity() > kKeptBytes) std::string().swap(bytes_);
    else bytes_.clear();
    begin_ = 0;
  } else if (begin_ > bytes_.size() / 2) {
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
}

}  // namespace holdfast::holder
