/* The body in motion: places, normals and boxes of a substep. */
#include "contact/body/collider.h"

#include <string.h>

#include "geometry/turn.h"

void collider_set_frame(Collider *collider, const Vec3 *start, const Vec3 *end) {
    size_t bytes = (size_t)collider->vertex_count * sizeof *start;
    if (bytes > 0) {
        memcpy(collider->frame[0], start, bytes);
        memcpy(collider->frame[1], end, bytes);
    }
}

Vec3 collider_turn(const Collider *collider, int triangle) {
    const int *c = collider->corners[triangle];
    Vec3 corners[2][3];
    for (int k = 0; k < 3; ++k) {
        corners[0][k] = collider->at[0][c[k]];
        corners[1][k] = collider->at[1][c[k]];
    }
    return collider->fastest > 0 ? turn_of_triangle(corners[0], corners[1]) : vec3(0, 0, 0);
}

typedef struct Move {
    Collider *collider;
    double times[2];
} Move;

static void place_vertices(void *context, int begin, int end) {
    const Move *move = context;
    const Collider *collider = move->collider;
    for (int v = begin; v < end; ++v) {
        Vec3 start = collider->frame[0][v], last = collider->frame[1][v];
        for (int side = 0; side < 2; ++side) {
            double t = move->times[side];
            /* each end of the frame to the bit, and no motion where there is none */
            collider->at[side][v] = t == 1 ? last : vec3_madd(start, t, vec3_sub(last, start));
        }
    }
}

/* The third is what the other two leave. */
static void set_angles(Vec3 a, Vec3 b, Vec3 c, double angles[3]) {
    Vec3 ab = vec3_sub(b, a), ac = vec3_sub(c, a);
    double twice = vec3_length(vec3_cross(ab, ac)); /* the area, m^2 */
    angles[0] = atan2(twice, vec3_dot(ab, ac));
    angles[1] = atan2(twice, -vec3_dot(ab, vec3_sub(c, b)));
    angles[2] = M_PI - angles[0] - angles[1];
}

static void place_triangles(void *context, int begin, int end) {
    Collider *collider = ((const Move *)context)->collider;
    const Vec3 *x = collider->at[1];
    for (int t = begin; t < end; ++t) {
        const int *c = collider->corners[t];
        collider->face_normals[t] =
            vec3_normal_or(vec3_sub(x[c[1]], x[c[0]]), vec3_sub(x[c[2]], x[c[0]]), vec3(0, 0, 0));
        set_angles(x[c[0]], x[c[1]], x[c[2]], collider->angles[t]);
        Box start = box_of_listed(collider->at[0], c, 3), last = box_of_listed(x, c, 3);
        collider->ends[t] = last;
        collider->boxes[t] = box_grown(box_join(start, last), collider->margin);
    }
}

static void set_vertex_normals(void *context, int begin, int end) {
    Collider *collider = ((const Move *)context)->collider;
    for (int v = begin; v < end; ++v) {
        Vec3 sum = vec3(0, 0, 0);
        for (int i = collider->corner_start[v]; i < collider->corner_start[v + 1]; ++i) {
            int corner = collider->corner[i];
            double angle = collider->angles[corner / 3][corner % 3];
            sum = vec3_madd(sum, angle, collider->face_normals[corner / 3]);
        }
        collider->vertex_normals[v] = vec3_unit_or(sum, vec3(0, 0, 0));
    }
}

static void run(Pool *pool, int count, PoolTask task, Move *move) {
    if (pool) {
        pool_run(pool, count, task, move);
    } else {
        task(move, 0, count);
    }
}

void collider_move(Collider *collider, Pool *pool, double t0, double t1) {
    Move move = {collider, {t0, t1}};
    run(pool, collider->vertex_count, place_vertices, &move);
    run(pool, collider->triangle_count, place_triangles, &move);
    run(pool, collider->vertex_count, set_vertex_normals, &move);
    for (int p = 0; p < collider->part_count; ++p) {
        ColliderPart *part = &collider->parts[p];
        bvh_refit(&part->tree, pool, collider->boxes + part->first);
        collider->part_boxes[p] = *bvh_box(&part->tree);
        wide_bvh_refit(&part->near, pool, bvh_box(&part->tree), collider->ends + part->first);
        collider->part_ends[p] = wide_bvh_box(&part->near);
    }
    bvh_refit(&collider->tree, pool, collider->part_boxes);
    wide_bvh_refit(&collider->near, pool, bvh_box(&collider->tree), collider->part_ends);
    clusters_move(&collider->clusters, pool, collider->at[0], collider->at[1]);
    collider->fastest = 0;
    for (int v = 0; v < collider->vertex_count; ++v) {
        double way = vec3_distance(collider->at[0][v], collider->at[1][v]);
        collider->fastest = way > collider->fastest ? way : collider->fastest;
    }
}
