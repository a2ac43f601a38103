/* Largest eigenvalues against spectra that are known in closed form. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "linear/krylov.h"

#define MOST 600

typedef struct Operator {
    int size;
    const double *diagonal; /* or null: second differences */
} Operator;

static void multiply(void *context, const double *x, double *y) {
    const Operator *operator= context;
    for (int i = 0; i < operator->size; ++i) {
        if (operator->diagonal) {
            y[i] = operator->diagonal[i] * x[i];
        } else {
            double left = i > 0 ? x[i - 1] : 0, right = i + 1 < operator->size ? x[i + 1] : 0;
            y[i] = 2 * x[i] - left - right;
        }
    }
}

/* Rank one: x -> u (u . x). */
static void multiply_outer(void *context, const double *x, double *y) {
    const Operator *operator= context;
    double sum = 0;
    for (int i = 0; i < operator->size; ++i) {
        sum += operator->diagonal[i] * x[i];
    }
    for (int i = 0; i < operator->size; ++i) {
        y[i] = operator->diagonal[i] * sum;
    }
}

static double largest_of(EigenOperator apply, Operator *operator, int free_size) {
    double start[MOST], largest = -1;
    Status status;
    for (int i = 0; i < operator->size; ++i) {
        start[i] = random_between(0.5, 1.5);
    }
    CHECK_INT(eigen_largest(operator->size, free_size, apply, operator, start, &largest, &status),
              STATUS_OK);
    return largest;
}

int main(void) {
    random_start(4);
    double diagonal[MOST], best;
    for (int size = 1; size <= 60; ++size) {
        best = 0;
        for (int i = 0; i < size; ++i) {
            diagonal[i] = random_between(0, 10);
            best = fmax(best, diagonal[i]);
        }
        Operator any = {size, diagonal}, chain = {size, NULL};
        /* small spaces are searched wholly: rounding only */
        CHECK_NEAR(largest_of(multiply, &any, size), best, 1e-10);
        double wanted = 2 - 2 * cos(M_PI * size / (size + 1));
        CHECK_NEAR(largest_of(multiply, &chain, size), wanted, 1e-10);
    }
    /* one large value far from many: found at once even where the space is larger than the search */
    for (int i = 0; i < MOST; ++i) {
        diagonal[i] = i == 317 ? 1e6 : random_between(1, 2);
    }
    Operator lonely = {MOST, diagonal}, flat = {MOST, diagonal}, zero = {MOST, diagonal};
    CHECK_NEAR(largest_of(multiply, &lonely, MOST), 1e6, 1e-4);
    /* all the same: the search ends after one step, and does not divide by zero */
    for (int i = 0; i < MOST; ++i) {
        diagonal[i] = 3.5;
    }
    CHECK_NEAR(largest_of(multiply, &flat, MOST), 3.5, 1e-12);
    /* rank one: u.u */
    double squares = 0;
    for (int i = 0; i < MOST; ++i) {
        diagonal[i] = random_between(0, 1);
        squares += diagonal[i] * diagonal[i];
    }
    CHECK_NEAR(largest_of(multiply_outer, &flat, MOST), squares, 1e-9 * squares);
    memset(diagonal, 0, sizeof diagonal);
    CHECK_NEAR(largest_of(multiply, &zero, MOST), 0, 1e-12);
    /* a cluster at the top, as in cloth: below the true value, and near it */
    Operator chain = {MOST, NULL};
    double found = largest_of(multiply, &chain, MOST), top = 2 - 2 * cos(M_PI * MOST / (MOST + 1));
    printf("chain of %d: %.9f, exactly %.9f\n", MOST, found, top);
    CHECK_BELOW(found, top + 1e-12);
    CHECK_NEAR(found, top, 1e-3 * top);
    return check_result();
}
