/* How a cloth sits, in the caller's vertices: as it is simulated, or as its half is. */
#include <stdlib.h>

#include "cloth/state.h"

void cloth_gaps(const Cloth *cloth, int count, Vec3 *points, BodyGap *gaps) {
    bool halved = cloth_is_halved(cloth);
    for (int i = 0; halved && i < count; ++i) {
        Vec3 seen = frame_to_half(&cloth->half.frame, points[i]);
        points[i] = seen.x < 0 ? frame_reflect_half(seen) : seen;
    }
    simulation_gaps(cloth_active(cloth), count, points, gaps);
}

static void fit_riders(const Cloth *cloth, const VertexFit *half, VertexFit *fit) {
    for (int v = 0; v < cloth->vertex_count; ++v) {
        const Ride *ride = &cloth->half.rides[v];
        fit[v] = ride->vertices[0] >= 0 ? vertex_fit_mean(half, ride->vertices, ride->weights)
                                        : (VertexFit){0};
    }
}

/* The cloth below them is a body to them, on which they may lie as well. */
static void fit_extras(const Cloth *cloth, Vec3 *points, BodyGap *gaps, VertexFit *own,
                       VertexFit *fit) {
    const Extras *extras = &cloth->extras;
    const Vec3 *x = simulation_positions(extras->simulation);
    for (int k = 0; k < extras->count; ++k) {
        points[k] = x[k];
    }
    cloth_gaps(cloth, extras->count, points, gaps);
    for (int k = 0; k < extras->count; ++k) {
        own[k].pressure = gaps[k].gap < gaps[k].thickness ? own[k].pressure : 0.0;
        fit[extras->vertices[k]] = own[k];
    }
}

StatusCode cloth_fit(Cloth *cloth, FitPart part, VertexFit *fit, Status *status) {
    if (!cloth_is_halved(cloth)) {
        return simulation_fit(cloth_active(cloth), part, fit, status);
    }
    int extra_count = cloth->extras.simulation ? cloth->extras.count : 0;
    int half_count = cloth->half.polygons.vertex_count;
    VertexFit *own = SCRATCH_ARRAY(VertexFit, half_count > extra_count ? half_count : extra_count);
    BodyGap *gaps = SCRATCH_ARRAY(BodyGap, extra_count);
    StatusCode code = own && gaps ? simulation_fit(cloth->halved, part, own, status)
                                  : status_no_memory(status, "a fit report");
    if (code >= 0) {
        fit_riders(cloth, own, fit);
    }
    if (code >= 0 && extra_count > 0) {
        code = simulation_fit(cloth->extras.simulation, part, own, status);
    }
    if (code >= 0 && extra_count > 0) {
        fit_extras(cloth, cloth->room, gaps, own, fit);
    }
    free(own);
    free(gaps);
    return code;
}
