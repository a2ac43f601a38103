/* Brings what the caller has set into the simulation. */
#include <string.h>

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
    system->gravity = links_wait(simulation) ? vec3(0, 0, 0) : gravity;
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
    contacts_set_factors(&simulation->around.contacts, system->maps[MAP_FRICTION]);
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
        solver->options.iterations = solver->rounds = inputs->iterations;
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

StatusCode simulation_take(Simulation *simulation, const Inputs *inputs, unsigned what,
                           Status *status) {
    StatusCode code =
        what & INPUT_LINKS ? links_take(simulation, &inputs->links, status) : STATUS_OK;
    if (code >= 0 && what & INPUT_SELF_CONTACT) {
        const BodySurface *surface = &inputs->self_contact;
        code = contact_world_set_self(&simulation->around, surface->thickness, surface->friction,
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
