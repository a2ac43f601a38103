/* Gives a cloth what the caller has set, in that cloth's terms. */
#include "garment/state.h"

/* Always to targets in single precision, so that pins that are given to a cloth again are the same to the bit. */
StatusCode pins_push(Garment *garment, Cloth *cloth, const PinSet *set, Status *status) {
    int halved = cloth == garment->halved;
    StatusCode code = halved ? cloth_set_pins(cloth, set->half_count, set->half_vertices,
                                              set->half_weights, set->half_targets, status)
                             : cloth_set_pins(cloth, set->count, set->vertices, set->weights,
                                              set->targets, status);
    if (code == STATUS_WARNING_ALL_PINNED) {
        status_set(status, code,
                   "all %d vertices are pinned: they follow their targets and nothing else",
                   garment->vertex_count);
    }
    return code;
}

void scales_push(Garment *garment, Cloth *cloth) {
    int halved = cloth == garment->halved;
    int *version = halved ? &garment->half_scales_version : &garment->whole_scales_version;
    if (*version == garment->scales_version) {
        return;
    }
    *version = garment->scales_version;
    float **from = garment->scales;
    for (int s = 0; s < 3 && halved; ++s) {
        for (int i = 0; i < garment->half.polygons.vertex_count; ++i) {
            int own = garment->stand_in[i], image = garment->half.image[i];
            int both = garment->mode == MIRROR_EXACT && image >= 0;
            garment->half_scales[s][i] =
                both ? 0.5f * (from[s][own] + from[s][image]) : from[s][own];
        }
    }
    float **to = halved ? garment->half_scales : from;
    cloth_set_scales(cloth, to[0], to[1], to[2]);
}
