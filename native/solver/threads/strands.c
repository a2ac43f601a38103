/* Going along threads and strips: filling in their numbers, and the product. */
#include "solver/threads/strands.h"

#include <stdlib.h>
#include <string.h>

/* So many links or cells are worth handing to a CPU thread. */
#define BUNDLE_SIZE 512

/* --- building -------------------------------------------------------------------------------------- */

static int thread_size(const Weave *weave, int t) { return weave->threads[t].count; }
static int strip_size(const Weave *weave, int s) {
    return weave->strip_start[s + 1] - weave->strip_start[s];
}

static bool make_bundles(const Weave *weave, const Layers *layers,
                         int (*size)(const Weave *weave, int item), Store *store,
                         Bundles *bundles) {
    int items = layers->count ? layers->start[layers->count] : 0, made = 0;
    bundles->start = STORE_ARRAY(store, int, items + 1);
    bundles->layers = (Layers){layers->count, STORE_ARRAY(store, int, layers->count + 1)};
    for (int l = 0; !store->failed && l < layers->count; ++l) {
        bundles->layers.start[l] = made;
        for (int i = layers->start[l], filled = 0; i < layers->start[l + 1]; ++i) {
            if (filled == 0) {
                bundles->start[made++] = i;
            }
            filled += size(weave, i);
            filled = filled < BUNDLE_SIZE ? filled : 0;
        }
    }
    if (store->failed) {
        return false;
    }
    bundles->layers.start[layers->count] = made;
    bundles->start[made] = items;
    return true;
}

/* Which elements of the laws the links and joints of the threads are. */
static bool find_elements(Strands *strands, const Mesh *mesh, int slots) {
    const Weave *weave = strands->weave;
    int *element = SCRATCH_ARRAY(int, mesh->edge_count);
    if (!element) {
        return false;
    }
    for (int e = 0; e < strands->links->law.count; ++e) {
        element[strands->links->source[e] - mesh->edges] = e;
    }
    for (int p = 0; p < slots; ++p) {
        strands->link_element[p] = weave->edges[p] < 0 ? -1 : element[weave->edges[p]];
        strands->joint_element[p] = -1;
    }
    for (int e = 0; e < strands->joints->law.count; ++e) {
        int p = strands->joints->slot[e];
        const double *s = law_weights(&strands->joints->law, 0, e);
        strands->joint_element[p] = e;
        strands->joint[p].before = s[0];
        strands->joint[p].behind = s[2];
        strands->joint[p].mean = law_weights(&strands->joints->law, 1, e)[2];
    }
    for (int e = 0; e < strands->cells->law.count; ++e) {
        strands->cell[e].along = law_weights(&strands->cells->law, 0, e)[1];
        strands->cell[e].up = law_weights(&strands->cells->law, 1, e)[3];
    }
    free(element);
    return true;
}

StatusCode strands_build(Strands *strands, const System *system, const Weave *weave, Store *store,
                         Status *status) {
    int slots = 0;
    for (int t = 0; t < weave->thread_count; ++t) {
        slots += weave->threads[t].count;
    }
    strands->weave = weave;
    strands->links = edge_law(laws_find(&system->laws, &edge_kind));
    strands->joints = joint_law(laws_find(&system->laws, &joint_kind));
    strands->cells = cell_law(laws_find(&system->laws, &cell_kind));
    strands->vertex_count = system->vertex_count;
    strands->link_element = STORE_ARRAY(store, int, slots);
    strands->joint_element = STORE_ARRAY(store, int, slots);
    strands->link = STORE_ARRAY(store, Link, slots);
    strands->joint = STORE_ARRAY(store, Joint, slots);
    strands->cell = STORE_ARRAY(store, StrandCell, weave->cell_count);
    strands->diagonal = STORE_ARRAY(store, Block, system->vertex_count);
    bool built =
        make_bundles(weave, &weave->thread_layers, thread_size, store, &strands->threads) &&
        make_bundles(weave, &weave->strip_layers, strip_size, store, &strands->strips) &&
        !store->failed && find_elements(strands, system->mesh, slots);
    return built ? STATUS_OK : status_no_memory(status, "threads");
}

/* --- the numbers at a place ------------------------------------------------------------------------- */

typedef struct StrandWork {
    const Strands *strands;
    double scale;
    const double *own;
    const Vec3 *x;
    Vec3 *product;
    int first; /* bundle of the layer */
} StrandWork;

static void add_form(Block *to, double weight, double round, double outer, Vec3 s) {
    block_add_diagonal(to, weight * weight * round);
    block_add_outer(to, weight * weight * outer, s, s);
}

static void refresh_link(const StrandWork *work, int slot, int a, int b) {
    const Strands *strands = work->strands;
    const EdgeLaw *edges = strands->links;
    int e = strands->link_element[slot];
    Vec3 d = vec3_sub(work->x[b], work->x[a]);
    double length = vec3_length(d), slope, sideways, stiffness = work->scale * edges->stiffness[e];
    Link link = {.d = d};
    if (response_curve(edges->response, length, edges->rest_length[e], &slope, &sideways)) {
        link.across = stiffness * sideways;
        link.along = stiffness * (slope - sideways) / (length * length);
    }
    strands->link[slot] = link;
    add_form(&strands->diagonal[a], 1.0, link.across, link.along, d);
    add_form(&strands->diagonal[b], 1.0, link.across, link.along, d);
}

/* The joint at a slot; `vertices` are those before it, of it, and behind it. */
static void refresh_joint(const StrandWork *work, int slot) {
    const Strands *strands = work->strands;
    int e = strands->joint_element[slot];
    if (e < 0) {
        return;
    }
    JointCurve curve = joint_curve_at(strands->joints, e, work->x);
    joint_clamp(&curve);
    Joint *joint = &strands->joint[slot];
    joint->round = work->scale * curve.round;
    joint->stretch = work->scale * curve.stretch;
    joint->ss = work->scale * curve.ss;
    joint->st = work->scale * curve.st;
    joint->tt = work->scale * curve.tt;
    const int *vertices = law_vertices(&strands->joints->law, e);
    for (int c = 0; c < 3; ++c) {
        double s = law_weights(&strands->joints->law, 0, e)[c];
        double t = law_weights(&strands->joints->law, 1, e)[c];
        Block *block = &strands->diagonal[vertices[c]];
        add_form(block, s, joint->round, joint->ss, curve.s);
        add_form(block, t, joint->stretch, joint->tt, curve.t);
        block_add_outer(block, s * t * joint->st, curve.s, curve.t);
        block_add_outer(block, s * t * joint->st, curve.t, curve.s);
    }
}

static void refresh_threads(void *context, int begin, int end) {
    const StrandWork *work = context;
    const Strands *strands = work->strands;
    const int *start = strands->threads.start + work->first;
    for (int t = start[begin]; t < start[end]; ++t) {
        const Thread *thread = &strands->weave->threads[t];
        const int *vertices = strands->weave->vertices + thread->first;
        for (int k = 0; k < thread_links(thread); ++k) {
            refresh_link(work, thread->first + k, vertices[k], vertices[(k + 1) % thread->count]);
        }
        for (int k = 0; k < thread->count; ++k) {
            refresh_joint(work, thread->first + k);
        }
    }
}

static void refresh_cell(const StrandWork *work, int e) {
    const Strands *strands = work->strands;
    CellCurve curve = cell_curve_at(strands->cells, e, work->x);
    StrandCell *cell = &strands->cell[e];
    Vec3 normal = vec3_cross(curve.u, curve.v);
    double square = vec3_dot(normal, normal);
    cell->u = curve.u;
    cell->v = curve.v;
    cell->keep = 4.0 * work->scale * curve.keep;
    cell->shear = work->scale * curve.shear;
    for (int k = 0; k < 3; ++k) {
        cell->across[k] = square > 0 ? work->scale * curve.across[k] / square : 0.0;
    }
    double uu = vec3_dot(curve.u, curve.u), uv = vec3_dot(curve.u, curve.v);
    double vv = vec3_dot(curve.v, curve.v);
    const int *vertices = law_vertices(&strands->cells->law, e);
    for (int c = 0; c < 4; ++c) {
        double u = law_weights(&strands->cells->law, 0, e)[c];
        double v = law_weights(&strands->cells->law, 1, e)[c];
        Block *block = &strands->diagonal[vertices[c]];
        Vec3 grown =
            vec3_add(vec3_scale(u * vv - v * uv, curve.u), vec3_scale(v * uu - u * uv, curve.v));
        Vec3 skewed = vec3_add(vec3_scale(u, curve.v), vec3_scale(v, curve.u));
        block_add_outer(block, cell->keep, grown, grown);
        block_add_outer(block, cell->shear, skewed, skewed);
        block_add_outer(block,
                        u * u * cell->across[0] + 2.0 * u * v * cell->across[1] +
                            v * v * cell->across[2],
                        normal, normal);
    }
}

static void refresh_strips(void *context, int begin, int end) {
    const StrandWork *work = context;
    const int *start = work->strands->strips.start + work->first;
    const int *cells = work->strands->weave->strip_start;
    for (int e = cells[start[begin]]; e < cells[start[end]]; ++e) {
        refresh_cell(work, e);
    }
}

static void run_layers(const Bundles *bundles, Pool *pool, PoolTask task, StrandWork *work) {
    for (int l = 0; l < bundles->layers.count; ++l) {
        work->first = bundles->layers.start[l];
        pool_each(pool, bundles->layers.start[l + 1] - work->first, task, work);
    }
}

void strands_refresh(Strands *strands, Pool *pool, double scale, const Vec3 *x) {
    StrandWork work = {.strands = strands, .scale = scale, .x = x};
    memset(strands->diagonal, 0, (size_t)strands->vertex_count * sizeof *strands->diagonal);
    run_layers(&strands->threads, pool, refresh_threads, &work);
    run_layers(&strands->strips, pool, refresh_strips, &work);
}

/* --- the product ------------------------------------------------------------------------------------ */

static inline Vec3 link_times(const Link *link, Vec3 e) {
    return vec3_madd(vec3_scale(link->across, e), link->along * vec3_dot(link->d, e), link->d);
}

/* What a joint adds to the pulls of the links before and behind it, whose differences are e and f. */
static inline void joint_times(const Joint *joint, const Link *link, const Link *next, Vec3 e,
                               Vec3 f, Vec3 *pull, Vec3 *pulls) {
    Vec3 s = vec3_sub(vec3_scale(joint->behind, next->d), vec3_scale(joint->before, link->d));
    Vec3 p = vec3_sub(vec3_scale(joint->behind, f), vec3_scale(joint->before, e));
    Vec3 t = vec3_scale(joint->mean, vec3_add(link->d, next->d));
    Vec3 q = vec3_scale(joint->mean, vec3_add(e, f));
    double sp = vec3_dot(s, p), tq = vec3_dot(t, q);
    Vec3 bent = vec3_madd(vec3_scale(joint->round, p), joint->ss * sp + joint->st * tq, s);
    Vec3 drawn = vec3_madd(vec3_scale(joint->stretch, q), joint->st * sp + joint->tt * tq, t);
    *pull = vec3_madd(vec3_madd(*pull, -joint->before, bent), joint->mean, drawn);
    *pulls = vec3_madd(vec3_madd(*pulls, joint->behind, bent), joint->mean, drawn);
}

/* The pull of a link is complete once the joint behind it is known; a vertex gets that of the link before it, less that of
 * the link behind. */
static void multiply_thread(const Strands *strands, const Thread *thread, const Vec3 *x, Vec3 *y) {
    const int *vertices = strands->weave->vertices + thread->first;
    const Link *link = strands->link + thread->first;
    const Joint *joint = strands->joint + thread->first;
    int count = thread->count, links = thread_links(thread);
    Vec3 here = x[vertices[1]], e = vec3_sub(here, x[vertices[0]]);
    Vec3 pull = link_times(&link[0], e), handed = {0, 0, 0}, around = {0, 0, 0};
    if (thread->closed) {
        Vec3 last = vec3_sub(x[vertices[0]], x[vertices[count - 1]]);
        joint_times(&joint[0], &link[count - 1], &link[0], last, e, &around, &pull);
    }
    for (int k = 1; k < links; ++k) {
        Vec3 next = x[vertices[k + 1 < count ? k + 1 : 0]], f = vec3_sub(next, here);
        Vec3 pulls = link_times(&link[k], f);
        joint_times(&joint[k], &link[k - 1], &link[k], e, f, &pull, &pulls);
        Vec3 *to = &y[vertices[k - 1]];
        *to = vec3_add(*to, vec3_sub(handed, pull));
        handed = pull;
        pull = pulls;
        here = next;
        e = f;
    }
    pull = vec3_add(pull, around);
    Vec3 *to = &y[vertices[links - 1]], *end = &y[vertices[links < count ? links : 0]];
    *to = vec3_add(*to, vec3_sub(handed, pull));
    *end = vec3_add(*end, pull);
}

static void multiply_threads(void *context, int begin, int end) {
    const StrandWork *work = context;
    const int *start = work->strands->threads.start + work->first;
    for (int t = start[begin]; t < start[end]; ++t) {
        multiply_thread(work->strands, &work->strands->weave->threads[t], work->x, work->product);
    }
}

/* Differences of the mean sides, times 2, become what they pull with. */
static inline void cell_times(const StrandCell *cell, Vec3 *along, Vec3 *up) {
    Vec3 u = cell->u, v = cell->v, p = vec3_scale(cell->along, *along),
         q = vec3_scale(cell->up, *up);
    Vec3 n = vec3_cross(u, v);
    double uu = vec3_dot(u, u), uv = vec3_dot(u, v), vv = vec3_dot(v, v);
    double up_ = vec3_dot(u, p), vp = vec3_dot(v, p), uq = vec3_dot(u, q), vq = vec3_dot(v, q);
    double np = vec3_dot(n, p), nq = vec3_dot(n, q);
    double grown = cell->keep * (vv * up_ - uv * (vp + uq) + uu * vq);
    double skewed = cell->shear * (vp + uq) - grown * uv;
    Vec3 pulled = vec3_madd(vec3_scale(grown * vv, u), skewed, v);
    Vec3 lifted = vec3_madd(vec3_scale(grown * uu, v), skewed, u);
    pulled = vec3_madd(pulled, cell->across[0] * np + cell->across[1] * nq, n);
    lifted = vec3_madd(lifted, cell->across[1] * np + cell->across[2] * nq, n);
    *along = vec3_scale(cell->along, pulled);
    *up = vec3_scale(cell->up, lifted);
}

/* Vertices 1 and 2 of a cell are 0 and 3 of the next. */
static void multiply_strip(const Strands *strands, int begin, int end, const Vec3 *x, Vec3 *y) {
    const WeaveCell *cells = strands->weave->cells;
    Vec3 low = x[cells[begin].vertices[0]], high = x[cells[begin].vertices[3]];
    Vec3 under = {0, 0, 0}, over = {0, 0, 0}; /* what the cell before leaves for its end */
    for (int c = begin; c < end; ++c) {
        const int *v = cells[c].vertices;
        Vec3 next_low = x[v[1]], next_high = x[v[2]];
        Vec3 along = vec3_add(vec3_sub(next_low, low), vec3_sub(next_high, high));
        Vec3 up = vec3_add(vec3_sub(high, low), vec3_sub(next_high, next_low));
        cell_times(&strands->cell[c], &along, &up);
        Vec3 sum = vec3_add(along, up), difference = vec3_sub(along, up);
        y[v[0]] = vec3_add(y[v[0]], vec3_sub(under, sum));
        y[v[3]] = vec3_add(y[v[3]], vec3_sub(over, difference));
        under = difference;
        over = sum;
        low = next_low;
        high = next_high;
    }
    const int *v = cells[end - 1].vertices;
    y[v[1]] = vec3_add(y[v[1]], under);
    y[v[2]] = vec3_add(y[v[2]], over);
}

static void multiply_strips(void *context, int begin, int end) {
    const StrandWork *work = context;
    const int *start = work->strands->strips.start + work->first;
    const int *cells = work->strands->weave->strip_start;
    for (int s = start[begin]; s < start[end]; ++s) {
        multiply_strip(work->strands, cells[s], cells[s + 1], work->x, work->product);
    }
}

static void multiply_own(void *context, int begin, int end) {
    const StrandWork *work = context;
    for (int i = begin; i < end; ++i) {
        work->product[i] = vec3_scale(work->own[i], work->x[i]);
    }
}

void strands_multiply(const Strands *strands, Pool *pool, const double *own, const Vec3 *v,
                      Vec3 *product) {
    StrandWork work = {.strands = strands, .own = own, .x = v, .product = product};
    pool_run(pool, strands->vertex_count, multiply_own, &work);
    run_layers(&strands->threads, pool, multiply_threads, &work);
    run_layers(&strands->strips, pool, multiply_strips, &work);
}
