/* Gives a simulation what the caller has set, in that simulation's terms. */
#include "cloth/domain/domain_state.h"

/* Always to targets in single precision, so that pins that are given to a simulation again are the same to the bit. */
StatusCode pins_push(Domain *domain, Simulation *simulation, const PinSet *set, Status *status) {
    bool halved = simulation == domain->halved;
    StatusCode code = halved ? simulation_set_pins(simulation, set->half_count, set->half_vertices,
                                                   set->half_weights, set->half_targets, status)
                             : simulation_set_pins(simulation, set->count, set->vertices,
                                                   set->weights, set->targets, status);
    if (code == STATUS_WARNING_ALL_PINNED) {
        status_all_pinned(status, domain->vertex_count);
    }
    return code;
}

void scales_push(Domain *domain, Simulation *simulation) {
    bool halved = simulation == domain->halved;
    int *version = halved ? &domain->half_scales_version : &domain->whole_scales_version;
    if (*version == domain->scales_version) {
        return;
    }
    *version = domain->scales_version;
    float **from = domain->scales;
    for (int s = 0; s < SCALE_KINDS && halved; ++s) {
        for (int i = 0; i < domain->half.polygons.vertex_count; ++i) {
            int own = domain->stand_in[i], image = domain->half.image[i];
            bool both = domain->mode == MIRROR_EXACT && image >= 0;
            domain->half_scales[s][i] =
                both ? 0.5f * (from[s][own] + from[s][image]) : from[s][own];
        }
    }
    float **to = halved ? domain->half_scales : from;
    const GivenScales all = all_scales(to);
    simulation_set_scales(simulation, &all);
}
