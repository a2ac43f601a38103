/* One nearest place for each point and body. */
#include "contact/body/outside.h"

#define KEPT 0.25 /* of the thickness */

typedef struct OutsideWork {
    Collider *const *bodies;
    int body_count;
    double reach;
    OutsideHint *hints;
    Vec3 *points;
} OutsideWork;

static void put_point(const OutsideWork *work, int body, int i) {
    const Collider *collider = work->bodies[body];
    OutsideHint *hint = &work->hints[i];
    Vec3 point = work->points[i];
    int guess =
        hint->body == body && hint->triangle < collider->triangle_count ? hint->triangle : -1;
    double guessed = guess >= 0 ? collider_distance(collider, point, guess) : 0;
    Hit hit;
    if (collider_closest_from(collider, point, work->reach, guess, guessed, 1, &hit) < 1) {
        return;
    }
    hint->body = body;
    hint->triangle = hit.triangle;
    double kept = KEPT * hit.thickness;
    if (hit.solid && hit.signed_distance < kept) {
        work->points[i] = vec3_madd(hit.point, kept, hit.normal);
    }
}

static void put_points(void *context, int begin, int end) {
    const OutsideWork *work = context;
    for (int i = begin; i < end; ++i) {
        for (int b = 0; b < work->body_count; ++b) {
            if (work->bodies[b]) {
                put_point(work, b, i);
            }
        }
    }
}

void outside_put(Pool *pool, Collider *const *bodies, int body_count, double reach, int count,
                 OutsideHint *hints, Vec3 *points) {
    OutsideWork work = {.bodies = bodies,
                        .body_count = body_count,
                        .reach = reach,
                        .hints = hints,
                        .points = points};
    if (body_count > 0) {
        pool_run(pool, count, put_points, &work);
    }
}
