/* The kernels for every machine of the kind that this is compiled for. */
#define KERNEL parcels_pull
#define ESTIMATED_ROOTS 0
#include "model/parcel_kernels.h"
