#include "base/ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

namespace holdfast {
namespace {

constexpr std::size_t kHeaderBytes = RingHeader::kBytes;

struct Mapping {
  RingHeader* header;
  std::size_t bytes;
};

bool is_sound(const RingHeader& header, std::size_t bytes) {
  return header.magic == RingHeader::kMagic && header.capacity > 0 && header.capacity + kHeaderBytes == bytes &&
         header.start <= header.head.load(std::memory_order_relaxed);
}

Result<Mapping> map_ring(int memfd, int protection) {
  struct stat info{};
  if (::fstat(memfd, &info) != 0) return fail_errno("look at the output ring", errno);
  const auto bytes = static_cast<std::size_t>(info.st_size);
  if (bytes <= kHeaderBytes) return fail(ErrorKind::failed, "map the output ring", "it is too small to be one");
  void* memory = ::mmap(nullptr, bytes, protection, MAP_SHARED, memfd, 0);
  if (memory == MAP_FAILED) return fail_errno("map the output ring", errno);
  auto* header = static_cast<RingHeader*>(memory);
  if (!is_sound(*header, bytes)) {
    ::munmap(memory, bytes);
    return fail(ErrorKind::failed, "map the output ring", "the file is not a ring of this version");
  }
  return Mapping{header, bytes};
}

}  // namespace

Result<RingView> RingView::map(int memfd) {
  const Mapping mapping = TRY(map_ring(memfd, PROT_READ));
  return RingView(mapping.header, mapping.bytes);
}

RingView::RingView(RingView&& other) noexcept
    : header_(std::exchange(other.header_, nullptr)), mapped_(std::exchange(other.mapped_, 0)) {}

RingView& RingView::operator=(RingView&& other) noexcept {
  if (this == &other) return *this;
  if (header_ != nullptr) ::munmap(header_, mapped_);
  header_ = std::exchange(other.header_, nullptr);
  mapped_ = std::exchange(other.mapped_, 0);
  return *this;
}

RingView::~RingView() {
  if (header_ != nullptr) ::munmap(header_, mapped_);
}

std::uint64_t RingView::oldest() const {
  const std::uint64_t at = head();
  return std::max(header_->start, at > capacity() ? at - capacity() : 0);
}

RingSlice RingView::slice(std::uint64_t from, std::uint64_t to) const {
  CHECK(oldest() <= from && from <= to && to <= head());
  const std::size_t begin = from % capacity();
  const std::size_t size = to - from;
  const std::size_t until_end = std::min(size, capacity() - begin);
  return {{data() + begin, until_end}, {data(), size - until_end}};
}

Result<Fd> RingWriter::create_memfd(std::size_t capacity) {
  Fd memfd(::memfd_create("holdfast-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memfd) return fail_errno("make the output ring", errno);
  const std::size_t bytes = kHeaderBytes + capacity;
  if (::ftruncate(memfd.get(), static_cast<off_t>(bytes)) != 0) return fail_errno("make the output ring", errno);
  void* memory = ::mmap(nullptr, kHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memfd.get(), 0);
  if (memory == MAP_FAILED) return fail_errno("make the output ring", errno);
  auto* header = new (memory) RingHeader{};
  header->capacity = static_cast<std::uint32_t>(capacity);
  header->magic = RingHeader::kMagic;
  ::munmap(memory, kHeaderBytes);
  // A ring cut short under a process that maps it would kill that process.
  if (::fcntl(memfd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return fail_errno("seal the output ring", errno);
  }
  return memfd;
}

Result<RingWriter> RingWriter::map(int memfd) {
  const Mapping mapping = TRY(map_ring(memfd, PROT_READ | PROT_WRITE));
  return RingWriter(mapping.header, mapping.bytes);
}

std::span<char> RingWriter::reserve(std::size_t want) {
  const std::size_t at = head() % capacity();
  reserved_ = std::min(want, capacity() - at);
  return {reinterpret_cast<char*>(header_) + kHeaderBytes + at, reserved_};
}

void RingWriter::commit(std::size_t n) {
  CHECK(n <= reserved_);
  reserved_ = 0;
  header_->head.store(head() + n, std::memory_order_release);
}

void RingWriter::log_resize(const RingResize& resize) {
  const std::uint32_t count = header_->resizes_count.load(std::memory_order_relaxed);
  header_->resizes[count % RingHeader::kResizesMax] = resize;
  header_->resizes_count.store(count + 1, std::memory_order_release);
}

void RingWriter::log_checkpoint(std::uint64_t offset, bool exact) {
  header_->checkpoint = {offset, resizes_logged(), exact ? 1u : 0u};
}

void RingWriter::forget_before(std::uint64_t offset) {
  CHECK(offset <= head());
  if (offset <= oldest()) return;
  header_->start = offset;
  // What is kept lies from `first` to `end`, perhaps around the end of the memory; all the rest goes.
  const std::size_t first = offset % capacity(), end = head() % capacity();
  if (offset == head()) return release(0, capacity());
  if (first < end) {
    release(0, first);
    release(end, capacity());
  } else {
    release(end, first);
  }
}

// The whole pages between two places of the data. A hole reads as zeros, and nobody reads it.
void RingWriter::release(std::size_t from, std::size_t to) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t begin = (kHeaderBytes + from + page - 1) / page * page, end = (kHeaderBytes + to) / page * page;
  // Where the system cannot (a kernel without it), the memory stays: nothing else depends on it.
  if (begin < end) (void)::madvise(reinterpret_cast<char*>(header_) + begin, end - begin, MADV_REMOVE);
}

}  // namespace holdfast
