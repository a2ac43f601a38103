/* A garment that was put beside where it belongs: much of it is inside of bodies, and limbs are through its sides. Each vertex
 * by itself would come out at the nearest surface, which beyond the middle of a limb is the wrong one. So before it settles
 * the garment moves as a whole, by the shift that leaves the least depth: Gauss-Newton on the sum of the squared depths. */
#include <stdlib.h>

#include "cloth/state.h"

#define PART_INSIDE 0.1 /* of the vertices, from which on it is looked for */
#define LEFT                                                                                       \
    0.25 /* of the squared depths, that may be left at most: else the pose is another, not the place */
#define FURTHEST 0.25 /* of the garment's diagonal */
#define ITERATIONS 10
#define HALVINGS 4   /* of a step that leaves more */
#define STILL 1e-4   /* m: a shift that changes by less has converged */
#define SPACING 1e-3 /* m, of differences */
#define DAMPING                                                                                    \
    0.02 /* of the normal equations, per vertex inside: directions that nothing is inside along stay */

typedef struct Burial {
    Cloth *cloth;
    int count;
    float *positions;
    Vec3 *points;
    BodyGap *gaps;
    double *depth; /* per vertex, m; 0 outside */
    int inside;
} Burial;

/* Depths at this shift into `depth`; returns the sum of their squares. */
static double measure(Burial *burial, Vec3 shift, double *depth) {
    const Cloth *cloth = burial->cloth;
    double sum = 0;
    for (int v = 0; v < burial->count; ++v) {
        burial->points[v] = vec3_add(vector_at(burial->positions, v), shift);
    }
    domain_gaps(cloth->levels[cloth->level].domain, burial->count, burial->points, burial->gaps);
    burial->inside = 0;
    for (int v = 0; v < burial->count; ++v) {
        depth[v] = fmax(0.0, -burial->gaps[v].gap);
        burial->inside += depth[v] > 0;
        sum += depth[v] * depth[v];
    }
    return sum;
}

/* The step of Gauss-Newton from a shift whose depths are known. */
static Vec3 find_step(Burial *burial, Vec3 shift, double *slopes) {
    const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int count = burial->count;
    Vec3 rows[3], right;
    double a[3][3] = {{0}}, b[3] = {0}, damping = DAMPING * burial->inside;
    for (int k = 0; k < 3; ++k) {
        measure(burial, vec3_madd(shift, SPACING, axes[k]), slopes + (size_t)k * count);
    }
    for (int v = 0; v < count; ++v) {
        double depth = burial->depth[v];
        for (int k = 0; k < 3 && depth > 0; ++k) {
            double slope = (slopes[(size_t)k * count + v] - depth) / SPACING;
            b[k] -= slope * depth;
            for (int l = 0; l < 3; ++l) {
                a[k][l] += slope * (slopes[(size_t)l * count + v] - depth) / SPACING;
            }
        }
    }
    for (int k = 0; k < 3; ++k) {
        a[k][k] += damping;
        rows[k] = vec3(a[k][0], a[k][1], a[k][2]);
    }
    right = vec3(b[0], b[1], b[2]);
    Vec3 yz = vec3_cross(rows[1], rows[2]), zx = vec3_cross(rows[2], rows[0]);
    double volume = vec3_dot(rows[0], yz);
    if (!(fabs(volume) > 0)) {
        return vec3(0, 0, 0);
    }
    Vec3 step = vec3_madd(vec3_scale(right.x, yz), right.y, zx);
    return vec3_scale(1 / volume, vec3_madd(step, right.z, vec3_cross(rows[0], rows[1])));
}

/* Within the mirror plane, where there is one. */
static Vec3 allowed(const Cloth *cloth, Vec3 step) {
    MirrorReport mirror;
    cloth_mirror(cloth, &mirror);
    Vec3 n = mirror.plane.normal;
    return mirror.mode == MIRROR_OFF ? step : vec3_madd(step, -vec3_dot(step, n), n);
}

/* The shift that leaves the least; zero where none leaves little enough. */
static Vec3 find_shift(Burial *burial, double *slopes) {
    Vec3 zero = {0, 0, 0}, shift = zero;
    double first = measure(burial, shift, burial->depth), least = first;
    Box around = box_of_points(burial->points, burial->count);
    double furthest = FURTHEST * vec3_distance(around.low, around.high);
    if (burial->inside < PART_INSIDE * burial->count) {
        return zero;
    }
    for (int i = 0; i < ITERATIONS; ++i) {
        Vec3 step = allowed(burial->cloth, find_step(burial, shift, slopes)), next = shift;
        double left = INFINITY;
        for (int h = 0; h < HALVINGS && !(left < least); ++h) {
            next = vec3_madd(shift, 1.0 / (1 << h), step);
            left = vec3_length(next) > furthest ? INFINITY : measure(burial, next, burial->depth);
        }
        if (!(left < least)) {
            break;
        }
        bool converged = vec3_distance(next, shift) < STILL;
        shift = next;
        least = left;
        if (converged) {
            break;
        }
    }
    return least <= LEFT * first ? shift : zero;
}

StatusCode settle_unbury(Cloth *cloth, Status *status) {
    int count = cloth->levels[0].count;
    if (cloth->inputs.set.pins.count > 0 || cloth->inputs.bodies.count == 0) {
        return STATUS_OK;
    }
    Store store = {0};
    Burial burial = {.cloth = cloth,
                     .count = count,
                     .positions = STORE_ARRAY(&store, float, 3 * (int64_t)count),
                     .points = STORE_ARRAY(&store, Vec3, count),
                     .gaps = STORE_ARRAY(&store, BodyGap, count),
                     .depth = STORE_ARRAY(&store, double, count)};
    double *slopes = STORE_ARRAY(&store, double, 3 * (int64_t)count);
    StatusCode code = STATUS_OK;
    if (store.failed) {
        code = status_no_memory(status, "settling");
    } else {
        cloth_get_state(cloth, burial.positions, NULL);
        Vec3 shift = find_shift(&burial, slopes);
        for (int v = 0; v < count; ++v) {
            set_vector(burial.positions, v, vec3_add(vector_at(burial.positions, v), shift));
        }
        if (vec3_length(shift) > 0) {
            code = cloth_set_state(cloth, burial.positions, NULL, status);
        }
    }
    store_release(&store);
    return code;
}
