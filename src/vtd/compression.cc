#include "vtd/compression.h"

#include <zstd.h>

#include <utility>

namespace holdfast::vtd {
namespace {

// The fastest: a session goes to sleep while others work, and level 3 takes twice the time for a twentieth less.
constexpr int kLevel = 1;
// How far back a frame may reach, log2 of bytes: 8 MiB, the most that any level of today takes. A frame that says more is
// not ours.
constexpr int kWindowLogMax = 23;
// Put and taken at once, bytes.
constexpr std::size_t kPieceBytes = 64u << 10;

std::unexpected<Error> failed(std::string_view attempted, std::string problem) {
  return fail(ErrorKind::failed, std::string(attempted), std::move(problem));
}

constexpr std::string_view kCompress = "compress a checkpoint", kDecompress = "decompress a checkpoint";

struct FreeDecoder {
  void operator()(ZSTD_DStream* decoder) const { ZSTD_freeDStream(decoder); }
};

}  // namespace

struct Compressor::Stream {
  Stream() : encoder(ZSTD_createCStream()), piece(kPieceBytes, '\0') {
    if (encoder == nullptr) return;
    ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(encoder, ZSTD_c_checksumFlag, 1);
  }
  ~Stream() { ZSTD_freeCStream(encoder); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  ZSTD_CStream* encoder;
  std::string piece;
};

Compressor::Compressor(Put put) : put_(std::move(put)), stream_(std::make_unique<Stream>()) {
  if (stream_->encoder == nullptr) done_ = failed(kCompress, "there is no memory for it");
}
Compressor::~Compressor() = default;

Result<> Compressor::add(std::string_view bytes) { return done_ = done_ ? step(bytes, false) : done_; }
Result<> Compressor::finish() { return done_ = done_ ? step({}, true) : done_; }

Result<> Compressor::step(std::string_view bytes, bool last) {
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (;;) {
    ZSTD_outBuffer out{stream_->piece.data(), stream_->piece.size(), 0};
    const std::size_t left = ZSTD_compressStream2(stream_->encoder, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0) return failed(kCompress, ZSTD_getErrorName(left));
    if (out.pos > 0) TRY(put_({stream_->piece.data(), out.pos}));
    if (last ? left == 0 : in.pos == in.size) return {};
  }
}

Result<std::string> decompress(std::string_view frame, std::size_t bytes_max) {
  const std::unique_ptr<ZSTD_DStream, FreeDecoder> decoder(ZSTD_createDStream());
  if (!decoder) return failed(kDecompress, "there is no memory for it");
  ZSTD_DCtx_setParameter(decoder.get(), ZSTD_d_windowLogMax, kWindowLogMax);
  std::string bytes, piece(kPieceBytes, '\0');
  ZSTD_inBuffer in{frame.data(), frame.size(), 0};
  for (;;) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const std::size_t wants = ZSTD_decompressStream(decoder.get(), &out, &in);
    if (ZSTD_isError(wants) != 0) return failed(kDecompress, ZSTD_getErrorName(wants));
    if (out.pos > bytes_max - bytes.size()) return failed(kDecompress, "it holds more than a checkpoint may");
    bytes.append(piece, 0, out.pos);
    if (wants == 0) break;
    if (in.pos == in.size && out.pos < out.size) return failed(kDecompress, "it is cut short");
  }
  if (in.pos != in.size) return failed(kDecompress, "something stands behind it");
  return bytes;
}

}  // namespace holdfast::vtd
