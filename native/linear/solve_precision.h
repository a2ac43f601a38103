/* The kernels of the repeated solve in one precision: included once for each, with REAL the kind of number and KERNELS
 * the name of the function that hands them out. */
#include "linear/solve.h"

typedef REAL Lanes __attribute__((vector_size(16), may_alias));
#define VECTOR Lanes

#define TARGET
#define NAME(x) x
#include "linear/solve_kernels.h"
#undef TARGET
#undef NAME

#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2,fma")))
#define NAME(x) x##_avx2
#include "linear/solve_kernels.h"
#endif

SolveKernels KERNELS(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return (SolveKernels){forward_task_avx2, backward_task_avx2};
    }
#endif
    return (SolveKernels){forward_task, backward_task};
}
