/* The damping of a cloth that settles: given to its levels, and taken back when that ends. */
#include "live/state.h"

/* Materials are only taken note of, which cannot fail; the next step makes their matrix, and tells. */
static void give_materials(Live *live, int level, const Material *materials) {
    Status told = {0}; /* warnings, which are of the materials as they were given */
    cloth_set_materials(live->levels[level].cloth, materials, &told);
}

void settle_damp(Live *live, int level) {
    Material materials[PARTS_MOST];
    for (int p = 0; p < PARTS_MOST; ++p) {
        materials[p] = live->options.simulation.materials[p];
        /* the caller's own would hold up what should fall */
        materials[p].damping = live->settling.damping;
        materials[p].stiffness_damping = materials[p].air_drag = 0;
    }
    give_materials(live, level, materials);
}

void settle_end(Live *live) {
    if (!live->settling.active) {
        return;
    }
    live->settling.active = false;
    cloth_hasten_links(live->levels[0].cloth, 0.0);
    for (int l = 0; l < LEVELS_MOST; ++l) {
        if (live->levels[l].cloth) {
            give_materials(live, l, live->options.simulation.materials);
        }
    }
}
