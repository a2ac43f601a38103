/* A body that cloth collides with: a moving triangle mesh.
 * Triangles that share vertices form a part. A part whose every edge belongs to exactly two triangles
 * that run along it in opposite directions is closed; closed parts that enclose a volume are solids,
 * with their inside behind the surface, and so are parts with openings that are small against them. All
 * others are sheets with two sides.
 *
 * A frame gives the places of the vertices at its start and end; they move evenly in between, on arcs where the body turns
 * (arcs.h) if these are asked for. Within it collider_move() prepares one substep after the other, and the queries answer for its end. Lengths
 * are in m. All memory is taken when built. Queries only read: threads may run them at once, but not while the body
 * moves. */
#pragma once

#include <math.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "contact/body/arcs.h"
#include "contact/body/clusters.h"
#include "geometry/distance.h"
#include "geometry/triangle_bounds.h"
#include "mesh/polygon.h"

typedef struct ColliderDefinition {
    int vertex_count, triangle_count;
    const Vec3 *positions; /* where the parts are measured and the trees are built */
    const int *triangles;  /* 3 vertices each; counterclockwise seen from outside */
    double thickness;      /* of the shell around the surface, m */
    double friction;       /* both are only handed on with the hits */
    double margin;         /* by which the boxes of triangles are enlarged, m */
    bool bends;            /* vertices go straight within a frame: see arcs.h */
} ColliderDefinition;

typedef struct ColliderPart {
    int first, count; /* its triangles */
    bool closed, solid;
    /* Over its triangles that are awake, counted from `first`, at the substep's end */
    WideBvh near;
} ColliderPart;

/* Across a side of a triangle, instead of another triangle. */
#define COLLIDER_BOUNDARY (-1) /* nothing */
#define COLLIDER_TANGLED (-2)  /* several triangles, or one that runs along the side the same way */

typedef struct Collider {
    int vertex_count, triangle_count, part_count;
    int skipped; /* triangles left out because they name a vertex twice */
    int flat;    /* triangles without area where built; kept, since they may close a solid */
    bool bends;  /* as defined */
    int turned;  /* parts that were inside out, now turned */
    double thickness, friction, margin;
    double scale, edge_scale; /* see scale.h; of the cloth's edges alone. Built without them */
    double least_share;       /* of the thickness, that any vertex keeps; built as 1 */
    ColliderPart *parts;
    int (*corners)[3]; /* per triangle, part after part; turned ones differ from those given */
    int *part;         /* per triangle */
    int *source;       /* per triangle: its number in the definition */
    int (*across)[3];  /* per triangle: the triangle across each side, or as defined above */
    uint8_t *boundary; /* per vertex: 1 on the rim of a sheet */
    int *corner_start, *corner; /* per vertex: its corners, 3 triangle + place */
    Vec3 *frame[2];             /* vertices at the start and the end of the frame */
    Arcs arcs;                  /* from one to the other */
    Vec3 *at[2];                /* the same of the substep, which is straight */
    TriangleSpots spots;        /* the vertices at its end */
    Vec3 *face_normals;         /* at the substep's end; zero without area */
    /* Around a triangle, a part at the substep's end; empty while it sleeps */
    Box *ends, *part_ends;
    double fastest; /* the longest way of a vertex in the substep */
    WideBvh near;   /* over the parts */
    Clusters clusters;
    uint8_t *awake; /* per cluster: 1 if its triangles can be found */
} Collider;

/* Arrays come from `store`; the definition is only read. The body stands still at first. A body without triangles is
 * allowed and collides with nothing. */
StatusCode collider_build(Collider *collider, const ColliderDefinition *definition, Store *store,
                          Status *status);

/* Copies the places of all vertices at the start and the end of a frame, in which they go straight; then lets them go on arcs
 * where the body turns. The pool may be null. */
void collider_set_frame(Collider *collider, const Vec3 *start, const Vec3 *end);
void collider_find_arcs(Collider *collider, Pool *pool);
/* Where a vertex is after this part of the frame. */
Vec3 collider_place_at(const Collider *collider, int vertex, double t);

/* Prepares the substep from t0 to t1, as parts of the frame (0 to 1). `pool` may be null. */
void collider_move(Collider *collider, Pool *pool, double t0, double t1);

/* The same in two parts, since much of a body is far from all cloth: first the places and clusters, then the triangles of
 * clusters marked in `awake`. Queries do not find the others. collider_wake() may be called again with more of them. */
void collider_place(Collider *collider, Pool *pool, double t0, double t1);
void collider_wake(Collider *collider, Pool *pool);
void collider_wake_all(Collider *collider, Pool *pool);

/* At the substep's end: the sum of the faces' normals weighted by their angles there, made unit; zero where they
 * cancel. Computed on demand: few are needed. */
Vec3 collider_vertex_normal(const Collider *collider, int vertex);

/* A point of the surface, at the end of the substep. */
typedef struct Hit {
    int part, triangle; /* `triangle` is numbered as in `corners` */
    int vertices[3];
    double weights[3]; /* of these vertices */
    Feature feature;
    Vec3 point;
    double distance; /* never negative */
    /* Solids: negative inside. Sheets: the distance; the caller knows on which side the cloth was. */
    double signed_distance;
    /* Unit. On an edge or vertex the mean of the faces there, weighted by their angles: it points to the
     * outside at any point whose nearest feature this is (Baerentzen and Aanaes). Not necessarily
     * along the way from the surface to the point. */
    Vec3 normal;
    Vec3 displacement; /* of this point of the surface during the substep */
    bool solid;
    int boundary; /* the feature is on the rim of a sheet */
    double thickness, friction;
} Hit;

/* The nearest point of the whole surface, if within `reach`. Returns 1 if there is one.
 * The sign is that of the part that was hit, and right if that part does not intersect itself. It says nothing about
 * other parts: a point can be outside of the hit part and deep inside another. Use the next function where parts overlap. */
int collider_closest(const Collider *collider, Vec3 point, double reach, Hit *hit);

/* The nearest point of each part within reach, nearest first; tests compare the faster functions below with it. Returns
 * how many parts there are; if more than `capacity`, only the nearest are written. Of solids that overlap, as one
 * body:
 * - a point outside all of them is as far away as the first hit says;
 * - a point inside some is at least as deep as the deepest of them says. */
int collider_closest_parts(const Collider *collider, Vec3 point, double reach, int capacity,
                           Hit *hits);

/* The distance from the surface for the inside of edges and faces, m; vertices keep the whole thickness. */
static inline double collider_inner_shell(const Collider *collider) {
    return 0.5 * collider->thickness;
}

/* The scale of cloth that keeps this share of the thickness. */
static inline double collider_scale(const Collider *collider, double share) {
    return fmax(collider->edge_scale, share * collider->scale);
}

/* How a triangle turns during the substep: see base/rotation.h. */
Vec3 collider_turn(const Collider *collider, int triangle);

/* How far the point is from one triangle, at the end of the substep. */
double collider_distance(const Collider *collider, Vec3 point, int triangle);

/* The same hits as collider_closest_parts(), or collider_closest() of a body of one part, but faster with a good `guess`:
 * a triangle hardly further away than the nearest, with its distance as `guessed`. Any triangle is valid; -1: none. */
int collider_closest_from(const Collider *collider, Vec3 point, double reach, int guess,
                          double guessed, int capacity, Hit *hits);

/* The triangles nearest to a point, and a bound for all others: answers queries of points close by while the body stands
 * still. */
#define SHORTLIST 8
typedef struct Shortlist {
    int count;
    int triangles[SHORTLIST];   /* nearest first */
    float distances[SHORTLIST]; /* theirs, rounded down, m */
    float beyond;               /* no other triangle is nearer than this, m */
} Shortlist;

/* As collider_closest_from() of a body that has one part, with a list for the next function. */
int collider_list(const Collider *collider, Vec3 point, double reach, int guess, double guessed,
                  Shortlist *list, Hit *hit);

/* The result of collider_closest() for a point `moved` away from where the list was made; -1 if the list does not suffice. */
int collider_closest_listed(const Collider *collider, Vec3 point, double reach, double moved,
                            const Shortlist *list, Hit *hit);

/* 0 if collider_closest_against() finds nothing here, nor anywhere up to `moved` away for a unit vector that differs from
 * `facing` by up to `turned`. */
int collider_may_face(const Collider *collider, Vec3 point, double reach, double moved, Vec3 facing,
                      double turned);

/* The nearest point within `reach` of the triangles that face the other way: against the unit vector
 * `facing`. */
int collider_closest_against(const Collider *collider, Vec3 point, double reach, Vec3 facing,
                             Hit *hit);

/* The nearest point of the surface in the neighbourhood of a triangle: from there downhill over its
 * neighbours. For points that have moved a little since they were searched for; always finds one. */
void collider_follow(const Collider *collider, Vec3 point, int triangle, Hit *hit);

/* How many closed solids contain the point, at any depth: counted by the surfaces that a ray crosses, each solid
 * by itself. Right for all points further from the surface than rounding (about 1e-15 of the
 * body's size), also where a solid cuts itself. More than the hits of negative sign: the rest of
 * the solids hold the point deeper than the reach. */
int collider_solids_around(const Collider *collider, Vec3 point);

/* How often the surface of one part surrounds the point: twice where it cuts itself and overlaps. */
int collider_winding(const Collider *collider, int part, Vec3 point);

/* Visits the triangles whose sweep during the substep, with the margin, overlaps the box, awake or not. */
void collider_visit(const Collider *collider, const Box *box, BvhVisit visit, void *context);

/* Visits the triangles that are awake and overlap the box where the substep ends. */
void collider_visit_ends(const Collider *collider, const Box *box, BvhVisit visit, void *context);

/* --- polygons --------------------------------------------------------------------------------- */

/* A body's polygons as triangles, in double precision: what colliders are made of. */

typedef struct BodyMesh {
    Vec3 *positions;
    int *triangles; /* 3 vertices each */
    int triangle_count;
} BodyMesh;

/* After an error there is nothing to free. */
StatusCode body_mesh_read(const PolygonMesh *polygons, BodyMesh *mesh, Status *status);
void body_mesh_free(BodyMesh *mesh);

/* --- points beside the cloth ------------------------------------------------------------------ */

/* How far points are from bodies, at the substep's end. Lengths are in m. */

typedef struct BodyGap {
    double gap; /* from the nearest surface; negative inside of a solid; infinite without bodies */
    double thickness; /* of that surface; 0 without */
} BodyGap;

/* `bodies` may hold nulls; all of their clusters are awake. Of solids that overlap, a point inside of some is as deep as
 * the deepest says. */
void gaps_measure(Pool *pool, Collider *const *bodies, int body_count, int count,
                  const Vec3 *points, BodyGap *gaps);

/* Keeps points that are no vertices of the cloth but move with it outside of solids, by geometry alone, as bodies are at
 * the substep's end. */

/* What a point met last, which speeds up the next search; begins with body -1. */
typedef struct OutsideHint {
    int32_t body, triangle;
    int32_t beyond; /* the caller's to use */
} OutsideHint;

/* Points that are up to `reach` (m) behind a surface, or nearer before it than a quarter of its thickness, are put
 * there. `bodies` may hold nulls. Sheets have no inside. */
void outside_put(Pool *pool, Collider *const *bodies, int body_count, double reach, int count,
                 OutsideHint *hints, Vec3 *points);
