/* What tests of whole cloths ask for where nothing else matters: limp cotton, two substeps of three rounds. */
#ifndef TESTS_PLAIN_OPTIONS_H
#define TESTS_PLAIN_OPTIONS_H

#include "simulation/simulation.h"

static inline SimulationOptions plain_options(void) {
    return (SimulationOptions){.system = {.model = MODEL_TRIANGLE},
                               .mesh = {.uv_scale = 1},
                               .solving = {.scheme = SCHEME_TWO_LEVEL,
                                           .coefficient_count = 2,
                                           .coefficients = {2, -1},
                                           .iterations = 3,
                                           .pcg_tolerance = 1e-3,
                                           .pcg_limit = 1000},
                               .substeps = 2,
                               .threads = 1, /* two beside another test wait for cores */
                               .materials[0] = {.density = 0.2,
                                                .stretch_warp = 1000,
                                                .stretch_weft = 1000,
                                                .shear = 300,
                                                .bend = 1e-5,
                                                .bend_weft = 1,
                                                .bend_twist = 1,
                                                .rope_density = 0.01,
                                                .pin_stiffness = 2000},
                               .gravity = {0, 0, -9.81}};
}

#endif
