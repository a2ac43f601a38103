#define REAL float
#define KERNELS solve_kernels_single
#include "linear/solve_precision.h"
