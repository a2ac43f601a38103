/* Eigen's SimplicialLLT of the same matrix, for comparison; C++ behind a C interface. Linked where Eigen is installed.
 * */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct EigenOpponent EigenOpponent;

/* A whole symmetric matrix by rows. order[k] is the k-th unknown to be eliminated: Eigen's own orderings have no nested
 * dissection, so it gets ours. Null if it cannot be factored. */
EigenOpponent *eigen_open(int size, const int *start, const int *column, const double *value,
                          const int *order);
void eigen_close(EigenOpponent *opponent);

/* Three numbers an unknown. Only the solve itself is meant to be timed. */
void eigen_load(EigenOpponent *opponent, const double *b);
void eigen_solve(EigenOpponent *opponent);
void eigen_read(const EigenOpponent *opponent, double *x);

#ifdef __cplusplus
}
#endif
