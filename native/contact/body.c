#include "contact/body.h"

#include <math.h>

#include "contact/ccd.h"

/* Planes are kept for vertices that may come within reach during the rounds, m. */
#define SLACK 0.01
/* A vertex that may be inside a solid is looked for to this depth, m. */
#define DEPTH 0.08
/* Speed at which vertices come out that were behind a surface from the start, m/s. */
#define RECOVERY 0.4
/* Where the distance is too small to give a direction, m. */
#define ON_SURFACE 1e-9
/* How far before a surface a vertex is put that ended behind it, m: more than rounding to float32 takes. */
#define BEFORE 1e-5
/* A vertex put before one surface may get behind another: tried so often. */
#define PUSHES 4
/* Bodies bend while they move: a way may touch although it is this part of what a straight one needs. */
#define WINDING 0.8
/* Overlapping parts of a body that are looked at. */
#define MOST_PARTS 6

StatusCode body_finder_build(BodyFinder *finder, int vertex_count, Store *store, Status *status) {
    *finder = (BodyFinder){.vertex_count = vertex_count,
                           .found = STORE_ARRAY(store, Contact, vertex_count),
                           .near = STORE_ARRAY(store, uint8_t, vertex_count),
                           .body = STORE_ARRAY(store, int, vertex_count),
                           .triangle = STORE_ARRAY(store, int, vertex_count),
                           .allowed = STORE_ARRAY(store, double, vertex_count),
                           .clearance = STORE_ARRAY(store, double, vertex_count),
                           .expected = STORE_ARRAY(store, Vec3, vertex_count),
                           .seen = STORE_ARRAY(store, Vec3, vertex_count)};
    return store->failed ? status_no_memory(status, "contacts with bodies") : STATUS_OK;
}

/* --- one vertex and its plane ----------------------------------------------------------------- */

/* A place of a surface that a vertex must stay before. */
typedef struct Plane {
    Vec3 point, normal, way;
    double distance; /* of the vertex from the true surface, negative behind it */
    double thickness, friction;
    int body, triangle; /* -1: the triangle is one on the way */
} Plane;

/* A vertex on its way. */
typedef struct Traveller {
    Vec3 x, z;
    double clearance; /* see BodyFinder */
} Traveller;

/* The side of a sheet is the one the vertex was on at the substep's start. */
static double side_at_start(const Hit *hit, Vec3 x) {
    Vec3 before = vec3_sub(hit->point, hit->displacement);
    return vec3_dot(vec3_sub(x, before), hit->normal) < 0 ? -1.0 : 1.0;
}

static Plane plane_of_hit(const Hit *hit, Vec3 x, Vec3 z) {
    Plane plane = {.point = hit->point,
                   .way = hit->displacement,
                   .thickness = hit->thickness,
                   .friction = hit->friction,
                   .triangle = hit->triangle};
    Vec3 away = vec3_sub(z, hit->point);
    if (hit->boundary) { /* a rim has no sides */
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

/* The nearest place of the body, or of its overlapping parts the one that lies deepest. */
static int nearest_plane(const Collider *body, const Traveller *traveller, double reach,
                         Plane *plane) {
    Hit hits[MOST_PARTS];
    int count = body->part_count == 1
                    ? collider_closest(body, traveller->z, reach, hits)
                    : collider_closest_parts(body, traveller->z, reach, MOST_PARTS, hits);
    count = count < MOST_PARTS ? count : MOST_PARTS;
    for (int i = 0; i < count; ++i) {
        Plane next = plane_of_hit(&hits[i], traveller->x, traveller->z);
        if (i == 0 || next.distance < plane->distance) {
            *plane = next;
        }
    }
    return count > 0;
}

/* --- the way of a fast vertex ----------------------------------------------------------------- */

typedef struct Passage {
    const Collider *body;
    MovingPoint point;
    Meeting first;
    int triangle; /* -1: none yet */
    double side;  /* of the triangle's normal on which the vertex came */
} Passage;

static int meet_triangle(void *context, int t) {
    Passage *passage = context;
    const Collider *body = passage->body;
    MovingPoint corners[3];
    for (int c = 0; c < 3; ++c) {
        int v = body->corners[t][c];
        corners[c] = (MovingPoint){body->at[0][v], body->at[1][v]};
    }
    Meeting meeting;
    if (!ccd_point_triangle(passage->point, corners, &meeting) ||
        (passage->triangle >= 0 && meeting.time >= passage->first.time)) {
        return 0;
    }
    Vec3 normal = vec3_cross(vec3_sub(corners[1].start, corners[0].start),
                             vec3_sub(corners[2].start, corners[0].start));
    double side = vec3_dot(vec3_sub(passage->point.start, corners[0].start), normal);
    if (side <= 0 && body->parts[body->part[t]].solid) {
        return 0; /* on its way out */
    }
    passage->first = meeting;
    passage->triangle = t;
    passage->side = side < 0 ? -1.0 : 1.0;
    return 0;
}

/* The first triangle that the vertex would pass from outside. */
static int passed_plane(const Collider *body, const Traveller *traveller, Plane *plane) {
    Passage passage = {
        .body = body, .point = {traveller->x, traveller->z}, .triangle = -1, .side = 1};
    Box box = box_with_point(box_with_point(box_empty(), traveller->x), traveller->z);
    collider_visit(body, &box, meet_triangle, &passage);
    if (passage.triangle < 0) {
        return 0;
    }
    *plane = (Plane){.thickness = body->thickness, .friction = body->friction, .triangle = -1};
    for (int c = 0; c < 3; ++c) {
        int v = body->corners[passage.triangle][c];
        Vec3 moved = vec3_sub(body->at[1][v], body->at[0][v]);
        plane->point = vec3_madd(plane->point, passage.first.weights[c], body->at[1][v]);
        plane->way = vec3_madd(plane->way, passage.first.weights[c], moved);
    }
    plane->normal = vec3_scale(passage.side, body->face_normals[passage.triangle]);
    plane->distance = vec3_dot(plane->normal, vec3_sub(traveller->z, plane->point));
    return plane->distance < 0;
}

/* Does the vertex come within reach of the body at all? One that may be inside is looked for. */
static int comes_near(const Collider *body, const Traveller *traveller) {
    Box box = box_with_point(box_with_point(box_empty(), traveller->x), traveller->z);
    double margin = body->thickness + SLACK;
    box = box_grown(box, traveller->clearance < 0 && margin < DEPTH ? DEPTH : margin);
    return collider_overlaps(body, &box);
}

/* A vertex that slides further than the thickness may have passed what is now behind it. Not if its way over the
 * surface is too short to touch: it began `clearance` away and ends as far as it is now. */
static void mind_the_way(const Collider *body, const Traveller *traveller, Plane *plane) {
    Vec3 over = vec3_sub(vec3_sub(traveller->z, traveller->x), plane->way);
    double way = vec3_length(over), far = body->thickness + SLACK; /* is all that is known beyond */
    double clearance = traveller->clearance < far ? traveller->clearance : far;
    Plane passed;
    if (way > body->thickness && way > WINDING * (clearance + plane->distance) &&
        traveller->clearance >= 0 && passed_plane(body, traveller, &passed) &&
        passed.distance < plane->distance) {
        *plane = passed;
    }
}

/* The plane of the body that is deepest, or nearest, within reach. */
static int find_plane(const BodySubstep *substep, const Traveller *traveller, Plane *best) {
    int found = 0;
    for (int b = 0; b < substep->body_count; ++b) {
        const Collider *body = substep->bodies[b];
        Plane plane;
        if (!body || !comes_near(body, traveller)) {
            continue;
        }
        double moved = vec3_distance(traveller->x, traveller->z) + body->fastest;
        double range = body->thickness + SLACK + moved;
        double reach = traveller->clearance < 0 && range < DEPTH ? DEPTH : range;
        if (!nearest_plane(body, traveller, reach, &plane)) {
            continue;
        }
        mind_the_way(body, traveller, &plane);
        plane.body = b;
        if (plane.distance < range &&
            (!found || plane.distance - plane.thickness < best->distance - best->thickness)) {
            *best = plane;
            found = 1;
        }
    }
    return found;
}

/* --- all vertices ----------------------------------------------------------------------------- */

typedef struct FindWork {
    BodyFinder *finder;
    const BodySubstep *substep;
    const Vec3 *z;
} FindWork;

static void measure_vertices(void *context, int begin, int end) {
    const FindWork *work = context;
    const BodySubstep *substep = work->substep;
    for (int i = begin; i < end; ++i) {
        Traveller traveller = {.x = substep->x[i], .z = substep->x[i], .clearance = -1};
        Plane plane;
        work->finder->clearance[i] =
            find_plane(substep, &traveller, &plane) ? plane.distance : INFINITY;
    }
}

void body_finder_measure(BodyFinder *finder, Pool *pool, const BodySubstep *substep) {
    FindWork work = {finder, substep, NULL};
    pool_run(pool, finder->vertex_count, measure_vertices, &work);
}

static Traveller traveller_of(const FindWork *work, int i) {
    return (Traveller){
        .x = work->substep->x[i], .z = work->z[i], .clearance = work->finder->clearance[i]};
}

static void note_plane(const FindWork *work, int i, const Plane *plane) {
    BodyFinder *finder = work->finder;
    double out = finder->clearance[i] + RECOVERY * work->substep->length;
    double shell = out < plane->thickness ? out : plane->thickness;
    finder->body[i] = plane->body;
    finder->triangle[i] = plane->triangle;
    finder->allowed[i] = shell < 0 ? shell : 0.0;
    finder->found[i] = (Contact){.count = 1,
                                 .vertices = {i},
                                 .weights = {1.0},
                                 .point = plane->point,
                                 .normal = plane->normal,
                                 .way = vec3_scale(work->substep->implicit_way, plane->way),
                                 .shell = shell,
                                 .soft = 0.5 * plane->thickness,
                                 .friction = plane->friction};
}

static void look_for(const FindWork *work, int i) {
    Traveller traveller = traveller_of(work, i);
    Plane plane;
    work->finder->near[i] = (uint8_t)find_plane(work->substep, &traveller, &plane);
    if (work->finder->near[i]) {
        note_plane(work, i, &plane);
    }
}

/* Near where it was met last, if it has not gone far since. */
static void look_again(const FindWork *work, int i) {
    BodyFinder *finder = work->finder;
    const Collider *body = work->substep->bodies[finder->body[i]];
    if (finder->triangle[i] < 0 ||
        vec3_distance(work->z[i], finder->expected[i]) > body->thickness) {
        look_for(work, i);
        finder->expected[i] = work->z[i];
        return;
    }
    Traveller traveller = traveller_of(work, i);
    Hit hit;
    collider_follow(body, traveller.z, finder->triangle[i], &hit);
    Plane plane = plane_of_hit(&hit, traveller.x, traveller.z);
    mind_the_way(body, &traveller, &plane);
    plane.body = finder->body[i];
    note_plane(work, i, &plane);
}

static void begin_vertices(void *context, int begin, int end) {
    const FindWork *work = context;
    for (int i = begin; i < end; ++i) {
        work->finder->expected[i] = work->z[i];
        work->finder->allowed[i] = 0;
        look_for(work, i);
    }
}

static void refresh_vertices(void *context, int begin, int end) {
    const FindWork *work = context;
    for (int i = begin; i < end; ++i) {
        if (work->finder->near[i]) {
            look_again(work, i);
            work->finder->near[i] = 1; /* it may come back in a later round */
        } else if (vec3_distance(work->z[i], work->finder->expected[i]) > SLACK) {
            work->finder->expected[i] = work->z[i];
            look_for(work, i);
        }
    }
}

static void list_contacts(const BodyFinder *finder, Contacts *contacts) {
    for (int i = 0; i < finder->vertex_count; ++i) {
        if (finder->near[i]) {
            contacts_add(contacts, CONTACT_BODY, &finder->found[i]);
        }
    }
}

void body_finder_begin(BodyFinder *finder, Pool *pool, const BodySubstep *substep, const Vec3 *z,
                       Contacts *contacts) {
    FindWork work = {finder, substep, z};
    pool_run(pool, finder->vertex_count, begin_vertices, &work);
    list_contacts(finder, contacts);
}

void body_finder_refresh(BodyFinder *finder, Pool *pool, const BodySubstep *substep, const Vec3 *z,
                         Contacts *contacts) {
    FindWork work = {finder, substep, z};
    pool_run(pool, finder->vertex_count, refresh_vertices, &work);
    list_contacts(finder, contacts);
}

/* --- the end of a substep --------------------------------------------------------------------- */

typedef struct EndWork {
    FindWork find;
    const uint8_t *held;
    Vec3 *z, *velocity;
} EndWork;

static void drive_out(const EndWork *work, int i, const Plane *plane, double allowed) {
    work->z[i] = vec3_madd(work->z[i], allowed + BEFORE - plane->distance, plane->normal);
    double speed = vec3_dot(plane->normal, work->velocity[i]);
    double least = vec3_dot(plane->normal, plane->way) / work->find.substep->length;
    if (speed < least) {
        work->velocity[i] = vec3_madd(work->velocity[i], least - speed, plane->normal);
    }
}

/* Behind its surface, or before it within the shell, or away. */
typedef enum Nearness { AWAY, TOUCHING, STUCK } Nearness;

/* Returns how deep the vertex was found. */
static double project_vertex(const EndWork *work, int i, Nearness *nearness, double *clearance) {
    const BodyFinder *finder = work->find.finder;
    double depth = 0;
    for (int push = 0; push <= PUSHES; ++push) {
        Traveller traveller = traveller_of(&work->find, i);
        Plane plane;
        if (!find_plane(work->find.substep, &traveller, &plane)) {
            *nearness = AWAY;
            *clearance = INFINITY;
            return depth;
        }
        *clearance = plane.distance;
        *nearness = plane.distance < plane.thickness ? TOUCHING : AWAY;
        if (work->held[i] || plane.distance >= finder->allowed[i]) {
            return depth;
        }
        if (push == 0) {
            depth = finder->allowed[i] - plane.distance;
        }
        if (push < PUSHES) {
            drive_out(work, i, &plane, finder->allowed[i]);
        }
    }
    *nearness = STUCK;
    return depth;
}

static void project_vertices(void *context, int begin, int end) {
    const EndWork *work = context;
    BodyFinder *finder = work->find.finder;
    for (int i = begin; i < end; ++i) {
        Nearness nearness = AWAY;
        double clearance = INFINITY, depth = 0;
        if (finder->near[i] || vec3_distance(finder->expected[i], work->z[i]) > SLACK) {
            depth = project_vertex(work, i, &nearness, &clearance);
        }
        finder->seen[i] = vec3(depth, nearness, clearance);
    }
}

void body_finder_project(BodyFinder *finder, Pool *pool, const BodySubstep *substep,
                         const uint8_t *held, Vec3 *z, Vec3 *velocity, BodyReport *report) {
    EndWork work = {{finder, substep, z}, held, z, velocity};
    pool_run(pool, finder->vertex_count, project_vertices, &work);
    *report = (BodyReport){0};
    for (int i = 0; i < finder->vertex_count; ++i) {
        Vec3 seen = finder->seen[i];
        report->deepest = seen.x > report->deepest ? seen.x : report->deepest;
        report->stuck += seen.y == STUCK;
        report->touching += seen.y != AWAY;
    }
}

int body_finder_touches(const BodyFinder *finder, int vertex) {
    return finder->seen[vertex].y != AWAY;
}

void body_finder_settle(BodyFinder *finder) {
    for (int i = 0; i < finder->vertex_count; ++i) {
        finder->clearance[i] = finder->seen[i].z;
    }
}
