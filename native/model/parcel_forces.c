/* Choosing the kernel that the machine can run. */
#include "model/parcel_forces.h"

#include "base/machine.h"

static PoolTask best_kernel(void) {
#if defined(__x86_64__)
    if (machine_has_avx512()) {
        return parcels_pull_avx512;
    }
    if (machine_has_avx2()) {
        return parcels_pull_avx2;
    }
#endif
    return parcels_pull;
}

double parcels_evaluate(Parcels *parcels, Pool *pool, int chosen, const Vec3 *z,
                        const Vec3 *present) {
    ParcelWork work = {parcels, z, present};
    double energy = 0;
    for (int l = 0; l < parcels->laws->count; ++l) {
        law_look(parcels->laws->list[l], pool, z);
    }
    if (chosen == PARCELS_ALL) {
        pool_each(pool, parcels->count, best_kernel(), &work);
    } else {
        pool_run_over(pool, chosen, parcels->items.chosen, best_kernel(), &work);
    }
    for (int p = 0; p < (chosen == PARCELS_ALL ? parcels->count : chosen); ++p) {
        energy += parcels->energy[chosen == PARCELS_ALL ? p : parcels->items.chosen[p].begin];
    }
    return energy;
}
