/* Arguments are fixed: a call that is made again asks for the same. */
#include "calls.h"

#include <string.h>

#include "meshes.h"
#include "muslin_debug.h"

int32_t check_mesh(Scene *scene) {
    MuslinMesh mesh = mesh_of(scene);
    MuslinMeshReport report = {.size = sizeof report};
    return muslin_mesh_get_report(&mesh, &report, NULL, 0, NULL);
}

int32_t find_symmetry(Scene *scene) {
    MuslinMesh mesh = mesh_of(scene);
    MuslinSymmetry symmetry = {.size = sizeof symmetry, .find = 1};
    int32_t partners[MOST_VERTICES];
    return muslin_mesh_get_symmetry(&mesh, &symmetry, partners, NULL);
}

int32_t look_for_fronts(Scene *scene) {
    MuslinMesh mesh = mesh_of(scene);
    int32_t fronts[MOST_VERTICES];
    return muslin_mesh_get_fronts(&mesh, fronts);
}

int32_t create(Scene *scene) {
    MuslinMesh mesh = mesh_of(scene);
    return muslin_cloth_create(&mesh, &scene->def, &scene->cloth);
}

int32_t create_parts(Scene *scene) {
    MuslinMesh mesh = mesh_of(scene);
    MuslinMaterial materials[2] = {scene->material, scene->material};
    int32_t parts[MOST_VERTICES];
    materials[1].bend *= 3;
    for (int32_t v = 0; v < scene->vertex_count; ++v) {
        parts[v] = v >= scene->part_size;
    }
    return muslin_cloth_create_parts(&mesh, &scene->def, parts, 2, materials, NULL, &scene->cloth);
}

/* --- stepping --------------------------------------------------------------------------------- */

int32_t prepare(Scene *scene) { return muslin_cloth_prepare(scene->cloth, STEP); }

int32_t step(Scene *scene) { return muslin_cloth_step(scene->cloth, STEP); }

int32_t set_two_substeps(Scene *scene) { return muslin_cloth_set_iterations(scene->cloth, 2, 4); }

int32_t set_four_substeps(Scene *scene) { return muslin_cloth_set_iterations(scene->cloth, 4, 4); }

int32_t refine(Scene *scene) { return muslin_cloth_refine(scene->cloth, STEP); }

int32_t settle(Scene *scene) { return muslin_cloth_settle(scene->cloth); }

int32_t hold_coarse(Scene *scene) { return muslin_cloth_hold_level(scene->cloth, 1); }

int32_t hold_fine(Scene *scene) { return muslin_cloth_hold_level(scene->cloth, 0); }

/* --- pins ------------------------------------------------------------------------------------- */

int32_t pin_two(Scene *scene) {
    const int32_t vertices[2] = {0, scene->row - 1};
    return muslin_cloth_set_pins(scene->cloth, 2, vertices, NULL, NULL);
}

int32_t pin_one(Scene *scene) {
    const int32_t vertices[1] = {1};
    return muslin_cloth_set_pins(scene->cloth, 1, vertices, NULL, NULL);
}

int32_t pin_softly(Scene *scene) {
    const int32_t vertices[2] = {0, scene->row - 1};
    const float weights[2] = {0.5f, 1.0f}, targets[6] = {-0.1f, 0, 0.1f, 0.1f, 0, 0.1f};
    return muslin_cloth_set_pins(scene->cloth, 2, vertices, weights, targets);
}

int32_t pin_none(Scene *scene) { return muslin_cloth_set_pins(scene->cloth, 0, NULL, NULL, NULL); }

/* --- bodies, and itself ----------------------------------------------------------------------- */

int32_t add_box(Scene *scene) {
    MuslinBody body = box_at(0, -0.06, 0.05);
    return muslin_cloth_add_body(scene->cloth, &body, &scene->body);
}

int32_t replace_box(Scene *scene) {
    MuslinBody body = box_at(0.01, -0.065, 0.055);
    return muslin_cloth_replace_body(scene->cloth, scene->body, &body);
}

int32_t move_box(Scene *scene) {
    MuslinBody body = box_at(0.02, -0.05, 0.05);
    return muslin_cloth_move_body(scene->cloth, scene->body, BOX_VERTICES, body.positions);
}

int32_t place_box(Scene *scene) {
    MuslinBody body = box_at(0, -0.06, 0.05);
    return muslin_cloth_place_body(scene->cloth, scene->body, BOX_VERTICES, body.positions);
}

int32_t thicken_box(Scene *scene) {
    return muslin_cloth_set_body_surface(scene->cloth, scene->body, 0.006f, 0.5f);
}

int32_t remove_box(Scene *scene) { return muslin_cloth_remove_body(scene->cloth, scene->body); }

int32_t meet_itself(Scene *scene) {
    return muslin_cloth_set_self_contact(scene->cloth, 1, 0.004f, 0.3f);
}

/* --- links ------------------------------------------------------------------------------------ */

enum { SEAMS, TACKS, ELASTICS };

int32_t sew(Scene *scene) {
    MuslinSeam seams[MOST_VERTICES];
    MuslinLinks links = {.size = sizeof links, .seams = seams, .weightless = 1};
    for (int32_t v = 0; v < scene->part_size; v += scene->row) {
        seams[links.seam_count++] =
            (MuslinSeam){.set = SEAMS,
                         .vertices = {v + scene->row - 1, -1, scene->part_size + v, -1},
                         .speed = 0.5f};
    }
    return muslin_cloth_set_links(scene->cloth, &links);
}

int32_t sew_layers(Scene *scene) {
    MuslinSeam seams[MOST_VERTICES];
    MuslinLinks links = {.size = sizeof links, .seams = seams};
    for (int32_t v = 0; v < scene->part_size; ++v) {
        if (v % scene->row == 0 || v % scene->row == scene->row - 1) {
            seams[links.seam_count++] = (MuslinSeam){
                .set = SEAMS, .vertices = {v, -1, scene->part_size + v, -1}, .speed = 0.5f};
        }
    }
    return muslin_cloth_set_links(scene->cloth, &links);
}

/* To each other's image: what a half closes. */
int32_t sew_sides(Scene *scene) {
    MuslinSeam seams[MOST_VERTICES];
    MuslinLinks links = {.size = sizeof links, .seams = seams};
    for (int32_t v = 0; v < scene->part_size; v += scene->row) {
        seams[links.seam_count++] =
            (MuslinSeam){.set = SEAMS, .vertices = {v, -1, v + scene->row - 1, -1}, .speed = 0.5f};
    }
    return muslin_cloth_set_links(scene->cloth, &links);
}

int32_t sew_more(Scene *scene) {
    const int32_t end = scene->part_size + scene->row - 1;
    const MuslinTack tack = {.set = TACKS, .vertices = {0, -1, end, -1}, .body = -1, .speed = 0.5f};
    const MuslinElastic elastic = {
        .set = ELASTICS, .vertices = {1, -1, end - 1, -1}, .share = 0.8f, .strength = 1};
    const MuslinLinks links = {.size = sizeof links,
                               .tack_count = 1,
                               .tacks = &tack,
                               .elastic_count = 1,
                               .elastics = &elastic};
    return muslin_cloth_add_links(scene->cloth, &links);
}

int32_t unpick(Scene *scene) { return muslin_cloth_release_links(scene->cloth, SEAMS); }

int32_t sew_again(Scene *scene) { return muslin_cloth_hold_links(scene->cloth, SEAMS); }

int32_t sew_nothing(Scene *scene) {
    const MuslinLinks links = {.size = sizeof links};
    return muslin_cloth_set_links(scene->cloth, &links);
}

/* --- what may change -------------------------------------------------------------------------- */

int32_t stiffen(Scene *scene) {
    MuslinMaterial material = scene->material;
    material.stretch_warp *= 2;
    return muslin_cloth_set_material(scene->cloth, &material);
}

int32_t blow(Scene *scene) {
    MuslinForces forces;
    muslin_default_forces(&forces);
    forces.wind[1] = 2;
    return muslin_cloth_set_forces(scene->cloth, &forces);
}

int32_t set_fields(Scene *scene) {
    static float wind[3 * MOST_VERTICES];
    wind[0] = 1;
    return muslin_cloth_set_fields(scene->cloth, wind, wind);
}

static float *numbers_from(float first, float step) {
    static float numbers[MOST_VERTICES];
    for (int v = 0; v < MOST_VERTICES; ++v) {
        numbers[v] = first + step * (float)(v % 3);
    }
    return numbers;
}

int32_t set_stretches(Scene *scene) {
    return muslin_cloth_set_map(scene->cloth, MUSLIN_MAP_STRETCH, numbers_from(1, 0.1f));
}

int32_t set_sizes(Scene *scene) {
    return muslin_cloth_set_map(scene->cloth, MUSLIN_MAP_SIZE, numbers_from(1, 0.01f));
}

int32_t set_thicknesses(Scene *scene) {
    return muslin_cloth_set_map(scene->cloth, MUSLIN_MAP_THICKNESS, numbers_from(1, 0.5f));
}

int32_t set_final(Scene *scene) {
    return muslin_cloth_set_quality(scene->cloth, MUSLIN_QUALITY_FINAL);
}

int32_t lift(Scene *scene) {
    float places[3 * MOST_VERTICES];
    memcpy(places, scene->places, sizeof places);
    for (int32_t v = 0; v < scene->vertex_count; ++v) {
        places[3 * v + 2] += 0.001f;
    }
    return muslin_cloth_set_state(scene->cloth, places, NULL);
}

/* --- snapshots -------------------------------------------------------------------------------- */

int32_t save(Scene *scene) {
    static char room[1 << 20];
    int32_t status = muslin_cloth_get_snapshot_size(scene->cloth, &scene->snapshot_size);
    scene->snapshot = room;
    return status < 0 ? status : muslin_cloth_get_snapshot(scene->cloth, room, sizeof room);
}

int32_t go_back(Scene *scene) {
    return muslin_cloth_restore(scene->cloth, scene->snapshot, scene->snapshot_size);
}

/* --- reports ---------------------------------------------------------------------------------- */

int32_t inspect(Scene *scene) {
    MuslinInspection report = {.size = sizeof report};
    MuslinPlace places[8];
    return muslin_cloth_get_inspection(scene->cloth, &report, places, 8, NULL);
}

int32_t measure_fit(Scene *scene) {
    static float numbers[5][MOST_VERTICES];
    return muslin_cloth_get_fit(scene->cloth, numbers[0], numbers[1], numbers[2], numbers[3],
                                numbers[4]);
}

int32_t measure_tension(Scene *scene) {
    static float numbers[2][MOST_VERTICES];
    return muslin_cloth_get_tension(scene->cloth, numbers[0], numbers[1]);
}

int32_t measure_stats(Scene *scene) {
    MuslinStats stats = {.size = sizeof stats};
    return muslin_cloth_get_stats(scene->cloth, &stats);
}

int32_t put_outside(Scene *scene) {
    float points[6] = {0, 0, -0.011f, 0.01f, 0, -0.012f};
    return muslin_cloth_put_outside(scene->cloth, 0.02, 2, points);
}

int32_t find_eigenvalues(Scene *scene) {
    double smallest, largest;
    return muslin_debug_eigenvalues(scene->cloth, &smallest, &largest);
}

int32_t solve_once(Scene *scene) {
    static double numbers[3 * MOST_VERTICES];
    numbers[0] = 1;
    return muslin_debug_solve(scene->cloth, numbers, 1, NULL);
}
