/* Bounds of distances from triangles, against the distances themselves. */
#include "check.h"
#include "geometry/distance.h"
#include "geometry/triangle_bounds.h"

#define TRIANGLES 41

static Vec3 x[3 * TRIANGLES];
static int corners[TRIANGLES][3], listed[TRIANGLES];
static TriangleSpot spots[3 * TRIANGLES];
static TriangleBound bounds[TRIANGLES + 3];

/* Triangles of this size whose heights are `flat` of that, around a place. */
static void make_triangles(Vec3 middle, double size, double flat) {
    for (int t = 0; t < TRIANGLES; ++t) {
        Vec3 at = vec3_add(middle, random_vector(3 * size));
        Vec3 along = random_vector(size), across = random_vector(size * flat);
        x[3 * t] = at;
        x[3 * t + 1] = vec3_add(at, along);
        x[3 * t + 2] = vec3_add(vec3_madd(at, random_between(-0.5, 1.5), along), across);
        for (int c = 0; c < 3; ++c) {
            corners[t][c] = 3 * t + c;
        }
        listed[t] = TRIANGLES - 1 - t;
    }
}

/* Returns the mean of how far apart the bounds of distances are, over the distances. */
static double check_bounds(Vec3 middle, double farthest, double size) {
    TriangleSpots placed = {.spots = spots};
    triangle_spots_place(&placed, 3 * TRIANGLES, x, middle, farthest);
    double loose = 0;
    for (int round = 0; round < 40; ++round) {
        int count = 1 + round;
        Vec3 p = vec3_add(x[3 * round], random_vector(round % 2 ? size : 0.05 * size));
        triangle_bounds(&placed, p, corners, listed, count, bounds);
        for (int i = 0; i < count; ++i) {
            Vec3 at[3] = {x[3 * listed[i]], x[3 * listed[i] + 1], x[3 * listed[i] + 2]};
            double distance = closest_on_triangle(p, at).distance, squared = distance * distance;
            CHECK(bounds[i].low <= squared && squared <= bounds[i].high);
            loose += (bounds[i].high - bounds[i].low) / (squared + size * size) / (40 * count);
        }
    }
    return loose;
}

int main(void) {
    random_start(3);
    for (int round = 0; round < 30; ++round) {
        Vec3 far = vec3(0, 0, 0);
        make_triangles(far, 0.01, 1); /* of a body of 2 m, anywhere on it */
        CHECK_BELOW(check_bounds(random_vector(0.5), 1.0, 0.01), 0.1);
        make_triangles(far, 1.0, 1); /* of a room */
        CHECK_BELOW(check_bounds(far, 5.0, 1.0), 0.1);
        make_triangles(far, 0.01, 0.3);
        CHECK_BELOW(check_bounds(far, 1.0, 0.01), 0.1);
        far = vec3(3e4, -2e4, 1e4); /* single precision would not tell them apart from the origin */
        make_triangles(far, 0.01, 1);
        CHECK_BELOW(check_bounds(far, 1.0, 0.01), 0.1);
        /* needles and mere points: nothing is promised but that bounds are right */
        const double flat[] = {1e-2, 3e-3, 1e-3, 1e-4, 1e-6, 1e-9, 0};
        for (int k = 0; k < 7; ++k) {
            make_triangles(vec3(0, 0, 0), 0.01, flat[k]);
            check_bounds(vec3(0, 0, 0), 1.0, 0.01);
        }
        make_triangles(vec3(0, 0, 0), 0, 1);
        check_bounds(vec3(0, 0, 0), 1.0, 0.01);
    }
    make_triangles(vec3(0, 0, 0), 1, 1);
    x[0].x = NAN; /* never sorts out what it does not know */
    TriangleSpots placed = {.spots = spots};
    triangle_spots_place(&placed, 3 * TRIANGLES, x, vec3(0, 0, 0), 4.0);
    listed[0] = 0;
    triangle_bounds(&placed, vec3(0, 0, 0), corners, listed, 1, bounds);
    CHECK(!(bounds[0].low > 0));
    return check_result();
}
