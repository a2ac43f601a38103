/* The kernels of the repeated solve in double precision. */
#define REAL double
#define KERNELS solve_kernels_double
#define PLAIN_NARROW 7
#define AVX2_TIMES 1
#define AVX2_NARROW 7
#define AVX512_TIMES 2
#include "linear/solve_precision.h"
