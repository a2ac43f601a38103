/* Pushes come first: they keep momentum and the shape of the cloth. Zones take only what pushes cannot separate, since they
 * freeze their vertices. */
#include "contact/self/impact.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "contact/scale.h"
#include "mesh/adjacency.h"

/* --- zones ------------------------------------------------------------------------------------ */

/* Sums of mass, motion and spin over a zone's members, then one rigid motion for all of them. */

/* Of the inertia's trace, added to its diagonal: members in one line have no turn about it. */
#define SLENDER 1e-9
/* The most a zone turns in one substep, rad: well below half a turn. */
#define MOST_TURN 1.0
/* Fixed members whose motions differ by less move as one, m. */
#define SAME_WAY 1e-12

void zones_take(Zones *zones, int vertex_count, Store *store) {
    *zones = (Zones){.vertex_count = vertex_count,
                     .members = STORE_ARRAY(store, int, vertex_count),
                     .parent = STORE_ARRAY(store, int, vertex_count),
                     .of = STORE_ARRAY(store, int, vertex_count),
                     .is_in = STORE_ARRAY(store, uint8_t, vertex_count),
                     .changed = STORE_ARRAY(store, uint8_t, vertex_count),
                     .sums = STORE_ARRAY(store, ZoneSum, vertex_count)};
    for (int v = 0; !store->failed && v < vertex_count; ++v) {
        zones->parent[v] = v;
        zones->of[v] = -1;
    }
}

void zones_clear(Zones *zones) {
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        zones->parent[v] = v;
        zones->of[v] = -1;
        zones->is_in[v] = zones->changed[v] = 0;
    }
    zones->count = 0;
}

static void take_in(Zones *zones, int v) {
    if (!zones->is_in[v]) {
        zones->is_in[v] = 1;
        zones->members[zones->count++] = v;
    }
}

bool zones_join(Zones *zones, int a, int b) {
    take_in(zones, a);
    take_in(zones, b);
    int first = components_root(zones->parent, a), second = components_root(zones->parent, b);
    if (first == second) {
        return false;
    }
    int root = first < second ? first : second;
    zones->parent[first] = zones->parent[second] = root;
    zones->changed[root] = 1;
    return true;
}

/* True if the vertex was in a zone when they last moved, and that has changed since. */
static bool zones_grows(Zones *zones, int v) {
    return zones->of[v] >= 0 && zones->changed[components_root(zones->parent, v)];
}

bool zones_hold(const Zones *zones, const int vertices[4]) {
    int zone = zones->of[vertices[0]];
    return zone >= 0 && zones->of[vertices[1]] == zone && zones->of[vertices[2]] == zone &&
           zones->of[vertices[3]] == zone && zones->sums[zone].stiff;
}

/* --- moving ----------------------------------------------------------------------------------- */

static ZoneSum *changed_sum(const Zones *zones, int v) {
    int zone = zones->of[v];
    return zones->changed[zone] ? &zones->sums[zone] : NULL;
}

/* Mass, centre and mean motion; only that of fixed members if there are any. */
static void sum_ways(Zones *zones, const Vec3 *x, const double *mass, const uint8_t *fixed,
                     const Vec3 *z) {
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        ZoneSum *sum = changed_sum(zones, v);
        if (!sum) {
            continue;
        }
        Vec3 way = vec3_sub(z[v], x[v]);
        bool held = fixed && fixed[v];
        if (held && !sum->held) {
            sum->way = vec3(0, 0, 0);
        }
        sum->held += held;
        sum->mass += mass[v];
        sum->start = vec3_madd(sum->start, mass[v], x[v]);
        if (held || !sum->held) {
            sum->way = vec3_madd(sum->way, held ? 1.0 : mass[v], way);
        }
    }
}

/* Divides the sums the first time a member meets its zone: that is the zone's own first vertex, or any. */
static void take_means(Zones *zones) {
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        ZoneSum *sum = zones->of[v] == v ? changed_sum(zones, v) : NULL;
        if (sum) {
            sum->start = vec3_scale(1.0 / sum->mass, sum->start);
            sum->way = vec3_scale(1.0 / (sum->held ? sum->held : sum->mass), sum->way);
        }
    }
}

/* Angular momentum and inertia of free zones; whether the fixed members of others move alike. */
static void sum_spins(Zones *zones, const Vec3 *x, const double *mass, const uint8_t *fixed,
                      const Vec3 *z) {
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        ZoneSum *sum = changed_sum(zones, v);
        if (!sum) {
            continue;
        }
        Vec3 r = vec3_sub(x[v], sum->start), way = vec3_sub(vec3_sub(z[v], x[v]), sum->way);
        if (sum->held) {
            sum->stiff &= !(fixed[v] && vec3_length(way) > SAME_WAY);
            continue;
        }
        double m = mass[v], *inertia = sum->inertia;
        sum->spin = vec3_madd(sum->spin, m, vec3_cross(r, way));
        inertia[0] += m * (r.y * r.y + r.z * r.z);
        inertia[1] += m * (r.z * r.z + r.x * r.x);
        inertia[2] += m * (r.x * r.x + r.y * r.y);
        inertia[3] -= m * r.y * r.z;
        inertia[4] -= m * r.z * r.x;
        inertia[5] -= m * r.x * r.y;
    }
}

/* From angular momentum to the turn. */
static void find_turn(ZoneSum *sum) {
    const double *inertia = sum->inertia;
    double more = SLENDER * (inertia[0] + inertia[1] + inertia[2]);
    Vec3 a = vec3(inertia[0] + more, inertia[5], inertia[4]);
    Vec3 b = vec3(inertia[5], inertia[1] + more, inertia[3]);
    Vec3 c = vec3(inertia[4], inertia[3], inertia[2] + more);
    Vec3 bc = vec3_cross(b, c), ca = vec3_cross(c, a), ab = vec3_cross(a, b);
    double volume = vec3_dot(a, bc);
    Vec3 zero = {0, 0, 0}, spin = sum->spin;
    if (sum->held || !(volume > 0)) {
        sum->spin = zero;
        return;
    }
    Vec3 turn = vec3_madd(vec3_scale(spin.x, bc), spin.y, ca);
    turn = vec3_scale(1.0 / volume, vec3_madd(turn, spin.z, ab));
    double angle = vec3_length(turn);
    sum->spin = !isfinite(angle)    ? zero
                : angle > MOST_TURN ? vec3_scale(MOST_TURN / angle, turn)
                                    : turn;
}

/* What the turn adds to r. */
static Vec3 turned(Vec3 r, Vec3 turn) {
    double angle = vec3_length(turn);
    if (!(angle > VEC3_TINY)) {
        return vec3_cross(turn, r);
    }
    Vec3 across = vec3_cross(turn, r), back = vec3_cross(turn, across);
    double half = sin(0.5 * angle) / angle;
    return vec3_madd(vec3_scale(sin(angle) / angle, across), 2 * half * half, back);
}

static void move_members(Zones *zones, const Vec3 *x, const uint8_t *fixed, Vec3 *z,
                         uint8_t *moved) {
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        const ZoneSum *sum = changed_sum(zones, v);
        if (!sum) {
            continue;
        }
        moved[v] = 1;
        if (!(fixed && fixed[v])) {
            Vec3 way = vec3_add(sum->way, turned(vec3_sub(x[v], sum->start), sum->spin));
            z[v] = vec3_add(x[v], way);
        }
    }
}

void zones_move(Zones *zones, const Vec3 *x, const double *mass, const uint8_t *fixed, Vec3 *z,
                uint8_t *moved) {
    memset(moved, 0, (size_t)zones->vertex_count);
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        zones->of[v] = components_root(zones->parent, v);
        if (zones->changed[zones->of[v]]) {
            zones->sums[zones->of[v]] = (ZoneSum){.stiff = 1};
        }
    }
    sum_ways(zones, x, mass, fixed, z);
    take_means(zones);
    sum_spins(zones, x, mass, fixed, z);
    for (int i = 0; i < zones->count; ++i) {
        int v = zones->members[i];
        if (zones->of[v] == v && zones->changed[v]) {
            find_turn(&zones->sums[v]);
        }
    }
    move_members(zones, x, fixed, z, moved);
    for (int i = 0; i < zones->count; ++i) {
        zones->changed[zones->members[i]] = 0;
    }
}

/* Passes of pushes before zones are formed. */
#define PASSES 8
/* Attempts with zones: first they take in what they hit, then also a ring of neighbours each time, at last whole
 * components. */
#define TURNS 32
#define RINGS_FROM 6
#define ELEMENTS_FROM 16
/* How often the path of two elements is halved before their vertices and edges are tested. */
#define HALVINGS 2

/* What a search needs to know. */
typedef struct ImpactSearch {
    Impact *impact;
    const Vec3 *x, *z;
    WorkShare share; /* of each slice */
    bool whole;      /* all searches so far were complete */
    bool first;      /* of this substep: all vertices count as moved, and tangles are marked */
} ImpactSearch;

StatusCode impact_build(Impact *impact, const Skin *skin, Status *status) {
    *impact = (Impact){.skin = skin, .work_limit.left = WORK_UNLIMITED};
    Store *store = &impact->store;
    StatusCode code = swept_surface_build(&impact->surface, skin, store, status);
    if (code == STATUS_OK) {
        zones_take(&impact->zones, skin->vertex_count, store);
        impact->found = STORE_ARRAY(store, CcdHitList, swept_tree_slices(&impact->surface.tree));
        impact->tangle = store_take(store, (size_t)skin->vertex_count, sizeof *impact->tangle);
        impact->moved = STORE_ARRAY(store, uint8_t, skin->vertex_count);
        ImpactEnd *const ends[2] = {&impact->end, &impact->next};
        for (int k = 0; k < 2; ++k) {
            ends[k]->left_at = STORE_ARRAY(store, Vec3, skin->vertex_count);
            ends[k]->suspects = STORE_ARRAY(store, uint8_t, skin->vertex_count);
        }
        code = store->failed ? status_no_memory(status, "impacts") : STATUS_OK;
    }
    if (code != STATUS_OK) {
        impact_destroy(impact);
    }
    return code;
}

void impact_destroy(Impact *impact) {
    for (int s = 0; impact->found && s < swept_tree_slices(&impact->surface.tree); ++s) {
        free(impact->found[s].items);
    }
    free(impact->hits.items);
    store_release(&impact->store);
    *impact = (Impact){0};
}

/* --- the search, in parallel ------------------------------------------------------------------------ */

typedef struct Finder {
    const ImpactSearch *search;
    CcdHitList *list;
} Finder;

/* Two elements with their places. */
typedef struct ElementPair {
    const Element *elements[2];
    Vec3 start[2][3], end[2][3];
} ElementPair;

/* How many vertices two elements share; `places` are those of one of them in each. */
static int count_shared(const Element *a, const Element *b, int places[2]) {
    int count = 0;
    for (int i = 0; i < a->corners; ++i) {
        int v = a->vertices[i];
        int j = v == b->vertices[0] ? 0 : v == b->vertices[1] ? 1 : v == b->vertices[2] ? 2 : -1;
        if (j >= 0) {
            places[0] = i;
            places[1] = j;
            ++count;
        }
    }
    return count;
}

static bool is_tangled(const Impact *impact, int v) {
    return atomic_load_explicit(&impact->tangle[v], memory_order_relaxed);
}

static int both_tangled(const Impact *impact, const int vertices[4], int split) {
    int sides[2] = {0, 0};
    for (int j = 0; j < 4; ++j) {
        sides[j >= split] |= is_tangled(impact, vertices[j]);
    }
    return sides[0] && sides[1];
}

static void test_pair(const Finder *finder, const int vertices[4], const Trajectory *path) {
    const ImpactSearch *search = finder->search;
    const Impact *impact = search->impact;
    if (!search->first) {
        const uint8_t *moved = impact->moved;
        int any = moved[vertices[0]] | moved[vertices[1]] | moved[vertices[2]] | moved[vertices[3]];
        if (!any || zones_hold(&impact->zones, vertices) ||
            both_tangled(impact, vertices, path->split)) {
            return;
        }
    }
    CcdHit hit;
    if (!pair_ccd(path, &hit)) {
        return;
    }
    CcdHitList *list = finder->list;
    if (list->count < list->capacity) {
        memcpy(hit.vertices, vertices, sizeof hit.vertices);
        list->items[list->count] = hit;
    }
    ++list->count;
    list->share.left -= WORK_LISTED;
}

/* The vertices that belong to element `side`, against the other element's face. */
static void test_vertices(const Finder *finder, const ElementPair *pair, int side) {
    const Element *element = pair->elements[side], *face = pair->elements[1 - side];
    Trajectory path = {.split = 1};
    for (int k = 0; k < 3 && face->corners == 3; ++k) {
        int v = element->vertices[k];
        if (!(element->own_vertices >> k & 1) || element_has(face, v)) {
            continue;
        }
        const int *w = face->vertices, vertices[4] = {v, w[0], w[1], w[2]};
        path.start[0] = pair->start[side][k];
        path.end[0] = pair->end[side][k];
        memcpy(path.start + 1, pair->start[1 - side], sizeof pair->start[0]);
        memcpy(path.end + 1, pair->end[1 - side], sizeof pair->end[0]);
        test_pair(finder, vertices, &path);
    }
}

static void test_edges(const Finder *finder, const ElementPair *pair) {
    const Element *a = pair->elements[0], *b = pair->elements[1];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (!(a->own_edges >> i & 1) || !(b->own_edges >> j & 1)) {
                continue;
            }
            int k = (i + 1) % 3, l = (j + 1) % 3;
            int vertices[4] = {a->vertices[i], a->vertices[k], b->vertices[j], b->vertices[l]};
            if (vertices[0] == vertices[2] || vertices[0] == vertices[3] ||
                vertices[1] == vertices[2] || vertices[1] == vertices[3]) {
                continue;
            }
            Trajectory path = {
                .split = 2,
                .start = {pair->start[0][i], pair->start[0][k], pair->start[1][j],
                          pair->start[1][l]},
                .end = {pair->end[0][i], pair->end[0][k], pair->end[1][j], pair->end[1][l]}};
            test_pair(finder, vertices, &path);
        }
    }
}

static void mark(const Impact *impact, int v) {
    atomic_store_explicit(&impact->tangle[v], 1, memory_order_relaxed);
}

/* Marks the vertices of sides that go through the other element's face at x. The marks are all alike, so it
 * does not matter who sets them first. */
static void mark_tangles(const Finder *finder, const ElementPair *pair, int side) {
    const Element *element = pair->elements[side], *face = pair->elements[1 - side];
    const Impact *impact = finder->search->impact;
    for (int k = 0; k < 3 && face->corners == 3; ++k) {
        int next = (k + 1) % 3, a = element->vertices[k], b = element->vertices[next];
        if (!(element->own_edges >> k & 1) || element_has(face, a) || element_has(face, b)) {
            continue;
        }
        Vec3 edge[2] = {pair->start[side][k], pair->start[side][next]};
        if (edge_meets_triangle(edge, pair->start[1 - side])) {
            mark(impact, a);
            mark(impact, b);
            for (int c = 0; c < 3; ++c) {
                mark(impact, face->vertices[c]);
            }
        }
    }
}

static Vec3 sum_of(const Vec3 x[3]) { return vec3_add(vec3_add(x[0], x[1]), x[2]); }

static int axis_parts(const ElementPair *pair, Vec3 axis) {
    double start = pair_separation(axis, pair->start[0], 3, pair->start[1], 3);
    return start > 0 &&
           pair_is_separated(axis, start, pair_separation(axis, pair->end[0], 3, pair->end[1], 3));
}

/* Whether whole elements stay separate: along the line of their middles, or one on one side of the other's plane, on the
 * whole path or in each half of it. */
static bool elements_stay_apart(const ElementPair *pair, int depth) {
    Vec3 between = vec3_sub(sum_of(pair->start[0]), sum_of(pair->start[1]));
    if (axis_parts(pair, between)) {
        return true;
    }
    for (int side = 0; side < 2; ++side) {
        const Vec3 *x = pair->start[side];
        Vec3 normal = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]));
        if (axis_parts(pair, vec3_scale(vec3_dot(normal, between) < 0 ? -1 : 1, normal))) {
            return true;
        }
    }
    if (depth == 0) {
        return false;
    }
    ElementPair halves[2] = {*pair, *pair};
    for (int i = 0; i < 6; ++i) {
        Vec3 sum = vec3_add(pair->start[i / 3][i % 3], pair->end[i / 3][i % 3]);
        halves[0].end[i / 3][i % 3] = halves[1].start[i / 3][i % 3] = vec3_scale(0.5, sum);
    }
    return elements_stay_apart(&halves[0], depth - 1) && elements_stay_apart(&halves[1], depth - 1);
}

/* How far above the shared corner the other two of the first triangle are along an axis, or those of the
 * second below it: the least of these. `x` are the corners of the two, behind a plain pointer: GCC 12 at -Og takes
 * an array of both for one of the first alone, and warns. */
static inline double rise(Vec3 axis, const Vec3 (*x)[3], const int corner[2]) {
    static const int others[3][2] = {{1, 2}, {2, 0}, {0, 1}};
    const int *a = others[corner[0]], *b = others[corner[1]];
    Vec3 at = x[0][corner[0]];
    double first = vec3_dot(axis, vec3_sub(x[0][a[0]], at));
    double second = vec3_dot(axis, vec3_sub(x[0][a[1]], at));
    double third = vec3_dot(axis, vec3_sub(at, x[1][b[0]]));
    double fourth = vec3_dot(axis, vec3_sub(at, x[1][b[1]]));
    first = second < first ? second : first;
    third = fourth < third ? fourth : third;
    return first < third ? first : third;
}

/* Of two triangles that share one corner: an axis that has the other corners of the one above it and those of
 * the other below keeps apart whatever does not share that corner. */
static bool fan_stays_apart(const ElementPair *pair, const int corner[2]) {
    if (pair->elements[0]->corners != 3 || pair->elements[1]->corners != 3) {
        return false;
    }
    Vec3 axis = vec3_sub(sum_of(pair->start[0]), sum_of(pair->start[1]));
    double start = rise(axis, pair->start, corner);
    return start > 0 && pair_is_separated(axis, start, rise(axis, pair->end, corner));
}

static int pair_stays_apart(const ElementPair *pair) {
    int places[2], shared = count_shared(pair->elements[0], pair->elements[1], places);
    return shared == 0   ? elements_stay_apart(pair, HALVINGS)
           : shared == 1 ? fan_stays_apart(pair, places)
                         : 0;
}

static void test_elements(void *context, int first, int second) {
    const Finder *finder = context;
    const ImpactSearch *search = finder->search;
    const SweptSurface *surface = &search->impact->surface;
    ElementPair pair; /* all of it is set here: this is the innermost loop */
    bool swapped = search->impact->skin->component_count > 1 && first > second;
    pair.elements[swapped] = &surface->elements.list[first];
    pair.elements[!swapped] = &surface->elements.list[second];
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 3; ++k) {
            pair.start[side][k] = search->x[pair.elements[side]->vertices[k]];
            pair.end[side][k] = search->z[pair.elements[side]->vertices[k]];
        }
    }
    if (pair_stays_apart(&pair)) {
        return;
    }
    for (int side = 0; side < 2; ++side) {
        if (search->first) {
            mark_tangles(finder, &pair, side);
        }
        test_vertices(finder, &pair, side);
    }
    test_edges(finder, &pair);
}

static void search_slices(void *context, int begin, int end) {
    const ImpactSearch *search = context;
    Impact *impact = search->impact;
    for (int s = begin; s < end; ++s) {
        Finder finder = {search, &impact->found[s]};
        impact->found[s].count = 0;
        impact->found[s].share = search->share;
        swept_surface_visit(&impact->surface, s, &impact->found[s].share, test_elements, &finder);
    }
}

/* --- the search, by one thread ------------------------------------------------------------------- */

/* Room for `count`. Returns false if it cannot be had. */
static bool reserve(CcdHitList *list, int count) {
    list->items = scratch_reserve(list->items, &list->capacity, count, sizeof *list->items);
    return count <= list->capacity;
}

/* Makes room for what did not fit; false without memory. `again`: the search has to be repeated. */
static bool grow_lists(Impact *impact, bool *again) {
    *again = false;
    for (int s = 0; s < swept_tree_slices(&impact->surface.tree); ++s) {
        CcdHitList *list = &impact->found[s];
        if (list->count > list->capacity) {
            *again = true;
            if (!reserve(list, list->count)) {
                return false;
            }
        }
    }
    return true;
}

static bool comes_before(const CcdHit *a, const CcdHit *b) {
    if (a->time != b->time) {
        return a->time < b->time;
    }
    for (int j = 0; j < 4; ++j) {
        if (a->vertices[j] != b->vertices[j]) {
            return a->vertices[j] < b->vertices[j];
        }
    }
    return a->split < b->split;
}

/* Of several components: by the time at which they meet, since slices depend on all of them [Shell's sort]. */
static void sort_hits(CcdHitList *list) {
    int gap = 1;
    while (gap < list->count / 3) {
        gap = 3 * gap + 1;
    }
    for (; gap > 0; gap /= 3) {
        for (int i = gap; i < list->count; ++i) {
            CcdHit own = list->items[i];
            int at = i;
            for (; at >= gap && comes_before(&own, &list->items[at - gap]); at -= gap) {
                list->items[at] = list->items[at - gap];
            }
            list->items[at] = own;
        }
    }
}

/* Fills the list of all hits, in the order of the slices; false if there is no memory for them. */
static bool find_hits(ImpactSearch *search, Pool *pool) {
    Impact *impact = search->impact;
    int slices = swept_tree_slices(&impact->surface.tree);
    bool again = true, widened = false;
    search->share = work_limit_share(&impact->work_limit, slices);
    while (again) {
        pool_each(pool, slices, search_slices, search);
        if (!grow_lists(impact, &again)) {
            return false;
        }
        if (!again && !widened) {
            again = widened =
                work_limit_widen(&impact->work_limit, &search->share, &impact->found->share,
                                 sizeof *impact->found, slices);
        }
    }
    CcdHitList *all = &impact->hits;
    all->count = 0;
    for (int s = 0; s < slices; ++s) {
        const CcdHitList *list = &impact->found[s];
        search->whole &= !list->share.ended;
        work_limit_spend(&impact->work_limit, &list->share);
        if (!reserve(all, all->count + list->count)) {
            return false;
        }
        for (int i = 0; i < list->count; ++i) {
            const CcdHit *hit = &list->items[i];
            if (!both_tangled(impact, hit->vertices, hit->split)) {
                all->items[all->count++] = *hit;
            }
        }
    }
    if (impact->skin->component_count > 1) {
        sort_hits(all);
    }
    return true;
}

/* --- pushing ---------------------------------------------------------------------------------- */

/* A push moves no vertex further than this many times what two points lack to be a gap apart. Pushing a triangle's middle
 * at one free corner takes three; if the only free corner has next to no weight, pushes do not help, and zones have to. */
#define LEVER 4.0

/* Moves the ends so that the points that hit end a gap apart, or as far as that limit allows. */
static void push_apart(const CcdHit *hit, const double *mass, const uint8_t *fixed, double gap,
                       Vec3 *z) {
    Vec3 ends[4];
    double inverse[4], give = 0;
    for (int j = 0; j < 4; ++j) {
        int v = hit->vertices[j];
        ends[j] = z[v];
        inverse[j] = (fixed && fixed[v]) || !(mass[v] > 0) ? 0.0 : 1.0 / mass[v];
        give += hit->weights[j] * hit->weights[j] * inverse[j];
    }
    Vec3 between = pair_difference(hit->weights, ends);
    double lacking = gap - vec3_dot(hit->normal, between);
    if (!(lacking > 0) || !(give > 0) || !isfinite(lacking / give)) {
        return;
    }
    double most = 0;
    for (int j = 0; j < 4; ++j) {
        most = fmax(most, fabs(hit->weights[j]) * inverse[j]);
    }
    double push = fmin(lacking / give, LEVER * lacking / most);
    for (int j = 0; j < 4; ++j) {
        double share = push * hit->weights[j] * inverse[j];
        if (share != 0) {
            z[hit->vertices[j]] = vec3_madd(ends[j], share, hit->normal);
        }
    }
}

static void push_all(Impact *impact, const double *mass, const uint8_t *fixed, double gap,
                     Vec3 *z) {
    const CcdHitList *hits = &impact->hits;
    memset(impact->moved, 0, (size_t)impact->skin->vertex_count);
    for (int i = 0; i < hits->count; ++i) {
        const CcdHit *hit = &hits->items[i];
        double share = contact_share(impact->skin->share, 4, hit->vertices, hit->weights);
        push_apart(hit, mass, fixed, share * gap, z);
        for (int j = 0; j < 4; ++j) { /* pushed or not: it is searched again */
            impact->moved[hit->vertices[j]] = 1;
        }
    }
}

/* --- zones ------------------------------------------------------------------------------------ */

static bool is_finite_way(const ImpactSearch *search, int v) {
    return vec3_is_finite(search->x[v]) && vec3_is_finite(search->z[v]);
}

/* Takes in the neighbours of zones that grow, or of all. Returns 1 if there were any. */
static int take_neighbours(const ImpactSearch *search, int of_all) {
    const Skin *skin = search->impact->skin;
    Zones *zones = &search->impact->zones;
    int taken = 0;
    for (int e = 0; e < skin->edge_count; ++e) {
        int a = skin->edges[e][0], b = skin->edges[e][1];
        bool joins = of_all ? zones->is_in[a] || zones->is_in[b]
                            : zones_grows(zones, a) || zones_grows(zones, b);
        if (joins && is_finite_way(search, a) && is_finite_way(search, b)) {
            taken |= zones_join(zones, a, b);
        }
    }
    return taken;
}

/* Joins what hits, and more in later attempts. Returns 0 if that changes nothing. */
static int grow_zones(const ImpactSearch *search, int turn) {
    const CcdHitList *hits = &search->impact->hits;
    int grown = 0;
    for (int i = 0; i < hits->count; ++i) {
        const int *v = hits->items[i].vertices;
        for (int j = 1; j < 4; ++j) {
            grown |= zones_join(&search->impact->zones, v[0], v[j]);
        }
    }
    if (grown && turn >= ELEMENTS_FROM) {
        while (take_neighbours(search, 1)) {
        }
    } else if (grown && turn >= RINGS_FROM) {
        take_neighbours(search, 0);
    }
    return grown;
}

/* Whether another attempt is worth while: there are hits, and all of them are known. */
static bool can_go_on(const ImpactSearch *search) {
    return search->impact->hits.count > 0 && search->whole &&
           work_limit_has_left(&search->impact->work_limit);
}

static bool resolve_in_zones(ImpactSearch *search, Pool *pool, const double *mass,
                             const uint8_t *fixed, Vec3 *z) {
    Impact *impact = search->impact;
    for (int turn = 0; turn < TURNS && can_go_on(search); ++turn) {
        if (!grow_zones(search, turn)) {
            break; /* only fixed vertices that do not move alike can be the reason */
        }
        zones_move(&impact->zones, search->x, mass, fixed, z, impact->moved);
        swept_surface_move(&impact->surface, pool, z, impact->moved);
        if (!find_hits(search, pool)) {
            return false;
        }
    }
    return true;
}

bool impact_resolve(Impact *impact, Pool *pool, const Vec3 *x, const double *mass,
                    const uint8_t *fixed, double gap, Vec3 *z, ImpactReport *report) {
    ImpactSearch search = {.impact = impact, .x = x, .z = z, .whole = true, .first = 1};
    *report = (ImpactReport){0};
    memset((void *)impact->tangle, 0, (size_t)impact->skin->vertex_count * sizeof *impact->tangle);
    zones_clear(&impact->zones);
    impact->next.resolved = false;
    swept_surface_place(&impact->surface, pool, x, z);
    if (!find_hits(&search, pool)) {
        return false;
    }
    report->found = impact->hits.count;
    search.first = 0;
    while (report->passes < PASSES && can_go_on(&search)) {
        push_all(impact, mass, fixed, gap, z);
        swept_surface_move(&impact->surface, pool, z, impact->moved);
        if (!find_hits(&search, pool)) {
            return false;
        }
        ++report->passes;
    }
    if (!resolve_in_zones(&search, pool, mass, fixed, z)) {
        return false;
    }
    report->zones = impact->zones.count;
    report->left = impact->hits.count;
    report->whole = search.whole && (report->left == 0 || work_limit_has_left(&impact->work_limit));
    ImpactEnd *end = &impact->next;
    end->resolved = report->left == 0 && search.whole;
    for (int v = 0; v < impact->skin->vertex_count; ++v) {
        end->suspects[v] = is_tangled(impact, v);
        report->tangled += end->suspects[v];
        end->resolved &=
            is_finite_way(&search, v); /* paths that are not finite were not searched */
    }
    pool_copy(pool, impact->skin->vertex_count, sizeof *z, z, end->left_at);
    return true;
}

void impact_settle(Impact *impact) {
    ImpactEnd before = impact->end;
    impact->end = impact->next;
    impact->next = before;
}

const uint8_t *impact_suspects(const Impact *impact, const Vec3 *x) {
    size_t bytes = (size_t)impact->skin->vertex_count * sizeof *x;
    const ImpactEnd *end = &impact->end;
    return end->resolved && memcmp(x, end->left_at, bytes) == 0 ? end->suspects : NULL;
}
