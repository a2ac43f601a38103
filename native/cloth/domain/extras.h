/* Parts of a mirrored cloth that have no mirror image at all, such as a pocket on one side: a simulation of their own,
 * stepped after the half. The mirrored cloth is a body to it that moves. Border vertices that are near the
 * cloth at rest are sewn to it: they follow the place below them; all others move freely. */
#pragma once

#include "base/memory.h"
#include "simulation/simulation.h"

/* The cloth is number 0, and the caller's bodies are behind it. */
#define EXTRAS_OWN_BODIES 1

/* A vertex that is sewn to the cloth: to a place on a triangle, and a way from there that turns with it. */
typedef struct Stitch {
    int32_t vertex;   /* of the extra parts */
    int32_t under[3]; /* the caller's vertices */
    double weights[3];
    Vec3 way; /* m, along stitch_axes(): beyond an edge of the cloth not only along its normal */
} Stitch;

/* Along a triangle's first side, across that, and its normal; of one without area the latter two are zero. */
static inline void stitch_axes(const Vec3 corners[3], Vec3 axes[3]) {
    Vec3 side = vec3_sub(corners[1], corners[0]), zero = {0, 0, 0};
    axes[0] = vec3_unit_or(side, zero);
    axes[2] = vec3_normal_or(side, vec3_sub(corners[2], corners[0]), zero);
    axes[1] = vec3_cross(axes[2], axes[0]);
}

typedef struct Extras {
    double thin; /* m: what they keep from the cloth where it does not meet itself */
    Store store;
    Simulation
        *simulation; /* null: there are none, or vertices of no face that stay where they are */
    int count;
    const int32_t *vertices; /* the caller's numbers, ascending */
    int32_t *index_of;       /* per caller's vertex: its number here, or -1 */
    PolygonMesh polygons;
    PolygonMesh
        cloth; /* the other faces, with all vertices of the caller: the simulation's first body */
    int stitch_count;
    Stitch *stitches;
    int32_t
        *pin_vertices; /* the caller's pins here, then those stitches that are not pinned anyway */
    float *pin_weights, *pin_targets;
    int pin_count, own_pins;     /* all; the caller's */
    int32_t *pin_source;         /* per pin: the caller's pin, or the stitch */
    float *floats, *more_floats; /* 3 x vertices here, scratch */
} Extras;

/* Cuts the listed vertices with their faces and loose edges out of the mesh, and builds their cloth. */
StatusCode extras_build(Extras *extras, const PolygonMesh *mesh, int count, const int32_t *vertices,
                        const SimulationOptions *options, Status *status);
void extras_free(Extras *extras);

/* The simulation meets the cloth as that meets itself, or thinly where that is off. */
StatusCode extras_meet(Extras *extras, const BodySurface *self, Status *status);

/* The caller's pins, of which those here count; `cloth` is where his vertices are. */
StatusCode extras_set_pins(Extras *extras, int count, const int32_t *vertices, const float *weights,
                           const float *targets, const float *cloth, Status *status);
void extras_move_pins(Extras *extras, const float *targets);
/* The cloth will be here at the end of the step; 3 floats for each of the caller's vertices. */
void extras_follow(Extras *extras, const float *cloth);
/* The cloth is here now. */
void extras_place(Extras *extras, const float *cloth);

/* Writes, or takes, what belongs to its vertices in the caller's arrays; velocities may be null. */
void extras_get_state(const Extras *extras, float *positions, float *velocities);
void extras_set_state(Extras *extras, const float *positions, const float *velocities);
