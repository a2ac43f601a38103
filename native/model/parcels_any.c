#define KERNEL parcels_pull
#define ESTIMATED_ROOTS 0
#include "model/parcel_kernels.h"
