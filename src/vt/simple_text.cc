#include "vt/simple_text.h"

#include <array>

#include "vt/script_run.h"
#include "vt/unicode.h"
#include "vt/utf8.h"

namespace holdfast::vt {
namespace {

// ASCII characters in a row behind which the way for those alone pays.
constexpr int kAsciiStreak = 8;

// By the byte that the Unicode table has of a character: its columns if it joins the one before it only in rare company
// (Editor::print_utf8); 0: look closer.
constexpr auto kSimpleWidths = [] {
  std::array<std::uint8_t, 256> widths{};
  for (const Break simple :
       {Break::other, Break::lv, Break::lvt, Break::indic_consonant, Break::extended_pictographic}) {
    for (unsigned byte = 0; byte < widths.size(); ++byte) {
      const CodePointInfo info = unicode_table::info_of(static_cast<std::uint8_t>(byte));
      if (info.break_class == simple) widths[byte] = info.width;
    }
  }
  return widths;
}();

inline int simple_width(char32_t cp) { return kSimpleWidths[unicode_table::byte_of(cp)]; }

struct SimpleChar {
  char32_t cp = 0;
  int length = 0, width = 0;  // no width: look closer
};

inline SimpleChar simple_char(char32_t cp, int length) { return {cp, length, simple_width(cp)}; }

constexpr bool is_han(char32_t cp) { return cp >= 0x4e00 && cp < 0xa000; }

inline unsigned byte_at(const char* p, int i) { return static_cast<unsigned char>(p[i]); }
inline bool is_continuation(const char* p, int i) { return (byte_at(p, i) & 0xc0) == 0x80; }
inline bool leads_two(unsigned lead) { return lead >= 0xc2 && lead < 0xe0; }
// Those for which any two continuation bytes make a character.
inline bool leads_three(unsigned lead) { return lead > 0xe0 && lead < 0xed; }

// Of whole characters with such leads.
inline char32_t two_bytes(const char* p) { return (byte_at(p, 0) & 0x1f) << 6 | (byte_at(p, 1) & 0x3f); }
inline char32_t three_bytes(const char* p) {
  return (byte_at(p, 0) & 0x0f) << 12 | (byte_at(p, 1) & 0x3f) << 6 | (byte_at(p, 2) & 0x3f);
}
inline bool is_two_bytes(const char* p, const char* end) {
  return end - p >= 2 && leads_two(byte_at(p, 0)) && is_continuation(p, 1);
}
inline bool is_three_bytes(const char* p, const char* end) {
  return end - p >= 3 && leads_three(byte_at(p, 0)) && is_continuation(p, 1) && is_continuation(p, 2);
}

[[gnu::noinline]] SimpleChar read_rare(const char* p, const char* end) {
  const Decoded next = decode_utf8(p, static_cast<std::size_t>(end - p));
  if (next.is_incomplete) return {};
  return simple_char(next.cp, static_cast<int>(next.length));
}

// Reads the first character of the bytes. The common lengths have a way of their own.
[[gnu::always_inline]] inline SimpleChar read_simple(const char* p, const char* end) {
  const unsigned lead = byte_at(p, 0);
  if (lead < 0x80) return {lead, 1, lead >= 0x20 && lead != 0x7f};
  if (is_three_bytes(p, end)) {
    const char32_t cp = three_bytes(p);
    return is_han(cp) ? SimpleChar{cp, 3, 2} : simple_char(cp, 3);
  }
  if (is_two_bytes(p, end)) return simple_char(two_bytes(p), 2);
  return read_rare(p, end);
}

// Text keeps to one script for a while: each has a loop of its own, so that what comes next is foreseen.
template <bool kToCells>
class Putter {
 public:
  Putter(const char* p, const char* end, Cell* cells, int x, int limit, std::uint64_t pen)
      : p_(p), end_(end), cells_(cells), x_(x), limit_(limit), pen_(pen) {}

  [[gnu::always_inline]] inline SimpleText put() {
    for (int ascii = 0; x_ <= limit_ && p_ < end_;) {
      const SimpleChar next = read_simple(p_, end_);
      ascii = next.length == 1 ? ascii + 1 : 0;
      if (!fits(next) || ascii > kAsciiStreak) break;
      put_script(next);
    }
    return {p_, x_, last_, has_wide_};
  }

  // What a scanner leaves is looked at one by one, until another script comes.
  [[gnu::always_inline]] inline SimpleText scan(ScriptScanner scanner) {
    while (x_ <= limit_ && p_ < end_) {
      if (scanner) take(scanner(p_, static_cast<std::size_t>(end_ - p_)));
      if (x_ > limit_ || p_ == end_) break;
      const SimpleChar next = read_simple(p_, end_);
      if (!fits(next) || next.cp == kReplacement) break;
      put_script(next);
    }
    return {p_, x_, last_, has_wide_};
  }

 private:
  [[gnu::always_inline]] inline bool fits(const SimpleChar& next) const {
    return next.width != 0 && x_ + next.width - 1 <= limit_;
  }

  void take(const ScriptRun& run) {
    if (run.bytes == 0 || run.columns > static_cast<std::size_t>(limit_ - x_ + 1)) return;
    last_ = read_simple(p_ + run.last, p_ + run.bytes).cp;
    p_ += run.bytes;
    x_ += static_cast<int>(run.columns);
    has_wide_ |= run.has_wide;
  }

  [[gnu::always_inline]] inline void put_script(const SimpleChar& next) {
    if (next.width == 1) put_narrow(next.cp, next.length);
    else put_wide(next.cp, next.length);
    if (next.length == 2) {
      while (x_ <= limit_ && is_two_bytes(p_, end_) && simple_width(two_bytes(p_)) == 1) put_narrow(two_bytes(p_), 2);
    } else if (is_han(next.cp)) {
      while (x_ < limit_ && is_three_bytes(p_, end_) && is_han(three_bytes(p_))) put_wide(three_bytes(p_), 3);
    } else if (next.length == 3 && next.width == 1) {
      while (x_ <= limit_ && is_three_bytes(p_, end_) && simple_width(three_bytes(p_)) == 1) put_narrow(three_bytes(p_), 3);
    }
  }

  [[gnu::always_inline]] inline void put_narrow(char32_t cp, int length) {
    if constexpr (kToCells) cells_[x_].bits = cp | pen_;
    ++x_;
    p_ += length;
    last_ = cp;
  }
  [[gnu::always_inline]] inline void put_wide(char32_t cp, int length) {
    if constexpr (kToCells) {
      cells_[x_].bits = cp | pen_ | Cell::kind_bits(CellKind::wide);
      cells_[x_ + 1].bits = pen_ | Cell::kind_bits(CellKind::wide_tail);
    }
    x_ += 2;
    p_ += length;
    last_ = cp;
    has_wide_ = true;
  }

  const char *p_, *end_;
  Cell* cells_;
  int x_, limit_;
  std::uint64_t pen_;
  char32_t last_ = 0;
  bool has_wide_ = false;
};

}  // namespace

bool starts_simple(const char* p, const char* end) { return read_simple(p, end).width != 0; }

SimpleText put_simple(const char* p, const char* end, Cell* cells, int x, int limit, std::uint64_t pen) {
  return Putter<true>(p, end, cells, x, limit, pen).put();
}

SimpleText scan_simple(const char* p, const char* end, int x, int limit) {
  static const ScriptScanner scanner = script_scanner();
  return Putter<false>(p, end, nullptr, x, limit, 0).scan(scanner);
}

}  // namespace holdfast::vt
