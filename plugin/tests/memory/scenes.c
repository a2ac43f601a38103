/* Sheets and boxes of a few dozen vertices: what they need is found by the same code as for garments. */
#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP (1.0 / 24)

/* --- meshes ----------------------------------------------------------------------------------- */

static int32_t add_vertex(Scene *scene, double x, double y, double z) {
    float *place = scene->places + 3 * scene->vertex_count;
    place[0] = (float)x;
    place[1] = (float)y;
    place[2] = (float)z;
    return scene->vertex_count++;
}

/* A sheet of quads around (x, 0, z), `side` long. */
static void add_sheet(Scene *scene, int columns, int rows, double side, double x, double z) {
    int32_t first = scene->vertex_count;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            double u = (double)c / (columns - 1) - 0.5, v = (double)r / (rows - 1) - 0.5;
            add_vertex(scene, x + side * u, side * v, z);
        }
    }
    for (int r = 0; r + 1 < rows; ++r) {
        for (int c = 0; c + 1 < columns; ++c) {
            int32_t a = first + r * columns + c;
            const int32_t quad[4] = {a, a + 1, a + 1 + columns, a + columns};
            memcpy(scene->corners + scene->corner_count, quad, sizeof quad);
            scene->corner_count += 4;
            scene->sizes[scene->face_count++] = 4;
        }
    }
}

static MuslinMesh mesh_of(const Scene *scene) {
    return (MuslinMesh){.size = sizeof(MuslinMesh),
                        .vertex_count = scene->vertex_count,
                        .face_count = scene->face_count,
                        .edge_count = scene->edge_count,
                        .positions = scene->places,
                        .face_sizes = scene->sizes,
                        .face_vertices = scene->corners,
                        .edges = scene->edge_count > 0 ? scene->edges : NULL};
}

/* A box, whose edges are sharp. */
static const int32_t box_sizes[6] = {4, 4, 4, 4, 4, 4};
static const int32_t box_corners[24] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4,
                                        1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
static float box_places[24];

static MuslinBody box(double x, double z, double half) {
    static const int signs[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    for (int v = 0; v < 8; ++v) {
        box_places[3 * v] = (float)(x + half * signs[v][0]);
        box_places[3 * v + 1] = (float)(half * signs[v][1]);
        box_places[3 * v + 2] = (float)(z + half * signs[v][2]);
    }
    MuslinBody body;
    muslin_default_body(&body);
    body.vertex_count = 8;
    body.face_count = 6;
    body.positions = box_places;
    body.face_sizes = box_sizes;
    body.face_vertices = box_corners;
    return body;
}

/* --- calls ------------------------------------------------------------------------------------ */

static int32_t create(Scene *scene) {
    MuslinMesh mesh = mesh_of(scene);
    return muslin_cloth_create(&mesh, &scene->def, &scene->cloth);
}

static int32_t prepare(Scene *scene) { return muslin_cloth_prepare(scene->cloth, STEP); }

static int32_t step(Scene *scene) { return muslin_cloth_step(scene->cloth, STEP); }

static int32_t pin_corners(Scene *scene) {
    const int32_t vertices[2] = {0, 5};
    return muslin_cloth_set_pins(scene->cloth, 2, vertices, NULL, NULL);
}

static int32_t pin_one(Scene *scene) {
    const int32_t vertices[1] = {3};
    return muslin_cloth_set_pins(scene->cloth, 1, vertices, NULL, NULL);
}

static int32_t pin_softly(Scene *scene) {
    const int32_t vertices[2] = {0, 5};
    const float weights[2] = {0.5f, 1.0f}, targets[6] = {0, 0, 0.1f, 0.1f, 0, 0.2f};
    return muslin_cloth_set_pins(scene->cloth, 2, vertices, weights, targets);
}

static int32_t add_box(Scene *scene) {
    MuslinBody body = box(0, -0.06, 0.05);
    return muslin_cloth_add_body(scene->cloth, &body, &scene->body);
}

static int32_t replace_box(Scene *scene) {
    MuslinBody body = box(0.01, -0.065, 0.055);
    return muslin_cloth_replace_body(scene->cloth, scene->body, &body);
}

static int32_t move_box(Scene *scene) {
    box(0.02, -0.05, 0.05);
    return muslin_cloth_move_body(scene->cloth, scene->body, 8, box_places);
}

static int32_t thicken_box(Scene *scene) {
    return muslin_cloth_set_body_surface(scene->cloth, scene->body, 0.006f, 0.5f);
}

static int32_t remove_box(Scene *scene) {
    return muslin_cloth_remove_body(scene->cloth, scene->body);
}

static int32_t meet_itself(Scene *scene) {
    return muslin_cloth_set_self_contact(scene->cloth, 1, 0.004f, 0.3f);
}

static int32_t save(Scene *scene) {
    size_t size;
    if (!scene->snapshot) { /* room that no failing memory is asked for */
        static char room[1 << 20];
        scene->snapshot = room;
    }
    int32_t status = muslin_cloth_snapshot_size(scene->cloth, &size);
    scene->snapshot_size = size;
    return status < 0 ? status : muslin_cloth_snapshot(scene->cloth, scene->snapshot, size);
}

static int32_t go_back(Scene *scene) {
    return muslin_cloth_restore(scene->cloth, scene->snapshot, scene->snapshot_size);
}

static int32_t inspect(Scene *scene) {
    MuslinInspection report = {.size = sizeof report};
    MuslinPlace places[8];
    return muslin_cloth_inspect(scene->cloth, &report, places, 8, NULL);
}

static int32_t fit(Scene *scene) {
    static float numbers[5][MOST_VERTICES];
    return muslin_cloth_fit(scene->cloth, numbers[0], numbers[1], numbers[2], numbers[3],
                            numbers[4]);
}

static int32_t put_outside(Scene *scene) {
    float points[6] = {0, 0, -0.011f, 0.01f, 0, -0.012f};
    return muslin_cloth_put_outside(scene->cloth, 0.02, 2, points);
}

/* --- scenes ----------------------------------------------------------------------------------- */

static void set_sheet(Scene *scene) {
    scene->def.substeps = 1;
    add_sheet(scene, 6, 6, 0.2, 0, 0);
}

static void set_layers(Scene *scene) {
    scene->def.substeps = 1;
    for (int layer = 0; layer < 4; ++layer) {
        add_sheet(scene, 5, 5, 0.12, 0.003 * layer, 0.004 * layer);
    }
}

const SceneScript scene_scripts[] = {
    {"sheet",
     set_sheet,
     {create, pin_corners, prepare, step, pin_one, step, pin_softly, step, save, step, go_back,
      step}},
    {"box",
     set_sheet,
     {create, add_box, step, thicken_box, step, move_box, step, inspect, fit, put_outside,
      replace_box, step, save, go_back, step, remove_box, step}},
    {"layers",
     set_layers,
     {create, add_box, meet_itself, prepare, step, step, step, step, save, step, go_back, step}},
};
const int scene_script_count = sizeof scene_scripts / sizeof *scene_scripts;
