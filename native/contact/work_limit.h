/* How many candidates a substep may compare while it searches for contacts. Cloth that collapses to a knot or flies
 * through a body has more of them than time or memory allows: the search then ends, what it has found counts, and the
 * caller gets a warning. The limit counts comparisons and reads no clock, so that every machine and every number of
 * threads leaves out the same. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slices of a search differ: each may take this many times its even share of what is left. */
#define WORK_UNEVEN 4
/* Every slice may compare this many, as long as anything is left. */
#define WORK_LEAST 16384

/* A candidate that is listed counts as this many comparisons: it takes memory, and time in every iteration. */
#define WORK_LISTED 8
/* For tests and tools without a limit. */
#define WORK_UNLIMITED (INT64_MAX / 64)

typedef struct WorkLimit {
    const atomic_int *cancelled; /* not 0: all searches end at once; may be null */
    int64_t left;                /* candidates that may be compared in this substep */
    int curtailed;               /* slices that ended early since it was cleared */
} WorkLimit;

/* One slice's share of so many; `ended`: it is used up. */
typedef struct WorkShare {
    const atomic_int *cancelled;
    int64_t given, left;
    bool ended;
} WorkShare;

static inline bool work_limit_cancelled(const WorkLimit *limit) {
    return limit->cancelled && atomic_load_explicit(limit->cancelled, memory_order_relaxed);
}

/* At the start of a substep. */
static inline void work_limit_reset(WorkLimit *limit, const atomic_int *cancelled, int64_t most) {
    limit->cancelled = cancelled;
    limit->left = most;
}

/* Whether a search may still begin. */
static inline bool work_limit_has_left(const WorkLimit *limit) {
    return limit->left > 0 && !work_limit_cancelled(limit);
}

static inline WorkShare work_limit_share(const WorkLimit *limit, int slices) {
    int64_t part = WORK_UNEVEN * limit->left / (slices > 0 ? slices : 1);
    part = part > WORK_LEAST ? part : WORK_LEAST;
    return (WorkShare){limit->cancelled, part, part, false};
}

/* After a search with this share: where some slices ended though others have left enough, makes the share what is left for
 * each of these, and returns true: all are to be searched again. `slices`: the shares of all, `stride` bytes apart. */
static inline bool work_limit_widen(const WorkLimit *limit, WorkShare *share,
                                    const WorkShare *slices, size_t stride, int count) {
    int64_t left = limit->left, ended = 0;
    for (int s = 0; s < count; ++s) {
        const WorkShare *slice = (const WorkShare *)((const char *)slices + (size_t)s * stride);
        left -= slice->ended ? 0 : slice->given - slice->left;
        ended += slice->ended;
    }
    if (ended == 0 || left / ended <= share->given || work_limit_cancelled(limit)) {
        return false;
    }
    share->given = share->left = left / ended;
    return true;
}

/* Counts `count` comparisons about to be made; false: do not make them. */
static inline bool work_share_take(WorkShare *share, int64_t count) {
    share->left -= count;
    share->ended |=
        share->left < 0 ||
        (share->cancelled && atomic_load_explicit(share->cancelled, memory_order_relaxed));
    return !share->ended;
}

/* After a search: takes what a slice has used of its share from the limit. */
static inline void work_limit_spend(WorkLimit *limit, const WorkShare *share) {
    limit->left -= share->given - share->left;
    limit->curtailed += share->ended;
}
