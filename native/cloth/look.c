/* What a cloth is like now, in the caller's terms. */
#include "cloth/state.h"

void cloth_get_state(const Cloth *cloth, float *positions, float *velocities) {
    if (!cloth_is_halved(cloth)) {
        simulation_get_state(cloth->whole, positions, velocities);
        return;
    }
    half_carry(&cloth->half, simulation_pool(cloth->halved), simulation_positions(cloth->halved),
               positions);
    if (cloth->other.simulation) {
        other_side_get(&cloth->other, &cloth->half, positions);
    }
    if (velocities) {
        half_carry_velocities(&cloth->half, simulation_velocities(cloth->halved), velocities);
    }
    extras_get_state(&cloth->extras, positions, velocities);
}

/* Of a point and whether it was reflected; the sign of zero does not matter. */
static Vec3 seen_by_half(const Half *half, Vec3 point, bool *beyond) {
    Vec3 seen = frame_to_half(&half->frame, point);
    *beyond = seen.x < 0;
    return *beyond ? frame_reflect_half(seen) : seen;
}

void cloth_keep_out(const Cloth *cloth, Pool *pool, double reach, int count, OutsideHint *hints,
                    Vec3 *points) {
    const Half *half = &cloth->half;
    if (!cloth_is_halved(cloth)) {
        simulation_keep_out(cloth->whole, pool, reach, count, hints, points);
        return;
    }
    /* Points beyond the plane go over to the kept side and come back: a second turn of the same kind. */
    for (int i = 0; i < count; ++i) {
        bool beyond;
        points[i] = seen_by_half(half, points[i], &beyond);
        hints[i].beyond = beyond;
    }
    simulation_keep_out(cloth->halved, pool, reach, count, hints, points);
    for (int i = 0; i < count; ++i) {
        Vec3 at = hints[i].beyond ? frame_reflect_half(points[i]) : points[i];
        points[i] = frame_from_half(&half->frame, at);
    }
}

static void count_pins(const Cloth *cloth, SimulationReport *report) {
    const PinSet *set = cloth_pins(cloth);
    report->pinned_count = report->soft_count = 0;
    for (int p = 0; p < set->count; ++p) {
        report->pinned_count += set->weights[p] >= 1;
        report->soft_count += set->weights[p] > 0 && set->weights[p] < 1;
    }
}

void cloth_report(const Cloth *cloth, SimulationReport *report) {
    simulation_report(cloth_active(cloth), report);
    if (cloth_is_halved(cloth)) {
        count_pins(cloth, report);
        report->vertex_count = cloth->vertex_count;
    }
    if (cloth->mode != MIRROR_OFF) {
        report->bytes += cloth->store.bytes + cloth->half.store.bytes + cloth->extras.store.bytes +
                         cloth->other.store.bytes + cloth->other.half.store.bytes;
    }
}

/* The mean strain and the residual stay those of the half. */
static void add_extras(const Extras *extras, SimulationMeasure *measure) {
    SimulationMeasure more;
    simulation_measure(extras->simulation, &more);
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

void cloth_measure(Cloth *cloth, SimulationMeasure *measure) {
    simulation_measure(cloth_active(cloth), measure);
    if (!cloth_is_halved(cloth)) {
        return;
    }
    measure->kinetic_energy *= 2;
    measure->elastic_energy *= 2;
    measure->gravity_energy *= 2;
    for (int end = 0; end < 2; ++end) {
        int at = measure->largest_edge[end];
        measure->largest_edge[end] = at >= 0 ? cloth->stand_in[at] : -1;
    }
    if (cloth->extras.simulation) {
        add_extras(&cloth->extras, measure);
    }
}

void cloth_seconds(const Cloth *cloth, ClothSeconds *seconds) {
    Simulation *simulations[3];
    int count = cloth_stepped(cloth, simulations);
    *seconds = (ClothSeconds){0};
    for (int s = 0; s < count; ++s) {
        const SolverWork *work = simulation_work(simulations[s]);
        const ContactReport *contact = simulation_contacts(simulations[s]);
        seconds->force += work->force_seconds;
        seconds->assemble += work->assemble_seconds;
        seconds->solve += work->solve_seconds;
        seconds->coarse += work->coarse_seconds;
        seconds->search += contact->search_seconds;
        seconds->respond += contact->respond_seconds;
        seconds->total += simulation_step_seconds(simulations[s]);
    }
}

static void tell_body(const Cloth *cloth, MirrorReport *report) {
    for (int b = 0; b < cloth->body_count; ++b) {
        const ClothBody *body = &cloth->bodies[b];
        if (body->present && (report->body < 0 || body->asymmetry > report->body_asymmetry)) {
            report->body = b;
            report->body_vertex = body->asymmetry_vertex;
            report->body_asymmetry = body->asymmetry;
        }
    }
}

void cloth_mirror(const Cloth *cloth, MirrorReport *report) {
    *report = (MirrorReport){.mode = cloth->mode, .body = -1, .body_vertex = -1};
    if (cloth->mode == MIRROR_OFF) {
        report->unpaired = cloth->vertex_count;
        return;
    }
    const Half *half = &cloth->half;
    report->plane = half->frame.plane;
    report->half_vertex_count = half->polygons.vertex_count;
    report->paired = half->symmetry.paired;
    report->on_plane = half->symmetry.on_plane;
    report->unpaired = half->symmetry.unpaired;
    report->extra_count = half->extra_count;
    report->front_count = half->front_count;
    report->solved_whole = cloth->solved_whole;
    report->whole_steps = cloth->whole_steps;
    tell_body(cloth, report);
}

Simulation *cloth_active(const Cloth *cloth) { return cloth->active; }

static StatusCode refuse_halved(const char *what, Status *status) {
    return status_set(status, STATUS_ERROR_ARGUMENT,
                      "%s of a mirrored cloth: its matrix is that of one half, which has other "
                      "vertices",
                      what);
}

StatusCode cloth_eigenvalues(Cloth *cloth, double *smallest, double *largest, Status *status) {
    return cloth->mode != MIRROR_OFF
               ? refuse_halved("there are no eigenvalues", status)
               : simulation_eigenvalues(cloth->whole, smallest, largest, status);
}

StatusCode cloth_solve(Cloth *cloth, double *x, int rounds, double *seconds, Status *status) {
    return cloth->mode != MIRROR_OFF ? refuse_halved("there is no bare solve", status)
                                     : simulation_solve(cloth->whole, x, rounds, seconds, status);
}
