#include "model/parcels.h"

#include <stdlib.h>
#include <string.h>

/* Cells along each axis that vertices are told apart by: one of 2^CELL_BITS. */
#define CELL_BITS 16

/* Everything that building needs for a while. Elements of all models are numbered through: edges, triangles, hinges. */
typedef struct Plan {
    int element_count, triangle_from, hinge_from;
    int *rank;      /* per vertex: its place along a curve through all cells of space */
    int *list_from; /* per rank: into the list below */
    int *list;      /* elements by the least rank of their vertices */
    int *parcel;    /* per place in the list */
    int *vertex;    /* vertices of all parcels, one after the other */
    int *start;     /* per parcel, into these */
    int *local;     /* per vertex: its place in the parcel that it was last seen in */
    int *seen;      /* per vertex: that parcel, plus one */
    int parcel_count, used;
} Plan;

typedef struct Cell {
    uint64_t key;
    int vertex;
} Cell;

static int compare_cells(const void *a, const void *b) {
    const Cell *first = a, *second = b;
    if (first->key != second->key) {
        return first->key < second->key ? -1 : 1;
    }
    return first->vertex < second->vertex ? -1 : first->vertex > second->vertex;
}

/* The bits of a number, each followed by two zeros. */
static uint64_t spread(uint64_t bits) {
    uint64_t out = 0;
    for (int b = 0; b < CELL_BITS; ++b) {
        out |= (bits >> b & 1) << (3 * b);
    }
    return out;
}

/* Neighbours in space get neighbouring ranks, mostly: Morton's order. */
static int rank_vertices(const Mesh *mesh, int *rank) {
    int count = mesh->vertex_count;
    Cell *cells = SCRATCH_ARRAY(Cell, count);
    if (!cells) {
        return 0;
    }
    Vec3 low = count ? mesh->rest[0] : vec3(0, 0, 0), high = low;
    for (int v = 0; v < count; ++v) {
        Vec3 x = mesh->rest[v];
        low = vec3(x.x < low.x ? x.x : low.x, x.y < low.y ? x.y : low.y, x.z < low.z ? x.z : low.z);
        high = vec3(x.x > high.x ? x.x : high.x, x.y > high.y ? x.y : high.y,
                    x.z > high.z ? x.z : high.z);
    }
    Vec3 size = vec3_sub(high, low);
    double largest = size.x > size.y ? size.x : size.y;
    largest = largest > size.z ? largest : size.z;
    double scale = largest > 0 ? ((1 << CELL_BITS) - 1) / largest : 0.0;
    for (int v = 0; v < count; ++v) {
        Vec3 at = vec3_scale(scale, vec3_sub(mesh->rest[v], low));
        cells[v].vertex = v;
        cells[v].key =
            spread((uint64_t)at.x) | spread((uint64_t)at.y) << 1 | spread((uint64_t)at.z) << 2;
    }
    qsort(cells, (size_t)count, sizeof *cells, compare_cells);
    for (int r = 0; r < count; ++r) {
        rank[cells[r].vertex] = r;
    }
    free(cells);
    return 1;
}

/* The vertices of an element; returns how many. */
static int element_vertices(const Parcels *parcels, const Plan *plan, int element,
                            const int **vertices) {
    if (element < plan->triangle_from) {
        *vertices = parcels->edge->vertices + 2 * element;
        return 2;
    }
    if (element < plan->hinge_from) {
        *vertices = parcels->triangle->vertices + 3 * (element - plan->triangle_from);
        return 3;
    }
    *vertices = parcels->bending->vertices + 4 * (element - plan->hinge_from);
    return 4;
}

/* Its kind, and its number in its model. */
static int element_kind(const Parcels *parcels, const Plan *plan, int element, int *source) {
    const BendingModel *bending = parcels->bending;
    if (element < plan->hinge_from) {
        int is_edge = element < plan->triangle_from;
        *source = element - (is_edge ? 0 : plan->triangle_from);
        return is_edge ? PARCEL_EDGES : PARCEL_TRIANGLES;
    }
    int h = *source = element - plan->hinge_from;
    return h >= bending->crossing_from   ? PARCEL_CROSSING
           : bending->rest_gap[h] != 0.0 ? PARCEL_CURVED
                                         : PARCEL_FLAT;
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
        ++plan->list_from[least_rank(parcels, plan, e) + 1];
    }
    for (int r = 0; r < parcels->vertex_count; ++r) {
        plan->list_from[r + 1] += plan->list_from[r];
    }
    for (int e = 0; e < plan->element_count; ++e) {
        plan->list[plan->list_from[least_rank(parcels, plan, e)]++] = e;
    }
}

/* Puts one element after the other into a parcel, and begins a new one when that has too many vertices. */
static void fill_parcels(const Parcels *parcels, Plan *plan) {
    int p = 0;
    for (int i = 0; i < plan->element_count; ++i) {
        const int *vertices;
        int width = element_vertices(parcels, plan, plan->list[i], &vertices);
        if (plan->used - plan->start[p] + width > PARCEL_VERTICES) {
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
    plan->parcel_count = plan->element_count > 0 ? p + 1 : 0;
    plan->start[plan->parcel_count] = plan->used;
}

static int make_plan(const Parcels *parcels, const Mesh *mesh, Plan *plan) {
    plan->triangle_from = parcels->edge->count;
    plan->hinge_from = plan->triangle_from + parcels->triangle->count;
    plan->element_count = plan->hinge_from + parcels->bending->count;
    int corners =
        2 * parcels->edge->count + 3 * parcels->triangle->count + 4 * parcels->bending->count;
    plan->rank = SCRATCH_ARRAY(int, mesh->vertex_count);
    plan->list_from = SCRATCH_ARRAY(int, mesh->vertex_count + 1);
    plan->list = SCRATCH_ARRAY(int, plan->element_count);
    plan->parcel = SCRATCH_ARRAY(int, plan->element_count);
    plan->vertex = SCRATCH_ARRAY(int, corners);
    plan->start = SCRATCH_ARRAY(int, plan->element_count + 2);
    plan->local = SCRATCH_ARRAY(int, mesh->vertex_count);
    plan->seen = SCRATCH_ARRAY(int, mesh->vertex_count);
    if (!plan->rank || !plan->list_from || !plan->list || !plan->parcel || !plan->vertex ||
        !plan->start || !plan->local || !plan->seen || !rank_vertices(mesh, plan->rank)) {
        return 0;
    }
    list_elements(parcels, plan);
    fill_parcels(parcels, plan);
    return 1;
}

static void free_plan(Plan *plan) {
    free(plan->rank);
    free(plan->list_from);
    free(plan->list);
    free(plan->parcel);
    free(plan->vertex);
    free(plan->start);
    free(plan->local);
    free(plan->seen);
}

/* Room for the elements of each kind in each parcel, filled up to whole groups. */
static void take_elements(Parcels *parcels, const Plan *plan, Store *store) {
    const int widths[PARCEL_KINDS] = {3, 4, 4, 4, 2}, numbers[PARCEL_KINDS] = {7, 4, 0, 0, 0};
    for (int kind = 0; kind < PARCEL_KINDS; ++kind) {
        parcels->kinds[kind].width = widths[kind];
        parcels->kinds[kind].numbers = numbers[kind];
        parcels->kinds[kind].start = STORE_ARRAY(store, int, parcels->count + 1);
    }
    if (store->failed) {
        return;
    }
    for (int i = 0; i < plan->element_count; ++i) {
        int source, kind = element_kind(parcels, plan, plan->list[i], &source);
        ++parcels->kinds[kind].start[plan->parcel[i] + 1];
    }
    for (int kind = 0; kind < PARCEL_KINDS; ++kind) {
        ParcelElements *elements = &parcels->kinds[kind];
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
    uint16_t *corner =
        elements->corner + elements->width * (at - at % PARCEL_GROUP) + at % PARCEL_GROUP;
    for (int c = 0; c < elements->width; ++c) {
        corner[c * PARCEL_GROUP] = (uint16_t)(PARCEL_STRIDE * local[vertices[c]]);
    }
}

/* What fills a group up has the corners of the element before it. */
static void fill_up(ParcelElements *elements, int at, int end) {
    for (; at < end; ++at) {
        elements->source[at] = -1;
        for (int c = 0; c < elements->width; ++c) {
            int corner = elements->width * (at - at % PARCEL_GROUP) + c * PARCEL_GROUP;
            elements->corner[corner + at % PARCEL_GROUP] =
                elements->corner[corner + at % PARCEL_GROUP - 1];
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

/* How the elements of one kind are laid into a parcel: neighbours apart, since adding to a vertex has to wait for what
 * was added to it just before. */
typedef struct Lay {
    int first, count, step, next;
} Lay;

static int lay_next(Lay *lay) {
    int at = lay->first + lay->next;
    lay->next = (lay->next + lay->step) % lay->count;
    return at;
}

static void place_elements(Parcels *parcels, Plan *plan) {
    for (int p = 0, i = 0; p < parcels->count; ++p) {
        Lay lay[PARCEL_KINDS] = {{0}};
        for (int j = i; j < plan->element_count && plan->parcel[j] == p; ++j) {
            int source;
            ++lay[element_kind(parcels, plan, plan->list[j], &source)].count;
        }
        for (int kind = 0; kind < PARCEL_KINDS; ++kind) {
            lay[kind].first = parcels->kinds[kind].start[p];
            lay[kind].step = far_step(lay[kind].count);
        }
        for (int j = parcels->start[p]; j < parcels->start[p + 1]; ++j) {
            plan->local[parcels->vertex[j]] = j - parcels->start[p];
        }
        for (; i < plan->element_count && plan->parcel[i] == p; ++i) {
            const int *vertices;
            int source, kind = element_kind(parcels, plan, plan->list[i], &source);
            element_vertices(parcels, plan, plan->list[i], &vertices);
            int at = lay_next(&lay[kind]);
            parcels->kinds[kind].source[at] = source;
            set_corners(&parcels->kinds[kind], at, plan->local, vertices);
        }
        for (int kind = 0; kind < PARCEL_KINDS; ++kind) {
            fill_up(&parcels->kinds[kind], lay[kind].first + lay[kind].count,
                    parcels->kinds[kind].start[p + 1]);
        }
    }
}

static void list_shares(Parcels *parcels) {
    int total = parcels->start[parcels->count], *start = parcels->share_start;
    for (int j = 0; j < total; ++j) {
        ++start[parcels->vertex[j] + 1];
    }
    for (int v = 0; v < parcels->vertex_count; ++v) {
        start[v + 1] += start[v];
    }
    for (int j = 0; j < total; ++j) {
        parcels->vertex_share[start[parcels->vertex[j]]++] = j;
    }
    for (int v = parcels->vertex_count; v > 0; --v) {
        start[v] = start[v - 1];
    }
    start[0] = 0;
}

/* Who knows whom through the flat hinges of a parcel: a bit for each pair. */
#define KNOWN_WORDS (PARCEL_VERTICES / 64)
_Static_assert(PARCEL_VERTICES % 64 == 0, "a row of bits has whole words");
typedef struct Known {
    uint64_t row[PARCEL_VERTICES][KNOWN_WORDS];
} Known;

static void mark_known(const Parcels *parcels, int p, Known *known) {
    const ParcelElements *elements = &parcels->kinds[PARCEL_FLAT];
    memset(known, 0, sizeof *known);
    for (int at = elements->start[p]; at < elements->start[p + 1]; ++at) {
        const uint16_t *corner =
            elements->corner + 4 * (at - at % PARCEL_GROUP) + at % PARCEL_GROUP;
        for (int c = 0; c < 16; ++c) {
            int row = corner[c / 4 * PARCEL_GROUP] / PARCEL_STRIDE;
            int column = corner[c % 4 * PARCEL_GROUP] / PARCEL_STRIDE;
            known->row[row][column / 64] |= (uint64_t)1 << column % 64;
        }
    }
}

/* Counts the entries of each row of a parcel, one place after the row. */
static void count_rows(const Parcels *parcels) {
    Known known;
    for (int p = 0; p < parcels->count; ++p) {
        mark_known(parcels, p, &known);
        for (int slot = parcels->start[p]; slot < parcels->start[p + 1]; ++slot) {
            int count = 0;
            for (int w = 0; w < KNOWN_WORDS; ++w) {
                for (uint64_t left = known.row[slot - parcels->start[p]][w]; left;
                     left &= left - 1) {
                    ++count;
                }
            }
            parcels->flat.start[slot + 1] = count;
        }
    }
}

/* Lists the columns of each row of a parcel, ascending. */
static void list_columns(const Parcels *parcels) {
    const ParcelMatrix *flat = &parcels->flat;
    Known known;
    for (int p = 0; p < parcels->count; ++p) {
        mark_known(parcels, p, &known);
        for (int slot = parcels->start[p]; slot < parcels->start[p + 1]; ++slot) {
            int at = flat->start[slot];
            for (int w = 0; w < KNOWN_WORDS; ++w) {
                for (uint64_t left = known.row[slot - parcels->start[p]][w]; left;
                     left &= left - 1) {
                    int column = 64 * w + __builtin_ctzll(left);
                    flat->column[at++] = (uint16_t)(PARCEL_STRIDE * column);
                }
            }
        }
    }
}

static int build_flat(Parcels *parcels, Store *store) {
    ParcelMatrix *flat = &parcels->flat;
    int rows = parcels->start[parcels->count];
    flat->start = STORE_ARRAY(store, int, rows + 1);
    if (store->failed) {
        return 0;
    }
    count_rows(parcels);
    for (int row = 0; row < rows; ++row) {
        flat->start[row + 1] += flat->start[row];
    }
    flat->column = STORE_ARRAY(store, uint16_t, flat->start[rows]);
    flat->value = STORE_ARRAY(store, double, flat->start[rows]);
    if (store->failed) {
        return 0;
    }
    list_columns(parcels);
    return 1;
}

StatusCode parcels_build(Parcels *parcels, const Mesh *mesh, const EdgeModel *edge,
                         const TriangleModel *triangle, const BendingModel *bending, Store *store,
                         Status *status) {
    *parcels = (Parcels){
        .vertex_count = mesh->vertex_count, .edge = edge, .triangle = triangle, .bending = bending};
    Plan plan = {0};
    int planned = make_plan(parcels, mesh, &plan);
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
        place_elements(parcels, &plan);
        list_shares(parcels);
        planned = build_flat(parcels, store);
    }
    free_plan(&plan);
    return planned && !store->failed ? STATUS_OK : status_no_memory(status, "the parcels");
}

static void set_triangle(const TriangleModel *model, int t, double *number) {
    const double *k = model->stiffness + AXIS_COUNT * t;
    const double values[7] = {
        model->warp_weights[3 * t + 1],
        model->weft_weights[3 * t + 1],
        model->warp_weights[3 * t + 2],
        model->weft_weights[3 * t + 2],
        k[AXIS_WARP],
        k[AXIS_WEFT],
        k[AXIS_SUM], /* that of the difference is the same */
    };
    for (int n = 0; n < 7; ++n) {
        number[n * PARCEL_GROUP] = values[n];
    }
}

static void set_hinge(const BendingModel *model, int h, double *number) {
    const double values[4] = {model->weights[4 * h], -model->weights[4 * h + 3],
                              model->stiffness[h], model->rest_gap[h]};
    for (int n = 0; n < 4; ++n) {
        number[n * PARCEL_GROUP] = values[n];
    }
}

/* As the element before it, but without stiffness. */
static void set_filling(int kind, int numbers, double *number) {
    for (int n = 0; n < numbers; ++n) {
        int stiffness = kind == PARCEL_TRIANGLES ? n >= 4 : n == 2;
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

/* Adds a hinge to the rows of a parcel, which begin with `row`. */
static void add_hinge(const Parcels *parcels, int h, const uint16_t *corner, int row) {
    const BendingModel *model = parcels->bending;
    const ParcelMatrix *flat = &parcels->flat;
    const double *alpha = model->weights + 4 * h;
    for (int a = 0; a < 4; ++a) {
        const int *start = flat->start + row + corner[a * PARCEL_GROUP] / PARCEL_STRIDE;
        for (int b = 0; b < 4; ++b) {
            int at =
                find_column(flat->column + start[0], start[1] - start[0], corner[b * PARCEL_GROUP]);
            flat->value[start[0] + at] += model->stiffness[h] * alpha[a] * alpha[b];
        }
    }
}

static void set_flat(Parcels *parcels, int p) {
    const ParcelElements *elements = &parcels->kinds[PARCEL_FLAT];
    const int *start = parcels->flat.start;
    int first = start[parcels->start[p]], last = start[parcels->start[p + 1]];
    memset(parcels->flat.value + first, 0, (size_t)(last - first) * sizeof *parcels->flat.value);
    for (int at = elements->start[p]; at < elements->start[p + 1]; ++at) {
        const uint16_t *corner =
            elements->corner + 4 * (at - at % PARCEL_GROUP) + at % PARCEL_GROUP;
        if (elements->source[at] >= 0) {
            add_hinge(parcels, elements->source[at], corner, parcels->start[p]);
        }
    }
}

static void set_numbers(Parcels *parcels, int kind, int p) {
    ParcelElements *elements = &parcels->kinds[kind];
    for (int at = elements->start[p]; at < elements->start[p + 1]; ++at) {
        double *number =
            elements->number + elements->numbers * (at - at % PARCEL_GROUP) + at % PARCEL_GROUP;
        int source = elements->source[at];
        if (source < 0) {
            set_filling(kind, elements->numbers, number);
        } else if (kind == PARCEL_TRIANGLES) {
            set_triangle(parcels->triangle, source, number);
        } else {
            set_hinge(parcels->bending, source, number);
        }
    }
}

static void set_parcels(void *context, int begin, int end) {
    Parcels *parcels = context;
    for (int p = begin; p < end; ++p) {
        set_flat(parcels, p);
        set_numbers(parcels, PARCEL_TRIANGLES, p);
        set_numbers(parcels, PARCEL_CURVED, p);
    }
}

void parcels_set_material(Parcels *parcels, Pool *pool) {
    pool_each(pool, parcels->count, set_parcels, parcels);
}
