/* Building a cloth, whole or by half, stepping it, and what is set for all of its simulations at once. */
#include <limits.h>
#include <stdlib.h>

#include "cloth/domain/asymmetry.h"
#include "cloth/domain/whole.h"
#include "mirror/closures/closures.h"

/* Within this time the fronts of a closure come together, s. */
#define CLOSING_SECONDS 0.5

/* --- building --------------------------------------------------------------------------------- */

static HalfOptions half_options(const DomainOptions *options) {
    HalfOptions half = options->mirror.half;
    half.mode = options->mirror.choice == MIRROR_HALVE ? HALF_CUT : HALF_EXACT;
    half.quads = !model_has(options->simulation.system.model, ABILITY_ANY_MESH);
    return half;
}

static StatusCode create_extras(Domain *domain, Status *status) {
    const Half *half = &domain->half;
    Extras *extras = &domain->extras;
    if (half->extra_count == 0) {
        return STATUS_OK;
    }
    StatusCode code = extras_build(extras, domain->polygons, half->extra_count, half->extra,
                                   &domain->options.simulation, status);
    domain->to_extra = (Mapping){
        .count = extras->count, .source = extras->vertices, .first_body = EXTRAS_OWN_BODIES};
    domain->from_extra = (Mapping){.count = domain->vertex_count, .source = extras->index_of};
    return code;
}

static StatusCode create_halved_cloth(Domain *domain, Status *status) {
    const Half *half = &domain->half;
    SimulationOptions options = domain->options.simulation;
    options.half = (SimulationHalf){.halved = 1,
                                    .rail_from = half->rail_from,
                                    .plane_from = half->plane_from,
                                    .closing = CLOSING_SECONDS,
                                    .barrier = half->front_count > 0};
    mapping_forces(&half->frame, &options.gravity, &options.wind);
    PolygonMesh polygons = half->polygons;
    polygons.vertex_parts = domain->half_parts;
    domain->halved = simulation_create(&polygons, &options, status);
    if (!domain->halved) {
        return status->code;
    }
    HalfOptions wanted = half_options(&domain->options);
    StatusCode code =
        other_side_build(&domain->other, domain->polygons, half, &wanted, &options, status);
    domain->to_other = (Mapping){.count = domain->other.half.polygons.vertex_count,
                                 .source = domain->other.half.origin,
                                 .frame = &half->frame,
                                 .beyond = true,
                                 .plane_from = INT_MAX};
    return code;
}

/* Two sides of different fabrics are no mirror images; where the kept side decides, its fabric does. */
static StatusCode check_fabrics(const Domain *domain, Status *status) {
    const int32_t *parts = domain->polygons->vertex_parts;
    for (int v = 0; parts && domain->mode == MIRROR_EXACT && v < domain->vertex_count; ++v) {
        int partner = domain->partner[v];
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

/* What a closure was named for is closed by the half's plane; the whole simulation knows of links alone. */
static StatusCode check_closure(const Domain *domain, Status *status) {
    if (domain->half.front_count == 0 || domain->options.mirror.half.closure == CLOSURE_FREE ||
        domain->options.mirror.asymmetric_body != BODY_SOLVE_WHOLE) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_ARGUMENT,
               "a garment with closed fronts cannot be simulated whole where a body is "
               "asymmetric: symmetrise such bodies, or use no closure");
    status_detail(status, DETAIL_CONFLICT)->name = "asymmetric_body";
    return status->code;
}

/* Where threads were refused: the caller knows his mesh by other numbers than the half and what is left out of it. If it is a
 * grid itself, the cut made it none. */
static void tell_no_grid(const Domain *domain, const PolygonMesh *polygons, Status *status) {
    Status whole = {0};
    Simulation *simulation = simulation_create(polygons, &domain->options.simulation, &whole);
    if (!simulation) {
        *status = whole;
        return;
    }
    simulation_destroy(simulation);
    status_set(status, STATUS_ERROR_MESH,
               "threads need a grid of quads, but cut at the mirror plane this mesh is none: put a "
               "line of edges along the plane and set mirror to exact, or simulate it whole");
    status_detail(status, DETAIL_NO_GRID);
}

/* A warning of half_build() stays in `status`. */
static StatusCode build_halved(Domain *domain, const PolygonMesh *polygons, Status *status) {
    HalfOptions wanted = half_options(&domain->options);
    Status reported = {0};
    if (half_build(polygons, &wanted, &domain->half, status) < 0) {
        return status->code;
    }
    domain->options.mirror.half.links = NULL; /* the caller's, of whom they are not any more */
    domain->options.mirror.half.link_count = 0;
    domain->mode = wanted.mode == HALF_EXACT ? MIRROR_EXACT : MIRROR_HALVE;
    if (check_closure(domain, &reported) < 0 || domain_take_maps(domain, &reported) < 0 ||
        check_fabrics(domain, &reported) < 0 || create_halved_cloth(domain, &reported) < 0 ||
        create_extras(domain, &reported) < 0) {
        *status = reported;
        if (reported.detail_count > 0 && reported.details[0].code == DETAIL_NO_GRID) {
            tell_no_grid(domain, polygons, status);
        }
        return status->code;
    }
    domain->vertex_count = polygons->vertex_count;
    domain->active = domain->halved;
    return status->code;
}

static StatusCode build_whole(Domain *domain, const PolygonMesh *polygons, Status *status) {
    domain->whole = simulation_create(polygons, &domain->options.simulation, status);
    domain->active = domain->whole;
    return domain->whole ? STATUS_OK : status->code;
}

static void forget_half(Domain *domain) {
    simulation_destroy(domain->halved);
    domain->halved = NULL;
    extras_free(&domain->extras);
    other_side_free(&domain->other);
    domain->mode = MIRROR_OFF;
    half_free(&domain->half);
    store_release(&domain->store);
}

/* By half if that can be; MIRROR_AUTO else takes it whole, and says so. So does MIRROR_HALVE where the half would be torn. */
static StatusCode build_mirrored(Domain *domain, const PolygonMesh *polygons, Status *status) {
    Status reported = {0}, forces = {0}, torn = {0};
    const SimulationOptions *simulation = &domain->options.simulation;
    StatusCode code = build_halved(domain, polygons, &reported);
    bool is_torn = false;
    if (code >= 0 && domain->mode == MIRROR_HALVE) {
        domain_carry_up(domain, domain->floats, NULL);
        is_torn = judge_other_side(domain, domain->floats, &torn) < 0;
    }
    if (is_torn) {
        reported = torn;
        code = torn.code;
    } else if (code >= 0) {
        code = judge_forces(domain, simulation->gravity, &simulation->wind, &forces);
        status_add(code < 0 ? &forces : &reported, code < 0 ? &reported : &forces);
        *status = code < 0 ? forces : reported;
        return status->code;
    }
    bool may_be_whole = domain->options.mirror.choice == MIRROR_AUTO || is_torn;
    if (!may_be_whole || code != STATUS_ERROR_MESH) {
        *status = reported;
        return code;
    }
    forget_half(domain);
    if (build_whole(domain, polygons, status) < 0) {
        return status->code;
    }
    bool closes = domain->options.mirror.half.closure != CLOSURE_FREE;
    status_conclude(&reported, STATUS_WARNING_MIRROR, OUTCOME_NOT_MIRRORED,
                    closes ? "not mirrored, all of the garment is simulated and nothing closed: "
                           : "not mirrored, all of the garment is simulated: ",
                    "");
    status_add(&reported, status);
    *status = reported;
    return status->code;
}

Domain *domain_create(const PolygonMesh *polygons, const DomainOptions *options, Inputs *inputs,
                      InputBodies *bodies, Status *status) {
    Domain *domain = calloc(1, sizeof *domain);
    CheckReport check;
    Status defects = {0};
    int found;
    if (!domain) {
        status_no_memory(status, "the garment");
        return NULL;
    }
    domain->options = *options;
    domain->polygons = polygons;
    domain->inputs = inputs;
    domain->bodies = bodies;
    domain->vertex_count = polygons->vertex_count;
    StatusCode code;
    if (options->mirror.choice == MIRROR_OFF) {
        code = build_whole(domain, polygons, status);
    } else if (mesh_check(polygons, &check, NULL, 0, &found, &defects) < 0) {
        *status = defects;
        code = defects.code;
    } else {
        code = build_mirrored(domain, polygons, status);
        if (code >= 0 && domain->mode != MIRROR_OFF) {
            status_add(status, &defects); /* in the caller's numbers, not in the half's */
        }
    }
    if (code >= 0) {
        return domain;
    }
    domain_destroy(domain);
    return NULL;
}

void domain_destroy(Domain *domain) {
    if (!domain) {
        return;
    }
    simulation_destroy(domain->whole);
    forget_half(domain);
    free(domain);
}

/* --- what links close ------------------------------------------------------------------------- */

/* Whether links close other fronts than the half has closed. Where a closure was named they close nothing else. */
static bool closes_otherwise(const Domain *domain, HalfOptions *options, uint8_t *zipped) {
    const Half *half = &domain->half;
    Closure closure =
        closure_of_links(domain->polygons, &half->frame, domain->partner, options, zipped);
    bool differs = (closure == CLOSURE_BUTTON) != (half->gap > 0);
    for (int v = 0; v < domain->vertex_count && closure != CLOSURE_BUTTON && !differs; ++v) {
        int h = domain->half_of[v];
        bool on_rail = h >= half->rail_from && h < half->plane_from;
        differs = h >= 0 && on_rail != (zipped[v] && closure == CLOSURE_ZIP);
    }
    return differs;
}

/* The same garment with the half that these links make of it; null: there is none, and the garment stays as it is. */
static Domain *close_anew(Domain *domain, const HalfOptions *half, Status *status) {
    DomainOptions options = domain->options;
    options.simulation = simulation_options_with(&domain->options.simulation, domain->inputs);
    options.mirror.half = *half;
    options.mirror.half.closure = CLOSURE_FREE; /* the links say */
    options.mirror.half.find = false;
    options.mirror.half.plane = domain->half.frame.plane;
    size_t numbers = 3 * (size_t)domain->vertex_count;
    float *positions = SCRATCH_ARRAY(float, numbers), *velocities = SCRATCH_ARRAY(float, numbers);
    Domain *made =
        domain_create(domain->polygons, &options, domain->inputs, domain->bodies, status);
    StatusCode code = made ? STATUS_OK : status->code;
    if (!positions || !velocities) {
        code = status_no_memory(status, "links");
    }
    if (code >= 0) {
        unsigned what = INPUT_SELF_CONTACT | INPUT_MAPS | INPUT_FIELDS | INPUT_PINS;
        const Inputs given = *domain->inputs;
        domain_carry_up(domain, positions, velocities);
        code = domain_take(made, &given, what, status);
        code = code < 0 ? code : domain_give_bodies(made, status);
        code = code < 0 ? code : domain_carry_down(made, positions, velocities, status);
    }
    if (code < 0 || made->mode != MIRROR_EXACT) {
        domain_destroy(made);
        made = NULL;
    }
    free(positions);
    free(velocities);
    return made;
}

Domain *domain_with_links(Domain *domain, const LinkInputs *links, Status *status) {
    HalfOptions options = domain->options.mirror.half;
    if (domain->mode != MIRROR_EXACT || options.closure != CLOSURE_FREE) {
        return domain;
    }
    uint8_t *zipped = SCRATCH_ARRAY(uint8_t, domain->vertex_count);
    if (!zipped) {
        status_no_memory(status, "links");
        return NULL;
    }
    options.link_count = links->count;
    options.links = links->list;
    Status reported = {0}; /* warnings are of what was told before */
    bool differs = closes_otherwise(domain, &options, zipped);
    Domain *made = differs ? close_anew(domain, &options, &reported) : domain;
    free(zipped);
    if (!made && reported.code == STATUS_ERROR_MEMORY) {
        *status = reported;
    }
    return made || reported.code == STATUS_ERROR_MEMORY ? made : domain;
}

/* --- stepping --------------------------------------------------------------------------------- */

/* All that a step goes through but this one, which may be null. */
static StatusCode prepare_all_but(Domain *domain, const Simulation *but, double step_seconds,
                                  Status *status) {
    Simulation *simulations[3];
    StatusCode code = STATUS_OK;
    int count = domain_stepped(domain, simulations);
    for (int c = 0; c < count && code >= 0; ++c) {
        if (simulations[c] == but) {
            continue;
        }
        bool led = simulations[c] == domain->other.simulation;
        int steps = led ? other_side_steps(step_seconds) : 1;
        code = simulation_prepare(simulations[c], step_seconds / steps, status);
    }
    return code;
}

/* So that all can be where they were: take_all_back(). */
static StatusCode keep_all(Domain *domain, Status *status) {
    Simulation *simulations[3];
    int count = domain_stepped(domain, simulations);
    StatusCode code = STATUS_OK;
    for (int c = 0; c < count && count > 1 && code >= 0; ++c) {
        code = simulation_save(simulations[c], ROLLBACK_STEP, status);
    }
    return code;
}

StatusCode domain_prepare(Domain *domain, double step_seconds, Status *status) {
    StatusCode code = domain_choose(domain, status);
    code = code < 0 ? code : prepare_all_but(domain, NULL, step_seconds, status);
    return code < 0 ? code : keep_all(domain, status); /* so that a step finds the room for it */
}

/* Pins that a half cannot have are not told to it: the next step is one of the whole, and sees where they go. */
bool domain_is_driven(const Domain *domain) {
    const Simulation *active = domain_active(domain), *extras = domain->extras.simulation;
    return (domain_is_halved(domain) && domain->asymmetry != 0) || simulation_bodies_move(active) ||
           simulation_pins_move(active) || (extras && simulation_pins_move(extras));
}

/* Where a simulation names its own vertex, the caller knows it by another number. */
static StatusCode step_simulation(const Domain *domain, Simulation *simulation, double seconds,
                                  Status *status) {
    StatusCode code = simulation_step(simulation, seconds, status);
    int lost = simulation_step_report(simulation).lost;
    if (code == STATUS_ERROR_DIVERGED && simulation != domain->whole) {
        lost = simulation == domain->halved             ? domain->stand_in[lost]
               : simulation == domain->other.simulation ? domain->other.half.origin[lost]
                                                        : domain->extras.vertices[lost];
        status_diverged(status, lost);
    }
    return code;
}

/* After the half: the other side follows it. */
static StatusCode step_other(Domain *domain, double seconds, Status *status) {
    OtherSide *other = &domain->other;
    int count = other_side_steps(seconds);
    StatusCode code = STATUS_OK;
    for (int s = 0; s < count && code >= 0; ++s) {
        other_side_lead(other, &domain->half, simulation_positions(domain->halved),
                        seconds / count);
        code = step_simulation(domain, other->simulation, seconds / count, status);
    }
    return code;
}

/* After both: the mirrored cloth goes where it has gone. */
static StatusCode step_extras(Domain *domain, double seconds, Status *status) {
    domain_carry_up(domain, domain->floats, NULL);
    extras_follow(&domain->extras, domain->floats);
    return step_simulation(domain, domain->extras.simulation, seconds, status);
}

/* Those that follow the active one. */
static StatusCode step_beside(Domain *domain, double seconds, Status *status) {
    StatusCode code = STATUS_OK;
    if (domain->other.simulation) {
        code = step_other(domain, seconds, status);
    }
    if (code >= 0 && domain->extras.simulation) {
        code = step_extras(domain, seconds, status);
    }
    return code;
}

/* A step of several simulations, of which one has failed, has never been: they would be at different times. */
static void take_all_back(Domain *domain, StatusCode code, Status *status) {
    Simulation *simulations[3];
    int count = domain_stepped(domain, simulations);
    for (int c = 0; c < count && count > 1; ++c) {
        simulation_roll_back(simulations[c], ROLLBACK_STEP);
    }
    if (code == STATUS_ERROR_CANCELLED) { /* no substep is done any more */
        simulation_refuse_cancelled(domain->active, status);
    }
}

static StatusCode step(Domain *domain, double seconds, Status *status) {
    StatusCode code = domain_choose(domain, status);
    Simulation *active = domain_active(domain);
    if (code >= 0) { /* all of them before one moves, which prepares itself */
        code = prepare_all_but(domain, active, seconds, status);
    }
    code = code < 0 ? code : keep_all(domain, status);
    if (code < 0) {
        return code;
    }
    if (active == domain->halved && domain->other.simulation) {
        other_side_ride(&domain->other, &domain->half, simulation_positions(active));
    }
    code = step_simulation(domain, active, seconds, status);
    if (code >= 0 && domain_is_halved(domain)) {
        code = step_beside(domain, seconds, status);
    }
    if (code < 0) {
        take_all_back(domain, code, status);
    }
    bodies_end_step(domain->bodies, simulation_step_report(active).part);
    domain->solved_whole = active == domain->whole && domain->mode != MIRROR_OFF;
    domain->whole_steps += domain->solved_whole;
    return code;
}

/* The cancel that this step took, or that came too late for it, ends with it. Never at the start: one that comes just
 * before a step is meant for it. And not between the simulations of one step, which it stops together. */
StatusCode domain_step(Domain *domain, double seconds, Status *status) {
    StatusCode code = step(domain, seconds, status);
    if (domain->options.simulation.cancelled) {
        atomic_store(domain->options.simulation.cancelled, 0);
    }
    return code;
}
