/* What the coarse level's functions are smoothed by: (A + l^2 L)^-1 A, with A the areas of the vertices and L the
 * Laplacian of the mesh.
 *
 * Where the length l is many edges, vertices are joined to cells of about nine for it: the Laplacian of the cells is
 * that of the mesh as far as fields of this length can tell, and a factor of it costs next to nothing. The steps from
 * cell to cell are then levelled by a few iterations of averaging over neighbours. Both keep constants, so that fields
 * that add up to one still do. */
#pragma once

#include "linear/factor.h"
#include "system/system.h"

/* What the coarse level divides by itself: the pieces of the cloth, or all of it where these would take more patches than
 * there may be. */
typedef struct Shares {
    int count;
    const int *piece; /* per vertex: its share; null: all are one */
} Shares;

static inline int shares_of(const Shares *shares, int vertex) {
    return shares->piece ? shares->piece[vertex] : 0;
}

typedef struct Smoother {
    const System *system;
    Store store;
    double *area; /* per vertex, m^2: of a rope that of a ribbon; never zero */
    int cell_count;
    int *cell;     /* per vertex; null where each is its own */
    Matrix graph;  /* of the vertices: parts of a vertex's conductance, which add up to one */
    Matrix matrix; /* of the cells: L, then A + l^2 L */
    double *cell_area;
    Vec3 *cell_field, *other; /* scratch, per cell and per vertex */
    Factor *factor;
} Smoother;

/* Everything but the numbers, for patches of about so many vertices: it depends on the mesh alone. Released by
 * smoother_release(), after a failure too. */
StatusCode smoother_build(Smoother *smoother, const System *system, int patch_vertices,
                          Status *status);
void smoother_release(Smoother *smoother);

/* The numbers for each share's smoothing length l, m. */
StatusCode smoother_set(Smoother *smoother, const Shares *shares, const double *length,
                        Status *status);

/* Smooths three fields at once, so many times. */
void smoother_apply(const Smoother *smoother, int times, Vec3 *field);
