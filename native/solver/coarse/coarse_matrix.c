/* Looking at samples and contacts, and adding what was seen to the coarse level's tiles. */
#include "solver/coarse/coarse_internal.h"

#include <string.h>

#include "linear/matrix.h"

/* Counts the shares of all tiles, or once there is room lists them: then share_start[t] is where those of tile t go on,
 * which are those of tile t + 1 in the end. */
static void list_shares(Curvature *curvature) {
    const Samples *samples = curvature->samples;
    int aggregates = curvature->basis->aggregate_count;
    for (int s = 0; s < samples->count; ++s) {
        const SampleReach *reach = &samples->reach[s];
        for (int i = 0; i < reach->aggregate_count; ++i) {
            for (int j = 0; j <= i; ++j) {
                int *at = curvature->share_start +
                          curvature->tile[reach->aggregates[i] * aggregates + reach->aggregates[j]];
                if (curvature->share) {
                    curvature->share[at[0]++] =
                        (TileShare){s, &reach->values[j], &reach->values[i]};
                } else {
                    ++at[1];
                }
            }
        }
    }
}

StatusCode curvature_build(Curvature *curvature, int tile_count, Store *store, Status *status) {
    curvature->blocks = STORE_ARRAY(store, SampleBlocks, curvature->samples->count);
    touches_take(&curvature->touches, curvature->basis->aggregate_count, store);
    curvature->share_start = STORE_ARRAY(store, int, tile_count + 1);
    if (store->failed) {
        return status_no_memory(status, "the coarse level");
    }
    list_shares(curvature);
    int *start = curvature->share_start;
    for (int t = 0; t < tile_count; ++t) {
        start[t + 1] += start[t];
    }
    curvature->share = STORE_ARRAY(store, TileShare, start[tile_count]);
    if (store->failed) {
        return status_no_memory(status, "the coarse level");
    }
    list_shares(curvature);
    memmove(start + 1, start, (size_t)tile_count * sizeof *start);
    start[0] = 0;
    return STATUS_OK;
}

/* --- looking ---------------------------------------------------------------------------------- */

typedef struct Look {
    Curvature *curvature;
    const Contacts *contacts;
    const Vec3 *z;
    double share; /* contacts that each of them stands for */
} Look;

/* The mixed block counts as symmetric, which it is for springs along rows and their sums: its upper half is taken. */
static void look_at_sample(const Look *look, int s) {
    const Sample *sample = &look->curvature->samples->sample[s];
    SampleBlocks *blocks = &look->curvature->blocks[s];
    const Law *law = sample->law;
    LawHessian hessian = {{{0}}, {{0}}, {{0}}}; /* a law of one row sets the first block alone */
    bool (*hessian_at)(const Law *, int, const Vec3 *, double, LawHessian *) =
        law->kind->coarse_hessian  ? law->kind->coarse_hessian
        : law->kind->fused_hessian ? law->kind->fused_hessian
                                   : law->kind->hessian;
    if (!hessian_at(law, sample->element, look->z, sample->scale, &hessian)) {
        *blocks = (SampleBlocks){{0}, {0}, {0}};
        return;
    }
    for (int m = 0; m < SYMMETRIC; ++m) {
        int upper = 3 * upper_row[m] + upper_column[m];
        blocks->first[m] = hessian.uu.m[upper];
        blocks->second[m] = hessian.vv.m[upper];
        blocks->mixed[m] = hessian.uv.m[upper];
    }
}

static bool is_awake(const Curvature *curvature, int sample) {
    return subset_has(curvature->system->awake, curvature->samples->sample[sample].vertex);
}

/* Samples lie far apart in the arrays of their law: asked for so many ahead, what they read is there in time. */
#define AHEAD 6

static void prefetch_sample(const Sample *sample) {
    if (sample->law->kind->prefetch) {
        sample->law->kind->prefetch(sample->law, sample->element);
    }
}

static void look_at_samples(void *context, int begin, int end) {
    const Look *look = context;
    const Samples *samples = look->curvature->samples;
    for (int s = begin; s < end; ++s) {
        if (s + AHEAD < samples->count) {
            prefetch_sample(&samples->sample[s + AHEAD]);
        }
        if (is_awake(look->curvature, s)) {
            look_at_sample(look, s);
        }
    }
}

static void gather_aggregates(const Curvature *curvature, const Contact *contact, Touch *touch) {
    const Basis *basis = curvature->basis;
    for (int c = 0; c < contact->count; ++c) {
        int v = contact->vertices[c];
        for (int p = basis->start[v]; p < basis->start[v + 1]; ++p) {
            double value[KINDS];
            int at = 0;
            while (at < touch->count && touch->aggregates[at] != basis->aggregate[p]) {
                ++at;
            }
            if (at == touch->count) {
                touch->aggregates[touch->count++] = basis->aggregate[p];
                memset(touch->by[at], 0, sizeof touch->by[at]);
            }
            basis_values(basis, p, curvature->system->mesh->rest[v], value);
            for (int f = 0; f < KINDS; ++f) {
                touch->by[at][f] += contact->weights[c] * value[f];
            }
        }
    }
}

/* All aggregates of a touch must be coupled: half of its matrix would resist motions that it leaves free. */
static bool touch_fits(const Curvature *curvature, const Touch *touch) {
    int aggregates = curvature->basis->aggregate_count;
    for (int i = 0; i < touch->count; ++i) {
        for (int j = 0; j < i; ++j) {
            int a = touch->aggregates[i], b = touch->aggregates[j];
            if (curvature->tile[(a > b ? a : b) * aggregates + (a > b ? b : a)] < 0) {
                return false;
            }
        }
    }
    return true;
}

static void look_at_touch(const Look *look, int t) {
    Touch *touch = &look->curvature->touches.touch[t];
    const Contact *contact = &look->contacts->list[touch->contact];
    const double n[] = {contact->normal.x, contact->normal.y, contact->normal.z};
    double along, across;
    touch->count = 0;
    touches_note(&look->curvature->touches, t);
    contact_stiffness(contact, look->z, &along, &across);
    if (along == 0 && across == 0) {
        return;
    }
    gather_aggregates(look->curvature, contact, touch);
    touch->count = touch_fits(look->curvature, touch) ? touch->count : 0;
    touches_note(&look->curvature->touches, t);
    for (int m = 0; m < SYMMETRIC; ++m) {
        int row = upper_row[m], column = upper_column[m];
        touch->block[m] =
            look->share * ((along - across) * n[row] * n[column] + (row == column ? across : 0.0));
    }
}

static void look_at_touches(void *context, int begin, int end) {
    const Look *look = context;
    for (int t = begin; t < end; ++t) {
        look_at_touch(look, t);
    }
}

/* Of the contacts that push or hold, evenly chosen ones, each standing for its neighbours in the list. */
static void choose_touches(Look *look, Contacts *contacts) {
    Curvature *curvature = look->curvature;
    int active = contacts_aim_inside(contacts, curvature->system->pool);
    int stride = (active + MOST_TOUCHES - 1) / MOST_TOUCHES;
    for (int k = stride / 2; k < active; k += stride) {
        curvature->touches.touch[curvature->touches.count++].contact = contacts->aimed[k];
    }
    look->share = stride;
}

/* Each takes a microsecond or so. */
#define AT_ONCE 32

typedef struct Parts {
    PoolTask task;
    Look *look;
    int count;
} Parts;

static void run_parts(void *context, int begin, int end) {
    const Parts *parts = context;
    int last = end * AT_ONCE < parts->count ? end * AT_ONCE : parts->count;
    parts->task(parts->look, begin * AT_ONCE, last);
}

static void look_at_all(Look *look, int count, PoolTask task) {
    Parts parts = {task, look, count};
    pool_each(look->curvature->system->pool, (count + AT_ONCE - 1) / AT_ONCE, run_parts, &parts);
}

void curvature_look(Curvature *curvature, Contacts *contacts, const Vec3 *z) {
    Look look = {.curvature = curvature, .contacts = contacts, .z = z};
    look_at_all(&look, curvature->samples->count, look_at_samples);
    curvature->touches.count = 0;
    if (contacts) {
        choose_touches(&look, contacts);
        look_at_all(&look, curvature->touches.count, look_at_touches);
    }
}

/* --- adding ----------------------------------------------------------------------------------- */

static inline void add_four(double *to, const Pair *sum) {
    ((Pair *)to)[0] += sum[0];
    ((Pair *)to)[1] += sum[1];
}

/* Adds a column of four functions times a row of four. */
static inline void add_outer(const Pair column[PAIRS], const Pair row[PAIRS],
                             Pair sum[KINDS][PAIRS]) {
    for (int half = 0; half < PAIRS; ++half) {
        sum[2 * half][0] += column[half][0] * row[0];
        sum[2 * half][1] += column[half][0] * row[1];
        sum[2 * half + 1][0] += column[half][1] * row[0];
        sum[2 * half + 1][1] += column[half][1] * row[1];
    }
}

/* The sum over all samples of (rows by lower aggregate) x number of the block x (rows by upper aggregate), four
 * functions by four, for NUMBERS of them from m on. */
static void sum_samples(const Curvature *curvature, int t, int m, Pair sum[NUMBERS][KINDS][PAIRS]) {
    memset(sum, 0, NUMBERS * sizeof *sum);
    for (int at = curvature->share_start[t]; at < curvature->share_start[t + 1]; ++at) {
        const TileShare *share = &curvature->share[at];
        if (!is_awake(curvature, share->sample)) {
            continue;
        }
        const SampleBlocks *blocks = &curvature->blocks[share->sample];
        const Pair *lower = (const Pair *)share->lower->by;
        const Pair *upper = (const Pair *)share->upper->by;
        for (int n = 0; n < NUMBERS; ++n) {
            double mixed = blocks->mixed[m + n];
            Pair column[BASE_ROWS][PAIRS];
            for (int half = 0; half < PAIRS; ++half) {
                Pair first = lower[half], second = lower[PAIRS + half];
                column[0][half] = blocks->first[m + n] * first + mixed * second;
                column[1][half] = mixed * first + blocks->second[m + n] * second;
            }
            add_outer(column[0], upper, sum[n]);
            add_outer(column[1], upper + PAIRS, sum[n]);
        }
    }
}

static void add_samples(const Curvature *curvature, int t, double *tile) {
    for (int m = 0; m < SYMMETRIC; m += NUMBERS) {
        Pair sum[NUMBERS][KINDS][PAIRS];
        sum_samples(curvature, t, m, sum);
        for (int n = 0; n < NUMBERS; ++n) {
            int c = upper_row[m + n], d = upper_column[m + n];
            for (int f = 0; f < KINDS; ++f) {
                add_four(tile + (KINDS * c + f) * TILE + KINDS * d, sum[n][f]);
                if (c != d) {
                    add_four(tile + (KINDS * d + f) * TILE + KINDS * c, sum[n][f]);
                }
            }
        }
    }
}

void curvature_add(const Curvature *curvature, int aggregate, const Tiles *hessian) {
    int reached[MOST_TOUCHES];
    int count = touches_of(&curvature->touches, aggregate, reached);
    for (int t = hessian->start[aggregate]; t < hessian->start[aggregate + 1]; ++t) {
        if (!tiles_awake(hessian, hessian->row[t])) {
            continue;
        }
        add_samples(curvature, t, tiles_at(hessian, t));
        touches_add(&curvature->touches, reached, count, hessian->row[t], aggregate,
                    tiles_at(hessian, t));
    }
}
