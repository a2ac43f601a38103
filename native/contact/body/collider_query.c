/* Queries of points: the nearest surface, how far it is, the solids around them, and places outside of those. */
#include "contact/body/collider.h"

/* Cosine between the normal and the way to the point below which the normal does not tell the side. */
#define UNDECIDED 1e-9
/* Cosine above which a triangle does not face against a direction. */
#define AGAINST (-0.3)
/* A search that knows an upper bound of the distance looks this much further, m: more than rounding takes. */
#define ROUNDING 1e-9
/* How much further than the nearest triangle others are listed, m at the usual thickness: they suffice for points half
 * as far away. */
#define SPREAD 1.5e-3
/* What rounding takes from a distance, m, and more; those in a list are rounded down besides. */
#define LISTED 1e-7

/* --- around: crossings of a ray along x ------------------------------------------------------- */

typedef struct Ray {
    const Collider *collider;
    int part;
    Vec3 point;
    int winding; /* times the part's surface surrounds the point */
} Ray;

/* Whether, seen along x, the edge passes the point's height (y) on the side of larger z. Both triangles
 * of an edge compute this alike, so no ray slips between them or is counted twice. */
static bool passes(const Collider *collider, int a, int b, Vec3 p) {
    const Vec3 *x = collider->at[1];
    Vec3 low = x[a < b ? a : b], high = x[a < b ? b : a];
    if ((low.y > p.y) == (high.y > p.y)) {
        return false;
    }
    return low.z + (p.y - low.y) / (high.y - low.y) * (high.z - low.z) > p.z;
}

/* Whether the triangle that the line through p along x crosses is crossed beyond p. `facing` is the sign
 * of the triangle's normal along x. */
static bool is_beyond(const Vec3 corners[3], Vec3 p, int facing) {
    int beyond = 0;
    for (int c = 0; c < 3; ++c) {
        beyond += corners[c].x > p.x;
    }
    if (beyond == 0 || beyond == 3) {
        return beyond == 3;
    }
    Vec3 a = vec3_sub(corners[0], p);
    Vec3 normal = vec3_cross(vec3_sub(corners[1], corners[0]), vec3_sub(corners[2], corners[0]));
    return facing * vec3_dot(a, normal) > 0;
}

static void cross_triangle(Ray *ray, int t) {
    int crossed = 0, facing = 0;
    const int *c = ray->collider->corners[t];
    const Vec3 *x = ray->collider->at[1];
    for (int k = 0; k < 3; ++k) {
        int a = c[k], b = c[(k + 1) % 3];
        if (passes(ray->collider, a, b, ray->point)) {
            ++crossed;
            /* counterclockwise as seen from +x: the side of larger z runs towards smaller y */
            facing += x[a].y > ray->point.y ? 1 : -1;
        }
    }
    if (crossed == 1) {
        Vec3 corners[3] = {x[c[0]], x[c[1]], x[c[2]]};
        ray->winding += is_beyond(corners, ray->point, facing) ? facing : 0;
    }
}

static bool cross_cluster(void *context, int cluster) {
    Ray *ray = context;
    const Clusters *clusters = &ray->collider->clusters;
    if (ray->collider->part[clusters->order[clusters->first[cluster]]] == ray->part) {
        for (int i = clusters->first[cluster]; i < clusters->first[cluster + 1]; ++i) {
            cross_triangle(ray, clusters->order[i]);
        }
    }
    return false;
}

int collider_winding(const Collider *collider, int part, Vec3 point) {
    Ray ray = {.collider = collider, .part = part, .point = point};
    Box box = {point, vec3(INFINITY, point.y, point.z)};
    wide_bvh_visit(&collider->clusters.tree, &box, cross_cluster, &ray);
    return ray.winding;
}

int collider_solids_around(const Collider *collider, Vec3 point) {
    int solids = 0;
    for (int p = 0; p < collider->part_count; ++p) {
        const ColliderPart *part = &collider->parts[p];
        solids += part->solid && part->closed && collider_winding(collider, p, point) != 0;
    }
    return solids;
}

/* --- near ------------------------------------------------------------------------------------- */

typedef struct Search {
    const Collider *collider;
    Vec3 point;
    int first; /* triangle of the part that is searched */
    int triangle;
    TrianglePoint nearest;
    int minds_facing;
    Vec3 facing; /* if so, only triangles that face against it */
    int guessed_part;
    double guessed; /* no search of that part needs to look further than this */
    /* for a list */
    Shortlist *list;
    double listed[SHORTLIST]; /* distances */
    double turned;            /* for what may face: how far the direction may turn */
    /* for the nearest of each part */
    Hit *hits;
    int capacity, count;
} Search;

static TrianglePoint closest_on(const Collider *collider, int t, Vec3 point) {
    const int *c = collider->corners[t];
    const Vec3 *x = collider->at[1];
    Vec3 corners[3] = {x[c[0]], x[c[1]], x[c[2]]};
    return closest_on_triangle(point, corners);
}

static double near_triangle(void *context, int primitive, double reach) {
    Search *search = context;
    int t = search->first + primitive;
    if (search->minds_facing &&
        vec3_dot(search->facing, search->collider->face_normals[t]) > AGAINST) {
        return reach;
    }
    TrianglePoint found = closest_on(search->collider, t, search->point);
    /* of equals the first, so that the order of the search does not matter */
    bool equal = found.distance == reach && isfinite(reach);
    if (found.distance < reach || (equal && (search->triangle < 0 || t < search->triangle))) {
        search->nearest = found;
        search->triangle = t;
        return found.distance;
    }
    return reach;
}

/* Triangles whose boxes are within a reach that is hardly longer than it has to be. */
typedef struct Gathered {
    int count; /* -1: too many */
    int triangles[WIDE_BVH_GATHERED + WIDE_BVH_LANES];
    TriangleBound bounds[WIDE_BVH_GATHERED + WIDE_BVH_LANES];
} Gathered;

static void gather(const Search *search, const ColliderPart *part, double reach,
                   Gathered *gathered) {
    gathered->count = wide_bvh_gather(&part->near, search->point, reach, gathered->triangles);
    for (int i = 0; i < gathered->count; ++i) {
        gathered->triangles[i] += part->first;
    }
}

static void bound(const Search *search, Gathered *gathered) {
    triangle_bounds(&search->collider->spots, search->point, search->collider->corners,
                    gathered->triangles, gathered->count, gathered->bounds);
}

/* The least of the upper bounds; none is nearer than its square root says than by rounding. */
static float least_high(const Gathered *gathered) {
    float least = INFINITY;
    for (int i = 0; i < gathered->count; ++i) {
        float high = gathered->bounds[i].high;
        least = high < least ? high : least;
    }
    return least;
}

/* Measures those of the gathered that may be the nearest. */
static void measure(Search *search, const Gathered *gathered, double reach) {
    float least = least_high(gathered);
    for (int i = 0; i < gathered->count; ++i) {
        if (!(gathered->bounds[i].low > least)) {
            reach = near_triangle(search, gathered->triangles[i] - search->first, reach);
        }
    }
}

static double near_part(void *context, int primitive, double reach) {
    Search *search = context;
    const ColliderPart *part = &search->collider->parts[primitive];
    search->first = part->first;
    if (primitive == search->guessed_part && search->guessed < reach) {
        Gathered gathered;
        reach = search->guessed;
        gather(search, part, reach, &gathered);
        if (gathered.count >= 0) {
            bound(search, &gathered);
            measure(search, &gathered, reach);
            return search->triangle >= 0 ? search->nearest.distance : reach;
        }
    }
    wide_bvh_search(&part->near, search->point, reach, near_triangle, search);
    return search->triangle >= 0 ? search->nearest.distance : reach;
}

/* The normal of the feature that was hit, zero where its faces have none or cancel. */
static Vec3 feature_normal(const Collider *collider, int t, Feature feature) {
    Vec3 face = collider->face_normals[t];
    if (feature == FEATURE_FACE) {
        return face;
    }
    if (feature >= FEATURE_VERTEX_0) {
        return collider_vertex_normal(collider, collider->corners[t][feature - FEATURE_VERTEX_0]);
    }
    int across = collider->across[t][feature - FEATURE_EDGE_0];
    return across < 0 ? face
                      : vec3_unit_or(vec3_add(face, collider->face_normals[across]), vec3(0, 0, 0));
}

static bool is_boundary(const Collider *collider, int t, Feature feature) {
    if (feature == FEATURE_FACE) {
        return false;
    }
    return feature >= FEATURE_VERTEX_0
               ? collider->boundary[collider->corners[t][feature - FEATURE_VERTEX_0]]
               : collider->across[t][feature - FEATURE_EDGE_0] == COLLIDER_BOUNDARY;
}

/* Side of the part on which the point lies: 1 outside, -1 inside. */
static int side_of(const Collider *collider, const Hit *hit, Vec3 point) {
    double along = vec3_dot(vec3_sub(point, hit->point), hit->normal);
    if (fabs(along) > UNDECIDED * hit->distance || hit->distance == 0) {
        return along < 0 ? -1 : 1;
    }
    return collider_winding(collider, hit->part, point) != 0 ? -1 : 1;
}

static Hit make_hit(const Search *search) {
    const Collider *collider = search->collider;
    const TrianglePoint *nearest = &search->nearest;
    int t = search->triangle;
    Hit hit = {.part = collider->part[t],
               .triangle = t,
               .feature = nearest->feature,
               .point = nearest->point,
               .distance = nearest->distance,
               .normal = feature_normal(collider, t, nearest->feature),
               .solid = collider->parts[collider->part[t]].solid,
               .boundary = is_boundary(collider, t, nearest->feature),
               .thickness = collider->thickness,
               .friction = collider->friction};
    for (int c = 0; c < 3; ++c) {
        int v = collider->corners[t][c];
        hit.vertices[c] = v;
        hit.weights[c] = nearest->weights[c];
        Vec3 moved = vec3_sub(collider->at[1][v], collider->at[0][v]);
        hit.displacement = vec3_madd(hit.displacement, hit.weights[c], moved);
    }
    int side = hit.solid ? side_of(collider, &hit, search->point) : 1;
    hit.signed_distance = side * hit.distance;
    if (vec3_dot(hit.normal, hit.normal) == 0) {
        Vec3 away = vec3_scale(side, vec3_sub(search->point, hit.point));
        hit.normal = vec3_unit_or(away, vec3(0, 0, 1));
    }
    return hit;
}

static Search search_for(const Collider *collider, Vec3 point, int capacity, Hit *hits) {
    return (Search){.collider = collider,
                    .point = point,
                    .triangle = -1,
                    .guessed_part = -1,
                    .hits = hits,
                    .capacity = capacity};
}

int collider_closest_against(const Collider *collider, Vec3 point, double reach, Vec3 facing,
                             Hit *hit) {
    Search search = search_for(collider, point, 1, hit);
    search.minds_facing = 1;
    search.facing = facing;
    wide_bvh_search(&collider->near, point, reach, near_part, &search);
    if (search.triangle < 0) {
        return 0;
    }
    *hit = make_hit(&search);
    return 1;
}

static int closest(Search *search, double reach, Hit *hit) {
    if (search->collider->part_count == 1) {
        near_part(search, 0, reach);
    } else {
        wide_bvh_search(&search->collider->near, search->point, reach, near_part, search);
    }
    if (search->triangle < 0) {
        return 0;
    }
    *hit = make_hit(search);
    return 1;
}

int collider_closest(const Collider *collider, Vec3 point, double reach, Hit *hit) {
    Search search = search_for(collider, point, 1, hit);
    return closest(&search, reach, hit);
}

/* Triangles to walk over at most. */
#define LONGEST_WALK 16

/* Looks at a triangle of the part; returns true if it is nearer than the nearest so far. */
static bool step_to(Search *search, int t) {
    int before = search->triangle;
    near_triangle(search, t - search->first, before >= 0 ? search->nearest.distance : INFINITY);
    return search->triangle != before;
}

/* From the nearest triangle so far to its neighbours at the feature that was hit. */
static bool step_on(Search *search) {
    const Collider *collider = search->collider;
    int t = search->triangle;
    Feature feature = search->nearest.feature;
    if (feature == FEATURE_FACE) {
        return false;
    }
    if (feature < FEATURE_VERTEX_0) {
        int across = collider->across[t][feature - FEATURE_EDGE_0];
        return across >= 0 && step_to(search, across);
    }
    int v = collider->corners[t][feature - FEATURE_VERTEX_0], moved = 0;
    for (int i = collider->corner_start[v]; i < collider->corner_start[v + 1]; ++i) {
        int next = collider->corner[i] / 3;
        if (collider->part[next] == collider->part[t]) {
            moved |= step_to(search, next);
        }
    }
    return moved;
}

void collider_follow(const Collider *collider, Vec3 point, int triangle, Hit *hit) {
    Search search = {.collider = collider,
                     .point = point,
                     .first = collider->parts[collider->part[triangle]].first,
                     .triangle = -1};
    step_to(&search, triangle);
    if (search.triangle < 0) { /* not finite: any answer will do */
        search.triangle = triangle;
        search.nearest = (TrianglePoint){.point = collider->at[1][collider->corners[triangle][0]],
                                         .weights = {1, 0, 0},
                                         .distance = INFINITY,
                                         .feature = FEATURE_VERTEX_0};
    }
    for (int step = 0; step < LONGEST_WALK && step_on(&search); ++step) {
    }
    *hit = make_hit(&search);
}

/* --- lists ------------------------------------------------------------------------------------ */

/* Puts a triangle among those listed; the farthest falls out where there is no room. */
static void list_triangle(Search *search, int t, double distance) {
    Shortlist *list = search->list;
    if (!(distance < search->listed[SHORTLIST - 1])) {
        return;
    }
    int at = list->count < SHORTLIST ? list->count++ : SHORTLIST - 1;
    for (; at > 0 && search->listed[at - 1] > distance; --at) {
        search->listed[at] = search->listed[at - 1];
        list->triangles[at] = list->triangles[at - 1];
    }
    search->listed[at] = distance;
    list->triangles[at] = t;
}

/* The reach shrinks to SPREAD beyond the nearest, or to the last one listed. */
static double near_listed(void *context, int primitive, double reach) {
    Search *search = context;
    int t = search->first + primitive;
    TrianglePoint found = closest_on(search->collider, t, search->point);
    if (!(found.distance <= reach)) {
        return reach;
    }
    double best = search->triangle >= 0 ? search->nearest.distance : INFINITY;
    if (found.distance < best || (found.distance == best && t < search->triangle)) {
        search->nearest = found;
        search->triangle = t;
        best = found.distance;
    }
    list_triangle(search, t, found.distance);
    double last = search->listed[SHORTLIST - 1];
    double spread = best + SPREAD * search->collider->scale;
    reach = spread < reach ? spread : reach;
    search->list->beyond = nextafterf((float)(last < reach ? last : reach), 0.0F);
    return last < reach ? last : reach;
}

/* Lists the gathered by their lower bounds. */
static void list_gathered(Search *search, const Gathered *gathered, double start) {
    measure(search, gathered, start);
    double spread = SPREAD * search->collider->scale, beyond = start;
    if (search->triangle >= 0 && search->nearest.distance + spread < start) {
        beyond = search->nearest.distance + spread;
    }
    for (int i = 0; i < gathered->count; ++i) {
        double low = gathered->bounds[i].low > 0 ? sqrt(gathered->bounds[i].low) : 0.0;
        if (low < beyond) {
            list_triangle(search, gathered->triangles[i], low);
        }
    }
    double last = search->listed[SHORTLIST - 1];
    search->list->beyond = nextafterf((float)(last < beyond ? last : beyond), 0.0F);
}

int collider_list(const Collider *collider, Vec3 point, double reach, int guess, double guessed,
                  Shortlist *list, Hit *hit) {
    Search search = search_for(collider, point, 1, hit);
    double start = SPREAD * collider->scale +
                   (guess >= 0 && guessed + ROUNDING < reach ? guessed + ROUNDING : reach);
    Gathered gathered = {.count = -1};
    *list = (Shortlist){.beyond = nextafterf((float)start, 0.0F)};
    search.list = list;
    for (int k = 0; k < SHORTLIST; ++k) {
        search.listed[k] = INFINITY;
    }
    if (guess >= 0) {
        gather(&search, &collider->parts[0], start, &gathered);
    }
    if (gathered.count >= 0) {
        bound(&search, &gathered);
        list_gathered(&search, &gathered, start);
    } else {
        wide_bvh_search(&collider->parts[0].near, point, start, near_listed, &search);
    }
    for (int k = 0; k < list->count; ++k) {
        list->distances[k] = nextafterf((float)search.listed[k], 0.0F);
    }
    if (search.triangle < 0 || !(search.nearest.distance <= reach)) {
        return 0;
    }
    *hit = make_hit(&search);
    return 1;
}

int collider_closest_listed(const Collider *collider, Vec3 point, double reach, double moved,
                            const Shortlist *list, Hit *hit) {
    Search search = search_for(collider, point, 1, hit);
    double nearest = INFINITY, others = list->beyond - moved - LISTED;
    for (int k = 0; k < list->count; ++k) {
        if (list->distances[k] - moved - LISTED > nearest) {
            break; /* as are all that follow */
        }
        step_to(&search, list->triangles[k]);
        nearest = search.triangle >= 0 ? search.nearest.distance : INFINITY;
    }
    if (!(nearest <= others || reach < others)) {
        return -1;
    }
    if (!(nearest <= reach)) {
        return 0;
    }
    *hit = make_hit(&search);
    return 1;
}

/* Whether it is near enough its box decides. */
static double find_facing(void *context, int primitive, double reach) {
    Search *search = context;
    int t = search->first + primitive;
    if (vec3_dot(search->facing, search->collider->face_normals[t]) > AGAINST + search->turned) {
        return reach;
    }
    search->count = 1;
    return 0;
}

static double find_facing_part(void *context, int primitive, double reach) {
    Search *search = context;
    const ColliderPart *part = &search->collider->parts[primitive];
    int found[WIDE_BVH_GATHERED + WIDE_BVH_LANES];
    int count = wide_bvh_gather(&part->near, search->point, reach, found);
    search->first = part->first;
    if (count < 0) {
        wide_bvh_search(&part->near, search->point, reach, find_facing, search);
    }
    for (int i = 0; i < count && !search->count; ++i) {
        find_facing(search, found[i], reach);
    }
    return search->count ? 0 : reach;
}

int collider_may_face(const Collider *collider, Vec3 point, double reach, double moved, Vec3 facing,
                      double turned) {
    Search search = search_for(collider, point, 0, NULL);
    search.facing = facing;
    search.turned = turned + LISTED;
    reach += moved + ROUNDING;
    if (collider->part_count == 1) {
        find_facing_part(&search, 0, reach);
    } else {
        wide_bvh_search(&collider->near, point, reach, find_facing_part, &search);
    }
    return search.count;
}

/* --- each part -------------------------------------------------------------------------------- */

/* Puts the hit among those kept, nearest first; the farthest falls out where there is no room. */
static void keep_hit(Search *search, const Hit *hit) {
    int kept = search->count < search->capacity ? search->count : search->capacity;
    int at = kept < search->capacity ? kept : kept - 1;
    ++search->count;
    if (search->capacity <= 0 || (at < kept && search->hits[at].distance <= hit->distance)) {
        return;
    }
    for (; at > 0 && search->hits[at - 1].distance > hit->distance; --at) {
        search->hits[at] = search->hits[at - 1];
    }
    search->hits[at] = *hit;
}

static double near_each_part(void *context, int primitive, double reach) {
    Search *search = context;
    search->triangle = -1;
    near_part(search, primitive, reach);
    if (search->triangle >= 0) {
        Hit hit = make_hit(search);
        keep_hit(search, &hit);
    }
    return reach;
}

int collider_closest_parts(const Collider *collider, Vec3 point, double reach, int capacity,
                           Hit *hits) {
    Search search = search_for(collider, point, capacity, hits);
    wide_bvh_search(&collider->near, point, reach, near_each_part, &search);
    return search.count;
}

double collider_distance(const Collider *collider, Vec3 point, int triangle) {
    return closest_on(collider, triangle, point).distance;
}

int collider_closest_from(const Collider *collider, Vec3 point, double reach, int guess,
                          double guessed, int capacity, Hit *hits) {
    Search search = search_for(collider, point, capacity, hits);
    if (guess >= 0) {
        search.guessed_part = collider->part[guess];
        search.guessed = guessed + ROUNDING;
    }
    if (collider->part_count == 1) {
        return closest(&search, reach, hits);
    }
    wide_bvh_search(&collider->near, point, reach, near_each_part, &search);
    return search.count;
}

/* --- broad ------------------------------------------------------------------------------------ */

typedef struct BroadVisit {
    const Collider *collider;
    const Box *box;
    BvhVisit visit;
    void *context;
    int first; /* of one part: its first triangle */
} BroadVisit;

static bool pass_on_cluster(void *context, int cluster) {
    const BroadVisit *broad = context;
    const Collider *collider = broad->collider;
    const Clusters *clusters = &collider->clusters;
    for (int i = clusters->first[cluster]; i < clusters->first[cluster + 1]; ++i) {
        const int *c = collider->corners[clusters->order[i]];
        Box start = box_of_listed(collider->at[0], c, 3),
            end = box_of_listed(collider->at[1], c, 3);
        Box swept = box_grown(box_join(start, end), collider->margin);
        if (box_overlaps(&swept, broad->box) && broad->visit(broad->context, clusters->order[i])) {
            return true;
        }
    }
    return false;
}

void collider_visit(const Collider *collider, const Box *box, BvhVisit visit, void *context) {
    BroadVisit broad = {.collider = collider, .box = box, .visit = visit, .context = context};
    Box grown = box_grown(*box, collider->margin);
    wide_bvh_visit(&collider->clusters.tree, &grown, pass_on_cluster, &broad);
}

/* Numbers of a part's tree count from its first triangle. */
static bool pass_on_triangle(void *context, int number) {
    const BroadVisit *part = context;
    return part->visit(part->context, part->first + number);
}

static bool pass_on_part(void *context, int number) {
    BroadVisit part = *(const BroadVisit *)context;
    const ColliderPart *own = &part.collider->parts[number];
    part.first = own->first;
    wide_bvh_visit(&own->near, part.box, pass_on_triangle, &part);
    return false;
}

void collider_visit_ends(const Collider *collider, const Box *box, BvhVisit visit, void *context) {
    BroadVisit broad = {.collider = collider, .box = box, .visit = visit, .context = context};
    wide_bvh_visit(&collider->near, box, pass_on_part, &broad);
}

/* --- points beside the cloth ------------------------------------------------------------------ */

/* The nearest place of each body, and of each of its parts that may hold the point. */

/* Parts of a body that are measured where several are near. */
#define MOST_PARTS 8

typedef struct GapWork {
    Collider *const *bodies;
    int body_count;
    const Vec3 *points;
    BodyGap *gaps;
} GapWork;

/* A point in front of the nearest part may be inside of another, whose surface is further away. */
static bool measure_body(const Collider *body, Vec3 point, BodyGap *found) {
    Hit hits[MOST_PARTS];
    int count = collider_closest_from(body, point, INFINITY, -1, 0, MOST_PARTS, hits);
    count = count < MOST_PARTS ? count : MOST_PARTS;
    if (count < 1) {
        return false;
    }
    *found = (BodyGap){.gap = hits[0].signed_distance, .thickness = body->thickness};
    for (int k = 1; k < count; ++k) {
        if (hits[k].signed_distance < 0) {
            found->gap = fmin(found->gap, hits[k].signed_distance);
        }
    }
    return true;
}

static void measure_points(void *context, int begin, int end) {
    const GapWork *work = context;
    for (int i = begin; i < end; ++i) {
        BodyGap least = {.gap = INFINITY};
        for (int b = 0; b < work->body_count; ++b) {
            BodyGap found;
            if (work->bodies[b] && measure_body(work->bodies[b], work->points[i], &found) &&
                found.gap < least.gap) {
                least = found;
            }
        }
        work->gaps[i] = least;
    }
}

void gaps_measure(Pool *pool, Collider *const *bodies, int body_count, int count,
                  const Vec3 *points, BodyGap *gaps) {
    GapWork work = {.bodies = bodies, .body_count = body_count, .points = points, .gaps = gaps};
    pool_run(pool, count, measure_points, &work);
}

/* One nearest place for each point and body. */

#define KEPT 0.25 /* of the thickness */

typedef struct OutsideWork {
    Collider *const *bodies;
    int body_count;
    double reach;
    OutsideHint *hints;
    Vec3 *points;
} OutsideWork;

static void put_point(const OutsideWork *work, int body, int i) {
    const Collider *collider = work->bodies[body];
    OutsideHint *hint = &work->hints[i];
    Vec3 point = work->points[i];
    int guess =
        hint->body == body && hint->triangle < collider->triangle_count ? hint->triangle : -1;
    double guessed = guess >= 0 ? collider_distance(collider, point, guess) : 0;
    Hit hit;
    if (collider_closest_from(collider, point, work->reach, guess, guessed, 1, &hit) < 1) {
        return;
    }
    hint->body = body;
    hint->triangle = hit.triangle;
    double kept = KEPT * collider->least_share * hit.thickness;
    if (hit.solid && hit.signed_distance < kept) {
        work->points[i] = vec3_madd(hit.point, kept, hit.normal);
    }
}

static void put_points(void *context, int begin, int end) {
    const OutsideWork *work = context;
    for (int i = begin; i < end; ++i) {
        for (int b = 0; b < work->body_count; ++b) {
            if (work->bodies[b]) {
                put_point(work, b, i);
            }
        }
    }
}

void outside_put(Pool *pool, Collider *const *bodies, int body_count, double reach, int count,
                 OutsideHint *hints, Vec3 *points) {
    OutsideWork work = {.bodies = bodies,
                        .body_count = body_count,
                        .reach = reach,
                        .hints = hints,
                        .points = points};
    if (body_count > 0) {
        pool_run(pool, count, put_points, &work);
    }
}
