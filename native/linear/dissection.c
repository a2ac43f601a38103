#include "linear/dissection.h"

#include <amd.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Unknowns that are ordered by minimum degree instead of being cut again. */
#define LEAF 32
/* A cut through n unknowns in a plane takes about 2 sqrt(n) of them, as bending couples unknowns two edges apart, and
 * twice that in cloth of two layers. More than this many times sqrt(n) is not good. */
#define MOST_CUT 7.0

typedef struct Dissection {
    const Matrix *matrix;
    int *order;          /* unknowns, a region in a row */
    int *side;           /* of each unknown: the stamp of the half that it was last in */
    double *key;         /* of each place in `order` */
    int *begin, *end;    /* of the regions that are still to be cut */
    int *number;         /* of each unknown of a leaf */
    int *start, *column; /* of a leaf's matrix */
    int *leaf;           /* of a leaf, in order */
    int waiting, stamp, good;
} Dissection;

/* --- halves ----------------------------------------------------------------------------------- */

static double along(Vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* The longest side of the region's box. */
static int longest_axis(const Dissection *dissection, int begin, int end) {
    Vec3 low = dissection->matrix->place[dissection->order[begin]], high = low;
    for (int k = begin; k < end; ++k) {
        Vec3 at = dissection->matrix->place[dissection->order[k]];
        low = vec3(at.x < low.x ? at.x : low.x, at.y < low.y ? at.y : low.y,
                   at.z < low.z ? at.z : low.z);
        high = vec3(at.x > high.x ? at.x : high.x, at.y > high.y ? at.y : high.y,
                    at.z > high.z ? at.z : high.z);
    }
    Vec3 size = vec3_sub(high, low);
    int axis = size.y > size.x ? 1 : 0;
    return size.z > along(size, axis) ? 2 : axis;
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

/* How many of `from` .. `to` have a neighbour in the half with this stamp; they are marked by 1 in `key`. */
static int mark_touching(const Dissection *dissection, int from, int to, int stamp) {
    const Matrix *matrix = dissection->matrix;
    int count = 0;
    for (int k = from; k < to; ++k) {
        int v = dissection->order[k], touches = 0;
        for (int p = matrix->start[v]; p < matrix->start[v + 1] && !touches; ++p) {
            touches = dissection->side[matrix->column[p]] == stamp;
        }
        dissection->key[k] = touches;
        count += touches;
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

static void reverse_range(Dissection *dissection, int from, int to) {
    for (int a = from, b = to - 1; a < b; ++a, --b) {
        swap(dissection, a, b);
    }
}

static void wait(Dissection *dissection, int begin, int end) {
    if (end > begin) {
        dissection->begin[dissection->waiting] = begin;
        dissection->end[dissection->waiting++] = end;
    }
}

/* Cuts a region: two parts that no entry joins, and what is between them at its end. */
static void cut_region(Dissection *dissection, int begin, int end) {
    int middle = begin + (end - begin) / 2, axis = longest_axis(dissection, begin, end);
    int left = dissection->stamp++, right = dissection->stamp++;
    for (int k = begin; k < end; ++k) {
        dissection->key[k] = along(dissection->matrix->place[dissection->order[k]], axis);
    }
    select_middle(dissection, begin, end, middle);
    middle = straighten(dissection, begin, end, middle);
    for (int k = begin; k < end; ++k) {
        dissection->side[dissection->order[k]] = k < middle ? left : right;
    }
    int of_left = mark_touching(dissection, begin, middle, right);
    int of_right = mark_touching(dissection, middle, end, left);
    int size = of_left < of_right ? of_left : of_right;
    dissection->good &= size <= MOST_CUT * sqrt(end - begin) + LEAF;
    if (of_right <= of_left) {
        int cut = put_last(dissection, middle, end);
        wait(dissection, begin, middle);
        wait(dissection, middle, cut);
    } else {
        int cut = put_last(dissection, begin, middle);
        /* the cut behind the right half: three reversals turn the two round */
        reverse_range(dissection, cut, middle);
        reverse_range(dissection, middle, end);
        reverse_range(dissection, cut, end);
        wait(dissection, begin, cut);
        wait(dissection, cut, end - size);
    }
}

/* --- leaves ----------------------------------------------------------------------------------- */

static int order_leaf(Dissection *dissection, int begin, int end) {
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
    int result =
        amd_order(size, dissection->start, dissection->column, dissection->leaf, NULL, NULL);
    for (int k = 0; k < size; ++k) {
        dissection->number[k] = dissection->order[begin + dissection->leaf[k]];
    }
    memcpy(dissection->order + begin, dissection->number, (size_t)size * sizeof(int));
    return result >= AMD_OK;
}

static int take_memory(Dissection *dissection, Store *store) {
    const Matrix *matrix = dissection->matrix;
    int size = matrix->size;
    dissection->side = STORE_ARRAY(store, int, size);
    dissection->key = STORE_ARRAY(store, double, size);
    dissection->begin = STORE_ARRAY(store, int, size + 1);
    dissection->end = STORE_ARRAY(store, int, size + 1);
    dissection->number = STORE_ARRAY(store, int, size);
    dissection->start = STORE_ARRAY(store, int, size + 1);
    dissection->column = STORE_ARRAY(store, int, matrix->start[size]);
    dissection->leaf = STORE_ARRAY(store, int, size);
    return !store->failed;
}

StatusCode dissection_find(const Matrix *matrix, int *permutation, int *good, Status *status) {
    Store store = {0};
    Dissection dissection = {.matrix = matrix, .order = permutation, .stamp = 1, .good = 1};
    int worked = take_memory(&dissection, &store);
    for (int k = 0; k < matrix->size; ++k) {
        permutation[k] = k;
    }
    if (worked) {
        wait(&dissection, 0, matrix->size);
    }
    while (worked && dissection.waiting > 0) {
        int begin = dissection.begin[--dissection.waiting];
        int end = dissection.end[dissection.waiting];
        if (end - begin > LEAF) {
            cut_region(&dissection, begin, end);
        } else {
            worked = order_leaf(&dissection, begin, end);
        }
    }
    store_release(&store);
    *good = dissection.good;
    return worked ? STATUS_OK : status_no_memory(status, "the dissection");
}
