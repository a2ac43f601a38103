/* Compiled for machines that machine_has_avx512() says yes of: see CMakeLists.txt. */
#if defined(__x86_64__)
#define KERNEL parcels_pull_avx512
#define ESTIMATED_ROOTS 1
#include "model/parcel_kernels.h"
#endif
