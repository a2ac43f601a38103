/* Force fields: wind and traction of each of the caller's vertices, for whichever simulations are stepped. */
#include <string.h>

#include "cloth/domain/domain_state.h"

/* Of partners, by this share of the largest of the field: rounding of floats, and of where a field is read. */
#define SAME_FIELD 1e-3

static double largest(const float *field, int count) {
    double most = 0;
    for (int v = 0; v < count; ++v) {
        double own = vec3_length(vector_at(field, v));
        most = own > most ? own : most;
    }
    return most;
}

/* Vertices whose partner is not pulled as their image. */
static void add_lonely(const Domain *domain, const float *field, Refusal *found) {
    double allowed = SAME_FIELD * largest(field, domain->vertex_count);
    for (int v = 0; v < domain->vertex_count; ++v) {
        int partner = domain->partner[v];
        if (partner < v) {
            continue;
        }
        Vec3 image = frame_reflect_direction(&domain->half.frame, vector_at(field, v));
        if (vec3_distance(image, vector_at(field, partner)) > allowed) {
            refusal_add(found, v);
        }
    }
}

/* The field at a vertex of a simulation other than the whole one, in its frame. */
static Vec3 field_at(const Domain *domain, const Simulation *simulation, const float *field,
                     int i) {
    if (simulation == domain->halved) {
        return half_value_of_floats(domain, i, CARRY_DIRECTION, field);
    }
    if (simulation == domain->extras.simulation) {
        return vector_at(field, domain->extras.vertices[i]);
    }
    Vec3 own = vector_at(field, domain->other.half.origin[i]);
    return frame_reflect_half(frame_turn_to_half(&domain->half.frame, own));
}

void fields_push(Domain *domain, Simulation *simulation) {
    float *room[FIELDS] = {domain->floats, domain->more_floats};
    const float *given[FIELDS];
    SimulationReport report;
    simulation_report(simulation, &report);
    for (int k = 0; k < FIELDS; ++k) {
        given[k] = !domain->has_field[k]         ? NULL
                   : simulation == domain->whole ? domain->fields[k]
                                                 : room[k];
        for (int i = 0; given[k] == room[k] && i < report.vertex_count; ++i) {
            set_vector(room[k], i, field_at(domain, simulation, domain->fields[k], i));
        }
    }
    simulation_set_fields(simulation, given[FIELD_WIND], given[FIELD_TRACTION]);
}

StatusCode domain_set_fields(Domain *domain, const float *wind, const float *traction,
                             Status *status) {
    if (domain->mode == MIRROR_OFF) {
        simulation_set_fields(domain->whole, wind, traction);
        return STATUS_OK;
    }
    const float *given[FIELDS] = {[FIELD_WIND] = wind, [FIELD_TRACTION] = traction};
    Refusal lonely = {0};
    for (int k = 0; k < FIELDS && domain->mode == MIRROR_EXACT; ++k) {
        if (given[k]) {
            add_lonely(domain, given[k], &lonely);
        }
    }
    StatusCode code = STATUS_OK;
    if (lonely.count > 0) {
        code = tell_asymmetry(domain, &lonely, DETAIL_WIND_ASYMMETRIC,
                              "vertex is blown or pulled otherwise than its partner",
                              "vertices are blown or pulled otherwise than their partners", status);
    }
    if (code < 0) {
        return code;
    }
    for (int k = 0; k < FIELDS; ++k) {
        domain->has_field[k] = given[k] != NULL;
        if (given[k]) {
            memcpy(domain->fields[k], given[k], 3 * (size_t)domain->vertex_count * sizeof(float));
        }
    }
    Simulation *simulations[3];
    int count = domain_stepped(domain, simulations);
    for (int c = 0; c < count; ++c) {
        fields_push(domain, simulations[c]);
    }
    set_asymmetry(domain, ASYMMETRIC_FIELDS, lonely.count > 0);
    bool told = domain->fields_told;
    domain->fields_told = code > 0;
    if (told && code > 0) { /* fields may change with every frame */
        status_clear(status);
        return STATUS_OK;
    }
    return code;
}
