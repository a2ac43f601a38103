/* Where the vertices are, seen from a mirror plane: two coordinates along it and the distance from it; and
 * who is near the mirror image of whom. A grid kept as a sorted list of cells: no hash, so the answer depends
 * on the mesh alone. */
#ifndef MIRROR_PLACES_H
#define MIRROR_PLACES_H

#include <stdint.h>

#include "base/memory.h"
#include "mirror/plane.h"

typedef struct CellEntry {
    uint64_t cell;
    int vertex;
} CellEntry;

typedef struct Places {
    int count;
    double reach;       /* m: how far from an image is looked */
    double cell;        /* m: side of a cell, at least the reach */
    Vec3 low;           /* where the cells begin */
    Vec3 *at;           /* per vertex: along the plane twice, then the signed distance; m */
    CellEntry *entries; /* sorted by cell, then vertex */
} Places;

/* A vertex near the image of another. */
typedef struct Image {
    int vertex;
    double distance; /* m */
} Image;

/* Most of one vertex. More in one place are no garment; the first few are as good as all. */
#define MOST_IMAGES 64

/* Takes the memory; a failure is remembered by the store. */
void places_take(Places *places, int count, Store *store);

/* Sees the positions from this plane. */
void places_set(Places *places, const Vec3 *positions, MirrorPlane plane, double reach);

/* The vertices within reach of the image of this one, which may be among them; at most MOST_IMAGES, nearest
 * first, equal ones by number. Returns how many. */
int places_images(const Places *places, int vertex, Image *images);

#endif
