/* One half of a garment, from which the whole follows by reflection: what is simulated in mirrored simulation.
 *
 * The half lives in the frame of frame.h: plane x = 0, kept side x >= 0. Its vertices are numbered
 * [free | rails | plane]. Each vertex of the caller's mesh rides on the half: half_carry() tells where it is.
 *
 * Two ways to halve. HALF_EXACT needs a mesh that is its own mirror image, vertex for vertex and face for face; the
 * half of its symmetric simulation is then the simulation of its half. HALF_CUT takes any mesh: it keeps the faces with a
 * vertex on the kept side, draws those of their vertices that lie beyond the plane onto it, and lets the
 * other side ride on the mirrored half at the place where its own image is nearest.
 *
 * Where both sides of a front are open, a closure may bring them together (fronts.h tells what counts as a front). A
 * zip makes rails of the fronts' edges. A button takes the outermost rows of faces along each front (strip.h) out of the
 * half, makes rails of the line where they begin, and lets them ride on the other side's cloth (buttons.h).
 *
 * To know when using a half:
 *   - sides are told by what hangs together off the plane, so a vertex of the kept side may lie a little beyond it, as
 *     where the edges of a slit overlap;
 *   - in cut mode a vertex of the kept side nearer to the plane than a fifth of its edges across it is drawn onto it: it is
 *     a plane vertex whose source is not at x = 0 in the caller's mesh, and which has a ride of its own;
 *   - the cloth of a half weighs half as much along the plane by itself; loose edges and single vertices in the plane do
 *     not (see plane_edge_from). */
#ifndef MIRROR_HALVES_H
#define MIRROR_HALVES_H

#include "base/memory.h"
#include "base/status.h"
#include "mesh/polygon.h"
#include "mirror/frame.h"
#include "mirror/placket.h"
#include "mirror/symmetry.h"

typedef enum HalfMode { HALF_EXACT, HALF_CUT } HalfMode;

typedef enum Closure {
    CLOSURE_FREE,  /* open fronts stay open */
    CLOSURE_ZIP,   /* the edges of the fronts meet on the plane */
    CLOSURE_BUTTON /* one front lies over the other */
} Closure;

typedef struct HalfOptions {
    HalfMode mode;
    int find;          /* 1: look for the best plane; its normal's largest coordinate is positive */
    MirrorPlane plane; /* else this one; its normal needs no length of 1, but a length */
    double tolerance;  /* m, as in symmetry.h; 0: choose */
    Closure closure;
    double overlap; /* m: how far the fronts of a button lie over each other */
    int over;       /* 1: the kept side lies over the other, -1: under it */
    double gap;     /* m between the layers of a button; 0: choose */
} HalfOptions;

/* Where a vertex of the caller's mesh goes along: weighted vertices of the half, then `lift` along the half's unit
 * normal there and `rise` along the placket's direction (placket.h), then reflected if mirrored. Weights add up to 1; beside a rim one may be below 0. Without a lift and with one weight of 1 it is that vertex, to
 * the bit. The ride of an extra vertex has vertices[0] = -1. */
typedef struct Ride {
    int32_t vertices[3];
    double weights[3];
    double lift; /* m */
    uint8_t mirrored;
    double rise; /* m, of a button; half_carry() adds what the strip needs besides */
} Ride;

static inline Vec3 ride_weighted(const Ride *ride, const Vec3 *values) {
    if (ride->weights[0] == 1) {
        return values[ride->vertices[0]]; /* to the bit */
    }
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        sum = vec3_madd(sum, ride->weights[k], values[ride->vertices[k]]);
    }
    return sum;
}

typedef struct Half {
    PolygonMesh polygons; /* the half, in its frame; cut as the whole mesh is */
    int rail_from;  /* vertices from here on only move along the plane: x is held, or led to 0 */
    int plane_from; /* vertices from here on have x = 0: the cloth goes on beyond them */
    int plane_edge_from; /* loose edges from here on lie in the plane: half of each is the half's */
    int caller_count;    /* vertices of the caller's mesh */
    Ride *rides;         /* per caller's vertex */
    int32_t *source;     /* per half vertex: the caller's vertex that it is, -1 for none */
    int32_t *image;      /* and that one's partner: itself on the plane, -1 for none */
    int extra_count;
    int32_t *extra; /* caller's vertices of parts that break the symmetry: left out; ascending */
    int mirrored_to_the_bit; /* the caller's mesh comes out as a mirror image of itself, vertex by vertex */
    MirrorFrame frame;
    Symmetry symmetry; /* of the caller's mesh */
    int front_count;   /* vertices of the half on the edges of fronts that a closure closes */
    double gap;        /* m between the layers of a button, as used; 0 without */
    int has_lifts;     /* along normals or directions */
    Placket placket;   /* of a button; empty without */
    Vec3 *normals;     /* room for half_carry(), per half vertex */
    Store store;
} Half;

/* Refuses (negative status, message with count and first places) what cannot be halved; warns (positive
 * status) where a closure finds no front and has no effect. `half` needs no preparation, and half_free() whatever the
 * status. The mesh is not needed afterwards. */
StatusCode half_build(const PolygonMesh *mesh, const HalfOptions *options, Half *half,
                      Status *status);
void half_free(Half *half);

/* Where the caller's vertices are when the half's are at `positions` (in the half's frame); 3 floats each. Those of
 * extra parts are left as they are. Uses the half's room: one call at a time. */
void half_carry(const Half *half, const Vec3 *positions, float *caller_positions);
/* The same for velocities, as if lifts kept their direction. */
void half_carry_velocities(const Half *half, const Vec3 *velocities, float *caller_velocities);
/* The same in double precision for one vertex (not an extra one); where has_lifts, half_prepare() first. */
Vec3 half_place(const Half *half, const Vec3 *positions, int caller_vertex);
void half_prepare(const Half *half, const Vec3 *positions);

#endif
