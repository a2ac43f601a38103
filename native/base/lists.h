/* Lists one after another in one array, as the rows of a sparse matrix: list k lies from start[k] up to start[k + 1].
 * Count each list's items into start[k + 1], call lists_begin(), write the items through start[k]++, and call
 * lists_rewind(). `start` has one more place than there are lists, all zero before counting. */
#pragma once

#include <string.h>

/* Makes beginnings of the counts. Returns how many items there are in all lists. */
static inline int lists_begin(int *start, int lists) {
    for (int k = 0; k < lists; ++k) {
        start[k + 1] += start[k];
    }
    return start[lists];
}

/* After writing, when start[k] has moved to the end of list k. */
static inline void lists_rewind(int *start, int lists) {
    memmove(start + 1, start, (size_t)lists * sizeof *start);
    start[0] = 0;
}

/* All of it: the numbers 0 to count - 1, each in the list that its key names. Within a list they ascend. */
static inline void lists_group(int *start, int lists, const int *keys, int count, int *items) {
    for (int i = 0; i < count; ++i) {
        ++start[keys[i] + 1];
    }
    lists_begin(start, lists);
    for (int i = 0; i < count; ++i) {
        items[start[keys[i]]++] = i;
    }
    lists_rewind(start, lists);
}
