#define REAL double
#define KERNELS solve_kernels_double
#include "linear/solve_precision.h"
