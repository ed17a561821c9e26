// The snapshot decoder under any bytes: an error, or a terminal that can go on, be restored, and be written again.
//
// Bytes are changed inside records, and lengths and checksums are made right again: else nearly every input would be
// refused before anything of it is read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/text.h"
#include "fuzz/check.h"
#include "fuzz/memory.h"
#include "vt/invariants_fixture.h"
#include "vt/snapshot_format.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace holdfast;
using namespace vt::snapshot_format;

constexpr std::size_t kHeadBytes = kMagic.size() + 2, kTypeBytes = 2, kLengthBytes = 4;

// What decoding may hold: two screens of the largest size, cells of 8 bytes; tables and history in proportion to what
// is read, an image and its copy included.
constexpr std::size_t kHeldByTerminal =
    std::size_t{2} * limits::kColsMax * limits::kRowsMax * sizeof(vt::Cell) + (8u << 20);
constexpr std::size_t kHeldPerByte = 64;

constexpr std::string_view kMore =
    "\r\nmore "
    "\xe4\xb8\xad\xcc\x81\x1b[31;44mcolour\x1b]8;;a:b\x1b\\link\x1b[m\x1b[5;5H\x1b[2L\x1b[?1049h\x1b[J\x1b[?1049l\x1b["
    "S\n\n\n\n";

struct Record {
  std::string type, payload;
};

std::string little_endian(std::uint32_t value) {
  std::string bytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i, value >>= 8) bytes += static_cast<char>(value);
  return bytes;
}

// What follows the head, cut where the lengths say; what they cut wrong is the last record.
std::vector<Record> records_of(std::string_view bytes) {
  std::vector<Record> records;
  while (bytes.size() >= kRecordOverhead) {
    std::size_t size = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;) size = size << 8 | static_cast<unsigned char>(bytes[kTypeBytes + i]);
    size = std::min(size, bytes.size() - kRecordOverhead);
    records.push_back(
        {std::string(bytes.substr(0, kTypeBytes)), std::string(bytes.substr(kTypeBytes + kLengthBytes, size))});
    bytes.remove_prefix(kRecordOverhead + size);
  }
  return records;
}

std::string snapshot_of(std::string_view head, const std::vector<Record>& records) {
  std::string bytes(head);
  for (const Record& record : records) {
    const std::string whole =
        record.type + little_endian(static_cast<std::uint32_t>(record.payload.size())) + record.payload;
    bytes += whole + little_endian(crc32c(whole));
  }
  return bytes;
}

void mutate(std::string& bytes, std::size_t bytes_max) {
  const std::size_t size = bytes.size();
  bytes.resize(std::max(bytes_max, size));
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  constexpr unsigned kWholeOneIn = 50, kRecordsOneIn = 20;
  std::minstd_rand random(seed);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size <= kHeadBytes + kRecordOverhead || random() % kWholeOneIn == 0)
    return LLVMFuzzerMutate(data, size, max_size);
  std::vector<Record> records = records_of(bytes.substr(kHeadBytes));
  const auto at = records.begin() + static_cast<std::ptrdiff_t>(random() % records.size());
  if (random() % kRecordsOneIn == 0) {
    if (random() % 2 == 0)
      records.erase(at);
    else
      records.insert(at, Record(*at));
  } else {
    mutate(at->payload, std::max(max_size, size) - size + at->payload.size());
  }
  const std::string changed = snapshot_of(bytes.substr(0, kHeadBytes), records);
  if (changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::optional<fuzz::Memory> memory(std::in_place);
  auto state = vt::decode_snapshot(fuzz::bytes_of(data, size));
  fuzz::require(memory->most() <= kHeldPerByte * size + kHeldByTerminal, "decoding holds more than it may");
  if (!state) return 0;
  fuzz::require_none("a decoded snapshot breaks a promise", vt::broken_invariants(*state));
  fuzz::require_none("a decoded snapshot breaks a bound", vt::broken_bounds(*state));
  fuzz::require_none("a snapshot written again is another one", vt::snapshot_faults(*state));

  vt::Silence silence;
  vt::Terminal terminal(std::move(*state), vt::Profile::ghostty);
  terminal.feed(kMore, silence);
  terminal.resize({20, 6, 0, 0}, silence);
  terminal.feed(kMore, silence);
  fuzz::require_none("a decoded terminal breaks a promise", vt::broken_invariants(terminal.state()));
  std::string bytes;
  vt::write_restore(terminal.mutable_state(), {}, bytes);
  return 0;
}
