#include "vt/scan.h"

#include "base/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace holdfast::vt {
namespace {

constexpr bool is_printable(char c) { return c >= 0x20 && c < 0x7f; }

std::size_t printable_run_scalar(const char* text, std::size_t n) {
  std::size_t i = 0;
  while (i < n && is_printable(text[i])) ++i;
  return i;
}

std::size_t no_control_run_scalar(const char* text, std::size_t n) {
  std::size_t i = 0;
  while (i < n && static_cast<unsigned char>(text[i]) >= 0x20) ++i;
  return i;
}

void widen_scalar(const char* text, std::size_t n, std::uint64_t bits, Cell* out) {
  for (std::size_t i = 0; i < n; ++i) out[i].bits = static_cast<unsigned char>(text[i]) | bits;
}

constexpr ByteKernels kScalar = {printable_run_scalar, no_control_run_scalar, widen_scalar};

#if defined(__x86_64__)

// SSE2 is in every x86-64. A signed "above 0x1f" also rejects the bytes from 0x80 on.
inline unsigned not_printable_16(const char* text) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  const __m128i good =
      _mm_andnot_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f)), _mm_cmpgt_epi8(bytes, _mm_set1_epi8(0x1f)));
  return static_cast<unsigned>(_mm_movemask_epi8(good)) ^ 0xffffu;
}

inline unsigned control_16(const char* text) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes)));
}

std::size_t printable_run_sse2(const char* text, std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    if (const unsigned bad = not_printable_16(text + i)) return i + static_cast<std::size_t>(__builtin_ctz(bad));
  }
  return i + printable_run_scalar(text + i, n - i);
}

std::size_t no_control_run_sse2(const char* text, std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    if (const unsigned bad = control_16(text + i)) return i + static_cast<std::size_t>(__builtin_ctz(bad));
  }
  return i + no_control_run_scalar(text + i, n - i);
}

__attribute__((target("avx2"))) std::size_t printable_run_avx2(const char* text, std::size_t n) {
  std::size_t i = 0;
  if (n >= 16) {  // most runs of a real session end within 16 bytes
    if (const unsigned bad = not_printable_16(text)) return static_cast<std::size_t>(__builtin_ctz(bad));
    i = 16;
  }
  for (; i + 32 <= n; i += 32) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + i));
    const __m256i good = _mm256_andnot_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(0x7f)),
                                             _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8(0x1f)));
    const unsigned bad = ~static_cast<unsigned>(_mm256_movemask_epi8(good));
    if (bad) return i + static_cast<std::size_t>(__builtin_ctz(bad));
  }
  return i + printable_run_sse2(text + i, n - i);
}

__attribute__((target("avx2"))) std::size_t no_control_run_avx2(const char* text, std::size_t n) {
  std::size_t i = 0;
  const __m256i last_control = _mm256_set1_epi8(0x1f);
  for (; i + 32 <= n; i += 32) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + i));
    const __m256i is_control = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, last_control), bytes);
    const unsigned bad = static_cast<unsigned>(_mm256_movemask_epi8(is_control));
    if (bad) return i + static_cast<std::size_t>(__builtin_ctz(bad));
  }
  return i + no_control_run_sse2(text + i, n - i);
}

__attribute__((target("avx2"))) void widen_avx2(const char* text, std::size_t n, std::uint64_t bits, Cell* out) {
  const __m256i pen = _mm256_set1_epi64x(static_cast<long long>(bits));
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    int four;
    __builtin_memcpy(&four, text + i, 4);
    const __m256i cells = _mm256_or_si256(_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four)), pen);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), cells);
  }
  widen_scalar(text + i, n - i, bits, out + i);
}

constexpr ByteKernels kSse2 = {printable_run_sse2, no_control_run_sse2, widen_scalar};
constexpr ByteKernels kAvx2 = {printable_run_avx2, no_control_run_avx2, widen_avx2};

#endif

}  // namespace

const ByteKernels& byte_kernels() {
#if defined(__x86_64__)
  static const ByteKernels& best = cpu_has_avx2() ? kAvx2 : kSse2;
  return best;
#else
  return kScalar;
#endif
}

const ByteKernels& scalar_byte_kernels() { return kScalar; }

}  // namespace holdfast::vt
