/* How much a substep may search. Cloth that shrinks to a knot, or flies through a body, has more candidates for contact
 * than anybody can wait for, or has memory for: a search ends then, what it has found counts, and the caller is told. What
 * was compared is counted and no clock is read, so the same is left out on every machine and with any number of threads. */
#ifndef CONTACT_EFFORT_H
#define CONTACT_EFFORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Slices of a search differ: each may take so many times its part of what is left. */
#define EFFORT_UNEVEN 4
/* A slice may always compare so many, as long as anything is left. */
#define EFFORT_LEAST 16384

/* What is listed counts for so many that are compared: it takes memory, and time in every round. */
#define EFFORT_LISTED 8
/* No end of it: where nobody fills it up. */
#define EFFORT_ENDLESS (INT64_MAX / 64)

typedef struct Effort {
    const atomic_int *cancelled; /* not 0: all searches end at once; may be null */
    int64_t left;                /* candidates that may be compared in this substep */
    int curtailed;               /* slices that ended early, since it was last cleared */
} Effort;

/* What one slice of a search has of it; `ended` when there is no more. */
typedef struct EffortShare {
    const atomic_int *cancelled;
    int64_t left;
    bool ended;
} EffortShare;

static inline bool effort_cancelled(const Effort *effort) {
    return effort->cancelled && atomic_load_explicit(effort->cancelled, memory_order_relaxed);
}

/* A substep begins. */
static inline void effort_fill(Effort *effort, const atomic_int *cancelled, int64_t most) {
    effort->cancelled = cancelled;
    effort->left = most;
}

/* Whether a search may still begin. */
static inline bool effort_lasts(const Effort *effort) {
    return effort->left > 0 && !effort_cancelled(effort);
}

static inline EffortShare effort_share(const Effort *effort, int slices) {
    int64_t part = EFFORT_UNEVEN * effort->left / (slices > 0 ? slices : 1);
    return (EffortShare){effort->cancelled, part > EFFORT_LEAST ? part : EFFORT_LEAST, false};
}

/* Counts what is compared next; false: it is not to be. */
static inline bool effort_take(EffortShare *share, int64_t count) {
    share->left -= count;
    share->ended |=
        share->left < 0 ||
        (share->cancelled && atomic_load_explicit(share->cancelled, memory_order_relaxed));
    return !share->ended;
}

/* After a search: what a slice has taken, by what it had at first. */
static inline void effort_spend(Effort *effort, const EffortShare *first,
                                const EffortShare *share) {
    effort->left -= first->left - share->left;
    effort->curtailed += share->ended;
}

#endif
