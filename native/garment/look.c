/* What a garment is like now, in the caller's terms. */
#include "garment/state.h"

void garment_get_state(const Garment *garment, float *positions, float *velocities) {
    if (!garment_is_halved(garment)) {
        cloth_get_state(garment->whole, positions, velocities);
        return;
    }
    half_carry(&garment->half, cloth_positions(garment->halved), positions);
    if (velocities) {
        half_carry_velocities(&garment->half, cloth_velocities(garment->halved), velocities);
    }
    extras_get_state(&garment->extras, positions, velocities);
}

static void count_pins(const Garment *garment, ClothReport *report) {
    const PinSet *set = garment_pins(garment);
    report->pinned_count = report->soft_count = 0;
    for (int p = 0; p < set->count; ++p) {
        report->pinned_count += set->weights[p] >= 1;
        report->soft_count += set->weights[p] > 0 && set->weights[p] < 1;
    }
}

void garment_report(const Garment *garment, ClothReport *report) {
    cloth_report(garment_active(garment), report);
    if (garment_is_halved(garment)) {
        count_pins(garment, report);
        report->vertex_count = garment->vertex_count;
    }
    if (garment->mode != MIRROR_OFF) {
        report->bytes +=
            garment->store.bytes + garment->half.store.bytes + garment->extras.store.bytes;
    }
}

/* The mean strain and the residual stay those of the half. */
static void add_extras(const Extras *extras, ClothMeasure *measure) {
    ClothMeasure more;
    cloth_measure(extras->cloth, &more);
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

void garment_measure(Garment *garment, ClothMeasure *measure) {
    cloth_measure(garment_active(garment), measure);
    if (!garment_is_halved(garment)) {
        return;
    }
    measure->kinetic_energy *= 2;
    measure->elastic_energy *= 2;
    measure->gravity_energy *= 2;
    for (int end = 0; end < 2; ++end) {
        int at = measure->largest_edge[end];
        measure->largest_edge[end] = at >= 0 ? garment->stand_in[at] : -1;
    }
    if (garment->extras.cloth) {
        add_extras(&garment->extras, measure);
    }
}

static void tell_body(const Garment *garment, MirrorReport *report) {
    for (int b = 0; b < garment->body_count; ++b) {
        const GarmentBody *body = &garment->bodies[b];
        if (body->present && (report->body < 0 || body->asymmetry > report->body_asymmetry)) {
            report->body = b;
            report->body_vertex = body->asymmetry_vertex;
            report->body_asymmetry = body->asymmetry;
        }
    }
}

void garment_mirror(const Garment *garment, MirrorReport *report) {
    *report = (MirrorReport){.mode = garment->mode, .body = -1, .body_vertex = -1};
    if (garment->mode == MIRROR_OFF) {
        report->unpaired = garment->vertex_count;
        return;
    }
    const Half *half = &garment->half;
    report->plane = half->frame.plane;
    report->half_vertex_count = half->polygons.vertex_count;
    report->paired = half->symmetry.paired;
    report->on_plane = half->symmetry.on_plane;
    report->unpaired = half->symmetry.unpaired;
    report->extra_count = half->extra_count;
    report->front_count = half->front_count;
    report->solved_whole = garment->solved_whole;
    report->whole_steps = garment->whole_steps;
    tell_body(garment, report);
}

const ContactReport *garment_contacts(const Garment *garment) {
    return cloth_contacts(garment_active(garment));
}

const SolverWork *garment_work(const Garment *garment) {
    return cloth_work(garment_active(garment));
}

double garment_step_seconds(const Garment *garment) {
    return cloth_step_seconds(garment_active(garment));
}

int garment_substeps_done(const Garment *garment) {
    return cloth_substeps_done(garment_active(garment));
}

static StatusCode refuse_halved(const char *what, Status *status) {
    return status_set(status, STATUS_ERROR_ARGUMENT,
                      "%s of a mirrored cloth: its matrix is that of one half, which has other "
                      "vertices",
                      what);
}

StatusCode garment_eigenvalues(Garment *garment, double *smallest, double *largest,
                               Status *status) {
    return garment->mode != MIRROR_OFF
               ? refuse_halved("there are no eigenvalues", status)
               : cloth_eigenvalues(garment->whole, smallest, largest, status);
}

StatusCode garment_solve(Garment *garment, double *x, int rounds, double *seconds, Status *status) {
    return garment->mode != MIRROR_OFF ? refuse_halved("there is no bare solve", status)
                                       : cloth_solve(garment->whole, x, rounds, seconds, status);
}
