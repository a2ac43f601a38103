/* Sets of vertices that move as one. Under one rotation and translation, taken straight from start to end,
 * the places in between are one linear map of the start, and one that can be undone as long as
 * the rotation is less than half a turn: what is not crossing at the start never does inside a zone. */
#ifndef CONTACT_SELF_ZONES_H
#define CONTACT_SELF_ZONES_H

#include <stdint.h>

#include "base/memory.h"
#include "base/vec3.h"

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

/* True if the vertex was in a zone when they last moved, and that has changed since. */
bool zones_grows(Zones *zones, int v);

/* Moves the zones that have changed: from x by the mean way and the mean turn of their members, by mass,
 * or by the mean way of their fixed members. Sets `moved` for their members and clears all other marks. */
void zones_move(Zones *zones, const Vec3 *x, const double *mass, const uint8_t *fixed, Vec3 *z,
                uint8_t *moved);

/* True if all four have last moved by one map. */
bool zones_hold(const Zones *zones, const int vertices[4]);

#endif
