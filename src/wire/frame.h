// Frames of the session protocol: u32 little-endian payload length, u8 type, payload (docs/protocol.md).
// No sockets here: bytes in, frames out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast::wire {

// Type numbers never change and are never given again; new ones are appended. A peer skips types it does not know.
enum class Type : std::uint8_t {
  hello = 1,       // both ways, first: JSON
  attach = 2,      // client: JSON
  detach = 3,      // client: JSON
  take_size = 4,   // client: JSON: become leader
  input = 5,       // client: u64 offset of the first byte in this client's input, raw bytes
  resize = 6,      // client: JSON
  output = 7,      // holder: u64 start, u64 end (raw offsets), bytes as the client shall draw them
  snapshot = 8,    // holder: u64 offset, u8 phase, u8 flags, u16 reserved, bytes
  info = 9,        // request and answer: JSON
  subscribe = 10,  // client: JSON
  event = 11,      // holder: JSON
  hook = 12,       // client: JSON
  set_meta = 13,   // client: JSON
  read_rows = 14,  // client: JSON; answered by `data` frames
  rename = 15,     // client: JSON
  replay = 16,     // client: JSON
  signal = 17,     // client: JSON
  kill = 18,       // client: JSON
  error = 19,      // holder: JSON {id, code, message}
  ok = 20,         // holder: JSON {id, …}: the answer to a request that has no richer one
  data = 21,       // holder: u64 request id, u8 flags (1 = last), raw bytes: an answer in pieces
  remove = 22,     // client: JSON: forget an exited session
  terminal = 23,   // client: JSON: what its terminal has told since the attach
};

inline constexpr std::size_t kFrameHeaderBytes = 5;
inline constexpr std::size_t kOutputPrefixBytes = 16;
inline constexpr std::size_t kSnapshotPrefixBytes = 12;
inline constexpr std::size_t kInputPrefixBytes = 8;
inline constexpr std::size_t kDataPrefixBytes = 9;

enum class Phase : std::uint8_t {
  history = 1,  // scrollback as styled text
  screen = 2,   // visible screens and all state
  view = 3,     // what fits an observer of another size
  undo = 4,     // bytes that undo what the session changed
};
enum SnapshotFlag : std::uint8_t { kLast = 1, kRebuilt = 2 };

struct Frame {
  Type type;
  std::string_view payload;  // valid until the next call on the decoder
};

// Cuts a byte stream into frames. Bounded by the limit it is given: a frame above it is an error, after which the
// connection must be closed.
class FrameDecoder {
 public:
  // `frame_bytes_max`: the largest payload accepted from this peer.
  explicit FrameDecoder(std::size_t frame_bytes_max);

  // Another limit from the next frame on: a peer that has said hello may send more.
  void set_frame_bytes_max(std::size_t bytes) { frame_bytes_max_ = bytes; }

  // A place to read into (2 KiB at least; 64 KiB for a peer that says much), and how much was read. Frames given out before
  // are invalid after it.
  std::span<char> space();
  void filled(std::size_t bytes);
  // For bytes that were read elsewhere: appends a copy.
  void push(std::string_view bytes);

  // The next whole frame, nullopt if more bytes are needed. Error: payload above the limit.
  Result<std::optional<Frame>> next();
  bool mid_frame() const;  // bytes of an unfinished frame are held

 private:
  void make_room(std::size_t bytes);

  // Not a string: what is about to be read into need not be zeroed first.
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0, begin_ = 0, end_ = 0, read_bytes_, frame_bytes_max_;
};

// Header of a frame whose payload has `payload_bytes`.
std::string frame_header(Type type, std::size_t payload_bytes);
std::string encode(Type type, std::string_view payload);
// Headers with the fixed prefix behind them; `bytes` of raw payload follow.
std::string output_header(std::uint64_t start, std::uint64_t end, std::size_t bytes);
std::string snapshot_header(std::uint64_t offset, Phase phase, unsigned flags, std::size_t bytes);
enum class Last : std::uint8_t { no, yes };
std::string data_header(std::uint64_t request, Last last, std::size_t bytes);
std::string encode_input(std::uint64_t offset, std::string_view bytes);

// What those frames say; nullopt: cut short, or something no holder says. `bytes` lie in the payload.
struct OutputFrame {
  std::uint64_t start, end;
  std::string_view bytes;
};
struct SnapshotFrame {
  std::uint64_t offset;
  Phase phase;
  unsigned flags;
  std::string_view bytes;
};
struct DataFrame {
  std::uint64_t request;
  Last last;
  std::string_view bytes;
};
std::optional<OutputFrame> decode_output(std::string_view payload);
std::optional<SnapshotFrame> decode_snapshot(std::string_view payload);
std::optional<DataFrame> decode_data(std::string_view payload);

void put_u16(std::string& out, std::uint16_t v);
void put_u32(std::string& out, std::uint32_t v);
void put_u64(std::string& out, std::uint64_t v);
// Little-endian readers; the caller has checked that the bytes are there.
std::uint16_t get_u16(std::string_view bytes, std::size_t at);
std::uint32_t get_u32(std::string_view bytes, std::size_t at);
std::uint64_t get_u64(std::string_view bytes, std::size_t at);

}  // namespace holdfast::wire
