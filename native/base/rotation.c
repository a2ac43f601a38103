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

/* --- the turn of points, by the largest eigenvalue of a quadratic form of quaternions [Horn 1987] ------------------------- */

/* Entries smaller than this part of the trace's size are taken as zero. */
#define ROUNDING 1e-15
/* Part of the largest eigenvalue by which the next one has to be smaller. */
#define DETERMINED 1e-6

/* As rotate(), of four by four. */
static void rotate_form(double m[4][4], double e[4][4], int p, int q) {
    double slope = 0.5 * (m[q][q] - m[p][p]) / m[p][q];
    double t = copysign(1.0, slope) / (fabs(slope) + sqrt(slope * slope + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 4; ++k) {
        double a = m[k][p], b = m[k][q];
        m[k][p] = c * a - s * b;
        m[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 4; ++k) {
        double a = m[p][k], b = m[q][k];
        m[p][k] = c * a - s * b;
        m[q][k] = s * a + c * b;
        a = e[p][k], b = e[q][k];
        e[p][k] = c * a - s * b;
        e[q][k] = s * a + c * b;
    }
}

/* Eigenvectors are the rows of e, eigenvalues the diagonal of m. */
static void diagonalise(double m[4][4], double e[4][4], double size) {
    bool done = false;
    for (int sweep = 0; sweep < SWEEPS && !done; ++sweep) {
        done = true;
        for (int p = 0; p < 3; ++p) {
            for (int q = p + 1; q < 4; ++q) {
                if (fabs(m[p][q]) > ROUNDING * size) {
                    rotate_form(m, e, p, q);
                    done = false;
                }
            }
        }
    }
}

static Vec3 mean_place(int count, const int *list, const Vec3 *x) {
    Vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        sum = vec3_add(sum, x[list[i]]);
    }
    return vec3_scale(1.0 / count, sum);
}

/* Half of the form's numbers; returns the size of all. */
static double fill_form(int count, const int *list, const Vec3 *start, const Vec3 *end,
                        double m[4][4]) {
    Vec3 from = mean_place(count, list, start), to = mean_place(count, list, end);
    Vec3 by[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}; /* row k: sum of a_k b */
    double size = 0;
    for (int i = 0; i < count; ++i) {
        Vec3 a = vec3_sub(start[list[i]], from), b = vec3_sub(end[list[i]], to);
        by[0] = vec3_madd(by[0], a.x, b);
        by[1] = vec3_madd(by[1], a.y, b);
        by[2] = vec3_madd(by[2], a.z, b);
        size += vec3_length(a) * vec3_length(b);
    }
    const double form[4][4] = {
        {by[0].x + by[1].y + by[2].z, by[1].z - by[2].y, by[2].x - by[0].z, by[0].y - by[1].x},
        {0, by[0].x - by[1].y - by[2].z, by[0].y + by[1].x, by[2].x + by[0].z},
        {0, 0, by[1].y - by[0].x - by[2].z, by[1].z + by[2].y},
        {0, 0, 0, by[2].z - by[0].x - by[1].y}};
    for (int p = 0; p < 4; ++p) {
        for (int q = 0; q < 4; ++q) {
            m[p][q] = p < q ? form[p][q] : form[q][p];
        }
    }
    return size;
}

Vec3 points_rotation(int count, const int *list, const Vec3 *start, const Vec3 *end) {
    double m[4][4], e[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    double size = count > 0 ? fill_form(count, list, start, end, m) : 0.0;
    if (!(size > 0)) {
        return vec3(0, 0, 0);
    }
    diagonalise(m, e, size);
    int most = 0;
    double next = -size;
    for (int k = 1; k < 4; ++k) {
        most = m[k][k] > m[most][most] ? k : most;
    }
    for (int k = 0; k < 4; ++k) {
        next = k != most ? fmax(next, m[k][k]) : next;
    }
    double sign = e[most][0] < 0 ? -1.0 : 1.0;
    Vec3 axis = vec3_scale(sign, vec3(e[most][1], e[most][2], e[most][3]));
    double sine = vec3_length(axis), angle = 2.0 * atan2(sine, sign * e[most][0]);
    bool known = m[most][most] - next > DETERMINED * size && sine > 0;
    return known ? vec3_scale(angle / sine, axis) : vec3(0, 0, 0);
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
