/* Where the vertices are, seen from a mirror plane: two coordinates along it and the distance from it; and
 * who is near the mirror image of whom. */
#ifndef MIRROR_SYMMETRY_PLACES_H
#define MIRROR_SYMMETRY_PLACES_H

#include "geometry/bvh.h"
#include "mirror/symmetry/mirror_plane.h"

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

#endif
