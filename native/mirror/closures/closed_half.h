/* A half: its mesh, which of the caller's vertices it has, and how the others are embedded in it. Made by halves.h. */
#pragma once

#include "base/memory.h"
#include "mesh/polygon.h"
#include "mirror/closures/placket.h"
#include "mirror/half/frame.h"
#include "mirror/half/options.h"
#include "mirror/symmetry/symmetry.h"

typedef struct Half {
    PolygonMesh polygons; /* the half, in its frame; cut as the whole mesh is */
    int rail_from;  /* vertices from here on only move along the plane: x is held, or led to 0 */
    int plane_from; /* vertices from here on have x = 0: the cloth goes on beyond them */
    int plane_edge_from; /* loose edges from here on lie in the plane: half of each is the half's */
    int caller_count;    /* vertices of the caller's mesh */
    Ride *rides;         /* per caller's vertex */
    int32_t *origin; /* per half vertex: the caller's vertex that it was made of, moved or not */
    int32_t *source; /* likewise: the caller's vertex that it is, -1 for none */
    int32_t *image;  /* and that one's partner: itself on the plane, -1 for none */
    int extra_count;
    int32_t *extra; /* caller's vertices of parts that break the symmetry: left out; ascending */
    int mirrored_to_the_bit; /* the caller's mesh comes out as a mirror image of itself, vertex by vertex */
    MirrorFrame frame;
    Symmetry symmetry; /* of the caller's mesh */
    int front_count;   /* vertices of the half on the edges of fronts that a closure closes */
    double gap;        /* m between the layers of a button, as used; 0 without */
    bool has_lifts;    /* along normals or directions */
    Placket placket;   /* of a button; empty without */
    Vec3 *normals;     /* room for half_carry(), per half vertex */
    Store store;
} Half;
