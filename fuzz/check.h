// How a fuzzer says what does not hold: one sentence, then it aborts.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "vt/replay_fixture.h"

namespace holdfast::fuzz {

[[noreturn]] inline void fail(std::string_view what, std::string_view more = {}) {
  std::fprintf(stderr, "%.*s\n%.*s\n", static_cast<int>(what.size()), what.data(), static_cast<int>(more.size()),
               more.data());
  std::abort();
}

inline void require(bool holds, std::string_view what) {
  if (!holds) fail(what);
}

// `faults`: what is wrong, as text; empty when nothing is.
inline void require_none(std::string_view what, const std::string& faults) {
  if (!faults.empty()) fail(what, faults);
}

// Two texts of one fact a line; tells the first lines that differ.
inline void require_equal(std::string_view what, const std::string& have, const std::string& want) {
  if (have != want) fail(what, vt::first_difference(want, have));
}

inline std::string_view bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace holdfast::fuzz
