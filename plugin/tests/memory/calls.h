/* The calls of the scenes: each is one function of muslin.h that may take memory. */
#pragma once

#include "scenes.h"

/* Seconds of a step. */
#define STEP (1.0 / 24)

int32_t check_mesh(Scene *scene);
int32_t find_symmetry(Scene *scene);
int32_t look_for_fronts(Scene *scene);
int32_t create(Scene *scene);
/* Of one part for each sheet of scene->part_size vertices. */
int32_t create_parts(Scene *scene);

int32_t prepare(Scene *scene);
int32_t step(Scene *scene);
/* Other lengths of substeps from now on: each has a factor of its own. */
int32_t set_two_substeps(Scene *scene);
int32_t set_four_substeps(Scene *scene);
int32_t refine(Scene *scene);
int32_t settle(Scene *scene);
int32_t hold_coarse(Scene *scene);
int32_t hold_fine(Scene *scene);

int32_t pin_two(Scene *scene);
int32_t pin_one(Scene *scene);
int32_t pin_softly(Scene *scene);
int32_t pin_none(Scene *scene);

int32_t add_box(Scene *scene);
int32_t replace_box(Scene *scene);
int32_t move_box(Scene *scene);
int32_t place_box(Scene *scene);
int32_t thicken_box(Scene *scene);
int32_t remove_box(Scene *scene);
int32_t meet_itself(Scene *scene);

/* Two sheets of scene->part_size vertices each, sewn along their edges of scene->row vertices, a tack, an elastic. */
int32_t sew(Scene *scene);
/* One sheet over the other, sewn along the ends of its rows: both sides alike. */
int32_t sew_layers(Scene *scene);
int32_t sew_sides(Scene *scene);
int32_t sew_more(Scene *scene);
int32_t unpick(Scene *scene);
int32_t sew_again(Scene *scene);
int32_t sew_nothing(Scene *scene);

int32_t stiffen(Scene *scene);
int32_t blow(Scene *scene);
int32_t set_fields(Scene *scene);
int32_t set_stretches(Scene *scene);
int32_t set_sizes(Scene *scene);
int32_t set_thicknesses(Scene *scene);
int32_t set_final(Scene *scene);
int32_t lift(Scene *scene);

int32_t save(Scene *scene);
int32_t go_back(Scene *scene);

int32_t inspect(Scene *scene);
int32_t measure_fit(Scene *scene);
int32_t measure_tension(Scene *scene);
int32_t measure_stats(Scene *scene);
int32_t put_outside(Scene *scene);
int32_t find_eigenvalues(Scene *scene);
int32_t solve_once(Scene *scene);
