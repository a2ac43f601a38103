/* Which limbs of bodies the cloth can meet in a substep: the others need not be moved. More than half of a body's
 * triangles are in its head, hands and feet, where few garments are. Lengths are in m. */
#ifndef CONTACT_BODY_REACH_H
#define CONTACT_BODY_REACH_H

#include "base/parallel.h"
#include "contact/body/contact_plane.h"
#include "contact/skin.h"

typedef struct Reach {
    int vertex_count;
    Limbs patches;  /* of the cloth: all of its triangles, ropes and loose vertices */
    Vec3 *expected; /* per vertex: where it was when the substep began */
    /* As long as no vertex is further than this from there, no sleeping limb is met. */
    double slack;
    bool all;            /* all limbs are awake */
    const Subset *awake; /* the vertices that are looked at; null: all */
} Reach;

/* Arrays come from `store`. */
StatusCode reach_build(Reach *reach, const Skin *skin, Store *store, Status *status);

/* A substep to about z begins, vertices being `clearance` away from the surface, negative behind it. Bodies have been
 * placed; wakes their limbs that may be asked for. */
void reach_begin(Reach *reach, Pool *pool, const BodySubstep *substep, const Vec3 *z,
                 const double *clearance);

/* Wakes all limbs. */
void reach_all(Reach *reach, Pool *pool, const BodySubstep *substep);

/* The vertices are at z now: wakes all limbs if one has gone too far. Returns whether that was so. */
bool reach_refresh(Reach *reach, Pool *pool, const BodySubstep *substep, const Vec3 *z);

#endif
