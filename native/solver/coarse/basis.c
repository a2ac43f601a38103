/* Building the coarse functions: patches, their smoothed weights, and the order of the aggregates. */
#include "solver/coarse/coarse_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "linear/ordering.h"

/* Smoothing length over the patches' mean radius. */
#define SMOOTHING 0.35
/* Times that the patches are smoothed. */
#define PASSES 2
/* Weights below this are cut off; what is left is scaled to add up to one again. */
#define CUT 0.02
/* A patch gets its third axis where it is at least this thick for its width. */
#define THICK 0.1
/* A whole share is flat, and needs no third axis, if it is thinner than this for its width. */
#define FLAT 1e-6

/* The patches that reach a vertex. */
typedef struct Reach {
    int count, aggregate[MOST_AGGREGATES];
    double weight[MOST_AGGREGATES];
} Reach;

typedef struct Build {
    const System *system;
    const Shares *shares;
    const Patches *patches;
    Smoother *smoother;
    Reach *reach;
    int share[MOST_PATCHES]; /* of each patch; once sorted by its new number */
    uint64_t coupled
        [MOST_PATCHES]; /* once sorted: bit j of number i where patches i and j share a row of the matrix */
    int whole
        [MOST_PATCHES]; /* of each share: the aggregate that all of it is, after those of the patches; -1: none */
} Build;

/* --- smooth weights --------------------------------------------------------------------------- */

/* Over the patches of each share, m. */
static void mean_radii(const Build *build, double *mean) {
    const Patches *patches = build->patches;
    double radius[MOST_PATCHES] = {0};
    int count[MOST_PATCHES] = {0};
    for (int v = 0; v < build->system->vertex_count; ++v) {
        double *r = &radius[patches->owner[v]];
        *r = patches->distance[v] > *r ? patches->distance[v] : *r;
    }
    for (int k = 0; k < patches->count; ++k) {
        mean[build->share[k]] += radius[k];
        ++count[build->share[k]];
    }
    for (int s = 0; s < build->shares->count; ++s) {
        mean[s] /= count[s] > 0 ? count[s] : 1;
    }
}

/* Remembers a weight; where there is no room it takes the place of the least. */
static void keep_weight(Reach *reach, int aggregate, double weight) {
    int at = reach->count;
    if (at == MOST_AGGREGATES) {
        at = 0;
        for (int i = 1; i < MOST_AGGREGATES; ++i) {
            at = reach->weight[i] < reach->weight[at] ? i : at;
        }
        if (reach->weight[at] >= weight) {
            return;
        }
    } else {
        ++reach->count;
    }
    reach->aggregate[at] = aggregate;
    reach->weight[at] = weight;
}

typedef struct SmoothWork {
    Build *build;
    int first; /* of the three patches */
    Vec3 *field;
} SmoothWork;

static void indicate(void *context, int begin, int end) {
    const SmoothWork *work = context;
    for (int v = begin; v < end; ++v) {
        int k = work->build->patches->owner[v] - work->first;
        work->field[v] = vec3(k == 0, k == 1, k == 2);
    }
}

/* Small weights go to zero without a kink: light would show it. */
static void keep_weights(void *context, int begin, int end) {
    const SmoothWork *work = context;
    int patches = work->build->patches->count;
    for (int v = begin; v < end; ++v) {
        const double weight[3] = {work->field[v].x, work->field[v].y, work->field[v].z};
        for (int k = 0; k < 3 && work->first + k < patches; ++k) {
            double above = weight[k] - CUT;
            if (above > 0) {
                keep_weight(&work->build->reach[v], work->first + k, above * above / (above + CUT));
            }
        }
    }
}

/* Makes the weights of every vertex add up to one. */
static void scale_weights(Build *build) {
    for (int v = 0; v < build->system->vertex_count; ++v) {
        Reach *reach = &build->reach[v];
        double sum = 0;
        for (int i = 0; i < reach->count; ++i) {
            sum += reach->weight[i];
        }
        if (!(sum > 0)) {
            *reach = (Reach){.count = 1, .aggregate = {build->patches->owner[v]}, .weight = {1.0}};
            continue;
        }
        for (int i = 0; i < reach->count; ++i) {
            reach->weight[i] /= sum;
        }
    }
}

/* Three patches at a time, as the solve takes three right-hand sides. */
static StatusCode smooth_patches(Build *build, Status *status) {
    int count = build->system->vertex_count;
    Pool *pool = build->system->pool;
    Vec3 *field = SCRATCH_ARRAY(Vec3, count);
    if (!field) {
        return status_no_memory(status, "the coarse level");
    }
    double length[MOST_PATCHES] = {0};
    mean_radii(build, length);
    for (int s = 0; s < build->shares->count; ++s) {
        length[s] *= SMOOTHING;
    }
    StatusCode code = smoother_set(build->smoother, build->shares, length, status);
    for (int k = 0; k < build->patches->count && code == STATUS_OK; k += 3) {
        SmoothWork work = {build, k, field};
        pool_run(pool, count, indicate, &work);
        smoother_apply(build->smoother, PASSES, field);
        pool_run(pool, count, keep_weights, &work);
    }
    scale_weights(build);
    free(field);
    return code;
}

/* --- the order of the patches ----------------------------------------------------------------- */

/* Marks the pairs of patches that a row of the system's matrix brings together: bit j of coupled[i]. */
static int mark_coupled(const Build *build, uint64_t *coupled) {
    const Matrix *pattern = &build->system->stiffness;
    uint64_t *own = SCRATCH_ARRAY(uint64_t, build->system->vertex_count);
    for (int v = 0; own && v < build->system->vertex_count; ++v) {
        const Reach *reach = &build->reach[v];
        for (int i = 0; i < reach->count; ++i) {
            own[v] |= (uint64_t)1 << reach->aggregate[i];
        }
    }
    for (int v = 0; own && v < build->system->vertex_count; ++v) {
        const Reach *reach = &build->reach[v];
        uint64_t near = 0;
        for (int p = pattern->start[v]; p < pattern->start[v + 1]; ++p) {
            near |= own[pattern->column[p]];
        }
        for (int i = 0; i < reach->count; ++i) {
            coupled[reach->aggregate[i]] |= near;
        }
    }
    free(own);
    return own != NULL;
}

/* number[k]: the place of patch k in a good order of elimination. */
static StatusCode order_patches(const uint64_t *coupled, int count, int *number, Status *status) {
    int *order = SCRATCH_ARRAY(int, count), total = 0;
    Matrix graph = {.size = count,
                    .start = SCRATCH_ARRAY(int, count + 1),
                    .column = SCRATCH_ARRAY(int, count *count)};
    StatusCode code = STATUS_OK;
    if (!order || !graph.start || !graph.column) {
        code = status_no_memory(status, "the coarse level");
    } else {
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < count; ++j) {
                if (i == j || (coupled[i] >> j & 1) || (coupled[j] >> i & 1)) {
                    graph.column[total++] = j;
                }
            }
            graph.start[i + 1] = total;
        }
        Ordering ordering = ORDERING_AMD;
        code = ordering_choose(&ordering, &graph, order, status);
        for (int k = 0; k < count && code == STATUS_OK; ++k) {
            number[order[k]] = k;
        }
    }
    free(order);
    free(graph.start);
    free(graph.column);
    return code;
}

/* Gives the patches their new numbers and sorts every vertex's list. */
static void renumber(Build *build, const int *number) {
    for (int v = 0; v < build->system->vertex_count; ++v) {
        Reach *reach = &build->reach[v];
        for (int i = 0; i < reach->count; ++i) {
            int aggregate = number[reach->aggregate[i]], at = i;
            double weight = reach->weight[i];
            for (; at > 0 && reach->aggregate[at - 1] > aggregate; --at) {
                reach->aggregate[at] = reach->aggregate[at - 1];
                reach->weight[at] = reach->weight[at - 1];
            }
            reach->aggregate[at] = aggregate;
            reach->weight[at] = weight;
        }
    }
}

static StatusCode sort_patches(Build *build, Status *status) {
    int count = build->patches->count, number[MOST_PATCHES];
    uint64_t coupled[MOST_PATCHES] = {0};
    if (!mark_coupled(build, coupled)) {
        return status_no_memory(status, "the coarse level");
    }
    StatusCode code = order_patches(coupled, count, number, status);
    if (code != STATUS_OK) {
        return code;
    }
    renumber(build, number);
    for (int i = 0; i < count; ++i) {
        build->share[number[i]] = shares_of(build->shares, build->patches->seed[i]);
        for (int j = 0; j < count; ++j) {
            build->coupled[number[i]] |= (coupled[i] >> j & 1) << number[j];
        }
    }
    return STATUS_OK;
}

/* --- axes of the patches ---------------------------------------------------------------------- */

/* Moments of a weighted set of rest places: sums of w, w X and w X X'. */
typedef struct Moments {
    double total, second[3][3];
    Vec3 first;
} Moments;

static void add_place(Moments *moments, double w, Vec3 place) {
    const double c[3] = {place.x, place.y, place.z};
    moments->total += w;
    moments->first = vec3_madd(moments->first, w, place);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            moments->second[i][j] += w * c[i] * c[j];
        }
    }
}

typedef struct Frame {
    Vec3 centre, axis[3];
    double spread[3]; /* mean square of the coordinates, m^2, largest first */
} Frame;

static Frame frame_of(const Moments *moments) {
    Frame frame = {.centre = vec3_scale(1.0 / moments->total, moments->first)};
    const double c[3] = {frame.centre.x, frame.centre.y, frame.centre.z};
    double m[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m[i][j] = moments->second[i][j] / moments->total - c[i] * c[j];
        }
    }
    principal_axes(m, frame.axis, frame.spread);
    return frame;
}

/* Writes an aggregate's functions and returns how many it has. Axes thinner than `thinnest` of the first are
 * left out. */
static int set_functions(const Frame *frame, int with_one, double thinnest,
                         double affine[KINDS][4]) {
    int count = with_one;
    affine[0][0] = with_one;
    double extent = sqrt(frame->spread[0]);
    for (int k = 0; k < 3; ++k) {
        if (!(frame->spread[k] > thinnest * thinnest * frame->spread[0])) {
            continue;
        }
        Vec3 a = vec3_scale(1.0 / extent, frame->axis[k]);
        affine[k + 1][0] = -vec3_dot(a, frame->centre);
        affine[k + 1][1] = a.x;
        affine[k + 1][2] = a.y;
        affine[k + 1][3] = a.z;
        ++count;
    }
    return count;
}

/* All of a share about a place of its own, so that far from the origin no digits are lost. */
typedef struct Whole {
    Vec3 origin;
    Moments moments;
} Whole;

/* Of each share; null without memory, else to be freed. */
static Whole *wholes_of(const System *system, const Shares *shares) {
    Whole *wholes = SCRATCH_ARRAY(Whole, shares->count);
    for (int v = system->vertex_count; v-- > 0 && wholes;) { /* the first one stays */
        wholes[shares_of(shares, v)].origin = system->mesh->rest[v];
    }
    for (int v = 0; v < system->vertex_count && wholes; ++v) {
        Whole *whole = &wholes[shares_of(shares, v)];
        if (!system->mesh->isolated[v]) {
            add_place(&whole->moments, 1.0, vec3_sub(system->mesh->rest[v], whole->origin));
        }
    }
    return wholes;
}

static Frame whole_frame(const Whole *whole) {
    Frame frame = frame_of(&whole->moments);
    frame.centre = vec3_add(frame.centre, whole->origin);
    return frame;
}

bool basis_find_curved(const System *system, const Shares *shares, uint8_t *curved) {
    Whole *wholes = wholes_of(system, shares);
    for (int s = 0; s < shares->count && wholes; ++s) {
        if (wholes[s].moments.total > 0) {
            Frame frame = whole_frame(&wholes[s]);
            curved[s] = frame.spread[2] > THICK * THICK * frame.spread[0];
        }
    }
    free(wholes);
    return wholes != NULL;
}

/* The functions of all aggregates; decides which shares must be one as a whole. */
static void frame_aggregates(Build *build, const Whole *wholes, Moments *moments, Basis *basis) {
    const System *system = build->system;
    int count = build->patches->count;
    bool lacking[MOST_PATCHES] = {0};
    for (int v = 0; v < system->vertex_count; ++v) {
        const Reach *reach = &build->reach[v];
        for (int i = 0; i < reach->count; ++i) {
            Vec3 origin = wholes[build->share[reach->aggregate[i]]].origin;
            add_place(&moments[reach->aggregate[i]], reach->weight[i] * build->smoother->area[v],
                      vec3_sub(system->mesh->rest[v], origin));
        }
    }
    for (int k = 0; k < count; ++k) {
        if (!(moments[k].total > 0)) {
            continue;
        }
        Frame frame = frame_of(&moments[k]);
        frame.centre = vec3_add(frame.centre, wholes[build->share[k]].origin);
        int own = set_functions(&frame, 1, THICK, basis->affine[k]);
        lacking[build->share[k]] |= own < KINDS;
        basis->function_count += own;
    }
    basis->aggregate_count = count;
    for (int s = 0; s < build->shares->count; ++s) {
        build->whole[s] = -1;
        if (!lacking[s] || !(wholes[s].moments.total > 0)) {
            continue;
        }
        Frame frame = whole_frame(&wholes[s]);
        if (frame.spread[2] > FLAT * FLAT * frame.spread[0]) {
            build->whole[s] = basis->aggregate_count++;
            basis->function_count += set_functions(&frame, 0, FLAT, basis->affine[build->whole[s]]);
        }
    }
}

/* --- building --------------------------------------------------------------------------------- */

/* Patches that share a row of the matrix; a whole share with those in it. */
static void list_coupled(const Build *build, size_t aggregates, uint8_t *coupled) {
    int patches = build->patches->count;
    for (int i = 0; i < patches; ++i) {
        for (int j = 0; j < patches; ++j) {
            coupled[(size_t)i * aggregates + (size_t)j] = build->coupled[i] >> j & 1;
        }
        int whole = build->whole[build->share[i]];
        if (whole >= 0) {
            coupled[(size_t)whole * aggregates + (size_t)i] = 1;
        }
    }
    for (int s = 0; s < build->shares->count; ++s) {
        if (build->whole[s] >= 0) {
            coupled[(size_t)build->whole[s] * (aggregates + 1)] = 1;
        }
    }
}

static StatusCode list_aggregates(const Build *build, Basis *basis, Store *store, Status *status) {
    int vertices = build->system->vertex_count, total = 0;
    for (int v = 0; v < vertices; ++v) {
        total += build->reach[v].count + 1;
    }
    basis->start = STORE_ARRAY(store, int, vertices + 1);
    basis->aggregate = STORE_ARRAY(store, int, total);
    basis->weight = STORE_ARRAY(store, double, total);
    basis->stray = STORE_ARRAY(store, uint8_t, vertices);
    size_t aggregates = (size_t)basis->aggregate_count;
    basis->coupled = STORE_ARRAY(store, uint8_t, aggregates * aggregates);
    if (store->failed) {
        return status_no_memory(status, "the coarse level");
    }
    memcpy(basis->stray, build->patches->stray, (size_t)vertices);
    for (int v = 0, at = 0; v < vertices; ++v) {
        const Reach *reach = &build->reach[v];
        for (int i = 0; i < reach->count; ++i, ++at) {
            basis->aggregate[at] = reach->aggregate[i];
            basis->weight[at] = reach->weight[i];
        }
        int whole = build->whole[shares_of(build->shares, v)];
        if (whole >= 0) {
            basis->aggregate[at] = whole;
            basis->weight[at++] = 1.0;
        }
        basis->start[v + 1] = at;
    }
    list_coupled(build, aggregates, basis->coupled);
    return STATUS_OK;
}

static StatusCode fill_basis(Build *build, Basis *basis, Store *store, Status *status) {
    for (int k = 0; k < build->patches->count; ++k) {
        build->share[k] = shares_of(build->shares, build->patches->seed[k]);
    }
    StatusCode code = smooth_patches(build, status);
    if (code == STATUS_OK) {
        code = sort_patches(build, status);
    }
    if (code != STATUS_OK) {
        return code;
    }
    size_t most = (size_t)(build->patches->count + build->shares->count);
    Whole *wholes = wholes_of(build->system, build->shares);
    Moments *moments = SCRATCH_ARRAY(Moments, most);
    basis->affine = store_take(store, most, sizeof *basis->affine);
    if (wholes && moments && basis->affine) {
        frame_aggregates(build, wholes, moments, basis);
        code = list_aggregates(build, basis, store, status);
    } else {
        code = status_no_memory(status, "the coarse level");
    }
    free(wholes);
    free(moments);
    return code;
}

StatusCode basis_build(Basis *basis, const System *system, const Shares *shares,
                       const Patches *patches, Smoother *smoother, Store *store, Status *status) {
    Build build = {.system = system, .shares = shares, .patches = patches, .smoother = smoother};
    *basis = (Basis){0};
    build.reach = SCRATCH_ARRAY(Reach, system->vertex_count);
    StatusCode code = build.reach ? fill_basis(&build, basis, store, status)
                                  : status_no_memory(status, "the coarse level");
    free(build.reach);
    return code;
}
