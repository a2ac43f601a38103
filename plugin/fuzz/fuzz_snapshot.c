/* Fuzzes what is behind a snapshot's checksum, which a forger knows, too: cloths of every kind of state are given their own
 * snapshots with some words changed, or too few bytes or too many. What is taken must be finite and can be stepped on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloth/cloth.h"
#include "handle.h"
#include "input.h"
#include "muslin.h"
#include "random.h"
#include "require.h"

#define KINDS 5
#define SIDE 5       /* odd: a line of edges is on the mirror plane */
#define SIDE_MOST 28 /* enough vertices for a coarser level */
#define MOST_EDITS 6
#define FRAME (1.0 / 24)
#define STEPPED 1.0 / 64 /* of those that are taken: steps are dear */

typedef struct Target {
    MuslinCloth handle;
    unsigned char *bytes; /* of a right snapshot */
    size_t size;
    int vertex_count;
} Target;

/* ---- cloths -------------------------------------------------------------------------------------------------- */

/* A sheet about x = 0, with one triangle beside it that has no mirror image. */
static MuslinCloth make_sheet(int side, const MuslinClothDef *def) {
    static float positions[3 * (SIDE_MOST * SIDE_MOST + 3)];
    static int32_t sizes[SIDE_MOST * SIDE_MOST], corners[4 * SIDE_MOST * SIDE_MOST];
    MuslinMesh mesh = {.size = sizeof mesh,
                       .vertex_count = side * side,
                       .positions = positions,
                       .face_sizes = sizes,
                       .face_vertices = corners};
    MuslinCloth cloth = 0;
    int corner = 0;
    for (int v = 0; v < side * side; ++v) {
        positions[3 * v] = 0.05f * (float)(v % side) - 0.025f * (float)(side - 1);
        positions[3 * v + 1] = 0.05f * (float)(v / side);
        positions[3 * v + 2] = 0;
    }
    for (int v = 0; v < side * (side - 1); ++v) {
        if (v % side < side - 1) {
            const int32_t face[4] = {v, v + 1, v + 1 + side, v + side};
            memcpy(corners + corner, face, sizeof face);
            sizes[mesh.face_count++] = 4;
            corner += 4;
        }
    }
    if (def->mirror != MUSLIN_MIRROR_OFF) {
        const float pocket[9] = {0.06f, 0.02f, 0.02f, 0.1f, 0.02f, 0.02f, 0.06f, 0.06f, 0.02f};
        const int32_t first = mesh.vertex_count, face[3] = {first, first + 1, first + 2};
        memcpy(positions + 3 * first, pocket, sizeof pocket);
        memcpy(corners + corner, face, sizeof face);
        sizes[mesh.face_count++] = 3;
        mesh.vertex_count += 3;
    }
    REQUIRE(muslin_cloth_create(&mesh, def, &cloth) >= 0);
    return cloth;
}

static void add_floor(MuslinCloth cloth) {
    static const float places[] = {-2, -2, -0.004f, 2, -2, -0.004f, 0, 3, -0.004f};
    static const int32_t size = 3, face[] = {0, 1, 2};
    MuslinBody body;
    int32_t number;
    muslin_default_body(&body);
    body.vertex_count = 3, body.face_count = 1;
    body.positions = places, body.face_sizes = &size, body.face_vertices = face;
    REQUIRE(muslin_cloth_add_body(cloth, &body, &number) >= 0);
}

/* 0: anchors of friction; 1: folds; 2: a half and what is beside it; 3: levels; 4: links. */
static MuslinCloth make_cloth(int kind) {
    MuslinClothDef def;
    muslin_default_cloth_def(&def);
    def.substeps = 1;
    MuslinMaterial material;
    muslin_default_material(&material);
    material.fold_memory = kind == 1 ? 50 : 0;
    def.material = &material;
    def.mirror = kind == 2 ? MUSLIN_MIRROR_EXACT : MUSLIN_MIRROR_OFF;
    def.budget_ms = kind == 3 ? 1000 : 0;
    MuslinCloth cloth = make_sheet(kind == 3 ? SIDE_MOST : SIDE, &def);
    if (kind == 4) {
        MuslinSeam seam = {.speed = 0.1f, .vertices = {0, -1, SIDE * SIDE - 1, -1}};
        MuslinLinks links = {
            .size = sizeof links, .seam_count = 1, .seams = &seam, .weightless = 1};
        REQUIRE(muslin_cloth_set_links(cloth, &links) >= 0);
    }
    if (kind == 3) {
        REQUIRE(muslin_cloth_hold_level(cloth, 1) >= 0);
    }
    add_floor(cloth);
    REQUIRE(muslin_cloth_set_self_contact(cloth, 1, 0.004f, 0.3f) >= 0);
    for (int step = 0; step < 3; ++step) {
        REQUIRE(muslin_cloth_step(cloth, FRAME) >= 0);
    }
    return cloth;
}

static Target make_target(int kind) {
    Target target = {.handle = make_cloth(kind)};
    HandleCall call = handle_begin(target.handle);
    target.size = cloth_snapshot_size(call.cloth);
    target.vertex_count = cloth_vertex_count(call.cloth);
    target.bytes = malloc(target.size);
    REQUIRE(target.bytes);
    cloth_snapshot(call.cloth, target.bytes);
    handle_end(&call);
    return target;
}

/* ---- forgeries ----------------------------------------------------------------------------------------------- */

static const double odd_numbers[] = {NAN,   INFINITY, -INFINITY, 1e300, -1e300, 1e38,   1e-300,
                                     -1e-3, 1e9,      0,         -0.0,  1e-3,   0x1p52, 4e9};
static const int64_t odd_counts[] = {
    0,         -1,     1,  2,  INT32_MAX, INT32_MIN,         INT64_MAX,
    INT64_MIN, 0x1p32, -7, 64, 1000,      0x7fffffffffffff8, 3};

/* One word: at the beginning, where headers are, as often as anywhere. */
static void edit(Input *input, unsigned char *bytes, size_t size) {
    int kind = input_choice(input, 6);
    size_t words = size / 4, place = (size_t)input_seed(input);
    int value = input_choice(input, 14);
    size_t at = 4 * (kind % 2 ? place % (words < 32 ? words : 32) : place % words);
    size_t room = size - at < 8 ? size - at : 8;
    if (kind < 2) {
        memcpy(bytes + at, &odd_numbers[value], room);
    } else if (kind < 4) {
        memcpy(bytes + at, &odd_counts[value], room);
    } else {
        bytes[at + (size_t)value % room] ^= (unsigned char)(1u << (value % 8));
    }
}

static void restore(const Target *target, Input *input) {
    static const int differences[] = {0, 0, 0, 0, 0, 0, 0, 0, -1, 1, -8, 8, 136, -1000};
    int difference = differences[input_choice(input, 14)];
    size_t size = target->size + (size_t)difference;
    size = difference < 0 && (size_t)-difference > target->size ? 0 : size;
    unsigned char *bytes = calloc(1, size ? size : 1);
    REQUIRE(bytes);
    memcpy(bytes, target->bytes, size < target->size ? size : target->size);
    for (int e = 0; e < MOST_EDITS && size >= 8 && !input_ended(input); ++e) {
        edit(input, bytes, size);
    }
    HandleCall call = handle_begin(target->handle);
    Status status = {0};
    StatusCode code = cloth_restore(call.cloth, bytes, size, &status);
    handle_end(&call);
    free(bytes);
    REQUIRE(code == STATUS_OK || (code < 0 && status.message[0] != '\0'));
}

static void require_finite(const Target *target) {
    float positions[3 * (SIDE_MOST * SIDE_MOST + 3)];
    REQUIRE(muslin_cloth_get_state(target->handle, positions, NULL) == MUSLIN_OK);
    for (int i = 0; i < 3 * target->vertex_count; ++i) {
        REQUIRE(isfinite(positions[i]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static Target targets[KINDS];
    Input input = {.bytes = bytes, .size = size};
    Target *target = &targets[input_choice(&input, KINDS)];
    if (!target->bytes) {
        *target = make_target((int)(target - targets));
    }
    Random random = {input_seed(&input)};
    restore(target, &input);
    require_finite(target);
    if (random_chance(&random, STEPPED)) {
        muslin_cloth_step(target->handle, FRAME);
        require_finite(target);
    }
    HandleCall call = handle_begin(target->handle);
    Status status = {0};
    StatusCode code = cloth_restore(call.cloth, target->bytes, target->size, &status);
    handle_end(&call);
    REQUIRE(code == STATUS_OK);
    return 0;
}
