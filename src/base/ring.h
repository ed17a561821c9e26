// The output ring: the last kRingBytes of a session's output, addressed by absolute offset.
//
// Output byte n has one number for the life of the session. The ring lives in a memfd: the holder writes it, VTD maps
// it read-only, and the keeper keeps the descriptor so that a new holder finds what the old one had read. It knows
// nothing of terminals. One writer, any number of readers; a reader must copy or parse within what `oldest()` allows.
//
// Layout of the memfd: one header page (RingHeader), then `capacity` bytes of data, byte n at n % capacity.
// The header also keeps the last resizes with their offsets, because a screen can only be rebuilt from bytes
// if one knows at which byte the terminal changed its size. And it says what the checkpoint covers that the keeper holds:
// a sleeping session's ring was emptied behind that (docs/vtd.md, "Sleep").
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace holdfast {

struct RingResize {
  std::uint64_t offset;
  std::uint16_t cols, rows, xpixel, ypixel;
};

// The state of the screen after byte offset - 1 and the first `resizes` resizes, which somebody keeps beside the ring.
struct RingCheckpoint {
  std::uint64_t offset = 0;
  std::uint32_t resizes = 0;
  std::uint32_t exact = 0;  // 1: it is what the bytes made
};

struct RingHeader {
  static constexpr std::size_t kBytes = 4096;          // one page
  static constexpr std::uint32_t kMagic = 0x32524648;  // "HFR2"
  static constexpr std::size_t kResizesMax = 200;      // fits one page; drags are throttled, so it covers minutes

  std::uint32_t magic;
  std::uint32_t capacity;                    // bytes
  std::atomic<std::uint64_t> head;           // offset one past the last byte written
  std::uint64_t start;                       // nothing below this offset is there: never was, or was given up
  std::atomic<std::uint32_t> resizes_count;  // ever logged; entry i stands at i % kResizesMax
  std::uint32_t reserved;
  RingCheckpoint checkpoint;                 // offset 0 and no resizes: there is none
  RingResize resizes[kResizesMax];
};
static_assert(sizeof(RingHeader) <= RingHeader::kBytes);

// Where the readable bytes [from, to) lie: one span, or two when they cross the end of the memory.
struct RingSlice {
  std::span<const char> first, second;
  std::size_t size() const { return first.size() + second.size(); }
};

class RingView {
 public:
  // Maps an existing ring read-only. Errors: not a ring, cannot map.
  static Result<RingView> map(int memfd);
  RingView(RingView&&) noexcept;
  RingView& operator=(RingView&&) noexcept;
  ~RingView();

  std::uint64_t head() const { return header_->head.load(std::memory_order_acquire); }
  // The oldest offset still in memory.
  std::uint64_t oldest() const;
  std::size_t capacity() const { return header_->capacity; }
  // The bytes of [from, to). CHECKs that oldest() <= from <= to <= head().
  RingSlice slice(std::uint64_t from, std::uint64_t to) const;
  const RingCheckpoint& checkpoint() const { return header_->checkpoint; }
  std::uint32_t resizes_logged() const { return header_->resizes_count.load(std::memory_order_acquire); }
  // The logged resizes, oldest first.
  template <typename F>
  void each_resize(F&& f) const {
    const std::uint32_t n = header_->resizes_count.load(std::memory_order_acquire);
    const std::uint32_t first = n > RingHeader::kResizesMax ? n - RingHeader::kResizesMax : 0;
    for (std::uint32_t i = first; i < n; ++i) f(header_->resizes[i % RingHeader::kResizesMax]);
  }

 protected:
  RingView(RingHeader* header, std::size_t mapped) : header_(header), mapped_(mapped) {}
  const char* data() const { return reinterpret_cast<const char*>(header_) + RingHeader::kBytes; }

  RingHeader* header_ = nullptr;
  std::size_t mapped_ = 0;
};

class RingWriter : public RingView {
 public:
  // A new ring in a memfd (CLOEXEC, sealed against resizing). Pages are only taken when written.
  static Result<Fd> create_memfd(std::size_t capacity);
  static Result<RingWriter> map(int memfd);

  // The free span at the head to read into: contiguous, at least one and at most `want` bytes. What is written there
  // overwrites the oldest bytes: [oldest(), head() + span size - capacity()) is lost from the first write on, before
  // oldest() says so.
  std::span<char> reserve(std::size_t want);
  // Makes the first n reserved bytes readable. CHECKs that so many were reserved.
  void commit(std::size_t n);
  void log_resize(const RingResize& resize);
  // Somebody keeps the state after everything in the ring so far; `exact` as in RingCheckpoint.
  void log_checkpoint(std::uint64_t offset, bool exact);
  // Gives up the bytes below `offset` and their memory, all whole pages of it. Offsets stay what they are. CHECKs that
  // offset <= head(). Nobody may be reading there.
  void forget_before(std::uint64_t offset);

 private:
  RingWriter(RingHeader* header, std::size_t mapped) : RingView(header, mapped) {}
  void release(std::size_t from, std::size_t to);

  std::size_t reserved_ = 0;
};

}  // namespace holdfast
