/* How many bytes a step takes from the heap once the cloth is prepared: it should be none.
 * The program brings its own malloc, calloc, realloc and aligned_alloc, which count and hand on to
 * the C library's. Both solvers and both models take 100 steps each, with one thread and with two.
 * Prints one number, the bytes of all of them together; with -v the bytes of each run on stderr.
 * Usage: step_bytes [-v]. Exit status 77: the allocator cannot be replaced in this build. */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloth/cloth.h"

#define SIDE 40
#define STEPS 100
#define STEP_SECONDS (1.0 / 24)
#define CANNOT_COUNT 77

/* A sanitizer has its own allocator; another C library other names for the functions below. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#if defined(__GLIBC__) && !defined(SANITIZED)
#define COUNTING 1
#else
#define COUNTING 0
#endif

static atomic_ullong taken_bytes;

#if COUNTING

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void count_bytes(size_t size) { atomic_fetch_add(&taken_bytes, size); }

void *malloc(size_t size) {
    count_bytes(size);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    count_bytes(count * size);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    count_bytes(size);
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count_bytes(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    count_bytes(size);
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

#endif

/* One piece by each function: a count that misses one would report a step cleaner than it is. */
static int counting_works(void) {
    unsigned long long before = atomic_load(&taken_bytes);
    void *volatile pieces[5] = {malloc(64), calloc(1, 64), realloc(NULL, 64), aligned_alloc(64, 64),
                                NULL};
    int placed = posix_memalign((void **)&pieces[4], 64, 64) == 0;
    for (int i = 0; i < 5; ++i) {
        free(pieces[i]);
    }
    return placed && atomic_load(&taken_bytes) - before == 5 * 64;
}

/* A flat sheet of SIDE x SIDE vertices, split into triangles. */
typedef struct Sheet {
    float positions[SIDE * SIDE * 3];
    int32_t sizes[2 * (SIDE - 1) * (SIDE - 1)];
    int32_t corners[6 * (SIDE - 1) * (SIDE - 1)];
} Sheet;

static PolygonMesh lay_sheet(Sheet *sheet) {
    int face_count = 0;
    for (int v = 0; v < SIDE * SIDE; ++v) {
        sheet->positions[3 * v] = (float)(v % SIDE) / (SIDE - 1);
        sheet->positions[3 * v + 1] = (float)(v / SIDE) / (SIDE - 1);
        sheet->positions[3 * v + 2] = 0;
    }
    for (int cell = 0; cell < (SIDE - 1) * (SIDE - 1); ++cell) {
        int a = cell / (SIDE - 1) * SIDE + cell % (SIDE - 1);
        const int32_t corners[6] = {a, a + 1, a + SIDE + 1, a, a + SIDE + 1, a + SIDE};
        memcpy(sheet->corners + 6 * cell, corners, sizeof corners);
        sheet->sizes[face_count++] = 3;
        sheet->sizes[face_count++] = 3;
    }
    return (PolygonMesh){.vertex_count = SIDE * SIDE,
                         .face_count = face_count,
                         .positions = sheet->positions,
                         .face_sizes = sheet->sizes,
                         .face_vertices = sheet->corners};
}

/* Everything that has code of its own in a step: wind, both dampings, several rounds. The conjugate
 * gradients are cut short, as it is not their result that counts. */
static ClothOptions options_for(SolverKind solver, ModelKind model, int threads) {
    return (ClothOptions){
        .system = {.model = model, .keep_folds = 1},
        .uv_scale = 1,
        .solver = solver,
        .solving = {.estimate = ESTIMATE_TRANSLATION,
                    .coefficient_count = 2,
                    .coefficients = {2, -1},
                    .iterations = 2,
                    .pcg_tolerance = 1e-3,
                    .pcg_limit = 20},
        .substeps = 2,
        .threads = threads,
        .material = {.density = 0.2,
                     .stretch_warp = 2000,
                     .stretch_weft = 2000,
                     .shear = 600,
                     .bend = 2e-5,
                     .rope_density = 0.01,
                     .rope_stretch = 500,
                     .damping = 0.1,
                     .stiffness_damping = 1e-3,
                     .pin_stiffness = 2000},
        .gravity = {0, 0, -9.81},
        .wind = {.velocity = {1, 2, 0}, .normal_drag = 0.5, .tangent_drag = 0.05},
    };
}

/* Bytes taken by STEPS steps, with a hard and a soft pin on the move; -1 when the cloth fails. */
static long long bytes_of(const PolygonMesh *mesh, const ClothOptions *options, Status *status) {
    const int32_t pins[2] = {SIDE * (SIDE - 1), SIDE * SIDE - 1};
    const float weights[2] = {1, 0.5f};
    float targets[6] = {0, 1, 0, 1, 1, 0};
    Cloth *cloth = cloth_create(mesh, options, status);
    if (!cloth) {
        return -1;
    }
    StatusCode code = cloth_set_pins(cloth, 2, pins, weights, targets, status);
    if (code == STATUS_OK) {
        code = cloth_prepare(cloth, STEP_SECONDS, status);
    }
    unsigned long long before = atomic_load(&taken_bytes);
    for (int step = 0; step < STEPS && code == STATUS_OK; ++step) {
        targets[2] = targets[5] = 0.001f * (float)step;
        cloth_move_pins(cloth, targets);
        code = cloth_step(cloth, STEP_SECONDS, status);
    }
    long long bytes = (long long)(atomic_load(&taken_bytes) - before);
    cloth_destroy(cloth);
    return code == STATUS_OK ? bytes : -1;
}

int main(int count, char **arguments) {
    static const char *const solver_names[2] = {"linear", "implicit"};
    static const char *const model_names[2] = {"edge", "triangle"};
    static Sheet sheet;
    int verbose = count == 2 && strcmp(arguments[1], "-v") == 0;
    if (count > 1 && !verbose) {
        fprintf(stderr, "usage: step_bytes [-v]\n");
        return 2;
    }
    if (!COUNTING || !counting_works()) {
        fprintf(stderr, "step_bytes: the allocator cannot be replaced in this build\n");
        return CANNOT_COUNT;
    }
    PolygonMesh mesh = lay_sheet(&sheet);
    long long total = 0;
    for (int run = 0; run < 8; ++run) {
        Status status;
        int solver = run & 1, model = run >> 1 & 1, threads = 1 + (run >> 2);
        ClothOptions options = options_for((SolverKind)solver, (ModelKind)model, threads);
        long long bytes = bytes_of(&mesh, &options, &status);
        if (bytes < 0) {
            fprintf(stderr, "step_bytes: %s\n", status.message);
            return 1;
        }
        if (verbose) {
            fprintf(stderr, "%s, %s, threads %d: %lld bytes\n", solver_names[solver],
                    model_names[model], threads, bytes);
        }
        total += bytes;
    }
    printf("%lld\n", total);
    return 0;
}
