/* Tensions: what every material law hands to the vertices.
 * A law measures its elements by linear maps s = sum_c w_c x_c (an edge vector, a fabric axis, a
 * bending vector), each with a target s* and a weight k, so that its energy is k |s - s*|^2 / 2.
 * Its local step leaves the tension k (s* - s) of each map here, and the force on a vertex is the
 * sum of its weights w times those tensions. One gather in a fixed order serves all laws, needs no
 * atomics and gives the same bytes for any number of threads. */
#ifndef LAWS_ROWS_H
#define LAWS_ROWS_H

#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"

typedef struct Rows {
    int count;     /* rows taken so far */
    Vec3 *tension; /* N, or N m^2-weighted as the law needs: w times tension is a force */
    int vertex_count;
    int *start; /* per vertex, into those below; vertex_count + 1 */
    int *last;  /* per vertex, likewise: where the rows from `last_row` on begin */
    int last_row;
    int *row;
    double *weight;
    uint8_t *corner; /* which of its element's corners the vertex is there */
} Rows;

/* Who uses which row with which weight: `width` vertices for each of `count` rows from `first`. */
typedef struct RowUse {
    int first, count, width;
    int row_step;          /* rows from one element to the next */
    const int *vertices;   /* width x count */
    const double *weights; /* width x count */
    bool filled_up;        /* corners without a weight are not there */
} RowUse;

/* Lays out the gather for all laws of a cloth, whose rows come one after the other. */
StatusCode rows_build(Rows *rows, int vertex_count, int row_count, const RowUse *uses,
                      int use_count, int last_row, Store *store, Status *status);

/* Again, where laws have other weights than before; none becomes zero, or is it no more. */
void rows_fill(Rows *rows, const RowUse *uses, int use_count);

/* Force on one vertex, N. */
static inline Vec3 rows_force(const Rows *rows, int vertex) {
    Vec3 sum = {0, 0, 0};
    for (int p = rows->start[vertex]; p < rows->start[vertex + 1]; ++p) {
        sum = vec3_madd(sum, rows->weight[p], rows->tension[rows->row[p]]);
    }
    return sum;
}

/* The part of it that rows from `last_row` on have. */
static inline Vec3 rows_last_force(const Rows *rows, int vertex) {
    Vec3 sum = {0, 0, 0};
    for (int p = rows->last[vertex]; p < rows->start[vertex + 1]; ++p) {
        sum = vec3_madd(sum, rows->weight[p], rows->tension[rows->row[p]]);
    }
    return sum;
}

#endif
