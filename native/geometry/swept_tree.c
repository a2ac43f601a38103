/* Four groups of four elements descend the tree together, down to all groups that one of them may come near. Each of the
 * four is then compared with these groups, and only then single elements, one with four. */
#include "geometry/swept_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "base/sort.h"
#include "geometry/lanes.h"

/* --- adjacent elements ------------------------------------------------------------------------ */

/* Around each element the vertices within a ring are collected first, so that each element beyond is met few times. */

/* Elements around vertices with more of them do not count as adjacent: there would be too many pairs to list. */
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
    SweptAdjacentGroup *items;
    int item_count, room;
    bool failed;
} Growing;

static void find_around(Growing *growing, int vertex_count) {
    int *start = growing->around_start;
    for (int i = 0; i < 3 * growing->count; ++i) {
        ++start[growing->corners[growing->order[i / 3]][i % 3] + 1];
    }
    lists_begin(start, vertex_count);
    for (int i = 0; i < 3 * growing->count; ++i) {
        growing->around[start[growing->corners[growing->order[i / 3]][i % 3]]++] = i / 3;
    }
    lists_rewind(start, vertex_count);
}

static bool joins(const Growing *growing, int v) {
    return growing->around_start[v + 1] - growing->around_start[v] <= MOST_ELEMENTS;
}

/* All elements around a vertex are adjacent to the one at `place`. */
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

static void add_neighbours(Growing *growing, int place) {
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

static void list_group(Growing *growing, int group) {
    growing->listed_count = 0;
    for (int place = SWEPT_LANES * group;
         place < SWEPT_LANES * (group + 1) && place < growing->count; ++place) {
        add_neighbours(growing, place);
    }
    sort_ints(growing->groups, growing->listed_count);
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
            growing->items[growing->item_count++] =
                (SweptAdjacentGroup){other, {found[0], found[1]}};
        }
        found[0] = found[1] = 0;
        growing->listed[other] = 0;
    }
}

/* Of `count` elements of three vertices each, in an order. Arrays come from `store`, which fails if they cannot be had. */
static void swept_adjacency_build(SweptAdjacency *adjacency, int count, const int *order,
                                  const int (*corners)[3], int vertex_count, Store *store) {
    size_t groups = count > 0 ? (size_t)(count + SWEPT_LANES - 1) / SWEPT_LANES : 1;
    Growing growing = {.count = count, .order = order, .corners = corners};
    Store scratch = {0};
    growing.around_start = STORE_ARRAY(&scratch, int, (size_t)vertex_count + 1);
    growing.around = STORE_ARRAY(&scratch, int, 3 * (size_t)count);
    growing.found = store_take(&scratch, groups, sizeof *growing.found);
    growing.listed = STORE_ARRAY(&scratch, uint8_t, groups);
    growing.groups = STORE_ARRAY(&scratch, int, groups);
    adjacency->start = STORE_ARRAY(store, int, groups + 1);
    growing.failed = store->failed || scratch.failed;
    if (!growing.failed) {
        find_around(&growing, vertex_count);
        for (int g = 0; g < (int)groups && !growing.failed; ++g) {
            list_group(&growing, g);
            adjacency->start[g + 1] = growing.item_count;
        }
        adjacency->items = STORE_ARRAY(store, SweptAdjacentGroup, growing.item_count);
    }
    if (!growing.failed && !store->failed && growing.item_count > 0) {
        memcpy(adjacency->items, growing.items,
               (size_t)growing.item_count * sizeof *adjacency->items);
    }
    store->failed |= growing.failed;
    store_release(&scratch);
    free(growing.items);
}

/* Fours of groups in a slice. */
#define SLICE 16
/* Fours of groups that one can come near before it looks at them. */
#define NEAR 128
/* Three branches a level wait at most besides the last four. */
#define STACK (4 * SWEPT_LEVELS)
/* Of a mask, a lane. */
#define LANE_BITS 16
/* Lanes of two groups; of a group and itself those that are skipped, since each pair is reported once. */
#define ALL_LANES 0xffff
#define OWN_LANES 0xf731

/* Four bits, spread to lanes. */
#define LANE(k) ((uint64_t)0xffff << (LANE_BITS * (k)))
#define LANES_01(bits) ((bits)&1 ? LANE(0) : 0) | ((bits)&2 ? LANE(1) : 0)
#define LANES_23(bits) ((bits)&4 ? LANE(2) : 0) | ((bits)&8 ? LANE(3) : 0)
#define LANES_OF(bits) LANES_01(bits) | LANES_23(bits)
static const uint64_t lanes_of[16] = {LANES_OF(0),  LANES_OF(1),  LANES_OF(2),  LANES_OF(3),
                                      LANES_OF(4),  LANES_OF(5),  LANES_OF(6),  LANES_OF(7),
                                      LANES_OF(8),  LANES_OF(9),  LANES_OF(10), LANES_OF(11),
                                      LANES_OF(12), LANES_OF(13), LANES_OF(14), LANES_OF(15)};

typedef int16_t Shorts __attribute__((vector_size(2 * SWEPT_LANES)));

/* --- building --------------------------------------------------------------------------------- */

/* Sorts `count` places into four branches of `room` elements each, all full but the last, and these likewise. */
static void sort_branches(BvhPlace *places, int count, int room, const Box *boxes) {
    int half = 2 * room;
    if (count > half) {
        bvh_cut(places, count, half, boxes);
    }
    for (int begin = 0; begin < count; begin += half) {
        int within = count - begin < half ? count - begin : half;
        if (within > room) {
            bvh_cut(places + begin, within, room, boxes);
        }
    }
    for (int begin = 0; room > SWEPT_LANES && begin < count; begin += room) {
        int within = count - begin < room ? count - begin : room;
        sort_branches(places + begin, within, room / SWEPT_LANES, boxes);
    }
}

static void lay_out(SweptTree *tree) {
    int width = (tree->count + SWEPT_LANES - 1) / SWEPT_LANES;
    width = width > 0 ? width : 1;
    tree->levels = 1;
    while (width > 1 || tree->levels < 2) { /* one above the groups is always there */
        tree->start[tree->levels] = tree->start[tree->levels - 1] + width;
        width = (width + SWEPT_LANES - 1) / SWEPT_LANES;
        ++tree->levels;
    }
}

static int level_width(const SweptTree *tree, int level) {
    return level + 1 < tree->levels ? tree->start[level + 1] - tree->start[level] : 1;
}

StatusCode swept_tree_build(SweptTree *tree, int count, const int (*corners)[3], int vertex_count,
                            const Vec3 *rest, Store *store, Status *status) {
    *tree = (SweptTree){.count = count, .vertex_count = vertex_count};
    lay_out(tree);
    size_t quads = (size_t)tree->start[tree->levels - 1] + 1;
    tree->order = STORE_ARRAY(store, int, SWEPT_LANES *level_width(tree, 0));
    tree->corners = store_take(store, (size_t)count, sizeof *tree->corners);
    tree->spots = STORE_ARRAY(store, SweptSpot, vertex_count);
    tree->quads = STORE_ARRAY(store, SweptQuad, quads);
    tree->awake = STORE_ARRAY(store, uint64_t, quads);
    tree->placed = STORE_ARRAY(store, uint8_t, quads);
    tree->settled = STORE_ARRAY(store, uint8_t, level_width(tree, 0));
    Store scratch = {0};
    BvhPlace *places = STORE_ARRAY(&scratch, BvhPlace, count);
    Box *boxes = STORE_ARRAY(&scratch, Box, count);
    bool failed = store->failed || scratch.failed;
    for (int i = 0; i < count && !failed; ++i) {
        places[i].primitive = i;
        boxes[i] = box_of_listed(rest, corners[i], 3);
    }
    if (!failed && count > SWEPT_LANES) {
        int room = SWEPT_LANES;
        for (; room * SWEPT_LANES < count; room *= SWEPT_LANES) {
        }
        sort_branches(places, count, room, boxes);
    }
    for (int i = 0; i < count && !failed; ++i) {
        tree->order[i] = places[i].primitive;
        for (int k = 0; k < 3; ++k) {
            tree->corners[i][k] = corners[i][k];
        }
    }
    store_release(&scratch);
    if (!failed) {
        swept_adjacency_build(&tree->adjacency, count, tree->order, corners, vertex_count, store);
    }
    return failed || store->failed ? status_no_memory(status, "a tree of moving boxes") : STATUS_OK;
}

/* --- moving ----------------------------------------------------------------------------------- */

typedef struct Moving {
    SweptTree *tree;
    const Vec3 *x, *z;
    const uint8_t *moved; /* null: all */
    int level;
} Moving;

static void set_spot(float spot[4], Vec3 place, Vec3 middle) {
    spot[0] = (float)(place.x - middle.x);
    spot[1] = (float)(place.y - middle.y);
    spot[2] = (float)(place.z - middle.z);
}

static void place_spots(void *context, int begin, int end) {
    const Moving *moving = context;
    SweptTree *tree = moving->tree;
    for (int v = begin; v < end; ++v) {
        if (!subset_has(tree->vertices, v)) {
            for (int k = 0; k < 3; ++k) {
                tree->spots[v].at[0][k] = tree->spots[v].at[1][k] = NAN;
            }
            continue;
        }
        if (moving->x) {
            set_spot(tree->spots[v].at[0], moving->x[v], tree->middle);
        }
        if (!moving->moved || moving->moved[v]) {
            set_spot(tree->spots[v].at[1], moving->z[v], tree->middle);
        }
    }
}

static uint64_t lane_mask(int lane) { return LANE(lane); }

/* The boxes of four elements, of which only the first `count` are there. */
static void place_quad(const SweptTree *tree, int first, int count, SweptQuad *quad) {
    Four low[2][SWEPT_LANES], high[2][SWEPT_LANES], none[SWEPT_LANES], columns[SWEPT_LANES];
    for (int lane = 0; lane < SWEPT_LANES; ++lane) {
        const int *v = tree->corners[tree->order[first + (lane < count ? lane : 0)]];
        none[lane] = in_all_lanes(lane < count ? 0.0F : NAN);
        for (int time = 0; time < 2; ++time) {
            Four a = *(const Four *)tree->spots[v[0]].at[time];
            Four b = *(const Four *)tree->spots[v[1]].at[time];
            Four c = *(const Four *)tree->spots[v[2]].at[time];
            low[time][lane] = lower(lower(a, b), c);
            high[time][lane] = higher(higher(a, b), c);
            none[lane] += 0 * a + 0 * b + 0 * c; /* no number where one is not finite */
        }
    }
    turn_over(none, columns);
    Signs whole = (columns[0] == 0) & (columns[1] == 0) & (columns[2] == 0);
    Four margin = in_all_lanes((float)tree->margin), far = in_all_lanes(INFINITY);
    for (int time = 0; time < 2; ++time) {
        turn_over(low[time], columns);
        for (int axis = 0; axis < 3; ++axis) {
            Four value = columns[axis] - margin - LANES_ROUNDED * magnitude(columns[axis]);
            *(Four *)quad->low[time][axis] = chosen(whole, value, far);
        }
        turn_over(high[time], columns);
        for (int axis = 0; axis < 3; ++axis) {
            Four value = columns[axis] + margin + LANES_ROUNDED * magnitude(columns[axis]);
            *(Four *)quad->high[time][axis] = chosen(whole, value, -far);
        }
    }
}

static void place_elements(void *context, int begin, int end) {
    const Moving *moving = context;
    SweptTree *tree = moving->tree;
    const uint8_t *moved = moving->moved;
    for (int q = begin; q < end; ++q) {
        int first = SWEPT_LANES * q, count = tree->count - first;
        count = count < SWEPT_LANES ? count : SWEPT_LANES;
        uint64_t awake = 0;
        bool somewhere = false;
        for (int lane = 0; lane < count; ++lane) {
            const int *v = tree->corners[tree->order[first + lane]];
            bool here = subset_has(tree->vertices, v[0]);
            bool moves = here && (!moved || moved[v[0]] | moved[v[1]] | moved[v[2]]);
            awake |= moves ? lane_mask(lane) : 0;
            somewhere |= here;
        }
        tree->awake[q] = awake;
        if (awake || (!moved && (somewhere || tree->placed[q]))) {
            place_quad(tree, first, count, &tree->quads[q]);
            tree->placed[q] = somewhere;
        }
    }
}

/* One row of a quad from those of its branches. */
static inline void join_rows(const float *const rows[SWEPT_LANES], bool low, float *row) {
    Four turned[SWEPT_LANES], columns[SWEPT_LANES];
    for (int lane = 0; lane < SWEPT_LANES; ++lane) {
        turned[lane] =
            rows[lane] ? *(const Four *)rows[lane] : in_all_lanes(low ? INFINITY : -INFINITY);
    }
    turn_over(turned, columns);
    *(Four *)row = low ? lower(lower(columns[0], columns[1]), lower(columns[2], columns[3]))
                       : higher(higher(columns[0], columns[1]), higher(columns[2], columns[3]));
}

static void join_branches(void *context, int begin, int end) {
    const Moving *moving = context;
    SweptTree *tree = moving->tree;
    int below = tree->start[moving->level - 1], width = level_width(tree, moving->level - 1);
    for (int i = begin; i < end; ++i) {
        SweptQuad *quad = &tree->quads[tree->start[moving->level] + i];
        const SweptQuad *branches[SWEPT_LANES];
        uint64_t awake = 0;
        uint8_t *placed = &tree->placed[tree->start[moving->level] + i], somewhere = 0;
        for (int lane = 0; lane < SWEPT_LANES; ++lane) {
            int branch = SWEPT_LANES * i + lane;
            branches[lane] = branch < width ? &tree->quads[below + branch] : NULL;
            awake |= branch < width && tree->awake[below + branch] ? lane_mask(lane) : 0;
            somewhere |= branch < width && tree->placed[below + branch];
        }
        tree->awake[tree->start[moving->level] + i] = awake;
        bool stays = !awake && (moving->moved || !(somewhere || *placed));
        *placed = somewhere;
        for (int k = 0; !stays && k < 6; ++k) {
            const float *low[SWEPT_LANES], *high[SWEPT_LANES];
            for (int lane = 0; lane < SWEPT_LANES; ++lane) {
                low[lane] = branches[lane] ? branches[lane]->low[k / 3][k % 3] : NULL;
                high[lane] = branches[lane] ? branches[lane]->high[k / 3][k % 3] : NULL;
            }
            join_rows(low, true, quad->low[k / 3][k % 3]);
            join_rows(high, false, quad->high[k / 3][k % 3]);
        }
    }
}

static void move_all(Moving *moving, Pool *pool) {
    SweptTree *tree = moving->tree;
    pool_run(pool, tree->vertex_count, place_spots, moving);
    pool_run(pool, level_width(tree, 0), place_elements, moving);
    for (moving->level = 1; moving->level < tree->levels; ++moving->level) {
        pool_run(pool, level_width(tree, moving->level), join_branches, moving);
    }
}

void swept_tree_place(SweptTree *tree, Pool *pool, const Vec3 *x, const Vec3 *z, double margin) {
    Box around = box_of_subset(x, tree->vertices, tree->vertex_count);
    tree->middle = box_middle(&around);
    tree->margin = margin;
    move_all(&(Moving){.tree = tree, .x = x, .z = z}, pool);
}

void swept_tree_move(SweptTree *tree, Pool *pool, const Vec3 *z, const uint8_t *moved) {
    move_all(&(Moving){.tree = tree, .z = z, .moved = moved}, pool);
}

void swept_tree_wake(SweptTree *tree, const uint8_t *elements) {
    for (int place = 0; place < tree->count; ++place) {
        if (elements[tree->order[place]]) {
            tree->awake[place / SWEPT_LANES] |= lane_mask(place % SWEPT_LANES);
        }
    }
    for (int level = 1; level < tree->levels; ++level) {
        for (int i = 0; i < level_width(tree, level - 1); ++i) {
            if (tree->awake[tree->start[level - 1] + i]) {
                tree->awake[tree->start[level] + i / SWEPT_LANES] |= lane_mask(i % SWEPT_LANES);
            }
        }
    }
}

typedef struct Settling {
    SweptTree *tree;
    const uint8_t *vertices;
} Settling;

static void settle_groups(void *context, int begin, int end) {
    const Settling *settling = context;
    SweptTree *tree = settling->tree;
    for (int g = begin; g < end; ++g) {
        int settled = 0;
        if (!tree->placed[g]) {
            continue;
        }
        for (int place = SWEPT_LANES * g; place < SWEPT_LANES * (g + 1) && place < tree->count;
             ++place) {
            const int *v = tree->corners[tree->order[place]];
            bool marked =
                settling->vertices[v[0]] & settling->vertices[v[1]] & settling->vertices[v[2]];
            settled |= marked << place % SWEPT_LANES;
        }
        tree->settled[g] = (uint8_t)settled;
    }
}

void swept_tree_settle(SweptTree *tree, Pool *pool, int rings, const uint8_t *vertices) {
    tree->settled_rings = rings;
    if (rings > 0) {
        pool_run(pool, level_width(tree, 0), settle_groups, &(Settling){tree, vertices});
    }
}

/* --- boxes ------------------------------------------------------------------------------------ */

/* A box at the start and at the end, each number in all lanes. */
typedef struct Query {
    Four low[2][3], high[2][3];
} Query;

static inline Query query_lane(const SweptQuad *quad, int lane) {
    Query query;
    for (int k = 0; k < 6; ++k) {
        query.low[k / 3][k % 3] = in_all_lanes(quad->low[k / 3][k % 3][lane]);
        query.high[k / 3][k % 3] = in_all_lanes(quad->high[k / 3][k % 3][lane]);
    }
    return query;
}

/* The lanes of a quad that no axis separates from the query, 16 bits each. */
static inline uint64_t meeting_lanes(const SweptQuad *quad, const Query *query) {
    Signs apart = {0};
    for (int axis = 0; axis < 3; ++axis) {
        apart |= (query->low[0][axis] > *(const Four *)quad->high[0][axis]) &
                 (query->low[1][axis] > *(const Four *)quad->high[1][axis]);
        apart |= (*(const Four *)quad->low[0][axis] > query->high[0][axis]) &
                 (*(const Four *)quad->low[1][axis] > query->high[1][axis]);
    }
    return ~(uint64_t) __builtin_convertvector(apart, Shorts);
}

/* --- separations ------------------------------------------------------------------------------ */

static inline Four inverse_length(Four squared) {
    Four inverse = {0};
    for (int lane = 0; lane < SWEPT_LANES; ++lane) {
        inverse[lane] = squared[lane] > 0 ? 1 / sqrtf(squared[lane]) : 0.0F;
    }
    return inverse;
}

void swept_tree_separations(const SweptTree *tree, int element, const int others[SWEPT_LANES],
                            SweptSeparations *separations) {
    const Four third = in_all_lanes(1.0F / 3);
    Vectors a[2][3], b[2][3], middles[2], between[2];
    for (int time = 0; time < 2; ++time) {
        for (int k = 0; k < 3; ++k) {
            Four rows[SWEPT_LANES];
            for (int lane = 0; lane < SWEPT_LANES; ++lane) {
                int v = tree->corners[others[lane]][k];
                rows[lane] = *(const Four *)tree->spots[v].at[time];
            }
            a[time][k] = spread(tree->spots[tree->corners[element][k]].at[time]);
            b[time][k] = side_by_side(rows);
        }
        Vectors sum = vectors_sum(vectors_sum(a[time][0], a[time][1]), a[time][2]);
        middles[time] = vectors_sum(vectors_sum(b[time][0], b[time][1]), b[time][2]);
        between[time] = vectors_less(sum, middles[time]);
        middles[time] = vectors_times(middles[time], third);
    }
    Vectors axis = vectors_sum(between[0], between[1]);
    axis = vectors_times(axis, inverse_length(vectors_dot(axis, axis)));
    Four lost = LANES_ROUNDED * (vectors_size(middles[0]) + vectors_size(middles[1]) +
                                 vectors_size(between[0]) + vectors_size(between[1]));
    *(Four *)separations->lost = lost;
    for (int time = 0; time < 2; ++time) {
        Four low = in_all_lanes(INFINITY), high = low; /* of the first; of the second turned over */
        for (int k = 0; k < 3; ++k) {
            Four above = vectors_dot(axis, vectors_less(a[time][k], middles[time]));
            Four beyond = vectors_dot(axis, vectors_less(b[time][k], middles[time]));
            *(Four *)separations->first[time][k] = above;
            *(Four *)separations->second[time][k] = beyond;
            low = lower(low, above);
            high = lower(high, -beyond);
        }
        *(Four *)separations->separation[time] = low + high - lost;
    }
}

/* --- pairs ------------------------------------------------------------------------------------ */

typedef struct Walk {
    const SweptTree *tree;
    SweptTreeVisit visit;
    void *context;
    int above;       /* the quad of the groups that walk, one level up */
    int quads[NEAR]; /* of that level, that it has come near */
    int quad_count;
    bool ended; /* the caller has enough */
} Walk;

/* Groups that one has come near, and lanes of theirs that are passed over, by its own. */
typedef struct Nearby {
    int count;
    int groups[LANES * NEAR + 1];
    uint16_t passed[LANES * NEAR + 1];
} Nearby;

/* The elements of a group with those of the groups it has come near. */
static void compare_elements(Walk *walk, int group, const Nearby *nearby) {
    const SweptTree *tree = walk->tree;
    const SweptQuad *own = &tree->quads[group];
    for (int lane = 0; lane < SWEPT_LANES; ++lane) {
        int place = SWEPT_LANES * group + lane, others[SWEPT_BATCH + LANES], count = 0;
        if (place >= tree->count || walk->ended) {
            break;
        }
        Query query = query_lane(own, lane);
        bool awake = tree->awake[group] & lane_mask(lane);
        for (int i = 0; i < nearby->count && !walk->ended; ++i) {
            int other = nearby->groups[i], passed = nearby->passed[i] >> (LANES * lane) & 15;
            if (passed == 15) {
                continue;
            }
            uint64_t lanes = meeting_lanes(&tree->quads[other], &query) & ~lanes_of[passed];
            lanes &= awake ? ~(uint64_t)0 : tree->awake[other];
            for (int next = 0; next < SWEPT_LANES; ++next) { /* no branch: it is unpredictable */
                others[count] = tree->order[SWEPT_LANES * other + next];
                count += lanes >> (LANE_BITS * next) & 1;
            }
            if (count > SWEPT_BATCH - SWEPT_LANES) {
                walk->ended = !walk->visit(walk->context, tree->order[place], others, count);
                count = 0;
            }
        }
        if (count > 0 && !walk->ended) {
            walk->ended = !walk->visit(walk->context, tree->order[place], others, count);
        }
    }
}

/* The lanes of a group and of one near it that are skipped; `item` advances with the near ones, in their order. */
static uint16_t passed_lanes(const SweptTree *tree, int group, int other, int *item) {
    /* By four bits for the elements of a group, those of the first and those of the second. */
    static const uint16_t rows[16] = {0x0000, 0x000f, 0x00f0, 0x00ff, 0x0f00, 0x0f0f,
                                      0x0ff0, 0x0fff, 0xf000, 0xf00f, 0xf0f0, 0xf0ff,
                                      0xff00, 0xff0f, 0xfff0, 0xffff};
    const SweptAdjacency *adjacency = &tree->adjacency;
    uint16_t own = group == other ? OWN_LANES : 0;
    if (tree->settled_rings == 0 || !(tree->settled[group] | tree->settled[other])) {
        return own;
    }
    while (*item < adjacency->start[group + 1] && adjacency->items[*item].group < other) {
        ++*item;
    }
    if (*item == adjacency->start[group + 1] || adjacency->items[*item].group != other) {
        return own;
    }
    const uint16_t *found = adjacency->items[*item].adjacent;
    uint16_t first = rows[tree->settled[group]], second = (uint16_t)(0x1111 * tree->settled[other]);
    uint16_t passed = found[0] & (first | second);
    return (uint16_t)(own | passed | (tree->settled_rings > 1 ? found[1] & first & second : 0));
}

/* Of a group: those that it comes near itself, out of the quads one level up. */
static void find_nearby(const Walk *walk, int group, Nearby *nearby) {
    const SweptTree *tree = walk->tree;
    const SweptQuad *above = &tree->quads[tree->start[1]];
    const uint64_t *awake_above = &tree->awake[tree->start[1]];
    Query query = query_lane(&above[walk->above], group % SWEPT_LANES);
    bool awake = tree->awake[group] != 0;
    int item = tree->adjacency.start[group], count = 0;
    nearby->count = 0;
    for (int i = 0; i < walk->quad_count; ++i) {
        int quad = walk->quads[i];
        uint64_t lanes = meeting_lanes(&above[quad], &query);
        lanes &= awake ? ~(uint64_t)0 : awake_above[quad];
        for (int next = 0; next < SWEPT_LANES; ++next) {
            int other = SWEPT_LANES * quad + next;
            nearby->groups[count] = other;
            count += other >= group ? lanes >> (LANE_BITS * next) & 1 : 0;
        }
    }
    for (int i = 0; i < count; ++i) {
        int other = nearby->groups[i];
        nearby->groups[nearby->count] = other;
        nearby->passed[nearby->count] = passed_lanes(tree, group, other, &item);
        nearby->count += nearby->passed[nearby->count] != ALL_LANES;
    }
}

static void compare_groups(Walk *walk) {
    Nearby nearby;
    for (int lane = 0; lane < SWEPT_LANES && !walk->ended; ++lane) {
        int group = SWEPT_LANES * walk->above + lane;
        if (group < level_width(walk->tree, 0)) {
            find_nearby(walk, group, &nearby);
            compare_elements(walk, group, &nearby);
        }
    }
    walk->quad_count = 0;
}

/* Around the groups of a quad. */
static Query query_quad(const SweptTree *tree, int quad) {
    if (tree->levels > 2) {
        return query_lane(&tree->quads[tree->start[2] + quad / SWEPT_LANES], quad % SWEPT_LANES);
    }
    Query all;
    for (int k = 0; k < 6; ++k) {
        all.low[k / 3][k % 3] = in_all_lanes(-INFINITY);
        all.high[k / 3][k % 3] = in_all_lanes(INFINITY);
    }
    return all;
}

/* Of a quad of the level above the groups: those of the same level that it comes near. */
static void walk_quad(Walk *walk) {
    const SweptTree *tree = walk->tree;
    struct {
        int level, quad;
    } stack[STACK];
    int waiting = 0, above = walk->above;
    Query query = query_quad(tree, above);
    bool awake = tree->awake[tree->start[1] + above] != 0;
    stack[waiting].level = tree->levels - 1;
    stack[waiting++].quad = 0;
    while (waiting > 0 && !walk->ended) {
        --waiting;
        int level = stack[waiting].level, quad = stack[waiting].quad;
        if (level == 1) {
            walk->quads[walk->quad_count++] = quad;
            if (walk->quad_count == NEAR) {
                compare_groups(walk);
            }
            continue;
        }
        const SweptQuad *boxes = &tree->quads[tree->start[level] + quad];
        uint64_t lanes = meeting_lanes(boxes, &query);
        lanes &= awake ? ~(uint64_t)0 : tree->awake[tree->start[level] + quad];
        int first = above >> 2 * (level - 2); /* the branch that the quad itself is in */
        for (int lane = SWEPT_LANES; lane-- > 0;) {
            int branch = SWEPT_LANES * quad + lane;
            if (branch >= first && lanes & lane_mask(lane)) {
                stack[waiting].level = level - 1;
                stack[waiting++].quad = branch;
            }
        }
    }
    compare_groups(walk);
}

int swept_tree_slices(const SweptTree *tree) { return (level_width(tree, 1) + SLICE - 1) / SLICE; }

void swept_tree_visit(const SweptTree *tree, int slice, SweptTreeVisit visit, void *context) {
    Walk walk = {.tree = tree, .visit = visit, .context = context};
    int end = SLICE * (slice + 1);
    end = end < level_width(tree, 1) ? end : level_width(tree, 1);
    for (walk.above = SLICE * slice; walk.above < end && !walk.ended; ++walk.above) {
        walk_quad(&walk);
    }
}
