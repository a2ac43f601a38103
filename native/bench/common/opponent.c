/* CHOLMOD called as its users call it. */
#include "common/opponent.h"

#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

struct Opponent {
    cholmod_common common;
    cholmod_factor *factor;
    cholmod_dense *b, *x, *y, *e; /* right-hand sides, solution, workspaces of cholmod_solve2 */
};

/* The matrix with held rows and columns as the identity, which is what the factor has. */
static cholmod_sparse *copy_matrix(const Matrix *matrix, const uint8_t *held,
                                   cholmod_common *common) {
    size_t size = (size_t)matrix->size, entries = (size_t)matrix->start[matrix->size];
    cholmod_sparse *copy =
        cholmod_allocate_sparse(size, size, entries, 1, 1, 1, CHOLMOD_REAL, common);
    if (!copy) {
        return NULL;
    }
    memcpy(copy->p, matrix->start, (size + 1) * sizeof(int));
    memcpy(copy->i, matrix->column, entries * sizeof(int));
    for (int i = 0; i < matrix->size; ++i) {
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            int j = matrix->column[p];
            ((double *)copy->x)[p] = held[i] || held[j] ? (double)(i == j) : matrix->value[p];
        }
    }
    return copy;
}

static bool factor_matrix(Opponent *opponent, cholmod_sparse *matrix, const int *permutation,
                          OpponentKind kind) {
    cholmod_common *common = &opponent->common;
    common->supernodal = kind == OPPONENT_SUPERNODAL ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_GIVEN;
    common->postorder = 1;
    opponent->factor = cholmod_analyze_p(matrix, (int *)permutation, NULL, 0, common);
    /* Without its supernodal module CHOLMOD analyses for the other kind, and does not say so. */
    return opponent->factor && opponent->factor->is_super == (kind == OPPONENT_SUPERNODAL) &&
           cholmod_factorize(matrix, opponent->factor, common) && common->status == CHOLMOD_OK;
}

Opponent *opponent_open(const Matrix *matrix, const uint8_t *held, const int *permutation,
                        OpponentKind kind) {
    Opponent *opponent = calloc(1, sizeof *opponent);
    if (!opponent) {
        return NULL;
    }
    cholmod_start(&opponent->common);
    cholmod_sparse *copy = copy_matrix(matrix, held, &opponent->common);
    opponent->b = cholmod_zeros((size_t)matrix->size, 3, CHOLMOD_REAL, &opponent->common);
    bool good = copy && opponent->b && factor_matrix(opponent, copy, permutation, kind);
    cholmod_free_sparse(&copy, &opponent->common);
    if (!good) {
        opponent_close(opponent);
        return NULL;
    }
    return opponent;
}

void opponent_close(Opponent *opponent) {
    if (!opponent) {
        return;
    }
    cholmod_free_factor(&opponent->factor, &opponent->common);
    cholmod_free_dense(&opponent->b, &opponent->common);
    cholmod_free_dense(&opponent->x, &opponent->common);
    cholmod_free_dense(&opponent->y, &opponent->common);
    cholmod_free_dense(&opponent->e, &opponent->common);
    cholmod_finish(&opponent->common);
    free(opponent);
}

void opponent_load(Opponent *opponent, const Vec3 *b) {
    size_t size = opponent->b->nrow;
    double *column = opponent->b->x;
    for (size_t i = 0; i < size; ++i) {
        column[i] = b[i].x;
        column[size + i] = b[i].y;
        column[2 * size + i] = b[i].z;
    }
}

int opponent_solve(Opponent *opponent) {
    return cholmod_solve2(CHOLMOD_A, opponent->factor, opponent->b, NULL, &opponent->x, NULL,
                          &opponent->y, &opponent->e, &opponent->common);
}

void opponent_read(const Opponent *opponent, Vec3 *x) {
    size_t size = opponent->b->nrow;
    const double *column = opponent->x->x;
    for (size_t i = 0; i < size; ++i) {
        x[i] = vec3(column[i], column[size + i], column[2 * size + i]);
    }
}
