/* Jacobi's rotations: for three by three they are as short as any formula, and exact to rounding for any input. */
#include "base/rotation.h"

/* Rotations converge quadratically; this many sweeps are far more than ever needed. */
#define SWEEPS 30
#define NOTHING 1e-30

/* A Jacobi rotation that makes m[p][q] zero. */
static void rotate(double m[3][3], double e[3][3], int p, int q) {
    double angle = 0.5 * atan2(2 * m[p][q], m[q][q] - m[p][p]);
    double c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; ++k) {
        double a = m[k][p], b = m[k][q];
        m[k][p] = c * a - s * b;
        m[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; ++k) {
        double a = m[p][k], b = m[q][k];
        m[p][k] = c * a - s * b;
        m[q][k] = s * a + c * b;
        a = e[k][p], b = e[k][q];
        e[k][p] = c * a - s * b;
        e[k][q] = s * a + c * b;
    }
}

void principal_axes(double m[3][3], Vec3 *axis, double *spread) {
    double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q) {
                if (fabs(m[p][q]) >= NOTHING) {
                    rotate(m, e, p, q);
                }
            }
        }
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i) {
        for (int j = i + 1; j < 3; ++j) {
            if (m[order[j]][order[j]] > m[order[i]][order[i]]) {
                int swap = order[i];
                order[i] = order[j];
                order[j] = swap;
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        axis[i] = vec3(e[0][order[i]], e[1][order[i]], e[2][order[i]]);
        spread[i] = fmax(0, m[order[i]][order[i]]);
    }
}

/* --- the turn of a triangle, by its frame: the first side and the normal --------------------------- */

/* Cosine of half the largest angle that is reported. */
#define LEAST_COSINE 0.7071

typedef struct Frame {
    Vec3 axes[3];
} Frame;

/* Without area the last axis is zero. */
static Frame frame_of(const Vec3 corners[3]) {
    Vec3 zero = {0, 0, 0}, side = vec3_sub(corners[1], corners[0]);
    Vec3 first = vec3_unit_or(side, zero);
    Vec3 normal = vec3_normal_or(side, vec3_sub(corners[2], corners[0]), zero);
    return (Frame){{first, vec3_cross(normal, first), normal}};
}

/* The rotation sum a_k b_k^T takes the first frame's axes b to the second's, a; its antisymmetric part has the axis,
 * its trace the angle. */
Vec3 triangle_rotation(const Vec3 before[3], const Vec3 after[3]) {
    Frame from = frame_of(before), to = frame_of(after);
    double trace = 0;
    Vec3 twist = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        trace += vec3_dot(from.axes[k], to.axes[k]);
        twist = vec3_add(twist, vec3_cross(from.axes[k], to.axes[k]));
    }
    double cosine = 0.5 * sqrt(trace > -1 ? 1.0 + trace : 0.0);
    return cosine > LEAST_COSINE ? vec3_scale(0.25 / cosine, twist) : vec3(0, 0, 0);
}
