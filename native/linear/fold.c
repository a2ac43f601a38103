/* The fold's unknowns have to be eliminated last, so the rest is ordered by itself. */
#include "linear/fold.h"

#include <string.h>

#include "linear/dense.h"

/* Marks the fold's unknowns. */
static void mark_last(const Fold *fold, int size, uint8_t *last) {
    for (int s = 0; s < fold->side_count; ++s) {
        last[fold->side[s]] = 1;
    }
    memset(last + fold->held_from, 1, (size_t)(size - fold->held_from));
}

/* The pattern among the other unknowns. False without memory. */
static bool take_rest(const Fold *fold, const Matrix *matrix, Store *store, Matrix *rest) {
    uint8_t *last = STORE_ARRAY(store, uint8_t, matrix->size);
    int *number = STORE_ARRAY(store, int, matrix->size), entries = 0;
    if (store->failed) {
        return false;
    }
    mark_last(fold, matrix->size, last);
    rest->size = 0;
    for (int i = 0; i < matrix->size; ++i) {
        number[i] = last[i] ? -1 : rest->size++;
    }
    rest->start = STORE_ARRAY(store, int, rest->size + 1);
    rest->column = STORE_ARRAY(store, int, matrix->start[matrix->size]);
    rest->value = STORE_ARRAY(store, double, matrix->start[matrix->size]);
    Vec3 *place = STORE_ARRAY(store, Vec3, rest->size);
    if (store->failed) {
        return false;
    }
    rest->place = matrix->place ? place : NULL;
    for (int i = 0; i < matrix->size; ++i) {
        if (!last[i] && matrix->place) {
            place[number[i]] = matrix->place[i];
        }
        for (int p = matrix->start[i]; p < matrix->start[i + 1] && !last[i]; ++p) {
            if (!last[matrix->column[p]]) {
                rest->column[entries++] = number[matrix->column[p]];
            }
        }
        if (!last[i]) {
            rest->start[number[i] + 1] = entries;
        }
    }
    return true;
}

StatusCode fold_order(const Fold *fold, Ordering *ordering, const Matrix *matrix, Store *store,
                      Matrix *rest, int *permutation, Status *status) {
    StatusCode code = STATUS_OK;
    if (!take_rest(fold, matrix, store, rest)) {
        code = status_no_memory(status, "the order of a folded matrix");
    } else if (rest->size > 0) {
        code = ordering_choose(ordering, rest, permutation, status);
    }
    *ordering = ordering_resolve(*ordering, rest->size); /* where nothing is left to order */
    return code;
}

void fold_finish(const Fold *fold, const Matrix *matrix, int *permutation) {
    int rest = matrix->size - fold_last(fold, matrix->size);
    int *tail = permutation + rest;
    memcpy(tail, fold->side, (size_t)fold->side_count * sizeof *tail);
    for (int i = fold->held_from; i < matrix->size; ++i) {
        tail[fold->side_count + i - fold->held_from] = i;
    }
    for (int k = 0; k < rest; ++k) {
        int unknown = permutation[k], low = 0, high = fold->side_count;
        while (low < high) { /* side[s] - s others come before the side's s-th */
            int middle = low + (high - low) / 2;
            if (fold->side[middle] - middle <= unknown) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        permutation[k] = unknown + low;
    }
}

bool fold_factor(double *square, int size) {
    int stride = dense_stride(size);
    if (!dense_factor(square, size)) {
        return false;
    }
    for (int j = 0; j < size; ++j) {
        double *row = square + (size_t)j * (size_t)stride;
        for (int i = 0; i < j; ++i) {
            square[(size_t)i * (size_t)stride + (size_t)j] = row[i];
        }
        row[j] = 1.0 / row[j];
    }
    return true;
}
