/* A mirror plane, and the distance between a vertex and the mirror image of another. */
#pragma once

#include "base/memory.h"
#include "base/vec3.h"
#include "geometry/bvh.h"
#include "mesh/polygon.h"

typedef struct MirrorPlane {
    Vec3 point;  /* m, on the plane */
    Vec3 normal; /* of length 1 */
} MirrorPlane;

/* Two directions along the plane. Those of a coordinate plane are coordinate axes, to the bit, so that it
 * adds no rounding. */
static inline void mirror_plane_directions(MirrorPlane plane, Vec3 *first, Vec3 *second) {
    Vec3 n = plane.normal;
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    Vec3 away = x <= y && x <= z ? vec3(1, 0, 0) : y <= z ? vec3(0, 1, 0) : vec3(0, 0, 1);
    *first = vec3_unit_or(vec3_cross(n, away), away);
    *second = vec3_cross(n, *first);
}

/* Squared distance between the image of `a` and `b`, both as places (see below). The same bits if a and
 * b change roles. */
static inline double squared_image_distance(Vec3 a, Vec3 b) {
    double x = a.x - b.x, y = a.y - b.y, z = a.z + b.z;
    return x * x + y * y + z * z;
}

/* --- places seen from it ---------------------------------------------------------------------- */

/* Where the vertices are, seen from a mirror plane: two coordinates along it and the distance from it; and
 * who is near the mirror image of whom. */

typedef struct Places {
    int count;
    double reach; /* m: how far from an image is looked */
    Vec3 *at;     /* per vertex: along the plane twice, then the signed distance; m */
    Box *boxes;   /* of these points */
    WideBvh tree; /* over them */
} Places;

/* A vertex near the image of another. */
typedef struct Image {
    int vertex;
    double distance; /* m */
} Image;

/* Most of one vertex. More in one place are no garment; the nearest few are as good as all. */
#define MOST_IMAGES 64

/* Takes the memory from the store, which remembers a failure: returns -1 then, else 0. Vertices that are near each
 * other at these positions are looked for together. */
int places_build(Places *places, const Vec3 *positions, int count, Store *store);

/* Sees the positions from this plane. */
void places_set(Places *places, const Vec3 *positions, MirrorPlane plane, double reach);

/* The vertices within reach of the image of this one, which may be among them; the nearest ones, at most `most` and
 * MOST_IMAGES, nearest first, equal ones by number. Returns how many. */
int places_images(const Places *places, int vertex, int most, Image *images);

/* --- neighbours ------------------------------------------------------------------------------- */

/* Who shares a side of a face, or a loose edge, with whom. */

typedef struct Neighbours {
    int *first; /* per vertex, and one more at the end */
    int *list;  /* neighbours of each vertex, ascending */
} Neighbours;

/* Takes its memory from the store, which remembers a failure: returns -1 then, else 0. */
int neighbours_build(const PolygonMesh *mesh, Store *store, Neighbours *neighbours);

static inline int neighbours_count(const Neighbours *neighbours, int vertex) {
    return neighbours->first[vertex + 1] - neighbours->first[vertex];
}

int neighbours_are(const Neighbours *neighbours, int a, int b);

/* --- the search for one ----------------------------------------------------------------------- */

/* The plane in which a cloud of points is most nearly its own mirror image. */

/* Tries x = 0, then planes across the axes and the principal axes, through the mean and the middle of the box, and
 * planes between vertices with edges of the same lengths; each as it is and fitted to the vertices that it
 * brings together. The one with the most vertices within `tolerance` of an image wins, the earlier of equal
 * ones. `mean_edge` (m) says from how far off a plane may be drawn in; `size` (m) is that of the mesh. `places`
 * and `pairs`, one a vertex, are overwritten. Returns -1 without memory, else 0. */
int plane_search(Places *places, int (*pairs)[2], const Vec3 *positions,
                 const Neighbours *neighbours, double tolerance, double mean_edge, double size,
                 MirrorPlane *plane);

/* The plane that brings these pairs together best, in the sense of least squares: of all planes the one with
 * the least sum of |image of a - b|^2, each pair seen from both sides. `pairs` holds two vertices each; returns
 * `otherwise` for fewer than three. `size` (m) keeps the numbers near 1. */
MirrorPlane plane_fit(const Vec3 *positions, const int (*pairs)[2], int count, double size,
                      MirrorPlane otherwise);
