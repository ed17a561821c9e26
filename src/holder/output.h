// Output: what one client is still to be sent, in order, and how far it has been sent.
//
// Live bytes are not copied: the client has a position in the ring, and frames are written straight from there. Pictures
// (snapshots of VTD) and long answers are read from their memfds piece by piece. Control frames wait in a small queue.
// It never blocks, knows nothing of leaders and sessions, and is bounded: a client whose control queue overflows is
// broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/ring.h"
#include "holder/edits.h"
#include "wire/frame.h"

namespace holdfast::holder {

// What VTD made for one client: `file` holds `size` bytes that show the state after byte offset - 1.
struct Picture {
  enum class Kind : std::uint8_t { restore, view, undo };
  Kind kind = Kind::restore;
  Fd file;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::uint64_t screen_at = 0;  // restore: where the history ends and the screen begins
  bool rebuilt = false;
};

// Where live bytes come from: everything below `safe` may go out.
struct Source {
  const RingView& ring;
  const EditList& edits;
  std::uint64_t safe;
};

class Output {
 public:
  enum class Stream : std::uint8_t {
    off,      // not attached, or taken leave of
    waiting,  // a restore was asked for; live bytes begin behind it
    live,
    stalled,  // the backlog was dropped; nothing but control frames until a restore is asked for
    view,     // pictures instead of bytes: the client's size is not the program's
  };

  // A control frame, sent once the live bytes below `after` have been sent (at once when nothing is live).
  void control(std::string frame, std::uint64_t after = 0);
  // A long answer, sent as `data` frames with the request's id, between other frames.
  void answer(std::uint64_t request, Fd file, std::uint64_t size);

  void wait_for_restore(std::uint64_t offset);
  void show_views();
  // Live bytes end at `offset`; what then follows is a picture of kind undo.
  void stop_live_at(std::uint64_t offset) { live_end_ = offset; }
  void stop() { stream_ = Stream::off; }
  void give(Picture picture);
  // Live bytes that were not begun are forgotten. The frame that was begun is finished: its rest is copied.
  void drop_backlog(const Source& source);

  Stream stream() const { return stream_; }
  // Live: everything below it was sent or is being sent. Waiting: where live bytes will begin.
  std::uint64_t position() const { return position_; }
  // Edits and ring bytes below this offset are not needed any more. Nullopt: none are.
  std::optional<std::uint64_t> needs_from() const;
  bool has_picture() const { return picture_.has_value(); }
  // Nothing is begun and nothing waits but live bytes.
  bool is_drained() const { return !in_flight() && queue_.empty() && !picture_; }

  enum class Pumped : std::uint8_t {
    idle,     // nothing left to send now
    blocked,  // the socket is full, or others should have a turn: go on when it is writable
    broken,   // the client is gone, or its queue overflowed
  };
  struct PumpResult {
    Pumped state;
    std::uint64_t bytes;  // written now
  };
  PumpResult pump(int socket, const Source& source);

 private:
  struct Item {
    std::uint64_t after = 0;
    std::string frame{};  // of control
    Fd file{};            // of a long answer
    std::uint64_t size = 0, at = 0, request = 0;
  };
  struct Flight {
    std::string head;                  // header, or the whole frame
    std::uint64_t start = 0, end = 0;  // ring bytes behind the head (start == end: none)
    std::size_t total = 0, sent = 0;   // bytes on the wire
  };

  bool in_flight() const { return flight_.sent < flight_.total; }
  std::uint64_t live_limit(const Source& source) const;
  bool live_left(const Source& source) const;
  bool begin_next(const Source& source);
  bool begin_item();
  bool begin_picture_piece();
  bool begin_live(const Source& source);
  void begin_owned();
  bool read_piece(std::string header, int file, std::uint64_t at, std::size_t bytes);
  std::int64_t send_flight(int socket, const Source& source);

  Stream stream_ = Stream::off;
  std::uint64_t position_ = 0;
  std::uint64_t live_end_ = UINT64_MAX;
  std::deque<Item> queue_;
  std::size_t queue_bytes_ = 0;
  std::optional<Picture> picture_;
  std::uint64_t picture_at_ = 0;
  Flight flight_;
  bool broken_ = false;
};

}  // namespace holdfast::holder
