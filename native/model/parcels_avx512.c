#if defined(__x86_64__)
/* As base/machine.h asks for. */
#pragma GCC target("avx512f,avx512dq,avx512vl,fma")
#define KERNEL parcels_pull_avx512
#define ESTIMATED_ROOTS 1
#include "model/parcel_kernels.h"
#endif
