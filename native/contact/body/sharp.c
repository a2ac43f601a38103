/* Nearly all edges of a modelled body are too blunt to poke between two vertices of the cloth. The few that are sharp
 * enough are found once, so that substeps only search those. */
#include "contact/body/sharp.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

/* Part of the thickness by which the middle of a cloth edge may come nearer than its ends. */
#define ALLOWED 0.5

/* Edges at which a surface turns by less than this are smooth, radians. */
#define SMOOTH 0.5

double sharp_allowed(const Collider *body) { return ALLOWED * body->least_share * body->thickness; }

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

/* A feature on its way to its place. */
typedef struct Place {
    int cluster, number; /* edge or corner, as they were collected */
    Poke poke;
} Place;

/* Cluster after cluster, the sharpest first. */
static int compare_places(const void *a, const void *b) {
    const Place *first = a, *second = b;
    if (first->cluster != second->cluster) {
        return first->cluster < second->cluster ? -1 : 1;
    }
    if (first->poke.least != second->poke.least) {
        return first->poke.least < second->poke.least ? -1 : 1;
    }
    return first->number < second->number ? -1 : first->number > second->number;
}

typedef struct Collecting {
    const Collider *body;
    double longest;
    Poke *corners;  /* per vertex: of its sharpest edge */
    int (*ends)[2]; /* what was collected; of corners only the first */
    Place *places;
    int count;
} Collecting;

static void collect(Collecting *work, int a, int b, int cluster, Poke poke) {
    work->ends[work->count][0] = a;
    work->ends[work->count][1] = b;
    work->places[work->count] = (Place){cluster, work->count, poke};
    ++work->count;
}

static void collect_edges(Collecting *work) {
    const Collider *body = work->body;
    work->count = 0;
    for (int t = 0; t < body->triangle_count; ++t) {
        for (int side = 0; side < 3; ++side) {
            int a = body->corners[t][side], b = body->corners[t][(side + 1) % 3];
            bool twin = body->across[t][side] >= 0 && body->across[t][side] < t;
            Poke own = twin ? none : poke_of(body, t, side);
            if (own.least < work->longest) {
                work->corners[a] = sharper(own, work->corners[a]);
                work->corners[b] = sharper(own, work->corners[b]);
                collect(work, a, b, body->clusters.of[t], own);
            }
        }
    }
}

/* After the edges. */
static void collect_corners(Collecting *work) {
    const Collider *body = work->body;
    work->count = 0;
    for (int v = 0; v < body->vertex_count; ++v) {
        if (isfinite(work->corners[v].least)) {
            int t = body->corner[body->corner_start[v]] / 3; /* one that has it */
            collect(work, v, v, body->clusters.of[t], work->corners[v]);
        }
    }
}

/* Sorts what was collected. */
static void settle(SharpFeatures *features, Collecting *work, Store *store) {
    int clusters = work->body->clusters.count;
    *features = (SharpFeatures){.count = work->count,
                                .chord = STORE_ARRAY(store, double, work->count),
                                .least = STORE_ARRAY(store, double, work->count),
                                .first = STORE_ARRAY(store, int, clusters + 1)};
    store->failed |= !sort_records(work->places, (size_t)work->count, sizeof *work->places,
                                   clusters, compare_places);
    if (store->failed) {
        return;
    }
    for (int i = 0; i < work->count; ++i) {
        features->chord[i] = work->places[i].poke.chord;
        features->least[i] = work->places[i].poke.least;
        ++features->first[work->places[i].cluster + 1];
    }
    for (int cluster = 0; cluster < clusters; ++cluster) {
        features->first[cluster + 1] += features->first[cluster];
    }
}

/* Places are read some at a time, from any of them on: up to three more than there are. */
#define SPARE_PLACES 3

static void take_places(SharpFeatures *features, bool both, Store *store) {
    for (int axis = 0; axis < 3; ++axis) {
        features->low[axis] = STORE_ARRAY(store, float, features->count + SPARE_PLACES);
        features->high[axis] =
            both ? STORE_ARRAY(store, float, features->count + SPARE_PLACES) : features->low[axis];
    }
}

static void fill(Sharp *sharp, Collecting *work, Store *store) {
    collect_edges(work);
    settle(&sharp->edge, work, store);
    sharp->edges = store_take(store, (size_t)work->count, sizeof *sharp->edges);
    for (int i = 0; !store->failed && i < work->count; ++i) {
        memcpy(sharp->edges[i], work->ends[work->places[i].number], sizeof *sharp->edges);
    }
    take_places(&sharp->edge, true, store);
    collect_corners(work);
    settle(&sharp->corner, work, store);
    sharp->corners = STORE_ARRAY(store, int, work->count);
    for (int i = 0; !store->failed && i < work->count; ++i) {
        sharp->corners[i] = work->ends[work->places[i].number][0];
    }
    take_places(&sharp->corner, false, store);
    sharp->placed = STORE_ARRAY(store, uint8_t, work->body->clusters.count);
}

StatusCode sharp_build(Sharp *sharp, const Collider *body, double longest, Store *store,
                       Status *status) {
    Store scratch = {0};
    size_t sides = 3 * (size_t)body->triangle_count, vertices = (size_t)body->vertex_count;
    size_t most = sides > vertices ? sides : vertices;
    Collecting work = {.body = body,
                       .longest = longest,
                       .corners = STORE_ARRAY(&scratch, Poke, vertices),
                       .ends = store_take(&scratch, most, sizeof *work.ends),
                       .places = STORE_ARRAY(&scratch, Place, most)};
    *sharp = (Sharp){0};
    for (size_t v = 0; v < vertices && !scratch.failed; ++v) {
        work.corners[v] = none;
    }
    if (!scratch.failed) {
        fill(sharp, &work, store);
    }
    bool failed = scratch.failed || store->failed;
    store_release(&scratch);
    return failed ? status_no_memory(status, "edges of a body") : STATUS_OK;
}

typedef struct Placing {
    Sharp *sharp;
    const Collider *body;
    Vec3 origin;
    const Box *box;
} Placing;

static void place_clusters(void *context, int begin, int end) {
    const Placing *work = context;
    SharpFeatures *corner = &work->sharp->corner, *edge = &work->sharp->edge;
    for (int cluster = begin; cluster < end; ++cluster) {
        if (work->sharp->placed[cluster] ||
            !box_overlaps(&work->body->clusters.boxes[cluster], work->box)) {
            continue;
        }
        work->sharp->placed[cluster] = 1;
        for (int i = corner->first[cluster]; i < corner->first[cluster + 1]; ++i) {
            Vec3 at = vec3_sub(work->body->at[1][work->sharp->corners[i]], work->origin);
            corner->low[0][i] = (float)at.x;
            corner->low[1][i] = (float)at.y;
            corner->low[2][i] = (float)at.z;
        }
        for (int i = edge->first[cluster]; i < edge->first[cluster + 1]; ++i) {
            Box box = box_of_listed(work->body->at[1], work->sharp->edges[i], 2);
            for (int axis = 0; axis < 3; ++axis) {
                double origin = vec3_along(work->origin, axis);
                edge->low[axis][i] = (float)(vec3_along(box.low, axis) - origin);
                edge->high[axis][i] = (float)(vec3_along(box.high, axis) - origin);
            }
        }
    }
}

void sharp_place(Sharp *sharp, const Collider *body, Pool *pool, bool anew, Vec3 origin,
                 const Box *box) {
    Placing work = {sharp, body, origin, box};
    if (anew) {
        memset(sharp->placed, 0, (size_t)body->clusters.count);
    }
    pool_each(pool, body->clusters.count, place_clusters, &work);
}

/* --- distances from the cloth ----------------------------------------------------------------- */

/* Whatever is not certain, as with needles and segments that are nearly parallel, counts. */

/* Squared sine between two lines from which on rounding does not matter for where they are closest. */
#define ASKEW 1e-6
/* Room for rounding, over the numbers that are rounded. */
#define ROUNDED 1e-9

/* False if the two, `along` from each other times the root of `area`, are too far apart. Only what has passed each other
 * counts beyond the reach: within the slack others come nearer, but do not change sides, unless the cloth may turn by a
 * right angle (`tilt` is squared, times the area). */
static bool counts(const FeatureCandidate *both, double slack, double along, double area,
                   double tilt, double before) {
    double squared = (1 - ROUNDED) * along * along, near = both->reach + slack;
    return squared <= both->margin * both->margin * area &&
           (squared <= near * near * area || slack * slack * tilt >= area || along * before <= 0);
}

static double beyond(double part) { return part < 0 ? -part : part > 1 ? part - 1 : 0.0; }

bool feature_measure_edge(const FeatureCandidate *both, double slack, FeaturePair *pair) {
    Vec3 u = vec3_sub(both->own[1], both->own[0]);
    Vec3 v = vec3_sub(both->other[1], both->other[0]);
    Vec3 between = vec3_sub(both->other[0], both->own[0]), normal = vec3_cross(u, v);
    double uu = vec3_dot(u, u), vv = vec3_dot(v, v), area = vec3_dot(normal, normal);
    double along = vec3_dot(between, normal);
    pair->tilt = INFINITY;
    pair->distance = pair->offset = 0;
    if (!(area > ASKEW * uu * vv)) {
        return true;
    }
    /* the normal of both turns by 1 / sine of what the edge turns by */
    if (!counts(both, slack, along, area, 4 * vv, spanned(both->before, both->placed))) {
        return false;
    }
    double s = vec3_dot(vec3_cross(between, v), normal) / area;
    double t = vec3_dot(vec3_cross(between, u), normal) / area;
    double length = sqrt(uu), other = sqrt(vv), root = sqrt(area);
    double aligned = fabs(vec3_dot(u, v)) / (length * other);
    double offset = fmax(beyond(s) * length, beyond(t) * other);
    pair->tilt = 2 * other / root;
    pair->distance = (1 - ROUNDED) * fabs(along) / root;
    /* along the segments a place goes up to 1 / (1 - cosine) times as far as it goes beside them */
    pair->offset = fmax(0, (1 - aligned) * offset - ROUNDED * length);
    return true;
}

bool feature_measure_corner(const FeatureCandidate *both, double slack, FeaturePair *pair) {
    const Vec3 *own = both->own, *before = both->before;
    Vec3 ab = vec3_sub(own[1], own[0]), ac = vec3_sub(own[2], own[0]),
         bc = vec3_sub(own[2], own[1]);
    Vec3 ap = vec3_sub(both->other[0], own[0]), normal = vec3_cross(ab, ac);
    double sides[3] = {vec3_dot(bc, bc), vec3_dot(ac, ac), vec3_dot(ab, ab)};
    double area = vec3_dot(normal, normal), along = vec3_dot(ap, normal), offset = 0;
    double longest = fmax(sides[0], fmax(sides[1], sides[2]));
    pair->tilt = INFINITY;
    pair->distance = pair->offset = 0;
    if (!(area > ASKEW * longest * longest)) {
        return true;
    }
    Vec3 turned = vec3_cross(vec3_sub(before[1], before[0]), vec3_sub(before[2], before[0]));
    if (!counts(both, slack, along, area, 4 * longest,
                vec3_dot(turned, vec3_sub(both->placed[0], before[0])))) {
        return false;
    }
    double weights[3] = {0, vec3_dot(vec3_cross(ap, ac), normal),
                         vec3_dot(vec3_cross(ab, ap), normal)};
    weights[0] = area - weights[1] - weights[2];
    for (int k = 0; k < 3; ++k) { /* beyond the side across from it */
        offset = weights[k] < 0 ? fmax(offset, -weights[k] / sqrt(area * sides[k])) : offset;
    }
    pair->tilt = 2 * sqrt(longest / area);
    pair->distance = (1 - ROUNDED) * fabs(along) / sqrt(area);
    pair->offset = fmax(0, offset - ROUNDED * sqrt(longest));
    return true;
}
