/* What a domain is like now and how it sits, in the caller's terms. */
#include <stdlib.h>

#include "cloth/domain/domain_state.h"

/* Of a point and whether it was reflected; the sign of zero does not matter. */
static Vec3 seen_by_half(const Half *half, Vec3 point, bool *beyond) {
    Vec3 seen = frame_to_half(&half->frame, point);
    *beyond = seen.x < 0;
    return *beyond ? frame_reflect_half(seen) : seen;
}

void domain_keep_out(const Domain *domain, Pool *pool, double reach, int count, OutsideHint *hints,
                     Vec3 *points) {
    const Half *half = &domain->half;
    if (!domain_is_halved(domain)) {
        simulation_expel_points(domain->whole, pool, reach, count, hints, points);
        return;
    }
    /* Points beyond the plane go over to the kept side and come back: a second turn of the same kind. */
    for (int i = 0; i < count; ++i) {
        bool beyond;
        points[i] = seen_by_half(half, points[i], &beyond);
        hints[i].beyond = beyond;
    }
    simulation_expel_points(domain->halved, pool, reach, count, hints, points);
    for (int i = 0; i < count; ++i) {
        Vec3 at = hints[i].beyond ? frame_reflect_half(points[i]) : points[i];
        points[i] = frame_from_half(&half->frame, at);
    }
}

size_t domain_bytes(const Domain *domain) {
    return domain->store.bytes + domain->half.store.bytes + domain->extras.store.bytes +
           domain->other.store.bytes + domain->other.half.store.bytes;
}

/* The mean strain and the residual stay those of the half. */
static void add_extras(const Extras *extras, SimulationMeasure *measure) {
    SimulationMeasure more;
    simulation_strain_and_energy(extras->simulation, &more);
    measure->kinetic_energy += more.kinetic_energy;
    measure->elastic_energy += more.elastic_energy;
    measure->gravity_energy += more.gravity_energy;
    if (more.largest_strain > measure->largest_strain) {
        measure->largest_strain = more.largest_strain;
        for (int end = 0; end < 2; ++end) {
            int at = more.largest_edge[end];
            measure->largest_edge[end] = at >= 0 ? extras->vertices[at] : -1;
        }
    }
}

void domain_measure_whole(Domain *domain, SimulationMeasure *measure) {
    simulation_strain_and_energy(domain_active(domain), measure);
    if (!domain_is_halved(domain)) {
        return;
    }
    measure->kinetic_energy *= 2;
    measure->elastic_energy *= 2;
    measure->gravity_energy *= 2;
    for (int end = 0; end < 2; ++end) {
        int at = measure->largest_edge[end];
        measure->largest_edge[end] = at >= 0 ? domain->stand_in[at] : -1;
    }
    if (domain->extras.simulation) {
        add_extras(&domain->extras, measure);
    }
}

void domain_time(const Domain *domain, ClothSeconds *seconds) {
    Simulation *simulations[3];
    int count = domain_stepped(domain, simulations);
    *seconds = (ClothSeconds){0};
    for (int s = 0; s < count; ++s) {
        const StepReport done = simulation_step_report(simulations[s]);
        const SolverWork *work = done.work;
        const ContactReport *contact = done.contact;
        seconds->force += work->force_seconds;
        seconds->assemble += work->assemble_seconds;
        seconds->solve += work->solve_seconds;
        seconds->coarse += work->coarse_seconds;
        seconds->search += contact->search_seconds;
        seconds->respond += contact->respond_seconds;
        seconds->total += done.seconds;
    }
}

void domain_symmetry(const Domain *domain, MirrorReport *report) {
    *report = (MirrorReport){.mode = domain->mode, .body = -1, .body_vertex = -1};
    if (domain->mode == MIRROR_OFF) {
        report->unpaired = domain->vertex_count;
        return;
    }
    const Half *half = &domain->half;
    report->plane = half->frame.plane;
    report->half_vertex_count = half->polygons.vertex_count;
    report->paired = half->symmetry.paired;
    report->on_plane = half->symmetry.on_plane;
    report->unpaired = half->symmetry.unpaired;
    report->extra_count = half->extra_count;
    report->front_count = half->front_count;
    report->solved_whole = domain->solved_whole;
    report->whole_steps = domain->whole_steps;
}

Simulation *domain_active(const Domain *domain) { return domain->active; }

bool domain_steps_half(const Domain *domain) { return domain_is_halved(domain); }

const MirrorFrame *domain_frame(const Domain *domain) {
    return domain->mode != MIRROR_OFF ? &domain->half.frame : NULL;
}

/* --- how it sits --------------------------------------------------------------------------------- */

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
        double kept = gaps[k].thickness * (double)map_value(domain->inputs->maps[MAP_THICKNESS],
                                                            MAP_THICKNESS, extras->vertices[k]);
        own[k].pressure = gaps[k].gap < kept ? own[k].pressure : 0.0;
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
