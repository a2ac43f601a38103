/* Contacts as the coarse level sees them: by the aggregates that reach their vertices, and what they add to its tiles. */
#ifndef SOLVER_COARSE_TOUCHES_H
#define SOLVER_COARSE_TOUCHES_H

#include "contact/contacts.h"
#include "linear/dense.h"
#include "solver/coarse/transfer.h"

/* The six different numbers of a symmetric 3 x 3 block, and where each of them goes. */
#define SYMMETRIC 6
static const int upper_row[SYMMETRIC] = {0, 0, 0, 1, 1, 2};
static const int upper_column[SYMMETRIC] = {0, 1, 2, 1, 2, 2};
/* Four functions are two pairs. */
#define PAIRS (KINDS / 2)
/* Numbers of a block that are taken at a time, as many sums as registers hold. */
#define NUMBERS 2

/* Contacts that are looked at, at most: of more, evenly spread ones stand for their neighbours. */
#define MOST_TOUCHES 512
/* Aggregates that reach a contact's vertices, at most: each by MOST_AGGREGATES, and all by the whole cloth. */
#define MOST_TOUCH_AGGREGATES (CONTACT_VERTICES * MOST_AGGREGATES + 1)
_Static_assert(MOST_TOUCH_AGGREGATES < UINT8_MAX, "a place among them fits a byte");

/* A contact by the aggregates: what the functions of each do to its point. */
typedef struct Touch {
    int contact;
    int count, aggregates[MOST_TOUCH_AGGREGATES]; /* none where it is left out */
    _Alignas(16) double by[MOST_TOUCH_AGGREGATES][KINDS];
    double block[SYMMETRIC];
} Touch;

typedef struct Touches {
    int aggregate_count;
    int count;
    Touch *touch;   /* MOST_TOUCHES */
    uint8_t *place; /* per touch and aggregate: its place in the touch's list, plus one; 0: none */
} Touches;

/* Room for all; the store tells if there is none. */
void touches_take(Touches *touches, int aggregate_count, Store *store);

/* Notes the places of a touch's aggregates, once they are listed. */
void touches_note(Touches *touches, int touch);

/* Lists the touches that an aggregate reaches, ascending; returns how many. */
int touches_of(const Touches *touches, int aggregate, int reached[MOST_TOUCHES]);

/* Adds those that aggregate `lower` reaches, too, of the ones that `upper` does, to the tile of both. */
void touches_add(const Touches *touches, const int *reached, int count, int lower, int upper,
                 double *tile);

#endif
