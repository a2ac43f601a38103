/* Turning directions on: rotation vectors and Rodrigues' formula. */
#include "laws/guess.h"

Vec3 guess_turn(Vec3 from, Vec3 to) {
    Vec3 cross = vec3_cross(from, to);
    double sine = vec3_length(cross);
    if (sine <= VEC3_TINY * VEC3_TINY) {
        return vec3(0, 0, 0);
    }
    return vec3_scale(atan2(sine, vec3_dot(from, to)) / sine, cross);
}

Vec3 guess_rotate(Vec3 rotation, Vec3 v) {
    double angle = vec3_length(rotation);
    if (angle < 1e-15) {
        return v;
    }
    Vec3 axis = vec3_scale(1.0 / angle, rotation);
    Vec3 cross = vec3_cross(axis, v);
    Vec3 turned = vec3_madd(v, sin(angle), cross);
    return vec3_madd(turned, 1.0 - cos(angle), vec3_cross(axis, cross));
}

/* Turning on by the last angle needs no trigonometry: for unit vectors a (before) and b (now) the
 * next one is 2 (a.b) b - a, b's mirror image of a. */
static Vec3 turned_once(Vec3 now, Vec3 before) {
    double now_length = vec3_length(now), before_length = vec3_length(before);
    if (now_length < VEC3_TINY || before_length < VEC3_TINY) {
        return now;
    }
    Vec3 b = vec3_scale(1.0 / now_length, now);
    Vec3 a = vec3_scale(1.0 / before_length, before);
    return vec3_sub(vec3_scale(2.0 * vec3_dot(a, b), b), a);
}

Vec3 guess_turned(const Guess *guess, const Vec3 *seen) {
    if (guess->coefficient_count == 1 && guess->coefficients[0] == 1.0) {
        return turned_once(seen[0], seen[1]);
    }
    Vec3 rotation = vec3(0, 0, 0);
    for (int m = 0; m < guess->coefficient_count; ++m) {
        rotation = vec3_madd(rotation, guess->coefficients[m], guess_turn(seen[m + 1], seen[m]));
    }
    return guess_rotate(rotation, seen[0]);
}
