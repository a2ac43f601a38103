/* Looking at samples and contacts, and adding what was seen to the coarse level's tiles. */
#include "solver/coarse/coarse_parts.h"

#include <string.h>

#include "linear/matrix.h"

/* Counts the shares of all tiles, two places after the tile's, or once there is room lists them, which moves the counts to
 * their places. */
static void list_shares(HessianTerms *terms) {
    const Samples *samples = terms->samples;
    int aggregates = terms->basis->aggregate_count;
    for (int s = 0; s < samples->count; ++s) {
        const SampleReach *reach = &samples->reach[s];
        for (int i = 0; i < reach->aggregate_count; ++i) {
            for (int j = 0; j <= i; ++j) {
                int *at = terms->share_start +
                          terms->tile[reach->aggregates[i] * aggregates + reach->aggregates[j]];
                if (terms->share) {
                    terms->share[at[1]++] = (TileShare){s, &reach->values[j], &reach->values[i]};
                } else {
                    ++at[2];
                }
            }
        }
    }
}

StatusCode terms_build(HessianTerms *terms, int tile_count, Store *store, Status *status) {
    terms->blocks = STORE_ARRAY(store, SampleBlocks, terms->samples->count);
    coarse_contacts_allocate(&terms->contacts, terms->basis->aggregate_count, store);
    terms->share_start = STORE_ARRAY(store, int, tile_count + 2);
    if (store->failed) {
        return status_no_memory(status, "the coarse level");
    }
    list_shares(terms);
    int *start = terms->share_start;
    for (int t = 0; t < tile_count; ++t) {
        start[t + 2] += start[t + 1];
    }
    terms->share = STORE_ARRAY(store, TileShare, start[tile_count + 1]);
    if (store->failed) {
        return status_no_memory(status, "the coarse level");
    }
    list_shares(terms);
    return STATUS_OK;
}

/* --- evaluating ------------------------------------------------------------------------------- */

typedef struct Evaluation {
    HessianTerms *terms;
    const Contacts *contacts;
    const Vec3 *z;
    double share; /* contacts that each of them stands for */
} Evaluation;

/* The mixed block counts as symmetric, which it is for springs along rows and their sums: its upper half is taken. */
static void evaluate_sample(const Evaluation *evaluation, int s) {
    const Sample *sample = &evaluation->terms->samples->sample[s];
    SampleBlocks *blocks = &evaluation->terms->blocks[s];
    const Law *law = sample->law;
    LawHessian hessian = {{{0}}, {{0}}, {{0}}}; /* a law of one row sets the first block alone */
    bool (*hessian_at)(const Law *, int, const Vec3 *, double, LawHessian *) =
        law->kind->coarse_hessian  ? law->kind->coarse_hessian
        : law->kind->fused_hessian ? law->kind->fused_hessian
                                   : law->kind->hessian;
    if (!hessian_at(law, sample->element, evaluation->z, sample->scale, &hessian)) {
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

static bool is_awake(const HessianTerms *terms, int sample) {
    return subset_has(terms->system->awake, terms->samples->sample[sample].vertex);
}

/* Samples lie far apart in the arrays of their law: asked for so many ahead, what they read is there in time. */
#define AHEAD 6

static void evaluate_samples(void *context, int begin, int end) {
    const Evaluation *evaluation = context;
    const Samples *samples = evaluation->terms->samples;
    for (int s = begin; s < end; ++s) {
        const Sample *ahead = s + AHEAD < samples->count ? &samples->sample[s + AHEAD] : NULL;
        if (ahead && ahead->law->kind->prefetch) {
            ahead->law->kind->prefetch(ahead->law, ahead->element);
        }
        if (is_awake(evaluation->terms, s)) {
            evaluate_sample(evaluation, s);
        }
    }
}

static void gather_aggregates(const HessianTerms *terms, const Contact *contact,
                              CoarseContact *coarse) {
    const Basis *basis = terms->basis;
    for (int c = 0; c < contact->count; ++c) {
        int v = contact->vertices[c];
        for (int p = basis->start[v]; p < basis->start[v + 1]; ++p) {
            double value[KINDS];
            int at = 0;
            while (at < coarse->count && coarse->aggregates[at] != basis->aggregate[p]) {
                ++at;
            }
            if (at == coarse->count) {
                coarse->aggregates[coarse->count++] = basis->aggregate[p];
                memset(coarse->by[at], 0, sizeof coarse->by[at]);
            }
            basis_values(basis, p, terms->system->mesh->rest[v], value);
            for (int f = 0; f < KINDS; ++f) {
                coarse->by[at][f] += contact->weights[c] * value[f];
            }
        }
    }
}

/* All aggregates of a contact must be coupled: half of its matrix would resist motions that it leaves free. */
static bool contact_fits(const HessianTerms *terms, const CoarseContact *coarse) {
    int aggregates = terms->basis->aggregate_count;
    for (int i = 0; i < coarse->count; ++i) {
        for (int j = 0; j < i; ++j) {
            int a = coarse->aggregates[i], b = coarse->aggregates[j];
            if (terms->tile[(a > b ? a : b) * aggregates + (a > b ? b : a)] < 0) {
                return false;
            }
        }
    }
    return true;
}

static void evaluate_contact(const Evaluation *evaluation, int t) {
    CoarseContact *coarse = &evaluation->terms->contacts.list[t];
    const Contact *contact = &evaluation->contacts->list[coarse->contact];
    const double n[] = {contact->normal.x, contact->normal.y, contact->normal.z};
    double along, across;
    coarse->count = 0;
    coarse_contacts_index(&evaluation->terms->contacts, t);
    contact_stiffness(contact, evaluation->z, &along, &across);
    if (along == 0 && across == 0) {
        return;
    }
    gather_aggregates(evaluation->terms, contact, coarse);
    coarse->count = contact_fits(evaluation->terms, coarse) ? coarse->count : 0;
    coarse_contacts_index(&evaluation->terms->contacts, t);
    for (int m = 0; m < SYMMETRIC; ++m) {
        int row = upper_row[m], column = upper_column[m];
        coarse->block[m] = evaluation->share *
                           ((along - across) * n[row] * n[column] + (row == column ? across : 0.0));
    }
}

static void evaluate_contacts(void *context, int begin, int end) {
    const Evaluation *evaluation = context;
    for (int t = begin; t < end; ++t) {
        evaluate_contact(evaluation, t);
    }
}

/* Of the contacts that push or hold, evenly chosen ones, each standing for its neighbours in the list. */
static void choose_contacts(Evaluation *evaluation, Contacts *contacts) {
    HessianTerms *terms = evaluation->terms;
    int active = contacts_aim_inside(contacts, terms->system->pool);
    int stride = (active + MOST_COARSE_CONTACTS - 1) / MOST_COARSE_CONTACTS;
    for (int k = stride / 2; k < active; k += stride) {
        terms->contacts.list[terms->contacts.count++].contact = contacts->aimed[k];
    }
    evaluation->share = stride;
}

/* Each takes a microsecond or so. */
#define AT_ONCE 32

typedef struct Parts {
    PoolTask task;
    Evaluation *evaluation;
    int count;
} Parts;

static void run_parts(void *context, int begin, int end) {
    const Parts *parts = context;
    int last = end * AT_ONCE < parts->count ? end * AT_ONCE : parts->count;
    parts->task(parts->evaluation, begin * AT_ONCE, last);
}

static void evaluate_all(Evaluation *evaluation, int count, PoolTask task) {
    Parts parts = {task, evaluation, count};
    pool_each(evaluation->terms->system->pool, (count + AT_ONCE - 1) / AT_ONCE, run_parts, &parts);
}

void terms_evaluate(HessianTerms *terms, Contacts *contacts, const Vec3 *z) {
    Evaluation evaluation = {.terms = terms, .contacts = contacts, .z = z};
    evaluate_all(&evaluation, terms->samples->count, evaluate_samples);
    terms->contacts.count = 0;
    if (contacts) {
        choose_contacts(&evaluation, contacts);
        evaluate_all(&evaluation, terms->contacts.count, evaluate_contacts);
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
static void sum_samples(const HessianTerms *terms, int t, int m, Pair sum[NUMBERS][KINDS][PAIRS]) {
    memset(sum, 0, NUMBERS * sizeof *sum);
    for (int at = terms->share_start[t]; at < terms->share_start[t + 1]; ++at) {
        const TileShare *share = &terms->share[at];
        if (!is_awake(terms, share->sample)) {
            continue;
        }
        const SampleBlocks *blocks = &terms->blocks[share->sample];
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

static void add_samples(const HessianTerms *terms, int t, double *tile) {
    for (int m = 0; m < SYMMETRIC; m += NUMBERS) {
        Pair sum[NUMBERS][KINDS][PAIRS];
        sum_samples(terms, t, m, sum);
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

void terms_add(const HessianTerms *terms, int aggregate, const Tiles *hessian) {
    int reached[MOST_COARSE_CONTACTS];
    int count = coarse_contacts_reached(&terms->contacts, aggregate, reached);
    for (int t = hessian->start[aggregate]; t < hessian->start[aggregate + 1]; ++t) {
        if (!tiles_awake(hessian, hessian->row[t])) {
            continue;
        }
        add_samples(terms, t, tiles_at(hessian, t));
        coarse_contacts_add(&terms->contacts, reached, count, hessian->row[t], aggregate,
                            tiles_at(hessian, t));
    }
}
