/* The forces of parcels, for each kind of machine: shares and energies of parcels begin <= p < end. */
#ifndef MODEL_PARCEL_FORCES_H
#define MODEL_PARCEL_FORCES_H

#include "model/parcels.h"

typedef struct ParcelWork {
    Parcels *parcels;
    const Vec3 *z, *present;
} ParcelWork;

/* Tasks of a pool; the context is a ParcelWork. */
void parcels_pull(void *context, int begin, int end);
#if defined(__x86_64__)
void parcels_pull_avx2(void *context, int begin, int end);
void parcels_pull_avx512(void *context, int begin, int end);
#endif

#endif
