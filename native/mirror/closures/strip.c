/* Modelled fronts are turned in, stepped and uneven. The strip is chosen by faces, as no face can be cut: every
 * depth up to the wanted one is tried, and the line that misses it least is taken. */
#include <string.h>

#include "geometry/distance.h"
#include "mesh/adjacency.h"
#include "mirror/closures/closures.h"

#define MOST_ROWS 64
/* Depths that are tried, up to the width that is wanted. */
#define CHOICES 16
/* Sides of the line that lead deeper by more than this part of their length are steps. */
#define STEEP 0.5
/* Rows that lead towards the plane by more than this part of their width are a front's turned-in layer. */
#define TURNED 0.25

static Vec3 without(Vec3 v, Vec3 direction) {
    return vec3_madd(v, -vec3_dot(v, direction), direction);
}

/* `unseen`: distances along this direction do not count. */
static double nearest_seen(const Draft *draft, int (*edges)[2], int count, Vec3 point, Vec3 unseen,
                           int *edge, double *along) {
    double best = -1;
    for (int e = 0; e < count; ++e) {
        Vec3 from = draft->at[edges[e][0]];
        Vec3 way = without(vec3_sub(draft->at[edges[e][1]], from), unseen);
        Vec3 to = without(vec3_sub(point, from), unseen);
        double t = closest_parameter(to, way);
        double distance = vec3_length(vec3_madd(to, -t, way));
        if (best < 0 || distance < best) {
            best = distance;
            *edge = e;
            *along = t;
        }
    }
    return best;
}

double nearest_on_edges(const Draft *draft, int (*edges)[2], int count, Vec3 point, int *edge,
                        double *along) {
    return nearest_seen(draft, edges, count, point, vec3(0, 0, 0), edge, along);
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct Rows {
    Draft *draft;
    Strip *strip; /* its levels and fold */
    int *row;     /* per face, from 1; 0: none yet */
} Rows;

static bool face_touches(const Rows *rows, const int32_t *ring, int size, int level) {
    bool touches = false;
    for (int c = 0; c < size; ++c) {
        if (rows->draft->kind[ring[c]] == KIND_PLANE) {
            return false;
        }
        touches |= rows->strip->level[ring[c]] == level;
    }
    return touches;
}

/* Sides of the newest row's faces between vertices of this level. */
static void list_fold(const Rows *rows, int level) {
    const Draft *draft = rows->draft;
    Strip *strip = rows->strip;
    const int32_t *ring = draft->vertices;
    int count = 0;
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        int size = draft->face_sizes[f];
        for (int c = 0; rows->row[f] == level && c < size; ++c) {
            int a = ring[c], b = ring[(c + 1) % size];
            if (strip->level[a] == level && strip->level[b] == level) {
                strip->fold_edges[count][0] = a;
                strip->fold_edges[count++][1] = b;
            }
        }
    }
    if (count > 0) {
        strip->fold_count = count;
        strip->fold = level;
    }
}

static void mark_row(const Rows *rows, int number) {
    const Draft *draft = rows->draft;
    const int32_t *ring = draft->vertices;
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        if (!rows->row[f] && face_touches(rows, ring, draft->face_sizes[f], number - 1)) {
            rows->row[f] = number;
        }
    }
    ring = draft->vertices;
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        for (int c = 0; rows->row[f] == number && c < draft->face_sizes[f]; ++c) {
            int *level = &rows->strip->level[ring[c]];
            *level = *level < 0 ? number : *level;
        }
    }
}

/* Adds the faces that touch the last row, then the vertices beyond. A row that leads on towards the plane ends in the
 * fold. */
static void add_row(const Rows *rows, int number) {
    const Draft *draft = rows->draft;
    const Strip *strip = rows->strip;
    double sum = 0, lean = 0, along;
    int edge;
    mark_row(rows, number);
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        if (strip->level[v] == number) {
            sum += nearest_on_edges(draft, strip->fold_edges, strip->fold_count, draft->at[v],
                                    &edge, &along);
            const int *ends = strip->fold_edges[edge];
            lean +=
                draft->at[v].x - (1 - along) * draft->at[ends[0]].x - along * draft->at[ends[1]].x;
        }
    }
    if (lean < -TURNED * sum) {
        list_fold(rows, number);
    }
}

/* Rows up to the fold, and one more. */
static void find_fold(const Rows *rows) {
    for (int number = 1; number <= MOST_ROWS && number == rows->strip->fold + 1; ++number) {
        add_row(rows, number);
    }
}

/* --- which faces ------------------------------------------------------------------------------ */

/* In the plane, and across the front: the direction in which a modelled edge is turned in by its thickness. */
static Vec3 across_front(const Draft *draft, const OpenFronts *fronts, Vec3 point) {
    double yy = 0, yz = 0, zz = 0, reach = 0;
    int edge;
    double along;
    reach = BUTTON_LEAST * draft->size +
            nearest_on_edges(draft, fronts->edges, fronts->edge_count, point, &edge, &along);
    for (int e = 0; e < fronts->edge_count; ++e) {
        Vec3 a = draft->at[fronts->edges[e][0]], b = draft->at[fronts->edges[e][1]];
        Vec3 way = vec3_sub(b, a), middle = vec3_scale(0.5, vec3_add(a, b));
        double weight = 1 - vec3_distance(middle, point) / reach;
        weight = weight > 0 ? weight : 0;
        yy += weight * way.y * way.y;
        yz += weight * way.y * way.z;
        zz += weight * way.z * way.z;
    }
    double angle = 0.5 * atan2(2 * yz, yy - zz); /* of the way along the front */
    return vec3(0, -sin(angle), cos(angle));
}

typedef struct Choice {
    const Rows *rows;
    double *depth;    /* per vertex: from the front, but for its thickness, m */
    uint8_t *reached; /* per vertex: before the line */
} Choice;

static void measure_depths(const Choice *choice, const OpenFronts *fronts) {
    const Draft *draft = choice->rows->draft;
    const Strip *strip = choice->rows->strip;
    int edge;
    double along;
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        if (draft->kind[v] != KIND_NONE) {
            choice->depth[v] =
                nearest_seen(draft, strip->fold_edges, strip->fold_count, draft->at[v],
                             across_front(draft, fronts, draft->at[v]), &edge, &along);
        }
    }
}

static bool face_reached(const Choice *choice, const int32_t *ring, int size) {
    bool reached = false;
    for (int c = 0; c < size; ++c) {
        if (choice->rows->draft->kind[ring[c]] == KIND_PLANE) {
            return false;
        }
        reached |= choice->reached[ring[c]];
    }
    return reached;
}

/* From face to face, over the vertices that are less deep than this. */
static void reach_depth(const Choice *choice, const OpenFronts *fronts, double depth) {
    const Draft *draft = choice->rows->draft;
    const Strip *strip = choice->rows->strip;
    int found = 1;
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        choice->reached[v] = fronts->is_front[v] || (strip->fold > 0 && strip->level[v] >= 0 &&
                                                     strip->level[v] <= strip->fold);
    }
    while (found) {
        const int32_t *ring = draft->vertices;
        found = 0;
        for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
            int size = face_reached(choice, ring, draft->face_sizes[f]) ? draft->face_sizes[f] : 0;
            for (int c = 0; c < size; ++c) {
                if (!choice->reached[ring[c]] && choice->depth[ring[c]] < depth) {
                    choice->reached[ring[c]] = 1;
                    found = 1;
                }
            }
        }
    }
}

/* What is bad about a line, m: by how much it misses the width (root of the mean square), and the steps that it takes
 * across, since cloth is crumpled where all of a step is drawn onto the plane. Negative: there is no line. */
static double rate_line(const Choice *choice, double width) {
    const Draft *draft = choice->rows->draft;
    const int32_t *ring = draft->vertices;
    double sum = 0, steps = 0;
    int count = 0;
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        int size = face_reached(choice, ring, draft->face_sizes[f]) ? draft->face_sizes[f] : 0;
        for (int c = 0; c < size; ++c) {
            int a = ring[c], b = ring[(c + 1) % size];
            if (!choice->reached[a]) {
                double off = choice->depth[a] - width;
                sum += off * off;
                ++count;
            }
            if (!choice->reached[a] && !choice->reached[b]) {
                double step = fabs(choice->depth[a] - choice->depth[b]);
                steps += step > STEEP * vec3_distance(draft->at[a], draft->at[b]) ? step : 0;
            }
        }
    }
    return count > 0 ? sqrt(sum / count) + steps : -1;
}

/* Leaves the best choice in `reached`. */
static void choose_depth(const Choice *choice, const OpenFronts *fronts, double width) {
    double best = -1, depth = 0;
    for (int k = 1; k <= CHOICES; ++k) {
        reach_depth(choice, fronts, width * k / CHOICES);
        double rate = rate_line(choice, width);
        if (rate >= 0 && (best < 0 || rate < best)) {
            best = rate;
            depth = width * k / CHOICES;
        }
    }
    reach_depth(choice, fronts, depth);
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
        bool both = strip->inside[v] && strip->on_line[v];
        strip->inside[v] = strip->inside[v] && !both;
        strip->on_line[v] = (uint8_t)both;
    }
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
            if (side_find(strip->line, strip->line_count, a, b) >= 0) {
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

int strip_choose(Draft *draft, const OpenFronts *fronts, double width, Strip *strip) {
    Store *store = &draft->store;
    int vertices = draft->mesh->vertex_count;
    Rows rows = {.draft = draft, .strip = strip};
    Choice choice = {.rows = &rows,
                     .depth = STORE_ARRAY(store, double, vertices),
                     .reached = STORE_ARRAY(store, uint8_t, vertices)};
    strip->level = STORE_ARRAY(store, int, vertices);
    rows.row = STORE_ARRAY(store, int, draft->face_count);
    strip->is_face = STORE_ARRAY(store, uint8_t, draft->face_count);
    strip->on_line = STORE_ARRAY(store, uint8_t, vertices);
    strip->inside = STORE_ARRAY(store, uint8_t, vertices);
    strip->inward = STORE_ARRAY(store, Vec3, vertices);
    strip->fold_edges = store_take(store, (size_t)(draft->corner_count + fronts->edge_count),
                                   sizeof *strip->fold_edges);
    if (store->failed) {
        return -1;
    }
    for (int v = 0; v < vertices; ++v) {
        strip->level[v] = fronts->is_front[v] ? 0 : -1;
    }
    memcpy(strip->fold_edges, fronts->edges,
           (size_t)fronts->edge_count * sizeof *strip->fold_edges);
    strip->fold_count = fronts->edge_count;
    find_fold(&rows);
    measure_depths(&choice, fronts);
    choose_depth(&choice, fronts, width);
    const int32_t *ring = draft->vertices;
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        strip->is_face[f] = (uint8_t)face_reached(&choice, ring, draft->face_sizes[f]);
    }
    strip->line_count = draft_sides_between(draft, strip->is_face, &strip->line);
    if (strip->line_count > 0) {
        mark_vertices(draft, strip);
        point_inward(draft, strip);
    }
    return strip->line_count < 0 ? -1 : 0;
}
