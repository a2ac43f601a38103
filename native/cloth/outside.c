/* Points that a caller has made of the cloth's, put before its bodies. */
#include <stdlib.h>

#include "cloth/state.h"

/* Points that are as many as the caller's vertices are taken for them: what each met last is near. */
static void put_outside(Cloth *cloth, double reach, int count, OutsideHint *scratch, Vec3 *points) {
    Domain *domain = cloth->levels[cloth->level].domain;
    Simulation *active = domain_active(domain);
    bool vertices = cloth->budgeted && count == cloth->levels[0].count;
    for (int i = 0; i < count; ++i) {
        scratch[i] = (OutsideHint){.body = -1};
    }
    simulation_stand_bodies(active);
    domain_keep_out(domain, simulation_pool(active), reach, count,
                    vertices ? cloth->added_hints : scratch, points);
}

StatusCode cloth_put_outside(Cloth *cloth, double reach, int count, float *points, Status *status) {
    OutsideHint *hints = SCRATCH_ARRAY(OutsideHint, count);
    Vec3 *places = SCRATCH_ARRAY(Vec3, count);
    bool failed = !hints || !places;
    if (!failed) {
        for (int i = 0; i < count; ++i) {
            places[i] = cloth_vector(points, i);
        }
        put_outside(cloth, reach, count, hints, places);
        for (int i = 0; i < count; ++i) {
            cloth_write(points, i, places[i]);
        }
    }
    free(hints);
    free(places);
    return failed ? status_no_memory(status, "points to put outside") : STATUS_OK;
}
