// What cells refer to by number: styles, clusters of code points, hyperlinks.
//
// All three are append-only tables owned by one Terminal and shared by its screens. Nothing is reference-counted:
// when a table is full the Editor marks the ids that rows of the screens, pens and saved cursors still use, and remaps
// them (Editor::compact_tables). History does not count: its lines hold pens and characters by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::vt {

// 0 = the terminal's default; else tag in bits 24-25: 1 = palette index in bits 0-7, 2 = 0xRRGGBB in bits 0-23.
struct Color {
  std::uint32_t value = 0;
  static constexpr Color palette(std::uint8_t index) { return {1u << 24 | index}; }
  static constexpr Color rgb(std::uint8_t r, std::uint8_t g, std::uint8_t b) {
    return {2u << 24 | std::uint32_t{r} << 16 | std::uint32_t{g} << 8 | b};
  }
  constexpr bool is_default() const { return value == 0; }
  constexpr bool is_palette() const { return value >> 24 == 1; }
  constexpr bool is_rgb() const { return value >> 24 == 2; }
  friend constexpr bool operator==(Color, Color) = default;
};

enum Attribute : std::uint32_t {
  kBold = 1u << 0,
  kFaint = 1u << 1,
  kItalic = 1u << 2,
  kBlink = 1u << 3,       // SGR 5
  kRapidBlink = 1u << 4,  // SGR 6
  kInverse = 1u << 5,
  kHidden = 1u << 6,
  kStrike = 1u << 7,
  kOverline = 1u << 8,
  kUnderlineShift = 12,  // bits 12-14: 0 none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed
  kUnderlineMask = 7u << 12,
};

struct Style {
  Color foreground, background, underline_color;
  std::uint32_t attributes = 0;

  constexpr unsigned underline() const { return (attributes & kUnderlineMask) >> kUnderlineShift; }
  constexpr void set_underline(unsigned kind) { attributes = (attributes & ~kUnderlineMask) | kind << kUnderlineShift; }
  friend constexpr bool operator==(const Style&, const Style&) = default;
};
static_assert(sizeof(Style) == 16);

// Interns styles. Id 0 is the default style.
class StyleTable {
 public:
  static constexpr std::uint32_t kFull = 0xffff;  // ids are 16 bits; 0xffff is never given out
  // Styles up to which the table stays as small as a processor's nearest cache: a program that paints in ever new colours
  // would otherwise look each of them up in memory.
  static constexpr std::uint32_t kCompactFrom = 2048;

  StyleTable();
  // The id of the style, or kFull when the table has no room: compact and try again.
  std::uint32_t intern(const Style& style);
  const Style& operator[](std::uint16_t id) const { return styles_[id]; }
  std::size_t size() const { return styles_.size(); }
  // So many that a compaction is likely to free most of them.
  bool is_due() const { return styles_.size() >= due_; }
  // Keeps the marked ids, in order; fills `remap` (old id -> new id). Id 0 is always kept.
  void keep(const std::vector<bool>& marked, std::vector<std::uint16_t>& remap);

 private:
  void rehash(std::size_t slots);
  std::size_t due_ = kCompactFrom;
  std::vector<Style> styles_;
  std::vector<std::uint16_t> slots_;  // open addressing; 0xffff = empty
};

// Sequences of 2 to kCodePointsMax code points that share one cell.
class ClusterTable {
 public:
  // RGI families need 10; more marks than this are dropped, the width is kept.
  static constexpr std::size_t kCodePointsMax = 32;
  // Distinct clusters before a compaction is due.
  static constexpr std::uint32_t kFull = 1u << 20;

  std::uint32_t intern(std::span<const char32_t> code_points);  // kFull when there is no room
  std::span<const char32_t> operator[](std::uint32_t id) const;
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return arena_.size() * sizeof(char32_t); }
  void keep(const std::vector<bool>& marked, std::vector<std::uint32_t>& remap);

 private:
  struct Entry {
    std::uint32_t at, length;
  };
  void rehash(std::size_t slots);
  std::vector<Entry> entries_;
  std::vector<char32_t> arena_;
  std::vector<std::uint32_t> slots_;
};

// OSC 8 hyperlinks. Id 0 = none. Two links are one if id text and URI are equal; a link without an id text is one link
// per opening (its serial), so that two neighbouring ones with the same URI stay apart.
struct Link {
  std::string id;  // "" = implicit
  std::string uri;
  std::uint32_t serial = 0;  // of implicit links
  friend bool operator==(const Link&, const Link&) = default;
};

// Text that can stand between OSC and ST again: nothing in it ends or aborts the string.
inline bool fits_into_osc(std::string_view text) {
  return text.find_first_of("\x1b\x07\x18\x1a") == std::string_view::npos;
}

class LinkTable {
 public:
  static constexpr std::uint32_t kFull = 0xffff;
  static constexpr std::size_t kUriBytesMax = 4096;        // longer ones are ignored, as Ghostty and kitty do
  static constexpr std::size_t kTotalBytesMax = 4u << 20;  // of all URIs and ids: reached = full

  LinkTable();
  std::uint32_t intern(const Link& link);
  const Link& operator[](std::uint16_t id) const { return links_[id]; }
  std::size_t size() const { return links_.size(); }
  void keep(const std::vector<bool>& marked, std::vector<std::uint16_t>& remap);

 private:
  void rehash(std::size_t slots);
  std::vector<Link> links_;
  std::vector<std::uint16_t> slots_;
  std::size_t bytes_ = 0;
};

struct Tables {
  StyleTable styles;
  ClusterTable clusters;
  LinkTable links;
};

}  // namespace holdfast::vt
