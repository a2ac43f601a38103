/* Adding up contacts tile by tile. */
#include "solver/coarse/touches.h"

#include <string.h>

void touches_take(Touches *touches, int aggregate_count, Store *store) {
    touches->aggregate_count = aggregate_count;
    touches->touch = STORE_ARRAY(store, Touch, MOST_TOUCHES);
    touches->place = STORE_ARRAY(store, uint8_t, MOST_TOUCHES * (size_t)aggregate_count);
}

static uint8_t *places_of(const Touches *touches, int touch) {
    return touches->place + (size_t)touch * (size_t)touches->aggregate_count;
}

void touches_note(Touches *touches, int touch) {
    const Touch *noted = &touches->touch[touch];
    uint8_t *place = places_of(touches, touch);
    memset(place, 0, (size_t)touches->aggregate_count);
    for (int k = 0; k < noted->count; ++k) {
        place[noted->aggregates[k]] = (uint8_t)(k + 1);
    }
}

int touches_of(const Touches *touches, int aggregate, int reached[MOST_TOUCHES]) {
    int count = 0;
    for (int t = 0; t < touches->count; ++t) {
        reached[count] = t;
        count += places_of(touches, t)[aggregate] > 0;
    }
    return count;
}

/* What a touch adds to a tile. */
typedef struct TouchShare {
    const double *lower, *upper; /* by the functions of both aggregates */
    const double *block;
} TouchShare;

/* Adds the outer products of both aggregates' functions, times NUMBERS of the contacts' blocks from m on. The sums stay
 * in registers meanwhile. All that is added to a tile is the same for a block and the one across the diagonal. */
static void add_numbers(const TouchShare *shares, int count, int m, double *tile) {
    Pair sum[NUMBERS][KINDS][PAIRS];
    for (int n = 0; n < NUMBERS; ++n) {
        int c = upper_row[m + n], d = upper_column[m + n];
        for (int f = 0; f < KINDS; ++f) {
            memcpy(sum[n][f], tile + (KINDS * c + f) * TILE + KINDS * d, sizeof sum[n][f]);
        }
    }
    for (const TouchShare *share = shares; share < shares + count; ++share) {
        const Pair *values = (const Pair *)share->upper;
        for (int n = 0; n < NUMBERS; ++n) {
            for (int f = 0; f < KINDS; ++f) {
                double factor = share->block[m + n] * share->lower[f];
                sum[n][f][0] += factor * values[0];
                sum[n][f][1] += factor * values[1];
            }
        }
    }
    for (int n = 0; n < NUMBERS; ++n) {
        int c = upper_row[m + n], d = upper_column[m + n];
        for (int f = 0; f < KINDS; ++f) {
            memcpy(tile + (KINDS * c + f) * TILE + KINDS * d, sum[n][f], sizeof sum[n][f]);
            memcpy(tile + (KINDS * d + f) * TILE + KINDS * c, sum[n][f], sizeof sum[n][f]);
        }
    }
}

void touches_add(const Touches *touches, const int *reached, int count, int lower, int upper,
                 double *tile) {
    TouchShare shares[MOST_TOUCHES];
    int found = 0;
    for (int k = 0; k < count; ++k) {
        const Touch *touch = &touches->touch[reached[k]];
        const uint8_t *place = places_of(touches, reached[k]);
        if (place[lower] > 0) {
            shares[found++] = (TouchShare){touch->by[place[lower] - 1], touch->by[place[upper] - 1],
                                           touch->block};
        }
    }
    for (int m = 0; found > 0 && m < SYMMETRIC; m += NUMBERS) {
        add_numbers(shares, found, m, tile);
    }
}
