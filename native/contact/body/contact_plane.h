/* The planes in front of which a vertex must stay in a substep: places of bodies' surfaces, as they are at its end. */
#pragma once

#include "base/parallel.h"
#include "contact/body/collider.h"
#include "contact/skin.h"
#include "contact/work_limit.h"

/* A vertex between two surfaces that face each other touches both: in an armpit, in the hollow of a knee. */
#define MOST_CONTACT_PLANES 2

typedef struct ContactPlane {
    Vec3 point, normal, way; /* the way is the point's during the substep */
    double distance;         /* of the vertex from the true surface, negative behind it */
    double thickness, friction;
    int body, triangle; /* triangle -1: one that was passed on the path */
} ContactPlane;

/* Distances that decide what is done for a vertex, m: the largest of all bodies. */
typedef struct PlaneReach {
    double touching; /* the thickness */
    double listed;   /* planes nearer than this are passed to the solver */
    double near;     /* planes nearer than this are found */
    double meeting;  /* vertices further away than this have no contact between them either */
    double known;    /* distances are reported up to this, the smallest of all bodies */
    double deep;     /* vertices that may be inside search for the surface up to this */
} PlaneReach;

/* One substep: its motion and the bodies, moved to its end. */
typedef struct BodySubstep {
    Collider *const *bodies; /* some may be null */
    int body_count;
    const Vec3 *x; /* vertices at its start */
    double length; /* s */
    PlaneReach reach;
    const double *share; /* per vertex, of the thickness: see scale.h; null: 1 */
} BodySubstep;

BodySubstep body_substep(Collider *const *bodies, int body_count, const Vec3 *x, double length);

static inline double substep_share(const BodySubstep *substep, int vertex) {
    return substep->share ? substep->share[vertex] : 1.0;
}

/* The result of a vertex' last search, reused for places close by in the same substep. */
typedef struct SearchCache {
    int body; /* of the list; -1: there is none */
    Shortlist list;
    int alone;       /* 1 + the body of which nothing faces it there; 0: unknown */
    float facing[3]; /* against this direction */
} SearchCache;

/* A vertex on its path. */
typedef struct VertexPath {
    int vertex;
    Vec3 x, z;
    double clearance; /* distance from the nearest surface at x; negative: it may be behind one */
    /* A guess at the nearest triangle, of an earlier search; -1: none. It does not change the result. */
    int body, triangle;
    SearchCache *cache; /* may be null */
    /* 0: fill the cache; 1: it was filled at `seen`, and speeds up the search. It does not change the result. */
    int reuses;
    Vec3 seen;
    WorkShare *share; /* of triangles along its path; null: no limit */
} VertexPath;

/* Of all bodies that are near, the deepest or nearest plane; then one that faces it, if there is one hardly further away.
 * Returns how many. `nearest`: a lower bound of the distance from all surfaces, negative behind one. */
int contact_plane_find(const BodySubstep *substep, const VertexPath *path,
                       ContactPlane planes[MOST_CONTACT_PLANES], double *nearest);

/* The same planes for a vertex that has moved a little; `planes` has their bodies and triangles. */
void contact_plane_follow(const BodySubstep *substep, const VertexPath *path, int count,
                          ContactPlane *planes);

/* The plane of one body nearest to a place inside an edge or face that moves from x to z, if within reach, m; `triangle` is
 * a guess. Surfaces that it would pass on its path do not count. */
bool contact_plane_nearest(const BodySubstep *substep, Vec3 x, Vec3 z, int body, int triangle,
                           double reach, ContactPlane *plane);

/* --- which clusters the cloth can reach ----------------------------------------------------------- */

/* The clusters of bodies that the cloth can reach in a substep: the others need not be moved. More than half of a body's
 * triangles are in its head, hands and feet, where few garments are. Lengths are in m. */

typedef struct Reach {
    int vertex_count;
    Clusters patches; /* of the cloth: all of its triangles, ropes and loose vertices */
    Vec3 *expected;   /* per vertex: where it was when the substep began */
    /* While no vertex is further than this from there, it can reach no sleeping cluster. */
    double slack;
    bool all;            /* all clusters are awake */
    const Subset *awake; /* the vertices that count; null: all */
} Reach;

/* Arrays come from `store`. */
StatusCode reach_build(Reach *reach, const Skin *skin, Store *store, Status *status);

/* Begins a substep to about z, with vertices `clearance` away from the surface, negative behind it. Bodies have been
 * placed; wakes the clusters that can be reached. */
void reach_begin(Reach *reach, Pool *pool, const BodySubstep *substep, const Vec3 *z,
                 const double *clearance);

/* Wakes all clusters. */
void reach_all(Reach *reach, Pool *pool, const BodySubstep *substep);

/* With vertices at z now: wakes all clusters if a vertex has moved too far. Returns whether it did. */
bool reach_refresh(Reach *reach, Pool *pool, const BodySubstep *substep, const Vec3 *z);
