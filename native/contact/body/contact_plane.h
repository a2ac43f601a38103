/* The planes that one vertex must stay before in a substep: places of bodies' surfaces as they are at its end. */
#ifndef CONTACT_BODY_CONTACT_PLANE_H
#define CONTACT_BODY_CONTACT_PLANE_H

#include "base/parallel.h"
#include "contact/body/collider.h"
#include "contact/skin.h"
#include "contact/work_limit.h"

/* A vertex between two surfaces that face each other meets both: an armpit, the hollow of a knee. */
#define MOST_CONTACT_PLANES 2

typedef struct ContactPlane {
    Vec3 point, normal, way; /* the way is the point's during the substep */
    double distance;         /* of the vertex from the true surface, negative behind it */
    double thickness, friction;
    int body, triangle; /* triangle -1: one that was passed on the way */
} ContactPlane;

/* Distances that decide what is done for a vertex, m: of all bodies the most. */
typedef struct PlaneReach {
    double touching; /* the thickness */
    double listed;   /* nearer than this a plane is told to the solver */
    double near;     /* nearer than this a plane is found */
    double
        meeting;  /* what stays further away than this is met by nothing between vertices either */
    double known; /* up to this distances are reported, of all bodies the least */
    double deep;  /* up to this is looked for the surface by what may be inside */
} PlaneReach;

/* One substep: its motion and the bodies, moved to its end. */
typedef struct BodySubstep {
    Collider *const *bodies; /* some may be null */
    int body_count;
    const Vec3 *x; /* vertices at its start */
    double length; /* s */
    PlaneReach reach;
} BodySubstep;

BodySubstep body_substep(Collider *const *bodies, int body_count, const Vec3 *x, double length);

/* What a vertex saw where it was looked for, and what that tells about places close by in the same substep. */
typedef struct Sight {
    int body; /* of the list; -1: there is none */
    Shortlist list;
    int alone;       /* 1 + the body of which nothing faced it there; 0: not known */
    float facing[3]; /* against which direction */
} Sight;

/* A vertex on its way. */
typedef struct Traveller {
    Vec3 x, z;
    double clearance; /* distance from the nearest surface at x; negative: it may be behind one */
    /* A guess at what is nearest, met before; triangle -1: none. Right or wrong, what is found is the same. */
    int body, triangle;
    Sight *sight; /* null: nobody asks for it */
    /* 0: the sight is to be filled; 1: it was, at `seen`, and is a help. What is found is the same. */
    int recalls;
    Vec3 seen;
    WorkShare *share; /* of triangles beside its way; null: it may ask any number */
} Traveller;

/* The plane that lies deepest, or is nearest, of all bodies that are near; then one that faces it, if there is one
 * hardly further away. Returns how many. `nearest`: how far all surfaces are at least, negative behind one. */
int contact_plane_find(const BodySubstep *substep, const Traveller *traveller,
                       ContactPlane planes[MOST_CONTACT_PLANES], double *nearest);

/* The same planes for a vertex that has moved a little; `planes` has their bodies and triangles. */
void contact_plane_follow(const BodySubstep *substep, const Traveller *traveller, int count,
                          ContactPlane *planes);

/* The plane of one body nearest to a place that goes from x to z and is no vertex, if within reach, m; `triangle` is a
 * guess at where. What it would pass on its way is not looked at. */
bool contact_plane_nearest(const BodySubstep *substep, Vec3 x, Vec3 z, int body, int triangle,
                           double reach, ContactPlane *plane);

/* --- which clusters can be met ------------------------------------------------------------------- */

/* Which clusters of bodies the cloth can meet in a substep: the others need not be moved. More than half of a body's
 * triangles are in its head, hands and feet, where few garments are. Lengths are in m. */

typedef struct Reach {
    int vertex_count;
    Clusters patches; /* of the cloth: all of its triangles, ropes and loose vertices */
    Vec3 *expected;   /* per vertex: where it was when the substep began */
    /* As long as no vertex is further than this from there, no sleeping cluster is met. */
    double slack;
    bool all;            /* all clusters are awake */
    const Subset *awake; /* the vertices that are looked at; null: all */
} Reach;

/* Arrays come from `store`. */
StatusCode reach_build(Reach *reach, const Skin *skin, Store *store, Status *status);

/* A substep to about z begins, vertices being `clearance` away from the surface, negative behind it. Bodies have been
 * placed; wakes their clusters that may be asked for. */
void reach_begin(Reach *reach, Pool *pool, const BodySubstep *substep, const Vec3 *z,
                 const double *clearance);

/* Wakes all clusters. */
void reach_all(Reach *reach, Pool *pool, const BodySubstep *substep);

/* The vertices are at z now: wakes all clusters if one has gone too far. Returns whether that was so. */
bool reach_refresh(Reach *reach, Pool *pool, const BodySubstep *substep, const Vec3 *z);

#endif
