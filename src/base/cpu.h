// What the processor can do, as the C library found out when the process began.
#pragma once

#if defined(__x86_64__)
#ifdef __clang__
#define _Bool bool  // the header's word, which clang does not know in C++
#endif
#include <sys/platform/x86.h>
#ifdef __clang__
#undef _Bool
#endif

namespace holdfast {

// Not __builtin_cpu_supports(): its constructor asks the processor a dozen times over in every process, and in a virtual
// machine each of these questions goes to the hypervisor and costs microseconds.
inline bool cpu_has_avx2() { return CPU_FEATURE_ACTIVE(AVX2); }
inline bool cpu_has_popcnt() { return CPU_FEATURE_ACTIVE(POPCNT); }
inline bool cpu_has_sse4_2() { return CPU_FEATURE_ACTIVE(SSE4_2); }

}  // namespace holdfast
#endif
