#include "vtd/checkpoint.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/sys.h"
#include "vt/snapshot.h"
#include "vtd/compression.h"

namespace holdfast::vtd {
namespace {

constexpr std::string_view kMagic = "HFCP";
constexpr std::size_t kHeadBytes = 8, kFormAt = 4, kFlagsAt = 5;
constexpr unsigned kWantsClusters = 1, kHasBegun = 2;

std::string head_of(ClusterWish clusters, Form form) {
  std::string head(kMagic);
  head += static_cast<char>(form);
  head += static_cast<char>((clusters.wanted ? kWantsClusters : 0) | (clusters.has_begun ? kHasBegun : 0));
  head.resize(kHeadBytes, '\0');
  return head;
}

std::unexpected<Error> unreadable(std::string problem) {
  return fail(ErrorKind::failed, "read a checkpoint", std::move(problem));
}

Result<std::string> read_whole(int file) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  if (size < 0 || static_cast<std::size_t>(size) > limits::kCheckpointBytesMax) return unreadable("it has no sane size");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto n = ::pread(file, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail_errno("read a checkpoint", errno);
    at += static_cast<std::size_t>(n);
  }
  return bytes;
}

}  // namespace

Result<std::uint64_t> write_checkpoint(const vt::State& state, ClusterWish clusters, Form form, int file) {
  std::uint64_t bytes = 0;
  const auto put = [&](std::string_view piece) {
    bytes += piece.size();
    return sys::write_all(file, piece);
  };
  TRY(put(head_of(clusters, form)));
  Result<> written;
  if (form == Form::plain) {
    vt::write_snapshot(state, [&](std::string_view piece) {
      if (written) written = put(piece);
    });
    TRY(written);
    return bytes;
  }
  Compressor compressor(put);
  vt::write_snapshot(state, [&](std::string_view piece) {
    if (written) written = compressor.add(piece);
  });
  TRY(written);
  TRY(compressor.finish());
  return bytes;
}

Result<Checkpoint> read_checkpoint(int file) {
  const std::string whole = TRY(read_whole(file));
  const std::string_view bytes = whole;
  if (bytes.size() < kHeadBytes || !bytes.starts_with(kMagic)) return unreadable("it is none");
  const auto flags = static_cast<unsigned char>(bytes[kFlagsAt]);
  const ClusterWish clusters{(flags & kWantsClusters) != 0, (flags & kHasBegun) != 0};
  const std::string_view body = bytes.substr(kHeadBytes);
  switch (static_cast<Form>(bytes[kFormAt])) {
    case Form::plain:
      return Checkpoint{TRY(vt::decode_snapshot(body)), clusters};
    case Form::compressed:
      return Checkpoint{TRY(vt::decode_snapshot(TRY(decompress(body, limits::kCheckpointBytesMax)))), clusters};
  }
  return unreadable("it is of no known form");
}

}  // namespace holdfast::vtd
