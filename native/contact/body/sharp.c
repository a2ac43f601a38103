/* Nearly all edges of a modelled body are too blunt to poke between two vertices of the cloth: finding the few that
 * are not once spares the search for all of them in every substep. */
#include "contact/body/sharp.h"

#include <stdlib.h>
#include <string.h>

/* Part of the thickness by which the middle of a cloth edge may come nearer than its ends. */
#define ALLOWED 0.5

/* Edges at which a surface turns by less than this are smooth, radians. */
#define SMOOTH 0.5

double sharp_allowed(const Collider *body) { return ALLOWED * body->thickness; }

/* The shortest chord of the cloth that dips by `allowed` (m) below an edge of the body where the surface turns by
 * `angle`. A chord L dips by L angle / 4. Facets narrower than the chord turn again and again under it, which makes the dip
 * of a circle, L^2 angle / (8 facet); where all turns add up to a half one it is a blade. */
static double shortest_chord(double allowed, double angle, double facet) {
    if (!(angle > 0)) {
        return INFINITY;
    }
    double chord = 4.0 * allowed / angle, blade = 4.0 * allowed / M_PI;
    if (facet > 0 && chord > 2.0 * facet) {
        chord = sqrt(8.0 * allowed * facet / angle);
    }
    return chord > blade ? chord : blade;
}

static double angle_between(Vec3 a, Vec3 b) {
    return atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
}

/* Mean height of the triangle over one of its sides, m. */
static double height_over(const Collider *body, int t, int side) {
    const int *c = body->corners[t];
    const Vec3 *x = body->at[1];
    Vec3 base = vec3_sub(x[c[(side + 1) % 3]], x[c[side]]);
    Vec3 other = vec3_sub(x[c[(side + 2) % 3]], x[c[side]]);
    double length = vec3_length(base);
    return length > 0 ? vec3_length(vec3_cross(base, other)) / length : 0.0;
}

/* The side of triangle t that another triangle lies across. */
static int side_towards(const Collider *body, int t, int other) {
    const int *across = body->across[t];
    return across[0] == other ? 0 : across[1] == other ? 1 : 2;
}

/* The shortest edge of cloth that something pokes through, m, as in SharpFeatures. */
typedef struct Poke {
    double chord, least;
} Poke;

static const Poke none = {INFINITY, INFINITY};

/* Of the side of a triangle. Of solids only sides that stick out poke. */
static Poke poke_of(const Collider *body, int t, int side) {
    int across = body->across[t][side];
    if (across < 0) {
        return (Poke){0, 0}; /* a rim, or a tangle of faces */
    }
    double angle = angle_between(body->face_normals[t], body->face_normals[across]);
    double facet = 0.5 * (height_over(body, t, side) +
                          height_over(body, across, side_towards(body, across, t)));
    if (body->parts[body->part[t]].solid) {
        const int *c = body->corners[t];
        int apex = -1;
        for (int k = 0; k < 3; ++k) {
            int v = body->corners[across][k];
            apex = v != c[side] && v != c[(side + 1) % 3] ? v : apex;
        }
        Vec3 away = apex < 0 ? vec3(0, 0, 0) : vec3_sub(body->at[1][apex], body->at[1][c[side]]);
        if (vec3_dot(away, body->face_normals[t]) > 0) {
            return none;
        }
    }
    double chord = shortest_chord(sharp_allowed(body), angle, facet);
    return (Poke){chord, (angle < SMOOTH ? SHARP_SAMPLES : 1.0) * chord};
}

static Poke sharper(Poke a, Poke b) {
    return (Poke){fmin(a.chord, b.chord), fmin(a.least, b.least)};
}

static int class_of(double least, double longest) {
    int class = 0;
    for (double bound = 0.5 * longest; class < SHARP_CLASSES - 1 && least < bound; bound *= 0.5) {
        ++class;
    }
    return class;
}

/* Takes the next place of its class, of which `next` keeps count. */
static int place_of(SharpFeatures *features, int *next, Poke poke, double longest) {
    int place = next[class_of(poke.least, longest)]++;
    features->chord[place] = poke.chord;
    features->least[place] = poke.least;
    return place;
}

typedef struct Collecting {
    const Collider *body;
    double longest;
    Poke *corners; /* per vertex: of its sharpest edge */
    int next[SHARP_CLASSES];
} Collecting;

/* Counts the edges of each class, and writes them where `sharp` has room. */
static void collect_edges(Collecting *work, Sharp *sharp) {
    const Collider *body = work->body;
    for (int t = 0; t < body->triangle_count; ++t) {
        for (int side = 0; side < 3; ++side) {
            int a = body->corners[t][side], b = body->corners[t][(side + 1) % 3];
            bool twin = body->across[t][side] >= 0 && body->across[t][side] < t;
            Poke own = twin ? none : poke_of(body, t, side);
            if (!(own.least < work->longest)) {
                continue;
            }
            work->corners[a] = sharper(own, work->corners[a]);
            work->corners[b] = sharper(own, work->corners[b]);
            if (sharp->edges) {
                int place = place_of(&sharp->edge, work->next, own, work->longest);
                sharp->edges[place][0] = a;
                sharp->edges[place][1] = b;
            } else {
                ++work->next[class_of(own.least, work->longest)];
            }
        }
    }
}

/* Likewise corners. */
static void collect_corners(Collecting *work, Sharp *sharp) {
    for (int v = 0; v < work->body->vertex_count; ++v) {
        Poke own = work->corners[v];
        if (!isfinite(own.least)) {
            continue;
        }
        if (sharp->corners) {
            sharp->corners[place_of(&sharp->corner, work->next, own, work->longest)] = v;
        } else {
            ++work->next[class_of(own.least, work->longest)];
        }
    }
}

/* From how many features each class has to where they begin. */
static void place_classes(SharpFeatures *features, int *next, double longest) {
    for (int c = 0; c < SHARP_CLASSES; ++c) {
        features->first[c + 1] = features->first[c] + next[c];
        next[c] = features->first[c];
        features->least_of[c] = c + 1 < SHARP_CLASSES ? ldexp(longest, -(c + 1)) : 0.0;
    }
    features->count = features->first[SHARP_CLASSES];
}

static void box_corners(const Sharp *sharp, const Collider *body) {
    for (int i = 0; i < sharp->corner.count; ++i) {
        Vec3 at = body->at[1][sharp->corners[i]];
        sharp->boxes[i] = (Box){at, at};
    }
}

static void box_edges(const Sharp *sharp, const Collider *body) {
    for (int i = 0; i < sharp->edge.count; ++i) {
        sharp->boxes[i] = box_of_listed(body->at[1], sharp->edges[i], 2);
    }
}

static StatusCode build_trees(SharpFeatures *features, const Box *boxes, Store *store,
                              Status *status) {
    StatusCode code = STATUS_OK;
    for (int c = 0; c < SHARP_CLASSES && code == STATUS_OK; ++c) {
        int first = features->first[c];
        code = wide_bvh_build(&features->trees[c], features->first[c + 1] - first, boxes + first,
                              store, status);
    }
    return code;
}

static void take_lengths(SharpFeatures *features, Store *store) {
    features->chord = STORE_ARRAY(store, double, features->count);
    features->least = STORE_ARRAY(store, double, features->count);
}

static StatusCode fill(Sharp *sharp, Collecting *work, Store *store, Status *status) {
    collect_edges(work, sharp);
    place_classes(&sharp->edge, work->next, work->longest);
    take_lengths(&sharp->edge, store);
    sharp->edges = store_take(store, (size_t)sharp->edge.count, sizeof *sharp->edges);
    if (!store->failed) {
        collect_edges(work, sharp);
    }
    memset(work->next, 0, sizeof work->next);
    collect_corners(work, sharp);
    place_classes(&sharp->corner, work->next, work->longest);
    take_lengths(&sharp->corner, store);
    sharp->corners = STORE_ARRAY(store, int, sharp->corner.count);
    int most = sharp->edge.count > sharp->corner.count ? sharp->edge.count : sharp->corner.count;
    sharp->boxes = STORE_ARRAY(store, Box, most);
    if (store->failed) {
        return status_no_memory(status, "edges of a body");
    }
    collect_corners(work, sharp);
    box_corners(sharp, work->body);
    StatusCode code = build_trees(&sharp->corner, sharp->boxes, store, status);
    if (code == STATUS_OK) {
        box_edges(sharp, work->body);
        code = build_trees(&sharp->edge, sharp->boxes, store, status);
    }
    return code;
}

StatusCode sharp_build(Sharp *sharp, const Collider *body, double longest, Store *store,
                       Status *status) {
    Collecting work = {
        .body = body, .longest = longest, .corners = SCRATCH_ARRAY(Poke, body->vertex_count)};
    *sharp = (Sharp){0};
    if (!work.corners) {
        return status_no_memory(status, "edges of a body");
    }
    for (int v = 0; v < body->vertex_count; ++v) {
        work.corners[v] = none;
    }
    StatusCode code = fill(sharp, &work, store, status);
    free(work.corners);
    return code;
}

static void refit(SharpFeatures *features, const Collider *body, Pool *pool, const Box *boxes) {
    Box all = limbs_box(&body->limbs);
    for (int c = 0; c < SHARP_CLASSES; ++c) {
        wide_bvh_refit(&features->trees[c], pool, &all, boxes + features->first[c]);
    }
}

void sharp_move(Sharp *sharp, const Collider *body, Pool *pool) {
    box_corners(sharp, body);
    refit(&sharp->corner, body, pool, sharp->boxes);
    box_edges(sharp, body);
    refit(&sharp->edge, body, pool, sharp->boxes);
}

typedef struct ClassVisit {
    int first;
    BvhVisit visit;
    void *context;
    bool ended;
} ClassVisit;

static bool visit_class(void *context, int primitive) {
    ClassVisit *class = context;
    class->ended = class->visit(class->context, class->first + primitive);
    return class->ended;
}

void sharp_visit(const SharpFeatures *features, const Box *box, double longest, BvhVisit visit,
                 void *context) {
    ClassVisit class = {.visit = visit, .context = context};
    for (int c = 0; c < SHARP_CLASSES && !class.ended; ++c) {
        class.first = features->first[c];
        if (features->least_of[c] < longest && features->first[c + 1] > class.first) {
            wide_bvh_visit(&features->trees[c], box, visit_class, &class);
        }
    }
}
