/* Giving a simulation one thing at a time. */
#pragma once

#include "simulation/simulation.h"

static inline StatusCode give_pins(Simulation *simulation, int count, const int32_t *vertices,
                                   const float *weights, const float *targets, Status *status) {
    const Inputs inputs = {.pins = {false, false, count, vertices, weights, targets}};
    return simulation_set_inputs(simulation, &inputs, INPUT_PINS, status);
}

static inline void give_targets(Simulation *simulation, const float *targets) {
    const Inputs inputs = {.pins.targets = targets};
    Status status = {0};
    simulation_set_inputs(simulation, &inputs, INPUT_TARGETS, &status);
}

static inline StatusCode give_self_contact(Simulation *simulation, const BodySurface *surface,
                                           Status *status) {
    const Inputs inputs = {.self_contact = *surface};
    return simulation_set_inputs(simulation, &inputs, INPUT_SELF_CONTACT, status);
}

static inline StatusCode give_body(Simulation *simulation, int number, const PolygonMesh *polygons,
                                   const BodySurface *surface, Status *status) {
    const BodyInputs body = {.polygons = polygons, .surface = *surface};
    return simulation_set_body(simulation, number, &body, BODY_MESH, status);
}

static inline void lead_body(Simulation *simulation, int number, const float *target) {
    const BodyInputs body = {.target = target};
    Status status = {0};
    simulation_set_body(simulation, number, &body, BODY_TARGET, &status);
}
