// Text helpers that several rooms need: encodings, quoting, and making hostile text fit to be shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

std::string base64(std::string_view bytes);
// Standard alphabet; padding may be missing. nullopt: anything else.
std::optional<std::string> base64_decode(std::string_view text);
std::string hex(std::string_view bytes);  // lower case

// Text of others as it may be shown on a terminal: control characters (C0, DEL, C1) and invalid UTF-8 are replaced by
// U+FFFD, bidirectional overrides are dropped, at most max_chars code points are kept ("…" marks the cut).
std::string printable(std::string_view text, std::size_t max_chars = 4096);

// "SIGTERM"; "signal 40" where it has no name.
std::string signal_name(int number);

// A word as a POSIX shell takes it: as it is when harmless, else in single quotes.
std::string shell_quoted(std::string_view word);

// Slips of a finger between two words: a byte put in, left out, taken for another, or swapped with its neighbour. Takes
// time and memory of one size times the other: the caller bounds them.
std::size_t edit_distance(std::string_view a, std::string_view b);

// CRC-32C (Castagnoli), as the snapshot and checkpoint records use it. `seed` continues a running sum.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed = 0);

}  // namespace holdfast
