/* How a cloth sits, in the caller's vertices: as it is simulated, or as its half is. */
#include <stdlib.h>

#include "cloth/domain/domain_state.h"

void domain_gaps(const Domain *domain, int count, Vec3 *points, BodyGap *gaps) {
    bool halved = domain_is_halved(domain);
    for (int i = 0; halved && i < count; ++i) {
        Vec3 seen = frame_to_half(&domain->half.frame, points[i]);
        points[i] = seen.x < 0 ? frame_reflect_half(seen) : seen;
    }
    simulation_body_gaps(domain_active(domain), count, points, gaps);
}

static void fit_riders(const Domain *domain, const VertexFit *half, VertexFit *fit) {
    for (int v = 0; v < domain->vertex_count; ++v) {
        const Ride *ride = &domain->half.rides[v];
        fit[v] = ride->vertices[0] >= 0 ? vertex_fit_mean(half, ride->vertices, ride->weights)
                                        : (VertexFit){0};
    }
}

/* The cloth below them is a body to them, on which they may lie as well. */
static void fit_extras(const Domain *domain, Vec3 *points, BodyGap *gaps, VertexFit *own,
                       VertexFit *fit) {
    const Extras *extras = &domain->extras;
    const Vec3 *x = simulation_positions(extras->simulation);
    for (int k = 0; k < extras->count; ++k) {
        points[k] = x[k];
    }
    domain_gaps(domain, extras->count, points, gaps);
    for (int k = 0; k < extras->count; ++k) {
        own[k].pressure = gaps[k].gap < gaps[k].thickness ? own[k].pressure : 0.0;
        fit[extras->vertices[k]] = own[k];
    }
}

StatusCode domain_carry_fit(Domain *domain, FitPart part, VertexFit *fit, Status *status) {
    if (!domain_is_halved(domain)) {
        return simulation_vertex_fit(domain_active(domain), part, fit, status);
    }
    int extra_count = domain->extras.simulation ? domain->extras.count : 0;
    int half_count = domain->half.polygons.vertex_count;
    VertexFit *own = SCRATCH_ARRAY(VertexFit, half_count > extra_count ? half_count : extra_count);
    BodyGap *gaps = SCRATCH_ARRAY(BodyGap, extra_count);
    StatusCode code = own && gaps ? simulation_vertex_fit(domain->halved, part, own, status)
                                  : status_no_memory(status, "a fit report");
    if (code >= 0) {
        fit_riders(domain, own, fit);
    }
    if (code >= 0 && extra_count > 0) {
        code = simulation_vertex_fit(domain->extras.simulation, part, own, status);
    }
    if (code >= 0 && extra_count > 0) {
        fit_extras(domain, domain->room, gaps, own, fit);
    }
    free(own);
    free(gaps);
    return code;
}
