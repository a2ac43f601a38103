/* Compiled for machines that machine_has_avx2() says yes of: see CMakeLists.txt. */
#if defined(__x86_64__)
#define KERNEL parcels_pull_avx2
#define ESTIMATED_ROOTS 0
#include "model/parcel_kernels.h"
#endif
