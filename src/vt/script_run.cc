#include "vt/script_run.h"

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "base/cpu.h"
#include "vt/utf8.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace holdfast::vt {

#if defined(__x86_64__)
namespace {

#define HOLDFAST_AVX2 __attribute__((target("avx2"), always_inline)) inline

constexpr std::size_t kBytes = 64;  // looked at together: a bit for each in one word
constexpr std::size_t kAhead = 2;   // more of them must be there: each is looked at with the two that follow

// Kinds of characters, by their first byte.
enum Kind : unsigned {
  kTwoC = 1 << 0,   // C3-CB, CE, CF
  kTwoD = 1 << 1,   // D0, D1, D3-D5
  kWide = 1 << 2,   // E4-E9, EB, EC: wide, whatever follows
  kE2 = 1 << 3,     // arrows, boxes, shapes: 84-87 and 94-97, but for the two wide ones, whose third byte is BD or BE
  kKana = 1 << 4,   // E3 81-83
  kEA = 1 << 5,     // B0-BF: Hangul begins
  kED = 1 << 6,     // 80-8D, 90-9D: Hangul ends
  kFace = 1 << 7,   // F0 9F 98
};
constexpr unsigned kTwoBytes = kTwoC | kTwoD, kThreeWide = kWide | kKana | kEA | kED;

using Nibbles = std::array<std::uint8_t, 16>;

constexpr Nibbles nibbles(std::initializer_list<std::pair<unsigned, std::uint16_t>> kinds) {
  Nibbles table{};
  for (const auto& [kind, values] : kinds) {
    for (std::size_t value = 0; value < table.size(); ++value) {
      if (values >> value & 1) table[value] |= static_cast<std::uint8_t>(kind);
    }
  }
  return table;
}

// Bit n: a nibble of that value. A kind is there if all four nibbles say so.
constexpr std::uint16_t kAny = 0xffff;
constexpr Nibbles kFirstHigh = nibbles({{kTwoC, 1 << 0xc}, {kTwoD, 1 << 0xd}, {kWide | kE2 | kKana | kEA | kED, 1 << 0xe}, {kFace, 1 << 0xf}});
constexpr Nibbles kFirstLow = nibbles({{kTwoC, 0b1100'1111'1111'1000}, {kTwoD, 0b0000'0000'0011'1011}, {kWide, 0b0001'1011'1111'0000},
                                       {kE2, 1 << 0x2}, {kKana, 1 << 0x3}, {kEA, 1 << 0xa}, {kED, 1 << 0xd}, {kFace, 1 << 0x0}});
constexpr Nibbles kSecondHigh = nibbles({{kTwoC | kTwoD | kWide, kAny}, {kE2 | kED, 1 << 0x8 | 1 << 0x9}, {kKana, 1 << 0x8}, {kEA, 1 << 0xb}, {kFace, 1 << 0x9}});
constexpr Nibbles kSecondLow = nibbles({{kTwoC | kTwoD | kWide | kEA, kAny}, {kE2, 0b1111'0000}, {kKana, 0b1110}, {kED, 0b0011'1111'1111'1111}, {kFace, 1 << 0xf}});

HOLDFAST_AVX2 __m256i load(const char* text) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text)); }
HOLDFAST_AVX2 __m256i every_byte(unsigned value) { return _mm256_set1_epi8(static_cast<char>(value)); }
HOLDFAST_AVX2 __m256i both(__m256i a, __m256i b) { return _mm256_and_si256(a, b); }
HOLDFAST_AVX2 __m256i either(__m256i a, __m256i b) { return _mm256_or_si256(a, b); }
HOLDFAST_AVX2 __m256i equal(__m256i bytes, unsigned value) { return _mm256_cmpeq_epi8(bytes, every_byte(value)); }
// Signed: bytes from 0x80 on are below all others, and in their order; so `first` is not 0x80.
HOLDFAST_AVX2 __m256i between(__m256i bytes, unsigned first, unsigned last) {
  return _mm256_andnot_si256(_mm256_cmpgt_epi8(bytes, every_byte(last)), _mm256_cmpgt_epi8(bytes, every_byte(first - 1)));
}
HOLDFAST_AVX2 __m256i table(const Nibbles& values) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values.data())));
}
HOLDFAST_AVX2 __m256i look_up(const Nibbles& high, const Nibbles& low, __m256i bytes) {
  const __m256i nibble = every_byte(0x0f);
  return both(_mm256_shuffle_epi8(table(high), both(_mm256_srli_epi16(bytes, 4), nibble)),
              _mm256_shuffle_epi8(table(low), both(bytes, nibble)));
}

// The kinds of the characters that begin at each byte; 0 = none of them does.
HOLDFAST_AVX2 __m256i kinds_of(__m256i first, __m256i second, __m256i third) {
  const __m256i kinds = both(look_up(kFirstHigh, kFirstLow, first), look_up(kSecondHigh, kSecondLow, second));
  // Where the third byte matters: no face; a wide shape; voicing marks (U+3097-309A) and U+3040.
  const __m256i no_face = _mm256_andnot_si256(equal(third, 0x98), every_byte(kFace));
  const __m256i wide_shape = both(between(third, 0xbd, 0xbe), every_byte(kE2));
  const __m256i no_kana = both(either(both(equal(second, 0x82), between(third, 0x97, 0x9a)), both(equal(second, 0x81), equal(third, 0x80))),
                               every_byte(kKana));
  const __m256i others = either(either(no_face, wide_shape), no_kana);
  // U+2010-2027: dashes, quotes, dots.
  const __m256i punctuation = both(both(equal(first, 0xe2), equal(second, 0x80)), both(between(third, 0x90, 0xa7), every_byte(kE2)));
  return either(_mm256_andnot_si256(others, kinds), punctuation);
}

// A bit for each of 64 bytes.
struct Masks {
  std::uint64_t ascii = 0, continuation = 0;
  std::uint64_t two = 0, three_wide = 0, three_narrow = 0, four = 0;  // first bytes of so many
};

HOLDFAST_AVX2 std::uint64_t mask_of(__m256i lanes) { return static_cast<std::uint32_t>(_mm256_movemask_epi8(lanes)); }

HOLDFAST_AVX2 std::uint64_t mask_of_kinds(__m256i kinds, unsigned which) {
  return ~mask_of(_mm256_cmpeq_epi8(both(kinds, every_byte(which)), _mm256_setzero_si256())) & 0xffffffff;
}

HOLDFAST_AVX2 void add_half(Masks& masks, const char* text, int shift) {
  const __m256i bytes = load(text), kinds = kinds_of(bytes, load(text + 1), load(text + 2));
  masks.two |= mask_of_kinds(kinds, kTwoBytes) << shift;
  masks.three_wide |= mask_of_kinds(kinds, kThreeWide) << shift;
  masks.three_narrow |= mask_of_kinds(kinds, kE2) << shift;
  masks.four |= mask_of_kinds(kinds, kFace) << shift;
  masks.ascii |= mask_of(between(bytes, 0x20, 0x7e)) << shift;
  masks.continuation |= mask_of(_mm256_cmpgt_epi8(every_byte(0xc0), bytes)) << shift;
}

__attribute__((target("avx2,popcnt"))) ScriptRun script_run_avx2(const char* text, std::size_t n) {
  ScriptRun run;
  while (n - run.bytes >= kBytes + kAhead) {
    Masks m;
    add_half(m, text + run.bytes, 0);
    add_half(m, text + run.bytes + kBytes / 2, kBytes / 2);
    const std::uint64_t three = m.three_wide | m.three_narrow;
    const std::uint64_t firsts = m.ascii | m.two | three | m.four;
    const std::uint64_t expected = (m.two | three | m.four) << 1 | (three | m.four) << 2 | m.four << 3;
    const std::uint64_t bad = ~(firsts | m.continuation) | (m.continuation ^ expected);
    // Up to the first byte that is wrong, less the character that it or the end of the window cuts.
    const auto good = static_cast<unsigned>(std::countr_zero(bad));
    const bool is_cut = bad != 0 ? (expected >> good & 1) != 0 : ((m.two >> 63) | (three >> 62) | (m.four >> 61)) != 0;
    std::uint64_t starts = bad == 0 ? firsts : firsts & ((std::uint64_t{1} << good) - 1);
    if (starts == 0) break;
    auto end = static_cast<std::size_t>(good);
    if (is_cut) {
      end = static_cast<std::size_t>(63 - std::countl_zero(starts));
      starts &= (std::uint64_t{1} << end) - 1;
      if (starts == 0) break;
    }
    const std::uint64_t wide = (m.three_wide | m.four) & starts;
    run.last = run.bytes + static_cast<std::size_t>(63 - std::countl_zero(starts));
    run.columns += static_cast<std::size_t>(std::popcount(starts) + std::popcount(wide));
    run.has_wide |= wide != 0;
    run.bytes += end;
    if (bad != 0 && end < kBytes - kUtf8BytesMax) break;
  }
  return run;
}

}  // namespace
#endif

ScriptScanner script_scanner() {
#if defined(__x86_64__)
  static const ScriptScanner best = cpu_has_avx2() && cpu_has_popcnt() ? script_run_avx2 : nullptr;
  return best;
#else
  return nullptr;
#endif
}

}  // namespace holdfast::vt
