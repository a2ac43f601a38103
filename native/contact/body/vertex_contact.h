/* Finds the contacts of the cloth's vertices with bodies, and keeps vertices from ending behind a surface.
 *
 * A vertex touches the nearest place of a body's surface, as it is at the end of the substep. A solid pushes to its
 * outside, a sheet to the side on which the vertex was when the substep began. The path of a vertex that moves further than
 * the thickness is followed, and the vertex stays in front of the first triangle that it would pass.
 *
 * A vertex that is behind a surface from the start, because it was modelled there or because the body appeared around it,
 * comes out at a limited speed. */
#pragma once

#include "base/parallel.h"
#include "contact/body/collider.h"
#include "contact/contacts.h"
#include "contact/skin.h"
#include "contact/work_limit.h"

/* --- planes ----------------------------------------------------------------------------------- */

/* The planes in front of which a vertex must stay in a substep: places of bodies' surfaces, as they are at its end. */

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

typedef struct VertexContactFinder {
    int vertex_count;
    int rail_from;  /* vertices from this one on are not pushed along x; set to the number of all */
    Contact *found; /* MOST_CONTACT_PLANES per vertex, the first `near` of them */
    uint8_t *near;  /* per vertex: how many surfaces it is near to */
    uint8_t *listed;  /* per vertex: how many of these are passed to the solver */
    uint8_t *pinched; /* per vertex: 1 if there is no room between two surfaces */
    double *room;     /* per vertex: between two surfaces that face each other, m; else infinite */
    /* MOST_CONTACT_PLANES per vertex: what it touches; -1: to be searched for again */
    int *body, *triangle;
    double *allowed; /* per vertex: least distance it may end at; negative while it comes out */
    /* Per vertex: distance from the true surface at the end of the last substep, negative behind it; of one outside
     * all shells it may be less than the true one. Between two that overlap: from their middle, and negative. Part of the
     * state. */
    double *clearance;
    Vec3 *expected; /* per vertex: where it was searched for last */
    /* Per vertex: its distance there from all surfaces at least, m; negative behind */
    double *known;
    double *approach;   /* per vertex: by how much it can have come nearer in the substep, m */
    SearchCache *cache; /* per vertex: what it saw there */
    Vec3 *seen; /* per vertex: how deep it was, 1 if touching or 2 if stuck, its new clearance */
    int *first; /* per chunk of vertices: where its contacts begin in the list */
    const Subset *awake;  /* the vertices that count; null: all */
    WorkLimit work_limit; /* of paths that are followed; the caller resets it */
    WorkShare *shares;    /* per chunk, in the present search */
} VertexContactFinder;

StatusCode vertex_contact_build(VertexContactFinder *finder, int vertex_count, Store *store,
                                Status *status);

/* Measures the clearances at x from the bodies where they are. Before the first substep, and whenever the
 * vertices or bodies have been put somewhere else. */
void vertex_contact_measure(VertexContactFinder *finder, Pool *pool, const BodySubstep *substep);

/* Contacts for a substep that is expected to end at z. Adds them to the list. */
void vertex_contact_begin(VertexContactFinder *finder, Pool *pool, const BodySubstep *substep,
                          const Vec3 *z, Contacts *contacts);

/* Finds the contacts of the same vertices at z. Adds them to the list, which the caller has cleared. */
void vertex_contact_refresh(VertexContactFinder *finder, Pool *pool, const BodySubstep *substep,
                            const Vec3 *z, Contacts *contacts);

typedef struct BodyReport {
    int touching; /* vertices inside a shell at the substep's end */
    int stuck; /* vertices behind a surface although they were put in front of one: there is no room */
    double deepest; /* behind a true surface in the solver's result, m; 0: none */
} BodyReport;

/* Puts vertices that are behind a true surface onto it, and makes them at least as fast as it along its
 * normal; the push itself does not become velocity. May be called again when z has changed. */
void vertex_contact_project(VertexContactFinder *finder, Pool *pool, const BodySubstep *substep,
                            const uint8_t *held, Vec3 *z, Vec3 *velocity, BodyReport *report);

/* True if the vertex was inside a shell when it was projected last. */
bool vertex_contact_touches(const VertexContactFinder *finder, int vertex);

/* Ends the substep: its clearances are those of the next one's start. */
void vertex_contact_settle(VertexContactFinder *finder);
