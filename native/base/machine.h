/* The instruction sets of this machine beyond the baseline of its architecture. Functions that use them are compiled with
 * the attribute target and called only after a check here. */
#pragma once

#if defined(__x86_64__)

#include <stdbool.h>

#define MACHINE_AVX2 "avx2,fma"
#define MACHINE_AVX512 "avx512f,avx512dq,avx512vl,fma"

static inline bool machine_has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static inline bool machine_has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}

#endif

/* Seconds on a clock that only moves forward. */
double timing_now(void);
