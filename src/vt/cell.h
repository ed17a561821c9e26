// One cell of the grid in 64 bits. No per-cell allocation, no reference counts (docs/vt.md, "Layout").
#pragma once

#include <cstdint>

namespace holdfast::vt {

enum class CellKind : std::uint8_t {
  narrow = 0,
  wide = 1,         // left half of a two-column character
  wide_tail = 2,    // right half
  wrap_spacer = 3,  // the last column left blank because a wide character did not fit and wrapped
};

enum class Semantic : std::uint8_t { output = 0, prompt = 1, input = 2 };  // OSC 133

// bits  0-20 code point, or index into ClusterTable when bit 21 is set; 0 = never written ("erased" is not "space")
// bit     21 cluster
// bits 22-23 CellKind
// bit     24 protected (ISO or DEC; which of them is a bit of the screen)
// bits 25-26 Semantic
// bit     27 spare
// bits 28-43 style id (0 = default). A blank with a background is code point 0 plus style
// bits 44-59 link id (0 = none)
// bits 60-63 spare
struct Cell {
  std::uint64_t bits = 0;

  static constexpr std::uint64_t kTextMask = 0x1fffff, kCluster = 1ull << 21, kProtected = 1ull << 24;
  static constexpr int kKindShift = 22, kSemanticShift = 25, kStyleShift = 28, kLinkShift = 44;

  constexpr std::uint32_t text() const { return bits & kTextMask; }  // code point or cluster index
  constexpr bool is_cluster() const { return bits & kCluster; }
  constexpr bool is_written() const { return bits & (kTextMask | kCluster); }
  constexpr CellKind kind() const { return static_cast<CellKind>((bits >> kKindShift) & 3); }
  constexpr bool is_protected() const { return bits & kProtected; }
  constexpr Semantic semantic() const { return static_cast<Semantic>((bits >> kSemanticShift) & 3); }
  constexpr std::uint16_t style() const { return static_cast<std::uint16_t>(bits >> kStyleShift); }
  constexpr std::uint16_t link() const { return static_cast<std::uint16_t>(bits >> kLinkShift); }

  // The part that a pen contributes: style, link, protection, semantic.
  static constexpr std::uint64_t pen_bits(std::uint16_t style, std::uint16_t link, bool is_protected,
                                          Semantic semantic) {
    return std::uint64_t{style} << kStyleShift | std::uint64_t{link} << kLinkShift | (is_protected ? kProtected : 0) |
           static_cast<std::uint64_t>(semantic) << kSemanticShift;
  }
  static constexpr std::uint64_t kind_bits(CellKind kind) { return static_cast<std::uint64_t>(kind) << kKindShift; }

  friend constexpr bool operator==(Cell, Cell) = default;
};
static_assert(sizeof(Cell) == 8);

// A code point that printing puts into cells. Others would steer the terminal that a restore is sent to.
constexpr bool is_printable(std::uint64_t cp) {
  return cp >= 0x20 && (cp < 0x7f || cp > 0x9f) && (cp < 0xd800 || cp > 0xdfff) && cp <= 0x10ffff;
}

}  // namespace holdfast::vt
