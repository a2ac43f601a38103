/* The kernels of the repeated solve in single precision, which reads half the memory. */
#define REAL float
#define KERNELS solve_kernels_single
#if defined(__aarch64__)
#define PLAIN_NARROW 16
#else
#define PLAIN_NARROW 7
#endif
#define AVX2_TIMES 2
#define AVX2_NARROW 3
#define AVX512_TIMES 4
#include "linear/solve_precision.h"
