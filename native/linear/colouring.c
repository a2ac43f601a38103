/* First-fit colouring of a matrix's graph. */
#include "linear/colouring.h"

#include <stdlib.h>

static int largest_row(const Matrix *pattern) {
    int largest = 0;
    for (int i = 0; i < pattern->size; ++i) {
        int entries = pattern->start[i + 1] - pattern->start[i];
        largest = entries > largest ? entries : largest;
    }
    return largest;
}

/* Gives each unknown the first colour that no neighbour before it has; `taken` remembers by whom. Returns how many
 * colours there are. */
static int choose(const Matrix *pattern, int *colour, int *taken) {
    int count = 0;
    for (int i = 0; i < pattern->size; ++i) {
        for (int p = pattern->start[i]; p < pattern->start[i + 1]; ++p) {
            if (pattern->column[p] < i) {
                taken[colour[pattern->column[p]]] = i + 1;
            }
        }
        int free_one = 0;
        while (taken[free_one] == i + 1) {
            ++free_one;
        }
        colour[i] = free_one;
        count = free_one + 1 > count ? free_one + 1 : count;
    }
    return count;
}

StatusCode colouring_build(Colouring *colouring, const Matrix *pattern, Store *store,
                           Status *status) {
    int most = largest_row(pattern) + 1;
    int *colour = SCRATCH_ARRAY(int, pattern->size), *taken = SCRATCH_ARRAY(int, most);
    colouring->start = STORE_ARRAY(store, int, most + 1);
    colouring->order = STORE_ARRAY(store, int, pattern->size);
    if (!colour || !taken || store->failed) {
        free(colour);
        free(taken);
        return status_no_memory(status, "the colouring");
    }
    colouring->count = choose(pattern, colour, taken);
    for (int i = 0; i < pattern->size; ++i) {
        ++colouring->start[colour[i] + 1];
    }
    for (int c = 0; c < colouring->count; ++c) {
        colouring->start[c + 1] += colouring->start[c];
        taken[c] = colouring->start[c];
    }
    for (int i = 0; i < pattern->size; ++i) {
        colouring->order[taken[colour[i]]++] = i;
    }
    free(colour);
    free(taken);
    return STATUS_OK;
}
