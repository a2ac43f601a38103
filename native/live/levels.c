/* The chain of meshes, and the cloth of each. */
#include <string.h>

#include "live/state.h"

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
static StatusCode find_partners(Live *live, Store *room, Kept *kept, Status *status) {
    MirrorReport mirror;
    Symmetry symmetry;
    cloth_mirror(live->levels[0].cloth, &mirror);
    kept->partners = NULL;
    if (mirror.mode != MIRROR_EXACT) {
        return STATUS_OK;
    }
    kept->partners = STORE_ARRAY(room, int32_t, live->mesh.polygons.vertex_count);
    if (room->failed) {
        return status_no_memory(status, "levels");
    }
    SymmetryOptions options = {.plane = mirror.plane, .tolerance = live->options.mirror.tolerance};
    return symmetry_find(&live->mesh.polygons, &options, &symmetry, kept->partners, NULL, status);
}

static void mark_kept(const Live *live, uint8_t *marks) {
    const Cloth *cloth = live->levels[0].cloth;
    for (int v = 0; v < live->levels[0].count; ++v) {
        bool on_line = cloth_is_buttoned_at(cloth, v);
        marks[v] = (uint8_t)((live->pins.held[v] ? MARK_PIN : 0) | (on_line ? MARK_LINE : 0));
    }
}

/* The same of the next coarser level, in the same arrays: its vertices are some of these, in their order. */
static void pass_on(const CoarseMesh *mesh, Kept *kept) {
    for (int v = 0; v < mesh->polygons.vertex_count; ++v) {
        int from = mesh->source[v];
        kept->marks[v] = kept->marks[from];
        if (kept->partners) {
            int partner = kept->partners[from];
            kept->partners[v] = partner < 0 ? -1 : mesh->heir[partner];
        }
    }
}

static StatusCode fill_level(Level *level, const Level *finer, const PolygonMesh *polygons,
                             Status *status) {
    Store *store = &level->store;
    level->count = level->mesh.polygons.vertex_count;
    level->source = STORE_ARRAY(store, int32_t, level->count);
    level->x = STORE_ARRAY(store, Vec3, level->count);
    level->v = STORE_ARRAY(store, Vec3, level->count);
    level->hints = STORE_ARRAY(store, OutsideHint, level->count);
    level->mean_side = polygon_mean_side(&level->mesh.polygons);
    if (store->failed || riding_build(polygons, &level->mesh, store, &level->riding) < 0) {
        return status_no_memory(status, "levels");
    }
    for (int v = 0; v < level->count; ++v) {
        int from = level->mesh.source[v];
        level->source[v] = finer->source ? finer->source[from] : from;
    }
    return STATUS_OK;
}

static void free_level(Level *level) {
    cloth_destroy(level->cloth);
    coarse_free(&level->mesh);
    store_release(&level->store);
    *level = (Level){0};
}

static StatusCode make_next(Live *live, Kept *kept, bool *made, Status *status) {
    int l = live->level_count;
    Level *level = &live->levels[l], *finer = &live->levels[l - 1];
    const PolygonMesh *polygons = l == 1 ? &live->mesh.polygons : &finer->mesh.polygons;
    CoarsenOptions options = {
        .target = finer->count / RATIO, .partners = kept->partners, .marks = kept->marks};
    *made = false;
    if (options.target < FEWEST || l == LEVELS_MOST || live->linked) {
        return STATUS_OK;
    }
    StatusCode code = coarsen(polygons, &options, &level->mesh, status);
    if (code == STATUS_OK && level->mesh.polygons.vertex_count <= NOT_FEWER * finer->count) {
        code = fill_level(level, finer, polygons, status);
        *made = code == STATUS_OK;
    }
    if (!*made) {
        free_level(level);
        return code;
    }
    pass_on(&level->mesh, kept);
    ++live->level_count;
    return STATUS_OK;
}

void levels_forget(Live *live) {
    for (int l = 1; l < live->level_count; ++l) {
        free_level(&live->levels[l]);
        for (int b = 0; b < live->body_count; ++b) {
            live->bodies[b].numbers[l] = -1;
        }
    }
    live->level_count = 0;
}

StatusCode levels_make(Live *live, Status *status) {
    Store room = {0};
    int counts[LEVELS_MOST], vertices = live->mesh.polygons.vertex_count;
    Kept kept = {.marks = STORE_ARRAY(&room, uint8_t, vertices)};
    StatusCode code =
        kept.marks ? find_partners(live, &room, &kept, status) : status_no_memory(status, "levels");
    live->level_count = 1;
    bool more = code == STATUS_OK;
    if (more) {
        mark_kept(live, kept.marks);
    }
    while (more && code == STATUS_OK) {
        code = make_next(live, &kept, &more, status);
    }
    store_release(&room);
    if (code != STATUS_OK) {
        levels_forget(live);
        return code;
    }
    for (int l = 0; l < live->level_count; ++l) {
        counts[l] = live->levels[l].count;
    }
    pace_start(&live->pace, live->level_count, counts);
    return STATUS_OK;
}

/* --- vertices ----------------------------------------------------------------------------------- */

/* The level's vertex that a vertex of the caller's is, -1 where it rides. */
static int find_vertex(const Live *live, int level, int vertex) {
    for (int l = 1; l <= level && vertex >= 0; ++l) {
        const CoarseMesh *mesh = &live->levels[l].mesh;
        int heir = mesh->heir[vertex];
        vertex = mesh->source[heir] == vertex ? heir : -1;
    }
    return vertex;
}

int levels_pin(const Live *live, int level, int pin) {
    int vertex = live->pins.vertices[pin];
    return live->pins.held[vertex] ? find_vertex(live, level, vertex) : -1;
}

bool levels_hold_pins(const Live *live) {
    const LivePins *pins = &live->pins;
    for (int p = 0; p < pins->count; ++p) {
        int at = pins->vertices[p];
        for (int l = 1; l < live->level_count && pins->held[pins->vertices[p]]; ++l) {
            at = live->levels[l].mesh.heir[at];
            if (!pins->held[live->levels[l].source[at]]) {
                return false;
            }
        }
    }
    return true;
}

/* --- cloths ------------------------------------------------------------------------------------- */

StatusCode levels_give_pins(Live *live, int level, Status *status) {
    const LivePins *pins = &live->pins;
    int count = 0;
    for (int p = 0; p < pins->count; ++p) {
        int at = levels_pin(live, level, p);
        if (at >= 0) {
            live->numbers[count] = at;
            live->more_floats[count] = pins->weights[p];
            memcpy(live->floats + 3 * (int64_t)count++, pins->targets + 3 * (int64_t)p,
                   3 * sizeof(float));
        }
    }
    Cloth *cloth = live->levels[level].cloth;
    return pins->stay ? cloth_take_pins(cloth, live->levels[0].cloth, count, live->numbers,
                                        live->more_floats, live->floats, status)
                      : cloth_set_pins(cloth, count, live->numbers, live->more_floats, live->floats,
                                       status);
}

StatusCode levels_give_scales(Live *live, int level, Status *status) {
    const Level *at = &live->levels[level];
    GivenScales scales = {0};
    for (int k = 0; k < SCALE_KINDS; ++k) {
        float *room = k < 3 ? live->floats + k * (int64_t)at->count : live->more_floats;
        scales.given[k] = true;
        scales.of[k] = live->has_scales[k] ? room : NULL;
        for (int v = 0; live->has_scales[k] && v < at->count; ++v) {
            room[v] = live->scales[k][at->source[v]];
        }
    }
    return cloth_set_scales(at->cloth, &scales, status);
}

StatusCode levels_give_fields(Live *live, int level, Status *status) {
    const Level *at = &live->levels[level];
    const float *given[2];
    float *room[2] = {live->floats, live->more_floats};
    for (int k = 0; k < 2; ++k) {
        given[k] = live->has_fields[k] ? room[k] : NULL;
        for (int v = 0; given[k] && v < at->count; ++v) {
            live_write(room[k], v, vector_at(live->fields[k], at->source[v]));
        }
    }
    return cloth_set_fields(at->cloth, given[0], given[1], status);
}

/* Mirrored as the caller's cloth has turned out to be. */
static ClothOptions level_options(const Live *live) {
    ClothOptions options = live->options;
    MirrorReport mirror;
    cloth_mirror(live->levels[0].cloth, &mirror);
    options.mirror.choice = mirror.mode == MIRROR_EXACT ? MIRROR_AUTO : mirror.mode;
    options.mirror.find = false;
    options.mirror.plane = mirror.plane;
    options.mirror.alike = true; /* a coarser mesh of the same garment */
    return options;
}

StatusCode levels_need(Live *live, int level, Status *status) {
    Level *at = &live->levels[level];
    if (at->cloth) {
        return STATUS_OK;
    }
    ClothOptions options = level_options(live);
    Status told = {0}; /* warnings are of another mesh than the caller's */
    at->cloth = cloth_create(&at->mesh.polygons, &options, &told);
    bool whole = at->cloth && cloth_set_self_contact(at->cloth, &live->self_contact, &told) >= 0 &&
                 levels_give_scales(live, level, &told) >= 0 &&
                 levels_give_fields(live, level, &told) >= 0 &&
                 levels_give_pins(live, level, &told) >= 0 &&
                 live_bodies_give(live, level, &told) >= 0;
    if (whole) {
        return STATUS_OK;
    }
    cloth_destroy(at->cloth);
    at->cloth = NULL;
    *status = told;
    return status->code;
}
