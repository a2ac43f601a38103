/* Single precision is enough for a rule of thumb; four pairs are asked at once, as most pairs of a cloth end here. */
#include "contact/self/poses.h"

#include "geometry/lanes.h"

/* Elements are calm if their middles keep this part of their distance at rest, squared, their normals differ by less
 * than this cosine, and neither has grown by more than this. */
#define CALM_DISTANCE 0.85F
#define CALM_TURN 0.7F
#define CALM_STRETCH 1.25F
/* Folded are those whose distance is kept likewise, whose normals have the cosine that they had within this, and of which
 * each has this part of the height above the other that it had, but for a part of their distance. */
#define FOLD_TURN 0.2F
#define FOLD_HEIGHT 0.9F
#define FOLD_ROOM 0.02F

void pose_rest(Pose *pose, float *fold, const Element *element, const Vec3 *rest) {
    int size = element_size(element);
    const int *v = element->vertices;
    Vec3 zero = {0, 0, 0}, normal = zero;
    if (size == 3) {
        normal = vec3_normal_or(vec3_sub(rest[v[1]], rest[v[0]]), vec3_sub(rest[v[2]], rest[v[0]]),
                                zero);
    }
    fold[0] = (float)normal.x;
    fold[1] = (float)normal.y;
    fold[2] = (float)normal.z;
    Vec3 sum = {0, 0, 0};
    for (int k = 0; k < size; ++k) {
        sum = vec3_add(sum, rest[v[k]]);
    }
    sum = vec3_scale(1.0 / size, sum);
    pose->middle[0][0] = (float)sum.x;
    pose->middle[0][1] = (float)sum.y;
    pose->middle[0][2] = (float)sum.z;
    pose->radius = 0;
    for (int k = 0; k < size; ++k) {
        float distance = (float)vec3_distance(rest[v[k]], sum);
        pose->radius = distance > pose->radius ? distance : pose->radius;
    }
}

static float product(const float *a, const float *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static float squared_between(const float *a, const float *b) {
    float u = a[0] - b[0], v = a[1] - b[1], w = a[2] - b[2];
    return u * u + v * v + w * w;
}

/* Across a triangle, or along a rope. */
static void set_direction(float *direction, const float *const corner[3], int size) {
    float u[3], w[3];
    for (int axis = 0; axis < 3; ++axis) {
        u[axis] = corner[1][axis] - corner[0][axis];
        w[axis] = corner[2][axis] - corner[0][axis];
    }
    direction[0] = size > 2 ? u[1] * w[2] - u[2] * w[1] : u[0];
    direction[1] = size > 2 ? u[2] * w[0] - u[0] * w[2] : u[1];
    direction[2] = size > 2 ? u[0] * w[1] - u[1] * w[0] : u[2];
}

void pose_place(Pose *pose, const Element *element, const SweptSpot *spots) {
    int size = element_size(element);
    const int *v = element->vertices;
    float most = CALM_STRETCH * CALM_STRETCH * pose->radius * pose->radius;
    for (int time = 0; time < 2; ++time) {
        float *middle = pose->middle[1 + time], *normal = pose->normal[time], reach = 0;
        const float *corner[3] = {spots[v[0]].at[time], spots[v[1]].at[time],
                                  spots[v[size - 1]].at[time]};
        for (int axis = 0; axis < 3; ++axis) {
            float sum = corner[0][axis] + corner[1][axis];
            middle[axis] = size > 2 ? (sum + corner[2][axis]) * (1.0F / 3) : 0.5F * sum;
        }
        for (int k = 0; k < 3; ++k) {
            float squared = squared_between(corner[k], middle);
            reach = squared > reach ? squared : reach;
        }
        set_direction(normal, corner, size);
        float squared = product(normal, normal);
        float scale = reach <= most && squared > 0 ? 1 / sqrtf(squared) : 0.0F;
        for (int axis = 0; axis < 3; ++axis) {
            normal[axis] *= scale;
        }
    }
}

static inline Four products(const float *a, const float *const b[LANES]) {
    Four sum = {0};
    for (int axis = 0; axis < 3; ++axis) {
        Four other = {b[0][axis], b[1][axis], b[2][axis], b[3][axis]};
        sum += a[axis] * other;
    }
    return sum;
}

static inline Four squares_between(const float *a, const float *const b[LANES]) {
    Four sum = {0};
    for (int axis = 0; axis < 3; ++axis) {
        Four other = {b[0][axis], b[1][axis], b[2][axis], b[3][axis]};
        Four way = a[axis] - other;
        sum += way * way;
    }
    return sum;
}

static inline Signs calm_lanes(const Pose *a, const Pose *const b[LANES]) {
    const float *middles[3][LANES], *normals[2][LANES];
    for (int lane = 0; lane < LANES; ++lane) {
        for (int k = 0; k < 3; ++k) {
            middles[k][lane] = b[lane]->middle[k];
        }
        normals[0][lane] = b[lane]->normal[0];
        normals[1][lane] = b[lane]->normal[1];
    }
    Four kept = CALM_DISTANCE * squares_between(a->middle[0], middles[0]);
    return (squares_between(a->middle[1], middles[1]) >= kept) &
           (squares_between(a->middle[2], middles[2]) >= kept) &
           (products(a->normal[0], normals[0]) > CALM_TURN) &
           (products(a->normal[1], normals[1]) > CALM_TURN);
}

/* How far the middle of the second is above the first. */
static float height(const float *normal, const float *own, const float *other) {
    return normal[0] * (other[0] - own[0]) + normal[1] * (other[1] - own[1]) +
           normal[2] * (other[2] - own[2]);
}

static bool is_kept(float height, float at_rest, float room) {
    return at_rest > 0 ? height >= FOLD_HEIGHT * at_rest - room
                       : height <= FOLD_HEIGHT * at_rest + room;
}

/* Whether two elements that are folded in the rest shape lie to each other as there, at both ends. `first` and `second` are
 * their normals in the rest shape. */
static bool are_folded(const Pose *a, const Pose *b, const float *first, const float *second) {
    float turn = product(first, second);
    if (!(fabsf(product(a->normal[0], b->normal[0]) - turn) < FOLD_TURN &&
          fabsf(product(a->normal[1], b->normal[1]) - turn) < FOLD_TURN)) {
        return false;
    }
    float squared = squared_between(a->middle[0], b->middle[0]);
    float room = FOLD_ROOM * sqrtf(squared);
    float above = height(first, a->middle[0], b->middle[0]);
    float below = height(second, b->middle[0], a->middle[0]);
    bool kept = true;
    for (int time = 0; time < 2 && kept; ++time) {
        const float *own = a->middle[1 + time], *other = b->middle[1 + time];
        kept = squared_between(own, other) >= CALM_DISTANCE * squared &&
               is_kept(height(a->normal[time], own, other), above, room) &&
               is_kept(height(b->normal[time], other, own), below, room);
    }
    return kept;
}

int poses_stirring(const PoseTable *table, int element, int *others, int count, int *stirring) {
    const Pose *poses = table->poses, *own = &poses[element];
    int found = 0, kept = 0, group = table->groups[element];
    for (int lane = 0; lane < LANES; ++lane) { /* to fill up the last lanes */
        others[count + lane] = element;
    }
    for (int begin = 0; begin < count; begin += LANES) {
        const Pose *lanes[LANES] = {&poses[others[begin]], &poses[others[begin + 1]],
                                    &poses[others[begin + 2]], &poses[others[begin + 3]]};
        Signs calm = calm_lanes(own, lanes);
        for (int lane = 0; lane < LANES; ++lane) {
            int other = others[begin + lane];
            stirring[found] = other;
            found += !calm[lane] || table->groups[other] != group;
        }
    }
    for (int i = 0; i < found; ++i) {
        int other = stirring[i];
        bool folded = table->groups[other] == group &&
                      are_folded(own, &poses[other], table->folds[element], table->folds[other]);
        stirring[kept] = other;
        kept += !folded && other != element;
    }
    return kept;
}
