/* The coarse level's functions: see coarse.h for what they are made of. */
#ifndef SOLVER_BASIS_H
#define SOLVER_BASIS_H

#include "linear/factor.h"
#include "solver/system.h"

/* Sparse by vertices: entries start[i] .. start[i+1] are the functions that do not vanish there. */
typedef struct Basis {
    int function_count;
    int *start, *index;
    double *value;
    double radius; /* mean over the patches, m */
    int curved;    /* 1 unless the whole cloth is about as flat as a sheet */
} Basis;

/* `patch_count` is an upper bound. Arrays come from `store`. */
StatusCode basis_build(Basis *basis, const System *system, const Factor *like, int patch_count,
                       Store *store, Status *status);

#endif
