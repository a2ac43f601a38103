/* The body in a substep: places, normals and boxes. */
#include "contact/body/collider.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"

void collider_set_frame(Collider *collider, const Vec3 *start, const Vec3 *end) {
    size_t bytes = (size_t)collider->vertex_count * sizeof *start;
    if (bytes > 0) {
        memcpy(collider->frame[0], start, bytes);
        memcpy(collider->frame[1], end, bytes);
    }
    collider->arcs.any = false;
}

void collider_find_arcs(Collider *collider, Pool *pool) {
    if (collider->bends) {
        return;
    }
    const ArcSurface surface = {.clusters = &collider->clusters,
                                .vertex_count = collider->vertex_count,
                                .triangle_count = collider->triangle_count,
                                .corners = collider->corners,
                                .corner_start = collider->corner_start,
                                .corner = collider->corner,
                                .start = collider->frame[0],
                                .end = collider->frame[1]};
    arcs_find(&collider->arcs, pool, &surface);
}

Vec3 collider_place_at(const Collider *collider, int vertex, double t) {
    Vec3 start = collider->frame[0][vertex], last = collider->frame[1][vertex];
    if (collider->arcs.any) {
        return arc_place(start, last, collider->arcs.turn[vertex], t);
    }
    /* each end of the frame to the bit, and no motion where there is none */
    return t == 1 ? last : vec3_madd(start, t, vec3_sub(last, start));
}

Vec3 collider_turn(const Collider *collider, int triangle) {
    const int *c = collider->corners[triangle];
    Vec3 corners[2][3];
    for (int k = 0; k < 3; ++k) {
        corners[0][k] = collider->at[0][c[k]];
        corners[1][k] = collider->at[1][c[k]];
    }
    return collider->fastest > 0 ? triangle_rotation(corners[0], corners[1]) : vec3(0, 0, 0);
}

typedef struct Move {
    Collider *collider;
    double times[2];
} Move;

static void place_vertices(void *context, int begin, int end) {
    const Move *move = context;
    const Collider *collider = move->collider;
    for (int v = begin; v < end; ++v) {
        for (int side = 0; side < 2; ++side) {
            collider->at[side][v] = collider_place_at(collider, v, move->times[side]);
        }
    }
}

static void place_triangles(void *context, int begin, int end) {
    Collider *collider = ((const Move *)context)->collider;
    const Vec3 *x = collider->at[1];
    for (int t = begin; t < end; ++t) {
        const int *c = collider->corners[t];
        if (collider->awake[collider->clusters.of[t]]) {
            collider->face_normals[t] = vec3_normal_or(vec3_sub(x[c[1]], x[c[0]]),
                                                       vec3_sub(x[c[2]], x[c[0]]), vec3(0, 0, 0));
            collider->ends[t] = box_of_listed(x, c, 3);
        } else {
            collider->ends[t] = box_empty();
        }
    }
}

/* The angle of a triangle at one of its corners; any where it has no area. */
static double angle_at(const Collider *collider, int corner) {
    const int *c = collider->corners[corner / 3];
    const Vec3 *x = collider->at[1];
    Vec3 at = x[c[corner % 3]];
    Vec3 first = vec3_sub(x[c[(corner % 3 + 1) % 3]], at);
    Vec3 second = vec3_sub(x[c[(corner % 3 + 2) % 3]], at);
    return atan2(vec3_length(vec3_cross(first, second)), vec3_dot(first, second));
}

Vec3 collider_vertex_normal(const Collider *collider, int vertex) {
    Vec3 sum = vec3(0, 0, 0);
    for (int i = collider->corner_start[vertex]; i < collider->corner_start[vertex + 1]; ++i) {
        int corner = collider->corner[i];
        sum = vec3_madd(sum, angle_at(collider, corner), collider->face_normals[corner / 3]);
    }
    return vec3_unit_or(sum, vec3(0, 0, 0));
}

static void run(Pool *pool, int count, PoolTask task, Move *move) {
    if (pool) {
        pool_run(pool, count, task, move);
    } else {
        task(move, 0, count);
    }
}

/* From the middle of a box, along an axis. */
static double farthest_of(const Box *box) {
    Vec3 size = vec3_sub(box->high, box->low);
    return 0.5 * fmax(fmax(size.x, size.y), size.z);
}

void collider_place(Collider *collider, Pool *pool, double t0, double t1) {
    Move move = {collider, {t0, t1}};
    run(pool, collider->vertex_count, place_vertices, &move);
    clusters_move(&collider->clusters, pool, collider->at[0], collider->at[1], true);
    Box all = clusters_box(&collider->clusters);
    Vec3 middle = vec3_scale(0.5, vec3_add(all.low, all.high));
    triangle_spots_place(&collider->spots, collider->vertex_count, collider->at[1], middle,
                         farthest_of(&all));
    collider->fastest = 0;
    for (int v = 0; v < collider->vertex_count; ++v) {
        double way = vec3_distance(collider->at[0][v], collider->at[1][v]);
        collider->fastest = way > collider->fastest ? way : collider->fastest;
    }
}

void collider_wake(Collider *collider, Pool *pool) {
    Move move = {.collider = collider};
    Box all = clusters_box(&collider->clusters);
    run(pool, collider->triangle_count, place_triangles, &move);
    for (int p = 0; p < collider->part_count; ++p) {
        ColliderPart *part = &collider->parts[p];
        wide_bvh_refit(&part->near, pool, &all, collider->ends + part->first);
        collider->part_ends[p] = wide_bvh_box(&part->near);
    }
    wide_bvh_refit(&collider->near, pool, &all, collider->part_ends);
}

void collider_wake_all(Collider *collider, Pool *pool) {
    if (collider->clusters.count > 0) {
        memset(collider->awake, 1, (size_t)collider->clusters.count);
    }
    collider_wake(collider, pool);
}

void collider_move(Collider *collider, Pool *pool, double t0, double t1) {
    collider_place(collider, pool, t0, t1);
    collider_wake_all(collider, pool);
}

/* --- polygons --------------------------------------------------------------------------------- */

/* Faces are cut as the cloth's are, but seen from the mean of all vertices. */

void body_mesh_free(BodyMesh *mesh) {
    free(mesh->positions);
    free(mesh->triangles);
}

static Vec3 centre_of(const Vec3 *positions, int count) {
    Vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < count; ++i) {
        sum = vec3_add(sum, positions[i]);
    }
    return count ? vec3_scale(1.0 / count, sum) : sum;
}

/* Cuts every face into triangles, where the vertices are now. */
static int cut_faces(const PolygonMesh *polygons, int largest, BodyMesh *mesh) {
    Vec3 *points = SCRATCH_ARRAY(Vec3, largest);
    int *scratch = SCRATCH_ARRAY(int, largest), worked = points && scratch;
    int(*cut)[3] = scratch_take((size_t)largest, sizeof *cut);
    Vec3 centre = centre_of(mesh->positions, polygons->vertex_count);
    const int32_t *face = polygons->face_vertices;
    for (int f = 0; worked && cut && f < polygons->face_count; face += polygons->face_sizes[f++]) {
        int size = polygons->face_sizes[f];
        for (int c = 0; c < size; ++c) {
            points[c] = mesh->positions[face[c]];
        }
        polygon_cut(points, size, centre, scratch, cut);
        for (int t = 0; t < size - 2; ++t) {
            int *to = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
            for (int c = 0; c < 3; ++c) {
                to[c] = face[cut[t][c]];
            }
        }
    }
    worked &= cut != NULL;
    free(points);
    free(scratch);
    free(cut);
    return worked;
}

StatusCode body_mesh_read(const PolygonMesh *polygons, BodyMesh *mesh, Status *status) {
    size_t triangles = 0;
    int largest = 3;
    for (int f = 0; f < polygons->face_count; ++f) {
        int size = polygons->face_sizes[f];
        triangles += (size_t)size - 2;
        largest = size > largest ? size : largest;
    }
    *mesh = (BodyMesh){.positions = SCRATCH_ARRAY(Vec3, polygons->vertex_count),
                       .triangles = scratch_take(triangles, 3 * sizeof(int))};
    if (mesh->positions && mesh->triangles) {
        for (int i = 0; i < polygons->vertex_count; ++i) {
            mesh->positions[i] = polygon_position(polygons, i);
        }
        if (cut_faces(polygons, largest, mesh)) {
            return STATUS_OK;
        }
    }
    body_mesh_free(mesh);
    return status_no_memory(status, "a body");
}
