/* Threads that cannot be had: pools go on with those that they have got, none of them if need be, and cloth ends in the same
 * bytes. Without what threads wake each other by there is no pool, and no cloth. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/parallel.h"
#include "check.h"
#include "cloth/cloth.h"
#include "given.h"
#include "meshes.h"
#include "rig.h"

#define STEP (1.0 / 24)
#define STEPS 3
#define ASKED 5 /* threads */
#define ANY (-1)
#define ITEMS 5000
#define SIDE 24
#define COUNT (SIDE * SIDE)

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

static int left; /* threads that may still be made */

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
    if (left == 0) {
        memset(thread, 0xff, sizeof *thread); /* as undefined as may be */
        return EAGAIN;
    }
    left -= left > 0;
    return __real_pthread_create(thread, attributes, start, argument);
}

int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __real_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __real_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);

static int no_mutex, no_condition; /* none can be had */
static int mutexes;                /* that there are */

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    mutexes += !no_mutex;
    return no_mutex ? EAGAIN : __real_pthread_mutex_init(mutex, attributes);
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex) {
    --mutexes;
    return __real_pthread_mutex_destroy(mutex);
}

int __wrap_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
    return no_condition ? ENOMEM : __real_pthread_cond_init(condition, attributes);
}

/* --- a pool ----------------------------------------------------------------------------------- */

static double numbers[ITEMS], wanted; /* their sum */
static atomic_int done[ITEMS];

static double add(void *context, int begin, int end) {
    double sum = 0;
    (void)context;
    for (int i = begin; i < end; ++i) {
        sum += numbers[i];
    }
    return sum;
}

/* Waits for the item before it. */
static void follow(void *context, int begin, int end) {
    (void)context;
    for (int i = begin; i < end; ++i) {
        if (i > 0) {
            mark_wait(&done[i - 1], 1);
        }
        mark_set(&done[i], 1);
    }
}

static void check_pool(int made) {
    left = made;
    Pool *pool = pool_create(ASKED);
    CHECK(pool != NULL);
    CHECK_INT(pool_threads(pool), 1 + made);
    for (int repeat = 0; repeat < 20; ++repeat) {
        double sum = pool_sum(pool, ITEMS, add, NULL);
        CHECK(memcmp(&sum, &wanted, sizeof sum) == 0);
    }
    memset((void *)done, 0, sizeof done);
    pool_in_order(pool, ITEMS, follow, NULL);
    CHECK_INT(atomic_load(&done[ITEMS - 1]), 1);
    pool_destroy(pool);
}

static void check_pools(void) {
    random_start(5);
    for (int i = 0; i < ITEMS; ++i) {
        numbers[i] = random_between(-1, 1);
    }
    left = ANY;
    Pool *pool = pool_create(ASKED);
    wanted = pool_sum(pool, ITEMS, add, NULL);
    pool_destroy(pool);
    for (int made = 0; made < ASKED; ++made) {
        check_pool(made);
    }
}

/* --- a cloth ---------------------------------------------------------------------------------- */

/* A sheet that falls onto a smaller one and folds over it. */
static void drape(int made, float *positions) {
    Status status = {0};
    const BodySurface surface = {.thickness = 0.004, .friction = 0.3};
    SimulationOptions options = plain_options();
    TestMesh *sheet = mesh_grid(GRID_ALTERNATING, SIDE, SIDE, 0.5);
    TestMesh *table = mesh_grid(GRID_ALTERNATING, 8, 8, 0.25);
    for (int v = 0; v < table->polygons.vertex_count; ++v) {
        table->positions[3 * v + 2] -= 0.006F;
    }
    options.threads = ASKED;
    left = made;
    Simulation *simulation = simulation_create(&sheet->polygons, &options, &status);
    CHECK(simulation != NULL);
    CHECK_INT(give_body(simulation, 0, &table->polygons, &surface, &status), STATUS_OK);
    CHECK_INT(give_self_contact(simulation, &surface, &status), STATUS_OK);
    for (int i = 0; i < STEPS; ++i) {
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
    }
    CHECK(simulation_step_report(simulation).contact->contacts > 0);
    simulation_copy_state(simulation, positions, NULL);
    simulation_destroy(simulation);
    mesh_free(sheet);
    mesh_free(table);
}

static void check_cloth(void) {
    static float first[3 * COUNT], found[3 * COUNT];
    drape(ANY, first);
    for (int made = 0; made < ASKED - 1; ++made) {
        drape(made, found);
        CHECK(memcmp(found, first, sizeof found) == 0);
    }
}

/* --- no signals ------------------------------------------------------------------------------- */

static void check_refused(void) {
    Status status = {0};
    TestMesh *sheet = mesh_grid(GRID_ALTERNATING, 4, 4, 0.1);
    SimulationOptions options = plain_options();
    ClothOptions cloth = {.simulation = plain_options()};
    int before = mutexes;
    CHECK(pool_create(ASKED) == NULL);
    CHECK(simulation_create(&sheet->polygons, &options, &status) == NULL);
    CHECK_INT(status.code, STATUS_ERROR_MEMORY);
    CHECK(strstr(status.message, "threads") != NULL);
    status = (Status){0};
    CHECK(cloth_create(&sheet->polygons, &cloth, &status) == NULL);
    CHECK_INT(status.code, STATUS_ERROR_MEMORY);
    CHECK_INT(mutexes, before);
    mesh_free(sheet);
}

static void check_no_signals(void) {
    left = ANY;
    no_mutex = 1;
    check_refused();
    no_mutex = 0;
    no_condition = 1;
    check_refused();
    no_condition = 0;
    check_pool(2);
    CHECK_INT(mutexes, 0);
}

int main(void) {
    check_pools();
    check_cloth();
    check_no_signals();
    return check_result();
}
