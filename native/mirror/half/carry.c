/* From the half to the whole. */
#include "mirror/half/carry.h"

/* Sums of the faces' area vectors. Where the cloth goes on beyond the plane as its own image, its normal lies
 * in the plane. */
static void measure_normals(const Half *half, const Vec3 *positions) {
    const PolygonMesh *mesh = &half->polygons;
    const int32_t *ring = mesh->face_vertices;
    Vec3 *normals = half->normals;
    int bound_from =
        half->gap > 0 ? half->rail_from : half->plane_from; /* buttoned: like on the plane */
    for (int v = 0; v < mesh->vertex_count; ++v) {
        normals[v] = vec3(0, 0, 0);
    }
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        Vec3 sum = vec3(0, 0, 0), first = positions[ring[0]];
        for (int c = 1; c + 1 < mesh->face_sizes[f]; ++c) {
            sum = vec3_add(sum, vec3_cross(vec3_sub(positions[ring[c]], first),
                                           vec3_sub(positions[ring[c + 1]], first)));
        }
        for (int c = 0; c < mesh->face_sizes[f]; ++c) {
            normals[ring[c]] = vec3_add(normals[ring[c]], sum);
        }
    }
    placket_turn(half, normals);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        normals[v].x = v >= bound_from ? 0 : normals[v].x;
        /* by the direction alone: the sum is an area, which may be tiny */
        double length = vec3_length(normals[v]);
        normals[v] = length > 0 ? vec3_scale(1 / length, normals[v]) : vec3(0, 0, 0);
    }
}

void half_prepare(const Half *half, Pool *pool, const Vec3 *positions) {
    measure_normals(half, positions);
    placket_raise(half, pool, positions);
}

Vec3 half_place(const Half *half, const Vec3 *positions, int caller_vertex) {
    const Ride *ride = &half->rides[caller_vertex];
    Vec3 at = ride_weighted(ride, positions);
    if (ride->lift != 0) {
        Vec3 normal = vec3_unit_or(ride_weighted(ride, half->normals), vec3(0, 0, 0));
        at = vec3_madd(at, ride->lift, normal);
    }
    if (ride->rise != 0) {
        const Placket *placket = &half->placket;
        Vec3 up = vec3_unit_or(ride_weighted(ride, placket->directions), vec3(0, 0, 0));
        at = vec3_add(at, placket->shift[caller_vertex]);
        at = vec3_madd(at, ride->rise + placket->raised[caller_vertex], up);
    }
    return frame_from_half(&half->frame, ride->mirrored ? frame_reflect_half(at) : at);
}

static void write_float(float *to, Vec3 v) {
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

void half_carry(const Half *half, Pool *pool, const Vec3 *positions, float *caller_positions) {
    if (half->has_lifts) {
        half_prepare(half, pool, positions);
    }
    for (int v = 0; v < half->caller_count; ++v) {
        if (half->rides[v].vertices[0] >= 0) {
            write_float(caller_positions + 3 * (int64_t)v, half_place(half, positions, v));
        }
    }
}

void half_carry_velocities(const Half *half, const Vec3 *velocities, float *caller_velocities) {
    for (int v = 0; v < half->caller_count; ++v) {
        const Ride *ride = &half->rides[v];
        if (ride->vertices[0] >= 0) {
            Vec3 velocity = ride_weighted(ride, velocities);
            velocity = ride->mirrored ? frame_reflect_half(velocity) : velocity;
            write_float(caller_velocities + 3 * (int64_t)v,
                        frame_turn_from_half(&half->frame, velocity));
        }
    }
}
