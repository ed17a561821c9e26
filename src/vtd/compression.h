// Bytes made small, and back (zstd, RFC 8878). Works in pieces, so that a history is never in memory twice.
//
// What is decompressed may come from a process that a program's output has taken over: it is bounded by the caller, and
// so is what the library may ask for.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast::vtd {

class Compressor {
 public:
  // `put` gets the compressed bytes in pieces; an error of it is given back by the call that led to it, and by all later.
  using Put = std::function<Result<>(std::string_view)>;
  explicit Compressor(Put put);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  Result<> add(std::string_view bytes);
  // No more comes: the rest is put.
  Result<> finish();

 private:
  struct Stream;
  Result<> step(std::string_view bytes, bool last);

  Put put_;
  std::unique_ptr<Stream> stream_;
  Result<> done_;
};

// One whole frame. Errors: damaged, cut short, something behind it, or more than `bytes_max` in it. Whatever it says of
// itself, it takes no more memory than 8 MiB and, while the answer moves to where it can grow, three times what is in it.
Result<std::string> decompress(std::string_view frame, std::size_t bytes_max);

}  // namespace holdfast::vtd
