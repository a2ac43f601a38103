/* Whether the garment is worn. Its openings are found by following borders from edge to edge; one without a limb is empty.
 * A limb that passes through the cloth is cut off from the rest of the body by the intersection line of the two surfaces.
 * Worn cloth has normals away from the body. */
#include "inspection/inspected.h"

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
/* An opening with less of a body in it is empty. */
#define EMPTY 0.02
/* A part of a body's surface that is cut off is a limb, not a dent in a flank, if its area vectors cancel so far: those of a
 * flat patch add up to 1, those of a sleeve's inside to its end over its length. */
#define CLOSED_UP 0.5
/* And if it is as large as this, of all the body's surface: a finger of a person has 1/600. */
#define SMALLEST_LIMB 1e-3
/* Cosine below which a triangle of the cloth does not show on which side the body is. */
#define OBLIQUE 0.3
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

/* Of vertices in one place the first stands for all. `places` is scratch. */
static void weld(int count, const Vec3 *rest, Place *places, int *welded) {
    for (int v = 0; v < count; ++v) {
        places[v] = (Place){rest[v], v};
    }
    qsort(places, (size_t)count, sizeof *places, compare_places);
    for (int i = 0; i < count; ++i) {
        bool same = i > 0 && is_same_place(places[i].at, places[i - 1].at);
        welded[places[i].vertex] = same ? welded[places[i - 1].vertex] : places[i].vertex;
    }
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

static void find_components(Openings *openings, const InspectedSurface *surface,
                            const int *welded) {
    int *parent = openings->component;
    memcpy(parent, welded, (size_t)surface->vertex_count * sizeof *parent);
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int *corners = surface->triangles[t];
        components_join_first(parent, corners[0], corners[1]);
        components_join_first(parent, corners[0], corners[2]);
    }
    openings->component_count = components_number(parent, surface->vertex_count);
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

static void find_neighbours(Neighbours *neighbours, const InspectedSurface *surface,
                            const int *welded) {
    for (int c = 0; c < 3 * surface->triangle_count; ++c) {
        neighbours->start[welded[surface->triangles[c / 3][c % 3]] + 2] += 2;
    }
    for (int v = 0; v < surface->vertex_count; ++v) {
        neighbours->start[v + 2] += neighbours->start[v + 1];
    }
    for (int c = 0; c < 3 * surface->triangle_count; ++c) {
        const int *corners = surface->triangles[c / 3];
        int *next = &neighbours->start[welded[corners[c % 3]] + 1];
        neighbours->vertices[(*next)++] = welded[corners[(c + 1) % 3]];
        neighbours->vertices[(*next)++] = welded[corners[(c + 2) % 3]];
    }
}

/* How straight the cloth behind a border goes on along the border's normal, against how much wider or narrower it becomes:
 * 1 behind a cuff, 0 around a hole in a flat cloth. Scratch per vertex: `offset`, negative before and after, and `queue`. */
static double find_straight(const Openings *openings, const Opening *opening,
                            const Neighbours *neighbours, const Vec3 *rest, double *offset,
                            int *queue) {
    double diameter = opening->length / PI, along = 0, aside = 0;
    Vec3 normal = vec3(0, 0, 0);
    int count = 0;
    for (int e = opening->first; e < opening->first + opening->count; ++e) {
        int a = openings->edges[e][0], b = openings->edges[e][1];
        normal = vec3_add(normal, vec3_cross(vec3_sub(rest[a], opening->middle),
                                             vec3_sub(rest[b], opening->middle)));
        if (offset[a] < 0) {
            offset[a] = 0;
            queue[count++] = a;
        }
    }
    normal = vec3_unit_or(normal, vec3(0, 0, 0));
    for (int i = 0; i < count; ++i) {
        int v = queue[i];
        if (offset[v] >= NEAR_BEHIND * diameter) {
            Vec3 arm = vec3_sub(rest[v], opening->middle);
            double height = vec3_dot(arm, normal);
            along += height;
            aside += fabs(vec3_length(vec3_madd(arm, -height, normal)) - 0.5 * diameter);
        }
        for (int n = neighbours->start[v]; n < neighbours->start[v + 1]; ++n) {
            int to = neighbours->vertices[n];
            double length = offset[v] + vec3_distance(rest[v], rest[to]);
            if (offset[to] < 0 && length <= FAR_BEHIND * diameter) {
                offset[to] = length;
                queue[count++] = to;
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        offset[queue[i]] = -1;
    }
    double all = plane_length(along, aside);
    return all > 0 ? fabs(along) / all : 0;
}

static double area_of(const InspectedSurface *surface) {
    double area = 0;
    for (int t = 0; t < surface->triangle_count; ++t) {
        area += 0.5 * vec3_length(surface_area_vector(surface, t));
    }
    return area;
}

static bool find_worn(Openings *openings, const InspectedSurface *surface, const int *welded,
                      Store *scratch) {
    int vertices = surface->vertex_count;
    Neighbours neighbours = {STORE_ARRAY(scratch, int, vertices + 2),
                             STORE_ARRAY(scratch, int, 6 * (size_t)surface->triangle_count)};
    double *offset = STORE_ARRAY(scratch, double, vertices);
    int *queue = STORE_ARRAY(scratch, int, vertices);
    if (scratch->failed) {
        return false;
    }
    find_neighbours(&neighbours, surface, welded);
    double shortest = SHORTEST * sqrt(area_of(surface));
    for (int v = 0; v < vertices; ++v) {
        offset[v] = -1;
    }
    for (int o = 0; o < openings->count; ++o) {
        Opening *opening = &openings->openings[o];
        measure_border(openings, opening, surface->x);
        opening->worn =
            openings->borders[opening->component] > 1 && opening->length >= shortest &&
            find_straight(openings, opening, &neighbours, surface->x, offset, queue) >= STRAIGHT;
    }
    return true;
}

/* --- building --------------------------------------------------------------------------------- */

static bool find_borders(Openings *openings, int vertex_count, const Side *sides, int count,
                         Store *store, Store *scratch) {
    openings->openings = STORE_ARRAY(store, Opening, count);
    openings->borders = STORE_ARRAY(store, int, openings->component_count);
    openings->held = STORE_ARRAY(store, bool, openings->component_count);
    openings->edges = store_take(store, (size_t)count, sizeof *openings->edges);
    Borders borders = {.count = count,
                       .sides = sides,
                       .start = STORE_ARRAY(scratch, int, (size_t)vertex_count + 2),
                       .at = STORE_ARRAY(scratch, int, 2 * (size_t)count),
                       .used = STORE_ARRAY(scratch, int, count)};
    if (store->failed || scratch->failed) {
        return false;
    }
    list_ends(&borders, vertex_count);
    follow_all(openings, &borders);
    return true;
}

StatusCode openings_build(Openings *openings, const InspectedSurface *surface, Store *store,
                          Status *status) {
    int vertices = surface->vertex_count, side_count = 3 * surface->triangle_count;
    Store scratch = {0};
    int *welded = STORE_ARRAY(&scratch, int, vertices);
    Place *places = STORE_ARRAY(&scratch, Place, vertices);
    Side *sides = STORE_ARRAY(&scratch, Side, side_count);
    *openings = (Openings){.component = STORE_ARRAY(store, int, vertices)};
    bool built = !store->failed && !scratch.failed;
    if (built) {
        weld(vertices, surface->x, places, welded);
        find_components(openings, surface, welded);
        for (int s = 0; s < side_count; ++s) {
            const int *c = surface->triangles[s / 3];
            sides[s] = side_between(welded[c[s % 3]], welded[c[(s % 3 + 1) % 3]], s / 3);
        }
        built = sort_records(sides, (size_t)side_count, sizeof *sides, vertices, side_compare) &&
                find_borders(openings, vertices, sides, keep_borders(sides, side_count), store,
                             &scratch) &&
                find_worn(openings, surface, welded, &scratch);
    }
    store_release(&scratch);
    return built ? STATUS_OK : status_no_memory(status, "the openings of a garment");
}

/* --- how much of them is filled --------------------------------------------------------------- */

/* Whether a solid is around a point. */
static bool is_in_body(const Inspection *inspection, Vec3 point) {
    for (int b = 0; b < inspection->body_count; ++b) { /* those that are gone have no parts */
        const Collider *collider = &inspection->bodies[b].collider;
        bool open = false;
        for (int p = 0; p < collider->part_count; ++p) {
            open |= collider->parts[p].solid && !collider->parts[p].closed;
        }
        Hit hit;
        if (collider_solids_around(collider, point) > 0 ||
            (open && collider_closest(collider, point, INFINITY, &hit) && hit.solid &&
             hit.signed_distance < 0)) {
            return true;
        }
    }
    return false;
}

/* The part of the fan between border and middle that is inside of bodies. */
static double measure_filled(const Inspection *inspection, const Opening *opening) {
    const Openings *openings = &inspection->openings;
    const Vec3 *x = inspection->x;
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
            inside += is_in_body(inspection, vec3_madd(opening->middle, part, arm)) ? share : 0;
        }
    }
    return all > 0 ? inside / all : 0;
}

/* Without a solid body nothing is worn. */
static void judge_openings(Inspection *inspection, InspectionReport *report) {
    Openings *openings = &inspection->openings;
    memset(openings->held, 0, (size_t)openings->component_count * sizeof *openings->held);
    for (int o = 0; o < openings->count && inspection->solid; ++o) {
        Opening *opening = &openings->openings[o];
        if (!opening->worn) {
            continue;
        }
        measure_border(openings, opening, inspection->x);
        opening->filled = measure_filled(inspection, opening);
        openings->held[opening->component] |= opening->filled > 0;
        ++report->openings_worn;
        report->fullest = fmax(report->fullest, opening->filled);
        if (opening->filled < EMPTY) {
            ++report->openings_empty;
            add_place(inspection, PLACE_EMPTY, -1, openings->edges[opening->first][0], -1, NULL,
                      opening->middle);
        }
    }
}

/* --- limbs through the cloth ------------------------------------------------------------------ */

/* Connects the vertices of a body by edges that do not pass through the cloth. */
static void find_islands(InspectedBody *body) {
    const InspectedSurface *surface = &body->surface;
    const Crossings *crossings = &body->body_edges;
    for (int v = 0; v < surface->vertex_count; ++v) {
        body->island[v] = v;
        body->island_area[v] = 0;
        body->island_vector[v] = vec3(0, 0, 0);
    }
    for (int e = 0, next = 0; e < surface->edge_count; ++e) {
        if (next < crossings->count && crossings->items[next].edge == e) {
            while (next < crossings->count && crossings->items[next].edge == e) {
                ++next;
            }
        } else {
            components_join_first(body->island, surface->edges[e][0], surface->edges[e][1]);
        }
    }
    for (int v = 0; v < surface->vertex_count; ++v) {
        body->island[v] = components_root(body->island, v);
    }
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int *c = surface->triangles[t];
        int island = body->island[c[0]];
        if (island == body->island[c[1]] && island == body->island[c[2]]) {
            Vec3 area = vec3_scale(0.5, surface_area_vector(surface, t));
            body->island_area[island] += vec3_length(area);
            body->island_vector[island] = vec3_add(body->island_vector[island], area);
        }
    }
}

static bool is_limb(const InspectedBody *body, int island) {
    double area = body->island_area[island];
    return area > SMALLEST_LIMB * body->area &&
           vec3_length(body->island_vector[island]) < CLOSED_UP * area;
}

/* The largest island of every part is the body; the others are cut off from it. `largest` is per part. */
static void report_limbs(Inspection *inspection, int number, const int *largest,
                         InspectionReport *report) {
    InspectedBody *body = &inspection->bodies[number];
    for (int i = 0; i < body->body_edges.count; ++i) {
        const Crossing *crossing = &body->body_edges.items[i];
        const int *ends = body->surface.edges[crossing->edge];
        int part = body->collider.part[body->surface.first[crossing->edge]];
        for (int end = 0; end < 2 && body->collider.parts[part].solid; ++end) {
            int island = body->island[ends[end]];
            if (island != largest[part] && is_limb(body, island)) {
                body->island_area[island] = 0; /* each is reported once */
                ++report->limbs_through;
                add_place(inspection, PLACE_LIMB, number, -1, -1,
                          inspection->triangles[crossing->triangle], crossing->point);
            }
        }
    }
}

static void find_limbs(Inspection *inspection, int number, InspectionReport *report) {
    InspectedBody *body = &inspection->bodies[number];
    if (body->body_edges.count == 0) {
        return;
    }
    find_islands(body);
    for (int p = 0; p < body->collider.part_count; ++p) {
        body->largest[p] = -1;
    }
    body->area = 0;
    for (int t = 0; t < body->surface.triangle_count; ++t) {
        int part = body->collider.part[t];
        int *largest = &body->largest[part], island = body->island[body->surface.triangles[t][0]];
        if (*largest < 0 || body->island_area[island] > body->island_area[*largest]) {
            *largest = island;
        }
    }
    for (int v = 0; v < body->surface.vertex_count; ++v) {
        body->area += body->island_area[v];
    }
    report_limbs(inspection, number, body->largest, report);
}

/* --- which side is out ------------------------------------------------------------------------ */

/* Of the parts of the garment that a limb is in, how much turns its back to the nearest body. */
static double find_outward(const Inspection *inspection) {
    const Openings *openings = &inspection->openings;
    double outward = 0, all = 0;
    for (int t = 0; t < inspection->surface.triangle_count; ++t) {
        const int *c = inspection->triangles[t];
        if (!openings->held[openings->component[c[0]]]) {
            continue;
        }
        Vec3 area = surface_area_vector(&inspection->surface, t);
        double along = vec3_dot(area, inspection->near[c[0]].normal), size = vec3_length(area);
        if (fabs(along) > OBLIQUE * size) {
            outward += along > 0 ? size : 0;
            all += size;
        }
    }
    return all > 0 ? outward / all : -1;
}

void report_wearing(Inspection *inspection, InspectionReport *report) {
    inspection->solid = false;
    for (int b = 0; b < inspection->body_count; ++b) {
        if (inspection->bodies[b].present) {
            find_limbs(inspection, b, report);
            inspection->solid |= inspection->bodies[b].solid;
        }
    }
    judge_openings(inspection, report);
    report->outward = inspection->solid ? find_outward(inspection) : -1;
}
