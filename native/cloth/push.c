/* Gives a simulation what the caller has set, in that simulation's terms. */
#include "cloth/state.h"

/* Always to targets in single precision, so that pins that are given to a simulation again are the same to the bit. */
StatusCode pins_push(Cloth *cloth, Simulation *simulation, const PinSet *set, Status *status) {
    bool halved = simulation == cloth->halved;
    StatusCode code = halved ? simulation_set_pins(simulation, set->half_count, set->half_vertices,
                                                   set->half_weights, set->half_targets, status)
                             : simulation_set_pins(simulation, set->count, set->vertices,
                                                   set->weights, set->targets, status);
    if (code == STATUS_WARNING_ALL_PINNED) {
        status_all_pinned(status, cloth->vertex_count);
    }
    return code;
}

void scales_push(Cloth *cloth, Simulation *simulation) {
    bool halved = simulation == cloth->halved;
    int *version = halved ? &cloth->half_scales_version : &cloth->whole_scales_version;
    if (*version == cloth->scales_version) {
        return;
    }
    *version = cloth->scales_version;
    float **from = cloth->scales;
    for (int s = 0; s < SCALE_KINDS && halved; ++s) {
        for (int i = 0; i < cloth->half.polygons.vertex_count; ++i) {
            int own = cloth->stand_in[i], image = cloth->half.image[i];
            bool both = cloth->mode == MIRROR_EXACT && image >= 0;
            cloth->half_scales[s][i] = both ? 0.5f * (from[s][own] + from[s][image]) : from[s][own];
        }
    }
    float **to = halved ? cloth->half_scales : from;
    const GivenScales all = all_scales(to);
    simulation_set_scales(simulation, &all);
}
