/* The only file that knows METIS. Our own orders are here, too, but for the dissection by places. */
#include "linear/ordering.h"

#include <amd.h>
#include <metis.h>
#include <stdlib.h>

#include "linear/dissection.h"

/* From about this size METIS's better factor has paid for its longer ordering: after 500 solves from
 * 8,000 vertices on, after 4,000 solves from 2,850 on (tools/bench paper, ordering). */
#define METIS_FROM 5000

Ordering ordering_resolve(Ordering ordering, int size) {
    if (ordering != ORDERING_AUTO) {
        return ordering;
    }
    return size >= METIS_FROM ? ORDERING_METIS : ORDERING_AMD;
}

static int degree(const Matrix *matrix, int v) { return matrix->start[v + 1] - matrix->start[v]; }

/* --- Cuthill-McKee ---------------------------------------------------------------------------- */

/* Breadth first from `root` into order[begin..]; neighbours enter by rising degree. Returns the end.
 * `last_level` is where the farthest level starts. */
static int breadth_first(const Matrix *matrix, int root, int *order, int begin, uint8_t *seen,
                         int *last_level) {
    int end = begin;
    order[end++] = root;
    seen[root] = 1;
    *last_level = begin;
    for (int at = begin, level_end = end; at < end; ++at) {
        if (at == level_end) {
            *last_level = at;
            level_end = end;
        }
        int first = end, v = order[at];
        for (int p = matrix->start[v]; p < matrix->start[v + 1]; ++p) {
            int w = matrix->column[p];
            if (seen[w]) {
                continue;
            }
            seen[w] = 1;
            int place = end++;
            while (place > first && degree(matrix, order[place - 1]) > degree(matrix, w)) {
                order[place] = order[place - 1];
                --place;
            }
            order[place] = w;
        }
    }
    return end;
}

/* A vertex at the rim of the component of `start`: the low-degree end of the farthest level, twice. */
static int rim_vertex(const Matrix *matrix, int start, int *order, int begin, uint8_t *seen) {
    int root = start;
    for (int round = 0; round < 2; ++round) {
        int last_level, end = breadth_first(matrix, root, order, begin, seen, &last_level);
        root = order[last_level];
        for (int i = last_level; i < end; ++i) {
            root = degree(matrix, order[i]) < degree(matrix, root) ? order[i] : root;
        }
        for (int i = begin; i < end; ++i) {
            seen[order[i]] = 0;
        }
    }
    return root;
}

static StatusCode cuthill_mckee(const Matrix *matrix, int *order, Status *status) {
    uint8_t *seen = SCRATCH_ARRAY(uint8_t, matrix->size);
    if (!seen) {
        return status_no_memory(status, "the Cuthill-McKee ordering");
    }
    int end = 0, last_level;
    for (int v = 0; v < matrix->size; ++v) {
        if (!seen[v]) {
            int root = rim_vertex(matrix, v, order, end, seen);
            end = breadth_first(matrix, root, order, end, seen, &last_level);
        }
    }
    free(seen);
    return STATUS_OK;
}

static void reverse(int *order, int size) {
    for (int i = 0, j = size - 1; i < j; ++i, --j) {
        int swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

/* --- libraries -------------------------------------------------------------------------------- */

static StatusCode minimum_degree(const Matrix *matrix, int *order, Status *status) {
    int result = amd_order(matrix->size, matrix->start, matrix->column, order, NULL, NULL);
    if (result == AMD_OUT_OF_MEMORY) {
        return status_no_memory(status, "the minimum degree ordering");
    }
    if (result != AMD_OK && result != AMD_OK_BUT_JUMBLED) {
        return status_set(status, STATUS_ERROR_MATRIX, "AMD refused the matrix (its status %d)",
                          result);
    }
    return STATUS_OK;
}

/* METIS wants the graph without the diagonal. */
static void drop_diagonal(const Matrix *matrix, idx_t *start, idx_t *neighbour) {
    idx_t at = 0;
    for (int i = 0; i < matrix->size; ++i) {
        start[i] = at;
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            if (matrix->column[p] != i) {
                neighbour[at++] = matrix->column[p];
            }
        }
    }
    start[matrix->size] = at;
}

static int run_metis(int size, idx_t *start, idx_t *neighbour, idx_t *order, idx_t *inverse) {
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    idx_t count = size;
    return METIS_NodeND(&count, start, neighbour, NULL, options, order, inverse);
}

static StatusCode nested_dissection(const Matrix *matrix, int *order, Status *status) {
    size_t entries = (size_t)matrix->start[matrix->size], size = (size_t)matrix->size;
    idx_t *start = SCRATCH_ARRAY(idx_t, size + 1);
    idx_t *neighbour = SCRATCH_ARRAY(idx_t, entries);
    idx_t *inverse = SCRATCH_ARRAY(idx_t, size);
    int result = METIS_ERROR_MEMORY;
    if (start && neighbour && inverse) {
        drop_diagonal(matrix, start, neighbour);
        result = run_metis(matrix->size, start, neighbour, order, inverse);
    }
    free(start);
    free(neighbour);
    free(inverse);
    if (result == METIS_ERROR_MEMORY) {
        return status_no_memory(status, "the nested dissection ordering");
    }
    if (result != METIS_OK) {
        return status_set(status, STATUS_ERROR_MATRIX, "METIS refused the matrix (its status %d)",
                          result);
    }
    return STATUS_OK;
}

StatusCode ordering_find(Ordering ordering, const Matrix *matrix, int *permutation,
                         Status *status) {
    StatusCode code = STATUS_OK;
    int good;
    if (ordering == ORDERING_DISSECTION && !matrix->place) {
        ordering = ORDERING_METIS;
    }
    switch (ordering) {
    case ORDERING_DISSECTION:
        return dissection_find(matrix, permutation, &good, status);
    case ORDERING_CUTHILL_MCKEE:
        return cuthill_mckee(matrix, permutation, status);
    case ORDERING_REVERSE_CUTHILL_MCKEE:
        code = cuthill_mckee(matrix, permutation, status);
        reverse(permutation, matrix->size);
        return code;
    case ORDERING_METIS:
        /* METIS cannot dissect a handful of vertices, nor a graph without edges */
        if (matrix->size > 2 && matrix->start[matrix->size] > matrix->size) {
            return nested_dissection(matrix, permutation, status);
        }
        return minimum_degree(matrix, permutation, status);
    case ORDERING_AMD:
        return minimum_degree(matrix, permutation, status);
    default:
        for (int i = 0; i < matrix->size; ++i) {
            permutation[i] = i;
        }
        return STATUS_OK;
    }
}

StatusCode ordering_choose(Ordering *ordering, const Matrix *matrix, int *permutation,
                           Status *status) {
    int dissect = *ordering == ORDERING_AUTO && matrix->place && matrix->size >= METIS_FROM &&
                  dissection_suits(matrix);
    *ordering = ordering_resolve(*ordering, matrix->size);
    if (dissect) {
        int good;
        StatusCode code = dissection_find(matrix, permutation, &good, status);
        if (code != STATUS_OK || good) {
            *ordering = ORDERING_DISSECTION;
            return code;
        }
    }
    return ordering_find(*ordering, matrix, permutation, status);
}
