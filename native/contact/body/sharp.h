/* Sharp features of a body: its edges and corners that can poke between the two vertices of a cloth edge. A sphere of fine
 * triangles has none for cloth of the same fineness; a box, a bead or the rim of a plate has. The measure of sharpness is
 * the shortest cloth edge that a feature pokes through: garments have some long edges, and many much shorter ones. */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "base/vec3.h"
#include "contact/body/collider.h"

/* Features of one kind, corners or edges, cluster after cluster; of a cluster, the sharpest first. */
typedef struct SharpFeatures {
    int count;
    double *chord; /* per feature: the shortest edge of cloth that it pokes through, m */
    double *least; /* per feature: that edge where the insides of edges are sampled, too */
    int *first;    /* per cluster of the body: its first one; one more at the end */
    /* Boxes around them as sharp_place() has left them, m; of corners both are the same arrays. */
    float *low[3], *high[3];
} SharpFeatures;

typedef struct Sharp {
    SharpFeatures corner, edge;
    int *corners;    /* vertices of the body */
    int (*edges)[2]; /* likewise; both ends are in one cluster */
    uint8_t *placed; /* per cluster: 1 if its features have been placed */
} Sharp;

/* For cloth whose longest edge is `longest`, m. Arrays come from `store`. */
StatusCode sharp_build(Sharp *sharp, const Collider *body, double longest, Store *store,
                       Status *status);

/* Where the insides of edges are sampled (sample_contact), features of smooth surfaces only poke through edges this many
 * times as long. */
#define SHARP_SAMPLES 3.0

/* By how much the middle of a cloth edge may come nearer to a body than its ends, m. */
double sharp_allowed(const Collider *body);

/* Boxes around the features at the substep's end, seen from `origin` and rounded to single precision, of clusters that
 * overlap `box`. `anew`: none has been placed in this substep, from this origin. */
void sharp_place(Sharp *sharp, const Collider *body, Pool *pool, bool anew, Vec3 origin,
                 const Box *box);

/* --- pairs ------------------------------------------------------------------------------------ */

/* A triangle or edge of the cloth and a sharp corner or edge of a body, with bounds that show how long the two cannot
 * touch. They touch where an inner place of each is the closest to the other: vertex_contact handles all else. */

typedef struct FeaturePair {
    int body;
    bool on_edge; /* edge against edge; else a triangle of the cloth against a corner */
    bool behind;  /* a corner of the cloth's is behind a surface */
    int cloth;    /* triangle or edge of the skin */
    int feature;  /* corner or edge of the body's Sharp */
    /* Where the pair was found, m: how far apart they are at least; by how much the two can have come nearer there since
     * the substep's start; how far beside each other the insides of both are at least. */
    double distance, approach, offset;
    /* By how much the cloth's triangle or edge tilts, if its vertices go by 1 m: 1/m */
    double tilt;
} FeaturePair;

/* A triangle or edge of the cloth and a feature of a body, with their places now and at the substep's start. */
typedef struct FeatureCandidate {
    Vec3 own[3], before[3];   /* corners of the cloth's */
    Vec3 other[2], placed[2]; /* ends of the feature */
    double margin;            /* further apart they do not count, m */
    double reach; /* nor further than this and the slack, unless they have passed each other */
} FeatureCandidate;

/* Six times the volume that two segments span: changes its sign where they pass each other. */
static inline double spanned(const Vec3 a[2], const Vec3 b[2]) {
    return vec3_dot(vec3_cross(vec3_sub(a[1], a[0]), vec3_sub(b[1], b[0])), vec3_sub(b[0], a[0]));
}

/* Fills in distance, offset and tilt of an edge and an edge. False if the two do not count as long as no vertex goes by more
 * than the slack, m. */
bool feature_measure_edge(const FeatureCandidate *both, double slack, FeaturePair *pair);

/* Likewise of a triangle and a corner. */
bool feature_measure_corner(const FeatureCandidate *both, double slack, FeaturePair *pair);

/* True if a pair whose vertices have gone by `moved` may have an inner place of each closest to the other's, and be no
 * further apart than `far`, m. */
static inline bool feature_pair_may_meet(const FeaturePair *pair, double moved, double far) {
    /* Let f be the cloth's place. From where it is now, `apart` from the feature, the way there is at a right angle to
     * the cloth, which has tilted by an angle whose sine is moved * tilt at most. Where the pair was found, that way had a
     * part along the cloth of apart * sine, and one across it of apart * cosine; f itself has gone by `moved`. So the
     * one is not less than the offset, nor the other more than the distance, but for that. */
    double sine = moved * pair->tilt, apart = far;
    if (sine < 1) {
        apart = fmin(far, (pair->distance + moved) / sqrt(1 - sine * sine));
    } else {
        sine = 1;
    }
    return pair->distance - moved <= far && pair->offset <= moved + apart * sine;
}
