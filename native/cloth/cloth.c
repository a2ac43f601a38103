/* Building a cloth, whole or by half, stepping it, and what is set for all of its simulations at once. */
#include <stdlib.h>

#include "cloth/state.h"
#include "mesh/polygon.h"

/* Within this time the fronts of a closure come together, s. */
#define CLOSING_SECONDS 0.5

/* --- building --------------------------------------------------------------------------------- */

static HalfOptions half_options(const ClothOptions *options) {
    const MirrorOptions *mirror = &options->mirror;
    return (HalfOptions){.mode = mirror->choice == MIRROR_HALVE ? HALF_CUT : HALF_EXACT,
                         .find = mirror->find,
                         .plane = mirror->plane,
                         .tolerance = mirror->tolerance,
                         .closure = mirror->closure,
                         .overlap = mirror->overlap,
                         .over = mirror->over,
                         .alike = mirror->alike,
                         .quads = options->simulation.system.model == MODEL_WOVEN};
}

static StatusCode create_extras(Cloth *cloth, Status *status) {
    const Half *half = &cloth->half;
    return half->extra_count > 0
               ? extras_build(&cloth->extras, &cloth->mesh.polygons, half->extra_count, half->extra,
                              &cloth->options.simulation, status)
               : STATUS_OK;
}

static StatusCode create_halved_cloth(Cloth *cloth, Status *status) {
    const Half *half = &cloth->half;
    SimulationOptions options = cloth->options.simulation;
    options.half = (SimulationHalf){.halved = 1,
                                    .rail_from = half->rail_from,
                                    .plane_from = half->plane_from,
                                    .closing = CLOSING_SECONDS,
                                    .barrier = half->front_count > 0};
    forces_for_half(half, &options);
    PolygonMesh polygons = half->polygons;
    polygons.vertex_parts = cloth->half_parts;
    cloth->halved = simulation_create(&polygons, &options, status);
    if (!cloth->halved) {
        return status->code;
    }
    HalfOptions wanted = half_options(&cloth->options);
    return other_side_build(&cloth->other, &cloth->mesh.polygons, half, &wanted, &options, status);
}

/* Two sides of different fabrics are no mirror images; where the kept side decides, its fabric does. */
static StatusCode check_fabrics(const Cloth *cloth, Status *status) {
    const int32_t *parts = cloth->mesh.polygons.vertex_parts;
    for (int v = 0; parts && cloth->mode == MIRROR_EXACT && v < cloth->vertex_count; ++v) {
        int partner = cloth->partner[v];
        if (partner >= 0 && parts[v] != parts[partner]) {
            status_set(status, STATUS_ERROR_MESH,
                       "vertex %d belongs to part %d, but its mirror image, vertex %d, to part %d",
                       v, parts[v], partner, parts[partner]);
            status_name_argument(status, DETAIL_CONFLICT, "vertex_parts", parts[v], parts[partner]);
            return status_of_element(status, ELEMENT_VERTEX, v);
        }
    }
    return STATUS_OK;
}

/* Closed fronts are closed by the half's plane; the whole simulation knows none. */
static StatusCode check_closure(const Cloth *cloth, Status *status) {
    if (cloth->half.front_count == 0 || cloth->options.mirror.asymmetric_body != BODY_SOLVE_WHOLE) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_ARGUMENT,
               "a garment with closed fronts cannot be simulated whole where a body is "
               "asymmetric: choose that such bodies are symmetrised, or no closure");
    status_detail(status, DETAIL_CONFLICT)->name = "asymmetric_body";
    return status->code;
}

/* Where threads were refused: the caller knows his mesh by other numbers than the half and what is left out of it. If it is a
 * grid itself, the cut made it none. */
static void tell_no_grid(const Cloth *cloth, const PolygonMesh *polygons, Status *status) {
    Status whole = {0};
    Simulation *simulation = simulation_create(polygons, &cloth->options.simulation, &whole);
    if (!simulation) {
        *status = whole;
        return;
    }
    simulation_destroy(simulation);
    status_set(status, STATUS_ERROR_MESH,
               "threads need a grid of quads, but cut at the mirror plane this mesh is none: let a "
               "line of edges run along the plane and mirror it exactly, or simulate all of it");
    status_detail(status, DETAIL_NO_GRID);
}

/* A warning of half_build() stays in `status`. */
static StatusCode build_halved(Cloth *cloth, const PolygonMesh *polygons, Status *status) {
    HalfOptions wanted = half_options(&cloth->options);
    Status told = {0};
    if (half_build(polygons, &wanted, &cloth->half, status) < 0 ||
        mesh_copy(polygons, &cloth->mesh, status) < 0) {
        return status->code;
    }
    cloth->mode = wanted.mode == HALF_EXACT ? MIRROR_EXACT : MIRROR_HALVE;
    if (check_closure(cloth, &told) < 0 || cloth_take_maps(cloth, &told) < 0 ||
        check_fabrics(cloth, &told) < 0 || create_halved_cloth(cloth, &told) < 0 ||
        create_extras(cloth, &told) < 0) {
        *status = told;
        if (told.detail_count > 0 && told.details[0].code == DETAIL_NO_GRID) {
            tell_no_grid(cloth, polygons, status);
        }
        return status->code;
    }
    cloth->vertex_count = polygons->vertex_count;
    cloth->active = cloth->halved;
    return status->code;
}

static StatusCode build_whole(Cloth *cloth, const PolygonMesh *polygons, Status *status) {
    cloth->whole = simulation_create(polygons, &cloth->options.simulation, status);
    cloth->active = cloth->whole;
    return cloth->whole ? STATUS_OK : status->code;
}

static void forget_half(Cloth *cloth) {
    simulation_destroy(cloth->halved);
    cloth->halved = NULL;
    extras_free(&cloth->extras);
    other_side_free(&cloth->other);
    cloth->mode = MIRROR_OFF;
    half_free(&cloth->half);
    mesh_copy_free(&cloth->mesh);
    store_release(&cloth->store);
}

/* What check_forces() said of the forces that count from now on. */
static void note_forces(Cloth *cloth, StatusCode code) {
    cloth->forces_told = code > 0;
    set_asymmetry(cloth, ASYMMETRIC_FORCES,
                  code > 0 && cloth->options.mirror.choice == MIRROR_AUTO);
}

/* By half if that can be; MIRROR_AUTO else takes it whole, and says so. */
static StatusCode build_mirrored(Cloth *cloth, const PolygonMesh *polygons, Status *status) {
    Status told = {0}, forces = {0};
    const SimulationOptions *simulation = &cloth->options.simulation;
    StatusCode code = build_halved(cloth, polygons, &told);
    if (code >= 0) {
        code = check_forces(cloth, simulation->gravity, &simulation->wind, &forces);
        status_add(code < 0 ? &forces : &told, code < 0 ? &told : &forces);
        note_forces(cloth, code);
        *status = code < 0 ? forces : told;
        return status->code;
    }
    if (cloth->options.mirror.choice != MIRROR_AUTO || code != STATUS_ERROR_MESH) {
        *status = told;
        return code;
    }
    forget_half(cloth);
    if (build_whole(cloth, polygons, status) < 0) {
        return status->code;
    }
    bool closes = cloth->options.mirror.closure != CLOSURE_FREE;
    status_conclude(&told, STATUS_WARNING_MIRROR, OUTCOME_NOT_MIRRORED,
                    closes ? "not mirrored, all of the garment is simulated and nothing closed: "
                           : "not mirrored, all of the garment is simulated: ",
                    "");
    status_add(&told, status);
    *status = told;
    return status->code;
}

Cloth *cloth_create(const PolygonMesh *polygons, const ClothOptions *options, Status *status) {
    Cloth *cloth = calloc(1, sizeof *cloth);
    CheckReport check;
    Status defects = {0};
    int found;
    if (!cloth) {
        status_no_memory(status, "the garment");
        return NULL;
    }
    cloth->options = *options;
    cloth->vertex_count = polygons->vertex_count;
    StatusCode code;
    if (options->mirror.choice == MIRROR_OFF) {
        code = build_whole(cloth, polygons, status);
    } else if (mesh_check(polygons, &check, NULL, 0, &found, &defects) < 0) {
        *status = defects;
        code = defects.code;
    } else {
        code = build_mirrored(cloth, polygons, status);
        if (code >= 0 && cloth->mode != MIRROR_OFF) {
            status_add(status, &defects); /* in the caller's numbers, not in the half's */
        }
    }
    if (code >= 0) {
        return cloth;
    }
    cloth_destroy(cloth);
    return NULL;
}

void cloth_destroy(Cloth *cloth) {
    if (!cloth) {
        return;
    }
    bodies_free(cloth);
    simulation_destroy(cloth->whole);
    forget_half(cloth);
    free(cloth);
}

int cloth_vertex_count(const Cloth *cloth) { return cloth->vertex_count; }

/* --- stepping --------------------------------------------------------------------------------- */

/* All that a step goes through but this one, which may be null. */
static StatusCode prepare_all_but(Cloth *cloth, const Simulation *but, double step_seconds,
                                  Status *status) {
    Simulation *simulations[3];
    StatusCode code = STATUS_OK;
    int count = cloth_stepped(cloth, simulations);
    for (int c = 0; c < count && code >= 0; ++c) {
        if (simulations[c] == but) {
            continue;
        }
        bool led = simulations[c] == cloth->other.simulation;
        int steps = led ? other_side_steps(step_seconds) : 1;
        code = simulation_prepare(simulations[c], step_seconds / steps, status);
    }
    return code;
}

/* So that all can be where they were: take_all_back(). */
static StatusCode keep_all(Cloth *cloth, Status *status) {
    Simulation *simulations[3];
    int count = cloth_stepped(cloth, simulations);
    StatusCode code = STATUS_OK;
    for (int c = 0; c < count && count > 1 && code >= 0; ++c) {
        code = simulation_keep(simulations[c], KEPT_STEP, status);
    }
    return code;
}

StatusCode cloth_prepare(Cloth *cloth, double step_seconds, Status *status) {
    StatusCode code = cloth_choose(cloth, status);
    code = code < 0 ? code : prepare_all_but(cloth, NULL, step_seconds, status);
    return code < 0 ? code : keep_all(cloth, status); /* so that a step finds the room for it */
}

/* Pins that a half cannot have are not told to it: the next step is one of the whole, and sees where they go. */
bool cloth_is_driven(const Cloth *cloth) {
    const Simulation *active = cloth_active(cloth), *extras = cloth->extras.simulation;
    return (cloth_is_halved(cloth) && cloth->asymmetry != 0) || simulation_bodies_move(active) ||
           simulation_pins_move(active) || (extras && simulation_pins_move(extras));
}

/* Where a simulation names its own vertex, the caller knows it by another number. */
static StatusCode step_simulation(const Cloth *cloth, Simulation *simulation, double seconds,
                                  Status *status) {
    StatusCode code = simulation_step(simulation, seconds, status);
    int lost = simulation_lost_vertex(simulation);
    if (code == STATUS_ERROR_DIVERGED && simulation != cloth->whole) {
        lost = simulation == cloth->halved             ? cloth->stand_in[lost]
               : simulation == cloth->other.simulation ? cloth->other.half.origin[lost]
                                                       : cloth->extras.vertices[lost];
        status_diverged(status, lost);
    }
    return code;
}

/* After the half: the other side follows it. */
static StatusCode step_other(Cloth *cloth, double seconds, Status *status) {
    OtherSide *other = &cloth->other;
    int count = other_side_steps(seconds);
    StatusCode code = STATUS_OK;
    for (int s = 0; s < count && code >= 0; ++s) {
        other_side_lead(other, &cloth->half, simulation_positions(cloth->halved), seconds / count);
        code = step_simulation(cloth, other->simulation, seconds / count, status);
    }
    return code;
}

/* After both: the mirrored cloth goes where it has gone. */
static StatusCode step_extras(Cloth *cloth, double seconds, Status *status) {
    cloth_get_state(cloth, cloth->floats, NULL);
    extras_follow(&cloth->extras, cloth->floats);
    return step_simulation(cloth, cloth->extras.simulation, seconds, status);
}

/* Those that follow the active one. */
static StatusCode step_beside(Cloth *cloth, double seconds, Status *status) {
    StatusCode code = STATUS_OK;
    if (cloth->other.simulation) {
        code = step_other(cloth, seconds, status);
    }
    if (code >= 0 && cloth->extras.simulation) {
        code = step_extras(cloth, seconds, status);
    }
    return code;
}

/* A step of several simulations, of which one has failed, has never been: they would be at different times. */
static void take_all_back(Cloth *cloth, StatusCode code, Status *status) {
    Simulation *simulations[3];
    int count = cloth_stepped(cloth, simulations);
    for (int c = 0; c < count && count > 1; ++c) {
        simulation_take_back(simulations[c], KEPT_STEP);
    }
    if (code == STATUS_ERROR_CANCELLED) { /* no substep is done any more */
        simulation_refuse_cancelled(cloth->active, status);
    }
}

static StatusCode step(Cloth *cloth, double seconds, Status *status) {
    StatusCode code = cloth_choose(cloth, status);
    Simulation *active = cloth_active(cloth);
    if (code >= 0) { /* all of them before one moves, which prepares itself */
        code = prepare_all_but(cloth, active, seconds, status);
    }
    code = code < 0 ? code : keep_all(cloth, status);
    if (code < 0) {
        return code;
    }
    if (active == cloth->halved && cloth->other.simulation) {
        other_side_ride(&cloth->other, &cloth->half, simulation_positions(active));
    }
    code = step_simulation(cloth, active, seconds, status);
    if (code >= 0 && cloth_is_halved(cloth)) {
        code = step_beside(cloth, seconds, status);
    }
    if (code < 0) {
        take_all_back(cloth, code, status);
    }
    bodies_end_step(cloth, simulation_part_done(active));
    cloth->solved_whole = active == cloth->whole && cloth->mode != MIRROR_OFF;
    cloth->whole_steps += cloth->solved_whole;
    return code;
}

/* The cancel that this step took, or that came too late for it, ends with it. Never at the start: one that comes just
 * before a step is meant for it. And not between the simulations of one step, which it stops together. */
StatusCode cloth_step(Cloth *cloth, double seconds, Status *status) {
    StatusCode code = step(cloth, seconds, status);
    if (cloth->options.simulation.cancelled) {
        atomic_store(cloth->options.simulation.cancelled, 0);
    }
    return code;
}

/* --- what may change while running ------------------------------------------------------------ */

static StatusCode refuse_material(const Cloth *cloth, int part, const Material *material,
                                  Status *status) {
    PartOptions made = system_part(&cloth->options.simulation.system, part);
    bool air = !made.air && pressure_is_given(material);
    const char *name = air && material->pressure != 0 ? "pressure"
                       : air                          ? "volume_stiffness"
                       : material->fold_memory > 0    ? "fold_memory"
                                                      : "bend_samples";
    status_set(status, STATUS_ERROR_ARGUMENT, "%s is given", name);
    if (simulation_part_count(cloth_active(cloth)) > 1) {
        status_append(status, " for part %d", part);
    }
    status_append(status, ", but the cloth was made without: make it anew with it");
    return status_name_argument(status, DETAIL_CONFLICT, name, 0, 0);
}

StatusCode cloth_set_materials(Cloth *cloth, const Material *materials, Status *status) {
    Simulation *simulations[4];
    Material others[PARTS_MOST];
    int count = cloth_simulations(cloth, simulations);
    int part_count = simulation_part_count(simulations[0]);
    for (int p = 0; p < part_count; ++p) {
        if (!simulation_takes(simulations[0], p, &materials[p])) {
            return refuse_material(cloth, p, &materials[p], status);
        }
        if (materials[p].volume_stiffness > 0 && !simulation_has_volumes(simulations[0], p)) {
            return simulation_refuse_flat(part_count > 1 ? p : -1, materials[p].volume_stiffness,
                                          status);
        }
        cloth->options.simulation.materials[p] = materials[p];
        others[p] = other_side_material(&materials[p]);
    }
    for (int c = 0; c < count; ++c) {
        bool led = simulations[c] == cloth->other.simulation;
        simulation_set_materials(simulations[c], led ? others : materials);
    }
    simulation_tell_material(simulations[0], status);
    return status->code;
}

StatusCode cloth_set_forces(Cloth *cloth, Vec3 gravity, const Wind *wind, Status *status) {
    StatusCode code =
        cloth->mode == MIRROR_OFF ? STATUS_OK : check_forces(cloth, gravity, wind, status);
    if (code < 0) {
        return code;
    }
    cloth->options.simulation.gravity = gravity;
    cloth->options.simulation.wind = *wind;
    int told = cloth->forces_told;
    note_forces(cloth, code);
    Simulation *simulations[3];
    int count = cloth_stepped(cloth, simulations);
    for (int c = 0; c < count; ++c) {
        forces_push(cloth, simulations[c]);
    }
    if (told && code > 0) { /* wind may change with every frame */
        status_clear(status);
        return STATUS_OK;
    }
    return code;
}

void cloth_set_rounds(Cloth *cloth, int substeps, int iterations) {
    Simulation *simulations[4];
    int count = cloth_simulations(cloth, simulations);
    cloth->options.simulation.substeps = substeps;
    cloth->options.simulation.solving.iterations = iterations;
    cloth->options.simulation.solving.quality = QUALITY_CUSTOM;
    for (int c = 0; c < count; ++c) {
        if (simulations[c] != cloth->other.simulation) { /* it has rounds of its own */
            simulation_set_rounds(simulations[c], substeps, iterations);
        }
    }
}

void cloth_set_quality(Cloth *cloth, Quality quality) {
    Simulation *simulations[4];
    int count = cloth_simulations(cloth, simulations);
    cloth->options.simulation.solving.quality = quality;
    for (int c = 0; c < count; ++c) {
        if (simulations[c] != cloth->other.simulation) {
            simulation_set_quality(simulations[c], quality);
        }
    }
}

void cloth_set_substeps(Cloth *cloth, int substeps) {
    Simulation *simulations[4];
    int count = cloth_simulations(cloth, simulations);
    cloth->options.simulation.substeps = substeps;
    for (int c = 0; c < count; ++c) {
        if (simulations[c] != cloth->other.simulation) {
            simulation_set_substeps(simulations[c], substeps);
        }
    }
}

void cloth_set_budget(Cloth *cloth, double seconds) {
    Simulation *simulations[4];
    int count = cloth_simulations(cloth, simulations);
    for (int c = 0; c < count; ++c) {
        simulation_set_budget(simulations[c], seconds);
    }
}

static StatusCode meet_itself(Cloth *cloth, const BodySurface *surface, Status *status) {
    Simulation *all[] = {cloth->halved, cloth->whole, cloth->other.simulation};
    StatusCode code = STATUS_OK;
    for (int c = 0; c < 3 && code >= 0; ++c) {
        if (all[c]) {
            bool led = all[c] == cloth->other.simulation;
            BodySurface own = led ? other_side_layers(surface) : *surface;
            code = simulation_set_self_contact(all[c], &own, status);
        }
    }
    return code < 0 ? code : extras_set_surface(&cloth->extras, surface, status);
}

StatusCode cloth_set_self_contact(Cloth *cloth, const BodySurface *surface, Status *status) {
    StatusCode code = meet_itself(cloth, surface, status);
    if (code < 0) { /* all as they were */
        Status ignored = {0};
        meet_itself(cloth, &cloth->self_contact, &ignored);
        return code;
    }
    cloth->self_contact = *surface;
    return code;
}
