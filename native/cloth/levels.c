/* The chain of meshes, and the cloth of each. */
#include <string.h>

#include "cloth/state.h"

#define RATIO 3        /* vertices of a level over those of the next coarser one */
#define FEWEST 250     /* vertices that are still worth a level */
#define NOT_FEWER 0.75 /* of the vertices left: nothing more can collapse */

/* --- meshes ------------------------------------------------------------------------------------- */

/* What vertices are and stay when they collapse: pins must hold the same cloth on every level, and buttoned fronts close
 * along the same line. */
enum { MARK_PIN = 1, MARK_LINE = 2 };

/* What coarsening keeps, per vertex of one level. */
typedef struct Kept {
    int32_t *partners; /* null: not mirrored */
    uint8_t *marks;    /* bits */
} Kept;

/* Partners in the mirror plane that the caller's cloth has found; none where it is not its own image. */
static StatusCode find_partners(Cloth *cloth, Store *room, Kept *kept, Status *status) {
    MirrorReport mirror;
    Symmetry symmetry;
    domain_symmetry(cloth->levels[0].domain, &mirror);
    kept->partners = NULL;
    if (mirror.mode != MIRROR_EXACT) {
        return STATUS_OK;
    }
    kept->partners = STORE_ARRAY(room, int32_t, cloth->inputs.mesh.polygons.vertex_count);
    if (room->failed) {
        return status_no_memory(status, "levels");
    }
    SymmetryOptions options = {.plane = mirror.plane,
                               .tolerance = cloth->options.mirror.half.tolerance};
    return symmetry_find(&cloth->inputs.mesh.polygons, &options, &symmetry, kept->partners, NULL,
                         status);
}

static void mark_kept(const Cloth *cloth, uint8_t *marks) {
    const Domain *domain = cloth->levels[0].domain;
    for (int v = 0; v < cloth->levels[0].count; ++v) {
        bool on_line = domain_is_buttoned_at(domain, v);
        marks[v] = (uint8_t)((cloth->pins.held[v] ? MARK_PIN : 0) | (on_line ? MARK_LINE : 0));
    }
}

/* The same of the next coarser level, in the same arrays: its vertices are some of these, in their order. */
static void pass_on(const CoarseMesh *mesh, Kept *kept) {
    for (int v = 0; v < mesh->polygons.vertex_count; ++v) {
        int from = mesh->source[v];
        kept->marks[v] = kept->marks[from];
        if (kept->partners) {
            int partner = kept->partners[from];
            kept->partners[v] = partner < 0 ? -1 : mesh->collapsed_to[partner];
        }
    }
}

static StatusCode fill_level(const Cloth *cloth, Level *level, const Level *finer,
                             const PolygonMesh *polygons, Status *status) {
    Store *store = &level->store;
    level->count = level->mesh.polygons.vertex_count;
    level->source = STORE_ARRAY(store, int32_t, level->count);
    level->x = STORE_ARRAY(store, Vec3, level->count);
    level->v = STORE_ARRAY(store, Vec3, level->count);
    level->hints = STORE_ARRAY(store, OutsideHint, level->count);
    level->carried = carried_take(level->count, store);
    level->mean_side = polygon_mean_side(&level->mesh.polygons);
    if (store->failed || embedding_build(polygons, &level->mesh, store, &level->embedding) < 0) {
        return status_no_memory(status, "levels");
    }
    for (int v = 0; v < level->count; ++v) {
        int from = level->mesh.source[v];
        level->source[v] = finer->source ? finer->source[from] : from;
    }
    level->mapping =
        (Mapping){.count = level->count, .source = level->source, .taken = cloth->pins.held};
    return STATUS_OK;
}

static void free_level(Level *level) {
    domain_destroy(level->domain);
    coarse_free(&level->mesh);
    store_release(&level->store);
    *level = (Level){0};
}

static StatusCode make_next(Cloth *cloth, Kept *kept, bool *made, Status *status) {
    int l = cloth->level_count;
    Level *level = &cloth->levels[l], *finer = &cloth->levels[l - 1];
    const PolygonMesh *polygons = l == 1 ? &cloth->inputs.mesh.polygons : &finer->mesh.polygons;
    CoarsenOptions options = {
        .target = finer->count / RATIO, .partners = kept->partners, .marks = kept->marks};
    *made = false;
    if (options.target < FEWEST || l == LEVELS_MOST || cloth->inputs.set.links.count > 0) {
        return STATUS_OK;
    }
    StatusCode code = coarsen(polygons, &options, &level->mesh, status);
    if (code == STATUS_OK && level->mesh.polygons.vertex_count <= NOT_FEWER * finer->count) {
        code = fill_level(cloth, level, finer, polygons, status);
        *made = code == STATUS_OK;
    }
    if (!*made) {
        free_level(level);
        return code;
    }
    pass_on(&level->mesh, kept);
    ++cloth->level_count;
    return STATUS_OK;
}

void levels_forget(Cloth *cloth) {
    for (int l = 1; l < cloth->level_count; ++l) {
        free_level(&cloth->levels[l]);
    }
    cloth->level_count = 0;
}

StatusCode levels_make(Cloth *cloth, Status *status) {
    Store room = {0};
    int counts[LEVELS_MOST], vertices = cloth->inputs.mesh.polygons.vertex_count;
    Kept kept = {.marks = STORE_ARRAY(&room, uint8_t, vertices)};
    StatusCode code = kept.marks ? find_partners(cloth, &room, &kept, status)
                                 : status_no_memory(status, "levels");
    cloth->level_count = 1;
    bool more = code == STATUS_OK;
    if (more) {
        mark_kept(cloth, kept.marks);
    }
    while (more && code == STATUS_OK) {
        code = make_next(cloth, &kept, &more, status);
    }
    store_release(&room);
    if (code != STATUS_OK) {
        levels_forget(cloth);
        return code;
    }
    for (int l = 0; l < cloth->level_count; ++l) {
        counts[l] = cloth->levels[l].count;
    }
    pace_start(&cloth->pace, cloth->level_count, counts);
    return STATUS_OK;
}

/* --- vertices ----------------------------------------------------------------------------------- */

bool levels_hold_pins(const Cloth *cloth) {
    const PinInputs *pins = &cloth->inputs.set.pins;
    const uint8_t *held = cloth->pins.held;
    for (int p = 0; p < pins->count; ++p) {
        int at = pins->vertices[p];
        for (int l = 1; l < cloth->level_count && held[pins->vertices[p]]; ++l) {
            at = cloth->levels[l].mesh.collapsed_to[at];
            if (!held[cloth->levels[l].source[at]]) {
                return false;
            }
        }
    }
    return true;
}

/* --- cloths ------------------------------------------------------------------------------------- */

/* Targets that stay where the vertices were are symmetric if those of the caller's half were. All maps go together. */
StatusCode levels_give(Cloth *cloth, int level, unsigned what, Status *status) {
    Level *at = &cloth->levels[level];
    what |= what & INPUT_MAPS ? INPUT_MAPS : 0;
    Inputs given = at->inputs;
    mapping_carry(&at->mapping, &cloth->inputs.set, what, cloth->levels[0].count, cloth->numbers,
                  &at->carried, &given);
    given.pins.symmetric = cloth->inputs.stay && domain_steps_half(cloth->levels[0].domain);
    return domain_take(at->domain, &given, what, status);
}

/* Mirrored as the caller's cloth has turned out to be. */
static DomainOptions level_options(const Cloth *cloth) {
    DomainOptions options = cloth->options;
    options.simulation = simulation_options_with(&cloth->options.simulation, &cloth->inputs.set);
    MirrorReport mirror;
    domain_symmetry(cloth->levels[0].domain, &mirror);
    options.mirror.choice = mirror.mode == MIRROR_EXACT ? MIRROR_AUTO : mirror.mode;
    options.mirror.half.find = false;
    options.mirror.half.plane = mirror.plane;
    options.mirror.half.alike = true; /* a coarser mesh of the same garment */
    return options;
}

StatusCode levels_need(Cloth *cloth, int level, Status *status) {
    Level *at = &cloth->levels[level];
    if (at->domain) {
        return STATUS_OK;
    }
    DomainOptions options = level_options(cloth);
    Status reported = {0}; /* warnings are of another mesh than the caller's */
    at->inputs = cloth->inputs.set;
    at->domain =
        domain_create(&at->mesh.polygons, &options, &at->inputs, &cloth->inputs.bodies, &reported);
    unsigned what = INPUT_SELF_CONTACT | INPUT_MAPS | INPUT_FIELDS | INPUT_PINS;
    bool whole = at->domain && levels_give(cloth, level, what, &reported) >= 0 &&
                 domain_give_bodies(at->domain, &reported) >= 0;
    if (whole) {
        return STATUS_OK;
    }
    domain_destroy(at->domain);
    at->domain = NULL;
    *status = reported;
    return status->code;
}

/* --- the damping of a cloth that settles: given to its levels, and taken back when that ends ------ */

/* Materials are only taken note of, which cannot fail; the next step makes their matrix, and tells. */
static void give_materials(Cloth *cloth, int level, const Material *materials, bool evenly) {
    const Inputs inputs = {.materials = materials, .evenly = evenly};
    Status reported = {0}; /* warnings, which are of the materials as they were given */
    domain_take(cloth->levels[level].domain, &inputs, INPUT_MATERIALS, &reported);
}

void settle_damp(Cloth *cloth, int level) {
    Material *materials = cloth->settling.materials;
    for (int p = 0; p < PARTS_MOST; ++p) {
        materials[p] = cloth->inputs.materials[p];
        /* the caller's own would hold up what should fall */
        materials[p].damping = cloth->settling.damping;
        materials[p].stiffness_damping = materials[p].air_drag = 0;
    }
    give_materials(cloth, level, materials, true);
}

void settle_hasten(Cloth *cloth, double haste) {
    const Inputs inputs = {.haste = haste};
    Status reported = {0}; /* it is always taken */
    domain_take(cloth->levels[0].domain, &inputs, INPUT_HASTE, &reported);
}

void settle_end(Cloth *cloth) {
    if (!cloth->settling.active) {
        return;
    }
    cloth->settling.active = false;
    settle_hasten(cloth, 0.0);
    for (int l = 0; l < LEVELS_MOST; ++l) {
        if (cloth->levels[l].domain) {
            give_materials(cloth, l, cloth->inputs.materials, false);
        }
    }
}

void cloth_disturb(Cloth *cloth) {
    settle_end(cloth);
    cloth->settled = false;
    cloth->quiet_steps = 0;
}
