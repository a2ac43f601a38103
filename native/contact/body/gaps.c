/* The nearest place of each body, and of each of its parts that may hold the point. */
#include "contact/body/gaps.h"

#include <math.h>

/* Parts of a body that are asked where several are near. */
#define MOST_PARTS 8

typedef struct GapWork {
    Collider *const *bodies;
    int body_count;
    const Vec3 *points;
    BodyGap *gaps;
} GapWork;

/* A point in front of the nearest part may be inside of another, whose surface is further away. */
static bool measure_body(const Collider *body, Vec3 point, BodyGap *found) {
    Hit hits[MOST_PARTS];
    int count = collider_closest_from(body, point, INFINITY, -1, 0, MOST_PARTS, hits);
    count = count < MOST_PARTS ? count : MOST_PARTS;
    if (count < 1) {
        return false;
    }
    *found = (BodyGap){.gap = hits[0].signed_distance, .thickness = body->thickness};
    for (int k = 1; k < count; ++k) {
        if (hits[k].signed_distance < 0) {
            found->gap = fmin(found->gap, hits[k].signed_distance);
        }
    }
    return true;
}

static void measure_points(void *context, int begin, int end) {
    const GapWork *work = context;
    for (int i = begin; i < end; ++i) {
        BodyGap least = {.gap = INFINITY};
        for (int b = 0; b < work->body_count; ++b) {
            BodyGap found;
            if (work->bodies[b] && measure_body(work->bodies[b], work->points[i], &found) &&
                found.gap < least.gap) {
                least = found;
            }
        }
        work->gaps[i] = least;
    }
}

void gaps_measure(Pool *pool, Collider *const *bodies, int body_count, int count,
                  const Vec3 *points, BodyGap *gaps) {
    GapWork work = {.bodies = bodies, .body_count = body_count, .points = points, .gaps = gaps};
    pool_run(pool, count, measure_points, &work);
}
