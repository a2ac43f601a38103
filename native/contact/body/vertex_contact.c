/* Vertices are searched in parallel, each writing to its own places; their contacts are then copied into one list, in
 * the order of vertices. */
#include "contact/body/vertex_contact.h"

#include <math.h>

#include "contact/scale.h"

/* Lengths are in m at the usual thickness: see scale.h. */

/* Distance in front of a surface at which a vertex that ended behind it is put: more than the rounding of float32. */
#define BEFORE 1e-5
/* A vertex put in front of one surface may get behind another: at most this many attempts. */
#define PUSHES 4
/* A vertex on rails is pushed along them if that gains this part of the way out. */
#define LEAST_GAIN 0.1
/* Where there is no room, a vertex may be off the middle by this, and before one of the two surfaces by that. */
#define PINCHED 1e-3
#define RIM 2e-4
/* Vertices that began deeper than this behind the middle are coming out of a body that they started in. */
#define DEEP 2e-3

StatusCode vertex_contact_build(VertexContactFinder *finder, int vertex_count, Store *store,
                                Status *status) {
    size_t planes = MOST_CONTACT_PLANES * (size_t)vertex_count;
    *finder =
        (VertexContactFinder){.vertex_count = vertex_count,
                              .rail_from = vertex_count,
                              .found = STORE_ARRAY(store, Contact, planes),
                              .near = STORE_ARRAY(store, uint8_t, vertex_count),
                              .listed = STORE_ARRAY(store, uint8_t, vertex_count),
                              .pinched = STORE_ARRAY(store, uint8_t, vertex_count),
                              .room = STORE_ARRAY(store, double, vertex_count),
                              .body = STORE_ARRAY(store, int, planes),
                              .triangle = STORE_ARRAY(store, int, planes),
                              .allowed = STORE_ARRAY(store, double, vertex_count),
                              .clearance = STORE_ARRAY(store, double, vertex_count),
                              .expected = STORE_ARRAY(store, Vec3, vertex_count),
                              .known = STORE_ARRAY(store, double, vertex_count),
                              .approach = STORE_ARRAY(store, double, vertex_count),
                              .cache = STORE_ARRAY(store, SearchCache, vertex_count),
                              .seen = STORE_ARRAY(store, Vec3, vertex_count),
                              .first = STORE_ARRAY(store, int, pool_chunks(vertex_count) + 1),
                              .work_limit = {.left = WORK_UNLIMITED},
                              .shares = STORE_ARRAY(store, WorkShare, pool_chunks(vertex_count))};
    return store->failed ? status_no_memory(status, "contacts with bodies") : STATUS_OK;
}

typedef struct FindWork {
    VertexContactFinder *finder;
    const BodySubstep *substep;
    const Vec3 *z;
    bool again;  /* not the first search of the substep */
    Contact *to; /* where the contacts go */
} FindWork;

static void measure_vertices(void *context, int begin, int end) {
    const FindWork *work = context;
    const BodySubstep *substep = work->substep;
    for (int i = begin; i < end; ++i) {
        VertexPath path = {
            .vertex = i, .x = substep->x[i], .z = substep->x[i], .clearance = -1, .triangle = -1};
        ContactPlane planes[MOST_CONTACT_PLANES];
        contact_plane_find(substep, &path, planes, &work->finder->clearance[i]);
    }
}

void vertex_contact_measure(VertexContactFinder *finder, Pool *pool, const BodySubstep *substep) {
    FindWork work = {.finder = finder, .substep = substep};
    pool_run(pool, finder->vertex_count, measure_vertices, &work);
}

/* --- contacts --------------------------------------------------------------------------------- */

/* Runs a task over all vertices; each chunk has its share of the work limit. */
static void run_sharing(VertexContactFinder *finder, Pool *pool, PoolTask task, void *context) {
    int chunks = pool_chunks(finder->vertex_count);
    WorkShare first = work_limit_share(&finder->work_limit, chunks);
    first.given = first.left = work_limit_has_left(&finder->work_limit) ? first.left : 0;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        finder->shares[chunk] = first;
    }
    pool_run(pool, finder->vertex_count, task, context);
    for (int chunk = 0; chunk < chunks; ++chunk) {
        work_limit_spend(&finder->work_limit, &finder->shares[chunk]);
    }
}

static VertexPath path_of(const FindWork *work, int i) {
    const VertexContactFinder *finder = work->finder;
    return (VertexPath){.vertex = i,
                        .x = work->substep->x[i],
                        .z = work->z[i],
                        .clearance = finder->clearance[i],
                        .body = finder->body[MOST_CONTACT_PLANES * i],
                        .triangle = finder->triangle[MOST_CONTACT_PLANES * i],
                        .share = &finder->shares[pool_chunk_at(i)]};
}

static double scale_of(const FindWork *work, int i, const ContactPlane *plane) {
    return collider_scale(work->substep->bodies[plane->body], substep_share(work->substep, i));
}

/* The shell that a plane may keep: its thickness, or what the vertex had at the start and can gain. */
static double shell_of(const FindWork *work, int i, const ContactPlane *plane, bool is_first) {
    Vec3 before = vec3_sub(plane->point, plane->way);
    double had = is_first ? work->finder->clearance[i]
                          : vec3_dot(plane->normal, vec3_sub(work->substep->x[i], before));
    double out = had + CONTACT_RECOVERY * scale_of(work, i, plane) * work->substep->length;
    return out < plane->thickness ? out : plane->thickness;
}

/* The rotation of the surface at the vertex's plane p. Within a substep most planes keep their triangle, and with it their
 * rotation. */
static Vec3 turn_of(const FindWork *work, int i, int p, const ContactPlane *plane) {
    const VertexContactFinder *finder = work->finder;
    int at = MOST_CONTACT_PLANES * i + p;
    if (plane->triangle < 0) {
        return vec3(0, 0, 0);
    }
    if (work->again && p < finder->near[i] && finder->body[at] == plane->body &&
        finder->triangle[at] == plane->triangle) {
        return finder->found[at].turn;
    }
    return collider_turn(work->substep->bodies[plane->body], plane->triangle);
}

/* Two surfaces that face each other share the room between them, so that the vertex comes to rest in the middle;
 * if they overlap there is none, and the middle is behind both. */
static void note_planes(const FindWork *work, int i, int count, const ContactPlane *planes) {
    VertexContactFinder *finder = work->finder;
    bool is_listed = false;
    double half = count == 2 ? 0.5 * (planes[0].distance + planes[1].distance) : INFINITY;
    bool is_deep = count == 2 && finder->clearance[i] < -DEEP * scale_of(work, i, planes);
    finder->pinched[i] = half < 0 && !is_deep;
    finder->room[i] = is_deep ? INFINITY : 2 * half;
    for (int p = 0; p < count; ++p) {
        const ContactPlane *plane = &planes[p];
        double shell = shell_of(work, i, plane, p == 0);
        if (p == 0) {
            finder->allowed[i] = shell < 0 ? shell : 0.0;
        }
        shell = half < shell ? half : shell;
        Vec3 turn = turn_of(work, i, p, plane);
        is_listed |= plane->distance < work->substep->reach.listed;
        finder->body[MOST_CONTACT_PLANES * i + p] = plane->body;
        finder->triangle[MOST_CONTACT_PLANES * i + p] = plane->triangle;
        finder->found[MOST_CONTACT_PLANES * i + p] =
            (Contact){.count = 1,
                      .vertices = {i},
                      .weights = {1.0},
                      .point = plane->point,
                      .normal = plane->normal,
                      .way = plane->way,
                      .turn = turn,
                      .shell = shell,
                      .soft = 0.5 * plane->thickness,
                      .range = CONTACT_GRIP_RANGE * scale_of(work, i, plane),
                      .friction = plane->friction};
    }
    finder->near[i] = (uint8_t)count;
    finder->listed[i] = (uint8_t)(is_listed ? count : 0);
}

static void search_vertex(const FindWork *work, int i) {
    VertexPath path = path_of(work, i);
    ContactPlane planes[MOST_CONTACT_PLANES];
    work->finder->expected[i] = work->z[i];
    path.cache = &work->finder->cache[i];
    path.cache->body = -1;
    path.cache->alone = 0;
    int count = contact_plane_find(work->substep, &path, planes, &work->finder->known[i]);
    note_planes(work, i, count, planes);
}

/* Follows the last contact, if the vertex has not moved far since. */
static void follow_vertex(const FindWork *work, int i) {
    const VertexContactFinder *finder = work->finder;
    const int *body = finder->body + MOST_CONTACT_PLANES * i;
    const int *triangle = finder->triangle + MOST_CONTACT_PLANES * i;
    double moved = vec3_distance(work->z[i], finder->expected[i]);
    if (finder->near[i] == 0 || triangle[0] < 0 ||
        moved > substep_share(work->substep, i) * work->substep->bodies[body[0]]->thickness) {
        finder->approach[i] += moved;
        search_vertex(work, i);
        return;
    }
    VertexPath path = path_of(work, i);
    ContactPlane planes[MOST_CONTACT_PLANES];
    int count = finder->near[i];
    for (int p = 0; p < count; ++p) {
        planes[p].body = body[p];
        planes[p].triangle = triangle[p];
        count = triangle[p] < 0 ? p : count;
    }
    contact_plane_follow(work->substep, &path, count, planes);
    note_planes(work, i, count, planes);
}

/* Nothing can be near it. */
static void skip_vertex(const FindWork *work, int i, double known) {
    VertexContactFinder *finder = work->finder;
    finder->expected[i] = work->z[i];
    finder->known[i] = known;
    finder->near[i] = finder->listed[i] = finder->pinched[i] = 0;
    finder->room[i] = INFINITY;
}

/* A bound of what the vertex can touch on its path to z, from its distance at the substep's start. */
static ClusterBound bound_of(const FindWork *work, int i) {
    const BodySubstep *substep = work->substep;
    ClusterBound all = {.distance = substep->reach.known};
    for (int b = 0; b < substep->body_count; ++b) {
        if (substep->bodies[b]) {
            ClusterBound own = clusters_bound(&substep->bodies[b]->clusters, substep->x[i],
                                              work->z[i], work->finder->clearance[i],
                                              substep->reach.known, substep->reach.meeting);
            all.distance = fmin(all.distance, own.distance);
            all.approach = fmax(all.approach, own.approach);
        }
    }
    return all;
}

static void begin_vertices(void *context, int begin, int end) {
    const FindWork *work = context;
    VertexContactFinder *finder = work->finder;
    for (int i = begin; i < end; ++i) {
        if (!subset_has(finder->awake, i)) {
            continue;
        }
        finder->allowed[i] = 0;
        ClusterBound bound = bound_of(work, i);
        finder->approach[i] = bound.approach;
        /* a vertex that may be inside needs a search: clusters do not know the sides */
        if (finder->clearance[i] >= 0 && bound.distance > work->substep->reach.near) {
            skip_vertex(work, i, bound.distance);
        } else {
            search_vertex(work, i);
        }
    }
}

/* Its least distance from all surfaces. */
static double least_distance(const FindWork *work, int i) {
    const VertexContactFinder *finder = work->finder;
    return finder->known[i] - vec3_distance(work->z[i], finder->expected[i]);
}

static void refresh_vertices(void *context, int begin, int end) {
    const FindWork *work = context;
    VertexContactFinder *finder = work->finder;
    for (int i = begin; i < end; ++i) {
        if (!subset_has(finder->awake, i)) {
            continue;
        }
        if (least_distance(work, i) > work->substep->reach.listed) {
            finder->listed[i] = 0;
        } else {
            follow_vertex(work, i);
        }
    }
}

static void count_vertices(void *context, int begin, int end) {
    VertexContactFinder *finder = ((const FindWork *)context)->finder;
    int count = 0;
    for (int i = begin; i < end; ++i) {
        count += subset_has(finder->awake, i) ? finder->listed[i] : 0;
    }
    finder->first[pool_chunk_at(begin) + 1] = count;
}

static void copy_vertices(void *context, int begin, int end) {
    const FindWork *work = context;
    const VertexContactFinder *finder = work->finder;
    Contact *to = work->to + finder->first[pool_chunk_at(begin)];
    for (int i = begin; i < end; ++i) {
        int listed = subset_has(finder->awake, i) ? finder->listed[i] : 0;
        for (int p = 0; p < listed; ++p) {
            *to++ = finder->found[MOST_CONTACT_PLANES * i + p];
        }
    }
}

static void list_contacts(FindWork *work, Pool *pool, Contacts *contacts) {
    VertexContactFinder *finder = work->finder;
    int chunks = pool_chunks(finder->vertex_count);
    pool_run(pool, finder->vertex_count, count_vertices, work);
    for (int chunk = 0; chunk < chunks; ++chunk) {
        finder->first[chunk + 1] += finder->first[chunk];
    }
    work->to = contacts_extend(contacts, CONTACT_BODY, finder->first[chunks]);
    if (work->to) {
        pool_run(pool, finder->vertex_count, copy_vertices, work);
    }
}

void vertex_contact_begin(VertexContactFinder *finder, Pool *pool, const BodySubstep *substep,
                          const Vec3 *z, Contacts *contacts) {
    FindWork work = {.finder = finder, .substep = substep, .z = z};
    run_sharing(finder, pool, begin_vertices, &work);
    list_contacts(&work, pool, contacts);
}

void vertex_contact_refresh(VertexContactFinder *finder, Pool *pool, const BodySubstep *substep,
                            const Vec3 *z, Contacts *contacts) {
    FindWork work = {.finder = finder, .substep = substep, .z = z, .again = true};
    run_sharing(finder, pool, refresh_vertices, &work);
    list_contacts(&work, pool, contacts);
}

/* --- the end of a substep --------------------------------------------------------------------- */

typedef struct EndWork {
    FindWork find;
    const uint8_t *held;
    Vec3 *z, *velocity;
} EndWork;

static void push_out(const EndWork *work, int i, const ContactPlane *plane, double allowed) {
    Vec3 out = plane->normal;
    double before = BEFORE * scale_of(&work->find, i, plane);
    if (i >= work->find.finder->rail_from) {
        out.x = 0;
        double gained = vec3_dot(out, plane->normal);
        out = gained > LEAST_GAIN ? vec3_scale(1.0 / gained, out) : vec3(0, 0, 0);
    }
    work->z[i] = vec3_madd(work->z[i], allowed + before - plane->distance, out);
    double speed = vec3_dot(plane->normal, work->velocity[i]);
    double least = vec3_dot(plane->normal, plane->way) / work->find.substep->length;
    if (speed < least) {
        work->velocity[i] = vec3_madd(work->velocity[i], least - speed, out);
    }
}

/* Half of the room between two planes, negative where they overlap; of one plane 0. */
static double half_room(int count, const ContactPlane *planes) {
    return count == 2 ? 0.5 * (planes[0].distance + planes[1].distance) : 0.0;
}

/* How far before the first plane a vertex has to end. Between two that overlap that is near their middle, and behind
 * both. */
static double least_of(const EndWork *work, int i, double half, const ContactPlane *first) {
    double least = work->find.finder->allowed[i];
    if (half < 0) {
        double scale = scale_of(&work->find, i, first);
        least = fmin(least, fmax(half - PINCHED * scale, 2 * half - RIM * scale));
    }
    return least;
}

/* Behind its surface, or before it within the shell, or away. */
typedef enum Nearness { AWAY, TOUCHING, STUCK } Nearness;

/* A vertex between two overlapping surfaces moves with them. Its clearance is measured from the middle, so that it is in
 * front of both as soon as they separate, and need not come out slowly as from a start inside. */
static void hold(const EndWork *work, int i, double half, const ContactPlane *planes,
                 Nearness *nearness, double *clearance) {
    double rate = 0.5 / work->find.substep->length;
    work->velocity[i] = vec3_scale(rate, vec3_add(planes[0].way, planes[1].way));
    double scale = scale_of(&work->find, i, planes), off = planes[0].distance - half;
    if (off > -DEEP * scale) {
        *clearance = fmin(off, -BEFORE * scale);
    }
    *nearness = STUCK;
}

/* Returns how deep the vertex was found. */
static double project_vertex(const EndWork *work, int i, Nearness *nearness, double *clearance) {
    const VertexContactFinder *finder = work->find.finder;
    double depth = 0;
    for (int push = 0; push <= PUSHES; ++push) {
        VertexPath path = path_of(&work->find, i);
        path.cache = &finder->cache[i];
        path.reuses = 1;
        path.seen = finder->expected[i];
        ContactPlane planes[MOST_CONTACT_PLANES];
        *nearness = AWAY;
        int count = contact_plane_find(work->find.substep, &path, planes, clearance);
        if (count == 0) {
            return depth;
        }
        double half = half_room(count, planes), least = least_of(work, i, half, planes);
        *clearance = planes->distance;
        *nearness = planes->distance < planes->thickness ? TOUCHING : AWAY;
        if (work->held[i] || planes->distance >= least) {
            if (half < 0 && !work->held[i]) {
                hold(work, i, half, planes, nearness, clearance);
            }
            return depth;
        }
        if (push == 0) {
            depth = least - planes->distance;
        }
        if (push < PUSHES) {
            push_out(work, i, planes, least);
        }
    }
    *nearness = STUCK;
    return depth;
}

static void project_vertices(void *context, int begin, int end) {
    const EndWork *work = context;
    VertexContactFinder *finder = work->find.finder;
    for (int i = begin; i < end; ++i) {
        Nearness nearness = AWAY;
        double clearance = least_distance(&work->find, i), depth = 0;
        if (!(clearance > work->find.substep->reach.touching)) {
            depth = project_vertex(work, i, &nearness, &clearance);
        } else if (finder->near[i] == 0 && finder->clearance[i] >= 0) {
            clearance = fmax(clearance, bound_of(&work->find, i).distance);
        }
        finder->seen[i] = vec3(depth, nearness, clearance);
    }
}

void vertex_contact_project(VertexContactFinder *finder, Pool *pool, const BodySubstep *substep,
                            const uint8_t *held, Vec3 *z, Vec3 *velocity, BodyReport *report) {
    EndWork work = {.find = {.finder = finder, .substep = substep, .z = z},
                    .held = held,
                    .z = z,
                    .velocity = velocity};
    run_sharing(finder, pool, project_vertices, &work);
    *report = (BodyReport){0};
    for (int i = 0; i < finder->vertex_count; ++i) {
        Vec3 seen = finder->seen[i];
        report->deepest = seen.x > report->deepest ? seen.x : report->deepest;
        report->stuck += seen.y == STUCK;
        report->touching += seen.y != AWAY;
    }
}

bool vertex_contact_touches(const VertexContactFinder *finder, int vertex) {
    return finder->seen[vertex].y != AWAY;
}

void vertex_contact_settle(VertexContactFinder *finder) {
    for (int i = 0; i < finder->vertex_count; ++i) {
        finder->clearance[i] = finder->seen[i].z;
    }
}
