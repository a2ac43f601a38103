/* The damping of a cloth that settles: given to its levels, and taken back when that ends. */
#include "cloth/state.h"

/* Materials are only taken note of, which cannot fail; the next step makes their matrix, and tells. */
static void give_materials(Cloth *cloth, int level, const Material *materials) {
    const Inputs inputs = {.materials = materials};
    Status told = {0}; /* warnings, which are of the materials as they were given */
    domain_take(cloth->levels[level].domain, &inputs, INPUT_MATERIALS, &told);
}

void settle_damp(Cloth *cloth, int level) {
    Material *materials = cloth->settling.materials;
    for (int p = 0; p < PARTS_MOST; ++p) {
        materials[p] = cloth->materials[p];
        /* the caller's own would hold up what should fall */
        materials[p].damping = cloth->settling.damping;
        materials[p].stiffness_damping = materials[p].air_drag = 0;
    }
    give_materials(cloth, level, materials);
}

void settle_hasten(Cloth *cloth, double haste) {
    const Inputs inputs = {.haste = haste};
    Status told = {0}; /* it is always taken */
    domain_take(cloth->levels[0].domain, &inputs, INPUT_HASTE, &told);
}

void settle_end(Cloth *cloth) {
    if (!cloth->settling.active) {
        return;
    }
    cloth->settling.active = false;
    settle_hasten(cloth, 0.0);
    for (int l = 0; l < LEVELS_MOST; ++l) {
        if (cloth->levels[l].domain) {
            give_materials(cloth, l, cloth->materials);
        }
    }
}
