/* What a placket needs to know beforehand: which vertices have a direction, which triangles may meet. */
#include "geometry/bvh.h"
#include "mirror/closures/closures.h"

/* Directions are averaged along the line over this many overlaps, but no less than BUTTON_LEAST of the mesh's size. */
#define AVERAGED 3.0
/* Triangles may meet that were nearer than this many overlaps: a strip that stands off by one is told of, and cloth
 * shifts and folds. */
#define NEAR 1.25

typedef struct Builder {
    Draft *draft;
    Half *half;
    Placket *placket;
    const int32_t *number;
    int32_t *place; /* per caller's vertex: its number in the line, -1 for none */
    int32_t *point; /* per caller's vertex: its point in a strip, -1 for none */
    int32_t *cloth; /* per half vertex: its point, -1 for none */
    Box *boxes;     /* per triangle, at rest */
    uint8_t *inner; /* likewise: of a turned-in layer */
    int cloth_from; /* triangles from here on are the cloth's */
    double margin;  /* m */
} Builder;

/* --- directions ------------------------------------------------------------------------------- */

static int list_line(const Builder *builder) {
    const Draft *draft = builder->draft;
    Placket *placket = builder->placket;
    Store *store = &builder->half->store;
    int most = 2 * draft->line_count;
    int32_t *place = builder->place;
    placket->line = STORE_ARRAY(store, int32_t, most);
    placket->line_rest = STORE_ARRAY(store, Vec3, most);
    placket->gathered = STORE_ARRAY(store, Vec3, most);
    placket->averaged = STORE_ARRAY(store, Vec3, most);
    placket->line_out = STORE_ARRAY(store, double, most);
    placket->line_wanted = STORE_ARRAY(store, double, most);
    placket->line_raised = STORE_ARRAY(store, double, most);
    if (store->failed) {
        return -1;
    }
    for (int i = 0; i < most; ++i) {
        int v = draft->line[i / 2][i % 2];
        if (place[v] < 0) {
            place[v] = placket->line_count;
            placket->line[placket->line_count] = builder->number[v];
            placket->line_rest[placket->line_count++] = draft->at[v];
        }
    }
    return 0;
}

static int list_margin(const Builder *builder, uint8_t *in_margin) {
    const Draft *draft = builder->draft;
    const Half *half = builder->half;
    Placket *placket = builder->placket;
    Store *store = &builder->half->store;
    const int32_t *place = builder->place;
    int count = half->polygons.vertex_count;
    for (int v = 0; v < half->caller_count; ++v) {
        for (int k = 0; k < 3 && half->rides[v].rise != 0; ++k) {
            in_margin[half->rides[v].vertices[k]] |= half->rides[v].weights[k] != 0;
        }
    }
    placket->margin = STORE_ARRAY(store, int32_t, count);
    placket->between = store_take(store, (size_t)count, sizeof *placket->between);
    placket->along = STORE_ARRAY(store, double, count);
    placket->near = STORE_ARRAY(store, double, count);
    placket->margin_of = STORE_ARRAY(store, int32_t, count);
    placket->directions = STORE_ARRAY(store, Vec3, count);
    if (store->failed) {
        return -1;
    }
    for (int h = 0; h < count; ++h) {
        placket->margin_of[h] = -1;
    }
    for (int v = 0; v < half->caller_count; ++v) {
        int h = builder->number[v], edge;
        if (h >= 0 && in_margin[h]) {
            int z = placket->margin_count++;
            double far = nearest_on_edges(draft, draft->line, draft->line_count, draft->at[v],
                                          &edge, &placket->along[z]);
            placket->margin[z] = h;
            placket->margin_of[h] = z;
            placket->near[z] = button_near(draft, far);
            placket->between[z][0] = place[draft->line[edge][0]];
            placket->between[z][1] = place[draft->line[edge][1]];
        }
    }
    return 0;
}

/* --- points and triangles --------------------------------------------------------------------- */

/* A face of four corners is cut along both diagonals, a larger one from its first corner. */
static int count_cuts(int size) { return size == 4 ? 4 : size - 2; }

static void cut_corners(int size, int number, int *corners) {
    static const int both[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
    for (int k = 0; k < 3; ++k) {
        corners[k] = size == 4 ? both[number][k] : k == 0 ? 0 : number + k;
    }
}

/* Where a point is at rest, on the half. */
static Vec3 place_of(const Builder *builder, int point) {
    const Placket *placket = builder->placket;
    const Half *half = builder->half;
    int strip = point - placket->cloth_count;
    const Ride *ride = strip >= 0 ? &half->rides[placket->strip[strip]] : NULL;
    Vec3 at = vec3(0, 0, 0);
    for (int k = 0; k < (ride ? 3 : 1); ++k) {
        int h = ride ? ride->vertices[k] : placket->cloth[point];
        const float *p = half->polygons.positions + 3 * (int64_t)h;
        at = vec3_madd(at, ride ? ride->weights[k] : 1, vec3(p[0], p[1], p[2]));
    }
    return at;
}

static void add_face(const Builder *builder, const int32_t *ring, int size, const int32_t *point,
                     int inner) {
    Placket *placket = builder->placket;
    for (int c = 0; c < count_cuts(size); ++c) {
        int corners[3], t = placket->triangle_count++;
        cut_corners(size, c, corners);
        builder->boxes[t] = box_empty();
        builder->inner[t] = (uint8_t)inner;
        for (int k = 0; k < 3; ++k) {
            placket->triangles[t][k] = point[ring[corners[k]]];
            Vec3 corner = place_of(builder, placket->triangles[t][k]);
            builder->boxes[t] = box_with_point(builder->boxes[t], corner);
        }
    }
}

/* Is it a face of a strip? 2: of a turned-in layer. */
static int strip_face(const Builder *builder, const int32_t *ring, int size) {
    int found = 0, without = 0;
    for (int c = 0; c < size; ++c) {
        int layer = builder->draft->layer[ring[c]];
        found |= layer == LAYER_INNER ? 3 : layer != LAYER_NONE;
        without |= builder->half->rides[ring[c]].vertices[0] < 0;
    }
    return without ? 0 : found & 2 ? 2 : found;
}

/* The vertex of the line beside which a vertex rides. */
static int32_t line_beside(const Builder *builder, int vertex) {
    const Ride *ride = &builder->half->rides[vertex];
    const Placket *placket = builder->placket;
    int best = ride->weights[1] > ride->weights[0];
    best = ride->weights[2] > ride->weights[best] ? 2 : best;
    int z = placket->margin_of[ride->vertices[best]];
    return z < 0 ? 0 : placket->between[z][placket->along[z] > 0.5];
}

/* Of the two layers of a front that is turned in, the one farther from the cloth below or above is moved away from the
 * other: the outer layer of the front that lies over, with the line; the inner one of the front below. */
static uint8_t moves_of(const Builder *builder, int vertex, double over) {
    switch (builder->draft->layer[vertex]) {
    case LAYER_NONE:
        return builder->half->rides[vertex].rise != 0 ? 2 : 0;
    case LAYER_INNER:
        return over < 0 ? 2 : 1;
    case LAYER_OUTER:
        return over < 0 ? 1 : 2;
    default:
        return 1;
    }
}

static void list_riders(const Builder *builder) {
    Placket *placket = builder->placket;
    for (int v = 0; v < builder->half->caller_count; ++v) {
        if (builder->half->rides[v].rise != 0 && builder->point[v] < 0) {
            placket->riders[placket->rider_count++] = v;
        }
    }
}

/* The place of the line beside which a point of a strip lies. */
static void set_foot(const Builder *builder, int s) {
    const Draft *draft = builder->draft;
    Placket *placket = builder->placket;
    int edge;
    placket->foot[s][0] = placket->foot[s][1] = -1;
    if (draft->layer[placket->strip[s]]) {
        nearest_on_edges(draft, draft->line, draft->line_count,
                         place_of(builder, placket->cloth_count + s), &edge,
                         &placket->foot_along[s]);
        placket->foot[s][0] = builder->place[draft->line[edge][0]];
        placket->foot[s][1] = builder->place[draft->line[edge][1]];
    }
}

static void list_strip_points(const Builder *builder) {
    const PolygonMesh *mesh = builder->draft->mesh;
    Placket *placket = builder->placket;
    const int32_t *ring = mesh->face_vertices;
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        int lead = -1;
        if (!strip_face(builder, ring, mesh->face_sizes[f])) {
            continue;
        }
        for (int c = 0; c < mesh->face_sizes[f] && lead < 0; ++c) {
            lead = builder->draft->layer[ring[c]] ? ring[c] : -1;
        }
        for (int c = 0; c < mesh->face_sizes[f]; ++c) {
            int v = ring[c], s = placket->point_count - placket->cloth_count;
            if (builder->point[v] < 0) {
                builder->point[v] = placket->point_count++;
                placket->strip[s] = v;
                placket->side[s] = builder->half->rides[lead].mirrored;
                placket->over[s] = builder->half->rides[lead].rise < 0 ? -1 : 1;
                placket->moves[builder->point[v]] = moves_of(builder, v, placket->over[s]);
                placket->beside[s] = line_beside(builder, v);
                set_foot(builder, s);
                placket->nearest[s] = placket->moves[builder->point[v]] && !builder->draft->layer[v]
                                          ? placket->beside[s]
                                          : -1;
            }
        }
    }
}

/* Faces of the half near the strips: their vertices are the first points. */
static void list_cloth_points(const Builder *builder, const uint8_t *is_near) {
    const PolygonMesh *mesh = &builder->half->polygons;
    Placket *placket = builder->placket;
    const int32_t *ring = mesh->face_vertices;
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        for (int c = 0; is_near[f] && c < mesh->face_sizes[f]; ++c) {
            if (builder->cloth[ring[c]] < 0) {
                builder->cloth[ring[c]] = placket->cloth_count;
                placket->cloth[placket->cloth_count++] = ring[c];
            }
        }
    }
    placket->point_count = placket->cloth_count;
}

/* Marks the half's faces near the box around all that strips ride on. */
static void mark_near(const Builder *builder, uint8_t *is_near) {
    const Half *half = builder->half;
    const PolygonMesh *mesh = &half->polygons;
    const int32_t *ring = mesh->face_vertices;
    Box all = box_of_points(builder->placket->line_rest, builder->placket->line_count);
    for (int v = 0; v < half->caller_count; ++v) {
        for (int k = 0; k < 3 && builder->draft->layer[v]; ++k) {
            all = box_with_point(all, polygon_position(mesh, half->rides[v].vertices[k]));
        }
    }
    all = box_grown(all, builder->margin);
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        Box box = box_empty();
        for (int c = 0; c < mesh->face_sizes[f]; ++c) {
            box = box_with_point(box, polygon_position(mesh, ring[c]));
        }
        is_near[f] = (uint8_t)box_overlaps(&all, &box);
    }
}

static int64_t count_triangles(const Builder *builder, const uint8_t *is_near) {
    const PolygonMesh *whole = builder->draft->mesh, *half = &builder->half->polygons;
    const int32_t *ring = whole->face_vertices;
    int64_t count = 0;
    for (int f = 0; f < whole->face_count; ring += whole->face_sizes[f++]) {
        count +=
            strip_face(builder, ring, whole->face_sizes[f]) ? count_cuts(whole->face_sizes[f]) : 0;
    }
    for (int f = 0; f < half->face_count; ++f) {
        count += is_near[f] ? count_cuts(half->face_sizes[f]) : 0;
    }
    return count;
}

static int list_triangles(Builder *builder, const uint8_t *is_near) {
    const PolygonMesh *whole = builder->draft->mesh, *half = &builder->half->polygons;
    Placket *placket = builder->placket;
    int64_t count = count_triangles(builder, is_near);
    placket->triangles =
        store_take(&builder->half->store, (size_t)count, sizeof *placket->triangles);
    builder->boxes = STORE_ARRAY(&builder->draft->store, Box, count);
    builder->inner = STORE_ARRAY(&builder->draft->store, uint8_t, count);
    if (builder->half->store.failed || builder->draft->store.failed) {
        return -1;
    }
    const int32_t *ring = whole->face_vertices;
    for (int f = 0; f < whole->face_count; ring += whole->face_sizes[f++]) {
        int kind = strip_face(builder, ring, whole->face_sizes[f]);
        if (kind) {
            add_face(builder, ring, whole->face_sizes[f], builder->point, kind == 2);
        }
    }
    builder->cloth_from = placket->triangle_count;
    ring = half->face_vertices;
    for (int f = 0; f < half->face_count; ring += half->face_sizes[f++]) {
        if (is_near[f]) {
            add_face(builder, ring, half->face_sizes[f], builder->cloth, 0);
        }
    }
    return 0;
}

static int take_points(Builder *builder, uint8_t **is_near) {
    Placket *placket = builder->placket;
    Store *store = &builder->half->store, *scratch = &builder->draft->store;
    int whole = builder->half->caller_count, half = builder->half->polygons.vertex_count;
    *is_near = STORE_ARRAY(scratch, uint8_t, builder->half->polygons.face_count);
    builder->point = STORE_ARRAY(scratch, int32_t, whole);
    builder->cloth = STORE_ARRAY(scratch, int32_t, half);
    placket->cloth = STORE_ARRAY(store, int32_t, half);
    placket->sunk = STORE_ARRAY(store, double, half);
    placket->strip = STORE_ARRAY(store, int32_t, whole);
    placket->side = STORE_ARRAY(store, uint8_t, whole);
    placket->over = STORE_ARRAY(store, double, whole);
    placket->beside = STORE_ARRAY(store, int32_t, whole);
    placket->nearest = STORE_ARRAY(store, int32_t, whole);
    placket->foot = store_take(store, (size_t)whole, sizeof *placket->foot);
    placket->foot_along = STORE_ARRAY(store, double, whole);
    placket->riders = STORE_ARRAY(store, int32_t, whole);
    placket->raised = STORE_ARRAY(store, double, whole);
    placket->shift = STORE_ARRAY(store, Vec3, whole);
    placket->moves = STORE_ARRAY(store, uint8_t, half + (int64_t)whole);
    placket->at = STORE_ARRAY(store, Vec3, half + (int64_t)whole);
    placket->away = STORE_ARRAY(store, Vec3, half + (int64_t)whole);
    if (store->failed || scratch->failed) {
        return -1;
    }
    for (int v = 0; v < whole; ++v) {
        builder->point[v] = -1;
    }
    for (int h = 0; h < half; ++h) {
        builder->cloth[h] = -1;
    }
    return 0;
}

/* --- pairs ------------------------------------------------------------------------------------ */

/* Layers of one strip. */
static bool layers_meet(const Builder *builder, int moved, int met) {
    const Placket *placket = builder->placket;
    int first = placket->triangles[moved][0] - placket->cloth_count;
    int second = placket->triangles[met][0] - placket->cloth_count;
    bool inner_moves = placket->over[first] < 0;
    return placket->side[first] == placket->side[second] && builder->inner[moved] == inner_moves &&
           builder->inner[met] == !inner_moves;
}

/* The strip that lies over is moved from the other one. */
static bool strips_meet(const Builder *builder, int moved, int met) {
    const Placket *placket = builder->placket;
    int first = placket->triangles[moved][0] - placket->cloth_count;
    int second = placket->triangles[met][0] - placket->cloth_count;
    return placket->over[first] > 0 && placket->over[second] < 0;
}

typedef enum MeetKind { MEET_CLOTH, MEET_STRIP, MEET_LAYER } MeetKind;

/* What one triangle of a strip may meet: triangles of the cloth, of the other strip, or of a layer of its own. */
typedef struct Meets {
    const Builder *builder;
    MeetKind kind;
    int first, moved; /* triangles that the tree counts from here; the strip's own */
    PlacketPair *pairs;
    int64_t count;
} Meets;

static bool add_pair(void *context, int primitive) {
    Meets *meets = context;
    int met = meets->first + primitive;
    bool counts = meets->kind == MEET_CLOTH ||
                  (meets->kind == MEET_STRIP ? strips_meet(meets->builder, meets->moved, met)
                                             : layers_meet(meets->builder, meets->moved, met));
    if (counts) {
        if (meets->pairs) {
            meets->pairs[meets->count] = (PlacketPair){meets->moved, met};
        }
        ++meets->count;
    }
    return false;
}

/* Counts them, and writes them where `pairs` is not null. */
static int64_t find_pairs(const Builder *builder, const Bvh *tree, MeetKind kind,
                          PlacketPair *pairs) {
    Meets meets = {.builder = builder,
                   .kind = kind,
                   .first = kind == MEET_CLOTH ? builder->cloth_from : 0,
                   .pairs = pairs};
    for (; meets.moved < builder->cloth_from; ++meets.moved) {
        Box box = box_grown(builder->boxes[meets.moved], builder->margin);
        bvh_visit(tree, &box, add_pair, &meets);
    }
    return meets.count;
}

static int list_pairs(Builder *builder) {
    Placket *placket = builder->placket;
    int strips = builder->cloth_from;
    Store *scratch = &builder->draft->store;
    Status status = {0};
    Bvh strip, cloth;
    if (bvh_build(&strip, strips, builder->boxes, scratch, &status) != STATUS_OK ||
        bvh_build(&cloth, placket->triangle_count - strips, builder->boxes + strips, scratch,
                  &status) != STATUS_OK) {
        return -1;
    }
    int64_t with_cloth = find_pairs(builder, &cloth, MEET_CLOTH, NULL);
    int64_t with_strips = with_cloth + find_pairs(builder, &strip, MEET_STRIP, NULL);
    int64_t all = with_strips + find_pairs(builder, &strip, MEET_LAYER, NULL);
    Store *store = &builder->half->store;
    int64_t points = placket->point_count - placket->cloth_count;
    placket->pairs = STORE_ARRAY(store, PlacketPair, all);
    placket->parts = STORE_ARRAY(store, PlacketPart, PLACKET_PARTS);
    placket->across = STORE_ARRAY(store, int32_t, all);
    placket->asking = STORE_ARRAY(store, int32_t, all);
    placket->wanted = STORE_ARRAY(store, double, PLACKET_PARTS *points);
    if (all > INT32_MAX || builder->half->store.failed) {
        return -1;
    }
    find_pairs(builder, &cloth, MEET_CLOTH, placket->pairs);
    find_pairs(builder, &strip, MEET_STRIP, placket->pairs + with_cloth);
    find_pairs(builder, &strip, MEET_LAYER, placket->pairs + with_strips);
    placket->strips_from = (int)with_cloth;
    placket->layers_from = (int)with_strips;
    placket->pair_count = (int)all;
    return 0;
}

int placket_build(Draft *draft, const int32_t *number, Half *half) {
    double overlap = draft->options->overlap, reach = AVERAGED * overlap;
    double least = BUTTON_LEAST * draft->size;
    Placket *placket = &half->placket;
    Builder builder = {.draft = draft,
                       .half = half,
                       .placket = placket,
                       .number = number,
                       .place = STORE_ARRAY(&draft->store, int32_t, half->caller_count),
                       .margin = NEAR * overlap};
    uint8_t *in_margin = STORE_ARRAY(&draft->store, uint8_t, half->polygons.vertex_count), *is_near;
    if (draft->store.failed) {
        return -1;
    }
    for (int v = 0; v < half->caller_count; ++v) {
        builder.place[v] = -1;
    }
    placket->outward = draft->outward;
    placket->reach = reach > least ? reach : least;
    placket->clearance = 0.5 * draft->gap;
    placket->together = button_reach(draft);
    if (list_line(&builder) != 0 || list_margin(&builder, in_margin) != 0 ||
        take_points(&builder, &is_near) != 0) {
        return -1;
    }
    mark_near(&builder, is_near);
    list_cloth_points(&builder, is_near);
    list_strip_points(&builder);
    list_riders(&builder);
    return list_triangles(&builder, is_near) != 0 ? -1 : list_pairs(&builder);
}
