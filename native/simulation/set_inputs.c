/* Brings what the caller has set into the simulation: pins, bodies, materials, forces, maps. */
#include <stdlib.h>
#include <string.h>

#include "contact/body/collider.h"
#include "simulation/simulation_internal.h"

void inputs_set(Inputs *to, const Inputs *from, unsigned what) {
    for (int k = 0; k < MAP_KINDS; ++k) {
        to->maps[k] = what & input_map((MapKind)k) ? from->maps[k] : to->maps[k];
    }
    for (int k = 0; k < FORCE_FIELDS; ++k) {
        to->fields[k] = what & INPUT_FIELDS ? from->fields[k] : to->fields[k];
    }
    to->links = what & INPUT_LINKS ? from->links : to->links;
    to->pins = what & INPUT_PINS ? from->pins : to->pins;
    to->pins.targets = what & INPUT_TARGETS ? from->pins.targets : to->pins.targets;
    to->materials = what & INPUT_MATERIALS ? from->materials : to->materials;
    to->evenly = what & INPUT_MATERIALS ? from->evenly : to->evenly;
    to->gravity = what & INPUT_FORCES ? from->gravity : to->gravity;
    to->wind = what & INPUT_FORCES ? from->wind : to->wind;
    to->self_contact = what & INPUT_SELF_CONTACT ? from->self_contact : to->self_contact;
    to->substeps = what & INPUT_SUBSTEPS ? from->substeps : to->substeps;
    to->iterations = what & INPUT_ITERATIONS ? from->iterations : to->iterations;
    to->quality = what & INPUT_QUALITY ? from->quality : to->quality;
    to->budget = what & INPUT_BUDGET ? from->budget : to->budget;
    to->haste = what & INPUT_HASTE ? from->haste : to->haste;
}

Inputs simulation_inputs_of(const SimulationOptions *options) {
    return (Inputs){.materials = options->materials,
                    .gravity = options->gravity,
                    .wind = options->wind,
                    .substeps = options->substeps,
                    .iterations = options->solving.iterations,
                    .quality = options->solving.quality};
}

SimulationOptions simulation_options_with(const SimulationOptions *options, const Inputs *inputs) {
    SimulationOptions own = *options;
    int count = system_part_count(&options->system);
    memmove(own.materials, inputs->materials, (size_t)count * sizeof *own.materials);
    own.gravity = inputs->gravity;
    own.wind = inputs->wind;
    own.substeps = inputs->substeps;
    own.solving.iterations = inputs->iterations;
    own.solving.quality = inputs->quality;
    return own;
}

/* --- pins: hard ones hold a vertex, soft ones and tacks to bodies (links.c) pull at it -------- */

void place_targets(Simulation *simulation, const SubstepPlace *place) {
    bool last = place->number + 1 == place->count;
    double part = (place->number + 1.0) / place->count;
    for (int p = 0; p < simulation->pin_count; ++p) {
        const Pin *pin = &simulation->pins[p];
        Vec3 offset = vec3_sub(pin->to, pin->from);
        simulation->system.target[pin->vertex] =
            last ? pin->to : vec3_madd(pin->from, part, offset);
    }
    tacks_set_targets(simulation, part, place->length);
}

/* Marks pinned vertices in `held` as it will be; refuses a vertex given twice. */
static StatusCode collect_pins(const Simulation *simulation, int count, const int32_t *vertices,
                               Status *status) {
    uint8_t *seen = SCRATCH_ARRAY(uint8_t, simulation->mesh.vertex_count);
    if (!seen) {
        return status_no_memory(status, "pins");
    }
    StatusCode code = STATUS_OK;
    for (int p = 0; p < count && code == STATUS_OK; ++p) {
        if (seen[vertices[p]]++) {
            status_set(status, STATUS_ERROR_ARGUMENT, "vertex %d is pinned twice", vertices[p]);
            code = status_name_element(status, DETAIL_PINNED_TWICE, ELEMENT_VERTEX, vertices[p]);
        }
    }
    free(seen);
    return code;
}

/* A vertex that is given twice is refused, and changes nothing. */
static StatusCode set_pins(Simulation *simulation, const PinInputs *given, Status *status) {
    int free_count = simulation->mesh.vertex_count;
    StatusCode code = collect_pins(simulation, given->count, given->vertices, status);
    if (code != STATUS_OK) {
        return code;
    }
    for (int p = 0; p < given->count; ++p) {
        int v = given->vertices[p];
        double weight = given->weights ? given->weights[p] : 1.0;
        Vec3 here = simulation->past[0][v];
        Vec3 target = given->targets ? vector_at(given->targets, p) : here;
        simulation->pins[p] = (Pin){.vertex = v, .weight = weight, .from = here, .to = target};
        simulation->system.target[v] = here;
        free_count -= weight >= 1.0;
    }
    simulation->pin_count = given->count;
    apply_pins(simulation);
    return free_count == 0 ? status_all_pinned(status, simulation->mesh.vertex_count) : STATUS_OK;
}

static void move_pins(Simulation *simulation, const float *targets) {
    for (int p = 0; p < simulation->pin_count; ++p) {
        simulation->pins[p].to = vector_at(targets, p);
    }
}

/* A soft pin starts from where it pulled to, wherever its vertex is. */
Vec3 pin_place(const Simulation *simulation, const Pin *pin) {
    return pin->weight >= 1.0 ? simulation->past[0][pin->vertex]
                              : simulation->system.target[pin->vertex];
}

bool simulation_pins_move(const Simulation *simulation) {
    for (int p = 0; p < simulation->pin_count; ++p) {
        const Pin *pin = &simulation->pins[p];
        if (pin->weight > 0 && is_elsewhere(pin_place(simulation, pin), pin->to)) {
            return true;
        }
    }
    return false;
}

/* --- bodies: from polygons to moving triangles ------------------------------------------------ */

/* A new body, or a new mesh for one. */
static StatusCode put_body(Simulation *simulation, int number, const BodyInputs *body,
                           Status *status) {
    BodyMesh mesh;
    StatusCode code = body_mesh_read(body->polygons, &mesh, status);
    if (code != STATUS_OK) {
        return code;
    }
    ColliderDefinition definition = {.vertex_count = body->polygons->vertex_count,
                                     .triangle_count = mesh.triangle_count,
                                     .positions = mesh.positions,
                                     .triangles = mesh.triangles,
                                     .thickness = body->surface.thickness,
                                     .friction = body->surface.friction,
                                     .bends = body->bends};
    code = contact_world_put_body(&simulation->world, number, &definition, status);
    body_mesh_free(&mesh);
    if (code != STATUS_OK) {
        return code;
    }
    const Collider *collider = &contact_world_body(&simulation->world, number)->collider;
    status_clear(status);
    warn_of(collider->skipped, "triangles of the body name a vertex twice and are left out",
            DETAIL_BODY_REPEATED_VERTEX, status);
    warn_of(collider->flat, "triangles of the body have no area", DETAIL_BODY_FLAT, status);
    warn_of(collider->turned, "parts of the body were inside out and are turned",
            DETAIL_BODY_TURNED, status);
    warn_of(links_release_body(simulation, number),
            "tacks were on vertices that the body no longer has, and are released",
            DETAIL_BODY_TACKS, status);
    return status->code;
}

static void read_places(const Body *body, const float *from, Vec3 *to) {
    for (int v = 0; v < body->collider.vertex_count; ++v) {
        to[v] = vector_at(from, v);
    }
}

StatusCode simulation_set_body(Simulation *simulation, int number, const BodyInputs *body,
                               unsigned what, Status *status) {
    ContactWorld *world = &simulation->world;
    StatusCode code = STATUS_OK;
    if (what & BODY_MESH) {
        code = put_body(simulation, number, body, status);
    } else if (what & BODY_SURFACE) {
        code = contact_world_set_surface(world, number, body->surface.thickness,
                                         body->surface.friction, status);
    }
    const Body *found = contact_world_body(world, number);
    if (code >= 0 && what & BODY_PLACE) {
        read_places(found, body->place, found->place);
        world->measured = 0;
    }
    if (code >= 0 && what & BODY_TARGET) {
        read_places(found, body->target, found->target);
    }
    return code;
}

void simulation_drop_body(Simulation *simulation, int number) {
    contact_world_remove_body(&simulation->world, number);
    links_release_body(simulation, number);
}

bool simulation_bodies_move(const Simulation *simulation) {
    const ContactWorld *world = &simulation->world;
    for (int b = 0; b < world->body_count; ++b) {
        const Body *body = world->bodies[b];
        for (int v = 0; body && v < body->collider.vertex_count; ++v) {
            if (is_elsewhere(body->place[v], body->target[v])) {
                return true;
            }
        }
    }
    return false;
}

void simulation_expel_points(Simulation *simulation, Pool *pool, double reach, int count,
                             OutsideHint *hints, Vec3 *points) {
    contact_world_keep_out(&simulation->world, pool, reach, count, hints, points);
}

void simulation_place_bodies(Simulation *simulation) { contact_world_stand(&simulation->world); }

/* --- everything else -------------------------------------------------------------------------- */

void simulation_place(Simulation *simulation, const float *positions, const float *velocities) {
    for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
        simulation->past[0][i] = vector_at(positions, i);
        simulation->velocity[i] = velocities ? vector_at(velocities, i) : vec3(0, 0, 0);
        if (simulation->mesh.isolated[i]) {
            simulation->system.target[i] = simulation->past[0][i];
        }
    }
    contact_world_forget(&simulation->world);
    links_restart(simulation);
    system_reset_memory(&simulation->system, simulation->past[0]);
    order_reset(&simulation->order);
    simulation->history_length = 0; /* made up anew when the substep's length is known */
    simulation->placed = true;
    simulation->has_substep = 0;
}

static void take_materials(Simulation *simulation, const Material *materials) {
    System *system = &simulation->system;
    size_t bytes = (size_t)system->part_count * sizeof *materials;
    memcpy(simulation->options.materials, materials, bytes);
    memcpy(system->materials, materials, bytes);
}

static void take_forces(Simulation *simulation, Vec3 gravity, const Wind *wind) {
    System *system = &simulation->system;
    simulation->has_substep = 0; /* its equation is no longer this one */
    double before = wind_bound(&system->wind);
    simulation->options.gravity = gravity;
    simulation->options.wind = *wind;
    system->gravity = links_delay_gravity(simulation) ? vec3(0, 0, 0) : gravity;
    system->wind = *wind;
    system->matrix_version += wind_bound(wind) != before ? 1u : 0u;
    system_set_design_gravity(system, vec3_length(gravity));
}

static bool copy_field(Vec3 *to, const float *from, int count) {
    for (int i = 0; from && i < count; ++i) {
        to[i] = vector_at(from, i);
    }
    return from != NULL;
}

static void take_fields(Simulation *simulation, const float *const *fields) {
    System *system = &simulation->system;
    int count = system->vertex_count;
    simulation->has_substep = 0;
    system->has_gusts = copy_field(system->gusts, fields[FORCE_FIELD_WIND], count);
    system->has_traction = copy_field(system->traction, fields[FORCE_FIELD_TRACTION], count);
}

static void take_maps(Simulation *simulation, const float *const *maps, unsigned what) {
    System *system = &simulation->system;
    unsigned rebuilds = 0;
    for (int k = 0; k < MAP_KINDS; ++k) {
        bool meant = (what & input_map((MapKind)k)) != 0;
        for (int v = 0; meant && v < system->vertex_count; ++v) {
            system->maps[k][v] = map_value(maps[k], (MapKind)k, v);
        }
        rebuilds |= meant ? map_traits[k].rebuilds : 0;
    }
    contacts_set_factors(&simulation->world.contacts, system->maps[MAP_FRICTION]);
    system->resized = system->resized || (rebuilds & MAP_REBUILDS_ROWS);
    if (rebuilds & MAP_REBUILDS_MATRIX) {
        simulation_refresh(simulation);
    }
}

static void take_iterations(Simulation *simulation, const Inputs *inputs, unsigned what) {
    Solver *solver = simulation->solver;
    if (what & INPUT_SUBSTEPS) {
        simulation->options.substeps = inputs->substeps;
    }
    if (what & INPUT_ITERATIONS) {
        solver->options.iterations = solver->iterations = inputs->iterations;
    }
    if (what & INPUT_QUALITY) {
        solver->options.quality = inputs->quality;
    }
    if (what & INPUT_BUDGET) {
        simulation->budget = inputs->budget;
    }
    if (what & INPUT_HASTE) {
        simulation->sewing.haste = inputs->haste;
    }
}

StatusCode simulation_set_inputs(Simulation *simulation, const Inputs *inputs, unsigned what,
                                 Status *status) {
    StatusCode code =
        what & INPUT_LINKS ? links_set(simulation, &inputs->links, status) : STATUS_OK;
    if (code >= 0 && what & INPUT_SELF_CONTACT) {
        const BodySurface *surface = &inputs->self_contact;
        code = contact_world_set_self(&simulation->world, surface->thickness, surface->friction,
                                      status);
    }
    if (code >= 0 && what & input_map(MAP_THICKNESS)) {
        code = contact_world_set_thickness_map(&simulation->world, inputs->maps[MAP_THICKNESS],
                                               status);
    }
    if (code >= 0 && what & INPUT_PINS) {
        code = set_pins(simulation, &inputs->pins, status);
    } else if (code >= 0 && what & INPUT_TARGETS) {
        move_pins(simulation, inputs->pins.targets);
    }
    if (code < 0) {
        return code;
    }
    if (what & INPUT_MATERIALS) {
        take_materials(simulation, inputs->materials);
        simulation->system.evenly = inputs->evenly;
        simulation_refresh(simulation);
    }
    if (what & INPUT_MAPS) {
        take_maps(simulation, inputs->maps, what);
    }
    if (what & INPUT_FORCES) {
        take_forces(simulation, inputs->gravity, &inputs->wind);
    }
    if (what & INPUT_FIELDS) {
        take_fields(simulation, inputs->fields);
    }
    take_iterations(simulation, inputs, what);
    return code;
}
