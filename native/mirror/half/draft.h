/* A half under construction, still in the caller's numbers: what exact.c and cut.c select, closures change, and half_build()
 * numbers at the end. */
#pragma once

#include "geometry/bvh.h"
#include "mirror/half/options.h"
#include "mirror/symmetry/symmetry.h"

typedef enum VertexKind {
    KIND_NONE, /* not in the half */
    KIND_FREE,
    KIND_RAIL,
    KIND_PLANE
} VertexKind;

/* Of the strips of a button. */
typedef enum StripLayer {
    LAYER_NONE,  /* rides on its own side */
    LAYER_INNER, /* of a front that is turned in */
    LAYER_FOLD,  /* where it is turned in */
    LAYER_OUTER
} StripLayer;

typedef struct Draft {
    const PolygonMesh *mesh;
    HalfOptions *options; /* a copy of the caller's, with the closure that links make */
    Store store;          /* scratch of building */
    MirrorFrame frame;
    Symmetry symmetry;
    double size;                       /* diagonal of the box around the mesh, m */
    int32_t *partners, *face_partners; /* as symmetry_find() gives them */
    int *first_corner;                 /* per caller's face, and one more */
    Vec3 *at;      /* per vertex, in the half's frame, m; vertices drawn onto the plane are there */
    uint8_t *kind; /* per vertex: VertexKind */
    uint8_t *drawn; /* per vertex: in the half it is not where the caller has it */
    uint8_t *extra; /* per vertex */
    Ride *rides;    /* per vertex, on vertices of the caller */
    int face_count, corner_count, edge_count;
    int32_t *face_sizes; /* kept faces, or triangles of them */
    int32_t *vertices;   /* of all their corners */
    int32_t *corners;    /* likewise: which of the caller's corners it is, for its UV */
    int32_t *edges;      /* two vertices each */
    int front_count;
    double gap;     /* m, of a button */
    uint8_t *layer; /* per vertex: StripLayer; of a button */
    int line_count; /* sides of faces between strips and cloth: two vertices each */
    int (*line)[2];
    double outward; /* 1: normals point out of the garment; -1: into it */
    int mirrored_to_the_bit;
} Draft;

/* Rides on one vertex. */
static inline Ride ride_on(int vertex, int mirrored) {
    return (Ride){
        .vertices = {vertex, vertex, vertex}, .weights = {1, 0, 0}, .mirrored = (uint8_t)mirrored};
}

/* Adds a face of `count` of the caller's corners. */
void draft_add_face(Draft *draft, const int32_t *corners, int count);
void draft_add_edge(Draft *draft, int a, int b);

/* All of a mesh as a draft with a store of its own: what surfaces are made of, and fronts looked for in. Returns -1 without
 * memory, else 0. */
int draft_of_mesh(const PolygonMesh *mesh, const MirrorFrame *frame, Draft *whole);

/* Union-find over the faces and loose edges of a mesh: what hangs together. */
void draft_components(int *parent, const PolygonMesh *mesh);

/* The sides of the draft's faces that belong to one face only, where `chosen` is null; else those between a chosen
 * face and one that is not. Returns their number, or -1 without memory. */
int draft_sides_between(Draft *draft, const uint8_t *chosen, int (**edges)[2]);

/* The selections: fill everything above but what symmetry_find() filled. */
StatusCode exact_select(Draft *draft, Status *status);
StatusCode cut_select(Draft *draft, Status *status);

/* --- its surface ------------------------------------------------------------------------------ */

/* The surface of a half on the way, and the place on it that is nearest to a point: where a vertex of the other
 * side rides. Triangles and loose edges; built once, asked once a vertex. */

typedef struct Surface {
    const Draft *draft;
    int count;         /* of triangles; a loose edge is one with a corner twice */
    int (*corners)[3]; /* vertices */
    Vec3 *normals;     /* per vertex, of length 1: the same that half_carry() uses */
    WideBvh tree;      /* over the triangles */
} Surface;

/* Takes its memory from the store, which remembers a failure: returns -1 then, else 0. */
int surface_build(const Draft *draft, Store *store, Surface *surface);

/* The ride (of the kept side) at the place nearest to `point`; `facing` is the normal of the cloth there, or zero:
 * layers that face the other way are taken only where there is no other. The distance that is left goes into
 * the lift as far as it is along the normal. A point beside the rim rides a little past it, with a weight below 0; one
 * farther off gives up what is not along the normal. There is at least one triangle. */
Ride surface_ride(const Surface *surface, Vec3 point, Vec3 facing);

/* Where a ride is on the surface at rest, before it is mirrored. */
Vec3 surface_point(const Surface *surface, const Ride *ride);

/* m: from a point to the nearest place, whichever way that faces; infinite if it is too far away to tell. */
double surface_distance(const Surface *surface, Vec3 point);

/* --- how alike the sides are ------------------------------------------------------------------ */

/* How alike the sides of a garment are, whatever their meshes: how far the mirror image of its surface is from it. A
 * garment that is cut in halves has one side simulated for both, so they must look alike. */

/* Refuses (mesh error) sides that are far from alike, warns of sides that are nearly so; both say how far, where, and what
 * to do instead. The draft's plane is known. */
StatusCode likeness_check(const Draft *draft, Status *status);
