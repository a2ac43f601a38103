/* How many bytes a step takes from the heap once the cloth is prepared: it should be none.
 * The program has its own allocation functions, which count and hand on to the C library's. The library's own calls, as
 * of qsort(), come to these as well. Both solvers and both models take 100 steps each, with one thread and with two; then
 * 25 steps with a table that moves under the cloth, a fast blade through it, and self-contact. Lists of
 * contacts grow where a cloth has not been before, so these steps are taken twice and counted the second time.
 * Prints one number, the bytes of all of them together; with -v the bytes of each run on stderr.
 * Usage: step_bytes [-v]. Exit status 77: the allocator cannot be replaced in this build. */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/simulation.h"

#define SIDE 40
#define STEPS 100
#define MEETING_STEPS 25
#define PLATE_VERTICES 8
#define PLATE_FACES 6
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

/* The linker knows these by the names of the functions that they replace. */
void *counted_malloc(size_t size) __asm__("malloc");
void *counted_calloc(size_t count, size_t size) __asm__("calloc");
void *counted_realloc(void *old, size_t size) __asm__("realloc");
void *counted_aligned_alloc(size_t alignment, size_t size) __asm__("aligned_alloc");
int counted_posix_memalign(void **out, size_t alignment, size_t size) __asm__("posix_memalign");

static void count_bytes(size_t size) { atomic_fetch_add(&taken_bytes, size); }

void *counted_malloc(size_t size) {
    count_bytes(size);
    return __libc_malloc(size);
}

void *counted_calloc(size_t count, size_t size) {
    count_bytes(count * size);
    return __libc_calloc(count, size);
}

void *counted_realloc(void *old, size_t size) {
    count_bytes(size);
    return __libc_realloc(old, size);
}

void *counted_aligned_alloc(size_t alignment, size_t size) {
    count_bytes(size);
    return __libc_memalign(alignment, size);
}

int counted_posix_memalign(void **out, size_t alignment, size_t size) {
    count_bytes(size);
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

#endif

/* One allocation by each function: a count that misses one would report a step cleaner than it is. */
static int counting_works(void) {
    unsigned long long before = atomic_load(&taken_bytes);
    void *volatile allocations[5] = {malloc(64), calloc(1, 64), realloc(NULL, 64),
                                     aligned_alloc(64, 64), NULL};
    bool placed = posix_memalign((void **)&allocations[4], 64, 64) == 0;
    for (int i = 0; i < 5; ++i) {
        free(allocations[i]);
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

/* Everything that has code of its own in a step: wind, both dampings, several iterations. The conjugate
 * gradients are cut short, as it is not their result that counts. */
static SimulationOptions options_for(SolverKind solver, ModelKind model, int threads) {
    return (SimulationOptions){
        .system = {.model = model, .keep_folds = 1},
        .mesh = {.uv_scale = 1},
        .solver = solver,
        .solving = {.estimate = ESTIMATE_TRANSLATION,
                    .coefficient_count = 2,
                    .coefficients = {2, -1},
                    .iterations = 2,
                    .pcg_tolerance = 1e-3,
                    .pcg_limit = 20},
        .substeps = 2,
        .threads = threads,
        .materials[0] = {.density = 0.2,
                         .stretch_warp = 2300,
                         .stretch_weft = 2300,
                         .shear = 300,
                         .bend = 2e-5,
                         .bend_weft = 1,
                         .bend_twist = 1,
                         .rope_density = 0.01,
                         .rope_stretch = 500,
                         .damping = 0.1,
                         .stiffness_damping = 1e-3,
                         .pin_stiffness = 2000},
        .gravity = {0, 0, -9.81},
        .wind = {.velocity = {1, 2, 0}, .normal_drag = 0.5, .tangent_drag = 0.05},
    };
}

/* A closed plate of six quads, its vertices numbered by the bits of x, y, z. */
typedef struct Plate {
    float positions[3 * PLATE_VERTICES];
} Plate;

static Plate plate_between(const float low[3], const float high[3]) {
    Plate plate;
    for (int v = 0; v < PLATE_VERTICES; ++v) {
        for (int axis = 0; axis < 3; ++axis) {
            plate.positions[3 * v + axis] = v >> axis & 1 ? high[axis] : low[axis];
        }
    }
    return plate;
}

static void shift_plate(Plate *plate, int axis, float way) {
    for (int v = 0; v < PLATE_VERTICES; ++v) {
        plate->positions[3 * v + axis] += way;
    }
}

static StatusCode add_plate(Simulation *simulation, int number, const Plate *plate,
                            Status *status) {
    static const int32_t sizes[PLATE_FACES] = {4, 4, 4, 4, 4, 4};
    static const int32_t corners[4 * PLATE_FACES] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                                     2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    const PolygonMesh mesh = {.vertex_count = PLATE_VERTICES,
                              .face_count = PLATE_FACES,
                              .positions = plate->positions,
                              .face_sizes = sizes,
                              .face_vertices = corners};
    const BodyInputs body = {.polygons = &mesh, .surface = {.thickness = 0.004, .friction = 0.3}};
    return simulation_set_body(simulation, number, &body, BODY_MESH, status);
}

static void lead(Simulation *simulation, int number, const Plate *plate, unsigned what) {
    const BodyInputs body = {.place = plate->positions, .target = plate->positions};
    Status reported = {0}; /* places are always taken */
    simulation_set_body(simulation, number, &body, what, &reported);
}

/* What a run took from the heap, and how many contacts pushed, with bodies and of the cloth itself. */
typedef struct Tally {
    long long bytes, growth;
    int pushes[2];
} Tally;

/* What the cloth meets: a table below that rises and sways, a blade that comes through it at 3 m/s. */
typedef struct Around {
    Plate table, blade;
} Around;

enum { TABLE, BLADE };

static StatusCode place_around(Simulation *simulation, Around *around, Status *status) {
    const float low[3] = {0.2f, 0.2f, -0.35f}, high[3] = {0.8f, 0.8f, -0.30f};
    const float start[3] = {0.3f, -1.0f, -0.12f}, end[3] = {0.7f, -0.8f, -0.116f};
    const BodySurface layers = {.thickness = 0.004, .friction = 0.3};
    around->table = plate_between(low, high);
    around->blade = plate_between(start, end);
    StatusCode code = add_plate(simulation, TABLE, &around->table, status);
    if (code == STATUS_OK) {
        code = add_plate(simulation, BLADE, &around->blade, status);
    }
    if (code == STATUS_OK) {
        code = simulation_set_inputs(simulation, &(Inputs){.self_contact = layers},
                                     INPUT_SELF_CONTACT, status);
    }
    return code;
}

static void move_around(Simulation *simulation, Around *around, int step) {
    shift_plate(&around->table, 0, step / 10 % 2 ? 0.01f : -0.01f);
    shift_plate(&around->table, 2, 0.002f);
    shift_plate(&around->blade, 1, step / 25 % 2 ? -0.125f : 0.125f);
    lead(simulation, TABLE, &around->table, BODY_TARGET);
    lead(simulation, BLADE, &around->blade, BODY_TARGET);
}

/* `count` steps with a hard and a soft pin on the move; `pushes` adds up what contacts there were. */
static StatusCode take_steps(Simulation *simulation, Around *around, int count, int *pushes,
                             Status *status) {
    float targets[6] = {0, 1, 0, 1, 1, 0};
    StatusCode code = STATUS_OK;
    for (int step = 0; step < count && code == STATUS_OK; ++step) {
        targets[2] = targets[5] = 0.001f * (float)step;
        simulation_set_inputs(simulation, &(Inputs){.pins.targets = targets}, INPUT_TARGETS,
                              status);
        if (around) {
            move_around(simulation, around, step);
        }
        code = simulation_step(simulation, STEP_SECONDS, status);
        const ContactReport *met = simulation_step_report(simulation).contact;
        pushes[0] += met->contacts;
        pushes[1] += met->self_contacts;
    }
    return code;
}

/* The steps twice from the same start: lists of contacts grow the first time, which is `growth`. */
static StatusCode warm_up(Simulation *simulation, const Around *around, Tally *tally,
                          Status *status) {
    Around moving = *around;
    int pushes[2] = {0, 0};
    size_t size = simulation_state_bytes(simulation);
    void *start = malloc(size);
    if (!start) {
        return status_no_memory(status, "the snapshot");
    }
    simulation_write_state(simulation, start);
    unsigned long long before = atomic_load(&taken_bytes);
    StatusCode code = take_steps(simulation, &moving, MEETING_STEPS, pushes, status);
    tally->growth = (long long)(atomic_load(&taken_bytes) - before);
    if (code == STATUS_OK) {
        code = simulation_read_state(simulation, start, size, status);
        lead(simulation, TABLE, &around->table, BODY_PLACE | BODY_TARGET);
        lead(simulation, BLADE, &around->blade, BODY_PLACE | BODY_TARGET);
    }
    free(start);
    return code;
}

static StatusCode count_steps(Simulation *simulation, int meets, Tally *tally, Status *status) {
    const int32_t pins[2] = {SIDE * (SIDE - 1), SIDE * SIDE - 1};
    const float weights[2] = {1, 0.5f}, targets[6] = {0, 1, 0, 1, 1, 0};
    Around around;
    StatusCode code = simulation_set_inputs(
        simulation, &(Inputs){.pins = {false, false, 2, pins, weights, targets}}, INPUT_PINS,
        status);
    if (code == STATUS_OK && meets) {
        code = place_around(simulation, &around, status);
    }
    if (code == STATUS_OK) {
        code = simulation_prepare(simulation, STEP_SECONDS, status);
    }
    if (code == STATUS_OK && meets) {
        code = warm_up(simulation, &around, tally, status);
    }
    if (code == STATUS_OK) {
        unsigned long long before = atomic_load(&taken_bytes);
        code = take_steps(simulation, meets ? &around : NULL, meets ? MEETING_STEPS : STEPS,
                          tally->pushes, status);
        tally->bytes = (long long)(atomic_load(&taken_bytes) - before);
    }
    return code;
}

int main(int count, char **arguments) {
    static const char *const solver_names[2] = {"linear", "implicit"};
    static const char *const model_names[2] = {"edge", "triangle"};
    static Sheet sheet;
    bool verbose = count == 2 && strcmp(arguments[1], "-v") == 0;
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
    for (int run = 0; run < 16; ++run) {
        Status status;
        int solver = run & 1, model = run >> 1 & 1, threads = 1 + (run >> 2 & 1), meets = run >> 3;
        Tally tally = {0};
        SimulationOptions options = options_for((SolverKind)solver, (ModelKind)model, threads);
        Simulation *simulation = simulation_create(&mesh, &options, &status);
        bool failed = !simulation || count_steps(simulation, meets, &tally, &status) != STATUS_OK;
        simulation_destroy(simulation);
        if (failed) {
            fprintf(stderr, "step_bytes: %s\n", status.message);
            return 1;
        }
        if (verbose) {
            fprintf(stderr, "%s, %s, threads %d: %lld bytes; %lld at first; contacts %d + %d\n",
                    solver_names[solver], model_names[model], threads, tally.bytes, tally.growth,
                    tally.pushes[0], tally.pushes[1]);
        }
        total += tally.bytes;
    }
    printf("%lld\n", total);
    return 0;
}
