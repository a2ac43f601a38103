/* The strip leaves the half, and all that rode on it rides on the other side's cloth instead. */
#include "mesh/adjacency.h"
#include "mirror/closures/closures.h"

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

typedef struct Button {
    Draft *draft;
    const OpenFronts *fronts;
    Strip strip;
    Surface surface; /* of what is left */
    Vec3 *place;     /* per vertex: where it rode on the half before, m */
    double *way;     /* per vertex: along edges to the line, m; negative: too far to matter */
    int *component;  /* of components.h: what hangs together */
    uint8_t *joined; /* per component, at its root: it has a part of the line */
} Button;

/* --- what leaves the half --------------------------------------------------------------------- */

static void note_places(const Button *button) {
    const Draft *draft = button->draft;
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        const Ride *ride = &draft->rides[v];
        for (int k = 0; k < 3; ++k) {
            button->place[v] =
                vec3_madd(button->place[v], ride->weights[k], draft->at[ride->vertices[k]]);
        }
    }
}

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

/* The length of an edge, m. In the strip only what is across the line: along it nothing is moved. */
static double length_of(const void *context, int v, int w) {
    const Button *button = context;
    const Draft *draft = button->draft;
    const Strip *strip = &button->strip;
    Vec3 way = vec3_sub(draft->at[w], draft->at[v]), zero = {0, 0, 0};
    if (draft->kind[w] == KIND_NONE && !strip->inside[w]) {
        return -1;
    }
    if (strip->inside[w]) {
        int edge;
        double part;
        nearest_on_edges(draft, strip->line, strip->line_count, draft->at[w], &edge, &part);
        const int *ends = strip->line[edge];
        Vec3 along = vec3_unit_or(vec3_sub(draft->at[ends[1]], draft->at[ends[0]]), zero);
        way = vec3_madd(way, -vec3_dot(way, along), along);
    }
    return vec3_length(way);
}

/* Along edges of the cloth, so that a back that lies behind the front is not taken for near. */
static int measure_ways(Button *button) {
    const Draft *draft = button->draft;
    Store *store = &button->draft->store;
    Neighbours neighbours;
    if (neighbours_build(draft->mesh, store, &neighbours) != 0) {
        return -1;
    }
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        button->way[v] = button->strip.on_line[v] ? 0 : -1;
    }
    return draft_measure_ways(store, &neighbours, draft->mesh->vertex_count, length_of, button,
                              1.5 * DETOUR * button_reach(draft), button->way);
}

/* Components that do not hang together with the line, such as pockets, are near it if they are straight. */
static void join_components(const Button *button) {
    const PolygonMesh *mesh = button->draft->mesh;
    draft_components(button->component, mesh->vertex_count, mesh->face_count, mesh->face_sizes,
                     mesh->face_vertices, mesh->edge_count, mesh->edges);
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
            *ride = ride_of_strip(button, button->place[v], way_of(button, ride), draft->layer[v]);
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
    button.place = STORE_ARRAY(store, Vec3, draft->mesh->vertex_count);
    button.way = STORE_ARRAY(store, double, draft->mesh->vertex_count);
    button.component = STORE_ARRAY(store, int, draft->mesh->vertex_count);
    button.joined = STORE_ARRAY(store, uint8_t, draft->mesh->vertex_count);
    draft->layer = STORE_ARRAY(store, uint8_t, draft->mesh->vertex_count);
    if (store->failed || strip_choose(draft, fronts, 0.5 * options->overlap, &button.strip) != 0) {
        return status_no_memory(status, "buttoning the fronts");
    }
    if (button.strip.line_count == 0) {
        return STATUS_OK;
    }
    double share = GAP_SHARE * options->overlap, most = GAP_MOST * draft->size;
    draft->gap = options->gap > 0 ? options->gap : share < most ? share : most;
    draft->mirrored_to_the_bit = 0;
    note_places(&button);
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
