/* A response curve: the pull of a spring by its length, as data.
 * Pull, slope and energy are those of a spring of stiffness 1, in straight segments, so that linear cloth, cloth that
 * buckles when compressed, and measured or limited cloth differ in numbers, not in branches. Lengths are in rest lengths,
 * so that one curve serves all springs of a law.
 *
 * A spring of stiffness k that is measured by a vector s pulls with k p(|s|) along s. Written as k (s - s*), its target
 * s* has the length |s| - p(|s|): the right-hand side of the constant matrix [Choi 2013, ch. 3]. */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "linear/matrix.h"

#define RESPONSE_SEGMENTS 8

/* From `from` up to the next segment the pull is slope times (length - origin), the energy
 * slope / 2 (length - origin)^2 + offset. A slope of 0 means slack: no pull at all. */
typedef struct ResponseSegment {
    double from, slope, origin; /* slopes are not negative */
    double offset;              /* so that the energy has no jumps */
} ResponseSegment;

typedef struct Response {
    int count;
    double bound; /* the largest slope: the stiffness in the constant matrix */
    bool square;  /* all slopes are 0 or 1: then k/2 |s - s*|^2 is the energy */
    ResponseSegment segment[RESPONSE_SEGMENTS];
} Response;

/* p = length - 1. */
extern const Response response_linear;
/* The same for stretched springs, and none for compressed ones [Choi and Ko 2002]. */
extern const Response response_tension_only;

static inline const ResponseSegment *response_at(const Response *response, double length,
                                                 double rest) {
    int at = response->count - 1;
    while (at > 0 && length < response->segment[at].from * rest) {
        --at;
    }
    return &response->segment[at];
}

/* |s*|: exactly the rest length on a line through it with slope 1, exactly the length where the spring is slack. */
static inline double segment_target(const ResponseSegment *segment, double length, double rest) {
    return (1.0 - segment->slope) * length + segment->slope * (segment->origin * rest);
}

/* J, of a spring of this stiffness. */
static inline double segment_energy(const ResponseSegment *segment, double stiffness, double length,
                                    double rest) {
    double excess = length - segment->origin * rest;
    return 0.5 * (stiffness * segment->slope) * excess * excess +
           stiffness * segment->offset * rest * rest;
}

static inline double response_energy(const Response *response, double stiffness, double length,
                                     double rest) {
    return segment_energy(response_at(response, length, rest), stiffness, length, rest);
}

/* Of the second derivative of the energy by s, for stiffness 1: `slope` along s and `sideways` across it. The latter is
 * pull over length, clamped to zero where the spring is compressed: it would buckle and not resist sideways [Choi 2013,
 * ch. 3.1]. False where both vanish. */
static inline bool segment_curve(const ResponseSegment *segment, double length, double rest,
                                 double *slope, double *sideways) {
    if (length <= VEC3_TINY) {
        return false;
    }
    double target = segment_target(segment, length, rest);
    *slope = segment->slope;
    *sideways = length > target ? 1.0 - target / length : 0.0;
    return *slope > 0;
}

static inline bool response_curve(const Response *response, double length, double rest,
                                  double *slope, double *sideways) {
    return segment_curve(response_at(response, length, rest), length, rest, slope, sideways);
}

/* A spring that gives way when compressed gets its stiffness along s from this part of its rest length on, in a line up to
 * the whole at rest: with the jump there a few sweeps do not stay stable [Kim 2006, eq. 9, which prints L/|s|^2 for
 * 1/|s|^2: only this meets the value at rest]. */
#define RESPONSE_SMOOTHING 0.8

/* As response_curve(), without that jump. */
static inline bool response_smoothed_curve(const Response *response, double length, double rest,
                                           double *slope, double *sideways) {
    if (length > VEC3_TINY && length < rest && response_at(response, length, rest)->slope == 0.0) {
        *slope = fmax((length / rest - RESPONSE_SMOOTHING) / (1.0 - RESPONSE_SMOOTHING), 0.0);
        *sideways = 0.0;
        return *slope > 0;
    }
    return response_curve(response, length, rest, slope, sideways);
}

/* That second derivative, sideways I + (slope - sideways) n n'; false where it vanishes. */
static inline bool segment_block(const ResponseSegment *segment, Vec3 s, double rest,
                                 Block *block) {
    double length = vec3_length(s), slope, sideways;
    if (!segment_curve(segment, length, rest, &slope, &sideways)) {
        return false;
    }
    Vec3 n = vec3_scale(1.0 / length, s);
    *block = (Block){{0}};
    block_add_diagonal(block, sideways);
    block_add_outer(block, slope - sideways, n, n);
    return true;
}

static inline bool response_block(const Response *response, Vec3 s, double rest, Block *block) {
    return segment_block(response_at(response, vec3_length(s), rest), s, rest, block);
}

/* That block times a vector, zero where it vanishes. */
static inline Vec3 segment_block_times(const ResponseSegment *segment, Vec3 s, double rest,
                                       Vec3 v) {
    double length = vec3_length(s), slope, sideways;
    if (!segment_curve(segment, length, rest, &slope, &sideways)) {
        return vec3(0, 0, 0);
    }
    double along = (slope - sideways) * vec3_dot(s, v) / (length * length);
    return vec3_madd(vec3_scale(sideways, v), along, s);
}

/* --- measures of strain ----------------------------------------------------------------------- */

/* How far a length is from its rest, by three measures that agree to first order:
 *   engineering  r - 1          a spring of it is quadratic in the length: Hooke's
 *   Green        (r^2 - 1) / 2  biquadratic: that of Green and Lagrange, which St Venant and Kirchhoff's sheet is made of
 *   Hencky       ln r           logarithmic: compressed to nothing it takes infinite work
 * r is the length in rest lengths. */

typedef enum StrainMeasure {
    STRAIN_AUTO, /* the usual one of the model: engineering for edges, Green for membranes */
    STRAIN_ENGINEERING,
    STRAIN_GREEN,
    STRAIN_HENCKY
} StrainMeasure;

/* A measure and its derivatives by r. */
typedef struct Strain {
    double value, slope, bend;
} Strain;

/* Shorter than this Hencky's measure goes on in its tangent: vertices may meet, and forces stay finite. */
#define STRAIN_SHORTEST 0.05

/* The constant matrix has springs of the other two measures as stiff as they are between about nine and eleven tenths of
 * their length: further away a solve is shortened where it would raise the energy. */
#define STRAIN_WORKING 1.35

static inline Strain strain_by(StrainMeasure measure, double r) {
    if (measure == STRAIN_GREEN) {
        return (Strain){0.5 * (r * r - 1.0), r, 1.0};
    }
    if (measure == STRAIN_HENCKY) {
        double at = fmax(r, STRAIN_SHORTEST);
        return (Strain){log(at) + (r - at) / at, 1.0 / at, r < at ? 0.0 : -1.0 / (at * at)};
    }
    return (Strain){r - 1.0, 1.0, 0.0};
}
