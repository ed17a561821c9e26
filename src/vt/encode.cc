#include "vt/encode.h"

#include <algorithm>
#include <cstring>

#include "base/cpu.h"
#include "vt/unicode.h"
#include "vt/utf8.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace holdfast::vt {
namespace {

constexpr std::uint64_t kContents = Cell::kTextMask | Cell::kCluster | Cell::kind_bits(CellKind::wrap_spacer);
constexpr std::uint64_t kWideKind = Cell::kind_bits(CellKind::wide), kTailKind = Cell::kind_bits(CellKind::wide_tail);
constexpr char32_t kSpace = 0x20, kFirstPrintable = kSpace;

// Scripts of one width. Box drawing is narrow.
constexpr char32_t kFirstWide = 0x1100, kHanFirst = 0x4e00, kHanLast = 0x9fff, kBoxFirst = 0x2500, kBoxLast = 0x257f,
                   kEmoticonsFirst = 0x1f600, kEmoticonsLast = 0x1f64f;

// code_point_width(cp) == 2, with the common scripts first.
inline bool is_two_columns(char32_t cp) {
  if (cp < kFirstWide) return false;
  return (cp >= kHanFirst && cp <= kHanLast) || code_point_width(cp) == 2;
}

// Goes on where `text` ends.
inline EncodedText encode_on(const Cell* cells, std::size_t n, EncodedText text, std::uint64_t base) {
  while (text.cells < n) {
    const std::uint64_t contents = cells[text.cells].bits ^ base;
    const auto cp = static_cast<char32_t>(contents & Cell::kTextMask);
    const std::uint64_t kind = contents & ~Cell::kTextMask;
    if (cp < kFirstPrintable || !is_scalar_value(cp)) break;
    const bool is_wide = kind == kWideKind;
    if (is_wide ? text.cells + 1 == n || cells[text.cells + 1].bits != (base | kTailKind) : kind != 0) break;
    if (is_two_columns(cp) != is_wide) break;
    text.end = put_utf8(text.end, cp);
    text.cells += is_wide ? 2 : 1;
    text.has_wide |= is_wide;
  }
  return text;
}

#if defined(__x86_64__)

#define HOLDFAST_AVX2 __attribute__((target("avx2"), always_inline)) inline

constexpr std::size_t kStep = 8;  // cells that a vector of 32-bit numbers takes

HOLDFAST_AVX2 __m256i eight(std::uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
HOLDFAST_AVX2 __m256i either(__m256i a, __m256i b) { return _mm256_or_si256(a, b); }
HOLDFAST_AVX2 __m256i both(__m256i a, __m256i b) { return _mm256_and_si256(a, b); }
HOLDFAST_AVX2 __m256i above(__m256i a, std::uint32_t value) { return _mm256_cmpgt_epi32(a, eight(value)); }
HOLDFAST_AVX2 __m256i above_all(std::uint32_t value, __m256i a) { return _mm256_cmpgt_epi32(eight(value), a); }
HOLDFAST_AVX2 __m256i between(__m256i a, std::uint32_t first, std::uint32_t last) {
  return both(above(a, first - 1), above_all(last + 1, a));
}
HOLDFAST_AVX2 unsigned lanes(__m256i mask) { return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(mask))); }
HOLDFAST_AVX2 void store(__m256i from, std::uint32_t* to) { _mm256_store_si256(reinterpret_cast<__m256i*>(to), from); }

// As many of eight cells as are text in one pen; spaces stand for the others.
struct EightCells {
  __m256i cp, is_wide, is_tail;
  unsigned count;  // how many are text
  bool waits;      // all but the last, whose tail is the ninth cell

  // Of `n` cells, whose bits are `pen` and their contents.
  HOLDFAST_AVX2 EightCells(const Cell* cells, std::size_t n, __m256i pen) {
    const __m256i halves = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7), places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const auto* from = reinterpret_cast<const __m256i*>(cells);
    __m256i first, second;
    if (n >= kStep) {
      first = _mm256_loadu_si256(from);
      second = _mm256_loadu_si256(from + 1);
    } else {
      const __m256i left = _mm256_set1_epi64x(static_cast<long long>(n));
      const auto* numbers = reinterpret_cast<const long long*>(cells);
      first = _mm256_maskload_epi64(numbers, _mm256_cmpgt_epi64(left, _mm256_setr_epi64x(0, 1, 2, 3)));
      second = _mm256_maskload_epi64(numbers + 4, _mm256_cmpgt_epi64(left, _mm256_setr_epi64x(4, 5, 6, 7)));
    }
    const __m256i a = _mm256_permutevar8x32_epi32(_mm256_xor_si256(first, pen), halves);
    const __m256i b = _mm256_permutevar8x32_epi32(_mm256_xor_si256(second, pen), halves);
    const __m256i low = _mm256_permute2x128_si256(a, b, 0x20), high = _mm256_permute2x128_si256(a, b, 0x31);
    cp = both(low, eight(Cell::kTextMask));
    is_tail = _mm256_cmpeq_epi32(low, eight(kTailKind));
    const __m256i two = two_columns(cp);
    const __m256i wanted = both(two, eight(kWideKind));
    const __m256i is_surrogate = _mm256_cmpeq_epi32(both(cp, eight(0x1ff800)), eight(0xd800));
    const __m256i is_shown = _mm256_andnot_si256(either(is_surrogate, above(cp, 0x10ffff)), above(cp, kFirstPrintable - 1));
    const __m256i is_char = both(is_shown, _mm256_cmpeq_epi32(_mm256_sub_epi32(low, cp), wanted));
    const __m256i in_pen = _mm256_cmpeq_epi32(high, _mm256_setzero_si256());
    is_wide = both(two, is_char);
    const unsigned good = lanes(both(in_pen, either(is_tail, is_char))), wide = lanes(is_wide);
    const unsigned bad = ~good | (lanes(is_tail) ^ wide << 1) | 1u << kStep;
    count = std::min(static_cast<unsigned>(__builtin_ctz(bad)), static_cast<unsigned>(n));
    const bool is_cut = count > 0 && (wide >> (count - 1) & 1) != 0;
    waits = is_cut && count == kStep;
    count -= is_cut;
    if (count == kStep) return;
    const __m256i is_text = _mm256_cmpgt_epi32(eight(count), places);
    cp = _mm256_blendv_epi8(eight(kSpace), cp, is_text);
    is_tail = both(is_tail, is_text);
    is_wide = both(is_wide, is_text);
  }

  static HOLDFAST_AVX2 __m256i two_columns(__m256i cp) {
    const __m256i is_wide = either(between(cp, kHanFirst, kHanLast), between(cp, kEmoticonsFirst, kEmoticonsLast));
    const __m256i is_narrow = either(above_all(kFirstWide, cp), between(cp, kBoxFirst, kBoxLast));
    const unsigned others = ~lanes(either(is_wide, is_narrow)) & 0xff;
    return others == 0 ? is_wide : either(is_wide, looked_up(cp, others));
  }

  static __attribute__((target("avx2"), noinline)) __m256i looked_up(__m256i cp, unsigned which) {
    alignas(32) std::uint32_t cps[kStep], two[kStep] = {};
    store(cp, cps);
    for (; which != 0; which &= which - 1) {
      const int lane = __builtin_ctz(which);
      two[lane] = code_point_width(cps[lane]) == 2 ? ~0u : 0;
    }
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(two));
  }

  HOLDFAST_AVX2 char* write(char* out) const {
    const __m256i last = either(both(cp, eight(0x3f)), eight(0x80));
    const __m256i third = either(both(_mm256_srli_epi32(cp, 6), eight(0x3f)), eight(0x80));
    const __m256i second = either(both(_mm256_srli_epi32(cp, 12), eight(0x3f)), eight(0x80));
    const __m256i two = either(either(_mm256_srli_epi32(cp, 6), eight(0xc0)), _mm256_slli_epi32(last, 8));
    const __m256i three = either(either(_mm256_srli_epi32(cp, 12), eight(0xe0)),
                                 either(_mm256_slli_epi32(third, 8), _mm256_slli_epi32(last, 16)));
    const __m256i four = either(either(either(_mm256_srli_epi32(cp, 18), eight(0xf0)), _mm256_slli_epi32(second, 8)),
                                either(_mm256_slli_epi32(third, 16), _mm256_slli_epi32(last, 24)));
    const __m256i from2 = above(cp, 0x7f), from3 = above(cp, 0x7ff), from4 = above(cp, 0xffff);
    const __m256i bytes = _mm256_blendv_epi8(_mm256_blendv_epi8(_mm256_blendv_epi8(cp, two, from2), three, from3), four, from4);
    // A comparison that holds is -1.
    const __m256i lengths = _mm256_andnot_si256(
        is_tail, _mm256_sub_epi32(_mm256_sub_epi32(eight(1), from2), _mm256_add_epi32(from3, from4)));
    // Two cells to a word: the bytes of the second follow those of the first.
    const __m256i evens = _mm256_set1_epi64x(0xffffffff);
    const __m256i shift = _mm256_slli_epi64(both(lengths, evens), 3);
    const __m256i pairs = either(both(bytes, evens), _mm256_sllv_epi64(_mm256_srli_epi64(bytes, 32), shift));
    const __m256i pair_lengths = _mm256_add_epi64(both(lengths, evens), _mm256_srli_epi64(lengths, 32));
    alignas(32) std::uint64_t words[kStep / 2], word_lengths[kStep / 2];
    _mm256_store_si256(reinterpret_cast<__m256i*>(words), pairs);
    _mm256_store_si256(reinterpret_cast<__m256i*>(word_lengths), pair_lengths);
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kStep / 2; ++k) {
      std::memcpy(out, &words[k], sizeof words[k]);
      out += word_lengths[k];
    }
    return out - (kStep - count);
  }
};

__attribute__((target("avx2"))) EncodedText encode_text_avx2(const Cell* cells, std::size_t n, char* out) {
  const __m256i pen = _mm256_set1_epi64x(static_cast<long long>(cells[0].bits & ~kContents));
  EncodedText text{0, out};
  while (text.cells < n) {
    const EightCells next(cells + text.cells, n - text.cells, pen);
    text.end = next.write(text.end);
    text.cells += next.count;
    text.has_wide |= !_mm256_testz_si256(next.is_wide, next.is_wide);
    if (next.count < kStep && !next.waits) break;
  }
  return text;
}

#endif

}  // namespace

EncodedText encode_text_scalar(const Cell* cells, std::size_t n, char* out) {
  return encode_on(cells, n, {0, out}, cells[0].bits & ~kContents);
}

TextEncoder text_encoder() {
#if defined(__x86_64__)
  static const TextEncoder best = cpu_has_avx2() ? encode_text_avx2 : encode_text_scalar;
  return best;
#else
  return encode_text_scalar;
#endif
}

}  // namespace holdfast::vt
