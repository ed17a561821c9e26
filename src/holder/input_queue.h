// InputQueue: bytes on their way into the program. One queue, so that what is written is in one order.
//
// Bounded by its users: they stop reading from a typist while is_full(). Knows nothing of who typed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::holder {

class InputQueue {
 public:
  void push(std::string_view bytes) { bytes_ += bytes; }
  // An answer to a query: dropped when the program does not read, because late answers would read like typed text.
  void push_reply(std::string_view bytes);

  // Writes what the terminal takes. False: it takes nothing any more (hung up); the queue is emptied.
  bool flush(int master);

  bool empty() const { return begin_ == bytes_.size(); }
  std::size_t size() const { return bytes_.size() - begin_; }
  bool is_full() const;
  // After is_full(): there is room for a typist again.
  bool has_room() const;

 private:
  void tidy();
  std::string bytes_;
  std::size_t begin_ = 0;
};

}  // namespace holdfast::holder
