/* Impact zones: the last line of defence against cloth that passes through itself within a substep.
 *
 * The solver has found ends z for a substep that starts at x. All straight paths x -> z are made free of crossings in
 * three steps:
 * 1. A search finds every vertex that hits a triangle and every edge that hits an edge.
 * 2. Passes: for each hit, in a fixed order, the ends of its four vertices are moved along the normal so that the parts end
 *    a gap apart on the side they came from. The push is shared by mass and keeps momentum. Then what has moved is
 *    searched again.
 * 3. Vertices that still hit after the last pass move as rigid zones: hits that share vertices form a zone, and zones grow
 *    and merge until nothing hits.
 *
 * Parts that touch at x are left out, and so are those with vertices on both sides that take part in an edge through a
 * triangle at x: there is no side to keep them on, and they must be free to separate. */
#pragma once

#include <stdint.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec3.h"
#include "contact/self/pair_ccd.h"
#include "contact/self/swept_surface.h"
#include "contact/work_limit.h"

/* Sets of vertices that move rigidly. On straight paths to a rotated and shifted end, the places in between are one linear
 * map of the start, which is invertible while the rotation is less than half a turn: nothing inside a zone that does not
 * cross at the start crosses later. */

/* What is summed over a zone. */
typedef struct ZoneSum {
    double mass;
    Vec3 start, way; /* of the centre; first times the mass */
    int held;        /* fixed vertices: the way is theirs then */
    bool stiff;      /* all members move by the same map */
    Vec3 spin;       /* angular momentum over h, kg m^2; then the turn, rad */
    double inertia[6];
} ZoneSum;

typedef struct Zones {
    int vertex_count;
    int count;        /* members of all zones */
    int *members;     /* in the order they came */
    int *parent;      /* union-find */
    int *of;          /* per vertex: its zone when they last moved; -1: none */
    uint8_t *is_in;   /* per vertex */
    uint8_t *changed; /* per zone: since they last moved */
    ZoneSum *sums;    /* per zone */
} Zones;

void zones_take(Zones *zones, int vertex_count, Store *store);

void zones_clear(Zones *zones);

/* Puts two vertices into one zone. Returns true if they were not. */
bool zones_join(Zones *zones, int a, int b);

/* Moves the zones that have changed: from x by the mean way and the mean turn of their members, by mass,
 * or by the mean way of their fixed members. Sets `moved` for their members and clears all other marks. */
void zones_move(Zones *zones, const Vec3 *x, const double *mass, const uint8_t *fixed, Vec3 *z,
                uint8_t *moved);

/* True if all four have last moved by one map. */
bool zones_hold(const Zones *zones, const int vertices[4]);

typedef struct CcdHitList {
    CcdHit *items;
    int count; /* found; beyond the capacity they are counted only */
    int capacity;
    WorkShare share;
} CcdHitList;

/* The result of a call. */
typedef struct ImpactEnd {
    bool resolved;     /* no hit is left, and all places are finite */
    Vec3 *left_at;     /* where it left them */
    uint8_t *suspects; /* per vertex: see impact_suspects() */
} ImpactEnd;

typedef struct Impact {
    const Skin *skin;
    Store store;
    SweptSurface surface;
    Zones zones;
    CcdHitList *found;             /* per slice of the surface */
    CcdHitList hits;               /* all of them */
    _Atomic unsigned char *tangle; /* per vertex: goes through something at x */
    uint8_t *moved;                /* per vertex, since the last search */
    WorkLimit work_limit;          /* of the substep; the caller resets it */
    ImpactEnd end, next;           /* of the last substep that ended, and of the last call */
} Impact;

typedef struct ImpactReport {
    int found;   /* hits in the first search */
    int passes;  /* of pushes */
    int zones;   /* vertices that had to move in zones */
    int left;    /* hits that are left */
    bool whole;  /* the search was complete; else it hit the work limit */
    int tangled; /* vertices of edges and triangles that go through each other at x */
} ImpactReport;

/* The skin must stay. */
StatusCode impact_build(Impact *impact, const Skin *skin, Status *status);
void impact_destroy(Impact *impact);

/* Changes z where needed so that no vertex passes through a triangle and no edge through an edge, as far as
 * the fixed vertices allow; those stay where they are. `fixed` may be null. `gap` is the distance at which pushed parts
 * end, m. Vertices that are not finite stay as they are, and so do parts that the search has not reached when it hits its
 * work limit. Takes memory only for more hits than ever before; false without it, and z is then undefined. */
bool impact_resolve(Impact *impact, Pool *pool, const Vec3 *x, const double *mass,
                    const uint8_t *fixed, double gap, Vec3 *z, ImpactReport *report);

/* Accepts the result of the last call as the end of the substep. */
void impact_settle(Impact *impact);

/* Marks the only vertices that can be tangled where the last substep ended: every edge that goes through a triangle there
 * has a marked vertex, and so has the triangle. Null if nothing is known: the cloth is elsewhere now, hits were left, the
 * search was incomplete or some places were not finite. */
const uint8_t *impact_suspects(const Impact *impact, const Vec3 *x);
