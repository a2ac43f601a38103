/* The coarse level's functions.
 *
 * The mesh is divided into even patches. Each patch's indicator is smoothed twice by
 * (A_area + l^2 L)^-1 A_area (smoother.h), with L the Laplacian of the mesh and l the patches' size: L maps constants
 * to zero, so the smoothed indicators, the weights, still add up to one. A patch has four functions: its
 * weight times 1 and times its own two or three axes. Where a patch is too flat for its third axis, the
 * axes of the whole cloth come in as one more aggregate. So every affine motion of the rest shape, and with it
 * every rigid one, lies in the span.
 *
 * Aggregates are numbered in the order in which their coarse matrix is best eliminated. */
#ifndef SOLVER_COARSE_BASIS_H
#define SOLVER_COARSE_BASIS_H

#include "mesh/patches.h"
#include "solver/coarse/smoother.h"

/* Functions of an aggregate; those it does not have are zero everywhere. */
#define KINDS 4
/* Aggregates that reach one vertex, at most. */
#define MOST_AGGREGATES 12

typedef struct Basis {
    int aggregate_count;
    int function_count; /* that are not zero everywhere */
    /* Function f of an aggregate at rest place X: its weight times affine[f] . (1, X). */
    double (*affine)[KINDS][4];
    /* By vertices: entries start[i] .. start[i+1] are the aggregates that reach vertex i, ascending. */
    int *start, *aggregate;
    double *weight;
    /* 1 where the vertex belongs to a component too small for a patch. Such components ride with the nearest patch, but
     * their pins must not hold it. */
    uint8_t *stray;
    /* aggregate_count^2: 1 where two aggregates share a row of the system's matrix. */
    uint8_t *coupled;
} Basis;

/* 1 unless the cloth at rest is about as flat as a sheet. */
bool basis_is_curved(const System *system);

/* The patches, at most so many. */
StatusCode basis_divide(const System *system, int patch_count, Patches *patches, Status *status);
/* The functions on them. The smoother gets its numbers here. Arrays come from `store`. */
StatusCode basis_build(Basis *basis, const System *system, const Patches *patches,
                       Smoother *smoother, Store *store, Status *status);

/* The values of entry p's functions at a rest place. */
static inline void basis_values(const Basis *basis, int p, Vec3 place, double value[KINDS]) {
    for (int f = 0; f < KINDS; ++f) {
        const double *a = basis->affine[basis->aggregate[p]][f];
        value[f] = basis->weight[p] * (a[0] + a[1] * place.x + a[2] * place.y + a[3] * place.z);
    }
}

#endif
