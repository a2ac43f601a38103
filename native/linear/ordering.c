/* The only file that includes METIS. Our own orderings are here, too, except the dissection by places. */
#include "linear/ordering.h"

#include <amd.h>
#include <math.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "base/rotation.h"
#include "geometry/box.h"

/* From about this size METIS's better factor has paid for its longer ordering: after 500 solves from
 * 8,000 vertices on, after 4,000 solves from 2,850 on (tools/bench paper, ordering). */
#define METIS_FROM 5000

Ordering ordering_resolve(Ordering ordering, int size) {
    if (ordering != ORDERING_AUTO) {
        return ordering;
    }
    return size >= METIS_FROM ? ORDERING_METIS : ORDERING_AMD;
}

static int degree(const Matrix *matrix, int v) { return matrix->start[v + 1] - matrix->start[v]; }

/* --- Cuthill-McKee ---------------------------------------------------------------------------- */

/* Breadth first from `root` into order[begin..]; neighbours enter by rising degree. Returns the end.
 * `last_level` is where the farthest level starts. */
static int breadth_first(const Matrix *matrix, int root, int *order, int begin, uint8_t *seen,
                         int *last_level) {
    int end = begin;
    order[end++] = root;
    seen[root] = 1;
    *last_level = begin;
    for (int at = begin, level_end = end; at < end; ++at) {
        if (at == level_end) {
            *last_level = at;
            level_end = end;
        }
        int first = end, v = order[at];
        for (int p = matrix->start[v]; p < matrix->start[v + 1]; ++p) {
            int w = matrix->column[p];
            if (seen[w]) {
                continue;
            }
            seen[w] = 1;
            int place = end++;
            while (place > first && degree(matrix, order[place - 1]) > degree(matrix, w)) {
                order[place] = order[place - 1];
                --place;
            }
            order[place] = w;
        }
    }
    return end;
}

/* A vertex at the rim of the component of `start`: the low-degree end of the farthest level, twice. */
static int rim_vertex(const Matrix *matrix, int start, int *order, int begin, uint8_t *seen) {
    int root = start;
    for (int pass = 0; pass < 2; ++pass) {
        int last_level, end = breadth_first(matrix, root, order, begin, seen, &last_level);
        root = order[last_level];
        for (int i = last_level; i < end; ++i) {
            root = degree(matrix, order[i]) < degree(matrix, root) ? order[i] : root;
        }
        for (int i = begin; i < end; ++i) {
            seen[order[i]] = 0;
        }
    }
    return root;
}

static StatusCode cuthill_mckee(const Matrix *matrix, int *order, Status *status) {
    uint8_t *seen = SCRATCH_ARRAY(uint8_t, matrix->size);
    if (!seen) {
        return status_no_memory(status, "the Cuthill-McKee ordering");
    }
    int end = 0, last_level;
    for (int v = 0; v < matrix->size; ++v) {
        if (!seen[v]) {
            int root = rim_vertex(matrix, v, order, end, seen);
            end = breadth_first(matrix, root, order, end, seen, &last_level);
        }
    }
    free(seen);
    return STATUS_OK;
}

static void reverse(int *order, int size) {
    for (int i = 0, j = size - 1; i < j; ++i, --j) {
        int swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

/* --- libraries -------------------------------------------------------------------------------- */

static StatusCode minimum_degree(const Matrix *matrix, int *order, Status *status) {
    int result = amd_order(matrix->size, matrix->start, matrix->column, order, NULL, NULL);
    if (result == AMD_OUT_OF_MEMORY) {
        return status_no_memory(status, "the minimum degree ordering");
    }
    if (result != AMD_OK && result != AMD_OK_BUT_JUMBLED) {
        return status_set(status, STATUS_ERROR_MATRIX, "AMD refused the matrix (its status %d)",
                          result);
    }
    return STATUS_OK;
}

/* METIS wants the graph without the diagonal. */
static void drop_diagonal(const Matrix *matrix, idx_t *start, idx_t *neighbour) {
    idx_t at = 0;
    for (int i = 0; i < matrix->size; ++i) {
        start[i] = at;
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            if (matrix->column[p] != i) {
                neighbour[at++] = matrix->column[p];
            }
        }
    }
    start[matrix->size] = at;
}

static int run_metis(int size, idx_t *start, idx_t *neighbour, idx_t *order, idx_t *inverse) {
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    idx_t count = size;
    return METIS_NodeND(&count, start, neighbour, NULL, options, order, inverse);
}

static StatusCode nested_dissection(const Matrix *matrix, int *order, Status *status) {
    Store scratch = {0};
    idx_t *start = STORE_ARRAY(&scratch, idx_t, (size_t)matrix->size + 1);
    idx_t *neighbour = STORE_ARRAY(&scratch, idx_t, matrix->start[matrix->size]);
    idx_t *inverse = STORE_ARRAY(&scratch, idx_t, matrix->size);
    int result = METIS_ERROR_MEMORY;
    if (!scratch.failed) {
        drop_diagonal(matrix, start, neighbour);
        result = run_metis(matrix->size, start, neighbour, order, inverse);
    }
    store_release(&scratch);
    if (result == METIS_ERROR_MEMORY) {
        return status_no_memory(status, "the nested dissection ordering");
    }
    if (result != METIS_OK) {
        return status_set(status, STATUS_ERROR_MATRIX, "METIS refused the matrix (its status %d)",
                          result);
    }
    return STATUS_OK;
}

StatusCode ordering_find(Ordering ordering, const Matrix *matrix, int *permutation,
                         Status *status) {
    StatusCode code = STATUS_OK;
    bool good;
    if (ordering == ORDERING_DISSECTION && !matrix->place) {
        ordering = ORDERING_METIS;
    }
    switch (ordering) {
    case ORDERING_DISSECTION:
        return dissection_find(matrix, permutation, &good, status);
    case ORDERING_CUTHILL_MCKEE:
        return cuthill_mckee(matrix, permutation, status);
    case ORDERING_REVERSE_CUTHILL_MCKEE:
        code = cuthill_mckee(matrix, permutation, status);
        reverse(permutation, matrix->size);
        return code;
    case ORDERING_METIS:
        /* METIS cannot dissect a handful of vertices, nor a graph without edges */
        if (matrix->size > 2 && matrix->start[matrix->size] > matrix->size) {
            return nested_dissection(matrix, permutation, status);
        }
        return minimum_degree(matrix, permutation, status);
    case ORDERING_AMD:
        return minimum_degree(matrix, permutation, status);
    default:
        for (int i = 0; i < matrix->size; ++i) {
            permutation[i] = i;
        }
        return STATUS_OK;
    }
}

/* One that hangs together, or is ordered whole. */
static StatusCode choose_one(Ordering *ordering, const Matrix *matrix, int *permutation,
                             Status *status) {
    bool dissect = *ordering == ORDERING_AUTO && matrix->place && matrix->size >= METIS_FROM &&
                   dissection_suits(matrix);
    *ordering = ordering_resolve(*ordering, matrix->size);
    if (dissect) {
        bool good;
        StatusCode code = dissection_find(matrix, permutation, &good, status);
        if (code != STATUS_OK || good) {
            *ordering = ORDERING_DISSECTION;
            return code;
        }
    }
    return ordering_find(*ordering, matrix, permutation, status);
}

/* --- by components ---------------------------------------------------------------------------- */

/* The unknowns component by component, each in ascending order, and the matrix of one of them. */
typedef struct Components {
    Store store;
    int *component; /* of each unknown */
    int *first;     /* of each component in `list`; one more */
    int *list;
    int *number;      /* of each unknown in its component */
    int *permutation; /* of one */
    Matrix part;
    Vec3 *place; /* of the part's unknowns */
} Components;

static bool components_take(Components *components, const Matrix *matrix) {
    Store *store = &components->store;
    int size = matrix->size, entries = matrix->start[size];
    components->component = STORE_ARRAY(store, int, size);
    components->first = STORE_ARRAY(store, int, size + 1);
    components->list = STORE_ARRAY(store, int, size);
    components->number = STORE_ARRAY(store, int, size);
    components->permutation = STORE_ARRAY(store, int, size);
    components->part.start = STORE_ARRAY(store, int, size + 1);
    components->part.column = STORE_ARRAY(store, int, entries);
    components->place = matrix->place ? STORE_ARRAY(store, Vec3, size) : NULL;
    return !store->failed;
}

/* Numbers them by their first unknowns; returns how many there are. */
static int number_components(Components *components, const Matrix *matrix) {
    int count = 0, *queue = components->list;
    memset(components->component, -1, (size_t)matrix->size * sizeof *components->component);
    for (int v = 0; v < matrix->size; ++v) {
        int end = 0;
        if (components->component[v] < 0) {
            components->component[v] = count++;
            queue[end++] = v;
        }
        for (int at = 0; at < end; ++at) {
            for (int p = matrix->start[queue[at]]; p < matrix->start[queue[at] + 1]; ++p) {
                int w = matrix->column[p];
                if (components->component[w] < 0) {
                    components->component[w] = components->component[v];
                    queue[end++] = w;
                }
            }
        }
    }
    return count;
}

/* The matrix of one component, without values. */
static void components_cut(Components *components, const Matrix *matrix, int component) {
    const int *list = components->list + components->first[component];
    Matrix *part = &components->part;
    int entries = 0;
    part->size = components->first[component + 1] - components->first[component];
    part->place = components->place;
    for (int k = 0; k < part->size; ++k) {
        components->number[list[k]] = k;
    }
    for (int k = 0; k < part->size; ++k) {
        for (int p = matrix->start[list[k]]; p < matrix->start[list[k] + 1]; ++p) {
            part->column[entries++] = components->number[matrix->column[p]];
        }
        part->start[k + 1] = entries;
        if (components->place) {
            components->place[k] = matrix->place[list[k]];
        }
    }
}

/* Each component as if there were no other; `ordering` becomes that of the largest. */
static StatusCode choose_each(Ordering *ordering, const Matrix *matrix, Components *components,
                              int count, int *permutation, Status *status) {
    Ordering wanted = *ordering;
    int largest = 0;
    for (int c = 0; c < count; ++c) {
        const int *list = components->list + components->first[c];
        Ordering own = wanted;
        components_cut(components, matrix, c);
        StatusCode code = choose_one(&own, &components->part, components->permutation, status);
        if (code != STATUS_OK) {
            return code;
        }
        for (int k = 0; k < components->part.size; ++k) {
            *permutation++ = list[components->permutation[k]];
        }
        if (components->part.size > largest) {
            largest = components->part.size;
            *ordering = own;
        }
    }
    return STATUS_OK;
}

StatusCode ordering_choose(Ordering *ordering, const Matrix *matrix, int *permutation,
                           Status *status) {
    Components components = {0};
    StatusCode code = STATUS_OK;
    int count = 0;
    if (*ordering == ORDERING_NATURAL || !components_take(&components, matrix)) {
        code = components.store.failed ? status_no_memory(status, "the ordering") : code;
    } else {
        count = number_components(&components, matrix);
    }
    if (code == STATUS_OK && count > 1) {
        lists_group(components.first, count, components.component, matrix->size, components.list);
        code = choose_each(ordering, matrix, &components, count, permutation, status);
    } else if (code == STATUS_OK) {
        code = choose_one(ordering, matrix, permutation, status);
    }
    store_release(&components.store);
    return code;
}

/* --- by places -------------------------------------------------------------------------------- */

/* A separator is a minimum vertex cover of the entries between two halves: the fewest unknowns that can be put last. */

/* Unknowns that are ordered by minimum degree instead of being cut again. */
#define LEAF 32
/* A cut through n unknowns in a plane takes about 2 sqrt(n) of them, as bending couples unknowns two edges apart, and
 * twice that in cloth of two layers. More than this many times sqrt(n) is not good. */
#define MOST_CUT 7.0
/* A sheet is at most this thick for its width. */
#define THICK 0.1

typedef struct Dissection {
    const Matrix *matrix;
    int *order;          /* unknowns, a subgraph in a row */
    int *side;           /* of each unknown: the stamp of the half that it was last in */
    double *key;         /* of each place in `order` */
    int *begin, *end;    /* of the subgraphs that are still to be cut */
    int *number;         /* of each unknown of a leaf */
    int *start, *column; /* of a leaf's matrix */
    int *leaf;           /* of a leaf, in order */
    /* Of each unknown at a cut: its neighbour on the other side in a matching, or -1. */
    int *partner;
    int *met, *from; /* of each unknown: the last mark that met it, and from where */
    int *queue;
    int waiting, stamp, marks;
    bool good;
} Dissection;

/* --- halves ----------------------------------------------------------------------------------- */

/* The longest side of the subgraph's box. */
static int longest_axis(const Dissection *dissection, int begin, int end) {
    Box box = box_of_listed(dissection->matrix->place, dissection->order + begin, end - begin);
    return box_longest_axis(&box);
}

static void swap(Dissection *dissection, int a, int b) {
    int unknown = dissection->order[a];
    double key = dissection->key[a];
    dissection->order[a] = dissection->order[b];
    dissection->key[a] = dissection->key[b];
    dissection->order[b] = unknown;
    dissection->key[b] = key;
}

/* Smaller keys come before `middle`, larger ones behind it [Hoare's selection]. */
static void select_middle(Dissection *dissection, int begin, int end, int middle) {
    const double *key = dissection->key;
    for (int low = begin, high = end - 1; low < high;) {
        int i = low, j = high;
        double first = key[low], centre = key[low + (high - low) / 2], last = key[high];
        double least = first < centre ? first : centre, most = first < centre ? centre : first;
        double pivot = last < least ? least : last < most ? last : most;
        while (i <= j) {
            while (key[i] < pivot) {
                ++i;
            }
            while (key[j] > pivot) {
                --j;
            }
            if (i <= j) {
                swap(dissection, i++, j--);
            }
        }
        if (middle <= j) {
            high = j;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

/* Where a cut near the middle leaves no unknowns with the same key on both sides, if it is near enough: a grid is cut
 * between two of its lines. */
static int straighten(Dissection *dissection, int begin, int end, int middle) {
    double pivot = dissection->key[middle];
    int before = middle, behind = middle, slack = (end - begin) / 8;
    for (int k = middle - 1; k >= begin; --k) { /* all of them are at most the pivot */
        if (dissection->key[k] == pivot) {
            swap(dissection, k, --before);
        }
    }
    for (int k = middle; k < end; ++k) {
        if (dissection->key[k] == pivot) {
            swap(dissection, k, behind++);
        }
    }
    int nearer = middle - before <= behind - middle ? before : behind;
    return abs(nearer - middle) <= slack ? nearer : middle;
}

/* --- cuts ------------------------------------------------------------------------------------- */

/* Searches breadth first for an augmenting path from `root`, on the left: along entries to the right, along matched pairs
 * back to the left. Flips the pairs along it. False if there is none; then all that the search has met is marked. */
static bool find_partner(Dissection *dissection, int root, int right, int mark) {
    const Matrix *matrix = dissection->matrix;
    int *partner = dissection->partner, *queue = dissection->queue, count = 0;
    queue[count++] = root;
    for (int at = 0; at < count; ++at) {
        int u = queue[at];
        for (int p = matrix->start[u]; p < matrix->start[u + 1]; ++p) {
            int w = matrix->column[p];
            if (dissection->side[w] != right || dissection->met[w] == mark) {
                continue;
            }
            dissection->met[w] = mark;
            dissection->from[w] = u;
            if (partner[w] >= 0) {
                queue[count++] = partner[w];
                continue;
            }
            for (int left = u, next; w >= 0; w = next, left = w < 0 ? -1 : dissection->from[w]) {
                next = partner[left];
                partner[left] = w;
                partner[w] = left;
            }
            return true;
        }
    }
    return false;
}

/* A minimum vertex cover of the entries between the halves: by Konig's theorem it has one unknown of each pair of a
 * maximum matching. Its unknowns are marked by 1 in `key`; returns how many. */
static int cover_entries(Dissection *dissection, int begin, int middle, int end, int right) {
    const Matrix *matrix = dissection->matrix;
    for (int k = begin; k < end; ++k) {
        dissection->partner[dissection->order[k]] = -1;
        dissection->key[k] = 0;
    }
    for (int k = begin; k < middle; ++k) { /* most find one at once */
        int u = dissection->order[k];
        for (int p = matrix->start[u]; p < matrix->start[u + 1]; ++p) {
            int w = matrix->column[p];
            if (dissection->side[w] == right && dissection->partner[w] < 0) {
                dissection->partner[u] = w;
                dissection->partner[w] = u;
                break;
            }
        }
    }
    int mark = dissection->marks++;
    for (int k = begin; k < middle; ++k) {
        int u = dissection->order[k];
        if (dissection->partner[u] < 0 && find_partner(dissection, u, right, mark)) {
            mark = dissection->marks++; /* the matching has changed: paths may be open now */
        }
    }
    mark = dissection->marks++;
    for (int k = begin; k < middle; ++k) {
        if (dissection->partner[dissection->order[k]] < 0) {
            find_partner(dissection, dissection->order[k], right, mark);
        }
    }
    int count = 0;
    for (int k = begin; k < end; ++k) {
        int v = dissection->order[k], other = dissection->partner[v];
        int met = dissection->met[k < middle && other >= 0 ? other : v] == mark;
        dissection->key[k] = other >= 0 && (k < middle ? !met : met);
        count += dissection->key[k] != 0;
    }
    return count;
}

/* Brings the marked ones of from .. to behind the others; returns where they begin. */
static int put_last(Dissection *dissection, int from, int to) {
    int kept = from;
    for (int k = from; k < to; ++k) {
        if (dissection->key[k] == 0) {
            swap(dissection, kept++, k);
        }
    }
    return kept;
}

static void put_off(Dissection *dissection, int begin, int end) {
    if (end > begin) {
        dissection->begin[dissection->waiting] = begin;
        dissection->end[dissection->waiting++] = end;
    }
}

/* Cuts a subgraph: two parts that no entry joins, and what is between them at its end. */
static void cut_subgraph(Dissection *dissection, int begin, int end) {
    int middle = begin + (end - begin) / 2, axis = longest_axis(dissection, begin, end);
    int left = dissection->stamp++, right = dissection->stamp++;
    for (int k = begin; k < end; ++k) {
        dissection->key[k] = vec3_along(dissection->matrix->place[dissection->order[k]], axis);
    }
    select_middle(dissection, begin, end, middle);
    middle = straighten(dissection, begin, end, middle);
    for (int k = begin; k < end; ++k) {
        dissection->side[dissection->order[k]] = k < middle ? left : right;
    }
    int size = cover_entries(dissection, begin, middle, end, right);
    dissection->good &= size <= MOST_CUT * sqrt(end - begin) + LEAF;
    int first = put_last(dissection, begin, middle), moved = middle - first;
    /* the left half's marked ones go behind all others, whose keys and places move up */
    memcpy(dissection->queue, dissection->order + first, (size_t)moved * sizeof(int));
    memmove(dissection->order + first, dissection->order + middle,
            (size_t)(end - middle) * sizeof(int));
    memmove(dissection->key + first, dissection->key + middle,
            (size_t)(end - middle) * sizeof(double));
    memcpy(dissection->order + end - moved, dissection->queue, (size_t)moved * sizeof(int));
    int second = put_last(dissection, first, end - moved);
    put_off(dissection, begin, first);
    put_off(dissection, first, second);
}

/* --- leaves ----------------------------------------------------------------------------------- */

/* False without memory. */
static bool order_leaf(Dissection *dissection, int begin, int end) {
    const Matrix *matrix = dissection->matrix;
    int stamp = dissection->stamp++, size = end - begin, at = 0;
    for (int k = begin; k < end; ++k) {
        dissection->side[dissection->order[k]] = stamp;
        dissection->number[dissection->order[k]] = k - begin;
    }
    for (int k = begin; k < end; ++k) {
        int v = dissection->order[k];
        dissection->start[k - begin] = at;
        for (int p = matrix->start[v]; p < matrix->start[v + 1]; ++p) {
            if (dissection->side[matrix->column[p]] == stamp) {
                dissection->column[at++] = dissection->number[matrix->column[p]];
            }
        }
    }
    dissection->start[size] = at;
    if (amd_order(size, dissection->start, dissection->column, dissection->leaf, NULL, NULL) <
        AMD_OK) {
        return false;
    }
    for (int k = 0; k < size; ++k) {
        dissection->number[k] = dissection->order[begin + dissection->leaf[k]];
    }
    memcpy(dissection->order + begin, dissection->number, (size_t)size * sizeof(int));
    return true;
}

static bool take_memory(Dissection *dissection, Store *store) {
    const Matrix *matrix = dissection->matrix;
    int size = matrix->size;
    int **lists[] = {&dissection->side,   &dissection->begin, &dissection->end,
                     &dissection->number, &dissection->start, &dissection->leaf,
                     &dissection->met,    &dissection->from,  &dissection->partner,
                     &dissection->queue};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        *lists[i] = STORE_ARRAY(store, int, size + 1);
    }
    dissection->key = STORE_ARRAY(store, double, size);
    dissection->column = STORE_ARRAY(store, int, matrix->start[size]);
    return !store->failed;
}

StatusCode dissection_find(const Matrix *matrix, int *permutation, bool *good, Status *status) {
    Store store = {0};
    Dissection dissection = {
        .matrix = matrix, .order = permutation, .stamp = 1, .marks = 1, .good = true};
    bool worked = take_memory(&dissection, &store);
    for (int k = 0; k < matrix->size; ++k) {
        permutation[k] = k;
    }
    if (worked) {
        put_off(&dissection, 0, matrix->size);
    }
    while (worked && dissection.waiting > 0) {
        int begin = dissection.begin[--dissection.waiting];
        int end = dissection.end[dissection.waiting];
        if (end - begin > LEAF) {
            cut_subgraph(&dissection, begin, end);
        } else {
            worked = order_leaf(&dissection, begin, end);
        }
    }
    store_release(&store);
    *good = dissection.good;
    return worked ? STATUS_OK : status_no_memory(status, "the dissection");
}

bool dissection_suits(const Matrix *matrix) {
    double moments[3][3] = {{0}}, spread[3];
    Vec3 axis[3], mean = vec3(0, 0, 0), origin = matrix->place[0];
    for (int i = 0; i < matrix->size; ++i) {
        mean = vec3_madd(mean, 1.0 / matrix->size, vec3_sub(matrix->place[i], origin));
    }
    for (int i = 0; i < matrix->size; ++i) {
        Vec3 away = vec3_sub(vec3_sub(matrix->place[i], origin), mean);
        const double from[3] = {away.x, away.y, away.z};
        for (int k = 0; k < 9; ++k) {
            moments[k / 3][k % 3] += from[k / 3] * from[k % 3];
        }
    }
    principal_axes(moments, axis, spread);
    return spread[2] <= THICK * THICK * spread[0];
}

/* --- colours ---------------------------------------------------------------------------------- */

static int largest_row(const Matrix *pattern) {
    int largest = 0;
    for (int i = 0; i < pattern->size; ++i) {
        largest = degree(pattern, i) > largest ? degree(pattern, i) : largest;
    }
    return largest;
}

/* Gives each unknown the first colour that no neighbour before it has; `taken` remembers by whom. Returns how many
 * colours there are. */
static int choose(const Matrix *pattern, int *colour, int *taken) {
    int count = 0;
    for (int i = 0; i < pattern->size; ++i) {
        for (int p = pattern->start[i]; p < pattern->start[i + 1]; ++p) {
            if (pattern->column[p] < i) {
                taken[colour[pattern->column[p]]] = i + 1;
            }
        }
        int free_one = 0;
        while (taken[free_one] == i + 1) {
            ++free_one;
        }
        colour[i] = free_one;
        count = free_one + 1 > count ? free_one + 1 : count;
    }
    return count;
}

StatusCode colouring_build(Colouring *colouring, const Matrix *pattern, Store *store,
                           Status *status) {
    int most = largest_row(pattern) + 1;
    Store scratch = {0};
    int *colour = STORE_ARRAY(&scratch, int, pattern->size);
    int *taken = STORE_ARRAY(&scratch, int, most);
    colouring->start = STORE_ARRAY(store, int, most + 1);
    colouring->order = STORE_ARRAY(store, int, pattern->size);
    bool done = !scratch.failed && !store->failed;
    if (done) {
        colouring->count = choose(pattern, colour, taken);
        lists_group(colouring->start, colouring->count, colour, pattern->size, colouring->order);
    }
    store_release(&scratch);
    return done ? STATUS_OK : status_no_memory(status, "the colouring");
}
