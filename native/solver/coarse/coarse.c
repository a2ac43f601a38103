/* The coarse matrix: what no state changes is projected once, the rest added in each correction. */
#include "solver/coarse/coarse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/factor.h"
#include "solver/coarse/coarse_parts.h"
#include "system/system.h"

/* Patches of a flat sheet at most: 12 to 16 are best, more do not help; garments of tubes gain a little by
 * more (see docs/notes/two_level.md). */
#define FLAT_PATCHES 14
#define CURVED_PATCHES 24
/* Iterations of moving seeds to the middle of their patches. */
#define CENTRING 4
/* Vertices a patch at least: functions as fine as the mesh itself would leave the solve nothing to do and
 * feed energy into the cloth. */
#define PATCH_VERTICES 30
#define CURVED_PATCH_VERTICES 35
/* Patches of a garment are as many as this times the root of its vertices: a correction then costs about as much as the
 * rest of an iteration. With fewer than the second a small jacket is buttoned up too slowly. */
#define PATCHES_BY_ROOT 0.26
#define LEAST_CURVED_PATCHES 8
/* A rope has no width: a patch of it needs fewer. */
#define PATCH_ROPE_VERTICES 8
/* Elements for each patch at which stretch is sampled. 64 for 14 patches were too few, 144 to 400 good. */
#define SAMPLES 16
/* Share of the constant stiffness added to the true one: keeps slack cloth from being thrown about. */
#define SLACK_SHARE 1e-3
/* Stiffness that holds coarse pins, over the diagonal of K at the pin. */
#define PIN_STIFFNESS 150.0
/* Parts of each share's vertices whose rows are projected apart and added up in order. */
#define SLABS 16

/* What each piece of the cloth adds to each tile of the coarse matrix: so the matrix of some pieces is a sum. */
typedef struct Entries {
    int count;        /* in the order of the tiles; one piece has one in each */
    int *start;       /* per tile, and two more */
    const int *piece; /* per entry */
    int aggregate_count;
    const int *table; /* per piece, aggregate and earlier aggregate: the entry; -1: none */
    int *reach_start; /* per piece, and one more: the aggregates that reach it */
    int *reach;
    int awake_count;
    const int *awake; /* the pieces that take part, if not all do */
    uint8_t *awake_piece, *awake_aggregate;
} Entries;

struct Coarse {
    System *system;
    Store store;
    Shares shares;
    int *wanted;                     /* patches of each share */
    uint8_t *curved;                 /* per share: 1 unless it is about as flat as a sheet */
    Patches patches, sample_patches; /* of the basis and of the samples, only while it is built */
    Smoother smoother;               /* likewise */
    Basis basis;
    Samples samples;
    HessianTerms terms;
    Transfer transfer;
    Tiles hessian; /* unknown KINDS c + f of an aggregate is coordinate c of its function f */
    int *tile;     /* aggregate_count^2: place of tile (j, i), j <= i, at i * aggregate_count + j */
    Entries entries;
    double *constant; /* per entry, KINDS x KINDS: what no state changes, for each coordinate */
    double *rails;    /* likewise, for x alone: of half a mirrored cloth; else null */
    double *without;  /* `constant` without pins: of the set in use */
    double *sets;     /* the same of all: FACTOR_SETS */
    double *slabs;    /* the same of each slab */
    double *row;      /* KINDS for each aggregate, for each slab, scratch */
    int *touched;     /* 2 aggregate_count for each slab, scratch */
    uint8_t *slab;    /* per vertex */
    double *vector;   /* TILE for each aggregate */
    Matrix slack;     /* laws of constant stiffness + SLACK_SHARE K, on the pattern of K */
};

_Static_assert(TILE == KINDS * COORDINATES, "a tile couples the unknowns of two aggregates");

/* --- entries -------------------------------------------------------------------------------------- */

/* Lists the aggregates that reach each piece, ascending. Returns false without memory. */
static bool find_reach(Entries *entries, const System *system, const Basis *basis, Store *store) {
    size_t aggregates = (size_t)basis->aggregate_count, pieces = (size_t)system->piece_count;
    uint8_t *marked = SCRATCH_ARRAY(uint8_t, pieces * aggregates);
    entries->reach_start = STORE_ARRAY(store, int, pieces + 1);
    entries->reach = STORE_ARRAY(store, int, pieces *aggregates);
    if (!marked || store->failed) {
        free(marked);
        return false;
    }
    for (int v = 0; v < system->vertex_count; ++v) {
        for (int p = basis->start[v]; p < basis->start[v + 1]; ++p) {
            marked[(size_t)system->piece[v] * aggregates + (size_t)basis->aggregate[p]] = 1;
        }
    }
    int count = 0;
    for (size_t at = 0; at < pieces * aggregates; ++at) {
        entries->reach[count] = (int)(at % aggregates);
        count += marked[at];
        entries->reach_start[at / aggregates + 1] = count;
    }
    free(marked);
    return true;
}

/* Goes through the entries of all pieces, in their order: counts them two places after their tile's, or once there is room
 * numbers them, which moves the counts to their places. */
static void list_entries(Entries *entries, int piece_count, const int *tile, int *piece,
                         int *table) {
    int aggregates = entries->aggregate_count;
    for (int b = 0; b < piece_count; ++b) {
        for (int i = entries->reach_start[b]; i < entries->reach_start[b + 1]; ++i) {
            for (int j = entries->reach_start[b]; j <= i; ++j) {
                int at = entries->reach[i] * aggregates + entries->reach[j];
                if (tile[at] < 0) {
                    continue;
                }
                if (table) {
                    int entry = entries->start[tile[at] + 1]++;
                    table[(size_t)b * (size_t)(aggregates * aggregates) + (size_t)at] = entry;
                    piece[entry] = b;
                } else {
                    ++entries->start[tile[at] + 2];
                }
            }
        }
    }
}

static bool number_entries(Entries *entries, int piece_count, const int *tile, int tile_count,
                           Store *store) {
    size_t square = (size_t)entries->aggregate_count * (size_t)entries->aggregate_count;
    list_entries(entries, piece_count, tile, NULL, NULL);
    for (int t = 0; t < tile_count; ++t) {
        entries->start[t + 2] += entries->start[t + 1];
    }
    entries->count = entries->start[tile_count + 1];
    int *piece = STORE_ARRAY(store, int, entries->count);
    int *table = STORE_ARRAY(store, int, (size_t)piece_count *square);
    if (store->failed) {
        return false;
    }
    for (size_t at = 0; at < (size_t)piece_count * square; ++at) {
        table[at] = -1;
    }
    list_entries(entries, piece_count, tile, piece, table);
    entries->piece = piece;
    entries->table = table;
    return true;
}

/* `tile` has for each aggregate and each that is not after it their tile, -1: none. Arrays come from `store`. */
static StatusCode entries_build(Entries *entries, const System *system, const Basis *basis,
                                const int *tile, int tile_count, Store *store, Status *status) {
    *entries = (Entries){.aggregate_count = basis->aggregate_count,
                         .start = STORE_ARRAY(store, int, tile_count + 2),
                         .awake_piece = STORE_ARRAY(store, uint8_t, system->piece_count),
                         .awake_aggregate = STORE_ARRAY(store, uint8_t, basis->aggregate_count)};
    bool built = !store->failed && find_reach(entries, system, basis, store) &&
                 number_entries(entries, system->piece_count, tile, tile_count, store);
    return built ? STATUS_OK : status_no_memory(status, "the coarse level");
}

/* Sets awake_piece and awake_aggregate. */
static void entries_wake(Entries *entries, int piece_count, const int *pieces) {
    memset(entries->awake_aggregate, 0, (size_t)entries->aggregate_count);
    for (int k = 0; k < entries->awake_count; ++k) {
        entries->awake_piece[entries->awake[k]] = 0;
    }
    entries->awake_count = piece_count;
    entries->awake = pieces;
    for (int k = 0; k < piece_count; ++k) {
        int b = pieces[k];
        entries->awake_piece[b] = 1;
        for (int i = entries->reach_start[b]; i < entries->reach_start[b + 1]; ++i) {
            entries->awake_aggregate[entries->reach[i]] = 1;
        }
    }
}

/* --- building --------------------------------------------------------------------------------- */

/* Of so many vertices, so many of which are of a sheet. */
static int patches_wanted(const System *system, int count, int sheet, bool curved) {
    int least = curved ? CURVED_PATCH_VERTICES : PATCH_VERTICES;
    int most = sheet / least + (count - sheet) / PATCH_ROPE_VERTICES;
    int wanted = curved ? CURVED_PATCHES : FLAT_PATCHES;
    if (curved) {
        double whole = count * (system->mesh->halved ? 2.0 : 1.0);
        int fitting = (int)(PATCHES_BY_ROOT * sqrt(whole));
        fitting = fitting > LEAST_CURVED_PATCHES ? fitting : LEAST_CURVED_PATCHES;
        wanted = fitting < wanted ? fitting : wanted;
    }
    wanted = system->mesh->halved ? (wanted + 1) / 2 : wanted; /* as fine as those of the whole */
    return most < 1 ? 1 : most < wanted ? most : wanted;
}

/* Counts the patches of each share; returns how many there are in all, below 0 without memory. */
static int count_wanted(Coarse *coarse) {
    const System *system = coarse->system;
    const Shares *shares = &coarse->shares;
    int *sheet = SCRATCH_ARRAY(int, shares->count), total = -1;
    memset(coarse->wanted, 0, (size_t)shares->count * sizeof *coarse->wanted);
    memset(coarse->curved, 0, (size_t)shares->count * sizeof *coarse->curved);
    if (sheet && basis_find_curved(system, shares, coarse->curved)) {
        for (int v = 0; v < system->vertex_count; ++v) {
            ++coarse->wanted[shares_of(shares, v)];
            sheet[shares_of(shares, v)] += system->area[v] > 0;
        }
        total = 0;
        for (int s = 0; s < shares->count; ++s) {
            coarse->wanted[s] =
                patches_wanted(system, coarse->wanted[s], sheet[s], coarse->curved[s]);
            total += coarse->wanted[s];
        }
    }
    free(sheet);
    return total;
}

/* The pieces are the shares, unless they take too many patches. */
static StatusCode choose_shares(Coarse *coarse, Status *status) {
    const System *system = coarse->system;
    coarse->shares = (Shares){system->piece_count, system->piece};
    coarse->wanted = STORE_ARRAY(&coarse->store, int, system->piece_count);
    coarse->curved = STORE_ARRAY(&coarse->store, uint8_t, system->piece_count);
    if (coarse->store.failed) {
        return status_no_memory(status, "the coarse level");
    }
    int total = count_wanted(coarse);
    if (total > MOST_PATCHES) {
        coarse->shares = (Shares){1, NULL};
        total = count_wanted(coarse);
    }
    return total < 0 ? status_no_memory(status, "the coarse level") : STATUS_OK;
}

/* The same number of a share's vertices in each. Returns false without memory. */
static bool number_slabs(Coarse *coarse) {
    int count = coarse->system->vertex_count;
    int *size = SCRATCH_ARRAY(int, 2 * coarse->shares.count), *seen = size + coarse->shares.count;
    for (int v = 0; v < count && size; ++v) {
        ++size[shares_of(&coarse->shares, v)];
    }
    for (int v = 0; v < count && size; ++v) {
        int share = shares_of(&coarse->shares, v);
        coarse->slab[v] = (uint8_t)(((int64_t)SLABS * ++seen[share] - 1) / size[share]);
    }
    free(size);
    return size != NULL;
}

static StatusCode allocate_arrays(Coarse *coarse, Status *status) {
    const System *system = coarse->system;
    Store *store = &coarse->store;
    size_t aggregates = (size_t)coarse->basis.aggregate_count, tiles, entries;
    StatusCode code =
        tiles_build(&coarse->hessian, (int)aggregates, coarse->basis.coupled, store, status);
    if (code != STATUS_OK) {
        return code;
    }
    tiles = (size_t)coarse->hessian.start[aggregates];
    coarse->tile = STORE_ARRAY(store, int, aggregates *aggregates);
    if (store->failed) {
        return status_no_memory(status, "the coarse level");
    }
    for (size_t i = 0; i < aggregates; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            coarse->tile[i * aggregates + j] = tiles_find(&coarse->hessian, (int)j, (int)i);
        }
    }
    code = entries_build(&coarse->entries, system, &coarse->basis, coarse->tile, (int)tiles, store,
                         status);
    if (code != STATUS_OK) {
        return code;
    }
    entries = (size_t)coarse->entries.count;
    coarse->constant = STORE_ARRAY(store, double, entries *KINDS *KINDS);
    if (system->rail_from < system->vertex_count || system->beside_count > 0) {
        coarse->rails = STORE_ARRAY(store, double, entries *KINDS *KINDS);
    }
    coarse->sets = STORE_ARRAY(store, double, FACTOR_SETS *entries *KINDS *KINDS);
    coarse->slabs = STORE_ARRAY(store, double, SLABS *entries *KINDS *KINDS);
    coarse->row = STORE_ARRAY(store, double, SLABS *aggregates *KINDS);
    coarse->touched = STORE_ARRAY(store, int, 2 * SLABS * aggregates);
    coarse->vector = STORE_ARRAY(store, double, aggregates *TILE);
    coarse->slab = STORE_ARRAY(store, uint8_t, system->vertex_count);
    coarse->slack = system->stiffness;
    coarse->slack.value =
        STORE_ARRAY(store, double, system->stiffness.start[system->stiffness.size]);
    if (store->failed || !number_slabs(coarse)) {
        return status_no_memory(status, "the coarse level");
    }
    coarse->terms = (HessianTerms){.system = coarse->system,
                                   .basis = &coarse->basis,
                                   .samples = &coarse->samples,
                                   .tile = coarse->tile};
    code = terms_build(&coarse->terms, (int)tiles, store, status);
    return code == STATUS_OK
               ? transfer_build(&coarse->transfer, coarse->system, &coarse->basis, store, status)
               : code;
}

Coarse *coarse_begin(System *system, Status *status) {
    Coarse *coarse = calloc(1, sizeof *coarse);
    if (!coarse) {
        status_no_memory(status, "the coarse level");
        return NULL;
    }
    coarse->system = system;
    if (choose_shares(coarse, status) != STATUS_OK) {
        coarse_destroy(coarse);
        return NULL;
    }
    return coarse;
}

/* The most vertices that a patch has in the mean of a share; below 0 without memory. */
static int largest_patches(const Coarse *coarse) {
    int *size = SCRATCH_ARRAY(int, coarse->shares.count), largest = 0;
    for (int v = 0; v < coarse->system->vertex_count && size; ++v) {
        int share = shares_of(&coarse->shares, v), mean = ++size[share] / coarse->wanted[share];
        largest = mean > largest ? mean : largest;
    }
    free(size);
    return size ? largest : -1;
}

static StatusCode divide_samples(Coarse *coarse, Status *status) {
    int *wanted = SCRATCH_ARRAY(int, coarse->shares.count);
    if (!wanted) {
        return status_no_memory(status, "the coarse level");
    }
    for (int s = 0; s < coarse->shares.count; ++s) {
        wanted[s] = SAMPLES * coarse->wanted[s];
    }
    const PatchShares shares = {coarse->shares.count, coarse->shares.piece, wanted};
    StatusCode code =
        samples_divide(coarse->system, &shares, wanted, &coarse->sample_patches, status);
    free(wanted);
    return code;
}

StatusCode coarse_build_part(Coarse *coarse, int part, Status *status) {
    const System *system = coarse->system;
    const PatchShares shares = {coarse->shares.count, coarse->shares.piece, coarse->wanted};
    if (part == 0) {
        return patches_build(system->mesh, &shares, CENTRING, &coarse->patches, status);
    }
    if (part == 2) {
        return divide_samples(coarse, status);
    }
    int largest = largest_patches(coarse);
    return largest < 0 ? status_no_memory(status, "the coarse level")
                       : smoother_build(&coarse->smoother, system, largest, status);
}

static void release_parts(Coarse *coarse) {
    patches_free(&coarse->patches);
    patches_free(&coarse->sample_patches);
    smoother_release(&coarse->smoother);
}

StatusCode coarse_finish(Coarse *coarse, Status *status) {
    Store *store = &coarse->store;
    StatusCode code = basis_build(&coarse->basis, coarse->system, &coarse->shares, &coarse->patches,
                                  &coarse->smoother, store, status);
    if (code == STATUS_OK) {
        code = samples_build(&coarse->samples, coarse->system, &coarse->basis,
                             &coarse->sample_patches, store, status);
    }
    release_parts(coarse);
    return code == STATUS_OK ? allocate_arrays(coarse, status) : code;
}

void coarse_destroy(Coarse *coarse) {
    if (coarse) {
        release_parts(coarse);
        store_release(&coarse->store);
        free(coarse);
    }
}

int coarse_unknowns(const Coarse *coarse) { return COORDINATES * coarse->basis.function_count; }

bool coarse_is_curved(const Coarse *coarse) {
    const System *system = coarse->system;
    bool all = !system->awake || !coarse->shares.piece, curved = false;
    int count = all ? coarse->shares.count : system->awake_count;
    for (int k = 0; k < count; ++k) {
        curved |= coarse->curved[all ? k : system->awake_pieces[k]];
    }
    return curved;
}

size_t coarse_bytes(const Coarse *coarse) { return coarse->store.bytes; }

const Basis *coarse_basis(const Coarse *coarse) { return &coarse->basis; }

/* --- what is constant ------------------------------------------------------------------------- */

/* Stiffness that holds vertex i in the coarse system while it is pinned. */
static double pin_stiffness(const Coarse *coarse, int i, double scale) {
    const Matrix *stiffness = &coarse->system->stiffness;
    return coarse->basis.stray[i]
               ? 0.0
               : scale * PIN_STIFFNESS * stiffness->value[matrix_slot(stiffness, i, i)];
}

/* What a slab works with: its rows one after the other. */
typedef struct SlabRoom {
    double *row;   /* KINDS for each aggregate */
    int *list;     /* aggregates that the row touches */
    int *touching; /* for each aggregate: the last row that touched it, plus one */
} SlabRoom;

/* Sums of entry x weight x (1, X - X_i) over one row of I + h^2 s + h^2 q (bending + slack share of K), for each
 * aggregate. Returns how many aggregates it touches. */
static int sum_row(const Coarse *coarse, const Substep *substep, int i, const SlabRoom *room) {
    const System *system = coarse->system;
    const Basis *basis = &coarse->basis;
    const Matrix *slack = &coarse->slack;
    const Vec3 *rest = system->mesh->rest;
    double scale = substep_scale(substep);
    double own = substep_diagonal(substep, i);
    int touched = 0;
    for (int p = slack->start[i]; p < slack->start[i + 1]; ++p) {
        int j = slack->column[p];
        double entry = scale * slack->value[p] + (i == j ? own : 0.0);
        Vec3 away = vec3_scale(entry, vec3_sub(rest[j], rest[i]));
        const Pair near = {entry, away.x}, far = {away.y, away.z};
        for (int q = basis->start[j]; q < basis->start[j + 1]; ++q) {
            int aggregate = basis->aggregate[q];
            Pair *to = (Pair *)(room->row + KINDS * aggregate);
            if (room->touching[aggregate] != i + 1) {
                room->touching[aggregate] = i + 1;
                room->list[touched++] = aggregate;
                to[0] = to[1] = (Pair){0, 0};
            }
            to[0] += basis->weight[q] * near;
            to[1] += basis->weight[q] * far;
        }
    }
    return touched;
}

/* The same row times all functions. */
static int project_row(const Coarse *coarse, const Substep *substep, int i, const SlabRoom *room) {
    Vec3 x = coarse->system->mesh->rest[i];
    int touched = sum_row(coarse, substep, i, room);
    for (int t = 0; t < touched; ++t) {
        double *row = room->row + KINDS * room->list[t];
        const double sum[4] = {row[0], row[1], row[2], row[3]};
        for (int f = 0; f < KINDS; ++f) {
            const double *a = coarse->basis.affine[room->list[t]][f];
            row[f] = (a[0] + a[1] * x.x + a[2] * x.y + a[3] * x.z) * sum[0] + a[1] * sum[1] +
                     a[2] * sum[2] + a[3] * sum[3];
        }
    }
    return touched;
}

/* Numbers of `constant`. */
static size_t constant_count(const Coarse *coarse) {
    return (size_t)coarse->entries.count * KINDS * KINDS;
}

typedef struct Projection {
    const Coarse *coarse;
    const Substep *substep;
} Projection;

/* Where what vertex i adds to the tile of two aggregates goes, the second not after the first. */
static double *entry_at(const Coarse *coarse, int i, int a, int b, double *sums) {
    int aggregates = coarse->basis.aggregate_count;
    int row = coarse->system->piece[i] * aggregates + a;
    return sums + (size_t)coarse->entries.table[row * aggregates + b] * KINDS * KINDS;
}

/* Adds a row to the tiles of the aggregates that reach its vertex. */
static void add_row(const Coarse *coarse, int i, const SlabRoom *room, int touched, double *sum) {
    const Basis *basis = &coarse->basis;
    for (int p = basis->start[i]; p < basis->start[i + 1]; ++p) {
        double value[KINDS];
        basis_values(basis, p, coarse->system->mesh->rest[i], value);
        for (int t = 0; t < touched; ++t) {
            int a = basis->aggregate[p], b = room->list[t];
            if (b > a) {
                continue; /* the other half */
            }
            double *to = entry_at(coarse, i, a, b, sum);
            const double *row = room->row + KINDS * b;
            for (int f = 0; f < KINDS; ++f) {
                for (int g = 0; g < KINDS; ++g) {
                    to[KINDS * f + g] += row[f] * value[g];
                }
            }
        }
    }
}

static void project_slab(const Projection *projection, int slab) {
    const Coarse *coarse = projection->coarse;
    int aggregates = coarse->basis.aggregate_count, count = coarse->system->vertex_count;
    const SlabRoom room = {coarse->row + (size_t)slab * (size_t)aggregates * KINDS,
                           coarse->touched + 2 * slab * aggregates,
                           coarse->touched + (2 * slab + 1) * aggregates};
    double *sum = coarse->slabs + (size_t)slab * constant_count(coarse);
    memset(sum, 0, constant_count(coarse) * sizeof *sum);
    memset(room.touching, 0, (size_t)aggregates * sizeof *room.touching);
    for (int i = 0; i < count; ++i) {
        if (coarse->slab[i] != slab) {
            continue;
        }
        int touched = project_row(coarse, projection->substep, i, &room);
        add_row(coarse, i, &room, touched, sum);
    }
}

static void project_slabs(void *context, int begin, int end) {
    for (int slab = begin; slab < end; ++slab) {
        project_slab(context, slab);
    }
}

/* Adds a stiffness at one vertex to its entries in `sums`, KINDS x KINDS for each. */
static void add_point_stiffness(const Coarse *coarse, int i, double stiffness, double *sums) {
    const Basis *basis = &coarse->basis;
    for (int p = basis->start[i]; p < basis->start[i + 1]; ++p) {
        double upper[KINDS];
        basis_values(basis, p, coarse->system->mesh->rest[i], upper);
        for (int q = basis->start[i]; q < basis->start[i + 1]; ++q) {
            double lower[KINDS];
            if (basis->aggregate[q] > basis->aggregate[p]) {
                continue; /* the other half */
            }
            basis_values(basis, q, coarse->system->mesh->rest[i], lower);
            double *to = entry_at(coarse, i, basis->aggregate[p], basis->aggregate[q], sums);
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
            add_point_stiffness(coarse, i, pin_stiffness(coarse, i, scale), coarse->rails);
        }
    }
    for (int b = 0; b < system->beside_count; ++b) {
        int i = system->beside[b];
        add_point_stiffness(coarse, i, -scale * system->across[STIFFNESS_SMOOTH][i], coarse->rails);
    }
}

void coarse_update_pins(Coarse *coarse, const Substep *substep) {
    const System *system = coarse->system;
    double scale = substep_scale(substep);
    memcpy(coarse->constant, coarse->without, constant_count(coarse) * sizeof(double));
    for (int i = 0; i < system->vertex_count; ++i) {
        if (system->held[i]) {
            add_point_stiffness(coarse, i, pin_stiffness(coarse, i, scale), coarse->constant);
        }
    }
    if (coarse->rails) {
        project_rails(coarse, scale);
    }
}

void coarse_use_set(Coarse *coarse, const Substep *substep, int set) {
    coarse->without = coarse->sets + (size_t)set * constant_count(coarse);
    samples_scale(&coarse->samples, substep_scale(substep));
    coarse_update_pins(coarse, substep);
}

void coarse_prepare(Coarse *coarse, const Substep *substep, int set) {
    const System *system = coarse->system;
    Projection projection = {coarse, substep};
    Matrix *slack = &coarse->slack;
    size_t count = constant_count(coarse);
    assembly_fill_constant(&system->laws, STIFFNESS_SMOOTH, system->pool, slack);
    for (int p = 0; p < slack->start[slack->size]; ++p) {
        slack->value[p] += SLACK_SHARE * system->stiffness.value[p];
    }
    pool_each(system->pool, SLABS, project_slabs, &projection);
    double *sums = coarse->sets + (size_t)set * count;
    memset(sums, 0, count * sizeof(double));
    for (size_t at = 0; at < SLABS * count; ++at) {
        sums[at % count] += coarse->slabs[at];
    }
    coarse_use_set(coarse, substep, set);
}

/* --- the correction --------------------------------------------------------------------------- */

void coarse_wake(Coarse *coarse) {
    const System *system = coarse->system;
    entries_wake(&coarse->entries, system->awake ? system->awake_count : 0, system->awake_pieces);
    coarse->hessian.awake = system->awake ? coarse->entries.awake_aggregate : NULL;
}

/* What the pieces that take part add to a tile. */
static void sum_entries(const Coarse *coarse, int tile, const double *constant,
                        double sum[KINDS * KINDS]) {
    const Entries *entries = &coarse->entries;
    bool all = !coarse->system->awake;
    memset(sum, 0, KINDS * KINDS * sizeof *sum);
    for (int e = entries->start[tile]; e < entries->start[tile + 1]; ++e) {
        const double *from = constant + (size_t)e * KINDS * KINDS;
        for (int k = 0; k < KINDS * KINDS && (all || entries->awake_piece[entries->piece[e]]);
             ++k) {
            sum[k] += from[k];
        }
    }
}

/* What no state changes, in an aggregate's column of tiles. */
static void start_column(const Coarse *coarse, int aggregate) {
    const Tiles *hessian = &coarse->hessian;
    for (int t = hessian->start[aggregate]; t < hessian->start[aggregate + 1]; ++t) {
        double *to = tiles_at(hessian, t), from[KINDS * KINDS], rails[KINDS * KINDS];
        if (!tiles_awake(hessian, hessian->row[t])) {
            continue;
        }
        sum_entries(coarse, t, coarse->constant, from);
        if (coarse->rails) {
            sum_entries(coarse, t, coarse->rails, rails);
        }
        memset(to, 0, TILE_NUMBERS * sizeof *to);
        for (int c = 0; c < COORDINATES; ++c) {
            for (int f = 0; f < KINDS; ++f) {
                memcpy(to + (KINDS * c + f) * TILE + KINDS * c, from + KINDS * f,
                       KINDS * sizeof *to);
            }
        }
        for (int f = 0; coarse->rails && f < KINDS * KINDS; ++f) {
            to[f / KINDS * TILE + f % KINDS] += rails[f];
        }
    }
}

/* The last columns are the longest and come first. */
static void make_columns(void *context, int begin, int end) {
    const Coarse *coarse = context;
    for (int k = begin; k < end; ++k) {
        int aggregate = coarse->basis.aggregate_count - 1 - k;
        if (!tiles_awake(&coarse->hessian, aggregate)) {
            continue;
        }
        start_column(coarse, aggregate);
        terms_add(&coarse->terms, aggregate, &coarse->hessian);
    }
}

typedef struct PullWork {
    const Coarse *coarse;
    const Vec3 *gradient, *offset;
    double scale;
    Vec3 *pull;
} PullWork;

/* The gradient, but pins that must move pull with the same grip as in the matrix. */
static void pull_vertices(void *context, int begin, int end) {
    const PullWork *work = context;
    for (int i = begin; i < end; ++i) {
        int held = work->coarse->system->held[i];
        work->pull[i] =
            held ? vec3_scale(-pin_stiffness(work->coarse, i, work->scale), work->offset[i])
                 : work->gradient[i];
    }
}

bool coarse_correct(Coarse *coarse, const Substep *substep, const Vec3 *z, const Vec3 *offset,
                    Vec3 *change) {
    System *system = coarse->system;
    bool touching = substep_contact_count(substep) > 0;
    terms_evaluate(&coarse->terms, touching ? &substep->world->contacts : NULL, z);
    pool_in_order(system->pool, coarse->basis.aggregate_count, make_columns, coarse);
    if (!tiles_factor(&coarse->hessian, system->pool)) {
        memset(change, 0, (size_t)system->vertex_count * sizeof *change);
        return false;
    }
    if (offset) {
        PullWork work = {.coarse = coarse,
                         .gradient = substep->gradient,
                         .offset = offset,
                         .scale = substep_scale(substep),
                         .pull = change};
        system_run(system, pull_vertices, &work);
    }
    transfer_restrict(&coarse->transfer, offset ? change : substep->gradient, coarse->vector);
    tiles_solve(&coarse->hessian, coarse->vector);
    transfer_prolong(&coarse->transfer, coarse->vector, change);
    return true;
}
