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
    fold[3] = 0;
    for (int k = 0; k < size; ++k) {
        float distance = (float)vec3_distance(rest[v[k]], sum);
        fold[3] = distance > fold[3] ? distance : fold[3];
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

void pose_place(Pose *pose, const float *fold, const Element *element, const SweptSpot *spots) {
    int size = element_size(element);
    const int *v = element->vertices;
    float most = CALM_STRETCH * CALM_STRETCH * fold[3] * fold[3];
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

/* Four poses side by side. */
typedef struct Poses {
    Vectors middle[3], normal[2];
    Signs group;
} Poses;

static inline Poses four_poses(const Pose *poses, const int others[LANES]) {
    Four columns[16]; /* a pose's numbers, as they lie */
    _Static_assert(sizeof(Pose) == 16 * sizeof(float), "a pose fills four rows");
    for (int k = 0; k < 4; ++k) {
        Four rows[LANES];
        for (int lane = 0; lane < LANES; ++lane) {
            rows[lane] = ((const Four *)&poses[others[lane]])[k];
        }
        turn_over(rows, columns + 4 * k);
    }
    return (Poses){
        .middle = {{columns[0], columns[1], columns[2]},
                   {columns[3], columns[4], columns[5]},
                   {columns[6], columns[7], columns[8]}},
        .normal = {{columns[9], columns[10], columns[11]}, {columns[12], columns[13], columns[14]}},
        .group = (Signs)columns[15]};
}

static inline Poses spread_pose(const Pose *pose) {
    int group = pose->group;
    return (Poses){
        .middle = {spread(pose->middle[0]), spread(pose->middle[1]), spread(pose->middle[2])},
        .normal = {spread(pose->normal[0]), spread(pose->normal[1])},
        .group = {group, group, group, group}};
}

static inline Four squares_between(Vectors a, Vectors b) {
    Vectors way = vectors_less(a, b);
    return vectors_dot(way, way);
}

static inline Signs keep_distance(const Poses *a, const Poses *b) {
    Four kept = CALM_DISTANCE * squares_between(a->middle[0], b->middle[0]);
    return (squares_between(a->middle[1], b->middle[1]) >= kept) &
           (squares_between(a->middle[2], b->middle[2]) >= kept);
}

static inline Signs are_calm(const Poses *a, const Poses *b) {
    return (vectors_dot(a->normal[0], b->normal[0]) > CALM_TURN) &
           (vectors_dot(a->normal[1], b->normal[1]) > CALM_TURN);
}

/* Whether the height of the one's middle above the other is kept at both ends; `fold` is the other's normal at rest. */
static inline Signs keep_height(const Poses *a, const Poses *b, Vectors fold, Four room) {
    Four at_rest = vectors_dot(fold, vectors_less(b->middle[0], a->middle[0]));
    Four least = FOLD_HEIGHT * magnitude(at_rest) - room;
    Signs below = at_rest < 0, kept = ~(Signs){0};
    for (int time = 0; time < 2; ++time) {
        Vectors way = vectors_less(b->middle[1 + time], a->middle[1 + time]);
        Four height = vectors_dot(a->normal[time], way);
        kept &= chosen(below, -height, height) >= least;
    }
    return kept;
}

/* Whether elements that are folded in the rest shape lie to each other as there, at both ends; `own` and `others` are their
 * normals in the rest shape. */
static inline Signs are_folded(const Poses *a, const Poses *b, Vectors own, Vectors others) {
    Four turn = vectors_dot(own, others);
    Four room = FOLD_ROOM * roots(squares_between(a->middle[0], b->middle[0]));
    Signs kept = ~(Signs){0};
    for (int time = 0; time < 2; ++time) {
        kept &= magnitude(vectors_dot(a->normal[time], b->normal[time]) - turn) < FOLD_TURN;
    }
    return kept & keep_height(a, b, own, room) & keep_height(b, a, others, room);
}

static inline bool any(Signs signs) { return signs[0] | signs[1] | signs[2] | signs[3]; }

int poses_stirring(const PoseTable *table, int element, int *others, int count, int *stirring) {
    const Poses own = spread_pose(&table->poses[element]);
    const Vectors fold = spread(table->folds[element]);
    int found = 0;
    for (int lane = 0; lane < LANES; ++lane) { /* to fill up the last lanes */
        others[count + lane] = element;
    }
    for (int begin = 0; begin < count; begin += LANES) {
        Poses four = four_poses(table->poses, others + begin);
        Signs near = keep_distance(&own, &four) & (own.group == four.group);
        Signs stirs = ~(near & are_calm(&own, &four));
        if (any(stirs & near)) {
            Four rows[LANES];
            for (int lane = 0; lane < LANES; ++lane) {
                rows[lane] = *(const Four *)table->folds[others[begin + lane]];
            }
            stirs &= ~(near & are_folded(&own, &four, fold, side_by_side(rows)));
        }
        for (int lane = 0; lane < LANES; ++lane) {
            stirring[found] = others[begin + lane];
            found += stirs[lane] & (begin + lane < count);
        }
    }
    return found;
}
