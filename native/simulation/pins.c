/* Pins of a simulation: hard ones hold a vertex, soft ones pull at it; tacks to bodies (links.c) are soft ones, too. */
#include <stdlib.h>
#include <string.h>

#include "simulation/simulation_internal.h"

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

/* Pull of a soft pin: mass times pin_stiffness times w/(1-w), so that weight 1 is a hard pin. */
static double soft_stiffness(const Simulation *simulation, const Pin *pin) {
    double ratio = pin->weight / (1.0 - pin->weight);
    const System *system = &simulation->system;
    return system->mass[pin->vertex] * system_material(system, pin->vertex)->pin_stiffness * ratio;
}

void apply_pins(Simulation *simulation) {
    System *system = &simulation->system;
    simulation->has_substep = 0; /* its equation is no longer this one */
    int soft_before = simulation->soft_count;
    memset(system->pins.stiffness, 0, (size_t)system->vertex_count * sizeof(double));
    memcpy(system->held, simulation->mesh.isolated, (size_t)system->vertex_count);
    simulation->soft_count = 0;
    for (int p = 0; p < simulation->pin_count; ++p) {
        const Pin *pin = &simulation->pins[p];
        if (pin->weight >= 1.0) {
            system->held[pin->vertex] = 1;
        } else if (pin->weight > 0) {
            system->pins.stiffness[pin->vertex] = soft_stiffness(simulation, pin);
            ++simulation->soft_count;
        }
    }
    simulation->soft_count += tacks_apply(simulation);
    ++system->pins_version;
    system_hold(system);
    if (soft_before > 0 || simulation->soft_count > 0) {
        ++system->matrix_version; /* soft pins stand on the diagonal */
    }
}

StatusCode set_pins(Simulation *simulation, const PinInputs *given, Status *status) {
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

void move_pins(Simulation *simulation, const float *targets) {
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
