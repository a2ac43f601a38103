#define REAL float
#define KERNELS solve_kernels_single
#define AVX2_TIMES 2
#define AVX512_TIMES 4
#include "linear/solve_precision.h"
