#if defined(__x86_64__)
/* As base/machine.h asks for. */
#pragma GCC target("avx2,fma")
#define KERNEL parcels_pull_avx2
#define ESTIMATED_ROOTS 0
#include "model/parcel_kernels.h"
#endif
