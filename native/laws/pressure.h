/* Air in closed surfaces, chambers: of each the volume V, and the energy
 *
 *   E = -p V + c (V - V0)^2 / (2 V0)
 *
 * p the pressure that is given, Pa, c the stiffness of the volume, Pa, V0 the volume at rest. The air presses with
 * p - c (V - V0) / V0. V is the sum of x_a . (x_b x x_c) / 6 over the triangles; of the half of a mirrored cloth the
 * missing triangles lie in the plane x = 0 and add nothing.
 *
 * Its second derivative has two shares. That of V is small where triangles are small against the chamber, and has no
 * definite sign: the constant matrix leaves it out, and solves are safeguarded (Law.unbounded). The other one,
 * c / V0 grad V grad V', couples all vertices: it is one number for each chamber, which a solver of the constant
 * matrix adds to its solves exactly (solver/constant/solve_step.c). */
#pragma once

#include "laws/law.h"

typedef struct Chamber {
    int from, count;    /* triangles */
    double rest_volume; /* m^3; 0: it is flat, and nothing keeps its volume */
    /* where it was last evaluated: */
    double volume;   /* m^3 */
    double pressure; /* Pa, of all */
    double energy;   /* J, of each of its triangles */
} Chamber;

typedef struct PressureLaw {
    Law law; /* the triangles, chamber after chamber, seen from outside; rows are their corners */
    int chamber_count;
    Chamber *chambers;
    int *chamber_of;         /* per triangle */
    double given, stiffness; /* p and c */
} PressureLaw;

extern const LawKind pressure_kind;

bool pressure_is_given(const Material *material);

/* Whether all chambers of a part have a volume to keep. `laws` as many as there are. */
bool pressure_has_volumes(Law *const *laws, int law_count, int part);

/* `wanted`: else a law without elements. Surfaces that are not closed have no chamber. */
StatusCode pressure_law_build(const Mesh *mesh, bool wanted, Store *store, Law **law,
                              Status *status);

/* The volumes of a cloth that resist, as a solver needs them: grad V of each vertex, which belongs to one at most. */
typedef struct Volumes {
    int count;      /* of chambers */
    int *chamber;   /* per vertex: which, -1 for none */
    Vec3 *gradient; /* per vertex, m^2 */
    double *slope;  /* per chamber: c / V0, N/m^5 */
} Volumes;

/* `laws` as many as there are; nothing is taken where none of them has a chamber. */
StatusCode volumes_build(Volumes *volumes, Law *const *laws, int law_count, int vertex_count,
                         Store *store, Status *status);
/* The gradients at x, and how stiff the volumes are now. False where none is. */
bool volumes_update(const Volumes *volumes, Law *const *laws, int law_count, int vertex_count,
                    const Vec3 *x);
