// The words between a holder and its VTD: one message a packet over a SOCK_SEQPACKET socketpair (docs/vtd.md).
// Output bytes never travel here: VTD reads them from the shared ring. Both sides are one binary, so there is no
// version; a message that does not decode ends the VTD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace holdfast::wire::vtd {

// Holder to VTD, in the order of the offsets.
struct Start {  // first message; with a descriptor: the checkpoint to start from, of `offset`
  std::uint64_t offset = 0;
  std::uint16_t cols = 80, rows = 24, xpixel = 0, ypixel = 0;
  std::uint32_t history_rows = 0;
  std::uint64_t history_bytes = 0;
};
struct Range {  // parse the ring up to `end`
  std::uint64_t end = 0;
};
struct Skip {  // a range that kills VTD: go on at `to` without parsing
  std::uint64_t to = 0;
};
struct Resize {  // at `offset`, which has been parsed up to by the ranges before
  std::uint64_t offset = 0;
  std::uint16_t cols = 0, rows = 0, xpixel = 0, ypixel = 0;
};
struct Profile {  // what answers to queries say: JSON of the attach capabilities
  std::string json{};
};
enum class Want : std::uint8_t {
  restore = 1,         // history, screens and state
  restore_screen = 2,  // the visible screens and state only
  view = 3,            // cut to cols x rows
  undo = 4,
  checkpoint = 5,      // what another VTD can go on from
  read = 6,            // text: `json` holds format, rows, all, unwrap
  packed_checkpoint = 7,  // the same as checkpoint in less memory: the session sleeps on it
};
struct Request {
  std::uint64_t id = 0;
  Want want = Want::restore;
  std::uint16_t cols = 0, rows = 0;
  std::int16_t outer_kitty_flags = -1;
  std::string json{};
};

// VTD to holder.
struct Ack {  // parsed up to `offset`
  std::uint64_t offset = 0;
};
struct Reply {  // bytes for the program, caused by the sequence that ended at `offset`
  std::uint64_t offset = 0;
  std::string bytes;
};
struct Event {
  std::uint64_t offset = 0;
  std::uint8_t kind = 0;  // vt::EventKind
  std::uint32_t number = 0;
  std::string text;
};
struct Answer {  // with a descriptor (memfd) that holds `bytes` bytes, unless there was an error
  std::uint64_t id = 0;
  std::uint64_t offset = 0;        // the state is that after byte offset-1
  std::uint64_t bytes = 0;
  std::uint64_t phase_two_at = 0;  // of restore: where the screen part starts
  std::string error{};             // "" = done
};

using ToVtd = std::variant<Start, Range, Skip, Resize, Profile, Request>;
using FromVtd = std::variant<Ack, Reply, Event, Answer>;

inline constexpr std::size_t kPacketBytesMax = 64u << 10;  // titles, replies and reads fit by their own bounds

std::string encode(const ToVtd& message);
std::string encode(const FromVtd& message);
Result<ToVtd> decode_to_vtd(std::string_view packet);
Result<FromVtd> decode_from_vtd(std::string_view packet);

}  // namespace holdfast::wire::vtd
