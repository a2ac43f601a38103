/* Cutting a weave into tiles.
 * A tile is unfolded from one vertex: rows along threads of one family, columns along those of the other, each with a sense of
 * its own, since neither need agree across the cloth. Every vertex of its own claims the slots that its elements reach.
 * Where the cloth closes in another way than the plane two claims may disagree; then the tile is made smaller, at last to a
 * single vertex, where they cannot. */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "solver/research/strands.h"

#define CORNERS 4 /* cells at a vertex, at most */

/* Where a vertex is in a thread of the cloth. */
typedef struct Spot {
    int thread, at; /* thread -1: it is on no cloth */
} Spot;

/* A slot while a tile is unfolded. */
typedef struct Slot {
    int vertex; /* -1: not claimed */
    bool own;
    int sense
        [DIRECTIONS]; /* of its own vertices: whether rows and columns go with their threads, 1, or against, -1 */
    int link[DIRECTIONS], joint[DIRECTIONS], cell;
} Slot;

typedef struct Cutter {
    Strands *strands;
    Spot (*spots)[DIRECTIONS]; /* per vertex */
    int (*cells)[CORNERS];     /* per vertex: the cells it is a corner of; -1: none */
    int *link_of, *joint_of;   /* per slot of the weave: elements; -1: none */
    uint8_t *taken;            /* per vertex: a tile has it */
    int rows, columns;         /* of the tile */
    bool rope;
    bool counts;    /* in a first pass, which only counts tiles, slots and numbers */
    size_t numbers; /* of the tiles so far */
    Slot slots[TILE_ROWS + 2 * TILE_MARGIN][TILE_STRIDE];
} Cutter;

/* --- the weave around a vertex ------------------------------------------------------------------- */

/* The weave's slot `steps` along a thread; -1 beyond its end. */
static int slot_along(const Thread *thread, int at, int steps) {
    int to = at + steps;
    if (thread->closed) {
        return thread->first + ((to % thread->count) + thread->count) % thread->count;
    }
    return to >= 0 && to < thread->count ? thread->first + to : -1;
}

static int vertex_along(const Cutter *cutter, Spot spot, int steps) {
    const Weave *weave = cutter->strands->weave;
    int slot = slot_along(&weave->threads[spot.thread], spot.at, steps);
    return slot < 0 ? -1 : weave->vertices[slot];
}

static int step_from(const Cutter *cutter, int vertex, int direction, int steps) {
    return vertex_along(cutter, cutter->spots[vertex][direction], steps);
}

/* The cell with three given corners, and its fourth; -1: none. */
static int cell_between(const Cutter *cutter, int vertex, int one, int two, int *fourth) {
    for (int k = 0; k < CORNERS && one >= 0 && two >= 0; ++k) {
        int c = cutter->cells[vertex][k];
        if (c < 0) {
            break;
        }
        const int *v = cutter->strands->weave->cells[c].vertices;
        int found = 0;
        for (int i = 0; i < 4; ++i) {
            if (v[i] == one || v[i] == two || v[i] == vertex) {
                ++found;
            } else {
                *fourth = v[i];
            }
        }
        if (found == 3) {
            return c;
        }
    }
    return -1;
}

static void read_cloth(Cutter *cutter) {
    const Strands *strands = cutter->strands;
    const Weave *weave = strands->weave;
    memset(cutter->spots, -1, (size_t)strands->vertex_count * sizeof *cutter->spots);
    memset(cutter->cells, -1, (size_t)strands->vertex_count * sizeof *cutter->cells);
    for (int t = 0; t < weave->thread_count; ++t) {
        const Thread *thread = &weave->threads[t];
        for (int k = 0; k < thread->count && thread->kind != THREAD_ROPE; ++k) {
            int direction = thread->kind == strands->row_kind ? ROW : COLUMN;
            cutter->spots[weave->vertices[thread->first + k]][direction] = (Spot){t, k};
        }
    }
    for (int k = 0; k < 4 * weave->cell_count; ++k) {
        int *cells = cutter->cells[weave->cells[k / 4].vertices[k % 4]], c = 0;
        while (c < CORNERS - 1 && cells[c] >= 0) {
            ++c;
        }
        cells[c] = k / 4;
    }
}

/* What follows in number along a thread lies side by side in memory, too. */
static ThreadKind numbered_kind(const Weave *weave) {
    int followers[THREAD_ROPE + 1] = {0};
    for (int t = 0; t < weave->thread_count; ++t) {
        const Thread *thread = &weave->threads[t];
        for (int k = 1; k < thread->count; ++k) {
            const int *pair = weave->vertices + thread->first + k - 1;
            followers[thread->kind] += abs(pair[1] - pair[0]) == 1;
        }
    }
    return followers[THREAD_WEFT] > followers[THREAD_WARP] ? THREAD_WEFT : THREAD_WARP;
}

static int weave_slots(const Weave *weave) {
    int slots = 0;
    for (int t = 0; t < weave->thread_count; ++t) {
        int end = weave->threads[t].first + weave->threads[t].count;
        slots = end > slots ? end : slots;
    }
    return slots;
}

/* Which elements of the laws are at the weave's slots. */
static void read_elements(Cutter *cutter, const Mesh *mesh, int *element) {
    const Strands *strands = cutter->strands;
    const Weave *weave = strands->weave;
    for (int e = 0; e < strands->links->law.count; ++e) {
        element[strands->links->source[e] - mesh->edges] = e;
    }
    for (int k = 0; k < weave_slots(weave); ++k) {
        cutter->link_of[k] = weave->edges[k] < 0 ? -1 : element[weave->edges[k]];
        cutter->joint_of[k] = -1;
    }
    for (int e = 0; e < strands->joints->law.count; ++e) {
        cutter->joint_of[strands->joints->slot[e]] = e;
    }
}

/* --- unfolding a tile ----------------------------------------------------------------------------- */

static Slot *slot_at(Cutter *cutter, int row, int column) {
    return &cutter->slots[cutter->rope ? row : row + TILE_MARGIN][column + TILE_FIRST];
}

static void clear_slots(Cutter *cutter) {
    const Slot empty = {.vertex = -1, .link = {-1, -1}, .joint = {-1, -1}, .cell = -1};
    for (int r = 0; r < TILE_ROWS + 2 * TILE_MARGIN; ++r) {
        for (int c = 0; c < TILE_STRIDE; ++c) {
            cutter->slots[r][c] = empty;
        }
    }
}

static void own_vertex(Cutter *cutter, int row, int column, int vertex, int row_sense,
                       int column_sense) {
    Slot *slot = slot_at(cutter, row, column);
    slot->vertex = vertex;
    slot->own = true;
    slot->sense[ROW] = row_sense;
    slot->sense[COLUMN] = column_sense;
    if (!cutter->rope) {
        cutter->taken[vertex] = 1;
    }
}

/* The sense of one direction at a vertex's neighbour along the other: a cell beside their link shows it, and every link of the
 * cloth has one. */
static int carried_sense(const Cutter *cutter, int vertex, int neighbour, int direction,
                         int sense) {
    int side = -1, fourth = -1;
    int beside = step_from(cutter, vertex, direction, side * sense);
    if (cell_between(cutter, vertex, beside, neighbour, &fourth) < 0) {
        side = 1;
        beside = step_from(cutter, vertex, direction, side * sense);
        int cell = cell_between(cutter, vertex, beside, neighbour, &fourth);
        INVARIANT(cell >= 0);
    }
    return step_from(cutter, neighbour, direction, side) == fourth ? 1 : -1;
}

/* How many vertices that no tile has follow a free one along a thread, it included. */
static int free_run(const Cutter *cutter, Spot spot, int sense) {
    int count = 1, length = cutter->strands->weave->threads[spot.thread].count;
    for (; count < length; ++count) {
        int next = vertex_along(cutter, spot, sense * count);
        if (next < 0 || cutter->taken[next]) {
            break;
        }
    }
    return count;
}

/* A run cut into equal parts of at most so many. */
static int part_of(int run, int most) {
    int parts = (run + most - 1) / most;
    return (run + parts - 1) / parts;
}

/* The tile's own vertices, from the first on: a row along its thread, then what lies beyond each row. */
static void spread_vertices(Cutter *cutter, int first, int sense, int rows, int columns) {
    Spot spot = cutter->spots[first][COLUMN];
    int up = free_run(cutter, spot, 1) >= free_run(cutter, spot, -1) ? 1 : -1;
    int run = part_of(free_run(cutter, spot, up), TILE_ROWS);
    rows = run < rows ? run : rows;
    own_vertex(cutter, 0, 0, first, sense, up);
    cutter->columns = 1;
    for (; cutter->columns < columns; ++cutter->columns) {
        const Slot *last = slot_at(cutter, 0, cutter->columns - 1);
        int next = step_from(cutter, last->vertex, ROW, sense);
        if (next < 0 || cutter->taken[next]) {
            break;
        }
        up = carried_sense(cutter, last->vertex, next, COLUMN, last->sense[COLUMN]);
        own_vertex(cutter, 0, cutter->columns, next, sense, up);
    }
    cutter->rows = 1;
    for (int found = 1; cutter->rows < rows && found > 0; cutter->rows += found > 0) {
        found = 0;
        for (int c = 0; c < cutter->columns; ++c) {
            const Slot *below = slot_at(cutter, cutter->rows - 1, c);
            int next =
                below->own ? step_from(cutter, below->vertex, COLUMN, below->sense[COLUMN]) : -1;
            if (next >= 0 && !cutter->taken[next]) {
                sense = carried_sense(cutter, below->vertex, next, ROW, below->sense[ROW]);
                own_vertex(cutter, cutter->rows, c, next, sense, below->sense[COLUMN]);
                ++found;
            }
        }
    }
}

static bool claim(int *what, int wanted) {
    if (wanted < 0 || *what == wanted) {
        return true;
    }
    bool free = *what < 0;
    *what = free ? wanted : *what;
    return free;
}

/* What a vertex needs along one of its threads: the vertices and links as far as two steps, the joints next to it. */
static bool claim_thread(Cutter *cutter, int row, int column, int direction, Spot spot, int sense) {
    const Thread *thread = &cutter->strands->weave->threads[spot.thread];
    bool agrees = true;
    for (int k = -TILE_MARGIN; k <= TILE_MARGIN; ++k) {
        int at = slot_along(thread, spot.at, sense * k);
        Slot *slot =
            direction == ROW ? slot_at(cutter, row, column + k) : slot_at(cutter, row + k, column);
        if (at < 0) {
            continue;
        }
        agrees = claim(&slot->vertex, cutter->strands->weave->vertices[at]) && agrees;
        if (k < TILE_MARGIN) { /* against the thread, the link onward is that of the slot before */
            int link = sense > 0 ? at : slot_along(thread, spot.at, sense * (k + 1));
            agrees = (link < 0 || claim(&slot->link[direction], cutter->link_of[link])) && agrees;
        }
        if (k > -TILE_MARGIN && k < TILE_MARGIN) {
            agrees = claim(&slot->joint[direction], cutter->joint_of[at]) && agrees;
        }
    }
    return agrees;
}

static bool claim_cells(Cutter *cutter, int row, int column) {
    const Slot *own = slot_at(cutter, row, column);
    bool agrees = true;
    for (int k = 0; k < CORNERS; ++k) {
        int right = k % 2 ? 1 : -1, up = k / 2 ? 1 : -1, fourth = -1;
        int beside = step_from(cutter, own->vertex, ROW, right * own->sense[ROW]);
        int above = step_from(cutter, own->vertex, COLUMN, up * own->sense[COLUMN]);
        int cell = cell_between(cutter, own->vertex, beside, above, &fourth);
        if (cell >= 0) {
            agrees = claim(&slot_at(cutter, row + up, column + right)->vertex, fourth) && agrees;
            Slot *first = slot_at(cutter, row - (up < 0), column - (right < 0));
            agrees = claim(&first->cell, cell) && agrees;
        }
    }
    return agrees;
}

static bool claim_all(Cutter *cutter) {
    bool agrees = true;
    for (int p = 0; p < cutter->rows * cutter->columns && agrees; ++p) {
        int row = p / cutter->columns, column = p % cutter->columns;
        const Slot *slot = slot_at(cutter, row, column);
        if (!slot->own) {
            continue;
        }
        for (int k = 0; k < DIRECTIONS; ++k) {
            agrees = claim_thread(cutter, row, column, k, cutter->spots[slot->vertex][k],
                                  slot->sense[k]) &&
                     agrees;
        }
        agrees = claim_cells(cutter, row, column) && agrees;
    }
    return agrees;
}

static void give_up_vertices(Cutter *cutter) {
    for (int p = 0; p < cutter->rows * cutter->columns; ++p) {
        const Slot *slot = slot_at(cutter, p / cutter->columns, p % cutter->columns);
        if (slot->own) {
            cutter->taken[slot->vertex] = 0;
        }
    }
}

/* The largest tile from a vertex on, its row along its thread in a sense, whose claims agree. */
static void unfold(Cutter *cutter, int first, int sense) {
    Spot spot = cutter->spots[first][ROW];
    int rows = TILE_ROWS, columns = part_of(free_run(cutter, spot, sense), TILE_COLUMNS);
    for (;;) {
        clear_slots(cutter);
        spread_vertices(cutter, first, sense, rows, columns);
        if (claim_all(cutter)) {
            return;
        }
        give_up_vertices(cutter);
        bool tall = cutter->rows > 1;
        rows = tall ? cutter->rows / 2 : 1;
        columns = tall ? columns : cutter->columns / 2;
    }
}

/* --- all tiles ------------------------------------------------------------------------------------ */

/* The first of a row's own vertices where each has the number after the one before it; -1: they have not. */
static int run_of(const Slot *row, int columns) {
    int first = row[TILE_FIRST].vertex;
    for (int c = 0; c < columns; ++c) {
        const Slot *slot = &row[TILE_FIRST + c];
        if (!slot->own || slot->vertex != first + c) {
            return -1;
        }
    }
    return first;
}

/* Adds the tile, or in the first pass only counts it. */
static void keep_tile(Cutter *cutter) {
    Strands *strands = cutter->strands;
    bool counts = cutter->counts;
    Tile tile = {.rows = cutter->rows,
                 .columns = cutter->columns,
                 .slot = strands->slot_count,
                 .numbers = cutter->numbers,
                 .rope = cutter->rope};
    int count = tile_all_rows(&tile) * TILE_STRIDE;
    const Slot *slots = cutter->slots[0];
    int any = slot_at(cutter, 0, 0)->vertex;
    for (int s = 0; s < count && !counts; ++s) {
        int at = tile.slot + s;
        strands->vertices[at] = slots[s].vertex < 0 ? any : slots[s].vertex;
        strands->own_vertices[at] = slots[s].own ? slots[s].vertex : -1;
        strands->cell[at] = slots[s].cell;
        for (int k = 0; k < DIRECTIONS; ++k) {
            strands->link[k][at] = slots[s].link[k];
            strands->joint[k][at] = slots[s].joint[k];
        }
    }
    for (int r = 0; r < tile_all_rows(&tile) && !counts; ++r) {
        strands->runs[tile.slot / TILE_STRIDE + r] = run_of(cutter->slots[r], tile.columns);
    }
    if (!counts) {
        strands->tiles[strands->tile_count] = tile;
    }
    ++strands->tile_count;
    strands->slot_count += count;
    cutter->numbers += (size_t)(tile_all_rows(&tile) * tile_kinds(&tile) * tile_width(&tile));
}

static void cut_cloth(Cutter *cutter) {
    const Weave *weave = cutter->strands->weave;
    const ThreadKind kind = cutter->strands->row_kind;
    memset(cutter->taken, 0, (size_t)cutter->strands->vertex_count);
    cutter->rope = false;
    for (int t = 0; t < weave->thread_count; ++t) {
        const Thread *thread = &weave->threads[t];
        const int *vertices = weave->vertices + thread->first;
        bool rising = vertices[1] > vertices[0]; /* rows go the way in which numbers do */
        for (int k = 0; k < thread->count && thread->kind == kind; ++k) {
            int vertex = vertices[rising ? k : thread->count - 1 - k];
            if (!cutter->taken[vertex]) {
                unfold(cutter, vertex, rising ? 1 : -1);
                keep_tile(cutter);
            }
        }
    }
    cutter->strands->cloth_tiles = cutter->strands->tile_count;
}

static void cut_rope(Cutter *cutter, int t) {
    const Weave *weave = cutter->strands->weave;
    const Thread *thread = &weave->threads[t];
    int part = part_of(thread->count, TILE_COLUMNS);
    cutter->rope = true;
    cutter->rows = 1;
    for (int from = 0; from < thread->count; from += part) {
        int rest = thread->count - from;
        cutter->columns = rest < part ? rest : part;
        clear_slots(cutter);
        for (int c = 0; c < cutter->columns; ++c) {
            own_vertex(cutter, 0, c, weave->vertices[thread->first + from + c], 1, 1);
            claim_thread(cutter, 0, c, ROW, (Spot){t, from + c}, 1);
        }
        keep_tile(cutter);
    }
}

static void cut_ropes(Cutter *cutter) {
    Strands *strands = cutter->strands;
    const Layers *layers = &strands->weave->thread_layers;
    int made = 0;
    for (int l = 0; l < layers->count; ++l) {
        strands->ropes.start[l] = made;
        for (int t = layers->start[l]; t < layers->start[l + 1]; ++t) {
            if (strands->weave->threads[t].kind == THREAD_ROPE) {
                strands->rope_start[made++] = strands->tile_count;
                cut_rope(cutter, t);
            }
        }
    }
    strands->ropes.count = layers->count;
    strands->ropes.start[layers->count] = made;
    strands->rope_start[made] = strands->tile_count;
}

/* Once to count, once to keep. */
static bool cut_all(Cutter *cutter, Store *store) {
    Strands *strands = cutter->strands;
    for (int pass = 0; pass < 2; ++pass) {
        cutter->counts = pass == 0;
        cutter->numbers = 0;
        strands->tile_count = strands->slot_count = 0;
        cut_cloth(cutter);
        cut_ropes(cutter);
        if (cutter->counts) {
            int slots = strands->slot_count;
            strands->tiles = STORE_ARRAY(store, Tile, strands->tile_count);
            strands->vertices = STORE_ARRAY(store, int, slots);
            strands->own_vertices = STORE_ARRAY(store, int, slots);
            strands->runs = STORE_ARRAY(store, int, slots / TILE_STRIDE);
            strands->cell = STORE_ARRAY(store, int, slots);
            for (int k = 0; k < DIRECTIONS; ++k) {
                strands->link[k] = STORE_ARRAY(store, int, slots);
                strands->joint[k] = STORE_ARRAY(store, int, slots);
            }
            strands->numbers = STORE_ARRAY(store, double, cutter->numbers);
        }
        if (store->failed) {
            return false;
        }
    }
    for (int i = 0; i < strands->vertex_count; ++i) {
        if (!cutter->taken[i]) {
            strands->bare[strands->bare_count++] = i;
        }
    }
    return true;
}

static bool cut(Cutter *cutter, const Mesh *mesh, Store *store) {
    int count = cutter->strands->vertex_count, slots = weave_slots(cutter->strands->weave);
    Store scratch = {0};
    int *element = STORE_ARRAY(&scratch, int, mesh->edge_count);
    cutter->spots = store_take(&scratch, (size_t)count, sizeof *cutter->spots);
    cutter->cells = store_take(&scratch, (size_t)count, sizeof *cutter->cells);
    cutter->link_of = STORE_ARRAY(&scratch, int, slots);
    cutter->joint_of = STORE_ARRAY(&scratch, int, slots);
    cutter->taken = STORE_ARRAY(&scratch, uint8_t, count);
    bool built = !scratch.failed;
    if (built) {
        read_cloth(cutter);
        read_elements(cutter, mesh, element);
        built = cut_all(cutter, store);
    }
    store_release(&scratch);
    return built;
}

StatusCode strands_build(Strands *strands, const System *system, const Weave *weave, Store *store,
                         Status *status) {
    strands->weave = weave;
    strands->links = edge_law(laws_find(&system->laws, &edge_kind));
    strands->joints = joint_law(laws_find(&system->laws, &joint_kind));
    strands->cells = cell_law(laws_find(&system->laws, &cell_kind));
    strands->vertex_count = system->vertex_count;
    strands->row_kind = numbered_kind(weave);
    strands->bare_count = 0;
    strands->bare = STORE_ARRAY(store, int, system->vertex_count);
    strands->diagonal = STORE_ARRAY(store, Block, system->vertex_count);
    strands->rope_start = STORE_ARRAY(store, int, weave->thread_count + 1);
    strands->ropes.start = STORE_ARRAY(store, int, weave->thread_layers.count + 1);
    Cutter *cutter = SCRATCH_ARRAY(Cutter, 1);
    bool built = cutter && !store->failed;
    if (built) {
        cutter->strands = strands;
        built = cut(cutter, system->mesh, store);
    }
    free(cutter);
    return built ? STATUS_OK : status_no_memory(status, "threads");
}
