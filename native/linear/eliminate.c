/* The kernels, compiled for the plain machine and for a wider one, and the choice between them when the program
 * runs. */
#include "linear/eliminate.h"

#include <math.h>
#include <string.h>

#include "base/machine.h"

typedef double Two __attribute__((vector_size(16), may_alias));

#define VECTOR Two
#define TARGET
#define NAME(x) x
#include "linear/eliminate_kernels.h"
#undef VECTOR
#undef TARGET
#undef NAME

#if defined(__x86_64__)
typedef double Four __attribute__((vector_size(32), may_alias));
#define VECTOR Four
#define TARGET __attribute__((target(MACHINE_AVX2)))
#define NAME(x) x##_avx2
#include "linear/eliminate_kernels.h"
#endif

EliminateKernels eliminate_kernels(void) {
#if defined(__x86_64__)
    if (machine_has_avx2()) {
        return (EliminateKernels){eliminate_own_avx2, divide_avx2, subtract_avx2};
    }
#endif
    return (EliminateKernels){eliminate_own, divide, subtract};
}
