#include "vt/script_run.h"

#include <array>
#include <bit>
#include <cstdint>

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

// Bits of what a first byte says of its character.
constexpr unsigned kTwoC = 1 << 7, kTwoD = 1 << 6;      // two bytes, narrow: C3-CB, CE, CF; D0, D1, D3-D5
constexpr unsigned kThreeWide = 1 << 5;                 // three bytes, wide whatever follows: E4-E9, EB, EC
constexpr unsigned kE2 = 1 << 4, kE3 = 1 << 3, kF0 = 1 << 2, kEA = 1 << 1, kED = 1 << 0;  // if what follows is right

constexpr auto kByHigh = [] {
  std::array<std::uint8_t, 16> bits{};
  bits[0xc] = kTwoC;
  bits[0xd] = kTwoD;
  bits[0xe] = kThreeWide | kE2 | kE3 | kEA | kED;
  bits[0xf] = kF0;
  return bits;
}();
constexpr auto kByLow = [] {
  std::array<std::uint8_t, 16> bits{};
  for (const int low : {0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, 0xa, 0xb, 0xe, 0xf}) bits[static_cast<std::size_t>(low)] |= kTwoC;
  for (const int low : {0x0, 0x1, 0x3, 0x4, 0x5}) bits[static_cast<std::size_t>(low)] |= kTwoD;
  for (const int low : {0x4, 0x5, 0x6, 0x7, 0x8, 0x9, 0xb, 0xc}) bits[static_cast<std::size_t>(low)] |= kThreeWide;
  bits[0x2] |= kE2;
  bits[0x3] |= kE3;
  bits[0x0] |= kF0;
  bits[0xa] |= kEA;
  bits[0xd] |= kED;
  return bits;
}();

// A bit for each of 64 bytes.
struct Masks {
  std::uint64_t ascii = 0, continuation = 0;
  std::uint64_t two = 0, three_wide = 0, e2 = 0, e3 = 0, ea = 0, ed = 0, f0 = 0;  // first bytes
  // After E2.
  std::uint64_t narrow = 0;                          // 86, 94-96: arrows, boxes, blocks
  std::uint64_t shapes = 0, wide_shapes = 0;         // 97; BD, BE: third byte of the two that are wide
  std::uint64_t punctuation = 0, dashes_quotes = 0;  // 80; 90-A7: third byte of U+2010-2027
  // After E3: 81-83; 81 and 80, 82 and 97-9A: no letters but marks and unassigned.
  std::uint64_t kana = 0, kana_first = 0, kana_middle = 0, marks = 0;
  // After EA, ED and F0.
  std::uint64_t hangul_first = 0, hangul_last = 0;  // B0-BF; 80-9D
  std::uint64_t emoji = 0, faces = 0;               // 9F; 98
};

HOLDFAST_AVX2 std::uint64_t mask_of(__m256i lanes) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(lanes));
}
HOLDFAST_AVX2 __m256i byte_vector(unsigned value) { return _mm256_set1_epi8(static_cast<char>(value)); }
// Signed: bytes from 0x80 on are below all others, and in their order; so `first` is not 0x80.
HOLDFAST_AVX2 __m256i between(__m256i bytes, unsigned first, unsigned last) {
  return _mm256_andnot_si256(_mm256_cmpgt_epi8(bytes, byte_vector(last)), _mm256_cmpgt_epi8(bytes, byte_vector(first - 1)));
}
HOLDFAST_AVX2 __m256i equal(__m256i bytes, unsigned value) { return _mm256_cmpeq_epi8(bytes, byte_vector(value)); }
HOLDFAST_AVX2 __m256i table(const std::array<std::uint8_t, 16>& values) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values.data())));
}

HOLDFAST_AVX2 void add_half(Masks& masks, const char* text, int shift) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
  const __m256i nibble = byte_vector(0x0f);
  const __m256i high = _mm256_shuffle_epi8(table(kByHigh), _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
  const __m256i low = _mm256_shuffle_epi8(table(kByLow), _mm256_and_si256(bytes, nibble));
  const __m256i first = _mm256_and_si256(high, low);
  // The bit in question becomes the highest of its byte.
  const auto first_mask = [&](int up) __attribute__((target("avx2"))) { return mask_of(_mm256_slli_epi16(first, up)) << shift; };
  masks.two |= first_mask(0) | first_mask(1);
  masks.three_wide |= first_mask(2);
  masks.e2 |= first_mask(3);
  masks.e3 |= first_mask(4);
  masks.f0 |= first_mask(5);
  masks.ea |= first_mask(6);
  masks.ed |= first_mask(7);
  masks.ascii |= mask_of(between(bytes, 0x20, 0x7e)) << shift;
  masks.continuation |= mask_of(_mm256_cmpgt_epi8(byte_vector(0xc0), bytes)) << shift;
  masks.narrow |= mask_of(_mm256_or_si256(between(bytes, 0x94, 0x96), equal(bytes, 0x86))) << shift;
  masks.shapes |= mask_of(equal(bytes, 0x97)) << shift;
  masks.wide_shapes |= mask_of(between(bytes, 0xbd, 0xbe)) << shift;
  masks.punctuation |= mask_of(equal(bytes, 0x80)) << shift;
  masks.dashes_quotes |= mask_of(between(bytes, 0x90, 0xa7)) << shift;
  masks.kana |= mask_of(between(bytes, 0x81, 0x83)) << shift;
  masks.kana_middle |= mask_of(equal(bytes, 0x82)) << shift;
  masks.kana_first |= mask_of(equal(bytes, 0x81)) << shift;
  masks.marks |= mask_of(between(bytes, 0x97, 0x9a)) << shift;
  masks.hangul_first |= mask_of(between(bytes, 0xb0, 0xbf)) << shift;
  masks.hangul_last |= mask_of(_mm256_cmpgt_epi8(byte_vector(0x9e), bytes)) << shift;
  masks.emoji |= mask_of(equal(bytes, 0x9f)) << shift;
  masks.faces |= mask_of(equal(bytes, 0x98)) << shift;
}

__attribute__((target("avx2,popcnt"))) ScriptRun script_run_avx2(const char* text, std::size_t n) {
  ScriptRun run;
  for (; n - run.bytes >= kBytes;) {
    Masks m;
    add_half(m, text + run.bytes, 0);
    add_half(m, text + run.bytes + kBytes / 2, kBytes / 2);
    const std::uint64_t e2 = m.e2 & (m.narrow >> 1 | (m.shapes >> 1 & ~(m.wide_shapes >> 2)) |
                                     (m.punctuation >> 1 & m.dashes_quotes >> 2));
    const std::uint64_t e3 = m.e3 & m.kana >> 1 & ~(m.kana_middle >> 1 & m.marks >> 2) &
                             ~(m.kana_first >> 1 & m.punctuation >> 2);
    const std::uint64_t hangul = (m.ea & m.hangul_first >> 1) | (m.ed & m.hangul_last >> 1);
    const std::uint64_t f0 = m.f0 & m.emoji >> 1 & m.faces >> 2;
    const std::uint64_t wide3 = m.three_wide | e3 | hangul, three = wide3 | e2;
    const std::uint64_t firsts = m.ascii | m.two | three | f0;
    const std::uint64_t expected = (m.two | three | f0) << 1 | (three | f0) << 2 | f0 << 3;
    const std::uint64_t bad = ~(firsts | m.continuation) | (m.continuation ^ expected);
    // Up to the first byte that is wrong, less what it may have cut: a character that the window ends in counts as cut.
    const std::uint64_t before = bad == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << std::countr_zero(bad)) - 1;
    std::uint64_t starts = firsts & before;
    const std::uint64_t ends = before ^ before >> 1;  // the last byte before
    const bool is_cut = bad != 0 ? (expected & (ends << 1)) != 0
                                 : ((m.two >> 63) | (three >> 62) | (f0 >> 61)) != 0;
    if (starts == 0) break;
    std::size_t end = static_cast<std::size_t>(64 - std::countl_zero(before));
    if (is_cut) {
      end = static_cast<std::size_t>(63 - std::countl_zero(starts));
      starts &= (std::uint64_t{1} << end) - 1;
      if (starts == 0) break;
    }
    const std::uint64_t wide = (wide3 | f0) & starts;
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
