/* Sheets and boxes of a few dozen vertices: what they need is found by the same code as for garments. Only levels need
 * more. */
#include "scenes.h"

#include "calls.h"
#include "meshes.h"

/* One substep: a step that fails and is made again is then as long as one that does not. */
static void set_sheet(Scene *scene) {
    scene->def.substeps = 1;
    scene->row = 6;
    add_sheet(scene, 6, 6, 0.2, 0, 0);
    scene->part_size = scene->vertex_count;
}

static void set_layers(Scene *scene) {
    scene->def.substeps = 1;
    scene->row = 5;
    for (int layer = 0; layer < 4; ++layer) {
        add_sheet(scene, 5, 5, 0.12, 0.003 * layer, 0.004 * layer);
        scene->part_size = layer == 1 ? scene->vertex_count : scene->part_size;
    }
}

/* --- solvers ---------------------------------------------------------------------------------- */

static void set_plain(Scene *scene) {
    set_sheet(scene);
    scene->def.scheme = MUSLIN_SCHEME_PLAIN;
    scene->def.model = MUSLIN_MODEL_EDGE;
    scene->def.bending = MUSLIN_BENDING_HINGE;
    scene->def.ordering = MUSLIN_ORDERING_DISSECTION;
}

static void set_anderson(Scene *scene) {
    set_sheet(scene);
    scene->def.scheme = MUSLIN_SCHEME_ANDERSON;
    scene->def.integrator = MUSLIN_INTEGRATOR_BDF2;
    scene->def.ordering = MUSLIN_ORDERING_REVERSE_CUTHILL_MCKEE;
    scene->def.precision = MUSLIN_PRECISION_SINGLE;
}

/* As many vertices as METIS dissects. */
static void set_metis(Scene *scene) {
    scene->def.substeps = 1;
    scene->row = 15;
    scene->def.scheme = MUSLIN_SCHEME_PLAIN;
    scene->def.ordering = MUSLIN_ORDERING_METIS;
    add_sheet(scene, 15, 15, 0.3, 0, 0);
}

static void set_implicit(Scene *scene) {
    set_sheet(scene);
    scene->def.solver = MUSLIN_SOLVER_IMPLICIT;
    add_rope(scene, 0, 35);
}

static void set_sweep(Scene *scene, MuslinSweepMethod method) {
    set_sheet(scene);
    scene->def.solver = MUSLIN_SOLVER_SWEEP;
    scene->def.sweep_method = method;
    scene->def.bending = MUSLIN_BENDING_SPRING;
    scene->def.sweeps = 4;
}

static void set_kim(Scene *scene) { set_sweep(scene, MUSLIN_SWEEP_METHOD_KIM); }

static void set_desbrun(Scene *scene) { set_sweep(scene, MUSLIN_SWEEP_METHOD_DESBRUN); }

static void set_threads(Scene *scene) {
    set_sheet(scene);
    scene->def.solver = MUSLIN_SOLVER_THREADS;
}

/* --- laws ------------------------------------------------------------------------------------- */

static void set_folds(Scene *scene) {
    set_layers(scene);
    scene->material.fold_memory = 20;
    scene->def.model = MUSLIN_MODEL_MEMBRANE;
}

static void set_cushion(Scene *scene) {
    scene->def.substeps = 1;
    scene->row = 2;
    scene->material.pressure = 50;
    scene->material.volume_stiffness = 100;
    scene->material.stiffness_damping = 0.001f;
    add_box_of_cloth(scene, 0.04);
}

/* --- mirrors ---------------------------------------------------------------------------------- */

static void set_mirrored(Scene *scene) {
    scene->def.substeps = 1;
    scene->row = 7;
    scene->def.mirror = MUSLIN_MIRROR_EXACT;
    scene->def.asymmetric_body = MUSLIN_BODY_SOLVE_WHOLE;
    add_sheet(scene, 7, 5, 0.2, 0, 0);
    scene->part_size = scene->vertex_count;
}

static void set_cut(Scene *scene) {
    set_mirrored(scene);
    scene->row = 6;
    scene->vertex_count = scene->face_count = scene->corner_count = 0;
    scene->def.mirror = MUSLIN_MIRROR_HALVE;
    add_sheet(scene, 6, 5, 0.2, 0, 0);
}

/* The other side is meshed otherwise, and simulated for itself. */
static void set_uneven(Scene *scene) {
    set_mirrored(scene);
    scene->def.mirror = MUSLIN_MIRROR_HALVE;
    for (int32_t v = 0; v < scene->vertex_count; ++v) {
        float *place = scene->places + 3 * v;
        place[0] -= place[0] < -0.01f && place[0] > -0.09f ? 0.008f : 0.0f;
    }
}

/* A pocket on one side only. */
static void set_pocket(Scene *scene) {
    set_mirrored(scene);
    add_sheet(scene, 6, 6, 0.06, 0.05, 0.004);
    add_sheet(scene, 6, 6, 0.06, 0.053, 0.008);
    add_sheet(scene, 6, 6, 0.06, 0.05, 0.012);
}

static void set_jacket(Scene *scene) {
    scene->def.substeps = 1;
    scene->row = 13;
    scene->def.mirror = MUSLIN_MIRROR_EXACT;
    scene->def.closure = MUSLIN_CLOSURE_BUTTON;
    add_tube(scene, 13, 5, 0.15);
}

static void set_zipped(Scene *scene) {
    set_jacket(scene);
    scene->def.closure = MUSLIN_CLOSURE_ZIP;
}

/* --- sewing, parts, levels -------------------------------------------------------------------- */

static void set_pieces(Scene *scene) {
    scene->def.substeps = 1;
    scene->row = 4;
    add_sheet(scene, 4, 4, 0.1, -0.06, 0);
    scene->part_size = scene->vertex_count;
    add_sheet(scene, 4, 4, 0.1, 0.06, 0);
}

/* One over the other, each its own image. */
static void set_sewn_layers(Scene *scene) {
    set_mirrored(scene);
    scene->def.mirror = MUSLIN_MIRROR_AUTO;
    add_sheet(scene, 7, 5, 0.2, 0, 0.005);
}

static void set_worn(Scene *scene) {
    scene->def.substeps = 1;
    scene->row = 12;
    scene->def.threads = 2;
    add_tube(scene, 12, 5, 0);
}

/* Two levels; the clock does not choose between them. */
static void set_levels(Scene *scene) {
    scene->def.substeps = 1;
    scene->def.scheme = MUSLIN_SCHEME_PLAIN;
    scene->def.bending = MUSLIN_BENDING_HINGE;
    scene->row = 28;
    scene->def.budget_ms = 1000;
    add_sheet(scene, 28, 28, 0.4, 0, 0);
}

const SceneScript scene_scripts[] = {
    {"sheet", set_sheet, 0, {create,     pin_two, prepare,    step,          pin_one,   step,
                             pin_softly, step,    save,       step,          go_back,   step,
                             stiffen,    blow,    set_fields, set_stretches, set_sizes, step,
                             set_final,  step,    lift,       step}},
    {"box",
     set_sheet,
     0,
     {create,      add_box,     step,       thicken_box, set_thicknesses, step,
      move_box,    step,        inspect,    measure_fit, measure_tension, measure_stats,
      put_outside, replace_box, step,       save,        go_back,         step,
      place_box,   step,        remove_box, step}},
    {"layers",
     set_layers,
     0,
     {create, add_box, meet_itself, prepare, step, step, step, step, save, step, go_back, step}},
    {"lengths",
     set_sheet,
     0,
     {create, pin_two, step, set_two_substeps, step, set_four_substeps, step, set_two_substeps,
      step}},
    {"plain", set_plain, 0, {create, pin_two, add_box, step, step, find_eigenvalues, solve_once}},
    {"anderson", set_anderson, 0, {create, add_box, meet_itself, step, step, pin_two, step}},
    {"metis", set_metis, 3, {create, pin_two, prepare, step}},
    {"implicit", set_implicit, 0, {create, pin_two, add_box, meet_itself, step, step, step}},
    {"kim", set_kim, 0, {create, add_box, meet_itself, step, step, step}},
    {"desbrun", set_desbrun, 0, {create, add_box, step, step}},
    {"threads", set_threads, 0, {create, pin_two, add_box, meet_itself, step, step, step}},
    {"folds", set_folds, 0, {create, add_box, meet_itself, step, step, step, save, go_back, step}},
    {"cushion", set_cushion, 0, {create, add_box, step, step, step}},
    {"mirrored",
     set_mirrored,
     2,
     {check_mesh,  find_symmetry, look_for_fronts, create, pin_two, add_box,   meet_itself, step,
      pin_none,    step,          move_box,        step,   step,    place_box, step,        inspect,
      measure_fit, save,          go_back,         step}},
    {"cut", set_cut, 2, {create, pin_two, add_box, step, pin_one, step, pin_none, step}},
    {"uneven", set_uneven, 2, {create, add_box, meet_itself, step, step, pin_two, step}},
    {"pocket",
     set_pocket,
     2,
     {create, add_box, meet_itself, step, step, pin_two, step, replace_box, step, thicken_box, step,
      remove_box, step}},
    {"jacket", set_jacket, 3, {create, meet_itself, step, step, save, step, go_back, step}},
    {"zipped", set_zipped, 3, {create, add_box, step, step}},
    {"pieces",
     set_pieces,
     0,
     {create_parts, meet_itself, sew, step, step, sew_more, step, unpick, step, sew_again, step,
      save, step, go_back, step, sew_nothing, step}},
    {"sewn layers", set_sewn_layers, 3, {create, sew_layers,  step, unpick,   step, pin_one,
                                         step,   sew_again,   step, pin_two,  step, save,
                                         step,   go_back,     step, sew_more, step, sew_layers,
                                         step,   sew_nothing, step}},
    {"sewn sides", set_mirrored, 3, {create, sew_sides, step, unpick, step, sew_nothing, step}},
    {"worn", set_worn, 2, {create, add_box, inspect, settle, settle, settle, step}},
    {"levels",
     set_levels,
     11,
     {create, pin_two, hold_coarse, prepare, step, add_box, step, hold_fine, refine, refine, step,
      settle, settle}},
};
const int scene_script_count = sizeof scene_scripts / sizeof *scene_scripts;
