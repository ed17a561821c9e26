#include "holder/output.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/limits.h"

namespace holdfast::holder {
namespace {

// Program bytes in one output frame: large enough that headers cost nothing, small enough to be copied when a backlog
// is dropped.
constexpr std::uint64_t kFrameBytes = 64u << 10;
// Of a picture or an answer read at once: it is memory per client.
constexpr std::uint64_t kPieceBytes = 64u << 10;
// Rewrites in one frame: each needs two entries of the vector below.
constexpr std::size_t kFrameEditsMax = 24;
constexpr std::size_t kVectorMax = 2 * (2 * kFrameEditsMax + 3);
// One client's share of a turn, bytes: then others have theirs.
constexpr std::uint64_t kTurnBytes = 256u << 10;
// Control frames that wait, bytes: a client that takes events so slowly is of no use to itself.
constexpr std::size_t kQueueBytesMax = 1u << 20;
// Room kept for the next frame's head.
constexpr std::size_t kHeadKept = 4096;

// Collects what a frame consists of, without the first `skip` bytes.
class Vector {
 public:
  explicit Vector(std::size_t skip) : skip_(skip) {}
  void add(const char* data, std::size_t size) {
    if (skip_ >= size) {
      skip_ -= size;
      return;
    }
    parts_[count_++] = {const_cast<char*>(data) + skip_, size - skip_};
    skip_ = 0;
  }
  void add(std::span<const char> bytes) { add(bytes.data(), bytes.size()); }
  iovec* data() { return parts_.data(); }
  std::size_t count() const { return count_; }

 private:
  std::size_t skip_, count_ = 0;
  std::array<iovec, kVectorMax> parts_;
};

void collect(Vector& vector, const Source& source, std::uint64_t start, std::uint64_t end) {
  source.edits.each_part(
      start, end,
      [&](std::uint64_t from, std::uint64_t to) {
        const RingSlice slice = source.ring.slice(from, to);
        vector.add(slice.first);
        vector.add(slice.second);
      },
      [&](std::string_view text) { vector.add(text.data(), text.size()); });
}

std::size_t drawn_bytes(const EditList& edits, std::uint64_t start, std::uint64_t end) {
  std::size_t bytes = 0;
  edits.each_part(
      start, end, [&](std::uint64_t from, std::uint64_t to) { bytes += to - from; },
      [&](std::string_view text) { bytes += text.size(); });
  return bytes;
}

}  // namespace

void Output::control(std::string frame, std::uint64_t after) {
  queue_bytes_ += frame.size();
  if (queue_bytes_ > kQueueBytesMax) broken_ = true;
  else queue_.push_back({.after = after, .frame = std::move(frame)});
}

void Output::answer(std::uint64_t request, Fd file, std::uint64_t size) {
  queue_.push_back({.file = std::move(file), .size = size, .request = request});
}

void Output::wait_for_restore(std::uint64_t offset) {
  stream_ = Stream::waiting;
  position_ = offset;
  picture_.reset();
}

void Output::show_views() {
  stream_ = Stream::view;
  picture_.reset();
}

void Output::give(Picture picture) {
  picture_ = std::move(picture);
  picture_at_ = 0;
}

void Output::drop_backlog(const Source& source) {
  if (in_flight() && flight_.start != flight_.end) {
    std::string rest;
    Vector vector(flight_.sent);
    vector.add(flight_.head.data(), flight_.head.size());
    collect(vector, source, flight_.start, flight_.end);
    for (std::size_t i = 0; i < vector.count(); ++i) {
      rest.append(static_cast<const char*>(vector.data()[i].iov_base), vector.data()[i].iov_len);
    }
    flight_.head = std::move(rest);
    begin_owned();
  }
  stream_ = Stream::stalled;
  picture_.reset();
}

std::optional<std::uint64_t> Output::needs_from() const {
  if (in_flight() && flight_.start != flight_.end) return flight_.start;
  if (stream_ == Stream::live || stream_ == Stream::waiting) return position_;
  return std::nullopt;
}

std::uint64_t Output::live_limit(const Source& source) const { return std::min(source.safe, live_end_); }

bool Output::live_left(const Source& source) const {
  return stream_ == Stream::live && position_ < live_limit(source);
}

void Output::begin_owned() {
  flight_.start = flight_.end = 0;
  flight_.total = flight_.head.size();
  flight_.sent = 0;
}

bool Output::begin_item() {
  if (queue_.empty()) return false;
  Item& item = queue_.front();
  if (item.after > position_ && (stream_ == Stream::live || stream_ == Stream::waiting)) return false;
  if (!item.file) {
    queue_bytes_ -= item.frame.size();
    flight_.head = std::move(item.frame);
    begin_owned();
    queue_.pop_front();
    return true;
  }
  const std::uint64_t bytes = std::min(item.size - item.at, kPieceBytes);
  const bool last = item.at + bytes == item.size;
  std::string header = wire::data_header(item.request, last ? wire::Last::yes : wire::Last::no, bytes);
  if (!read_piece(std::move(header), item.file.get(), item.at, bytes)) return false;
  item.at += bytes;
  if (last) queue_.pop_front();
  return true;
}

bool Output::read_piece(std::string header, int file, std::uint64_t at, std::size_t bytes) {
  flight_.head = std::move(header);
  const std::size_t prefix = flight_.head.size();
  flight_.head.resize(prefix + bytes);
  // The header has promised these bytes; a file that has become shorter leaves no way but to close.
  const auto got = bytes == 0 ? 0 : ::pread(file, flight_.head.data() + prefix, bytes, static_cast<off_t>(at));
  if (got < 0 || static_cast<std::size_t>(got) != bytes) {
    flight_ = {};
    broken_ = true;
    return false;
  }
  begin_owned();
  return true;
}

bool Output::begin_picture_piece() {
  if (!picture_) return false;
  Picture& picture = *picture_;
  // An undo takes back what was drawn up to its offset, so that must have been drawn.
  if (picture.kind == Picture::Kind::undo && stream_ == Stream::live && position_ < picture.offset) return false;
  wire::Phase phase = wire::Phase::screen;
  std::uint64_t end = picture.size;
  if (picture.kind == Picture::Kind::view) phase = wire::Phase::view;
  if (picture.kind == Picture::Kind::undo) phase = wire::Phase::undo;
  if (picture.kind == Picture::Kind::restore && picture_at_ < picture.screen_at) {
    phase = wire::Phase::history;
    end = std::min(end, picture.screen_at);
  }
  const std::uint64_t bytes = std::min(end - picture_at_, kPieceBytes);
  const bool last = picture_at_ + bytes == picture.size;
  unsigned flags = last ? unsigned{wire::kLast} : 0u;
  if (picture.rebuilt) flags |= wire::kRebuilt;
  if (!read_piece(wire::snapshot_header(picture.offset, phase, flags, bytes), picture.file.get(), picture_at_, bytes)) {
    return false;
  }
  picture_at_ += bytes;
  if (!last) return true;
  if (picture.kind == Picture::Kind::undo) stream_ = Stream::off;
  if (picture.kind == Picture::Kind::restore) {
    stream_ = Stream::live;
    position_ = picture.offset;
  }
  picture_.reset();
  return true;
}

bool Output::begin_live(const Source& source) {
  if (!live_left(source)) return false;
  std::uint64_t wanted = std::min(live_limit(source), position_ + kFrameBytes);
  if (!queue_.empty() && queue_.front().after > position_) wanted = std::min(wanted, queue_.front().after);
  const std::uint64_t end = source.edits.frame_end(position_, wanted, kFrameEditsMax);
  const std::size_t bytes = drawn_bytes(source.edits, position_, end);
  flight_.head = wire::output_header(position_, end, bytes);
  flight_.start = position_;
  flight_.end = end;
  flight_.total = flight_.head.size() + bytes;
  flight_.sent = 0;
  position_ = end;
  return true;
}

bool Output::begin_next(const Source& source) {
  if (begin_item()) return true;
  if (begin_picture_piece()) return true;
  return !broken_ && begin_live(source);
}

// Bytes written; 0: the socket is full; -1: broken.
std::int64_t Output::send_flight(int socket, const Source& source) {
  Vector vector(flight_.sent);
  vector.add(flight_.head.data(), flight_.head.size());
  if (flight_.start != flight_.end) collect(vector, source, flight_.start, flight_.end);
  msghdr message{};
  message.msg_iov = vector.data();
  message.msg_iovlen = vector.count();
  const auto n = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n >= 0) return n;
  return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? 0 : -1;
}

Output::PumpResult Output::pump(int socket, const Source& source) {
  PumpResult result{Pumped::idle, 0};
  while (!broken_) {
    if (!in_flight() && !begin_next(source)) {
      if (flight_.head.capacity() > kHeadKept) flight_ = {};
      return broken_ ? PumpResult{Pumped::broken, result.bytes} : result;
    }
    const std::int64_t n = send_flight(socket, source);
    if (n < 0) break;
    flight_.sent += static_cast<std::size_t>(n);
    result.bytes += static_cast<std::uint64_t>(n);
    if (in_flight() || result.bytes >= kTurnBytes) return {Pumped::blocked, result.bytes};
  }
  result.state = Pumped::broken;
  return result;
}

}  // namespace holdfast::holder
