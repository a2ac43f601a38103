/* One front over the other: the strips along both leave the half, and all that rode on them rides on the other side's cloth.
 * Modelled fronts are turned in, stepped and uneven. The strip is chosen by faces, as no face can be cut: every depth up to
 * the wanted one is tried, and the line that misses it least is taken. */
#include <string.h>

#include "geometry/distance.h"
#include "mesh/adjacency.h"
#include "mirror/closures/buttons.h"

/* The gap where none is given: this share of the overlap, but no more than this one of the mesh's size: two millimetres
 * on a jacket. */
#define GAP_SHARE 0.1
#define GAP_MOST 1.6e-3
/* Ways along edges are longer than straight ones, but hardly by more than this. */
#define DETOUR 2.0
/* A turned-in layer ends before the line, after this part of half the overlap. */
#define TUCKED 0.9
/* Normals that point to the garment's middle by more than this, as a cosine, are turned. */
#define INWARDS 0.1

#define MOST_ROWS 64
/* Depths that are tried, up to the width that is wanted. */
#define CHOICES 16
/* Sides of the line that lead deeper by more than this part of their length are steps. */
#define STEEP 0.5
/* Rows that lead towards the plane by more than this part of their width are a front's turned-in layer. */
#define TURNED 0.25

/* The strip along an open front that a button lays over the other side: the outermost faces. */
typedef struct Strip {
    uint8_t *is_face; /* per face of the draft: belongs to the strip */
    uint8_t *on_line; /* per vertex: of the strip and of the cloth beside it */
    uint8_t *inside;  /* per vertex: of the strip alone */
    int line_count;   /* 0: there is no strip */
    int (*line)[2];   /* sides between strip and cloth */
    Vec3 *inward;     /* per vertex on the line: from it into the cloth, of length 1 */
    int *level;       /* per vertex: rows between it and the rim; -1 beyond the strip */
    int fold; /* the level that reaches farthest towards the plane; 0: the front is not turned in */
    int fold_count;
    int (*fold_edges)[2]; /* of that level: the front as it is seen from outside */
} Strip;

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
    Strip *strip;  /* its levels and fold */
    int *row;      /* per face, from 1; 0: none yet */
    double *depth; /* per vertex: from the front, but for its thickness, m */
    int *reached;  /* per vertex: 1 before the line */
} Rows;

/* Has a face one of these vertices, and none on the plane? `wanted` is what `marks` has of them. */
static bool face_touches(const Draft *draft, const int32_t *ring, int size, const int *marks,
                         int wanted) {
    bool touches = false;
    for (int c = 0; c < size; ++c) {
        if (draft->kind[ring[c]] == KIND_PLANE) {
            return false;
        }
        touches |= marks[ring[c]] == wanted;
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
        if (!rows->row[f] &&
            face_touches(draft, ring, draft->face_sizes[f], rows->strip->level, number - 1)) {
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

static void measure_depths(const Rows *rows, const OpenFronts *fronts) {
    const Draft *draft = rows->draft;
    const Strip *strip = rows->strip;
    int edge;
    double along;
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        if (draft->kind[v] != KIND_NONE) {
            rows->depth[v] = nearest_seen(draft, strip->fold_edges, strip->fold_count, draft->at[v],
                                          across_front(draft, fronts, draft->at[v]), &edge, &along);
        }
    }
}

/* From face to face, over the vertices that are less deep than this. */
static void reach_depth(const Rows *rows, const OpenFronts *fronts, double depth) {
    const Draft *draft = rows->draft;
    const Strip *strip = rows->strip;
    int found = 1;
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        rows->reached[v] = fronts->is_front[v] || (strip->fold > 0 && strip->level[v] >= 0 &&
                                                   strip->level[v] <= strip->fold);
    }
    while (found) {
        const int32_t *ring = draft->vertices;
        found = 0;
        for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
            int size = face_touches(draft, ring, draft->face_sizes[f], rows->reached, 1)
                           ? draft->face_sizes[f]
                           : 0;
            for (int c = 0; c < size; ++c) {
                if (!rows->reached[ring[c]] && rows->depth[ring[c]] < depth) {
                    rows->reached[ring[c]] = 1;
                    found = 1;
                }
            }
        }
    }
}

/* What is bad about a line, m: by how much it misses the width (root of the mean square), and the steps that it takes
 * across, since cloth is crumpled where all of a step is drawn onto the plane. Negative: there is no line. */
static double rate_line(const Rows *rows, double width) {
    const Draft *draft = rows->draft;
    const int32_t *ring = draft->vertices;
    double sum = 0, steps = 0;
    int count = 0;
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        int size = face_touches(draft, ring, draft->face_sizes[f], rows->reached, 1)
                       ? draft->face_sizes[f]
                       : 0;
        for (int c = 0; c < size; ++c) {
            int a = ring[c], b = ring[(c + 1) % size];
            if (!rows->reached[a]) {
                double off = rows->depth[a] - width;
                sum += off * off;
                ++count;
            }
            if (!rows->reached[a] && !rows->reached[b]) {
                double step = fabs(rows->depth[a] - rows->depth[b]);
                steps += step > STEEP * vec3_distance(draft->at[a], draft->at[b]) ? step : 0;
            }
        }
    }
    return count > 0 ? sqrt(sum / count) + steps : -1;
}

/* Leaves the best choice in `reached`. */
static void choose_depth(const Rows *rows, const OpenFronts *fronts, double width) {
    double best = -1, depth = 0;
    for (int k = 1; k <= CHOICES; ++k) {
        reach_depth(rows, fronts, width * k / CHOICES);
        double rate = rate_line(rows, width);
        if (rate >= 0 && (best < 0 || rate < best)) {
            best = rate;
            depth = width * k / CHOICES;
        }
    }
    reach_depth(rows, fronts, depth);
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

/* The line comes as near to `width` (m) as it can, at least one row of faces from the front, or from the fold where the
 * front is turned in, and with as few steps across. Faces with vertices on the plane are no part of the strip. Returns -1
 * without memory, else 0. */
static int choose_strip(Draft *draft, const OpenFronts *fronts, double width, Strip *strip) {
    Store *store = &draft->store;
    int vertices = draft->mesh->vertex_count;
    Rows rows = {.draft = draft,
                 .strip = strip,
                 .row = STORE_ARRAY(store, int, draft->face_count),
                 .depth = STORE_ARRAY(store, double, vertices),
                 .reached = STORE_ARRAY(store, int, vertices)};
    strip->level = STORE_ARRAY(store, int, vertices);
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
    measure_depths(&rows, fronts);
    choose_depth(&rows, fronts, width);
    const int32_t *ring = draft->vertices;
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        strip->is_face[f] =
            (uint8_t)face_touches(draft, ring, draft->face_sizes[f], rows.reached, 1);
    }
    strip->line_count = draft_sides_between(draft, strip->is_face, &strip->line);
    if (strip->line_count > 0) {
        mark_vertices(draft, strip);
        point_inward(draft, strip);
    }
    return strip->line_count < 0 ? -1 : 0;
}

/* --- the button ------------------------------------------------------------------------------- */

typedef struct Button {
    Draft *draft;
    const OpenFronts *fronts;
    Strip strip;
    Surface surface; /* of what is left */
    double *way;     /* per vertex: along edges to the line, m; negative: too far to matter */
    int *component;  /* of mesh/adjacency.h: what hangs together */
    uint8_t *joined; /* per component, at its root: it has a part of the line */
} Button;

/* --- what leaves the half --------------------------------------------------------------------- */

static void drop_strip(Button *button) {
    Draft *draft = button->draft;
    const Strip *strip = &button->strip;
    int faces = 0, corners = 0, corner = 0;
    for (int f = 0; f < draft->face_count; ++f) {
        int size = draft->face_sizes[f];
        for (int c = 0; c < size; ++c, ++corner) {
            draft->vertices[corners + c] = draft->vertices[corner];
            draft->corners[corners + c] = draft->corners[corner];
        }
        if (!strip->is_face[f]) {
            draft->face_sizes[faces++] = size;
            corners += size;
        }
    }
    draft->face_count = faces;
    draft->corner_count = corners;
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        if (strip->inside[v]) {
            draft->kind[v] = KIND_NONE;
        } else if (strip->on_line[v]) {
            draft->kind[v] = KIND_RAIL;
            ++draft->front_count;
        }
    }
}

/* Loose edges that hang on the strip hang on the line beside it. */
static void move_edges(const Button *button) {
    const Draft *draft = button->draft;
    const Strip *strip = &button->strip;
    for (int i = 0; i < 2 * draft->edge_count; ++i) {
        int edge;
        double along;
        if (strip->inside[draft->edges[i]]) {
            nearest_on_edges(draft, strip->line, strip->line_count, draft->at[draft->edges[i]],
                             &edge, &along);
            draft->edges[i] = strip->line[edge][along > 0.5];
        }
    }
}

/* --- how far the line is ---------------------------------------------------------------------- */

/* The length of an edge that leads to a vertex, m. In the strip only what is across the line: along it nothing is moved. */
static double length_to(const Button *button, int v, int w) {
    const Draft *draft = button->draft;
    const Strip *strip = &button->strip;
    Vec3 way = vec3_sub(draft->at[w], draft->at[v]), zero = {0, 0, 0};
    if (strip->inside[w]) {
        int edge;
        double part;
        nearest_on_edges(draft, strip->line, strip->line_count, draft->at[w], &edge, &part);
        const int *ends = strip->line[edge];
        Vec3 along = vec3_unit_or(vec3_sub(draft->at[ends[1]], draft->at[ends[0]]), zero);
        way = without(way, along);
    }
    return vec3_length(way);
}

/* Along edges of the cloth, so that a back that lies behind the front is not taken for near. A vertex is looked at again when
 * its way became shorter. */
static int measure_ways(Button *button) {
    const Draft *draft = button->draft;
    Store *store = &button->draft->store;
    int count = draft->mesh->vertex_count, head = 0, waiting = 0;
    double *ways = button->way, most = 1.5 * DETOUR * button_reach(draft);
    int *queue = STORE_ARRAY(store, int, count);
    uint8_t *queued = STORE_ARRAY(store, uint8_t, count);
    Neighbours near;
    if (neighbours_build(draft->mesh, store, &near) != 0) {
        return -1;
    }
    for (int v = 0; v < count; ++v) {
        queued[v] = button->strip.on_line[v];
        ways[v] = queued[v] ? 0 : -1;
        queue[waiting] = v;
        waiting += queued[v];
    }
    for (; waiting > 0; --waiting) {
        int v = queue[head];
        head = (head + 1) % count;
        queued[v] = 0;
        for (int k = near.first[v]; k < near.first[v + 1]; ++k) {
            int w = near.list[k];
            bool in_cloth = draft->kind[w] != KIND_NONE || button->strip.inside[w];
            double way = in_cloth ? ways[v] + length_to(button, v, w) : INFINITY;
            if (!(way <= most) || (ways[w] >= 0 && way >= ways[w])) {
                continue;
            }
            ways[w] = way;
            if (!queued[w]) {
                queued[w] = 1;
                queue[(head + waiting - 1) % count] = w;
                ++waiting;
            }
        }
    }
    return 0;
}

/* Components that do not hang together with the line, such as pockets, are near it if they are straight. */
static void join_components(const Button *button) {
    const PolygonMesh *mesh = button->draft->mesh;
    draft_components(button->component, mesh);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (button->strip.on_line[v]) {
            button->joined[components_root(button->component, v)] = 1;
        }
    }
}

static bool is_near(const Button *button, int vertex) {
    return button->way[vertex] >= 0 || !button->joined[components_root(button->component, vertex)];
}

/* --- rides ------------------------------------------------------------------------------------ */

/* A garment's faces should be wound so that normals point outwards. Where they do not, the side that is to lie over
 * the other must do so all the same. Flat cloth has no inside. */
static double look_outward(const Button *button) {
    const Draft *draft = button->draft;
    Vec3 middle = vec3(0, 0, 0);
    int count = 0;
    double out = 0, all = 0;
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        if (draft->kind[v] != KIND_NONE) {
            middle = vec3_add(middle, draft->at[v]);
            ++count;
        }
    }
    middle = vec3_scale(1.0 / count, middle);
    middle.x = 0;
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        if (button->strip.on_line[v]) {
            Vec3 from = vec3_sub(draft->at[v], middle);
            out += vec3_dot(from, button->surface.normals[v]);
            all += vec3_length(from);
        }
    }
    return out < -INWARDS * all ? -1 : 1;
}

/* Along edges from the line to where something rode, m; no less than a strip is wide where that is not known. */
static double way_of(const Button *button, const Ride *ride) {
    double way = 0;
    for (int k = 0; k < 3; ++k) {
        double here = button->way[ride->vertices[k]];
        way += ride->weights[k] * (here < 0 ? button->draft->options->overlap : here);
    }
    return way;
}

/* How far from the line a place of the strip comes to lie, m: in proportion as far as from the front, and half an
 * overlap at the front itself; but no farther than the way to it along edges, so that no edge across is stretched where
 * the strip is narrow. What is turned in lies behind that, from the fold to just before the line at most. */
static double depth_of_strip(const Button *button, Vec3 point, double to_line, double way,
                             int layer) {
    const Draft *draft = button->draft;
    const Strip *strip = &button->strip;
    int edge;
    double along, half = 0.5 * draft->options->overlap;
    double to_fold =
        nearest_on_edges(draft, strip->fold_edges, strip->fold_count, point, &edge, &along);
    if (layer == LAYER_INNER) {
        const int *ends = strip->fold_edges[edge];
        Ride fold = {.vertices = {ends[0], ends[1], ends[0]}, .weights = {1 - along, along}};
        double wide = way_of(button, &fold);
        half = wide < half ? wide : half;
        double to_rim = nearest_on_edges(draft, button->fronts->edges, button->fronts->edge_count,
                                         point, &edge, &along);
        double most = TUCKED * half * to_fold / (to_fold + to_rim);
        return half - (to_fold < most ? to_fold : most);
    }
    double both = to_line + to_fold, depth = both > 0 ? half * to_line / both : 0;
    return depth < way ? depth : way;
}

/* A place of the strip, as the place of the cloth on the other side of the line over which it comes to lie. */
static Ride ride_of_strip(const Button *button, Vec3 point, double way, int layer) {
    const Draft *draft = button->draft;
    const Strip *strip = &button->strip;
    int edge;
    double along;
    double to_line = nearest_on_edges(draft, strip->line, strip->line_count, point, &edge, &along);
    double depth = depth_of_strip(button, point, to_line, way, layer);
    int a = strip->line[edge][0], b = strip->line[edge][1];
    Vec3 start = vec3_madd(vec3_scale(1 - along, draft->at[a]), along, draft->at[b]);
    Vec3 in = vec3_madd(vec3_scale(1 - along, strip->inward[a]), along, strip->inward[b]);
    Vec3 facing = vec3_add(button->surface.normals[a], button->surface.normals[b]);
    in = vec3_unit_or(in, vec3(0, 0, 0));
    return surface_ride(&button->surface, vec3_madd(start, depth, in), facing);
}

static void lift_ride(const Button *button, Ride *ride, double lift) {
    const Draft *draft = button->draft;
    int edge, near = 0;
    double along, bound = 0;
    for (int k = 0; k < 3; ++k) {
        /* the sides are one on the plane: nothing is lifted there */
        bound += draft->kind[ride->vertices[k]] == KIND_PLANE ? ride->weights[k] : 0;
        near |= is_near(button, ride->vertices[k]);
    }
    if (near) {
        Vec3 point = surface_point(&button->surface, ride);
        double distance = nearest_on_edges(draft, button->strip.line, button->strip.line_count,
                                           point, &edge, &along);
        ride->rise = (1 - bound) * lift * button_near(draft, distance);
    }
}

/* Vertices that left the half have no weight in this ride: any other will do in their stead. */
static void replace_weightless(const Draft *draft, Ride *ride) {
    int kept = ride->weights[0] != 0 ? 0 : ride->weights[1] != 0 ? 1 : 2;
    for (int k = 0; k < 3; ++k) {
        if (draft->kind[ride->vertices[k]] == KIND_NONE) {
            ride->vertices[k] = ride->vertices[kept];
        }
    }
}

/* By the level nearest to the rim of what the ride was on. */
static StripLayer layer_of(const Button *button, const Ride *ride) {
    const Strip *strip = &button->strip;
    int level = -1;
    for (int k = 0; k < 3; ++k) {
        int here = strip->level[ride->vertices[k]];
        if (ride->weights[k] != 0 && here >= 0 && (level < 0 || here < level)) {
            level = here;
        }
    }
    return strip->fold == 0 || level > strip->fold ? LAYER_OUTER
           : level == strip->fold                  ? LAYER_FOLD
                                                   : LAYER_INNER;
}

static void change_rides(const Button *button) {
    Draft *draft = button->draft;
    double lift = 0.5 * draft->gap * (draft->options->over < 0 ? -1 : 1);
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        Ride *ride = &draft->rides[v];
        int leaves = 0, other = ride->mirrored;
        for (int k = 0; k < 3; ++k) {
            leaves |= ride->weights[k] != 0 && draft->kind[ride->vertices[k]] == KIND_NONE;
        }
        if (draft->extra[v]) {
            continue;
        }
        if (leaves) { /* onto the other side */
            draft->layer[v] = (uint8_t)layer_of(button, ride);
            Vec3 place = ride_weighted(ride, draft->at); /* on the half before */
            *ride = ride_of_strip(button, place, way_of(button, ride), draft->layer[v]);
            ride->mirrored = !other;
            ride->lift = 0;
            ride->rise = other ? -lift : lift;
        } else {
            replace_weightless(draft, ride);
            lift_ride(button, ride, other ? -lift : lift);
        }
    }
}

StatusCode button_close(Draft *draft, const OpenFronts *fronts, Status *status) {
    const HalfOptions *options = draft->options;
    Store *store = &draft->store;
    Button button = {.draft = draft, .fronts = fronts};
    button.way = STORE_ARRAY(store, double, draft->mesh->vertex_count);
    button.component = STORE_ARRAY(store, int, draft->mesh->vertex_count);
    button.joined = STORE_ARRAY(store, uint8_t, draft->mesh->vertex_count);
    draft->layer = STORE_ARRAY(store, uint8_t, draft->mesh->vertex_count);
    if (store->failed || choose_strip(draft, fronts, 0.5 * options->overlap, &button.strip) != 0) {
        return status_no_memory(status, "buttoning the fronts");
    }
    if (button.strip.line_count == 0) {
        return STATUS_OK;
    }
    double share = GAP_SHARE * options->overlap, most = GAP_MOST * draft->size;
    draft->gap = options->gap > 0 ? options->gap : share < most ? share : most;
    draft->mirrored_to_the_bit = 0;
    drop_strip(&button);
    move_edges(&button);
    if (surface_build(draft, store, &button.surface) != 0 || measure_ways(&button) != 0) {
        return status_no_memory(status, "buttoning the fronts");
    }
    join_components(&button);
    draft->line = button.strip.line;
    draft->line_count = button.strip.line_count;
    draft->outward = look_outward(&button);
    change_rides(&button);
    return STATUS_OK;
}
