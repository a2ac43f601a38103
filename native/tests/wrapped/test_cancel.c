/* A step that is cancelled at any moment: within every loop over the cloth in turn, by the linker's hand on those who run
 * them. Cloth of one simulation is then as at its last finished substep, cloth of several as before the step, and going on
 * gives the same bytes as never having been cancelled. */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "check.h"
#include "cloth/cloth.h"
#include "meshes.h"
#include "rig.h"

#define STEP (1.0 / 24)
#define SUBSTEPS 2
#define BEFORE 2 /* steps until the cloth lies on its body */
#define AFTER 1
#define LIFT 0.002F /* m */
#define ACROSS 7    /* vertices along x: the middle one is on the plane */
#define MOST 200    /* vertices */

/* --- when ------------------------------------------------------------------------------------- */

void __real_pool_run(Pool *pool, int count, PoolTask task, void *context);
double __real_pool_sum(Pool *pool, int count, PoolSumTask task, void *context);
void __wrap_pool_run(Pool *pool, int count, PoolTask task, void *context);
double __wrap_pool_sum(Pool *pool, int count, PoolSumTask task, void *context);

static atomic_int cancelled;
static int loops, cancel_at; /* 0: never */

static void count_loop(void) {
    if (++loops == cancel_at) {
        atomic_store(&cancelled, 1);
    }
}

void __wrap_pool_run(Pool *pool, int count, PoolTask task, void *context) {
    count_loop();
    __real_pool_run(pool, count, task, context);
}

double __wrap_pool_sum(Pool *pool, int count, PoolSumTask task, void *context) {
    count_loop();
    return __real_pool_sum(pool, count, task, context);
}

/* A step whose loop of this number is the last before the cancel; 0: none. */
static StatusCode step(Cloth *cloth, double seconds, int loop) {
    Status status = {0};
    loops = 0;
    cancel_at = loop;
    StatusCode code = cloth_step(cloth, seconds, &status);
    cancel_at = 0;
    CHECK_INT(atomic_load(&cancelled), 0);
    return code;
}

/* --- garments --------------------------------------------------------------------------------- */

typedef struct Kind {
    MirrorChoice mirror;
    int pocket;   /* vertices along a side of what has no image; 0: there is nothing such */
    bool several; /* simulations: the body moves in the step, which is cancelled as a whole */
    bool self;
} Kind;

/* A grid about a place, whose quads are cut alike on both sides of its middle. */
static void add_grid(TestMesh *mesh, int across, double width, Vec3 middle) {
    int first = mesh->polygons.vertex_count;
    double cell = width / (across - 1);
    for (int v = 0; v < across * across; ++v) {
        double x = (v % across) * cell - 0.5 * width, y = (v / across) * cell - 0.5 * width;
        mesh_add_vertex(mesh, middle.x + x, middle.y + y, middle.z);
    }
    for (int v = 0; v < across * (across - 1); ++v) {
        int a = first + v, b = a + 1, c = b + across, d = a + across;
        bool left = 2 * (v % across) + 1 < across - 1;
        if (v % across + 1 < across) {
            mesh_add_triangle(mesh, a, b, left ? c : d);
            mesh_add_triangle(mesh, left ? a : b, c, d);
        }
    }
}

/* Cloth just above a table that it lies on after some steps. */
static Cloth *garment(const Kind *kind, int substeps) {
    Status status = {0};
    const BodySurface surface = {.thickness = 0.004, .friction = 0.4};
    ClothOptions options = {
        .simulation = plain_options(),
        .mirror = {.choice = kind->mirror, .half.plane = {{0, 0, 0}, {1, 0, 0}}}};
    options.simulation.cancelled = &cancelled;
    options.simulation.substeps = substeps;
    options.simulation.threads = 1;
    TestMesh *mesh = mesh_new(), *table = mesh_new();
    add_grid(mesh, ACROSS, 0.4, vec3(0, 0, 0.01));
    if (kind->pocket > 0) {
        add_grid(mesh, kind->pocket, 0.1, vec3(0.1, 0, 0.02));
    }
    add_grid(table, 5, 0.3, vec3(0, 0, 0));
    Cloth *cloth = cloth_create(&mesh->polygons, &options, &status);
    CHECK(cloth != NULL);
    int body;
    CHECK(cloth_add_body(cloth, &table->polygons, &surface, &body, &status) >= 0);
    if (kind->self) {
        CHECK(cloth_set_self_contact(cloth, &surface, &status) >= 0);
    }
    for (int i = 0; i < BEFORE * SUBSTEPS / substeps; ++i) {
        CHECK_INT(step(cloth, substeps * STEP / SUBSTEPS, 0), STATUS_OK);
    }
    for (int v = 0; v < table->polygons.vertex_count; ++v) {
        table->positions[3 * v + 2] += kind->several ? LIFT : 0;
    }
    CHECK(cloth_move_body(cloth, body, table->positions, &status) >= 0);
    mesh_free(mesh);
    mesh_free(table);
    return cloth;
}

typedef struct State {
    float positions[3 * MOST], velocities[3 * MOST];
} State;

static State state_of(Cloth *cloth) {
    State state = {0};
    CHECK(cloth_vertex_count(cloth) <= MOST);
    cloth_get_state(cloth, state.positions, state.velocities);
    return state;
}

static bool are_equal(const State *a, const State *b) { return memcmp(a, b, sizeof *a) == 0; }

/* --- checks ----------------------------------------------------------------------------------- */

/* The states of a cloth that nobody cancels, after every step of it; of one with all substeps, or with one. */
#define STATES (1 + SUBSTEPS * (1 + AFTER))
static void run_through(const Kind *kind, int substeps, State states[STATES]) {
    Cloth *cloth = garment(kind, substeps);
    for (int k = 0; k < STATES; k += substeps) {
        states[k] = state_of(cloth);
        if (k + substeps < STATES) {
            CHECK_INT(step(cloth, substeps * STEP / SUBSTEPS, 0), STATUS_OK);
        }
    }
    cloth_destroy(cloth);
}

/* Cancelled in a loop, and then no more. Returns how many substeps were left out at first; -1 if the step was over. */
static int check_loop(const Kind *kind, int loop, const State states[STATES]) {
    Cloth *cloth = garment(kind, SUBSTEPS);
    StatusCode code = step(cloth, STEP, loop);
    CHECK(code == STATUS_OK || code == STATUS_ERROR_CANCELLED);
    int done = cloth_last_step(cloth).substeps;
    CHECK(code != STATUS_ERROR_CANCELLED || (kind->several ? done == 0 : done < SUBSTEPS));
    CHECK(code == STATUS_ERROR_CANCELLED || done == SUBSTEPS);
    for (int k = done; k < STATES; k += SUBSTEPS) {
        State state = state_of(cloth);
        CHECK(are_equal(&state, &states[k]));
        if (k + SUBSTEPS < STATES) {
            CHECK_INT(step(cloth, STEP, 0), STATUS_OK);
        }
    }
    cloth_destroy(cloth);
    return code == STATUS_OK ? -1 : SUBSTEPS - done;
}

/* A cloth of one simulation goes on between substeps, so its states are those of steps with one substep each. */
static void check_kind(const Kind *kind) {
    State *states = malloc(STATES * sizeof *states);
    run_through(kind, kind->several ? SUBSTEPS : 1, states);
    CHECK(!are_equal(&states[0], &states[SUBSTEPS]));
    Cloth *cloth = garment(kind, SUBSTEPS);
    CHECK_INT(step(cloth, STEP, 0), STATUS_OK);
    int all = loops, stopped = 0, late = 0;
    CHECK(cloth_last_step(cloth).contact->contacts > 0);
    cloth_destroy(cloth);
    for (int loop = 1; loop <= all; ++loop) {
        int left = check_loop(kind, loop, states);
        stopped += left == SUBSTEPS;
        late += left > 0 && left < SUBSTEPS;
    }
    CHECK(stopped > 10);
    CHECK(kind->several || late > 10);
    free(states);
}

int main(void) {
    const Kind whole = {.mirror = MIRROR_OFF, .pocket = 0, .self = true};
    const Kind half = {.mirror = MIRROR_EXACT, .pocket = 0};
    const Kind pocket = {.mirror = MIRROR_EXACT, .pocket = 3, .several = true, .self = true};
    const Kind sides = {.mirror = MIRROR_HALVE, .pocket = 5, .several = true};
    check_kind(&whole);
    check_kind(&half);
    check_kind(&pocket);
    check_kind(&sides);
    return check_result();
}
