/* The last line of defence against cloth that passes through itself within a substep.
 *
 * The solver has found ends z for a substep that starts at x. Here all straight ways x -> z are made free
 * of crossings, in three steps:
 * 1. A look finds every vertex that meets a triangle and every edge that meets an edge.
 * 2. Passes: for each meeting, in a fixed order, the ends of its four vertices are moved along the normal
 *    so that the parts end a gap apart on the side they came from. Masses share the push,
 *    momentum is kept. Then another look at what has moved.
 * 3. What still meets after the last pass moves as one: meetings that share vertices make a zone, zones
 *    grow and merge until nothing meets (zones.h).
 *
 * Left out are parts that touch at x, and those with vertices on both sides that take part in an edge
 * going through a triangle at x: there is no side to keep them on, and they must be free to part. */
#ifndef CONTACT_SELF_IMPACT_H
#define CONTACT_SELF_IMPACT_H

#include <stdint.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "contact/self/pair_ccd.h"
#include "contact/self/swept_surface.h"

/* Sets of vertices that move as one. Under one rotation and translation, taken straight from start to end,
 * the places in between are one linear map of the start, and one that can be undone as long as
 * the rotation is less than half a turn: what is not crossing at the start never does inside a zone. */

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

/* How a call has left the vertices. */
typedef struct ImpactEnd {
    bool resolved;     /* it left no meeting, nor what is not finite */
    Vec3 *left_at;     /* where it left them */
    uint8_t *suspects; /* per vertex: see impact_suspects() */
} ImpactEnd;

typedef struct Impact {
    const Skin *skin;
    Store store;
    SweptSurface surface;
    Zones zones;
    CcdHitList *found;             /* per slice of the surface */
    CcdHitList meetings;           /* all of them */
    _Atomic unsigned char *tangle; /* per vertex: goes through something at x */
    uint8_t *moved;                /* per vertex, since the last look */
    WorkLimit work_limit;          /* of the substep; filled up by the caller */
    ImpactEnd end, next;           /* of the last substep that ended, and of the last call */
} Impact;

typedef struct ImpactReport {
    int found;   /* meetings in the first look */
    int passes;  /* of pushes */
    int zones;   /* vertices that had to move in zones */
    int left;    /* meetings that are left */
    bool whole;  /* all was looked at; else the work limit was reached */
    int tangled; /* vertices of edges and triangles that go through each other at x */
} ImpactReport;

/* The skin must live on. */
StatusCode impact_build(Impact *impact, const Skin *skin, Status *status);
void impact_destroy(Impact *impact);

/* Changes z where needed so that no vertex passes through a triangle and no edge through an edge, as far as
 * the fixed vertices allow; those stay where they are. `fixed` may be null. `gap` is the distance, m,
 * at which what was pushed ends. Vertices that are not finite are left alone. Where the work limit is reached, what has
 * not been looked at stays as it is. Takes memory only
 * for more meetings than there ever were; false if that cannot be had, when z means nothing. */
bool impact_resolve(Impact *impact, Pool *pool, const Vec3 *x, const double *mass,
                    const uint8_t *fixed, double gap, Vec3 *z, ImpactReport *report);

/* The substep has ended where the last call left the vertices. */
void impact_settle(Impact *impact);

/* Where the last substep ended nothing goes through anything but what did so before: every edge that goes through a
 * triangle there has a vertex that is marked here, and so has the triangle. Null if the cloth is not there now, if
 * meetings were left, if not all was looked at or if some places were not finite: then it may be any. */
const uint8_t *impact_suspects(const Impact *impact, const Vec3 *x);

#endif
