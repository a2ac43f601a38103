/* Slices only ever grow, so after some runs the list stays as it is. */
#include "base/slices.h"

#include <string.h>

/* Room that a slice gets beyond half as much again as it needed. */
#define SPARE 16

void slices_build(Slices *slices, int range, int room, Store *store) {
    slices_build_each(slices, pool_chunks(range), room, store);
}

void slices_build_each(Slices *slices, int count, int room, Store *store) {
    *slices = (Slices){.count = count,
                       .start = STORE_ARRAY(store, int, count + 1),
                       .used = STORE_ARRAY(store, int, count)};
    for (int s = 0; !store->failed && s <= count; ++s) {
        slices->start[s] = count > 0 ? (int)((int64_t)room * s / count) : 0;
    }
}

static int64_t wanted_for(int room, int used) {
    return used > room ? (int64_t)used + used / 2 + SPARE : room;
}

static int64_t wanted_by(const Slices *slices, int slice) {
    return wanted_for(slices_room(slices, slice), slices->used[slice]);
}

int slices_wanted(const Slices *slices) {
    int64_t total = 0;
    bool overflow = false;
    for (int s = 0; s < slices->count; ++s) {
        overflow |= slices->used[s] > slices_room(slices, s);
        total += wanted_by(slices, s);
    }
    return !overflow ? 0 : total > INT32_MAX / 2 ? -1 : (int)total;
}

void slices_widen(Slices *slices) {
    int start = 0;
    for (int s = 0; s < slices->count; ++s) {
        int64_t wanted = wanted_by(slices, s);
        slices->start[s] = start;
        start += (int)wanted;
    }
    slices->start[slices->count] = start;
}

void slices_spread(Slices *slices, void *list, size_t size) {
    int64_t total = 0;
    for (int s = 0; s < slices->count; ++s) {
        total += wanted_by(slices, s);
    }
    int end = slices->start[slices->count], widened_end = (int)total;
    slices->start[slices->count] = widened_end;
    for (int s = slices->count; s-- > 0;) { /* the last first: all go towards the end */
        int start = slices->start[s], room = end - start, used = slices->used[s];
        int wanted = (int)wanted_for(room, used);
        memmove((char *)list + size * (size_t)(widened_end - wanted),
                (char *)list + size * (size_t)start, size * (size_t)(used < room ? used : room));
        end = start;
        slices->start[s] = widened_end -= wanted;
    }
}

int slices_close(const Slices *slices, void *list, size_t size, int *dropped) {
    int total = 0;
    *dropped = 0;
    for (int s = 0; s < slices->count; ++s) {
        int room = slices_room(slices, s), used = slices->used[s];
        int kept = used < room ? used : room;
        *dropped += used - kept;
        memmove((char *)list + size * (size_t)total, (char *)list + size * (size_t)slices->start[s],
                size * (size_t)kept);
        total += kept;
    }
    return total;
}
