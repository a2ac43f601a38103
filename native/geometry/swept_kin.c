/* Around each element the vertices within a ring are collected first, so that each element beyond is met few times. */
#include "geometry/swept_kin.h"

#include <stdlib.h>
#include <string.h>

/* Vertices with more elements join nobody: their pairs would be too many to list. */
#define MOST_ELEMENTS 24
/* Vertices within a ring of an element, at most. */
#define MOST_NEAR (3 + 3 * 2 * MOST_ELEMENTS)

typedef struct Growing {
    int count;
    const int *order, (*corners)[3];
    int *around_start, *around;     /* per vertex: the places of its elements in the order */
    uint16_t (*found)[SWEPT_RINGS]; /* per group: of those with the present one */
    uint8_t *listed;                /* per group */
    int *groups, listed_count;
    SweptKinItem *items;
    int item_count, room;
    bool failed;
} Growing;

static void find_around(Growing *growing, int vertex_count) {
    int *start = growing->around_start;
    for (int i = 0; i < 3 * growing->count; ++i) {
        ++start[growing->corners[growing->order[i / 3]][i % 3]];
    }
    for (int v = 1; v <= vertex_count; ++v) {
        start[v] += start[v - 1];
    }
    for (int i = 3 * growing->count; i-- > 0;) {
        growing->around[--start[growing->corners[growing->order[i / 3]][i % 3]]] = i / 3;
    }
}

static bool joins(const Growing *growing, int v) {
    return growing->around_start[v + 1] - growing->around_start[v] <= MOST_ELEMENTS;
}

/* All elements around a vertex are kin of the one at `place`. */
static void add_around(Growing *growing, int place, int v, int ring) {
    int own = place / SWEPT_LANES;
    for (int i = growing->around_start[v]; i < growing->around_start[v + 1]; ++i) {
        int other = growing->around[i], group = other / SWEPT_LANES;
        if (group >= own) {
            if (!growing->listed[group]) {
                growing->listed[group] = 1;
                growing->groups[growing->listed_count++] = group;
            }
            uint16_t bit =
                (uint16_t)(1 << (SWEPT_LANES * (place % SWEPT_LANES) + other % SWEPT_LANES));
            for (int r = ring; r < SWEPT_RINGS; ++r) {
                growing->found[group][r] |= bit;
            }
        }
    }
}

static void add_kin(Growing *growing, int place) {
    const int *v = growing->corners[growing->order[place]];
    int near[MOST_NEAR], count = 0;
    for (int k = 0; k < 3; ++k) {
        if (joins(growing, v[k])) {
            add_around(growing, place, v[k], 0);
            for (int i = growing->around_start[v[k]]; i < growing->around_start[v[k] + 1]; ++i) {
                const int *w = growing->corners[growing->order[growing->around[i]]];
                for (int l = 0; l < 3; ++l) {
                    int known = 0;
                    for (; known < count && near[known] != w[l]; ++known) {
                    }
                    near[known] = w[l];
                    count += known == count;
                }
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        if (joins(growing, near[i])) {
            add_around(growing, place, near[i], 1);
        }
    }
}

static int compare_ints(const void *a, const void *b) {
    int first = *(const int *)a, second = *(const int *)b;
    return (first > second) - (first < second);
}

static void list_group(Growing *growing, int group) {
    growing->listed_count = 0;
    for (int place = SWEPT_LANES * group;
         place < SWEPT_LANES * (group + 1) && place < growing->count; ++place) {
        add_kin(growing, place);
    }
    qsort(growing->groups, (size_t)growing->listed_count, sizeof *growing->groups, compare_ints);
    int wanted = growing->item_count + growing->listed_count;
    if (wanted > growing->room) {
        int room = wanted + wanted / 2 + 256;
        growing->items =
            scratch_grow(growing->items, (size_t)room, sizeof *growing->items, &growing->failed);
        growing->room = growing->failed ? growing->room : room;
    }
    for (int i = 0; i < growing->listed_count; ++i) {
        int other = growing->groups[i];
        uint16_t *found = growing->found[other];
        if (!growing->failed) {
            growing->items[growing->item_count++] = (SweptKinItem){other, {found[0], found[1]}};
        }
        found[0] = found[1] = 0;
        growing->listed[other] = 0;
    }
}

void swept_kin_build(SweptKin *kin, int count, const int *order, const int (*corners)[3],
                     int vertex_count, Store *store) {
    size_t groups = count > 0 ? (size_t)(count + SWEPT_LANES - 1) / SWEPT_LANES : 1;
    Growing growing = {.count = count, .order = order, .corners = corners};
    growing.around_start = SCRATCH_ARRAY(int, (size_t)vertex_count + 1);
    growing.around = SCRATCH_ARRAY(int, 3 * (size_t)count);
    growing.found = scratch_take(groups, sizeof *growing.found);
    growing.listed = SCRATCH_ARRAY(uint8_t, groups);
    growing.groups = SCRATCH_ARRAY(int, groups);
    kin->start = STORE_ARRAY(store, int, groups + 1);
    growing.failed = store->failed || !growing.around_start || !growing.around || !growing.found ||
                     !growing.listed || !growing.groups;
    if (!growing.failed) {
        find_around(&growing, vertex_count);
        for (int g = 0; g < (int)groups && !growing.failed; ++g) {
            list_group(&growing, g);
            kin->start[g + 1] = growing.item_count;
        }
        kin->items = STORE_ARRAY(store, SweptKinItem, growing.item_count);
    }
    if (!growing.failed && !store->failed && growing.item_count > 0) {
        memcpy(kin->items, growing.items, (size_t)growing.item_count * sizeof *kin->items);
    }
    store->failed |= growing.failed;
    free(growing.around_start);
    free(growing.around);
    free(growing.found);
    free(growing.listed);
    free(growing.groups);
    free(growing.items);
}
