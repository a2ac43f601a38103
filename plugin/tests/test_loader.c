/* The shared library as a program meets it that loads it while it runs: every function is found and called once.
 *
 *   test_loader SCENE RESULT   drapes a cloth on a body that moves, and writes its last positions: for comparing
 *                              machines. Both files are bare little-endian numbers; see read_scene. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "loaded.h"

#define SIDE 12 /* vertices along a side of the sheet */
#define VERTICES (SIDE * SIDE)
#define FACES ((SIDE - 1) * (SIDE - 1))
#define FRAME (1.0 / 24)

static Loaded muslin;

/* A call that must do its work, warnings allowed. */
#define WELL(call) CHECK((call) >= 0)

static float positions[3 * VERTICES], read_back[3 * VERTICES], velocities[3 * VERTICES];
static int32_t face_sizes[FACES], face_vertices[4 * FACES];

/* A square of 1.1 m, flat at the height 0. */
static MuslinMesh sheet(void) {
    for (int i = 0; i < VERTICES; ++i) {
        positions[3 * i] = 0.1f * (float)(i % SIDE);
        positions[3 * i + 1] = 0.1f * (float)(i / SIDE);
        positions[3 * i + 2] = 0;
    }
    for (int f = 0; f < FACES; ++f) {
        int32_t corner = f / (SIDE - 1) * SIDE + f % (SIDE - 1), *face = face_vertices + 4 * f;
        face_sizes[f] = 4;
        face[0] = corner, face[1] = corner + 1, face[2] = corner + SIDE + 1;
        face[3] = corner + SIDE;
    }
    return (MuslinMesh){.size = sizeof(MuslinMesh),
                        .vertex_count = VERTICES,
                        .face_count = FACES,
                        .positions = positions,
                        .face_sizes = face_sizes,
                        .face_vertices = face_vertices};
}

/* A tetrahedron below the sheet's middle. */
static float body_positions[12] = {0.3f, 0.3f, -0.4f, 0.8f,  0.3f,  -0.4f,
                                   0.5f, 0.8f, -0.4f, 0.55f, 0.45f, -0.05f};
static const int32_t body_sizes[4] = {3, 3, 3, 3};
static const int32_t body_vertices[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

static MuslinBody tetrahedron(void) {
    MuslinBody body = {.size = sizeof body};
    WELL(muslin.muslin_default_body(&body));
    body.vertex_count = 4, body.face_count = 4;
    body.positions = body_positions, body.face_sizes = body_sizes;
    body.face_vertices = body_vertices;
    return body;
}

static MuslinClothDef definition(void) {
    MuslinClothDef def = {.size = sizeof def};
    WELL(muslin.muslin_default_cloth_def(&def));
    def.threads = 2;
    return def;
}

static MuslinCloth create(const MuslinClothDef *def) {
    MuslinMesh mesh = sheet();
    MuslinCloth cloth = 0;
    WELL(muslin.muslin_cloth_create(&mesh, def, &cloth));
    CHECK(cloth != 0);
    return cloth;
}

static int all_finite(const float *numbers, int count) {
    for (int i = 0; i < count; ++i) {
        if (!isfinite(numbers[i])) {
            return 0;
        }
    }
    return 1;
}

static void call_what_needs_no_cloth(void) {
    MuslinMesh mesh = sheet();
    MuslinMeshReport report = {.size = sizeof report};
    MuslinSymmetry symmetry = {.size = sizeof symmetry, .find = 1};
    MuslinFinding finding;
    int32_t found = -1, partners[VERTICES], face_partners[FACES];
    CHECK(strlen(muslin.muslin_version()) > 0);
    CHECK(muslin.muslin_abi_version() == MUSLIN_ABI_VERSION);
    CHECK(strlen(muslin.muslin_status_text(MUSLIN_ERROR_ARGUMENT)) > 0);
    CHECK(muslin.muslin_mesh_get_report(&mesh, &report, &finding, 1, &found) == MUSLIN_OK);
    CHECK(report.quad_count == FACES && found == 0);
    CHECK(muslin.muslin_mesh_get_symmetry(&mesh, &symmetry, partners, face_partners) == MUSLIN_OK);
    CHECK(symmetry.paired + symmetry.on_plane == VERTICES);
    CHECK(muslin.muslin_mesh_get_fronts(&mesh, partners) == MUSLIN_OK);
    CHECK(partners[0] == 0);
}

/* A refusal has a message with numbers in it, and details. */
static void call_messages(MuslinCloth cloth) {
    char message[MUSLIN_MESSAGE_SIZE] = "";
    MuslinDetail detail = {.size = sizeof detail};
    size_t bytes = 0;
    int32_t count = 0, vertex = VERTICES + 7;
    CHECK(muslin.muslin_cloth_set_pins(cloth, 1, &vertex, NULL, NULL) < 0);
    WELL(muslin.muslin_get_message(cloth, message, sizeof message));
    CHECK(strstr(message, "151"));
    WELL(muslin.muslin_get_detail_count(cloth, &count));
    CHECK(count > 0 && muslin.muslin_get_detail(cloth, 0, &detail) == MUSLIN_OK);
    /* %zu is what Microsoft's own library does not know */
    WELL(muslin.muslin_cloth_get_snapshot_size(cloth, &bytes));
    char *few = calloc(1, bytes), wanted[32];
    snprintf(wanted, sizeof wanted, "%llu bytes", (unsigned long long)bytes);
    CHECK(muslin.muslin_cloth_get_snapshot(cloth, few, bytes - 1) < 0);
    WELL(muslin.muslin_get_message(cloth, message, sizeof message));
    CHECK(strstr(message, wanted));
    free(few);
}

static void call_settings(MuslinCloth cloth) {
    MuslinMaterial material = {.size = sizeof material};
    MuslinForces forces = {.size = sizeof forces};
    WELL(muslin.muslin_default_material(&material));
    WELL(muslin.muslin_default_forces(&forces));
    float ones[VERTICES], field[3 * VERTICES] = {0}, targets[6] = {0, 0, 0, 1.1f, 0, 0};
    const int32_t corners[2] = {0, SIDE - 1};
    for (int i = 0; i < VERTICES; ++i) {
        ones[i] = 1;
    }
    WELL(muslin.muslin_cloth_set_pins(cloth, 2, corners, NULL, targets));
    WELL(muslin.muslin_cloth_move_pins(cloth, 2, targets));
    WELL(muslin.muslin_cloth_set_material(cloth, &material));
    WELL(muslin.muslin_cloth_set_part_material(cloth, 0, &material));
    WELL(muslin.muslin_cloth_set_forces(cloth, &forces));
    WELL(muslin.muslin_cloth_set_fields(cloth, field, field));
    WELL(muslin.muslin_cloth_set_map(cloth, MUSLIN_MAP_BEND, ones));
    WELL(muslin.muslin_cloth_set_self_contact(cloth, 1, 0.004f, 0.3f));
    WELL(muslin.muslin_cloth_set_quality(cloth, MUSLIN_QUALITY_DRAFT));
    WELL(muslin.muslin_cloth_set_iterations(cloth, 2, 3));
    WELL(muslin.muslin_cloth_prepare(cloth, FRAME));
}

static void call_bodies(MuslinCloth cloth) {
    MuslinBody body = tetrahedron();
    int32_t number = -1;
    float inside[3] = {0.55f, 0.5f, -0.3f};
    WELL(muslin.muslin_cloth_add_body(cloth, &body, &number));
    WELL(muslin.muslin_cloth_set_body_surface(cloth, number, 0.003f, 0.5f));
    WELL(muslin.muslin_cloth_replace_body(cloth, number, &body));
    WELL(muslin.muslin_cloth_place_body(cloth, number, 4, body_positions));
    for (int frame = 0; frame < 12; ++frame) {
        WELL(muslin.muslin_cloth_move_body(cloth, number, 4, body_positions));
        WELL(muslin.muslin_cloth_step(cloth, FRAME));
    }
    WELL(muslin.muslin_cloth_put_outside(cloth, 0.5, 1, inside));
    CHECK(inside[0] != 0.55f || inside[1] != 0.5f || inside[2] != -0.3f);
}

static void call_reports(MuslinCloth cloth) {
    MuslinReport report = {.size = sizeof report};
    MuslinStats stats = {.size = sizeof stats};
    MuslinInspection inspection = {.size = sizeof inspection};
    MuslinMirrorReport mirror = {.size = sizeof mirror};
    MuslinPlace places[4];
    int32_t found = 0;
    float warp[VERTICES], weft[VERTICES], shear[VERTICES], pressure[VERTICES], gap[VERTICES];
    double least = 0, most = 0, fraction = -1, seconds = -1, side[3 * VERTICES] = {1};
    WELL(muslin.muslin_cloth_get_report(cloth, &report));
    CHECK(report.vertex_count == VERTICES && report.pinned_count == 2);
    WELL(muslin.muslin_cloth_get_stats(cloth, &stats));
    CHECK(stats.substeps == 2 && stats.contacts > 0);
    WELL(muslin.muslin_cloth_get_inspection(cloth, &inspection, places, 4, &found));
    CHECK(inspection.inside_count == 0);
    WELL(muslin.muslin_cloth_get_mirror(cloth, &mirror));
    WELL(muslin.muslin_cloth_get_fit(cloth, warp, weft, shear, pressure, gap));
    CHECK(all_finite(warp, VERTICES) && all_finite(gap, VERTICES));
    WELL(muslin.muslin_cloth_get_tension(cloth, warp, weft));
    CHECK(all_finite(warp, VERTICES) && all_finite(weft, VERTICES));
    WELL(muslin.muslin_debug_eigenvalues(cloth, &least, &most));
    CHECK(least > 0 && most > least);
    WELL(muslin.muslin_debug_solve(cloth, side, 1, &seconds));
    WELL(muslin.muslin_cloth_get_progress(cloth, &fraction));
}

/* From a snapshot on the same bytes follow; a cancelled step changes nothing. */
static void call_states(MuslinCloth cloth) {
    static float first[3 * VERTICES];
    size_t bytes = 0;
    WELL(muslin.muslin_cloth_get_snapshot_size(cloth, &bytes));
    void *snapshot = calloc(1, bytes);
    WELL(muslin.muslin_cloth_get_snapshot(cloth, snapshot, bytes));
    WELL(muslin.muslin_cloth_step(cloth, FRAME));
    WELL(muslin.muslin_cloth_get_state(cloth, first, velocities));
    WELL(muslin.muslin_cloth_restore(cloth, snapshot, bytes));
    WELL(muslin.muslin_cloth_cancel(cloth));
    CHECK(muslin.muslin_cloth_step(cloth, FRAME) == MUSLIN_ERROR_CANCELLED);
    WELL(muslin.muslin_cloth_step(cloth, FRAME));
    WELL(muslin.muslin_cloth_get_state(cloth, read_back, velocities));
    CHECK(memcmp(first, read_back, sizeof first) == 0);
    CHECK(all_finite(read_back, 3 * VERTICES) && all_finite(velocities, 3 * VERTICES));
    WELL(muslin.muslin_cloth_set_state(cloth, read_back, velocities));
    WELL(muslin.muslin_cloth_remove_body(cloth, 0));
    free(snapshot);
}

static void call_links(MuslinCloth cloth) {
    MuslinTack tack = {.body = -1, .length = -1, .speed = 0.1f};
    MuslinLinks links = {.size = sizeof links, .tack_count = 1, .tacks = &tack};
    MuslinLinkReport report = {.size = sizeof report};
    tack.vertices[0] = 5 * SIDE, tack.vertices[1] = -1;
    tack.vertices[2] = 5 * SIDE + 9, tack.vertices[3] = -1;
    WELL(muslin.muslin_cloth_set_links(cloth, &links));
    tack.set = 1;
    WELL(muslin.muslin_cloth_add_links(cloth, &links));
    WELL(muslin.muslin_cloth_release_links(cloth, 1));
    WELL(muslin.muslin_cloth_get_links(cloth, 1, &report));
    CHECK(report.count == 1 && report.released == 1);
    WELL(muslin.muslin_cloth_hold_links(cloth, 1));
    WELL(muslin.muslin_cloth_get_links(cloth, 1, &report));
    CHECK(report.released == 0);
    WELL(muslin.muslin_cloth_step(cloth, FRAME));
}

/* A cloth of parts, and one with a budget. */
static void call_other_cloths(void) {
    MuslinClothDef def = definition();
    MuslinMaterial material = {.size = sizeof material};
    MuslinMesh mesh = sheet();
    int32_t parts[VERTICES] = {0};
    MuslinCloth cloth = 0;
    MuslinLevelReport levels = {.size = sizeof levels};
    MuslinSettleReport settling = {.size = sizeof settling};
    WELL(muslin.muslin_default_material(&material));
    WELL(muslin.muslin_cloth_create_parts(&mesh, &def, parts, 1, &material, NULL, &cloth));
    WELL(muslin.muslin_cloth_settle(cloth));
    WELL(muslin.muslin_cloth_get_settling(cloth, &settling));
    CHECK(settling.steps > 0);
    WELL(muslin.muslin_cloth_destroy(cloth));
    def.budget_ms = 10;
    cloth = create(&def);
    WELL(muslin.muslin_cloth_hold_level(cloth, 0));
    WELL(muslin.muslin_cloth_refine(cloth, FRAME));
    WELL(muslin.muslin_cloth_get_levels(cloth, &levels));
    CHECK(levels.vertex_count == VERTICES);
    WELL(muslin.muslin_cloth_destroy(cloth));
}

/* ---- a scene from a file ------------------------------------------------------------------------------------ */

typedef struct Scene {
    int32_t counts
        [8]; /* vertices, faces, corners; those of the body; frames; whether cloth meets itself */
    float *positions;
    int32_t *sizes, *corners;
    int32_t *body_sizes, *body_corners;
    float *body_positions; /* frames + 1 times those of the body, from the start on */
} Scene;

static void *read_numbers(FILE *file, size_t count) {
    void *numbers = calloc(count ? count : 1, 4);
    CHECK(numbers && fread(numbers, 4, count, file) == count);
    return numbers;
}

/* The counts, then the arrays in the order of Scene, with those of the body behind the cloth's; four bytes each. */
static int read_scene(const char *path, Scene *scene) {
    FILE *file = fopen(path, "rb");
    CHECK(file && fread(scene->counts, 4, 8, file) == 8);
    if (failures) {
        return 0;
    }
    size_t count[8];
    for (int i = 0; i < 8; ++i) {
        count[i] = (size_t)scene->counts[i];
    }
    scene->positions = read_numbers(file, 3 * count[0]);
    scene->sizes = read_numbers(file, count[1]);
    scene->corners = read_numbers(file, count[2]);
    scene->body_sizes = read_numbers(file, count[4]);
    scene->body_corners = read_numbers(file, count[5]);
    scene->body_positions = read_numbers(file, 3 * count[3] * (count[6] + 1));
    fclose(file);
    return failures == 0;
}

static void free_scene(Scene *scene) {
    free(scene->positions);
    free(scene->sizes);
    free(scene->corners);
    free(scene->body_sizes);
    free(scene->body_corners);
    free(scene->body_positions);
}

static void write_result(const char *path, const float *numbers, size_t count) {
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(numbers, 4, count, file) == count && fclose(file) == 0);
}

static void drape(Scene *scene, const char *result) {
    const int32_t *count = scene->counts;
    MuslinClothDef def = definition();
    MuslinCloth cloth = 0;
    MuslinBody body = tetrahedron();
    int32_t number = 0;
    MuslinMesh mesh = {.size = sizeof mesh,
                       .vertex_count = count[0],
                       .face_count = count[1],
                       .positions = scene->positions,
                       .face_sizes = scene->sizes,
                       .face_vertices = scene->corners};
    body.vertex_count = count[3], body.face_count = count[4];
    body.positions = scene->body_positions, body.face_sizes = scene->body_sizes;
    body.face_vertices = scene->body_corners;
    WELL(muslin.muslin_cloth_create(&mesh, &def, &cloth));
    WELL(muslin.muslin_cloth_set_self_contact(cloth, count[7], 0.004f, 0.3f));
    if (count[3] > 0) {
        WELL(muslin.muslin_cloth_add_body(cloth, &body, &number));
    }
    for (int frame = 1; failures == 0 && frame <= count[6]; ++frame) {
        const float *place = scene->body_positions + 3 * (size_t)count[3] * (size_t)frame;
        if (count[3] > 0) {
            WELL(muslin.muslin_cloth_move_body(cloth, number, count[3], place));
        }
        WELL(muslin.muslin_cloth_step(cloth, FRAME));
    }
    WELL(muslin.muslin_cloth_get_state(cloth, scene->positions, NULL));
    WELL(muslin.muslin_cloth_destroy(cloth));
    write_result(result, scene->positions, 3 * (size_t)count[0]);
}

int main(int count, char **arguments) {
    Scene scene;
    if (!load_library(MUSLIN_FILE, &muslin)) {
        return 1;
    }
    if (count == 3) {
        if (read_scene(arguments[1], &scene)) {
            drape(&scene, arguments[2]);
            free_scene(&scene);
        }
        return failures ? 1 : 0;
    }
    call_what_needs_no_cloth();
    MuslinClothDef def = definition();
    MuslinCloth cloth = create(&def);
    call_messages(cloth);
    call_settings(cloth);
    call_bodies(cloth);
    call_reports(cloth);
    call_states(cloth);
    call_links(cloth);
    WELL(muslin.muslin_cloth_destroy(cloth));
    call_other_cloths();
    return failures ? 1 : 0;
}
