/* From hits of the collider to planes: on which side of a surface a vertex belongs, and which surfaces it would pass on its
 * path. A search is stored for the next one nearby, since most vertices search again from almost the same place. */
#include "contact/body/contact_plane.h"

#include <math.h>
#include <string.h>

#include "geometry/distance.h"

/* Lengths are in m at the usual thickness: see scale.h. */

/* Surfaces are found this far outside their shells, and passed to the solver when they are nearer: surfaces further away are
 * found again in the next iteration, before the vertex touches them. */
#define SLACK 0.007
#define LISTED 0.006
/* Distances are exact up to this, for substeps to come. */
#define KNOWN 0.04
/* Part of that within which edges between vertices may touch something. */
#define MEETING 0.75
/* A vertex that may be inside a solid searches to this depth. */
#define DEPTH 0.08
/* Where the distance is too small to give a direction, m, whatever the thickness. */
#define ON_SURFACE 1e-9
/* Bodies bend while they move: a path may touch at this part of the length that a straight one needs. */
#define WINDING 0.8
/* At most this many overlapping parts of a body, and planes of all bodies. */
#define MOST_PARTS 6
#define MOST_CANDIDATES 12
/* Cosine between the normals of two surfaces below which they face each other. */
#define FACING (-0.3)
/* A second surface counts within this many thicknesses. */
#define SECOND 3.0
/* A vertex that was behind a surface may be between two that overlap by up to twice this. */
#define OVERLAP 0.04
/* The triangles near a vertex are listed if its last one is no further outside its shell than this. */
#define LISTING 1.5e-3
/* The result that nothing faces a vertex holds for places up to this far away, and directions that differ by this much. */
#define ALONE 1e-3
#define TURNED 0.15

static double slack_of(const Collider *body) { return SLACK * body->scale; }

BodySubstep body_substep(Collider *const *bodies, int body_count, const Vec3 *x, double length) {
    PlaneReach reach = {.known = INFINITY};
    for (int b = 0; b < body_count; ++b) {
        const Collider *body = bodies[b];
        if (body) {
            reach.touching = fmax(reach.touching, body->thickness);
            reach.listed = fmax(reach.listed, body->thickness + LISTED * body->scale);
            reach.near = fmax(reach.near, body->thickness + slack_of(body));
            reach.known = fmin(reach.known, KNOWN * body->scale);
            reach.deep = fmax(reach.deep, DEPTH * body->scale);
        }
    }
    reach.known = fmax(reach.known, reach.near);
    reach.meeting = MEETING * reach.known;
    reach.deep = fmax(reach.deep, reach.known);
    return (BodySubstep){bodies, body_count, x, length, reach, NULL};
}

/* The search distance of a vertex for the surface of a body: `range`, and deeper if it may be inside. */
static double reach_of(const Collider *body, const VertexPath *path, double range) {
    double depth = DEPTH * body->scale;
    return path->clearance < 0 && range < depth ? depth : range;
}

/* The side of a sheet is the one the vertex was on at the substep's start. */
static double side_at_start(const Hit *hit, Vec3 x) {
    Vec3 before = vec3_sub(hit->point, hit->displacement);
    return vec3_dot(vec3_sub(x, before), hit->normal) < 0 ? -1.0 : 1.0;
}

static ContactPlane plane_of_hit(const Hit *hit, double share, Vec3 x, Vec3 z) {
    ContactPlane plane = {.point = hit->point,
                          .way = hit->displacement,
                          .thickness = share * hit->thickness,
                          .friction = hit->friction,
                          .triangle = hit->triangle};
    Vec3 away = vec3_sub(z, hit->point);
    if (hit->boundary) { /* a border has no sides */
        plane.normal = vec3_unit_or(away, hit->normal);
        plane.distance = hit->distance;
        return plane;
    }
    double side = hit->solid ? 1.0 : side_at_start(hit, x), sign;
    if (hit->solid) {
        sign = hit->signed_distance < 0 ? -1.0 : 1.0;
    } else {
        sign = vec3_dot(away, hit->normal) * side < 0 ? -1.0 : 1.0;
    }
    plane.normal = hit->distance > ON_SURFACE ? vec3_scale(sign / hit->distance, away)
                                              : vec3_scale(side, hit->normal);
    plane.distance = sign * hit->distance;
    return plane;
}

/* --- the way of a fast vertex ----------------------------------------------------------------- */

typedef struct FirstHit {
    const Collider *body;
    MovingPoint point;
    Meeting first;
    int triangle;     /* -1: none yet */
    double side;      /* of the triangle's normal on which the vertex came */
    WorkShare *share; /* of tests */
} FirstHit;

static bool meet_triangle(void *context, int t) {
    FirstHit *hit = context;
    const Collider *body = hit->body;
    if (hit->share && !work_share_take(hit->share, 1)) {
        return true;
    }
    MovingPoint corners[3];
    for (int c = 0; c < 3; ++c) {
        int v = body->corners[t][c];
        corners[c] = (MovingPoint){body->at[0][v], body->at[1][v]};
    }
    Meeting meeting;
    if (!ccd_point_triangle(hit->point, corners, &meeting) ||
        (hit->triangle >= 0 && meeting.time >= hit->first.time)) {
        return false;
    }
    Vec3 normal = vec3_cross(vec3_sub(corners[1].start, corners[0].start),
                             vec3_sub(corners[2].start, corners[0].start));
    double side = vec3_dot(vec3_sub(hit->point.start, corners[0].start), normal);
    if (side <= 0 && body->parts[body->part[t]].solid) {
        return false; /* it is coming out */
    }
    hit->first = meeting;
    hit->triangle = t;
    hit->side = side < 0 ? -1.0 : 1.0;
    return false;
}

/* The first triangle that the vertex would pass from outside. */
static bool passed_plane(const Collider *body, const VertexPath *path, double share,
                         ContactPlane *plane) {
    FirstHit hit = {
        .body = body, .point = {path->x, path->z}, .triangle = -1, .side = 1, .share = path->share};
    Box box = box_of_two(path->x, path->z);
    collider_visit(body, &box, meet_triangle, &hit);
    if (hit.triangle < 0) {
        return false;
    }
    *plane = (ContactPlane){
        .thickness = share * body->thickness, .friction = body->friction, .triangle = -1};
    for (int c = 0; c < 3; ++c) {
        int v = body->corners[hit.triangle][c];
        Vec3 moved = vec3_sub(body->at[1][v], body->at[0][v]);
        plane->point = vec3_madd(plane->point, hit.first.weights[c], body->at[1][v]);
        plane->way = vec3_madd(plane->way, hit.first.weights[c], moved);
    }
    plane->normal = vec3_scale(hit.side, body->face_normals[hit.triangle]);
    plane->distance = vec3_dot(plane->normal, vec3_sub(path->z, plane->point));
    return plane->distance < 0;
}

/* A triangle of the body that may be the nearest, and how far away it is. */
typedef struct Guess {
    int triangle; /* -1: none */
    double distance;
} Guess;

static Guess guess_at(const Collider *body, int b, const VertexPath *path) {
    int t = path->triangle;
    if (b != path->body || t < 0 || t >= body->triangle_count) {
        return (Guess){-1, INFINITY};
    }
    return (Guess){t, collider_distance(body, path->z, t)};
}

/* A vertex that moves further than the thickness may have passed a surface that is now behind it, unless its path is too
 * short to reach one from its `clearance` at the start to its present distance. Returns true, and the plane that it passed,
 * if it has. */
static bool check_path(const Collider *body, const VertexPath *path, double share,
                       ContactPlane *plane) {
    Vec3 over = vec3_sub(vec3_sub(path->z, path->x), plane->way);
    double way = vec3_length(over),
           far = body->thickness + slack_of(body); /* is all that is known beyond */
    double clearance = path->clearance < far ? path->clearance : far;
    ContactPlane passed;
    if (way > share * body->thickness && way > WINDING * (clearance + plane->distance) &&
        path->clearance >= 0 && passed_plane(body, path, share, &passed) &&
        passed.distance < plane->distance) {
        *plane = passed;
        return true;
    }
    return false;
}

/* --- finding ---------------------------------------------------------------------------------- */

/* Planes of all bodies near a vertex. */
typedef struct Candidates {
    ContactPlane planes[MOST_CANDIDATES];
    int count;
    double nearest;       /* of all, also of those that are too far away to be kept */
    ContactPlane instead; /* the nearest, if the vertex has passed another on its path */
    bool has_passed;
} Candidates;

static double gap_of(const ContactPlane *plane) { return plane->distance - plane->thickness; }

/* Without room the furthest is dropped. */
static void keep_plane(Candidates *candidates, const ContactPlane *plane) {
    int at = 0;
    if (candidates->count < MOST_CANDIDATES) {
        candidates->planes[candidates->count++] = *plane;
        return;
    }
    for (int i = 1; i < MOST_CANDIDATES; ++i) {
        at = gap_of(&candidates->planes[i]) > gap_of(&candidates->planes[at]) ? i : at;
    }
    if (gap_of(plane) < gap_of(&candidates->planes[at])) {
        candidates->planes[at] = *plane;
    }
}

/* For the end of the substep, when only vertices inside a shell count. */
static bool is_worth_listing(const Collider *body, const Guess *guess) {
    return guess->triangle < 0 || guess->distance < body->thickness + LISTING * body->scale;
}

/* The hits of the body within reach, from the vertex's cache if that suffices. */
static int find_hits(const Collider *body, int b, const VertexPath *path, double reach,
                     const Guess *guess, Hit *hits) {
    SearchCache *cache = body->part_count == 1 ? path->cache : NULL;
    if (cache && !path->reuses && cache->body < 0 && is_worth_listing(body, guess)) {
        cache->body = b;
        return collider_list(body, path->z, reach, guess->triangle, guess->distance, &cache->list,
                             hits);
    }
    int count = -1;
    if (cache && path->reuses && cache->body == b) {
        double moved = vec3_distance(path->z, path->seen);
        count = collider_closest_listed(body, path->z, reach, moved, &cache->list, hits);
    }
    return count >= 0 ? count
                      : collider_closest_from(body, path->z, reach, guess->triangle,
                                              guess->distance, MOST_PARTS, hits);
}

/* The nearest place of each part of one body, if within reach. */
static void collect(const BodySubstep *substep, int b, const VertexPath *path,
                    Candidates *candidates) {
    const Collider *body = substep->bodies[b];
    if (!body) {
        return;
    }
    Guess guess = guess_at(body, b, path);
    double moved = vec3_distance(path->x, path->z) + body->fastest;
    double near = body->thickness + slack_of(body);
    double share = substep_share(substep, path->vertex);
    double reach = reach_of(body, path, fmax(near + moved, candidates->nearest));
    Hit hits[MOST_PARTS];
    int count = find_hits(body, b, path, reach, &guess, hits);
    count = count < MOST_PARTS ? count : MOST_PARTS;
    for (int i = 0; i < count; ++i) {
        ContactPlane plane = plane_of_hit(&hits[i], share, path->x, path->z);
        ContactPlane nearest = plane;
        if (i == 0 && check_path(body, path, share, &plane)) {
            candidates->instead = nearest;
            candidates->instead.body = b;
            candidates->has_passed = true;
        }
        plane.body = b;
        candidates->nearest = fmin(candidates->nearest, plane.distance);
        if (plane.distance < near) {
            keep_plane(candidates, &plane);
        }
    }
}

/* The search distance for a surface that faces the first: across a gap, and inside of an overlap if the vertex has been
 * behind a surface already. */
static double facing_reach(const Collider *body, const VertexPath *path, double share) {
    return fmax(SECOND * share * body->thickness,
                path->clearance < 0 ? OVERLAP * body->scale : 0.0);
}

/* Whether nothing faces the vertex; uses its cache, or fills it. */
static bool nothing_faces(const Collider *body, const VertexPath *path, double reach,
                          const ContactPlane *first) {
    SearchCache *cache = path->cache;
    if (!cache) {
        return false;
    }
    if (path->reuses) {
        Vec3 facing = vec3(cache->facing[0], cache->facing[1], cache->facing[2]);
        return cache->alone == 1 + first->body &&
               vec3_distance(path->z, path->seen) < ALONE * body->scale &&
               vec3_distance(first->normal, facing) < TURNED;
    }
    if (collider_may_face(body, path->z, reach, ALONE * body->scale, first->normal, TURNED)) {
        return false;
    }
    cache->alone = 1 + first->body;
    cache->facing[0] = (float)first->normal.x;
    cache->facing[1] = (float)first->normal.y;
    cache->facing[2] = (float)first->normal.z;
    return true;
}

static bool faces(const ContactPlane *one, const ContactPlane *other) {
    return vec3_dot(one->normal, other->normal) < FACING;
}

/* Two planes of one part, with the vertex behind one or both: true if the surfaces overlap there. Else they are two sides of
 * one limb. */
static bool is_overlap(const Collider *body, Vec3 z, int triangle, const ContactPlane *first,
                       const ContactPlane *second) {
    int behind = (first->distance < 0) + (second->distance < 0);
    return collider_winding(body, body->part[triangle], z) >= behind;
}

/* A place of the same part that faces the first plane: across a gap with the vertex in it, such as an armpit, or behind it
 * where the two sides overlap. */
static bool other_flank(const BodySubstep *substep, const VertexPath *path,
                        const ContactPlane *first, ContactPlane *plane) {
    const Collider *body = substep->bodies[first->body];
    double share = substep_share(substep, path->vertex);
    double across = SECOND * share * body->thickness, reach = facing_reach(body, path, share);
    Hit hit;
    if (first->distance > reach + ALONE * body->scale || first->triangle < 0 ||
        nothing_faces(body, path, reach, first) || first->distance > reach ||
        !collider_closest_against(body, path->z, reach, first->normal, &hit)) {
        return false;
    }
    *plane = plane_of_hit(&hit, share, path->x, path->z);
    plane->body = first->body;
    if (vec3_dot(vec3_sub(path->z, hit.point), body->face_normals[hit.triangle]) > 0) {
        return fmax(first->distance, hit.distance) <= across && faces(plane, first);
    }
    return hit.solid && hit.part == body->part[first->triangle] && plane->distance < 0 &&
           faces(plane, first) && is_overlap(body, path->z, hit.triangle, first, plane);
}

/* For a vertex that has passed a surface: the nearest plane, if the two face each other and overlap. */
static bool flank_beyond(const BodySubstep *substep, const VertexPath *path,
                         const Candidates *candidates, const ContactPlane *first,
                         ContactPlane *plane) {
    *plane = candidates->instead;
    const Collider *body = substep->bodies[plane->body];
    return plane->body == first->body && plane->triangle >= 0 && faces(plane, first) &&
           body->parts[body->part[plane->triangle]].solid &&
           is_overlap(body, path->z, plane->triangle, first, plane);
}

/* A second plane that faces the first, which is then the one that lies deeper. */
static bool find_facing(const BodySubstep *substep, const VertexPath *path,
                        const Candidates *candidates, ContactPlane planes[MOST_CONTACT_PLANES]) {
    bool found = planes[0].triangle < 0 && candidates->has_passed
                     ? flank_beyond(substep, path, candidates, &planes[0], &planes[1])
                     : other_flank(substep, path, &planes[0], &planes[1]);
    if (found && planes[1].distance < planes[0].distance && planes[1].distance < 0) {
        ContactPlane deeper = planes[1];
        planes[1] = planes[0];
        planes[0] = deeper;
    }
    return found;
}

int contact_plane_find(const BodySubstep *substep, const VertexPath *path,
                       ContactPlane planes[MOST_CONTACT_PLANES], double *nearest) {
    Candidates candidates = {.nearest = substep->reach.known};
    int first = 0, found = 1;
    for (int b = 0; b < substep->body_count; ++b) {
        collect(substep, b, path, &candidates);
    }
    *nearest = candidates.nearest;
    if (candidates.count == 0) {
        return 0;
    }
    for (int i = 1; i < candidates.count; ++i) {
        first = gap_of(&candidates.planes[i]) < gap_of(&candidates.planes[first]) ? i : first;
    }
    planes[0] = candidates.planes[first];
    for (int i = 0; i < candidates.count; ++i) {
        const ContactPlane *plane = &candidates.planes[i];
        if (i != first && faces(plane, &planes[0]) &&
            (found == 1 || gap_of(plane) < gap_of(&planes[1]))) {
            planes[1] = *plane;
            found = 2;
        }
    }
    if (found == 1 && find_facing(substep, path, &candidates, planes)) {
        found = 2;
        *nearest = fmin(*nearest, planes[0].distance);
    }
    return found;
}

void contact_plane_follow(const BodySubstep *substep, const VertexPath *path, int count,
                          ContactPlane *planes) {
    double share = substep_share(substep, path->vertex);
    for (int p = 0; p < count; ++p) {
        int b = planes[p].body;
        const Collider *body = substep->bodies[b];
        Hit hit;
        collider_follow(body, path->z, planes[p].triangle, &hit);
        planes[p] = plane_of_hit(&hit, share, path->x, path->z);
        check_path(body, path, share, &planes[p]);
        planes[p].body = b;
    }
}

bool contact_plane_nearest(const BodySubstep *substep, Vec3 x, Vec3 z, int body, int triangle,
                           double reach, ContactPlane *plane) {
    const Collider *collider = substep->bodies[body];
    Hit hit;
    double guessed = collider_distance(collider, z, triangle);
    if (collider_closest_from(collider, z, reach, triangle, guessed, 1, &hit) == 0) {
        return false;
    }
    *plane = plane_of_hit(&hit, 1, x, z);
    plane->body = body;
    return true;
}

/* --- which clusters can be met ------------------------------------------------------------------- */

/* Surfaces beyond a vertex' search distance matter only if it passes them, for which clusters_mark() has room. */

/* Vertices may end elsewhere than expected by this part of their known distance. */
#define REACH_SLACK 0.4
/* Triangles in a patch. */
#define PATCH 192

/* --- building --------------------------------------------------------------------------------- */

/* Triangles, ropes and isolated vertices as corners. Returns how many. */
static int list_items(const Skin *skin, const Elements *elements, int (*corners)[3]) {
    int count = elements->count;
    for (int e = 0; e < count; ++e) {
        memcpy(corners[e], elements->list[e].vertices, sizeof *corners);
    }
    for (int v = 0; v < skin->vertex_count; ++v) {
        if (elements->vertex_owner[v] < 0) {
            corners[count][0] = corners[count][1] = corners[count][2] = v;
            ++count;
        }
    }
    return count;
}

/* In the order of a tree over their boxes at rest. */
static StatusCode build_patches(Reach *reach, const Skin *skin, int count, int (*corners)[3],
                                Store *store, Status *status) {
    Store scratch = {0};
    Box *boxes = STORE_ARRAY(&scratch, Box, count);
    Bvh tree;
    for (int i = 0; boxes && i < count; ++i) {
        boxes[i] = box_of_listed(skin->rest, corners[i], 3);
    }
    StatusCode code = scratch.failed ? status_no_memory(status, "patches of cloth")
                                     : bvh_build(&tree, count, boxes, &scratch, status);
    if (code == STATUS_OK) {
        code = clusters_build(&reach->patches, PATCH, count, tree.order, corners, NULL,
                              skin->vertex_count, skin->rest, store, status);
    }
    store_release(&scratch);
    return code;
}

StatusCode reach_build(Reach *reach, const Skin *skin, Store *store, Status *status) {
    size_t most = (size_t)skin->triangle_count + skin->edge_count + skin->vertex_count;
    Store scratch = {0};
    int(*corners)[3] = store_take(&scratch, most, sizeof *corners);
    Elements elements;
    StatusCode code = elements_build(&elements, skin, &scratch, status);
    *reach = (Reach){.vertex_count = skin->vertex_count,
                     .expected = STORE_ARRAY(store, Vec3, skin->vertex_count)};
    if (code == STATUS_OK && store->failed) {
        code = status_no_memory(status, "patches of cloth");
    } else if (code == STATUS_OK) {
        int count = list_items(skin, &elements, corners);
        code = build_patches(reach, skin, count, corners, store, status);
    }
    store_release(&scratch);
    return code;
}

/* --- substeps --------------------------------------------------------------------------------- */

static bool may_be_inside(const Clusters *patches, int patch, const double *clearance) {
    for (int i = patches->start[patch]; i < patches->start[patch + 1]; ++i) {
        if (clearance[patches->vertices[i]] < 0) {
            return true;
        }
    }
    return false;
}

static void wake(const Reach *reach, Pool *pool, const PlaneReach *asked, Collider *body,
                 const double *clearance) {
    const Clusters *patches = &reach->patches;
    memset(body->awake, 0, (size_t)body->clusters.count);
    for (int p = 0; p < patches->count; ++p) {
        bool deep = may_be_inside(patches, p, clearance);
        double most = (deep ? asked->deep : asked->known) + 2 * reach->slack;
        clusters_mark(&body->clusters, patches, p, most, body->awake);
    }
    collider_wake(body, pool);
}

void reach_begin(Reach *reach, Pool *pool, const BodySubstep *substep, const Vec3 *z,
                 const double *clearance) {
    clusters_move(&reach->patches, pool, substep->x, z, false);
    memcpy(reach->expected, z, (size_t)reach->vertex_count * sizeof *z);
    reach->slack = REACH_SLACK * substep->reach.known;
    reach->all = false;
    for (int b = 0; b < substep->body_count; ++b) {
        if (substep->bodies[b]) {
            wake(reach, pool, &substep->reach, substep->bodies[b], clearance);
        }
    }
}

static bool is_beyond(const Reach *reach, const Vec3 *z) {
    for (int i = subset_first(reach->awake); i < reach->vertex_count;
         i = subset_next(reach->awake, i)) {
        Vec3 way = vec3_sub(z[i], reach->expected[i]);
        if (!(vec3_dot(way, way) <= reach->slack * reach->slack)) {
            return true;
        }
    }
    return false;
}

void reach_all(Reach *reach, Pool *pool, const BodySubstep *substep) {
    reach->all = true;
    for (int b = 0; b < substep->body_count; ++b) {
        if (substep->bodies[b]) {
            collider_wake_all(substep->bodies[b], pool);
        }
    }
}

bool reach_refresh(Reach *reach, Pool *pool, const BodySubstep *substep, const Vec3 *z) {
    if (reach->all || !is_beyond(reach, z)) {
        return false;
    }
    reach_all(reach, pool, substep);
    return true;
}
