/* An inspection from within: surfaces and their crossings, openings, bodies, findings. Shared by the files of this folder. */
#pragma once

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "contact/body/collider.h"
#include "contact/skin.h"
#include "geometry/bvh.h"
#include "inspection/report.h"
#include "mesh/mesh.h"

/* A surface of triangles at its present place: its edges, the triangles that share them, and a tree of boxes. */

typedef struct InspectedSurface {
    int vertex_count, triangle_count, edge_count;
    const int (*triangles)[3];
    const Vec3 *x;   /* the owner's, m; inspected_surface_update() after they have moved */
    int (*edges)[2]; /* each once, the smaller vertex first, sorted */
    int (*sides)[3]; /* per triangle: the edge between corners k and k + 1 */
    int *first;      /* per edge: the first of its triangles, which tests it for all of them */
    Box *boxes;      /* per triangle */
    Bvh tree;
} InspectedSurface;

/* `triangles` and `x` must stay; all else comes from `store`. */
StatusCode inspected_surface_build(InspectedSurface *surface, int vertex_count, int triangle_count,
                                   const int (*triangles)[3], const Vec3 *x, Store *store,
                                   Status *status);

void inspected_surface_update(InspectedSurface *surface, Pool *pool);

/* Twice the area of a triangle, along its normal. */
static inline Vec3 surface_area_vector(const InspectedSurface *surface, int t) {
    const int *c = surface->triangles[t];
    Vec3 a = surface->x[c[0]];
    return vec3_cross(vec3_sub(surface->x[c[1]], a), vec3_sub(surface->x[c[2]], a));
}

static inline bool is_same_place(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* Edges that pass through triangles: of one surface through another, both ways, and of a surface through itself.
 *
 * An edge passes through a triangle if its ends are on two sides of it, each further away than the tolerance, and its
 * line passes within; through a side between two triangles it passes once. So touching does not count. Within one surface
 * an edge that ends in a corner of the triangle, or in the same place (an unsewn seam), does not count either. */

typedef struct Crossing {
    int edge;     /* of the one surface */
    int triangle; /* of the other */
    Vec3 point;
} Crossing;

typedef struct Crossings {
    int count, room;
    Crossing *items; /* sorted by edge and triangle */
    bool failed;     /* there was no memory for all of them */
} Crossings;

void crossings_free(Crossings *crossings);

/* Replaces the lists: edges of `one` through `other`, and the other way round; if both are the same surface, all are in the
 * first list. Lengths up to `tolerance` (m) count as zero. */
StatusCode crossings_find(Pool *pool, const InspectedSurface *one, const InspectedSurface *other,
                          double tolerance, Crossings *through_other, Crossings *through_one,
                          Status *status);

/* The openings of a garment, such as cuffs, hems, collars and waists, and how much of a body is in them.
 *
 * An opening is a closed border. Vertices in one place at rest count as one, so that an unsewn seam is no border. Only parts
 * of a garment with two or more closed borders count, since a sheet has one; and of these only borders that are long enough
 * and have the cloth behind them as a tube, not around them as at a cut-out. */

typedef struct Opening {
    int first, count; /* of its edges */
    int component;    /* of the garment, by its number among all */
    double length;    /* m, as it is now */
    Vec3 middle;
    bool worn;     /* a body should pass through it */
    double filled; /* how much of it is inside of bodies, 0 to 1 */
} Opening;

typedef struct Openings {
    int count, component_count;
    Opening *openings;
    int (*edges)[2]; /* of the borders, in order around each */
    int *borders;    /* per part of the garment: how many borders it has */
    bool *held;      /* likewise: something of a body is in one of its openings */
    int *component;  /* per vertex: which part of the garment, seams being sewn */
} Openings;

/* Of the garment at rest. Arrays come from `store`. */
StatusCode openings_build(Openings *openings, const InspectedSurface *surface, Store *store,
                          Status *status);

typedef struct InspectedBody {
    bool present;
    Store store;
    Collider collider;
    InspectedSurface surface; /* of the collider's triangles */
    Vec3 *place;
    int *guess; /* per vertex of the cloth: the triangle that was nearest; -1 for none */
    bool solid; /* a part of it is */
    /* Scratch. An island is a connected component of the surface without the edges that pass through the cloth; its first
     * vertex is its number. */
    int *island;                       /* per vertex of the body */
    double *island_area;               /* m^2 */
    Vec3 *island_vector;               /* sum of its area vectors */
    int *largest;                      /* per part: its largest island */
    double area;                       /* m^2, of all islands */
    Crossings cloth_edges, body_edges; /* through each other */
} InspectedBody;

/* The nearest solid at a vertex. */
typedef struct Nearness {
    double distance; /* m, negative inside; infinite without a solid */
    Vec3 normal;     /* of the body there, unit */
    int body;
} Nearness;

typedef struct Inspection {
    Store store;
    Mesh mesh;
    Vec3 *x;
    int (*triangles)[3];
    InspectedSurface surface;
    Openings openings;
    InspectedBody *bodies;
    int body_count;
    Nearness *near;   /* per vertex */
    double *ratios;   /* per edge: scratch */
    const Sewn *sewn; /* null: nothing is */
    Crossings self;
    double size;      /* m: the root of its area */
    double tolerance; /* m: lengths that mean nothing */
    bool solid;       /* one of the bodies is */
    InspectionPlace places[PLACE_KINDS][PLACES_EACH];
    int place_count[PLACE_KINDS];
} Inspection;

/* Notes a finding, if there is room for it: of one vertex (b = -1), of an edge a-b, of a triangle (null: none). */
static inline void add_place(Inspection *inspection, InspectionPlaceKind kind, int body, int a,
                             int b, const int *triangle, Vec3 at) {
    int *count = &inspection->place_count[kind];
    if (*count < PLACES_EACH) {
        inspection->places[kind][(*count)++] =
            (InspectionPlace){.kind = kind,
                              .body = body,
                              .vertices = {a, b},
                              .corners = {triangle ? triangle[0] : -1, triangle ? triangle[1] : -1,
                                          triangle ? triangle[2] : -1},
                              .point = {at.x, at.y, at.z}};
    }
}

/* openings.c: limbs outside their openings, and garments inside out. */
void report_wearing(Inspection *inspection, InspectionReport *report);
