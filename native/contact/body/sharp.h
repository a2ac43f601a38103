/* What is sharp about a body, measured against the cloth: edges and corners over which a cloth edge could lie
 * so that its two vertices keep their distance and its middle does not. A sphere of fine triangles
 * has none for cloth of the same fineness; a box, a bead or the rim of a plate has. How sharp each is tells the
 * shortest edge of cloth that it pokes through: garments have some long edges, and many that are much shorter. */
#ifndef CONTACT_BODY_SHARP_H
#define CONTACT_BODY_SHARP_H

#include "contact/body/collider.h"

/* Features of one kind, corners or edges, in classes: each pokes through cloth about half as long as the one before. */
#define SHARP_CLASSES 5

typedef struct SharpFeatures {
    int count;
    double *chord; /* per feature: the shortest edge of cloth that it pokes through, m */
    double *least; /* per feature: that edge where the insides of edges are looked at, too */
    int first[SHARP_CLASSES + 1];   /* of each class by that, and the end */
    double least_of[SHARP_CLASSES]; /* no feature of a class has less, m */
    WideBvh trees[SHARP_CLASSES];
} SharpFeatures;

typedef struct Sharp {
    SharpFeatures corner, edge;
    int *corners;    /* vertices of the body */
    int (*edges)[2]; /* likewise */
    Box *boxes;      /* scratch: as many as corners or edges */
} Sharp;

/* For cloth whose longest edge is `longest`, m. Arrays come from `store`. */
StatusCode sharp_build(Sharp *sharp, const Collider *body, double longest, Store *store,
                       Status *status);

/* Where the insides of edges are looked at themselves (sample_contact), features of smooth surfaces poke only through
 * edges that are so many times as long. */
#define SHARP_SAMPLES 3.0

/* By how much the middle of a cloth edge may come nearer to a body than its ends, m. */
double sharp_allowed(const Collider *body);

/* After collider_move(): the boxes of all where they are at the substep's end. */
void sharp_move(Sharp *sharp, const Collider *body, Pool *pool);

/* Visits the features that poke through edges of this length, m, or nearly, and whose boxes overlap. */
void sharp_visit(const SharpFeatures *features, const Box *box, double longest, BvhVisit visit,
                 void *context);

#endif
