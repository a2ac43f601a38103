/* Choosing the elements that stand for their patches, and what the coarse functions do to them. */
#include <math.h>
#include <string.h>

#include "solver/coarse/coarse_parts.h"

/* The aggregates that reach any vertex of the element, and what their functions do to its rows. */
static void add_aggregates(const System *system, const Basis *basis, const Sample *sample,
                           SampleReach *reach) {
    const Law *law = sample->law;
    for (int c = 0; c < law->width; ++c) {
        int v = law_vertices(law, sample->element)[c];
        for (int p = basis->start[v]; p < basis->start[v + 1]; ++p) {
            int at = 0, aggregate = basis->aggregate[p];
            while (at < reach->aggregate_count && reach->aggregates[at] < aggregate) {
                ++at;
            }
            if (at == reach->aggregate_count || reach->aggregates[at] != aggregate) {
                for (int m = reach->aggregate_count++; m > at; --m) {
                    reach->aggregates[m] = reach->aggregates[m - 1];
                    reach->values[m] = reach->values[m - 1];
                }
                reach->aggregates[at] = aggregate;
                reach->values[at] = (AggregateRows){{{0}}};
            }
            double value[KINDS];
            basis_values(basis, p, system->mesh->rest[v], value);
            for (int r = 0; r < law->rows; ++r) {
                double weight = law_weights(law, r, sample->element)[c];
                for (int f = 0; f < KINDS; ++f) {
                    reach->values[at].by[r][f] += weight * value[f];
                }
            }
        }
    }
}

/* Laws whose second derivative is constant are in the coarse level's constant part. */
static bool is_sampled(const Law *law, LawSampling sampling) {
    return law->kind->hessian && law->kind->sampling == sampling;
}

static Sample *add_sample(Samples *samples, const Law *law, int e, double share) {
    Sample *sample = &samples->sample[samples->count++];
    *sample = (Sample){.law = law, .element = e, .vertex = law_vertices(law, e)[0], .share = share};
    return sample;
}

/* --- the largest element at each seed ---------------------------------------------------------- */

/* The one that stands for its patch: the largest, and of equal ones the lowest by place, so that the choice does not
 * depend on numbers. */
static bool is_better(const Law *law, const Vec3 *rest, int e, int best) {
    double own = law->kind->size(law, e), other = law->kind->size(law, best);
    if (fabs(own - other) > 1e-6 * other) {
        return own > other;
    }
    Vec3 a = vec3(0, 0, 0), b = a;
    for (int c = 0; c < law->width; ++c) {
        a = vec3_add(a, rest[law_vertices(law, e)[c]]);
        b = vec3_add(b, rest[law_vertices(law, best)[c]]);
    }
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/* `best` has -1 for each patch, `sizes` zeros, `lumps` zeros for each vertex. */
static void sample_largest(const System *system, const Law *law, const Patches *patches, int *best,
                           double *sizes, double *lumps, Samples *samples) {
    for (int c = 0; c < law->width * law->count; ++c) {
        int v = law->vertices[c], k = patches->owner[v], e = c / law->width;
        lumps[v] += law->kind->size(law, e) / law->width;
        if (patches->seed[k] == v &&
            (best[k] < 0 || is_better(law, system->mesh->rest, e, best[k]))) {
            best[k] = e;
        }
    }
    for (int v = 0; v < system->vertex_count; ++v) {
        sizes[patches->owner[v]] += lumps[v];
    }
    for (int k = 0; k < patches->count; ++k) {
        if (best[k] >= 0) {
            add_sample(samples, law, best[k], sizes[k] / law->kind->size(law, best[k]));
        }
    }
}

/* --- all elements at each seed ----------------------------------------------------------------- */

/* What a patch holds of each family, and what the elements at its seed hold. */
typedef struct PatchSizes {
    double size[LAW_FAMILIES], own[LAW_FAMILIES];
} PatchSizes;

/* The patch whose seed this corner of an element is, or -1. */
static int seed_at(const Law *law, const Patches *patches, int e, int c) {
    int vertex = law_vertices(law, e)[c], patch = patches->owner[vertex];
    return patches->seed[patch] == vertex ? patch : -1;
}

static bool touches_seed(const Law *law, const Patches *patches, int e) {
    bool contacts = false;
    for (int c = 0; c < law->width; ++c) {
        contacts = contacts || seed_at(law, patches, e, c) >= 0;
    }
    return contacts;
}

/* Each corner takes its part of the element into its patch. `held` has zeros for each patch. */
static void sample_seeds(const Law *law, const Patches *patches, PatchSizes *held,
                         Samples *samples) {
    for (int c = 0; c < law->width * law->count; ++c) {
        int e = c / law->width, seed = seed_at(law, patches, e, c % law->width);
        int family = law->kind->family(law, e);
        double size = law->kind->size(law, e);
        held[patches->owner[law->vertices[c]]].size[family] += size / law->width;
        if (seed >= 0) {
            held[seed].own[family] += size;
        }
    }
    for (int e = 0; e < law->count; ++e) {
        if (!touches_seed(law, patches, e)) {
            continue;
        }
        Sample *sample = add_sample(samples, law, e, 0.0);
        for (int c = 0; c < law->width; ++c) {
            int seed = seed_at(law, patches, e, c), family = law->kind->family(law, e);
            if (seed >= 0) {
                sample->share += held[seed].size[family] / held[seed].own[family];
            }
        }
    }
}

/* --- all laws ---------------------------------------------------------------------------------- */

StatusCode samples_divide(const System *system, const PatchShares *shares, int *wanted,
                          Patches *patches, Status *status) {
    bool has_larger = false;
    for (int l = 0; l < system->laws.count; ++l) {
        const Law *law = system->laws.list[l];
        has_larger = has_larger || (is_sampled(law, LAW_SAMPLE_LARGEST) && law->count > 0);
    }
    /* an edge shows one direction, a triangle four: fewer seeds make as many rows */
    for (int s = 0; s < shares->count && !has_larger; ++s) {
        wanted[s] = wanted[s] * 2 / 3;
    }
    return patches_build(system->mesh, shares, 0, patches, status);
}

/* Samples of one law at most. */
static int most_samples(const Law *law, const Patches *patches) {
    int count = 0;
    if (!law->kind->hessian) {
        return 0;
    }
    if (law->kind->sampling == LAW_SAMPLE_LARGEST) {
        return patches->count;
    }
    for (int e = 0; e < law->count; ++e) {
        count += law->kind->sampling == LAW_SAMPLE_ALL || touches_seed(law, patches, e);
    }
    return count;
}

/* Returns false without memory. */
static bool sample_law(const System *system, const Law *law, const Patches *patches,
                       Samples *samples) {
    Store scratch = {0};
    PatchSizes *held = STORE_ARRAY(&scratch, PatchSizes, patches->count);
    double *sizes = STORE_ARRAY(&scratch, double, patches->count);
    double *lumps = STORE_ARRAY(&scratch, double, system->vertex_count);
    int *best = STORE_ARRAY(&scratch, int, patches->count);
    bool done = !scratch.failed;
    if (done && law->kind->sampling == LAW_SAMPLE_LARGEST) {
        memset(best, -1, (size_t)patches->count * sizeof *best);
        sample_largest(system, law, patches, best, sizes, lumps, samples);
    } else if (done && law->kind->sampling == LAW_SAMPLE_SEEDS) {
        sample_seeds(law, patches, held, samples);
    } else if (done) {
        for (int e = 0; e < law->count; ++e) {
            add_sample(samples, law, e, 1.0);
        }
    }
    store_release(&scratch);
    return done;
}

StatusCode samples_build(Samples *samples, const System *system, const Basis *basis,
                         const Patches *patches, Store *store, Status *status) {
    static const LawSampling order[] = {LAW_SAMPLE_LARGEST, LAW_SAMPLE_SEEDS, LAW_SAMPLE_ALL};
    const Laws *laws = &system->laws;
    int most = 0;
    for (int l = 0; l < laws->count; ++l) {
        most += most_samples(laws->list[l], patches);
    }
    *samples = (Samples){.sample = STORE_ARRAY(store, Sample, most),
                         .reach = STORE_ARRAY(store, SampleReach, most)};
    bool done = !store->failed;
    for (int at = 0; at < 3 * laws->count && done; ++at) {
        const Law *law = laws->list[at % laws->count];
        if (is_sampled(law, order[at / laws->count])) {
            done = sample_law(system, law, patches, samples);
        }
    }
    if (!done) {
        return status_no_memory(status, "the coarse level");
    }
    for (int s = 0; s < samples->count; ++s) {
        add_aggregates(system, basis, &samples->sample[s], &samples->reach[s]);
    }
    return STATUS_OK;
}

void samples_scale(Samples *samples, double scale) {
    for (int s = 0; s < samples->count; ++s) {
        samples->sample[s].scale = scale * samples->sample[s].share;
    }
}

/* --- contacts, tile by tile ------------------------------------------------------------------- */

void coarse_contacts_allocate(CoarseContacts *contacts, int aggregate_count, Store *store) {
    contacts->aggregate_count = aggregate_count;
    contacts->list = STORE_ARRAY(store, CoarseContact, MOST_COARSE_CONTACTS);
    contacts->place = STORE_ARRAY(store, uint8_t, MOST_COARSE_CONTACTS * (size_t)aggregate_count);
}

static uint8_t *places_of(const CoarseContacts *contacts, int coarse) {
    return contacts->place + (size_t)coarse * (size_t)contacts->aggregate_count;
}

void coarse_contacts_index(CoarseContacts *contacts, int coarse) {
    const CoarseContact *noted = &contacts->list[coarse];
    uint8_t *place = places_of(contacts, coarse);
    memset(place, 0, (size_t)contacts->aggregate_count);
    for (int k = 0; k < noted->count; ++k) {
        place[noted->aggregates[k]] = (uint8_t)(k + 1);
    }
}

int coarse_contacts_reached(const CoarseContacts *contacts, int aggregate,
                            int reached[MOST_COARSE_CONTACTS]) {
    int count = 0;
    for (int t = 0; t < contacts->count; ++t) {
        reached[count] = t;
        count += places_of(contacts, t)[aggregate] > 0;
    }
    return count;
}

/* What a contact adds to a tile. */
typedef struct ContactShare {
    const double *lower, *upper; /* by the functions of both aggregates */
    const double *block;
} ContactShare;

/* Adds the outer products of both aggregates' functions, times NUMBERS of the contacts' blocks from m on. The sums stay
 * in registers meanwhile. All that is added to a tile is the same for a block and the one across the diagonal. */
static void add_numbers(const ContactShare *shares, int count, int m, double *tile) {
    Pair sum[NUMBERS][KINDS][PAIRS];
    for (int n = 0; n < NUMBERS; ++n) {
        int c = upper_row[m + n], d = upper_column[m + n];
        for (int f = 0; f < KINDS; ++f) {
            memcpy(sum[n][f], tile + (KINDS * c + f) * TILE + KINDS * d, sizeof sum[n][f]);
        }
    }
    for (const ContactShare *share = shares; share < shares + count; ++share) {
        const Pair *values = (const Pair *)share->upper;
        for (int n = 0; n < NUMBERS; ++n) {
            for (int f = 0; f < KINDS; ++f) {
                double factor = share->block[m + n] * share->lower[f];
                sum[n][f][0] += factor * values[0];
                sum[n][f][1] += factor * values[1];
            }
        }
    }
    for (int n = 0; n < NUMBERS; ++n) {
        int c = upper_row[m + n], d = upper_column[m + n];
        for (int f = 0; f < KINDS; ++f) {
            memcpy(tile + (KINDS * c + f) * TILE + KINDS * d, sum[n][f], sizeof sum[n][f]);
            memcpy(tile + (KINDS * d + f) * TILE + KINDS * c, sum[n][f], sizeof sum[n][f]);
        }
    }
}

void coarse_contacts_add(const CoarseContacts *contacts, const int *reached, int count, int lower,
                         int upper, double *tile) {
    ContactShare shares[MOST_COARSE_CONTACTS];
    int found = 0;
    for (int k = 0; k < count; ++k) {
        const CoarseContact *coarse = &contacts->list[reached[k]];
        const uint8_t *place = places_of(contacts, reached[k]);
        if (place[lower] > 0) {
            shares[found++] = (ContactShare){coarse->by[place[lower] - 1],
                                             coarse->by[place[upper] - 1], coarse->block};
        }
    }
    for (int m = 0; found > 0 && m < SYMMETRIC; m += NUMBERS) {
        add_numbers(shares, found, m, tile);
    }
}
