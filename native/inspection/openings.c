/* Follows borders from edge to edge; counts what is inside on rings between border and middle. */
#include "inspection/inspection_internal.h"

#include <stdlib.h>

#include "base/sort.h"
#include "mesh/adjacency.h"

/* A border is an opening to be worn if it is at least this long, in roots of the garment's area: a cuff has 0.1, a
 * buttonhole 0.02. */
#define SHORTEST 0.04
/* And if the cloth behind it goes straight on by this much: a sleeve has 0.9, one that is
 * turned in 0.35, a cut-out of a flat front nothing. */
#define STRAIGHT 0.3
/* How far behind, in diameters of the border: further than hems and plackets are wide. */
#define NEAR_BEHIND 0.5
#define FAR_BEHIND 2.0
/* Samples of an opening: about this many places around, and rings of equal area. */
#define AROUND 32
#define RINGS 8
#define PI 3.14159265358979323846

/* --- borders ---------------------------------------------------------------------------------- */

typedef struct Place {
    Vec3 at;
    int vertex;
} Place;

static int compare_places(const void *left, const void *right) {
    const Place *p = left, *q = right;
    for (int axis = 0; axis < 3; ++axis) {
        double a = vec3_along(p->at, axis), b = vec3_along(q->at, axis);
        if (a != b) {
            return a < b ? -1 : 1;
        }
    }
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static bool is_same_place(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* Of vertices in one place the first stands for all. */
static bool weld(int count, const Vec3 *rest, int *welded) {
    Place *places = SCRATCH_ARRAY(Place, count);
    if (!places) {
        return false;
    }
    for (int v = 0; v < count; ++v) {
        places[v] = (Place){rest[v], v};
    }
    qsort(places, (size_t)count, sizeof *places, compare_places);
    for (int i = 0; i < count; ++i) {
        bool same = i > 0 && is_same_place(places[i].at, places[i - 1].at);
        welded[places[i].vertex] = same ? welded[places[i - 1].vertex] : places[i].vertex;
    }
    free(places);
    return true;
}

/* The sides that one triangle alone has, at the front of `sides`. Returns how many. */
static int keep_borders(Side *sides, int count) {
    int kept = 0;
    for (int begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && side_is_same(&sides[end], &sides[begin])) {
            ++end;
        }
        if (end == begin + 1 && sides[begin].a != sides[begin].b) {
            sides[kept++] = sides[begin];
        }
    }
    return kept;
}

typedef struct Borders {
    int count;
    const Side *sides;
    int *start, *at; /* per vertex: the border's sides that end there */
    int *used;       /* per side */
} Borders;

static void list_ends(const Borders *borders, int vertex_count) {
    for (int s = 0; s < borders->count; ++s) {
        ++borders->start[borders->sides[s].a + 2];
        ++borders->start[borders->sides[s].b + 2];
    }
    for (int v = 0; v < vertex_count; ++v) {
        borders->start[v + 2] += borders->start[v + 1];
    }
    for (int s = 0; s < borders->count; ++s) {
        borders->at[borders->start[borders->sides[s].a + 1]++] = s;
        borders->at[borders->start[borders->sides[s].b + 1]++] = s;
    }
}

/* A side of the border at this vertex that has not been taken; -1 if there is none. */
static int next_side(const Borders *borders, int vertex) {
    for (int i = borders->start[vertex]; i < borders->start[vertex + 1]; ++i) {
        if (!borders->used[borders->at[i]]) {
            return borders->at[i];
        }
    }
    return -1;
}

/* Follows the border from a side until it is back; returns how many edges were written. */
static int follow(const Borders *borders, int side, int (*edges)[2]) {
    int begin = borders->sides[side].a, at = begin, count = 0;
    while (side >= 0 && (count == 0 || at != begin)) {
        const Side *now = &borders->sides[side];
        int to = now->a == at ? now->b : now->a;
        borders->used[side] = 1;
        edges[count][0] = at;
        edges[count++][1] = to;
        at = to;
        side = next_side(borders, at);
    }
    return count;
}

static void follow_all(Openings *openings, const Borders *borders) {
    int done = 0;
    for (int s = 0; s < borders->count; ++s) {
        if (!borders->used[s]) {
            int count = follow(borders, s, openings->edges + done);
            openings->openings[openings->count++] =
                (Opening){.first = done,
                          .count = count,
                          .component = openings->component[borders->sides[s].a]};
            ++openings->borders[openings->openings[openings->count - 1].component];
            done += count;
        }
    }
}

static void find_components(Openings *openings, int vertex_count, int triangle_count,
                            const int (*triangles)[3], const int *welded) {
    int *parent = openings->component;
    for (int v = 0; v < vertex_count; ++v) {
        parent[v] = welded[v];
    }
    for (int t = 0; t < triangle_count; ++t) {
        components_join_first(parent, triangles[t][0], triangles[t][1]);
        components_join_first(parent, triangles[t][0], triangles[t][2]);
    }
    openings->component_count = components_number(parent, vertex_count);
}

/* --- which of them are worn ------------------------------------------------------------------- */

static void measure_border(const Openings *openings, Opening *opening, const Vec3 *x) {
    Vec3 sum = vec3(0, 0, 0);
    opening->length = 0;
    for (int e = opening->first; e < opening->first + opening->count; ++e) {
        Vec3 a = x[openings->edges[e][0]], b = x[openings->edges[e][1]];
        double length = vec3_distance(a, b);
        opening->length += length;
        sum = vec3_madd(sum, 0.5 * length, vec3_add(a, b));
    }
    opening->middle = vec3_scale(opening->length > 0 ? 1.0 / opening->length : 1.0, sum);
}

/* Who is joined to whom by an edge, seams being sewn. */
typedef struct Neighbours {
    int *start, *vertices;
} Neighbours;

static bool find_neighbours(Neighbours *neighbours, int vertex_count, int triangle_count,
                            const int (*triangles)[3], const int *welded) {
    neighbours->start = SCRATCH_ARRAY(int, (size_t)vertex_count + 2);
    neighbours->vertices = SCRATCH_ARRAY(int, 6 * (size_t)triangle_count);
    if (!neighbours->start || !neighbours->vertices) {
        return false;
    }
    for (int t = 0; t < triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            neighbours->start[welded[triangles[t][k]] + 2] += 2;
        }
    }
    for (int v = 0; v < vertex_count; ++v) {
        neighbours->start[v + 2] += neighbours->start[v + 1];
    }
    for (int t = 0; t < triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            int *next = &neighbours->start[welded[triangles[t][k]] + 1];
            neighbours->vertices[(*next)++] = welded[triangles[t][(k + 1) % 3]];
            neighbours->vertices[(*next)++] = welded[triangles[t][(k + 2) % 3]];
        }
    }
    return true;
}

/* How far the cloth some way behind a border has gone along the border's normal, and how much wider or narrower it has become:
 * 1 behind a cuff, 0 around a hole in a flat cloth. `way` (per vertex) comes and goes negative; `queue` has room for all. */
static double find_straight(const Openings *openings, const Opening *opening,
                            const Neighbours *neighbours, const Vec3 *rest, double *way,
                            int *queue) {
    double diameter = opening->length / PI, along = 0, aside = 0;
    Vec3 normal = vec3(0, 0, 0);
    int count = 0;
    for (int e = opening->first; e < opening->first + opening->count; ++e) {
        int a = openings->edges[e][0], b = openings->edges[e][1];
        normal = vec3_add(normal, vec3_cross(vec3_sub(rest[a], opening->middle),
                                             vec3_sub(rest[b], opening->middle)));
        if (way[a] < 0) {
            way[a] = 0;
            queue[count++] = a;
        }
    }
    normal = vec3_unit_or(normal, vec3(0, 0, 0));
    for (int i = 0; i < count; ++i) {
        int v = queue[i];
        if (way[v] >= NEAR_BEHIND * diameter) {
            Vec3 arm = vec3_sub(rest[v], opening->middle);
            double height = vec3_dot(arm, normal);
            along += height;
            aside += fabs(vec3_length(vec3_madd(arm, -height, normal)) - 0.5 * diameter);
        }
        for (int n = neighbours->start[v]; n < neighbours->start[v + 1]; ++n) {
            int to = neighbours->vertices[n];
            double length = way[v] + vec3_distance(rest[v], rest[to]);
            if (way[to] < 0 && length <= FAR_BEHIND * diameter) {
                way[to] = length;
                queue[count++] = to;
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        way[queue[i]] = -1;
    }
    double all = plane_length(along, aside);
    return all > 0 ? fabs(along) / all : 0;
}

static double area_of(int triangle_count, const int (*triangles)[3], const Vec3 *rest) {
    double area = 0;
    for (int t = 0; t < triangle_count; ++t) {
        Vec3 a = rest[triangles[t][0]], ab = vec3_sub(rest[triangles[t][1]], a);
        area += 0.5 * vec3_length(vec3_cross(ab, vec3_sub(rest[triangles[t][2]], a)));
    }
    return area;
}

static bool find_worn(Openings *openings, int vertex_count, int triangle_count,
                      const int (*triangles)[3], const Vec3 *rest, const int *welded) {
    Neighbours neighbours = {0};
    double *way = SCRATCH_ARRAY(double, vertex_count);
    int *queue = SCRATCH_ARRAY(int, vertex_count);
    bool worked = way && queue &&
                  find_neighbours(&neighbours, vertex_count, triangle_count, triangles, welded);
    double shortest = SHORTEST * sqrt(area_of(triangle_count, triangles, rest));
    for (int v = 0; v < vertex_count && worked; ++v) {
        way[v] = -1;
    }
    for (int o = 0; o < openings->count && worked; ++o) {
        Opening *opening = &openings->openings[o];
        measure_border(openings, opening, rest);
        opening->worn = openings->borders[opening->component] > 1 && opening->length >= shortest &&
                        find_straight(openings, opening, &neighbours, rest, way, queue) >= STRAIGHT;
    }
    free(neighbours.start);
    free(neighbours.vertices);
    free(way);
    free(queue);
    return worked;
}

/* --- building --------------------------------------------------------------------------------- */

static StatusCode find_borders(Openings *openings, int vertex_count, const Side *sides, int count,
                               Store *store) {
    openings->openings = STORE_ARRAY(store, Opening, count);
    openings->borders = STORE_ARRAY(store, int, openings->component_count);
    openings->held = STORE_ARRAY(store, bool, openings->component_count);
    openings->edges = store_take(store, (size_t)count, sizeof *openings->edges);
    Borders borders = {.count = count,
                       .sides = sides,
                       .start = SCRATCH_ARRAY(int, (size_t)vertex_count + 2),
                       .at = SCRATCH_ARRAY(int, 2 * (size_t)count),
                       .used = SCRATCH_ARRAY(int, count)};
    bool worked = !store->failed && borders.start && borders.at && borders.used;
    if (worked) {
        list_ends(&borders, vertex_count);
        follow_all(openings, &borders);
    }
    free(borders.start);
    free(borders.at);
    free(borders.used);
    return worked ? STATUS_OK : STATUS_ERROR_MEMORY;
}

StatusCode openings_build(Openings *openings, int vertex_count, int triangle_count,
                          const int (*triangles)[3], const Vec3 *rest, Store *store,
                          Status *status) {
    *openings = (Openings){.component = STORE_ARRAY(store, int, vertex_count)};
    size_t side_count = 3 * (size_t)triangle_count;
    int *welded = SCRATCH_ARRAY(int, vertex_count);
    Side *sides = SCRATCH_ARRAY(Side, side_count);
    StatusCode code = STATUS_ERROR_MEMORY;
    if (!store->failed && welded && sides && weld(vertex_count, rest, welded)) {
        find_components(openings, vertex_count, triangle_count, triangles, welded);
        for (int s = 0; s < (int)side_count; ++s) {
            const int *c = triangles[s / 3];
            sides[s] = side_between(welded[c[s % 3]], welded[c[(s % 3 + 1) % 3]], s / 3);
        }
        if (sort_records(sides, side_count, sizeof *sides, vertex_count, side_compare)) {
            code = find_borders(openings, vertex_count, sides, keep_borders(sides, (int)side_count),
                                store);
        }
        if (code == STATUS_OK &&
            !find_worn(openings, vertex_count, triangle_count, triangles, rest, welded)) {
            code = STATUS_ERROR_MEMORY;
        }
    }
    free(welded);
    free(sides);
    return code == STATUS_OK ? code : status_no_memory(status, "the openings of a garment");
}

/* --- how much of them is filled --------------------------------------------------------------- */

/* The part of the fan between border and middle that is inside of bodies. */
static double measure_filled(const Openings *openings, const Opening *opening, const Vec3 *x,
                             OpeningHolds holds, void *context) {
    int step = opening->count > AROUND ? opening->count / AROUND : 1;
    double inside = 0, all = 0;
    for (int e = 0; e < opening->count; e += step) {
        Vec3 a = x[openings->edges[opening->first + e][0]];
        Vec3 b = x[openings->edges[opening->first + e][1]];
        Vec3 arm = vec3_sub(vec3_scale(0.5, vec3_add(a, b)), opening->middle);
        Vec3 area = vec3_cross(vec3_sub(a, opening->middle), vec3_sub(b, opening->middle));
        double share = vec3_length(area) / RINGS;
        for (int ring = 0; ring < RINGS; ++ring) {
            double part = sqrt((ring + 0.5) / RINGS);
            all += share;
            inside += holds(context, vec3_madd(opening->middle, part, arm)) ? share : 0;
        }
    }
    return all > 0 ? inside / all : 0;
}

void openings_measure(Openings *openings, const Vec3 *x, OpeningHolds holds, void *context) {
    for (int c = 0; c < openings->component_count; ++c) {
        openings->held[c] = false;
    }
    for (int o = 0; o < openings->count; ++o) {
        Opening *opening = &openings->openings[o];
        if (opening->worn) {
            measure_border(openings, opening, x);
            opening->filled = holds ? measure_filled(openings, opening, x, holds, context) : 0;
            openings->held[opening->component] |= opening->filled > 0;
        }
    }
}
