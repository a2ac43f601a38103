/* A half on the way, still in the caller's numbers: what exact.c and cut.c select, closures change, and half_build()
 * numbers at the end. */
#ifndef MIRROR_HALF_DRAFT_H
#define MIRROR_HALF_DRAFT_H

#include "mirror/half/half.h"
#include "mirror/half/half_options.h"

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
    const HalfOptions *options;
    Store store; /* scratch of building */
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

/* The sides of the draft's faces that belong to one face only, where `chosen` is null; else those between a chosen
 * face and one that is not. Returns their number, or -1 without memory. */
int draft_sides_between(Draft *draft, const uint8_t *chosen, int (**edges)[2]);

/* The selections: fill everything above but what symmetry_find() filled. */
StatusCode exact_select(Draft *draft, Status *status);
StatusCode cut_select(Draft *draft, Status *status);

#endif
