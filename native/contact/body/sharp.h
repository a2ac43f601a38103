/* What is sharp about a body, measured against the cloth: edges and corners over which a cloth edge could lie
 * so that its two vertices keep their distance and its middle does not. A sphere of fine triangles
 * has none for cloth of the same fineness; a box, a bead or the rim of a plate has. How sharp each is tells the
 * shortest edge of cloth that it pokes through: garments have some long edges, and many that are much shorter. */
#ifndef CONTACT_BODY_SHARP_H
#define CONTACT_BODY_SHARP_H

#include "contact/body/collider.h"

/* Features of one kind, corners or edges, limb after limb; of a limb, the sharpest first. */
typedef struct SharpFeatures {
    int count;
    double *chord; /* per feature: the shortest edge of cloth that it pokes through, m */
    double *least; /* per feature: that edge where the insides of edges are looked at, too */
    int *first;    /* per limb of the body: its first one; one more at the end */
    /* Boxes around them as sharp_place() has left them, m; of corners both are the same arrays. */
    float *low[3], *high[3];
} SharpFeatures;

typedef struct Sharp {
    SharpFeatures corner, edge;
    int *corners;    /* vertices of the body */
    int (*edges)[2]; /* likewise; both ends are in one limb */
    uint8_t *placed; /* per limb: 1 if its features have been placed */
} Sharp;

/* For cloth whose longest edge is `longest`, m. Arrays come from `store`. */
StatusCode sharp_build(Sharp *sharp, const Collider *body, double longest, Store *store,
                       Status *status);

/* Where the insides of edges are looked at themselves (sample_contact), features of smooth surfaces poke only through
 * edges that are so many times as long. */
#define SHARP_SAMPLES 3.0

/* By how much the middle of a cloth edge may come nearer to a body than its ends, m. */
double sharp_allowed(const Collider *body);

/* Boxes around the features at the substep's end, seen from `origin` and rounded to single precision, of limbs that
 * overlap `box`. `anew`: none has been placed in this substep, from this origin. */
void sharp_place(Sharp *sharp, const Collider *body, Pool *pool, bool anew, Vec3 origin,
                 const Box *box);

#endif
