// Every bound of Holdfast that crosses a room: name, unit, reason. Bounds of one room only stand in that room.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::limits {

// Output ring, bytes. 8 MiB holds far more than any screen; a rebuild of all of it takes under 0.1 s.
inline constexpr std::size_t kRingBytes = 8u << 20;

// How far VTD may lag, bytes, before reads from the PTY pause: half the ring, so that the ring always covers
// what lies between the last checkpoint and the head.
inline constexpr std::size_t kVtdLagBytes = 4u << 20;

// VTD writes a checkpoint after this many bytes of output: with kVtdLagBytes it sums to under kRingBytes.
inline constexpr std::size_t kCheckpointEveryBytes = 3u << 20;

// A client's backlog, bytes, before it is dropped and the client gets a fresh picture instead. It lies in the ring, so it
// may take most of that; the rest is room for what is read before the next look at it.
inline constexpr std::size_t kClientBacklogBytes = kRingBytes - (2u << 20);

// The largest frame a peer may send, bytes: a whole history in one answer fits, a lie about a length does not hurt.
inline constexpr std::size_t kFrameBytesMax = 8u << 20;

// The largest input frame, bytes: one large paste.
inline constexpr std::size_t kInputFrameBytesMax = 1u << 20;

// The largest control (JSON) payload, bytes.
inline constexpr std::size_t kControlBytesMax = 64u << 10;

// Input that waits because the program does not read, bytes, before the holder stops reading from the typist.
inline constexpr std::size_t kInputQueueBytes = 4u << 20;

// Clients of one session at a time. Each costs a descriptor and a few kilobytes.
inline constexpr std::size_t kClientsMax = 256;

// Terminal sizes, cells. Below the floor programs crash (zsh at 6 columns), above the ceiling nobody has a screen.
inline constexpr std::uint16_t kColsMin = 1, kRowsMin = 1, kColsMax = 4096, kRowsMax = 2048;
// The smallest size a client may give to the program, cells.
inline constexpr std::uint16_t kLeaderColsMin = 10, kLeaderRowsMin = 2;

// Default history, rows and bytes, whichever is first. Packed rows take a tenth of this many bytes in practice.
inline constexpr std::uint32_t kHistoryRowsDefault = 10'000;
inline constexpr std::size_t kHistoryBytesDefault = 64u << 20;

// The largest history that may be set, bytes: VTD writes all of it out, as text or as a checkpoint, in one step, and a
// step of two seconds counts as a hang. It takes a fifth of that on a machine of today.
inline constexpr std::size_t kHistoryBytesMax = 256u << 20;
// The largest checkpoint, bytes: that history, and the screens and tables beside it with room to spare. A length beyond
// it is taken for damage and not allocated.
inline constexpr std::size_t kCheckpointBytesMax = 2 * kHistoryBytesMax;

// A session without output, input, reads and clients sleeps after so many seconds. Waking costs a few milliseconds, and
// who comes back after ten minutes does not notice; a coding agent that thinks is quiet for less.
inline constexpr std::int64_t kSleepAfterSecondsDefault = 600;
// A year: more than that means never, and is written so.
inline constexpr std::int64_t kSleepAfterSecondsMax = 365 * 24 * 3600;

// Names of sessions (docs/cli.md): `[a-z][a-z0-9_-]{0,31}`.
inline constexpr std::size_t kNameBytesMax = 32;

}  // namespace holdfast::limits
