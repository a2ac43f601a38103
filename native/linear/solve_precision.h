/* The kernels of the repeated solve in one precision: included once for each, with REAL the kind of number, KERNELS
 * the name of the function that hands them out, AVX2_TIMES and AVX512_TIMES how often four of them fit into a
 * vector there, and PLAIN_NARROW and AVX2_NARROW how many columns' sums are worth staying in registers. */
#include "base/machine.h"
#include "linear/solve.h"

#define TARGET
#define TIMES 1
#define NARROW PLAIN_NARROW
#define NAME(x) x
#include "linear/solve_kernels.h"
#undef TARGET
#undef TIMES
#undef NARROW
#undef NAME

#if defined(__x86_64__)
#define TARGET __attribute__((target(MACHINE_AVX2)))
#define NARROW AVX2_NARROW
#define TIMES AVX2_TIMES
#define NAME(x) x##_avx2
#include "linear/solve_kernels.h"
#undef TARGET
#undef TIMES
#undef NARROW
#undef NAME

#define TARGET __attribute__((target(MACHINE_AVX512)))
#define NARROW 3
#define TIMES AVX512_TIMES
#define NAME(x) x##_avx512
#include "linear/solve_kernels.h"
#endif

SolveKernels KERNELS(void) {
#if defined(__x86_64__)
    if (machine_has_avx512()) {
        return (SolveKernels){forward_task_avx512, backward_task_avx512};
    }
    if (machine_has_avx2()) {
        return (SolveKernels){forward_task_avx2, backward_task_avx2};
    }
#endif
    return (SolveKernels){forward_task, backward_task};
}
