/* Sums of mass, way and spin over a zone's members, then one rigid motion for all of them. */
#include "contact/self/zones.h"

#include <string.h>

#include "mesh/adjacency.h"

/* Of the inertia's trace, added to its diagonal: members in one line have no turn about it. */
#define SLENDER 1e-9
/* The most a zone turns in one substep, rad: well below half a turn. */
#define MOST_TURN 1.0
/* Fixed members whose ways differ by less move as one, m. */
#define SAME_WAY 1e-12

void zones_take(Zones *zones, int vertex_count, Store *store) {
    *zones = (Zones){.vertex_count = vertex_count,
                     .members = STORE_ARRAY(store, int, vertex_count),
                     .parent = STORE_ARRAY(store, int, vertex_count),
                     .of = STORE_ARRAY(store, int, vertex_count),
                     .is_in = STORE_ARRAY(store, uint8_t, vertex_count),
                     .changed = STORE_ARRAY(store, uint8_t, vertex_count),
                     .sums = STORE_ARRAY(store, ZoneSum, vertex_count)};
    for (int v = 0; !store->failed && v < vertex_count; ++v) {
        zones->parent[v] = v;
        zones->of[v] = -1;
    }
}

void zones_clear(Zones *zones) {
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        zones->parent[v] = v;
        zones->of[v] = -1;
        zones->is_in[v] = zones->changed[v] = 0;
    }
    zones->count = 0;
}

static void take_in(Zones *zones, int v) {
    if (!zones->is_in[v]) {
        zones->is_in[v] = 1;
        zones->members[zones->count++] = v;
    }
}

bool zones_join(Zones *zones, int a, int b) {
    take_in(zones, a);
    take_in(zones, b);
    int first = components_root(zones->parent, a), second = components_root(zones->parent, b);
    if (first == second) {
        return false;
    }
    int root = first < second ? first : second;
    zones->parent[first] = zones->parent[second] = root;
    zones->changed[root] = 1;
    return true;
}

bool zones_grows(Zones *zones, int v) {
    return zones->of[v] >= 0 && zones->changed[components_root(zones->parent, v)];
}

bool zones_hold(const Zones *zones, const int vertices[4]) {
    int zone = zones->of[vertices[0]];
    return zone >= 0 && zones->of[vertices[1]] == zone && zones->of[vertices[2]] == zone &&
           zones->of[vertices[3]] == zone && zones->sums[zone].stiff;
}

/* --- moving ----------------------------------------------------------------------------------- */

static ZoneSum *changed_sum(const Zones *zones, int v) {
    int zone = zones->of[v];
    return zones->changed[zone] ? &zones->sums[zone] : NULL;
}

/* Mass, centre and mean way; ways of fixed members count alone where there are some. */
static void sum_ways(Zones *zones, const Vec3 *x, const double *mass, const uint8_t *fixed,
                     const Vec3 *z) {
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        ZoneSum *sum = changed_sum(zones, v);
        if (!sum) {
            continue;
        }
        Vec3 way = vec3_sub(z[v], x[v]);
        bool held = fixed && fixed[v];
        if (held && !sum->held) {
            sum->way = vec3(0, 0, 0);
        }
        sum->held += held;
        sum->mass += mass[v];
        sum->start = vec3_madd(sum->start, mass[v], x[v]);
        if (held || !sum->held) {
            sum->way = vec3_madd(sum->way, held ? 1.0 : mass[v], way);
        }
    }
}

/* Divides the sums the first time a member meets its zone: that is the zone's own first vertex, or any. */
static void take_means(Zones *zones) {
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        ZoneSum *sum = zones->of[v] == v ? changed_sum(zones, v) : NULL;
        if (sum) {
            sum->start = vec3_scale(1.0 / sum->mass, sum->start);
            sum->way = vec3_scale(1.0 / (sum->held ? sum->held : sum->mass), sum->way);
        }
    }
}

/* Angular momentum and inertia of free zones; whether the fixed members of others move alike. */
static void sum_spins(Zones *zones, const Vec3 *x, const double *mass, const uint8_t *fixed,
                      const Vec3 *z) {
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        ZoneSum *sum = changed_sum(zones, v);
        if (!sum) {
            continue;
        }
        Vec3 r = vec3_sub(x[v], sum->start), way = vec3_sub(vec3_sub(z[v], x[v]), sum->way);
        if (sum->held) {
            sum->stiff &= !(fixed[v] && vec3_length(way) > SAME_WAY);
            continue;
        }
        double m = mass[v], *inertia = sum->inertia;
        sum->spin = vec3_madd(sum->spin, m, vec3_cross(r, way));
        inertia[0] += m * (r.y * r.y + r.z * r.z);
        inertia[1] += m * (r.z * r.z + r.x * r.x);
        inertia[2] += m * (r.x * r.x + r.y * r.y);
        inertia[3] -= m * r.y * r.z;
        inertia[4] -= m * r.z * r.x;
        inertia[5] -= m * r.x * r.y;
    }
}

/* From angular momentum to the turn. */
static void find_turn(ZoneSum *sum) {
    const double *inertia = sum->inertia;
    double more = SLENDER * (inertia[0] + inertia[1] + inertia[2]);
    Vec3 a = vec3(inertia[0] + more, inertia[5], inertia[4]);
    Vec3 b = vec3(inertia[5], inertia[1] + more, inertia[3]);
    Vec3 c = vec3(inertia[4], inertia[3], inertia[2] + more);
    Vec3 bc = vec3_cross(b, c), ca = vec3_cross(c, a), ab = vec3_cross(a, b);
    double volume = vec3_dot(a, bc);
    Vec3 zero = {0, 0, 0}, spin = sum->spin;
    if (sum->held || !(volume > 0)) {
        sum->spin = zero;
        return;
    }
    Vec3 turn = vec3_madd(vec3_scale(spin.x, bc), spin.y, ca);
    turn = vec3_scale(1.0 / volume, vec3_madd(turn, spin.z, ab));
    double angle = vec3_length(turn);
    sum->spin = !isfinite(angle)    ? zero
                : angle > MOST_TURN ? vec3_scale(MOST_TURN / angle, turn)
                                    : turn;
}

/* What the turn adds to r. */
static Vec3 turned(Vec3 r, Vec3 turn) {
    double angle = vec3_length(turn);
    if (!(angle > VEC3_TINY)) {
        return vec3_cross(turn, r);
    }
    Vec3 across = vec3_cross(turn, r), back = vec3_cross(turn, across);
    double half = sin(0.5 * angle) / angle;
    return vec3_madd(vec3_scale(sin(angle) / angle, across), 2 * half * half, back);
}

static void move_members(Zones *zones, const Vec3 *x, const uint8_t *fixed, Vec3 *z,
                         uint8_t *moved) {
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        const ZoneSum *sum = changed_sum(zones, v);
        if (!sum) {
            continue;
        }
        moved[v] = 1;
        if (!(fixed && fixed[v])) {
            Vec3 way = vec3_add(sum->way, turned(vec3_sub(x[v], sum->start), sum->spin));
            z[v] = vec3_add(x[v], way);
        }
    }
}

void zones_move(Zones *zones, const Vec3 *x, const double *mass, const uint8_t *fixed, Vec3 *z,
                uint8_t *moved) {
    memset(moved, 0, (size_t)zones->vertex_count);
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        zones->of[v] = components_root(zones->parent, v);
        if (zones->changed[zones->of[v]]) {
            zones->sums[zones->of[v]] = (ZoneSum){.stiff = 1};
        }
    }
    sum_ways(zones, x, mass, fixed, z);
    take_means(zones);
    sum_spins(zones, x, mass, fixed, z);
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        if (zones->of[v] == v && zones->changed[v]) {
            find_turn(&zones->sums[v]);
        }
    }
    move_members(zones, x, fixed, z, moved);
    for (int i = 0; i < zones->count; ++i) {
        zones->changed[zones->members[i]] = 0;
    }
}
