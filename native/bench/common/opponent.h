/* CHOLMOD's own solve of the same matrix, for comparison. */
#pragma once

#include <stdint.h>

#include "linear/matrix.h"

typedef struct Opponent Opponent;

typedef enum OpponentKind { OPPONENT_SIMPLICIAL, OPPONENT_SUPERNODAL } OpponentKind;

/* Factors the matrix, its held unknowns as the identity, in the order given. Null if it cannot be done, and for the
 * supernodal kind in a program whose CHOLMOD has none. */
Opponent *opponent_open(const Matrix *matrix, const uint8_t *held, const int *permutation,
                        OpponentKind kind);
void opponent_close(Opponent *opponent);

/* Only the solve itself, cholmod_solve2 with its workspace kept, is meant to be timed. */
void opponent_load(Opponent *opponent, const Vec3 *b);
int opponent_solve(Opponent *opponent);
void opponent_read(const Opponent *opponent, Vec3 *x);
