#include "mirror/strip.h"

#include <string.h>

#define MOST_ROWS 64

double nearest_on_edges(const Draft *draft, int (*edges)[2], int count, Vec3 point, int *edge,
                        double *along) {
    double best = -1;
    for (int e = 0; e < count; ++e) {
        Vec3 from = draft->at[edges[e][0]], way = vec3_sub(draft->at[edges[e][1]], from);
        double squared = vec3_dot(way, way);
        double t = squared > 0 ? vec3_dot(vec3_sub(point, from), way) / squared : 0;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        double distance = vec3_distance(point, vec3_madd(from, t, way));
        if (best < 0 || distance < best) {
            best = distance;
            *edge = e;
            *along = t;
        }
    }
    return best;
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct Rows {
    Draft *draft;
    int *level; /* per vertex: rows between it and the front, -1: more */
    int *row;   /* per face, from 1; 0: none yet */
} Rows;

static int face_touches(const Rows *rows, const int32_t *ring, int size, int level) {
    int touches = 0;
    for (int c = 0; c < size; ++c) {
        if (rows->draft->kind[ring[c]] == KIND_PLANE) {
            return 0;
        }
        touches |= rows->level[ring[c]] == level;
    }
    return touches;
}

/* Adds the faces that touch the last row, then the vertices beyond. Returns the mean distance of those from the
 * front, m; negative: there are none. */
static double add_row(const Rows *rows, const Fronts *fronts, int number) {
    const Draft *draft = rows->draft;
    const int32_t *ring = draft->vertices;
    double sum = 0, along;
    int count = 0, edge;
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        if (!rows->row[f] && face_touches(rows, ring, draft->face_sizes[f], number - 1)) {
            rows->row[f] = number;
        }
    }
    ring = draft->vertices;
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        for (int c = 0; rows->row[f] == number && c < draft->face_sizes[f]; ++c) {
            if (rows->level[ring[c]] < 0) {
                rows->level[ring[c]] = number;
                sum += nearest_on_edges(draft, fronts->edges, fronts->edge_count,
                                        draft->at[ring[c]], &edge, &along);
                ++count;
            }
        }
    }
    return count > 0 ? sum / count : -1;
}

/* How many rows come nearest to the width; 0: not one leaves any cloth. */
static int count_rows(const Rows *rows, const Fronts *fronts, double width) {
    double last = -1;
    for (int number = 1; number <= MOST_ROWS; ++number) {
        double reached = add_row(rows, fronts, number);
        if (reached < 0 || (number > 1 && fabs(reached - width) >= fabs(last - width))) {
            return number - 1;
        }
        last = reached;
    }
    return MOST_ROWS;
}

/* --- the line --------------------------------------------------------------------------------- */

static void mark_vertices(const Draft *draft, Strip *strip) {
    const int32_t *ring = draft->vertices;
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        for (int c = 0; c < draft->face_sizes[f]; ++c) {
            uint8_t *mark = strip->is_face[f] ? strip->inside : strip->on_line;
            mark[ring[c]] = 1;
        }
    }
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        int both = strip->inside[v] && strip->on_line[v];
        strip->inside[v] = strip->inside[v] && !both;
        strip->on_line[v] = (uint8_t)both;
    }
}

/* Is a-b a side of the line? Its sides are sorted. */
static int is_line(const Strip *strip, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a, begin = 0, end = strip->line_count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        const int *side = strip->line[middle];
        if (side[0] < low || (side[0] == low && side[1] < high)) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin < strip->line_count && strip->line[begin][0] == low &&
           strip->line[begin][1] == high;
}

/* From each side of the line to the middle of the face beside it, less what is along the side. */
static void point_inward(const Draft *draft, Strip *strip) {
    const int32_t *ring = draft->vertices;
    Vec3 zero = {0, 0, 0};
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        int size = draft->face_sizes[f];
        Vec3 middle = zero;
        for (int c = 0; c < size; ++c) {
            middle = vec3_madd(middle, 1.0 / size, draft->at[ring[c]]);
        }
        for (int c = 0; c < size && !strip->is_face[f]; ++c) {
            int a = ring[c], b = ring[(c + 1) % size];
            if (is_line(strip, a, b)) {
                Vec3 way = vec3_unit_or(vec3_sub(draft->at[b], draft->at[a]), zero);
                Vec3 in = vec3_sub(middle, draft->at[a]);
                in = vec3_unit_or(vec3_madd(in, -vec3_dot(in, way), way), zero);
                strip->inward[a] = vec3_add(strip->inward[a], in);
                strip->inward[b] = vec3_add(strip->inward[b], in);
            }
        }
    }
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        strip->inward[v] = vec3_unit_or(strip->inward[v], zero);
    }
}

int strip_choose(Draft *draft, const Fronts *fronts, double width, Strip *strip) {
    Store *store = &draft->store;
    int vertices = draft->mesh->vertex_count;
    Rows rows = {.draft = draft};
    rows.level = STORE_ARRAY(store, int, vertices);
    rows.row = STORE_ARRAY(store, int, draft->face_count);
    strip->is_face = STORE_ARRAY(store, uint8_t, draft->face_count);
    strip->on_line = STORE_ARRAY(store, uint8_t, vertices);
    strip->inside = STORE_ARRAY(store, uint8_t, vertices);
    strip->inward = STORE_ARRAY(store, Vec3, vertices);
    if (store->failed) {
        return -1;
    }
    for (int v = 0; v < vertices; ++v) {
        rows.level[v] = fronts->is_front[v] ? 0 : -1;
    }
    int chosen = count_rows(&rows, fronts, width);
    for (int f = 0; f < draft->face_count; ++f) {
        strip->is_face[f] = rows.row[f] > 0 && rows.row[f] <= chosen;
    }
    strip->line_count = sides_between(draft, strip->is_face, &strip->line);
    if (strip->line_count > 0) {
        mark_vertices(draft, strip);
        point_inward(draft, strip);
    }
    return strip->line_count < 0 ? -1 : 0;
}
