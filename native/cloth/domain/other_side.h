/* The other side of a garment that was cut in halves, where its mesh is not the kept side's image. What rides on the
 * half is near to where it belongs, but its edges are others: they cut through bodies and layers, and are stretched
 * where neighbours ride on different layers. So the other side is a cloth of its own that goes along with where it
 * rides and is pulled there, in one substep of few iterations, and is stopped by what it meets: bodies, itself, and the
 * mirror plane. How the garment moves is decided by the half alone.
 *
 * It lives in the half's frame, reflected, so that it meets the bodies as the half sees them. */
#pragma once

#include "mirror/closures/closed_half.h"
#include "simulation/simulation.h"

typedef struct OtherSide {
    Simulation *simulation; /* null: the other side rides, and that is all */
    Half half;              /* the other side, cut as the kept one is */
    Store store;
    float *rest;    /* 3 x its vertices, m: in the kept half's frame, reflected */
    int32_t *parts; /* per vertex; null where the cloth has one */
    double *cut_centre;
    int32_t *all;   /* its vertices, all of them pins */
    float *weights; /* of these */
    Vec3 *places;   /* per its vertex, m: where it rides */
    Vec3 *ridden;   /* likewise at rest */
    Vec3 *aims;     /* where it would go if nothing held it */
    float *floats;  /* 3 x its vertices, scratch */
    int part_count;
    Material materials[PARTS_MOST]; /* as they are pulled there */
} OtherSide;

/* Builds it where it is needed. `kept` and `wanted` are the half and how it was asked for, `options` those of its
 * simulation. */
StatusCode other_side_build(OtherSide *other, const PolygonMesh *mesh, const Half *kept,
                            const HalfOptions *wanted, const SimulationOptions *options,
                            Status *status);
void other_side_free(OtherSide *other);

/* Where it rides when the half's vertices are at `kept_positions`, into `places`. */
void other_side_ride(OtherSide *other, const Half *kept, const Vec3 *kept_positions);
/* How many steps it takes in a step of the half of this length. The first goes all of the way, with the bodies; the
 * others are pulled on, and meet what the first left unsolved. */
int other_side_steps(double seconds);
/* Before each of its steps: it goes as far as the places where it rides went since other_side_ride(), and is pulled to them. */
void other_side_lead(OtherSide *other, const Half *kept, const Vec3 *kept_positions,
                     double seconds);
/* From those of the garment to its own, after they were carried to its vertices. */
void other_side_inputs(OtherSide *other, unsigned what, Inputs *inputs);

/* Writes the places of its vertices over those that ride, of fronts until they are closed; 3 floats for each of the caller's vertices. */
void other_side_get(const OtherSide *other, const Half *kept, float *positions);
/* The caller's vertices are here now. */
void other_side_set(OtherSide *other, const Half *kept, const float *positions);
/* How one of its vertices stands off its place of other_side_ride(), as the caller sees it, m. */
Vec3 other_side_offset(const OtherSide *other, const Half *kept, int vertex);
