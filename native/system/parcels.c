/* Cuts the cloth into parcels and fills in their numbers. */
#include "system/parcels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "geometry/box.h"
#include "mesh/adjacency.h"

/* --- pieces ----------------------------------------------------------------------------------- */

int pieces_number(const Mesh *mesh, const Laws *laws, int *piece) {
    for (int v = 0; v < mesh->vertex_count; ++v) {
        piece[v] = v;
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        components_join_first(piece, mesh->edges[e].a, mesh->edges[e].b);
    }
    for (int l = 0; l < laws->count; ++l) {
        const Law *law = laws->list[l];
        for (int c = 0; c < law->width * law->count; ++c) {
            components_join_first(piece, law->vertices[c - c % law->width], law->vertices[c]);
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (mesh->isolated[v]) {
            components_join_first(piece, 0, v);
        }
    }
    int count = components_number(piece, mesh->vertex_count);
    if (count > PIECES_MOST) {
        memset(piece, 0, (size_t)mesh->vertex_count * sizeof *piece);
        count = 1;
    }
    return count;
}

/* Goes through the runs of all items; `run` null: counts those of each piece, one place after it. */
static void list_runs(PieceItems *items, int count, const int *owner, int longest, Run *run) {
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && end - begin < longest && owner[end] == owner[begin];) {
            ++end;
        }
        if (run) {
            run[items->first[owner[begin]]++] = (Run){begin, end};
        } else {
            ++items->first[owner[begin] + 1];
        }
    }
}

void piece_items_build(PieceItems *items, int piece_count, int count, const int *owner, int longest,
                       Store *store) {
    *items =
        (PieceItems){.piece_count = piece_count, .first = STORE_ARRAY(store, int, piece_count + 1)};
    store->failed = store->failed || !owner;
    if (store->failed) {
        return;
    }
    list_runs(items, count, owner, longest, NULL);
    int runs = lists_begin(items->first, piece_count);
    items->run = STORE_ARRAY(store, Run, runs);
    items->chosen = STORE_ARRAY(store, Run, runs);
    if (!store->failed) {
        list_runs(items, count, owner, longest, items->run);
        lists_rewind(items->first, piece_count);
    }
}

int piece_items_choose(const PieceItems *items, int piece_count, const int *pieces) {
    int count = 0;
    for (int k = 0; k < piece_count; ++k) {
        for (int r = items->first[pieces[k]]; r < items->first[pieces[k] + 1]; ++r) {
            items->chosen[count++] = items->run[r];
        }
    }
    return count;
}

/* Cells along each axis that distinguish vertices: one of 2^CELL_BITS. */
#define CELL_BITS 16

/* Everything that building needs for a while. Elements of all laws are numbered through. */
typedef struct Plan {
    int element_count; /* of all laws */
    int *path; /* per element: LAW_PATHS times its law's number and its LawPath; -1: it goes none */
    int listed;              /* of these, those that go some path */
    int from[LAWS_MOST + 1]; /* the first number of each law's */
    int *rank;               /* per vertex: its place along a curve through all cells of space */
    int *list_from;          /* per rank: into the list below */
    int *list;               /* elements by the least rank of their vertices */
    int *parcel;             /* per place in the list */
    int *vertex;             /* vertices of all parcels, one after the other */
    int *start;              /* per parcel, into these */
    int *local;              /* per vertex: its place in the parcel that it was last seen in */
    int *seen;               /* per vertex: that parcel, plus one */
    int parcel_count, used;
    Store scratch;
} Plan;

typedef struct Cell {
    uint64_t key;
    int vertex, piece;
} Cell;

static int compare_cells(const void *left, const void *right) {
    const Cell *p = left, *q = right;
    int piece = (p->piece > q->piece) - (p->piece < q->piece);
    int key = (p->key > q->key) - (p->key < q->key);
    int vertex = (p->vertex > q->vertex) - (p->vertex < q->vertex);
    return piece ? piece : key ? key : vertex;
}

/* The bits of a number, each followed by two zeros. */
static uint64_t spread(uint64_t bits) {
    uint64_t out = 0;
    for (int b = 0; b < CELL_BITS; ++b) {
        out |= (bits >> b & 1) << (3 * b);
    }
    return out;
}

/* Piece by piece, neighbours in space get neighbouring ranks, mostly: Morton's order. */
static void rank_vertices(const Mesh *mesh, int piece_count, const int *piece, Cell *cells,
                          Box *boxes, int *rank) {
    int count = mesh->vertex_count;
    for (int b = 0; b < piece_count; ++b) {
        boxes[b] = box_empty();
    }
    for (int v = 0; v < count; ++v) {
        boxes[piece[v]] = box_with_point(boxes[piece[v]], mesh->rest[v]);
    }
    for (int v = 0; v < count; ++v) {
        const Box *box = &boxes[piece[v]];
        Vec3 size = vec3_sub(box->high, box->low);
        double largest = fmax(size.x, fmax(size.y, size.z));
        double scale = largest > 0 ? ((1 << CELL_BITS) - 1) / largest : 0.0;
        Vec3 at = vec3_scale(scale, vec3_sub(mesh->rest[v], box->low));
        uint64_t key =
            spread((uint64_t)at.x) | spread((uint64_t)at.y) << 1 | spread((uint64_t)at.z) << 2;
        cells[v] = (Cell){.key = key, .vertex = v, .piece = piece[v]};
    }
    qsort(cells, (size_t)count, sizeof *cells, compare_cells);
    for (int r = 0; r < count; ++r) {
        rank[cells[r].vertex] = r;
    }
}

static void set_paths(const Laws *laws, Plan *plan) {
    for (int l = 0; l < laws->count; ++l) {
        const Law *law = laws->list[l];
        for (int e = 0; e < law->count; ++e) {
            LawPath path = law->kind->path ? law->kind->path(law, e) : LAW_ONE_BY_ONE;
            plan->path[plan->from[l] + e] = path == LAW_NO_PATH ? -1 : LAW_PATHS * l + (int)path;
        }
    }
}

static ParcelElements *path_elements(Parcels *parcels, int path) {
    return &parcels->elements[path / LAW_PATHS][path % LAW_PATHS];
}

/* An element that goes a path: its law, and its number there. */
static const Law *element_law(const Parcels *parcels, const Plan *plan, int element, int *source) {
    int l = plan->path[element] / LAW_PATHS;
    *source = element - plan->from[l];
    return parcels->laws->list[l];
}

/* Its vertices; returns how many. */
static int element_vertices(const Parcels *parcels, const Plan *plan, int element,
                            const int **vertices) {
    int source;
    const Law *law = element_law(parcels, plan, element, &source);
    *vertices = law_vertices(law, source);
    return law->width;
}

static int least_rank(const Parcels *parcels, const Plan *plan, int element) {
    const int *vertices;
    int width = element_vertices(parcels, plan, element, &vertices), least = parcels->vertex_count;
    for (int c = 0; c < width; ++c) {
        least = plan->rank[vertices[c]] < least ? plan->rank[vertices[c]] : least;
    }
    return least;
}

static void list_elements(const Parcels *parcels, Plan *plan) {
    for (int e = 0; e < plan->element_count; ++e) {
        if (plan->path[e] >= 0) {
            ++plan->list_from[least_rank(parcels, plan, e) + 1];
            ++plan->listed;
        }
    }
    lists_begin(plan->list_from, parcels->vertex_count);
    for (int e = 0; e < plan->element_count; ++e) {
        if (plan->path[e] >= 0) {
            plan->list[plan->list_from[least_rank(parcels, plan, e)]++] = e;
        }
    }
}

/* Puts one element after the other into a parcel, and begins a new one when that has too many vertices, or with another
 * piece. */
static void fill_parcels(const Parcels *parcels, const int *piece, Plan *plan) {
    int p = 0;
    for (int i = 0; i < plan->listed; ++i) {
        const int *vertices;
        int width = element_vertices(parcels, plan, plan->list[i], &vertices);
        bool other = plan->used > 0 && piece[plan->vertex[plan->used - 1]] != piece[vertices[0]];
        if (plan->used - plan->start[p] + width > PARCEL_VERTICES || other) {
            plan->start[++p] = plan->used;
        }
        for (int c = 0; c < width; ++c) {
            if (plan->seen[vertices[c]] != p + 1) {
                plan->seen[vertices[c]] = p + 1;
                plan->vertex[plan->used++] = vertices[c];
            }
        }
        plan->parcel[i] = p;
    }
    plan->parcel_count = plan->listed > 0 ? p + 1 : 0;
    plan->start[plan->parcel_count] = plan->used;
}

static bool make_plan(const Parcels *parcels, const Mesh *mesh, int piece_count, const int *piece,
                      Plan *plan) {
    const Laws *laws = parcels->laws;
    int corners = 0;
    for (int l = 0; l < laws->count; ++l) {
        plan->from[l + 1] = plan->from[l] + laws->list[l]->count;
        corners += laws->list[l]->width * laws->list[l]->count;
    }
    plan->element_count = plan->from[laws->count];
    Store *scratch = &plan->scratch;
    plan->path = STORE_ARRAY(scratch, int, plan->element_count);
    plan->rank = STORE_ARRAY(scratch, int, mesh->vertex_count);
    plan->list_from = STORE_ARRAY(scratch, int, mesh->vertex_count + 1);
    plan->list = STORE_ARRAY(scratch, int, plan->element_count);
    plan->parcel = STORE_ARRAY(scratch, int, plan->element_count);
    plan->vertex = STORE_ARRAY(scratch, int, corners);
    plan->start = STORE_ARRAY(scratch, int, plan->element_count + 2);
    plan->local = STORE_ARRAY(scratch, int, mesh->vertex_count);
    plan->seen = STORE_ARRAY(scratch, int, mesh->vertex_count);
    Cell *cells = STORE_ARRAY(scratch, Cell, mesh->vertex_count);
    Box *boxes = STORE_ARRAY(scratch, Box, piece_count);
    if (scratch->failed) {
        return false;
    }
    rank_vertices(mesh, piece_count, piece, cells, boxes, plan->rank);
    set_paths(laws, plan);
    list_elements(parcels, plan);
    fill_parcels(parcels, piece, plan);
    return true;
}

/* Room for the elements of each path in each parcel, filled up to whole groups. */
static void take_elements(Parcels *parcels, const Plan *plan, Store *store) {
    int paths = LAW_PATHS * parcels->laws->count;
    for (int path = 0; path < paths; ++path) {
        ParcelElements *elements = path_elements(parcels, path);
        const Law *law = parcels->laws->list[path / LAW_PATHS];
        elements->law = law;
        elements->width = law->width;
        elements->numbers = path % LAW_PATHS == LAW_WIDE ? law_wide_numbers(law) : 0;
        elements->start = STORE_ARRAY(store, int, parcels->count + 1);
    }
    if (store->failed) {
        return;
    }
    for (int i = 0; i < plan->listed; ++i) {
        ++path_elements(parcels, plan->path[plan->list[i]])->start[plan->parcel[i] + 1];
    }
    for (int path = 0; path < paths; ++path) {
        ParcelElements *elements = path_elements(parcels, path);
        for (int p = 0; p < parcels->count; ++p) {
            int filled = (elements->start[p + 1] + PARCEL_GROUP - 1) / PARCEL_GROUP * PARCEL_GROUP;
            elements->start[p + 1] = elements->start[p] + filled;
        }
        int count = elements->start[parcels->count];
        elements->source = STORE_ARRAY(store, int, count);
        elements->corner = STORE_ARRAY(store, uint16_t, elements->width * count);
        elements->number = STORE_ARRAY(store, double, elements->numbers *count);
    }
}

static void set_corners(ParcelElements *elements, int at, const int *local, const int *vertices) {
    uint16_t *corner = elements->corner + parcel_corners_from(elements, at);
    for (int c = 0; c < elements->width; ++c) {
        corner[c * PARCEL_GROUP] = (uint16_t)(PARCEL_STRIDE * local[vertices[c]]);
    }
}

/* What fills a group up has the corners of the element before it. */
static void fill_up(ParcelElements *elements, int at, int end) {
    for (; at < end; ++at) {
        uint16_t *corner = elements->corner + parcel_corners_from(elements, at);
        elements->source[at] = -1;
        for (int c = 0; c < elements->width; ++c) {
            corner[c * PARCEL_GROUP] = corner[c * PARCEL_GROUP - 1];
        }
    }
}

static int divisor(int a, int b) { return b == 0 ? a : divisor(b, a % b); }

/* Steps that lead through `count` places, each next one far from the last. */
static int far_step(int count) {
    int step = (int)(0.382 * count) + 1;
    while (divisor(count, step) != 1) {
        ++step;
    }
    return step;
}

/* How the elements of one path with as many corners are laid into a parcel: neighbours apart, since adding to a vertex
 * has to wait for what was added to it just before. */
typedef struct Lay {
    int first, count, step, next;
} Lay;

static int lay_next(Lay *lay) {
    int at = lay->first + lay->next;
    lay->next = (lay->next + lay->step) % lay->count;
    return at;
}

/* By the path, then by the number of corners. */
typedef Lay LayRow[LAW_WIDTH + 1];

static void lay_parcel(Parcels *parcels, const Plan *plan, LayRow *lay, int p, int from, int to) {
    int source, paths = LAW_PATHS * parcels->laws->count;
    memset(lay, 0, (size_t)paths * sizeof *lay);
    for (int i = from; i < to; ++i) {
        const Law *law = element_law(parcels, plan, plan->list[i], &source);
        ++lay[plan->path[plan->list[i]]][law_corners(law, source)].count;
    }
    for (int path = 0; path < paths; ++path) {
        ParcelElements *elements = path_elements(parcels, path);
        int first = elements->start[p];
        for (int corners = elements->width; corners > 0; --corners) {
            lay[path][corners].first = first;
            lay[path][corners].step = far_step(lay[path][corners].count);
            first += lay[path][corners].count;
        }
    }
    for (int i = from; i < to; ++i) {
        int path = plan->path[plan->list[i]];
        const Law *law = element_law(parcels, plan, plan->list[i], &source);
        ParcelElements *elements = path_elements(parcels, path);
        int at = lay_next(&lay[path][law_corners(law, source)]);
        elements->source[at] = source;
        set_corners(elements, at, plan->local, law_vertices(law, source));
    }
    for (int path = 0; path < paths; ++path) {
        ParcelElements *elements = path_elements(parcels, path);
        fill_up(elements, lay[path][1].first + lay[path][1].count, elements->start[p + 1]);
    }
}

static bool place_elements(Parcels *parcels, Plan *plan) {
    LayRow *lay = STORE_ARRAY(&plan->scratch, LayRow, LAW_PATHS * parcels->laws->count);
    if (!lay) {
        return false;
    }
    for (int p = 0, i = 0; p < parcels->count; ++p) {
        int from = i;
        while (i < plan->listed && plan->parcel[i] == p) {
            ++i;
        }
        for (int j = parcels->start[p]; j < parcels->start[p + 1]; ++j) {
            plan->local[parcels->vertex[j]] = j - parcels->start[p];
        }
        lay_parcel(parcels, plan, lay, p, from, i);
    }
    return true;
}

/* Which vertices of a parcel linear forces couple: a bit for each pair. */
#define COUPLED_WORDS (PARCEL_VERTICES / 64)
_Static_assert(PARCEL_VERTICES % 64 == 0, "a row of bits has whole words");
typedef struct Coupled {
    uint64_t row[PARCEL_VERTICES][COUPLED_WORDS];
} Coupled;

static void mark_elements(const ParcelElements *elements, int p, Coupled *coupled) {
    for (int at = elements->start[p]; at < elements->start[p + 1]; ++at) {
        const uint16_t *corner = parcel_corner(elements, at);
        uint64_t together[COUPLED_WORDS] = {0};
        for (int c = 0; c < elements->width; ++c) {
            int column = corner[c * PARCEL_GROUP] / PARCEL_STRIDE;
            together[column / 64] |= (uint64_t)1 << column % 64;
        }
        for (int c = 0; c < elements->width; ++c) {
            uint64_t *row = coupled->row[corner[c * PARCEL_GROUP] / PARCEL_STRIDE];
            for (int w = 0; w < COUPLED_WORDS; ++w) {
                row[w] |= together[w];
            }
        }
    }
}

static void mark_coupled(const Parcels *parcels, int p, Coupled *coupled) {
    memset(coupled, 0, sizeof *coupled);
    for (int l = 0; l < parcels->laws->count; ++l) {
        mark_elements(&parcels->elements[l][LAW_MATRIX], p, coupled);
    }
    for (int row = 0; row < PARCEL_VERTICES; row += 2) { /* what comes before the pair */
        for (int w = 0; w < COUPLED_WORDS; ++w) {
            uint64_t before = w < row / 64 ? ~(uint64_t)0 : ((uint64_t)1 << row % 64) - 1;
            coupled->row[row][w] |= coupled->row[row + 1][w];
            coupled->row[row][w] &= w <= row / 64 ? before : 0;
        }
    }
}

/* How many row pairs a parcel has: none where no forces are linear. */
static int count_row_pairs(const Parcels *parcels, int p) {
    int elements = 0;
    for (int l = 0; l < parcels->laws->count; ++l) {
        const int *start = parcels->elements[l][LAW_MATRIX].start;
        elements += start[p + 1] - start[p];
    }
    return elements > 0 ? (parcels->start[p + 1] - parcels->start[p] + 1) / 2 : 0;
}

/* Counts the columns of all row pairs, one place after them; once these places are known, `listing` writes the columns there,
 * ascending. */
static void find_columns(const Parcels *parcels, bool listing) {
    const ParcelMatrix *matrix = &parcels->matrix;
    Coupled coupled;
    for (int p = 0; p < parcels->count; ++p) {
        mark_coupled(parcels, p, &coupled);
        for (int i = 0; i < matrix->first[p + 1] - matrix->first[p]; ++i) {
            int *start = matrix->start + matrix->first[p] + i, at = listing ? start[0] : 0;
            for (int w = 0; w < COUPLED_WORDS; ++w) {
                start[1] += listing ? 0 : __builtin_popcountll(coupled.row[2 * i][w]);
                for (uint64_t left = coupled.row[2 * i][w]; listing && left; left &= left - 1) {
                    int column = 64 * w + __builtin_ctzll(left);
                    matrix->column[at++] = (uint16_t)(PARCEL_STRIDE * column);
                }
            }
        }
    }
}

static bool build_matrix(Parcels *parcels, Store *store) {
    ParcelMatrix *matrix = &parcels->matrix;
    matrix->first = STORE_ARRAY(store, int, parcels->count + 1);
    for (int p = 0; matrix->first && p < parcels->count; ++p) {
        matrix->first[p + 1] = matrix->first[p] + count_row_pairs(parcels, p);
    }
    int pairs = matrix->first ? matrix->first[parcels->count] : 0;
    matrix->start = STORE_ARRAY(store, int, pairs + 1);
    if (store->failed) {
        return false;
    }
    find_columns(parcels, false);
    matrix->column = STORE_ARRAY(store, uint16_t, lists_begin(matrix->start, pairs));
    matrix->value = STORE_ARRAY(store, double, parcel_values_from(matrix, pairs));
    if (store->failed) {
        return false;
    }
    find_columns(parcels, true);
    return true;
}

/* Which parcels each piece has. Returns false without memory. */
static bool list_by_piece(Parcels *parcels, int piece_count, const int *piece, Store *store) {
    int *owner = SCRATCH_ARRAY(int, parcels->count);
    for (int p = 0; owner && p < parcels->count; ++p) {
        owner[p] = piece[parcels->vertex[parcels->start[p]]];
    }
    piece_items_build(&parcels->items, piece_count, parcels->count, owner, 1, store);
    free(owner);
    return !store->failed;
}

StatusCode parcels_build(Parcels *parcels, const Mesh *mesh, const Laws *laws, int piece_count,
                         const int *piece, Store *store, Status *status) {
    *parcels = (Parcels){.vertex_count = mesh->vertex_count, .laws = laws};
    Plan plan = {0};
    bool planned = make_plan(parcels, mesh, piece_count, piece, &plan);
    if (planned) {
        parcels->count = plan.parcel_count;
        parcels->start = STORE_ARRAY(store, int, parcels->count + 1);
        parcels->vertex = STORE_ARRAY(store, int, plan.used);
        parcels->share = STORE_ARRAY(store, Vec3, plan.used);
        parcels->energy = STORE_ARRAY(store, double, parcels->count);
        parcels->share_start = STORE_ARRAY(store, int, mesh->vertex_count + 1);
        parcels->vertex_share = STORE_ARRAY(store, int, plan.used);
        take_elements(parcels, &plan, store);
    }
    if (planned && !store->failed) {
        memcpy(parcels->start, plan.start, (size_t)(parcels->count + 1) * sizeof *plan.start);
        memcpy(parcels->vertex, plan.vertex, (size_t)plan.used * sizeof *plan.vertex);
        planned = place_elements(parcels, &plan);
        lists_group(parcels->share_start, mesh->vertex_count, parcels->vertex, plan.used,
                    parcels->vertex_share);
        planned = planned && build_matrix(parcels, store);
        planned = planned && (piece_count < 2 || list_by_piece(parcels, piece_count, piece, store));
    }
    store_release(&plan.scratch);
    return planned && !store->failed ? STATUS_OK : status_no_memory(status, "the parcels");
}

/* Of an element that fills up: as the one before it, but without stiffness. */
static void set_filling(const LawWide *wide, int numbers, double *number) {
    for (int n = 0; n < numbers; ++n) {
        bool stiffness = wide->stiffness >> n & 1;
        number[n * PARCEL_GROUP] = stiffness ? 0.0 : number[n * PARCEL_GROUP - 1];
    }
}

/* Where a row of `count` ascending columns has one that it is known to have; without branches, as in matrix.h. */
static int find_column(const uint16_t *columns, int count, uint16_t column) {
    int low = 0;
    while (count > 1) {
        int half = count / 2;
        low = columns[low + half] <= column ? low + half : low;
        count -= half;
    }
    return low;
}

/* Where the product has the number between two vertices of a parcel, the second not after the first. */
static double *number_between(const ParcelMatrix *matrix, int first, int row, int column) {
    int pair = first + row / 2;
    double *value = matrix->value + parcel_values_from(matrix, pair);
    if (column / 2 == row / 2) {
        return value + row % 2 + column % 2;
    }
    int at = find_column(matrix->column + matrix->start[pair],
                         matrix->start[pair + 1] - matrix->start[pair],
                         (uint16_t)(PARCEL_STRIDE * column));
    return value + PARCEL_DIAGONAL + 2 * at + row % 2;
}

/* Adds an element to the product of a parcel. */
static void add_element(const Parcels *parcels, const Law *law, int e, const uint16_t *corner,
                        int p) {
    int corners = law_corners(law, e);
    for (int a = 0; a < corners; ++a) {
        int row = corner[a * PARCEL_GROUP] / PARCEL_STRIDE;
        double value[LAW_WIDTH];
        law_stiffness(law, STIFFNESS_OWN, e, a, value);
        for (int b = 0; b < corners; ++b) {
            int column = corner[b * PARCEL_GROUP] / PARCEL_STRIDE;
            if (column <= row) {
                *number_between(&parcels->matrix, parcels->matrix.first[p], row, column) -=
                    value[b];
            }
        }
    }
}

static void set_matrix(Parcels *parcels, int p) {
    const ParcelMatrix *matrix = &parcels->matrix;
    size_t from = parcel_values_from(matrix, matrix->first[p]);
    size_t to = parcel_values_from(matrix, matrix->first[p + 1]);
    memset(matrix->value + from, 0, (to - from) * sizeof *matrix->value);
    for (int l = 0; l < parcels->laws->count; ++l) {
        const ParcelElements *elements = &parcels->elements[l][LAW_MATRIX];
        for (int at = elements->start[p]; at < elements->start[p + 1]; ++at) {
            if (elements->source[at] >= 0) {
                add_element(parcels, elements->law, elements->source[at],
                            parcel_corner(elements, at), p);
            }
        }
    }
}

static void set_numbers(const ParcelElements *elements, int p) {
    const LawWide *wide = elements->law->kind->wide;
    for (int at = elements->start[p]; at < elements->start[p + 1]; ++at) {
        double *number =
            elements->number + elements->numbers * (at - at % PARCEL_GROUP) + at % PARCEL_GROUP;
        if (elements->source[at] < 0) {
            set_filling(wide, elements->numbers, number);
            continue;
        }
        double packed[LAW_WIDE_NUMBERS];
        wide->pack(elements->law, elements->source[at], packed);
        for (int n = 0; n < elements->numbers; ++n) {
            number[n * PARCEL_GROUP] = packed[n];
        }
    }
}

static void set_parcels(void *context, int begin, int end) {
    Parcels *parcels = context;
    for (int p = begin; p < end; ++p) {
        set_matrix(parcels, p);
        for (int l = 0; l < parcels->laws->count; ++l) {
            set_numbers(&parcels->elements[l][LAW_WIDE], p);
        }
    }
}

void parcels_set_material(Parcels *parcels, Pool *pool) {
    pool_each(pool, parcels->count, set_parcels, parcels);
}

/* --- forces ------------------------------------------------------------------------------------- */

/* The kernel that the machine can run. */
static PoolTask best_kernel(void) {
#if defined(__x86_64__)
    if (machine_has_avx512()) {
        return parcels_pull_avx512;
    }
    if (machine_has_avx2()) {
        return parcels_pull_avx2;
    }
#endif
    return parcels_pull;
}

double parcels_evaluate(Parcels *parcels, Pool *pool, int chosen, const Vec3 *z,
                        const Vec3 *present) {
    ParcelWork work = {parcels, z, present};
    double energy = 0;
    for (int l = 0; l < parcels->laws->count; ++l) {
        law_prepare(parcels->laws->list[l], pool, z);
    }
    if (chosen == PARCELS_ALL) {
        pool_each(pool, parcels->count, best_kernel(), &work);
    } else {
        pool_run_over(pool, chosen, parcels->items.chosen, best_kernel(), &work);
    }
    for (int p = 0; p < (chosen == PARCELS_ALL ? parcels->count : chosen); ++p) {
        energy += parcels->energy[chosen == PARCELS_ALL ? p : parcels->items.chosen[p].begin];
    }
    return energy;
}
