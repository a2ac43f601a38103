/* Where a half lives: a rigid frame in which the mirror plane is x = 0 and the kept side, to which the plane's
 * normal points, is x >= 0. For the plane x = 0 with the normal +x it is the caller's own, to the bit; for the
 * other coordinate planes it changes the order and the signs of coordinates, which adds no rounding either. */
#pragma once

#include "mirror/symmetry/mirror_plane.h"

typedef struct MirrorFrame {
    MirrorPlane plane;  /* as the caller sees it; its normal has length 1 */
    Vec3 origin;        /* m: the place of the plane next to the caller's origin */
    Vec3 axes[3];       /* of the half, as the caller sees them: the first is the normal */
    bool is_identity;   /* nothing is to be turned or shifted */
    int mirrors_only_x; /* the plane is x = 0, whatever its side */
} MirrorFrame;

static inline MirrorFrame frame_of_plane(MirrorPlane plane) {
    MirrorFrame frame = {.plane = plane};
    Vec3 n = plane.normal, first, second, zero = {0, 0, 0};
    mirror_plane_directions(plane, &first, &second);
    frame.origin = vec3_add(vec3_scale(vec3_dot(plane.point, n), n), zero); /* no -0 */
    frame.axes[0] = n;
    frame.axes[1] = vec3_sub(zero, second);
    frame.axes[2] = first;
    bool across_x = n.y == 0 && n.z == 0 && frame.origin.x == 0;
    frame.is_identity = across_x && n.x == 1;
    frame.mirrors_only_x = across_x && fabs(n.x) == 1;
    return frame;
}

/* A direction, velocity or force. */
static inline Vec3 frame_turn_to_half(const MirrorFrame *frame, Vec3 v) {
    if (frame->is_identity) {
        return v;
    }
    return vec3(vec3_dot(frame->axes[0], v), vec3_dot(frame->axes[1], v),
                vec3_dot(frame->axes[2], v));
}

static inline Vec3 frame_turn_from_half(const MirrorFrame *frame, Vec3 v) {
    if (frame->is_identity) {
        return v;
    }
    Vec3 turned = vec3_madd(vec3_scale(v.x, frame->axes[0]), v.y, frame->axes[1]);
    return vec3_madd(turned, v.z, frame->axes[2]);
}

static inline Vec3 frame_to_half(const MirrorFrame *frame, Vec3 p) {
    return frame->is_identity ? p : frame_turn_to_half(frame, vec3_sub(p, frame->origin));
}

static inline Vec3 frame_from_half(const MirrorFrame *frame, Vec3 p) {
    return frame->is_identity ? p : vec3_add(frame_turn_from_half(frame, p), frame->origin);
}

/* The image of a point, or of a direction, of the half: in its own frame. */
static inline Vec3 frame_reflect_half(Vec3 v) { return vec3(-v.x, v.y, v.z); }

/* The image of a caller's direction. */
static inline Vec3 frame_reflect_direction(const MirrorFrame *frame, Vec3 v) {
    if (frame->mirrors_only_x) {
        return frame_reflect_half(v);
    }
    return vec3_madd(v, -2 * vec3_dot(frame->plane.normal, v), frame->plane.normal);
}

/* The image of a caller's point. */
static inline Vec3 frame_reflect_point(const MirrorFrame *frame, Vec3 p) {
    if (frame->mirrors_only_x) {
        return frame_reflect_half(p);
    }
    double distance = vec3_dot(frame->plane.normal, vec3_sub(p, frame->origin));
    return vec3_madd(p, -2 * distance, frame->plane.normal);
}
