#include "solver/coarse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/block.h"
#include "linear/tiles.h"
#include "solver/basis.h"
#include "solver/samples.h"

/* Patches of a flat sheet at most: 12 to 16 are best, more do not help; garments of tubes gain a little by
 * more (see docs/lively.md). */
#define FLAT_PATCHES 14
#define CURVED_PATCHES 24
/* Vertices a patch at least: functions as fine as the mesh itself would leave the solve nothing to do and
 * feed energy into the cloth. */
#define PATCH_VERTICES 30
/* A rope has no width: a patch of it needs fewer. */
#define PATCH_ROPE_VERTICES 8
/* Elements for each patch at which stretch is sampled. 64 for 14 patches were too few, 144 to 400 good. */
#define SAMPLES 16
/* Share of the constant stiffness added to the true one: keeps slack cloth from being thrown about. */
#define SLACK_SHARE 1e-3
/* Stiffness that holds coarse pins, over the diagonal of K at the pin. */
#define PIN_GRIP 150.0
#define COORDINATES 3
/* Contacts that the coarse level looks at, at most: of more, evenly spread ones stand for their neighbours. */
#define MOST_TOUCHES 512
/* Parts of the vertices whose rows are projected apart and added up in order. */
#define SLABS 16
/* Pieces that reach a contact's vertices, at most. */
#define MOST_TOUCH_PIECES (CONTACT_VERTICES * MOST_PIECES)

/* Two numbers of the four that belong together. */
typedef double Pair __attribute__((vector_size(16)));
#define PAIRS 2

struct Coarse {
    System *system;
    Store store;
    Basis basis;
    Samples samples;
    Tiles hessian; /* unknown KINDS c + f of a piece is coordinate c of its function f */
    int *tile;     /* piece_count^2: place of tile (j, i), j <= i, at i * piece_count + j */
    double *
        constant; /* for each tile KINDS x KINDS: what no state changes, alike for the coordinates */
    double *
        rails; /* likewise: what x has besides, where the cloth is half of a mirrored one; else null */
    double *without; /* `constant` without what holds pins */
    double *slabs;   /* the same of each slab */
    double *row;     /* KINDS for each piece, for each slab, scratch */
    int *touched;    /* piece_count for each slab, scratch */
    double *vector;  /* TILE for each piece */
    double *partial; /* likewise for each chunk of vertices */
    Matrix slack;    /* bending + SLACK_SHARE K on the pattern of K */
    int curved;
};

_Static_assert(TILE == KINDS * COORDINATES, "a tile couples the unknowns of two pieces");

/* --- building --------------------------------------------------------------------------------- */

static int patches_wanted(const System *system, int curved) {
    int sheet = 0;
    for (int v = 0; v < system->vertex_count; ++v) {
        sheet += system->area[v] > 0;
    }
    int most = sheet / PATCH_VERTICES + (system->vertex_count - sheet) / PATCH_ROPE_VERTICES;
    int wanted = curved ? CURVED_PATCHES : FLAT_PATCHES;
    wanted = system->mesh->halved ? (wanted + 1) / 2 : wanted; /* as fine as those of the whole */
    return most < 1 ? 1 : most < wanted ? most : wanted;
}

static StatusCode take_arrays(Coarse *coarse, Status *status) {
    const System *system = coarse->system;
    Store *store = &coarse->store;
    size_t pieces = (size_t)coarse->basis.piece_count, entries;
    StatusCode code =
        tiles_build(&coarse->hessian, (int)pieces, coarse->basis.coupled, store, status);
    if (code != STATUS_OK) {
        return code;
    }
    entries = (size_t)coarse->hessian.start[pieces];
    coarse->tile = STORE_ARRAY(store, int, pieces *pieces);
    coarse->constant = STORE_ARRAY(store, double, entries *KINDS *KINDS);
    if (system->rail_from < system->vertex_count || system->beside_count > 0) {
        coarse->rails = STORE_ARRAY(store, double, entries *KINDS *KINDS);
    }
    coarse->without = STORE_ARRAY(store, double, entries *KINDS *KINDS);
    coarse->slabs = STORE_ARRAY(store, double, SLABS *entries *KINDS *KINDS);
    coarse->row = STORE_ARRAY(store, double, SLABS *pieces *KINDS);
    coarse->touched = STORE_ARRAY(store, int, SLABS *pieces);
    coarse->vector = STORE_ARRAY(store, double, pieces *TILE);
    coarse->partial =
        STORE_ARRAY(store, double, pieces *TILE *(size_t)pool_chunks(system->vertex_count));
    coarse->slack = system->stiffness;
    coarse->slack.value =
        STORE_ARRAY(store, double, system->stiffness.start[system->stiffness.size]);
    if (store->failed) {
        return status_no_memory(status, "the coarse level");
    }
    for (size_t i = 0; i < pieces; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            coarse->tile[i * pieces + j] = tiles_find(&coarse->hessian, (int)j, (int)i);
        }
    }
    return STATUS_OK;
}

Coarse *coarse_create(System *system, const Factor *like, Status *status) {
    Coarse *coarse = calloc(1, sizeof *coarse);
    if (!coarse) {
        status_no_memory(status, "the coarse level");
        return NULL;
    }
    coarse->system = system;
    coarse->curved = basis_is_curved(system);
    int patches = patches_wanted(system, coarse->curved);
    Store *store = &coarse->store;
    StatusCode code = basis_build(&coarse->basis, system, like, patches, store, status);
    if (code == STATUS_OK) {
        code = samples_build(&coarse->samples, system, &coarse->basis, SAMPLES * patches, store,
                             status);
    }
    if (code == STATUS_OK) {
        code = take_arrays(coarse, status);
    }
    if (code != STATUS_OK) {
        coarse_destroy(coarse);
        return NULL;
    }
    return coarse;
}

void coarse_destroy(Coarse *coarse) {
    if (coarse) {
        store_release(&coarse->store);
        free(coarse);
    }
}

int coarse_unknowns(const Coarse *coarse) { return COORDINATES * coarse->basis.function_count; }

double coarse_radius(const Coarse *coarse) { return coarse->basis.radius; }

int coarse_is_curved(const Coarse *coarse) { return coarse->curved; }

size_t coarse_bytes(const Coarse *coarse) { return coarse->store.bytes; }

int coarse_functions(const Coarse *coarse) { return KINDS * coarse->basis.piece_count; }

int coarse_functions_at(const Coarse *coarse, int vertex, int capacity, int *index, double *value) {
    const Basis *basis = &coarse->basis;
    int count = 0;
    for (int p = basis->start[vertex]; p < basis->start[vertex + 1]; ++p) {
        double own[KINDS];
        basis_values(basis, p, coarse->system->mesh->rest[vertex], own);
        for (int f = 0; f < KINDS && count < capacity; ++f, ++count) {
            index[count] = KINDS * basis->piece[p] + f;
            value[count] = own[f];
        }
    }
    return count;
}

/* --- what is constant ------------------------------------------------------------------------- */

/* Stiffness that holds vertex i in the coarse system while it is pinned. */
static double pin_grip(const Coarse *coarse, int i, double scale) {
    const Matrix *stiffness = &coarse->system->stiffness;
    return coarse->basis.stray[i]
               ? 0.0
               : scale * PIN_GRIP * stiffness->value[matrix_slot(stiffness, i, i)];
}

/* One row of I + h^2 s + h^2 q (bending + slack share of K), times all functions. Returns how many pieces it
 * touches. */
static int project_row(const Coarse *coarse, const Substep *substep, int i, double *row,
                       int *list) {
    const System *system = coarse->system;
    const Basis *basis = &coarse->basis;
    const Matrix *slack = &coarse->slack;
    double h2 = substep->length * substep->length, scale = h2 * substep->stiffness_factor;
    double own = substep->inertia[i] + h2 * system->soft_stiffness[i];
    int touched = 0;
    for (int p = slack->start[i]; p < slack->start[i + 1]; ++p) {
        int j = slack->column[p];
        double entry = scale * slack->value[p] + (i == j ? own : 0.0);
        for (int q = basis->start[j]; q < basis->start[j + 1]; ++q) {
            double value[KINDS], *to = row + KINDS * basis->piece[q];
            int known = 0;
            while (known < touched && list[known] != basis->piece[q]) {
                ++known;
            }
            if (known == touched) {
                list[touched++] = basis->piece[q];
                memset(to, 0, KINDS * sizeof *to);
            }
            basis_values(basis, q, system->mesh->rest[j], value);
            for (int f = 0; f < KINDS; ++f) {
                to[f] += entry * value[f];
            }
        }
    }
    return touched;
}

/* Numbers of `constant`. */
static size_t constant_count(const Coarse *coarse) {
    return (size_t)coarse->hessian.start[coarse->basis.piece_count] * KINDS * KINDS;
}

typedef struct Projection {
    const Coarse *coarse;
    const Substep *substep;
} Projection;

static void project_slab(const Projection *projection, int slab) {
    const Coarse *coarse = projection->coarse;
    const Basis *basis = &coarse->basis;
    int pieces = basis->piece_count, count = coarse->system->vertex_count;
    double *row = coarse->row + (size_t)slab * (size_t)pieces * KINDS;
    double *sum = coarse->slabs + (size_t)slab * constant_count(coarse);
    int *list = coarse->touched + slab * pieces;
    memset(sum, 0, constant_count(coarse) * sizeof *sum);
    int end = (int)((int64_t)count * (slab + 1) / SLABS);
    for (int i = (int)((int64_t)count * slab / SLABS); i < end; ++i) {
        int touched = project_row(coarse, projection->substep, i, row, list);
        for (int p = basis->start[i]; p < basis->start[i + 1]; ++p) {
            double value[KINDS];
            basis_values(basis, p, coarse->system->mesh->rest[i], value);
            for (int t = 0; t < touched; ++t) {
                int a = basis->piece[p], b = list[t];
                if (b > a) {
                    continue; /* the other half */
                }
                double *to = sum + (size_t)coarse->tile[a * pieces + b] * KINDS * KINDS;
                for (int f = 0; f < KINDS; ++f) {
                    for (int g = 0; g < KINDS; ++g) {
                        to[KINDS * f + g] += row[KINDS * b + f] * value[g];
                    }
                }
            }
        }
    }
}

static void project_slabs(void *context, int begin, int end) {
    for (int slab = begin; slab < end; ++slab) {
        project_slab(context, slab);
    }
}

/* Adds a stiffness at one vertex to `tiles`, KINDS x KINDS for each. */
static void add_grip(const Coarse *coarse, int i, double stiffness, double *tiles) {
    const Basis *basis = &coarse->basis;
    int pieces = basis->piece_count;
    for (int p = basis->start[i]; p < basis->start[i + 1]; ++p) {
        double upper[KINDS];
        basis_values(basis, p, coarse->system->mesh->rest[i], upper);
        for (int q = basis->start[i]; q < basis->start[i + 1]; ++q) {
            double lower[KINDS];
            if (basis->piece[q] > basis->piece[p]) {
                continue; /* the other half */
            }
            basis_values(basis, q, coarse->system->mesh->rest[i], lower);
            int tile = coarse->tile[basis->piece[p] * pieces + basis->piece[q]];
            double *to = tiles + (size_t)tile * KINDS * KINDS;
            for (int f = 0; f < KINDS * KINDS; ++f) {
                to[f] += stiffness * lower[f / KINDS] * upper[f % KINDS];
            }
        }
    }
}

/* Rails hold x as pins do; beside the mirror plane it is softer than the bending matrix says. */
static void project_rails(Coarse *coarse, double scale) {
    const System *system = coarse->system;
    memset(coarse->rails, 0, constant_count(coarse) * sizeof(double));
    for (int i = system->rail_from; i < system->vertex_count; ++i) {
        if (!system->held[i]) {
            add_grip(coarse, i, pin_grip(coarse, i, scale), coarse->rails);
        }
    }
    for (int b = 0; b < system->beside_count; ++b) {
        int i = system->beside[b];
        add_grip(coarse, i, -scale * system->across[i], coarse->rails);
    }
}

void coarse_hold(Coarse *coarse, const Substep *substep) {
    const System *system = coarse->system;
    double scale = substep->length * substep->length * substep->stiffness_factor;
    memcpy(coarse->constant, coarse->without, constant_count(coarse) * sizeof(double));
    for (int i = 0; i < system->vertex_count; ++i) {
        if (system->held[i]) {
            add_grip(coarse, i, pin_grip(coarse, i, scale), coarse->constant);
        }
    }
    if (coarse->rails) {
        project_rails(coarse, scale);
    }
}

void coarse_prepare(Coarse *coarse, const Substep *substep) {
    const System *system = coarse->system;
    Projection projection = {coarse, substep};
    Matrix *slack = &coarse->slack;
    size_t count = constant_count(coarse);
    matrix_clear(slack);
    bending_model_add_matrix(&system->bending, slack);
    for (int p = 0; p < slack->start[slack->size]; ++p) {
        slack->value[p] += SLACK_SHARE * system->stiffness.value[p];
    }
    samples_refresh(&coarse->samples, system,
                    substep->length * substep->length * substep->stiffness_factor);
    pool_each(system->pool, SLABS, project_slabs, &projection);
    memset(coarse->without, 0, count * sizeof(double));
    for (size_t at = 0; at < SLABS * count; ++at) {
        coarse->without[at % count] += coarse->slabs[at];
    }
    coarse_hold(coarse, substep);
}

/* --- the correction --------------------------------------------------------------------------- */

static void start_hessian(Coarse *coarse) {
    Tiles *hessian = &coarse->hessian;
    tiles_clear(hessian);
    for (int t = 0; t < hessian->start[hessian->count]; ++t) {
        const double *from = coarse->constant + (size_t)t * KINDS * KINDS;
        double *to = tiles_at(hessian, t);
        for (int c = 0; c < COORDINATES; ++c) {
            for (int f = 0; f < KINDS; ++f) {
                memcpy(to + (KINDS * c + f) * TILE + KINDS * c, from + KINDS * f,
                       KINDS * sizeof *to);
            }
        }
        for (int f = 0; coarse->rails && f < KINDS * KINDS; ++f) {
            to[f / KINDS * TILE + f % KINDS] +=
                coarse->rails[(size_t)t * KINDS * KINDS + (size_t)f];
        }
    }
}

/* The six different numbers of a symmetric 3 x 3 block, and where each goes. */
#define SYMMETRIC 6
static const int upper_row[SYMMETRIC] = {0, 0, 0, 1, 1, 2};
static const int upper_column[SYMMETRIC] = {0, 1, 2, 1, 2, 2};

/* Second derivatives of one sample's rows at z, weighted; rows that do not resist are zero. */
static void sample_blocks(const Coarse *coarse, const Sample *sample, const Vec3 *z,
                          double blocks[MOST_ROWS][SYMMETRIC]) {
    int tension_only =
        sample->is_edge ? coarse->system->edge.tension_only : coarse->system->triangle.tension_only;
    for (int r = 0; r < MOST_ROWS; ++r) {
        Vec3 s = vec3(0, 0, 0);
        Block block;
        for (int c = 0; c < sample->vertex_count; ++c) {
            s = vec3_madd(s, sample->weights[r][c], z[sample->vertices[c]]);
        }
        int resists =
            r < sample->row_count && block_of_spring(s, sample->rest, tension_only, &block);
        for (int m = 0; m < SYMMETRIC; ++m) {
            blocks[r][m] =
                resists ? sample->stiffness[r] * block.m[3 * upper_row[m] + upper_column[m]] : 0.0;
        }
    }
}

static inline void add_four(double *to, const Pair *sum) {
    ((Pair *)to)[0] += sum[0];
    ((Pair *)to)[1] += sum[1];
}

/* Adds sum over rows of (rows by lower piece) x block x (rows by upper piece) to a tile: for each pair of
 * coordinates four functions of the upper piece at once. Rows that are not there are zero. */
static void add_tile(const PieceRows *lower, const PieceRows *upper,
                     const double blocks[MOST_ROWS][SYMMETRIC], double *tile) {
    const Pair(*rows)[PAIRS] = (const Pair(*)[PAIRS])upper->by;
    for (int m = 0; m < SYMMETRIC; ++m) {
        int c = upper_row[m], d = upper_column[m];
        for (int f = 0; f < KINDS; ++f) {
            Pair sum[PAIRS] = {{0}};
            for (int r = 0; r < MOST_ROWS; ++r) {
                double factor = blocks[r][m] * lower->by[r][f];
                sum[0] += factor * rows[r][0];
                sum[1] += factor * rows[r][1];
            }
            add_four(tile + (KINDS * c + f) * TILE + KINDS * d, sum);
            if (c != d) {
                add_four(tile + (KINDS * d + f) * TILE + KINDS * c, sum);
            }
        }
    }
}

static void add_sample(Coarse *coarse, const Sample *sample, const Vec3 *z) {
    int pieces = coarse->basis.piece_count;
    double blocks[MOST_ROWS][SYMMETRIC];
    sample_blocks(coarse, sample, z, blocks);
    for (int i = 0; i < sample->piece_count; ++i) {
        for (int j = 0; j <= i; ++j) {
            int tile = coarse->tile[sample->pieces[i] * pieces + sample->pieces[j]];
            add_tile(&sample->values[j], &sample->values[i], (const double(*)[SYMMETRIC])blocks,
                     tiles_at(&coarse->hessian, tile));
        }
    }
}

/* A contact by the pieces: what the functions of each do to its point. */
typedef struct Touch {
    int count, pieces[MOST_TOUCH_PIECES];
    _Alignas(16) double by[MOST_TOUCH_PIECES][KINDS];
} Touch;

static void gather_touch(const Coarse *coarse, const Contact *contact, Touch *touch) {
    const Basis *basis = &coarse->basis;
    touch->count = 0;
    for (int c = 0; c < contact->count; ++c) {
        int v = contact->vertices[c];
        for (int p = basis->start[v]; p < basis->start[v + 1]; ++p) {
            double value[KINDS];
            int at = 0;
            while (at < touch->count && touch->pieces[at] != basis->piece[p]) {
                ++at;
            }
            if (at == touch->count) {
                touch->pieces[touch->count++] = basis->piece[p];
                memset(touch->by[at], 0, sizeof touch->by[at]);
            }
            basis_values(basis, p, coarse->system->mesh->rest[v], value);
            for (int f = 0; f < KINDS; ++f) {
                touch->by[at][f] += contact->weights[c] * value[f];
            }
        }
    }
}

/* Adds the outer product of two pieces' values, times the contact's block, to their tile. */
static void add_touch_tile(const double *lower, const double *upper, const double block[SYMMETRIC],
                           double *tile) {
    const Pair *values = (const Pair *)upper;
    for (int m = 0; m < SYMMETRIC; ++m) {
        int c = upper_row[m], d = upper_column[m];
        for (int f = 0; f < KINDS; ++f) {
            double factor = block[m] * lower[f];
            Pair sum[PAIRS] = {factor * values[0], factor * values[1]};
            add_four(tile + (KINDS * c + f) * TILE + KINDS * d, sum);
            if (c != d) {
                add_four(tile + (KINDS * d + f) * TILE + KINDS * c, sum);
            }
        }
    }
}

/* All pieces of a touch must be coupled: half of its matrix would resist motions that it leaves free. */
static int touch_fits(const Coarse *coarse, const Touch *touch) {
    int pieces = coarse->basis.piece_count;
    for (int i = 0; i < touch->count; ++i) {
        for (int j = 0; j < i; ++j) {
            int a = touch->pieces[i], b = touch->pieces[j];
            if (coarse->tile[(a > b ? a : b) * pieces + (a > b ? b : a)] < 0) {
                return 0;
            }
        }
    }
    return 1;
}

static void add_touch(Coarse *coarse, const Contacts *contacts, int c, double share,
                      const Vec3 *z) {
    const Contact *contact = &contacts->list[c];
    double along, across, block[SYMMETRIC];
    contacts_stiffness(contacts, contact, z, &along, &across);
    Touch touch;
    if (along == 0 && across == 0) {
        return;
    }
    gather_touch(coarse, contact, &touch);
    if (!touch_fits(coarse, &touch)) {
        return;
    }
    const double n[COORDINATES] = {contact->normal.x, contact->normal.y, contact->normal.z};
    for (int m = 0; m < SYMMETRIC; ++m) {
        int row = upper_row[m], column = upper_column[m];
        block[m] = share * ((along - across) * n[row] * n[column] + (row == column ? across : 0.0));
    }
    int pieces = coarse->basis.piece_count;
    for (int i = 0; i < touch.count; ++i) {
        for (int j = 0; j < touch.count; ++j) {
            int a = touch.pieces[i], b = touch.pieces[j];
            if (b <= a) {
                add_touch_tile(touch.by[j], touch.by[i], block,
                               tiles_at(&coarse->hessian, coarse->tile[a * pieces + b]));
            }
        }
    }
}

/* Of the contacts that push or hold, evenly chosen ones, each standing for its neighbours in the list. */
static void add_touches(Coarse *coarse, Contacts *contacts, const Vec3 *z) {
    int active = contacts_aim_inside(contacts, coarse->system->pool, z);
    int stride = (active + MOST_TOUCHES - 1) / MOST_TOUCHES;
    for (int k = stride / 2; k < active; k += stride) {
        add_touch(coarse, contacts, contacts->aimed[k], stride, z);
    }
}

typedef struct CoarseWork {
    Coarse *coarse;
    const Substep *substep;
    const Vec3 *way;
    double scale;
    Vec3 *change;
} CoarseWork;

/* Sums of weight g (1, X) for each piece, chunk by chunk. Pins that must move pull with the same grip as in
 * the matrix. */
static void restrict_chunk(void *context, int begin, int end) {
    const CoarseWork *work = context;
    const System *system = work->coarse->system;
    const Basis *basis = &work->coarse->basis;
    size_t unknowns = (size_t)basis->piece_count * TILE;
    double *sum = work->coarse->partial + (size_t)pool_chunk_at(begin) * unknowns;
    memset(sum, 0, unknowns * sizeof *sum);
    for (int i = begin; i < end; ++i) {
        Vec3 g = work->substep->gradient[i], x = system->mesh->rest[i];
        if (work->way && system->held[i]) {
            g = vec3_scale(-pin_grip(work->coarse, i, work->scale), work->way[i]);
        }
        Pair near = {1.0, x.x}, far = {x.y, x.z};
        const Pair moment[COORDINATES * PAIRS] = {g.x * near, g.x * far,  g.y * near,
                                                  g.y * far,  g.z * near, g.z * far};
        for (int p = basis->start[i]; p < basis->start[i + 1]; ++p) {
            Pair *to = (Pair *)(sum + TILE * basis->piece[p]);
            for (int c = 0; c < COORDINATES * PAIRS; ++c) {
                to[c] += basis->weight[p] * moment[c];
            }
        }
    }
}

/* P' gradient into the vector. */
static void restrict_gradient(Coarse *coarse, const CoarseWork *work) {
    const System *system = coarse->system;
    const Basis *basis = &coarse->basis;
    size_t unknowns = (size_t)basis->piece_count * TILE;
    pool_run(system->pool, system->vertex_count, restrict_chunk, (void *)work);
    for (int c = 1; c < pool_chunks(system->vertex_count); ++c) {
        for (size_t u = 0; u < unknowns; ++u) {
            coarse->partial[u] += coarse->partial[(size_t)c * unknowns + u];
        }
    }
    for (int k = 0; k < basis->piece_count; ++k) {
        for (int c = 0; c < COORDINATES; ++c) {
            const double *moment = coarse->partial + TILE * k + KINDS * c;
            for (int f = 0; f < KINDS; ++f) {
                const double *a = basis->affine[k][f];
                coarse->vector[TILE * k + KINDS * c + f] =
                    a[0] * moment[0] + a[1] * moment[1] + a[2] * moment[2] + a[3] * moment[3];
            }
        }
    }
}

static void prolong_chunk(void *context, int begin, int end) {
    const CoarseWork *work = context;
    const System *system = work->coarse->system;
    const Basis *basis = &work->coarse->basis;
    for (int i = begin; i < end; ++i) {
        Vec3 x = system->mesh->rest[i];
        Pair sum[COORDINATES * PAIRS] = {{0}}, near = {1.0, x.x}, far = {x.y, x.z};
        for (int p = basis->start[i]; p < basis->start[i + 1]; ++p) {
            const Pair *motion = (const Pair *)(work->coarse->vector + TILE * basis->piece[p]);
            for (int c = 0; c < COORDINATES * PAIRS; ++c) {
                sum[c] += basis->weight[p] * motion[c];
            }
        }
        double moved[COORDINATES];
        for (int c = 0; c < COORDINATES; ++c) {
            Pair part = sum[PAIRS * c] * near + sum[PAIRS * c + 1] * far;
            moved[c] = part[0] + part[1];
        }
        Vec3 own = system_on_rails(system, i, vec3(moved[0], moved[1], moved[2]));
        work->change[i] = system->held[i] ? vec3(0, 0, 0) : own;
    }
}

/* From coefficients of the functions to one affine motion of the rest place for each piece. */
static void make_motions(Coarse *coarse) {
    for (int k = 0; k < coarse->basis.piece_count; ++k) {
        for (int c = 0; c < COORDINATES; ++c) {
            double *q = coarse->vector + TILE * k + KINDS * c, motion[4] = {0};
            for (int f = 0; f < KINDS; ++f) {
                for (int m = 0; m < 4; ++m) {
                    motion[m] += q[f] * coarse->basis.affine[k][f][m];
                }
            }
            memcpy(q, motion, sizeof motion);
        }
    }
}

int coarse_correct(Coarse *coarse, const Substep *substep, const Vec3 *z, const Vec3 *way,
                   Vec3 *change) {
    System *system = coarse->system;
    double h2 = substep->length * substep->length;
    CoarseWork work = {coarse, substep, way, h2 * substep->stiffness_factor, change};
    start_hessian(coarse);
    for (int s = 0; s < coarse->samples.count; ++s) {
        add_sample(coarse, &coarse->samples.sample[s], z);
    }
    if (substep_contact_count(substep) > 0) {
        add_touches(coarse, &substep->around->contacts, z);
    }
    if (!tiles_factor(&coarse->hessian)) {
        memset(change, 0, (size_t)system->vertex_count * sizeof *change);
        return 0;
    }
    restrict_gradient(coarse, &work);
    tiles_solve(&coarse->hessian, coarse->vector);
    make_motions(coarse);
    pool_run(system->pool, system->vertex_count, prolong_chunk, &work);
    return 1;
}
