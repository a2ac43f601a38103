/* How a triangle or edge of the cloth lies to a sharp corner or edge of a body, and for how long that tells that the two
 * cannot meet. They meet where an inner place of each is the closest to the other: all else is a matter of vertices. */
#ifndef CONTACT_BODY_FEATURE_MEASURE_H
#define CONTACT_BODY_FEATURE_MEASURE_H

#include <math.h>
#include <stdbool.h>

#include "base/vec3.h"

typedef struct FeaturePair {
    int body;
    bool on_edge; /* edge against edge; else a triangle of the cloth against a corner */
    bool behind;  /* a corner of the cloth's is behind a surface */
    int cloth;    /* triangle or edge of the skin */
    int feature;  /* corner or edge of the body's Sharp */
    /* Where the pair was found, m: how far apart they are at least; by how much the two can have come nearer there since
     * the substep's start; how far beside each other the insides of both are at least. */
    double distance, approach, offset;
    double
        tilt; /* by how much the cloth's triangle or edge tilts, if its vertices go by 1 m: 1/m */
} FeaturePair;

/* A triangle or edge of the cloth, one of a body's features, and what decides about them: how both lie, and how they lay
 * at the substep's start. */
typedef struct FeatureEncounter {
    Vec3 own[3], before[3];   /* corners of the cloth's */
    Vec3 other[2], placed[2]; /* ends of the feature */
    double margin;            /* further apart they do not count, m */
    double reach; /* nor further than this and the slack, unless they have passed each other */
} FeatureEncounter;

/* Fills in distance, offset and tilt of an edge and an edge. False if the two do not count as long as no vertex goes by more
 * than the slack, m. */
bool feature_measure_edge(const FeatureEncounter *both, double slack, FeaturePair *pair);

/* Likewise of a triangle and a corner. */
bool feature_measure_corner(const FeatureEncounter *both, double slack, FeaturePair *pair);

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

#endif
