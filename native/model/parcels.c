/* Cutting the cloth into parcels, and giving them their numbers. */
#include "model/parcels.h"

#include <stdlib.h>
#include <string.h>

#include "geometry/box.h"

/* Cells along each axis that vertices are told apart by: one of 2^CELL_BITS. */
#define CELL_BITS 16

/* Everything that building needs for a while. Elements of all laws are numbered through. */
typedef struct Plan {
    int element_count;       /* of all laws */
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
static bool rank_vertices(const Mesh *mesh, int *rank) {
    int count = mesh->vertex_count;
    Cell *cells = SCRATCH_ARRAY(Cell, count);
    if (!cells) {
        return false;
    }
    Box box = box_of_points(mesh->rest, count);
    Vec3 size = vec3_sub(box.high, box.low);
    double largest = size.x > size.y ? size.x : size.y;
    largest = largest > size.z ? largest : size.z;
    double scale = largest > 0 ? ((1 << CELL_BITS) - 1) / largest : 0.0;
    for (int v = 0; v < count; ++v) {
        Vec3 at = vec3_scale(scale, vec3_sub(mesh->rest[v], box.low));
        cells[v].vertex = v;
        cells[v].key =
            spread((uint64_t)at.x) | spread((uint64_t)at.y) << 1 | spread((uint64_t)at.z) << 2;
    }
    qsort(cells, (size_t)count, sizeof *cells, compare_cells);
    for (int r = 0; r < count; ++r) {
        rank[cells[r].vertex] = r;
    }
    free(cells);
    return true;
}

/* The law of an element, and its number there. */
static int element_law(const Plan *plan, int element, int *source) {
    int l = 0;
    while (element >= plan->from[l + 1]) {
        ++l;
    }
    *source = element - plan->from[l];
    return l;
}

/* The vertices of an element; returns how many. */
static int element_vertices(const Parcels *parcels, const Plan *plan, int element,
                            const int **vertices) {
    int source;
    const Law *law = parcels->laws->list[element_law(plan, element, &source)];
    *vertices = law_vertices(law, source);
    return law->width;
}

static LawPath path_of(const Law *law, int source) {
    return law->kind->path ? law->kind->path(law, source) : LAW_ONE_BY_ONE;
}

/* Its path: number LAW_PATHS law + path; and its number in its law. */
static int element_path(const Parcels *parcels, const Plan *plan, int element, int *source) {
    int l = element_law(plan, element, source);
    return LAW_PATHS * l + (int)path_of(parcels->laws->list[l], *source);
}

static ParcelElements *path_elements(Parcels *parcels, int path) {
    return &parcels->elements[path / LAW_PATHS][path % LAW_PATHS];
}

static int least_rank(const Parcels *parcels, const Plan *plan, int element) {
    const int *vertices;
    int width = element_vertices(parcels, plan, element, &vertices), least = parcels->vertex_count;
    for (int c = 0; c < width; ++c) {
        least = plan->rank[vertices[c]] < least ? plan->rank[vertices[c]] : least;
    }
    return least;
}

static bool has_path(const Parcels *parcels, const Plan *plan, int element) {
    int source, l = element_law(plan, element, &source);
    return path_of(parcels->laws->list[l], source) != LAW_NO_PATH;
}

static void list_elements(const Parcels *parcels, Plan *plan) {
    for (int e = 0; e < plan->element_count; ++e) {
        if (has_path(parcels, plan, e)) {
            ++plan->list_from[least_rank(parcels, plan, e) + 1];
            ++plan->listed;
        }
    }
    for (int r = 0; r < parcels->vertex_count; ++r) {
        plan->list_from[r + 1] += plan->list_from[r];
    }
    for (int e = 0; e < plan->element_count; ++e) {
        if (has_path(parcels, plan, e)) {
            plan->list[plan->list_from[least_rank(parcels, plan, e)]++] = e;
        }
    }
}

/* Puts one element after the other into a parcel, and begins a new one when that has too many vertices. */
static void fill_parcels(const Parcels *parcels, Plan *plan) {
    int p = 0;
    for (int i = 0; i < plan->listed; ++i) {
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
    plan->parcel_count = plan->listed > 0 ? p + 1 : 0;
    plan->start[plan->parcel_count] = plan->used;
}

static bool make_plan(const Parcels *parcels, const Mesh *mesh, Plan *plan) {
    const Laws *laws = parcels->laws;
    int corners = 0;
    for (int l = 0; l < laws->count; ++l) {
        plan->from[l + 1] = plan->from[l] + laws->list[l]->count;
        corners += laws->list[l]->width * laws->list[l]->count;
    }
    plan->element_count = plan->from[laws->count];
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
        return false;
    }
    list_elements(parcels, plan);
    fill_parcels(parcels, plan);
    return true;
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

/* Room for the elements of each path in each parcel, filled up to whole groups. */
static void take_elements(Parcels *parcels, const Plan *plan, Store *store) {
    int paths = LAW_PATHS * parcels->laws->count;
    for (int path = 0; path < paths; ++path) {
        ParcelElements *elements = path_elements(parcels, path);
        const Law *law = parcels->laws->list[path / LAW_PATHS];
        elements->law = law;
        elements->width = law->width;
        elements->numbers =
            path % LAW_PATHS == LAW_WIDE && law->kind->wide ? law->kind->wide->numbers : 0;
        elements->start = STORE_ARRAY(store, int, parcels->count + 1);
    }
    if (store->failed) {
        return;
    }
    for (int i = 0; i < plan->listed; ++i) {
        int source, path = element_path(parcels, plan, plan->list[i], &source);
        ++path_elements(parcels, path)->start[plan->parcel[i] + 1];
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

/* How the elements of one path are laid into a parcel: neighbours apart, since adding to a vertex has to wait for what
 * was added to it just before. */
typedef struct Lay {
    int first, count, step, next;
} Lay;

static int lay_next(Lay *lay) {
    int at = lay->first + lay->next;
    lay->next = (lay->next + lay->step) % lay->count;
    return at;
}

static void lay_parcel(Parcels *parcels, const Plan *plan, int p, int from, int to) {
    Lay lay[LAWS_MOST * LAW_PATHS] = {{0}};
    int source, paths = LAW_PATHS * parcels->laws->count;
    for (int i = from; i < to; ++i) {
        ++lay[element_path(parcels, plan, plan->list[i], &source)].count;
    }
    for (int path = 0; path < paths; ++path) {
        lay[path].first = path_elements(parcels, path)->start[p];
        lay[path].step = far_step(lay[path].count);
    }
    for (int i = from; i < to; ++i) {
        const int *vertices;
        int path = element_path(parcels, plan, plan->list[i], &source);
        int at = lay_next(&lay[path]);
        element_vertices(parcels, plan, plan->list[i], &vertices);
        path_elements(parcels, path)->source[at] = source;
        set_corners(path_elements(parcels, path), at, plan->local, vertices);
    }
    for (int path = 0; path < paths; ++path) {
        ParcelElements *elements = path_elements(parcels, path);
        fill_up(elements, lay[path].first + lay[path].count, elements->start[p + 1]);
    }
}

static void place_elements(Parcels *parcels, Plan *plan) {
    for (int p = 0, i = 0; p < parcels->count; ++p) {
        int from = i;
        while (i < plan->listed && plan->parcel[i] == p) {
            ++i;
        }
        for (int j = parcels->start[p]; j < parcels->start[p + 1]; ++j) {
            plan->local[parcels->vertex[j]] = j - parcels->start[p];
        }
        lay_parcel(parcels, plan, p, from, i);
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

/* Do the elements of a path have their part in the product? */
static bool is_linear(const Law *law, LawPath path) {
    return path == LAW_MATRIX || (path == LAW_WIDE && law->kind->wide && law->kind->wide->linear);
}

/* Who knows whom through the linear forces of a parcel: a bit for each pair. */
#define KNOWN_WORDS (PARCEL_VERTICES / 64)
_Static_assert(PARCEL_VERTICES % 64 == 0, "a row of bits has whole words");
typedef struct Known {
    uint64_t row[PARCEL_VERTICES][KNOWN_WORDS];
} Known;

static void mark_elements(const ParcelElements *elements, int p, Known *known) {
    int width = elements->width;
    for (int at = elements->start[p]; at < elements->start[p + 1]; ++at) {
        const uint16_t *corner = parcel_corner(elements, at);
        for (int c = 0; c < width * width; ++c) {
            int row = corner[c / width * PARCEL_GROUP] / PARCEL_STRIDE;
            int column = corner[c % width * PARCEL_GROUP] / PARCEL_STRIDE;
            known->row[row][column / 64] |= (uint64_t)1 << column % 64;
        }
    }
}

static void mark_known(const Parcels *parcels, int p, Known *known) {
    memset(known, 0, sizeof *known);
    for (int path = 0; path < LAW_PATHS * parcels->laws->count; ++path) {
        const Law *law = parcels->laws->list[path / LAW_PATHS];
        if (is_linear(law, (LawPath)(path % LAW_PATHS))) {
            mark_elements(&parcels->elements[path / LAW_PATHS][path % LAW_PATHS], p, known);
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
            parcels->matrix.start[slot + 1] = count;
        }
    }
}

/* Lists the columns of each row of a parcel, ascending. */
static void list_columns(const Parcels *parcels) {
    const ParcelMatrix *matrix = &parcels->matrix;
    Known known;
    for (int p = 0; p < parcels->count; ++p) {
        mark_known(parcels, p, &known);
        for (int slot = parcels->start[p]; slot < parcels->start[p + 1]; ++slot) {
            int at = matrix->start[slot];
            for (int w = 0; w < KNOWN_WORDS; ++w) {
                for (uint64_t left = known.row[slot - parcels->start[p]][w]; left;
                     left &= left - 1) {
                    int column = 64 * w + __builtin_ctzll(left);
                    matrix->column[at++] = (uint16_t)(PARCEL_STRIDE * column);
                }
            }
        }
    }
}

static bool build_matrix(Parcels *parcels, Store *store) {
    ParcelMatrix *matrix = &parcels->matrix;
    int rows = parcels->start[parcels->count];
    matrix->start = STORE_ARRAY(store, int, rows + 1);
    if (store->failed) {
        return false;
    }
    count_rows(parcels);
    for (int row = 0; row < rows; ++row) {
        matrix->start[row + 1] += matrix->start[row];
    }
    matrix->column = STORE_ARRAY(store, uint16_t, matrix->start[rows]);
    matrix->value = STORE_ARRAY(store, double, matrix->start[rows]);
    if (store->failed) {
        return false;
    }
    list_columns(parcels);
    return true;
}

StatusCode parcels_build(Parcels *parcels, const Mesh *mesh, const Laws *laws, Store *store,
                         Status *status) {
    *parcels = (Parcels){.vertex_count = mesh->vertex_count, .laws = laws};
    Plan plan = {0};
    bool planned = make_plan(parcels, mesh, &plan);
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
        planned = build_matrix(parcels, store);
    }
    free_plan(&plan);
    return planned && !store->failed ? STATUS_OK : status_no_memory(status, "the parcels");
}

/* Of an element that fills up: as the one before it, but without stiffness. */
static void set_filling(const LawWide *wide, double *number) {
    for (int n = 0; n < wide->numbers; ++n) {
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

/* Adds an element to the rows of a parcel, which begin with `row`. */
static void add_element(const Parcels *parcels, const Law *law, int e, const uint16_t *corner,
                        int row) {
    const ParcelMatrix *matrix = &parcels->matrix;
    for (int a = 0; a < law->width; ++a) {
        const int *start = matrix->start + row + corner[a * PARCEL_GROUP] / PARCEL_STRIDE;
        double value[LAW_WIDTH];
        law_stiffness(law, STIFFNESS_OWN, e, a, value);
        for (int b = 0; b < law->width; ++b) {
            int at = find_column(matrix->column + start[0], start[1] - start[0],
                                 corner[b * PARCEL_GROUP]);
            matrix->value[start[0] + at] += value[b];
        }
    }
}

static void set_matrix(Parcels *parcels, int p) {
    const int *start = parcels->matrix.start;
    int first = start[parcels->start[p]], last = start[parcels->start[p + 1]];
    memset(parcels->matrix.value + first, 0,
           (size_t)(last - first) * sizeof *parcels->matrix.value);
    for (int path = 0; path < LAW_PATHS * parcels->laws->count; ++path) {
        const ParcelElements *elements = path_elements(parcels, path);
        if (!is_linear(elements->law, (LawPath)(path % LAW_PATHS))) {
            continue;
        }
        for (int at = elements->start[p]; at < elements->start[p + 1]; ++at) {
            if (elements->source[at] >= 0) {
                add_element(parcels, elements->law, elements->source[at],
                            parcel_corner(elements, at), parcels->start[p]);
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
            set_filling(wide, number);
            continue;
        }
        double packed[LAW_WIDE_NUMBERS];
        wide->pack(elements->law, elements->source[at], packed);
        for (int n = 0; n < wide->numbers; ++n) {
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
