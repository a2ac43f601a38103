/* Points that a caller has made of the cloth's, put before its bodies. */
#include <stdlib.h>

#include "live/state.h"

/* Points that are as many as the caller's vertices are taken for them: what each met last is near. */
static void put_outside(Live *live, double reach, int count, OutsideHint *scratch, Vec3 *points) {
    Cloth *cloth = live->levels[live->level].cloth;
    Simulation *active = cloth_active(cloth);
    bool vertices = live->budgeted && count == live->levels[0].count;
    for (int i = 0; i < count; ++i) {
        scratch[i] = (OutsideHint){.body = -1};
    }
    simulation_stand_bodies(active);
    cloth_keep_out(cloth, simulation_pool(active), reach, count,
                   vertices ? live->added_hints : scratch, points);
}

StatusCode live_put_outside(Live *live, double reach, int count, float *points, Status *status) {
    OutsideHint *hints = SCRATCH_ARRAY(OutsideHint, count);
    Vec3 *places = SCRATCH_ARRAY(Vec3, count);
    bool failed = !hints || !places;
    if (!failed) {
        for (int i = 0; i < count; ++i) {
            places[i] = live_vector(points, i);
        }
        put_outside(live, reach, count, hints, places);
        for (int i = 0; i < count; ++i) {
            live_write(points, i, places[i]);
        }
    }
    free(hints);
    free(places);
    return failed ? status_no_memory(status, "points to put outside") : STATUS_OK;
}
