#include "wire/frame.h"

#include <algorithm>
#include <cstring>

#include "base/limits.h"

namespace holdfast::wire {
namespace {

// What one read asks for, bytes; twice as much is kept between frames. It begins small, as most peers ask or answer one
// question and go, and grows when a read brings all that was asked for.
constexpr std::size_t kReadBytes = 64u << 10, kFirstReadBytes = 2u << 10, kReadGrowth = 8;

template <typename T>
void put(std::string& out, T v) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>(v >> (8 * i) & 0xff));
}

template <typename T>
T get(std::string_view bytes, std::size_t at) {
  T v = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    v = static_cast<T>(v | static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[at + i])) << (8 * i)));
  }
  return v;
}

}  // namespace

void put_u16(std::string& out, std::uint16_t v) { put(out, v); }
void put_u32(std::string& out, std::uint32_t v) { put(out, v); }
void put_u64(std::string& out, std::uint64_t v) { put(out, v); }
std::uint16_t get_u16(std::string_view bytes, std::size_t at) { return get<std::uint16_t>(bytes, at); }
std::uint32_t get_u32(std::string_view bytes, std::size_t at) { return get<std::uint32_t>(bytes, at); }
std::uint64_t get_u64(std::string_view bytes, std::size_t at) { return get<std::uint64_t>(bytes, at); }

FrameDecoder::FrameDecoder(std::size_t frame_bytes_max) : read_bytes_(kFirstReadBytes), frame_bytes_max_(frame_bytes_max) {}

void FrameDecoder::make_room(std::size_t bytes) {
  if (capacity_ - end_ >= bytes) return;
  const std::size_t held = end_ - begin_;
  if (capacity_ >= held + bytes) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, held);
  } else {
    const std::size_t capacity = std::max(2 * read_bytes_, held + bytes);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (held != 0) std::memcpy(larger.get(), buffer_.get() + begin_, held);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  }
  begin_ = 0;
  end_ = held;
}

std::span<char> FrameDecoder::space() {
  make_room(read_bytes_);
  return {buffer_.get() + end_, capacity_ - end_};
}

void FrameDecoder::filled(std::size_t bytes) {
  end_ += bytes;
  if (end_ == capacity_) read_bytes_ = std::min(read_bytes_ * kReadGrowth, kReadBytes);
}

void FrameDecoder::push(std::string_view bytes) {
  if (bytes.empty()) return;
  make_room(bytes.size());
  std::memcpy(buffer_.get() + end_, bytes.data(), bytes.size());
  end_ += bytes.size();
}

Result<std::optional<Frame>> FrameDecoder::next() {
  const std::size_t held = end_ - begin_;
  if (held == 0) {
    begin_ = end_ = 0;
    if (capacity_ > 2 * kReadBytes) {  // a large frame has passed; its room is not kept
      buffer_.reset();
      capacity_ = 0;
    }
    return std::nullopt;
  }
  if (held < kFrameHeaderBytes) return std::nullopt;
  const std::string_view bytes(buffer_.get() + begin_, held);
  const std::size_t payload = get_u32(bytes, 0);
  if (payload > frame_bytes_max_) {
    return fail(ErrorKind::failed, "read a frame of the session protocol",
                "it announces " + std::to_string(payload) + " bytes, more than the limit of " +
                    std::to_string(frame_bytes_max_));
  }
  if (held < kFrameHeaderBytes + payload) {
    make_room(kFrameHeaderBytes + payload - held);
    return std::nullopt;
  }
  begin_ += kFrameHeaderBytes + payload;
  return Frame{static_cast<Type>(static_cast<std::uint8_t>(bytes[4])), bytes.substr(kFrameHeaderBytes, payload)};
}

bool FrameDecoder::mid_frame() const { return end_ != begin_; }

std::string frame_header(Type type, std::size_t payload_bytes) {
  std::string out;
  put_u32(out, static_cast<std::uint32_t>(payload_bytes));
  out.push_back(static_cast<char>(type));
  return out;
}

std::string encode(Type type, std::string_view payload) {
  std::string out = frame_header(type, payload.size());
  out += payload;
  return out;
}

std::string output_header(std::uint64_t start, std::uint64_t end, std::size_t bytes) {
  std::string out = frame_header(Type::output, kOutputPrefixBytes + bytes);
  put_u64(out, start);
  put_u64(out, end);
  return out;
}

std::string snapshot_header(std::uint64_t offset, Phase phase, unsigned flags, std::size_t bytes) {
  std::string out = frame_header(Type::snapshot, kSnapshotPrefixBytes + bytes);
  put_u64(out, offset);
  out.push_back(static_cast<char>(phase));
  out.push_back(static_cast<char>(flags));
  put_u16(out, 0);
  return out;
}

std::string data_header(std::uint64_t request, Last last, std::size_t bytes) {
  std::string out = frame_header(Type::data, kDataPrefixBytes + bytes);
  put_u64(out, request);
  out.push_back(static_cast<char>(last));
  return out;
}

std::optional<OutputFrame> decode_output(std::string_view payload) {
  if (payload.size() < kOutputPrefixBytes) return std::nullopt;
  const OutputFrame frame{get_u64(payload, 0), get_u64(payload, 8), payload.substr(kOutputPrefixBytes)};
  if (frame.end < frame.start) return std::nullopt;
  return frame;
}

std::optional<SnapshotFrame> decode_snapshot(std::string_view payload) {
  if (payload.size() < kSnapshotPrefixBytes) return std::nullopt;
  return SnapshotFrame{get_u64(payload, 0), static_cast<Phase>(static_cast<std::uint8_t>(payload[8])),
                       static_cast<std::uint8_t>(payload[9]), payload.substr(kSnapshotPrefixBytes)};
}

std::optional<DataFrame> decode_data(std::string_view payload) {
  if (payload.size() < kDataPrefixBytes) return std::nullopt;
  return DataFrame{get_u64(payload, 0), (payload[8] & 1) != 0 ? Last::yes : Last::no, payload.substr(kDataPrefixBytes)};
}

std::string encode_input(std::uint64_t offset, std::string_view bytes) {
  std::string out = frame_header(Type::input, kInputPrefixBytes + bytes.size());
  put_u64(out, offset);
  out += bytes;
  return out;
}

}  // namespace holdfast::wire
