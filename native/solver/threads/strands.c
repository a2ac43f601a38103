/* Laying out threads and strips for the product, and filling in their numbers. */
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

/* The weave's slot that follows slot k of a thread, or is before it, around a closed one; of an open one its end. */
static int wrapped(const Thread *thread, int k) {
    int count = thread->count;
    if (thread->closed) {
        return thread->first + (k + count) % count;
    }
    return thread->first + (k < 0 ? 0 : k >= count ? count - 1 : k);
}

/* Lays the slots of all threads; which elements of the laws their links are. */
static void lay_slots(Strands *strands, const int *element) {
    const Weave *weave = strands->weave;
    int slot = 0;
    for (int t = 0; t < weave->thread_count; ++t) {
        const Thread *thread = &weave->threads[t];
        strands->first[t] = slot + 1;
        for (int k = -1; k < thread->count + 2; ++k, ++slot) {
            bool real = thread->closed || (k >= 0 && k < thread->count - 1);
            int from = wrapped(thread, k);
            strands->vertices[slot] = weave->vertices[from];
            strands->link_element[slot] = real ? element[weave->edges[from]] : -1;
            strands->joint_element[slot] = -1;
        }
    }
}

static void set_joint(Strands *strands, int slot, int e) {
    const Law *law = &strands->joints->law;
    strands->joint_element[slot] = e;
    strands->joint[JOINT_BEFORE][slot] = law_weights(law, 0, e)[0];
    strands->joint[JOINT_BEHIND][slot] = law_weights(law, 0, e)[2];
    strands->joint[JOINT_MEAN][slot] = law_weights(law, 1, e)[2];
}

/* Joints come thread by thread, in the order of the law. A closed thread's first one follows its last, too. */
static void lay_joints(Strands *strands) {
    const Weave *weave = strands->weave;
    for (int t = 0, e = 0; t < weave->thread_count; ++t) {
        const Thread *thread = &weave->threads[t];
        int shift = strands->first[t] - thread->first, end = thread->first + thread->count;
        for (; e < strands->joints->law.count && strands->joints->slot[e] < end &&
               strands->joints->slot[e] >= thread->first;
             ++e) {
            int slot = strands->joints->slot[e];
            set_joint(strands, slot + shift, e);
            if (thread->closed && slot == thread->first) {
                set_joint(strands, slot + shift + thread->count, e);
            }
        }
    }
}

static void lay_strips(Strands *strands) {
    const Weave *weave = strands->weave;
    for (int s = 0; s < weave->strip_count; ++s) {
        for (int c = weave->strip_start[s]; c < weave->strip_start[s + 1]; ++c) {
            const int *v = weave->cells[c].vertices;
            strands->low[c + s] = v[0];
            strands->high[c + s] = v[3];
            strands->low[c + s + 1] = v[1];
            strands->high[c + s + 1] = v[2];
            strands->cell[CELL_ALONG][c] = law_weights(&strands->cells->law, 0, c)[1];
            strands->cell[CELL_UP][c] = law_weights(&strands->cells->law, 1, c)[2];
        }
    }
}

static bool lay(Strands *strands, const Mesh *mesh) {
    int *element = SCRATCH_ARRAY(int, mesh->edge_count);
    if (!element) {
        return false;
    }
    for (int e = 0; e < strands->links->law.count; ++e) {
        element[strands->links->source[e] - mesh->edges] = e;
    }
    lay_slots(strands, element);
    lay_joints(strands);
    lay_strips(strands);
    free(element);
    return true;
}

static int count_slots(const Weave *weave) {
    int slots = 0;
    for (int t = 0; t < weave->thread_count; ++t) {
        slots += weave->threads[t].count + 3;
    }
    return slots;
}

static void take_numbers(double **numbers, int kinds, int count, Store *store) {
    for (int k = 0; k < kinds; ++k) {
        numbers[k] = STORE_ARRAY(store, double, count);
    }
}

StatusCode strands_build(Strands *strands, const System *system, const Weave *weave, Store *store,
                         Status *status) {
    int slots = count_slots(weave), corners = weave->cell_count + weave->strip_count;
    strands->weave = weave;
    strands->links = edge_law(laws_find(&system->laws, &edge_kind));
    strands->joints = joint_law(laws_find(&system->laws, &joint_kind));
    strands->cells = cell_law(laws_find(&system->laws, &cell_kind));
    strands->vertex_count = system->vertex_count;
    strands->first = STORE_ARRAY(store, int, weave->thread_count);
    strands->vertices = STORE_ARRAY(store, int, slots);
    strands->link_element = STORE_ARRAY(store, int, slots);
    strands->joint_element = STORE_ARRAY(store, int, slots);
    strands->low = STORE_ARRAY(store, int, corners);
    strands->high = STORE_ARRAY(store, int, corners);
    strands->diagonal = STORE_ARRAY(store, Block, system->vertex_count);
    take_numbers(strands->link, LINK_NUMBERS, slots, store);
    take_numbers(strands->joint, JOINT_NUMBERS, slots, store);
    take_numbers(strands->cell, CELL_NUMBERS, weave->cell_count, store);
    bool built =
        make_bundles(weave, &weave->thread_layers, thread_size, store, &strands->threads) &&
        make_bundles(weave, &weave->strip_layers, strip_size, store, &strands->strips) &&
        !store->failed && lay(strands, system->mesh);
    return built ? STATUS_OK : status_no_memory(status, "threads");
}

size_t strands_bytes(const Strands *strands) {
    size_t slots = (size_t)count_slots(strands->weave), cells = (size_t)strands->weave->cell_count;
    size_t corners = cells + (size_t)strands->weave->strip_count;
    return slots * ((LINK_NUMBERS + JOINT_NUMBERS) * sizeof(double) + sizeof(int)) +
           cells * CELL_NUMBERS * sizeof(double) + 2 * corners * sizeof(int);
}

/* --- the numbers at a place ------------------------------------------------------------------------- */

typedef struct StrandWork {
    const Strands *strands;
    double scale;
    const Vec3 *x;
    int first; /* bundle of the layer */
} StrandWork;

static void add_form(Block *to, double weight, double round, double outer, Vec3 s) {
    block_add_diagonal(to, weight * weight * round);
    block_add_outer(to, weight * weight * outer, s, s);
}

static void refresh_link(const StrandWork *work, int slot, bool counts) {
    const Strands *strands = work->strands;
    const EdgeLaw *edges = strands->links;
    int e = strands->link_element[slot];
    if (e < 0) {
        return;
    }
    int a = strands->vertices[slot], b = strands->vertices[slot + 1];
    Vec3 d = vec3_sub(work->x[b], work->x[a]);
    double length = vec3_length(d), slope, sideways, stiffness = work->scale * edges->stiffness[e];
    double across = 0, along = 0;
    if (response_curve(edges->response, length, edges->rest_length[e], &slope, &sideways)) {
        across = stiffness * sideways;
        along = stiffness * (slope - sideways) / (length * length);
    }
    strands->link[LINK_ACROSS][slot] = across;
    strands->link[LINK_ALONG][slot] = along;
    strands->link[LINK_X][slot] = d.x;
    strands->link[LINK_Y][slot] = d.y;
    strands->link[LINK_Z][slot] = d.z;
    if (counts) {
        add_form(&strands->diagonal[a], 1.0, across, along, d);
        add_form(&strands->diagonal[b], 1.0, across, along, d);
    }
}

static void refresh_joint(const StrandWork *work, int slot, bool counts) {
    const Strands *strands = work->strands;
    int e = strands->joint_element[slot];
    if (e < 0) {
        return;
    }
    JointCurve curve = joint_curve_at(strands->joints, e, work->x);
    joint_clamp(&curve);
    double round = work->scale * curve.round, stretch = work->scale * curve.stretch;
    double ss = work->scale * curve.ss, st = work->scale * curve.st, tt = work->scale * curve.tt;
    strands->joint[JOINT_ROUND][slot] = round;
    strands->joint[JOINT_STRETCH][slot] = stretch;
    strands->joint[JOINT_SS][slot] = ss;
    strands->joint[JOINT_ST][slot] = st;
    strands->joint[JOINT_TT][slot] = tt;
    const int *vertices = law_vertices(&strands->joints->law, e);
    for (int c = 0; c < 3 && counts; ++c) {
        double s = law_weights(&strands->joints->law, 0, e)[c];
        double t = law_weights(&strands->joints->law, 1, e)[c];
        Block *block = &strands->diagonal[vertices[c]];
        add_form(block, s, round, ss, curve.s);
        add_form(block, t, stretch, tt, curve.t);
        block_add_outer(block, s * t * st, curve.s, curve.t);
        block_add_outer(block, s * t * st, curve.t, curve.s);
    }
}

/* The slots before and behind a thread repeat what counts elsewhere. */
static void refresh_threads(void *context, int begin, int end) {
    const StrandWork *work = context;
    const Strands *strands = work->strands;
    const int *start = strands->threads.start + work->first;
    for (int t = start[begin]; t < start[end]; ++t) {
        int count = strands->weave->threads[t].count, first = strands->first[t];
        for (int k = -1; k <= count; ++k) {
            bool counts = k >= 0 && k < count;
            refresh_link(work, first + k, counts);
            refresh_joint(work, first + k, counts);
        }
    }
}

static void refresh_cell(const StrandWork *work, int e) {
    const Strands *strands = work->strands;
    CellCurve curve = cell_curve_at(strands->cells, e, work->x);
    Vec3 normal = vec3_cross(curve.u, curve.v);
    double square = vec3_dot(normal, normal), across[3];
    double keep = 4.0 * work->scale * curve.keep, shear = work->scale * curve.shear;
    strands->cell[CELL_KEEP][e] = keep;
    strands->cell[CELL_SHEAR][e] = shear;
    for (int k = 0; k < 3; ++k) {
        across[k] = square > 0 ? work->scale * curve.across[k] / square : 0.0;
        strands->cell[CELL_U + k][e] = vec3_along(curve.u, k);
        strands->cell[CELL_V + k][e] = vec3_along(curve.v, k);
        strands->cell[CELL_ACROSS + k][e] = across[k];
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
        block_add_outer(block, keep, grown, grown);
        block_add_outer(block, shear, skewed, skewed);
        block_add_outer(block, u * u * across[0] + 2.0 * u * v * across[1] + v * v * across[2],
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

void strands_run(const Bundles *bundles, Pool *pool, PoolTask task, void *context, int *first) {
    for (int l = 0; l < bundles->layers.count; ++l) {
        *first = bundles->layers.start[l];
        pool_each(pool, bundles->layers.start[l + 1] - *first, task, context);
    }
}

void strands_refresh(Strands *strands, Pool *pool, double scale, const Vec3 *x) {
    StrandWork work = {.strands = strands, .scale = scale, .x = x};
    memset(strands->diagonal, 0, (size_t)strands->vertex_count * sizeof *strands->diagonal);
    strands_run(&strands->threads, pool, refresh_threads, &work, &work.first);
    strands_run(&strands->strips, pool, refresh_strips, &work, &work.first);
}
