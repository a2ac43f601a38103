/* Threads that get into each other's way on one handle: refused with a status and a message, never a crash, a race or a
 * leak; the sanitizers of other builds look on. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "muslin.h"

#define SIDE 24
#define VERTICES (SIDE * SIDE)
#define FACES ((SIDE - 1) * (SIDE - 1))
#define FRAME (1.0 / 24)
#define PATIENCE 60.0 /* s before something that has to happen counts as never happening */

static float positions[3 * VERTICES];
static int32_t sizes[FACES], corners[4 * FACES];

static void make_sheet(void) {
    for (int v = 0; v < VERTICES; ++v) {
        positions[3 * v] = 0.02f * (float)(v % SIDE);
        positions[3 * v + 1] = 0.02f * (float)(v / SIDE);
    }
    for (int f = 0; f < FACES; ++f) {
        int32_t first = f / (SIDE - 1) * SIDE + f % (SIDE - 1);
        const int32_t face[] = {first, first + 1, first + SIDE + 1, first + SIDE};
        sizes[f] = 4;
        memcpy(corners + 4 * f, face, sizeof face);
    }
}

static MuslinCloth create(int substeps, double budget_ms) {
    MuslinMesh mesh = {.size = sizeof mesh,
                       .vertex_count = VERTICES,
                       .face_count = FACES,
                       .positions = positions,
                       .face_sizes = sizes,
                       .face_vertices = corners};
    MuslinClothDef def;
    MuslinCloth cloth = 0;
    muslin_default_cloth_def(&def);
    def.substeps = substeps;
    def.threads = 2;
    def.budget_ms = (float)budget_ms;
    CHECK(muslin_cloth_create(&mesh, &def, &cloth) == MUSLIN_OK);
    return cloth;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- a thread that steps ------------------------------------------------------------------------------------ */

typedef struct Stepping {
    pthread_t thread;
    MuslinCloth cloth;
    atomic_int end;
    int cancelled,
        others; /* steps that were; other statuses than those of a busy or stale handle */
} Stepping;

static void *step_on(void *argument) {
    Stepping *stepping = argument;
    int32_t status = MUSLIN_OK;
    while (!atomic_load(&stepping->end) && status != MUSLIN_ERROR_HANDLE) {
        status = muslin_cloth_step(stepping->cloth, FRAME);
        stepping->cancelled += status == MUSLIN_ERROR_CANCELLED;
        stepping->others += status != MUSLIN_OK && status != MUSLIN_ERROR_CANCELLED &&
                            status != MUSLIN_ERROR_BUSY && status != MUSLIN_ERROR_HANDLE;
    }
    return NULL;
}

static void begin(Stepping *stepping, MuslinCloth cloth) {
    *stepping = (Stepping){.cloth = cloth};
    CHECK(pthread_create(&stepping->thread, NULL, step_on, stepping) == 0);
}

static void end(Stepping *stepping) {
    atomic_store(&stepping->end, 1);
    pthread_join(stepping->thread, NULL);
    CHECK(stepping->others == 0);
}

/* Calls in the other thread's way until it is refused. */
static int32_t meet(MuslinCloth cloth) {
    static float read[3 * VERTICES];
    double until = now() + PATIENCE;
    int32_t status = MUSLIN_OK;
    while (status == MUSLIN_OK && now() < until) {
        status = muslin_cloth_get_state(cloth, read, NULL);
    }
    return status;
}

static void test_a_second_thread_is_refused(void) {
    MuslinCloth cloth = create(50, 0);
    Stepping stepping;
    char text[MUSLIN_MESSAGE_SIZE];
    double fraction = -1;
    begin(&stepping, cloth);
    CHECK(meet(cloth) == MUSLIN_ERROR_BUSY);
    CHECK(muslin_get_message(0, text, sizeof text) == MUSLIN_OK);
    CHECK(strcmp(text, muslin_status_text(MUSLIN_ERROR_BUSY)) == 0);
    /* What is meant for other threads works meanwhile. */
    CHECK(muslin_cloth_get_progress(cloth, &fraction) == MUSLIN_OK && fraction >= 0 &&
          fraction <= 1);
    CHECK(muslin_cloth_cancel(cloth) == MUSLIN_OK);
    CHECK(meet(cloth) == MUSLIN_ERROR_BUSY);
    end(&stepping);
    CHECK(stepping.cancelled >= 1);
    CHECK(muslin_cloth_step(cloth, FRAME) == MUSLIN_OK); /* nobody is in the way now */
    CHECK(muslin_cloth_destroy(cloth) == MUSLIN_OK);
}

static void test_destroying_waits_for_the_step(void) {
    for (int round = 0; round < 10; ++round) {
        MuslinCloth cloth = create(50, 0);
        Stepping stepping;
        begin(&stepping, cloth);
        CHECK(meet(cloth) == MUSLIN_ERROR_BUSY);
        CHECK(muslin_cloth_destroy(cloth) == MUSLIN_OK);
        CHECK(muslin_cloth_destroy(cloth) == MUSLIN_ERROR_HANDLE);
        end(&stepping);
        CHECK(stepping.cancelled <= 1);
    }
}

/* ---- all at once -------------------------------------------------------------------------------------------- */

typedef struct Caller {
    pthread_t thread;
    MuslinCloth cloth;
    int number, destroyed, wrong;
    double until;
} Caller;

static int32_t call_something(MuslinCloth cloth, int choice) {
    static const int32_t pins[2][2] = {{0, SIDE - 1}, {5, 7}};
    MuslinStats stats = {.size = sizeof stats};
    char text[MUSLIN_MESSAGE_SIZE];
    double fraction;
    size_t bytes;
    int32_t count;
    float read[3 * VERTICES];
    switch (choice % 8) {
    case 0:
        return muslin_cloth_set_pins(cloth, 2, pins[choice / 8 % 2], NULL, NULL);
    case 1:
        return muslin_cloth_get_stats(cloth, &stats);
    case 2:
        return muslin_get_message(cloth, text, sizeof text);
    case 3:
        return muslin_cloth_get_progress(cloth, &fraction);
    case 4:
        return muslin_cloth_get_snapshot_size(cloth, &bytes);
    case 5:
        return muslin_get_detail_count(cloth, &count);
    case 6:
        return muslin_cloth_cancel(cloth);
    default:
        return muslin_cloth_get_state(cloth, read, NULL);
    }
}

static void *call_at_random(void *argument) {
    Caller *caller = argument;
    uint32_t random = 1 + (uint32_t)caller->number;
    int32_t status = MUSLIN_OK;
    while (now() < caller->until) {
        random = random * 1664525u + 1013904223u;
        status = caller->number == 0 ? muslin_cloth_step(caller->cloth, FRAME)
                                     : call_something(caller->cloth, (int)(random >> 20));
        caller->wrong += status != MUSLIN_OK && status != MUSLIN_ERROR_BUSY &&
                         status != MUSLIN_ERROR_CANCELLED && status != MUSLIN_ERROR_HANDLE;
    }
    caller->destroyed = muslin_cloth_destroy(caller->cloth) == MUSLIN_OK;
    return NULL;
}

/* One thread steps, others call whatever there is, and all of them destroy the cloth at the end: one does. */
static void test_all_at_once(double budget_ms) {
    Caller callers[4];
    MuslinCloth cloth = create(2, budget_ms);
    double until = now() + 0.4;
    int destroyed = 0;
    for (int c = 0; c < 4; ++c) {
        callers[c] = (Caller){.cloth = cloth, .number = c, .until = until};
        CHECK(pthread_create(&callers[c].thread, NULL, call_at_random, &callers[c]) == 0);
    }
    for (int c = 0; c < 4; ++c) {
        pthread_join(callers[c].thread, NULL);
        destroyed += callers[c].destroyed;
        CHECK(callers[c].wrong == 0);
    }
    CHECK(destroyed == 1);
}

int main(void) {
    make_sheet();
    test_a_second_thread_is_refused();
    test_destroying_waits_for_the_step();
    test_all_at_once(0);
    test_all_at_once(1);
    return failures ? 1 : 0;
}
