#include <stdlib.h>

#include "garment/state.h"
#include "mesh/check.h"

/* Within this time the fronts of a closure come together, s. */
#define CLOSING_SECONDS 0.5

/* --- building --------------------------------------------------------------------------------- */

static HalfOptions half_options(const MirrorOptions *mirror) {
    return (HalfOptions){.mode = mirror->choice == MIRROR_HALVE ? HALF_CUT : HALF_EXACT,
                         .find = mirror->find,
                         .plane = mirror->plane,
                         .tolerance = mirror->tolerance,
                         .closure = mirror->closure,
                         .overlap = mirror->overlap,
                         .over = mirror->over};
}

static StatusCode create_extras(Garment *garment, Status *status) {
    const Half *half = &garment->half;
    return half->extra_count > 0
               ? extras_build(&garment->extras, &garment->mesh.polygons, half->extra_count,
                              half->extra, &garment->options.cloth, status)
               : STATUS_OK;
}

static StatusCode create_halved_cloth(Garment *garment, Status *status) {
    const Half *half = &garment->half;
    ClothOptions options = garment->options.cloth;
    options.half = (ClothHalf){.halved = 1,
                               .rail_from = half->rail_from,
                               .plane_from = half->plane_from,
                               .closing = CLOSING_SECONDS,
                               .barrier = half->front_count > 0};
    forces_for_half(half, &options);
    garment->halved = cloth_create(&half->polygons, &options, status);
    return garment->halved ? STATUS_OK : status->code;
}

/* Closed fronts are closed by the half's plane; the whole cloth knows none. */
static StatusCode check_closure(const Garment *garment, Status *status) {
    if (garment->half.front_count == 0 ||
        garment->options.mirror.asymmetric_body != BODY_SOLVE_WHOLE) {
        return STATUS_OK;
    }
    return status_set(status, STATUS_ERROR_ARGUMENT,
                      "a garment with closed fronts cannot be simulated whole where a body is "
                      "asymmetric: choose that such bodies are symmetrised, or no closure");
}

/* A warning of half_build() stays in `status`. */
static StatusCode build_halved(Garment *garment, const PolygonMesh *polygons, Status *status) {
    HalfOptions wanted = half_options(&garment->options.mirror);
    Status told = {0};
    if (half_build(polygons, &wanted, &garment->half, status) < 0 ||
        mesh_copy(polygons, &garment->mesh, status) < 0) {
        return status->code;
    }
    garment->mode = wanted.mode == HALF_EXACT ? MIRROR_EXACT : MIRROR_HALVE;
    if (check_closure(garment, &told) < 0 || garment_take_maps(garment, &told) < 0 ||
        create_halved_cloth(garment, &told) < 0 || create_extras(garment, &told) < 0) {
        *status = told;
        return status->code;
    }
    garment->vertex_count = polygons->vertex_count;
    atomic_store(&garment->active, garment->halved);
    return status->code;
}

static StatusCode build_whole(Garment *garment, const PolygonMesh *polygons, Status *status) {
    garment->whole = cloth_create(polygons, &garment->options.cloth, status);
    atomic_store(&garment->active, garment->whole);
    return garment->whole ? STATUS_OK : status->code;
}

/* One more sentence; the first code stays. */
static void add_warning(Status *status, const Status *more) {
    if (more->code == STATUS_OK) {
        return;
    }
    if (status->code == STATUS_OK) {
        *status = *more;
    } else {
        status_append(status, "; %s", more->message);
    }
}

static void forget_half(Garment *garment) {
    cloth_destroy(garment->halved);
    garment->halved = NULL;
    extras_free(&garment->extras);
    garment->mode = MIRROR_OFF;
    half_free(&garment->half);
    mesh_copy_free(&garment->mesh);
    store_release(&garment->store);
}

/* What check_forces() said of the forces that count from now on. */
static void note_forces(Garment *garment, StatusCode code) {
    garment->forces_told = code > 0;
    set_asymmetry(garment, ASYMMETRIC_FORCES,
                  code > 0 && garment->options.mirror.choice == MIRROR_AUTO);
}

/* By half if that can be; MIRROR_AUTO else takes it whole, and says so. */
static StatusCode build_mirrored(Garment *garment, const PolygonMesh *polygons, Status *status) {
    Status told = {0}, forces = {0};
    const ClothOptions *cloth = &garment->options.cloth;
    StatusCode code = build_halved(garment, polygons, &told);
    if (code >= 0) {
        code = check_forces(garment, cloth->gravity, &cloth->wind, &forces);
        add_warning(code < 0 ? &forces : &told, code < 0 ? &told : &forces);
        note_forces(garment, code);
        *status = code < 0 ? forces : told;
        return status->code;
    }
    if (garment->options.mirror.choice != MIRROR_AUTO || code != STATUS_ERROR_MESH) {
        *status = told;
        return code;
    }
    forget_half(garment);
    if (build_whole(garment, polygons, status) < 0) {
        return status->code;
    }
    Status why = {0};
    status_set(&why, STATUS_WARNING_MIRROR, "not mirrored, all of the garment is simulated%s: %s",
               garment->options.mirror.closure != CLOSURE_FREE ? " and nothing closed" : "",
               told.message);
    add_warning(&why, status);
    *status = why;
    return status->code;
}

Garment *garment_create(const PolygonMesh *polygons, const GarmentOptions *options,
                        Status *status) {
    Garment *garment = calloc(1, sizeof *garment);
    CheckReport check;
    Status defects = {0};
    int found;
    if (!garment) {
        status_no_memory(status, "the garment");
        return NULL;
    }
    garment->options = *options;
    garment->vertex_count = polygons->vertex_count;
    StatusCode code;
    if (options->mirror.choice == MIRROR_OFF) {
        code = build_whole(garment, polygons, status);
    } else if (mesh_check(polygons, &check, NULL, 0, &found, &defects) < 0) {
        *status = defects;
        code = defects.code;
    } else {
        code = build_mirrored(garment, polygons, status);
        if (code >= 0 && garment->mode != MIRROR_OFF) {
            add_warning(status, &defects); /* in the caller's numbers, not in the half's */
        }
    }
    if (code >= 0) {
        return garment;
    }
    garment_destroy(garment);
    return NULL;
}

void garment_destroy(Garment *garment) {
    if (!garment) {
        return;
    }
    bodies_free(garment);
    cloth_destroy(garment->whole);
    forget_half(garment);
    free(garment);
}

int garment_vertex_count(const Garment *garment) { return garment->vertex_count; }

/* --- stepping --------------------------------------------------------------------------------- */

StatusCode garment_prepare(Garment *garment, double step_seconds, Status *status) {
    Cloth *cloths[2];
    StatusCode code = garment_choose(garment, status);
    int count = garment_stepped(garment, cloths);
    for (int c = 0; c < count && code >= 0; ++c) {
        code = cloth_prepare(cloths[c], step_seconds, status);
    }
    return code;
}

/* Where a cloth names its own vertex, the caller knows it by another number. */
static StatusCode step_cloth(const Garment *garment, Cloth *cloth, double seconds, Status *status) {
    StatusCode code = cloth_step(cloth, seconds, status);
    int lost = cloth_lost_vertex(cloth);
    if (code == STATUS_ERROR_DIVERGED && cloth != garment->whole) {
        lost = cloth == garment->halved ? garment->stand_in[lost] : garment->extras.vertices[lost];
        status_set(status, STATUS_ERROR_DIVERGED,
                   "vertex %d left the finite numbers; the state is that before the substep", lost);
    }
    return code;
}

/* After the half: the mirrored garment goes where it has gone. */
static StatusCode step_extras(Garment *garment, double seconds, Status *status) {
    garment_get_state(garment, garment->floats, NULL);
    extras_follow(&garment->extras, garment->floats);
    return step_cloth(garment, garment->extras.cloth, seconds, status);
}

StatusCode garment_step(Garment *garment, double seconds, Status *status) {
    StatusCode code = garment_choose(garment, status);
    if (code < 0) {
        return code;
    }
    Cloth *active = garment_active(garment);
    code = step_cloth(garment, active, seconds, status);
    if (code >= 0 && garment_is_halved(garment) && garment->extras.cloth) {
        code = step_extras(garment, seconds, status);
    }
    int done = cloth_substeps_done(active);
    bodies_end_step(garment, (double)done / garment->options.cloth.substeps);
    garment->solved_whole = active == garment->whole && garment->mode != MIRROR_OFF;
    garment->whole_steps += garment->solved_whole;
    return code;
}

void garment_cancel(Garment *garment) {
    cloth_cancel(garment_active(garment));
    if (garment->extras.cloth) {
        cloth_cancel(garment->extras.cloth);
    }
}

double garment_progress(const Garment *garment) { return cloth_progress(garment_active(garment)); }

/* --- what may change while running ------------------------------------------------------------ */

void garment_set_material(Garment *garment, const Material *material) {
    Cloth *cloths[3];
    int count = garment_cloths(garment, cloths);
    garment->options.cloth.material = *material;
    for (int c = 0; c < count; ++c) {
        cloth_set_material(cloths[c], material);
    }
}

StatusCode garment_set_forces(Garment *garment, Vec3 gravity, const Wind *wind, Status *status) {
    StatusCode code =
        garment->mode == MIRROR_OFF ? STATUS_OK : check_forces(garment, gravity, wind, status);
    if (code < 0) {
        return code;
    }
    garment->options.cloth.gravity = gravity;
    garment->options.cloth.wind = *wind;
    int told = garment->forces_told;
    note_forces(garment, code);
    Cloth *cloths[2];
    int count = garment_stepped(garment, cloths);
    for (int c = 0; c < count; ++c) {
        forces_push(garment, cloths[c]);
    }
    if (told && code > 0) { /* wind may change with every frame */
        status_clear(status);
        return STATUS_OK;
    }
    return code;
}

void garment_set_rounds(Garment *garment, int substeps, int iterations) {
    Cloth *cloths[3];
    int count = garment_cloths(garment, cloths);
    garment->options.cloth.substeps = substeps;
    garment->options.cloth.solving.iterations = iterations;
    garment->options.cloth.solving.quality = QUALITY_CUSTOM;
    for (int c = 0; c < count; ++c) {
        cloth_set_rounds(cloths[c], substeps, iterations);
    }
}

int garment_has_quality(const Garment *garment) {
    return cloth_has_quality(garment_active(garment));
}

void garment_set_quality(Garment *garment, Quality quality) {
    Cloth *cloths[3];
    int count = garment_cloths(garment, cloths);
    garment->options.cloth.solving.quality = quality;
    for (int c = 0; c < count; ++c) {
        cloth_set_quality(cloths[c], quality);
    }
}

StatusCode garment_set_self_contact(Garment *garment, const BodySurface *surface, Status *status) {
    Cloth *active = garment_active(garment);
    Cloth *other = active == garment->whole ? garment->halved : garment->whole;
    StatusCode code = cloth_set_self_contact(active, surface, status);
    if (code >= 0 && other) {
        code = cloth_set_self_contact(other, surface, status);
        if (code < 0) { /* both as they were */
            Status told = {0};
            cloth_set_self_contact(active, &garment->self_contact, &told);
        }
    }
    if (code >= 0 && extras_set_surface(&garment->extras, surface, status) < 0) {
        Status told = {0};
        code = status->code;
        cloth_set_self_contact(active, &garment->self_contact, &told);
        if (other) {
            cloth_set_self_contact(other, &garment->self_contact, &told);
        }
    }
    garment->self_contact = code >= 0 ? *surface : garment->self_contact;
    return code;
}
