/* From the clear cases to the others: each pair that is found tells its neighbours which candidates fit. */
#include "mirror/symmetry/pairing.h"

#include <stdlib.h>

/* So many neighbours are compared where nothing but the look of two places can decide. */
#define NEIGHBOURS_COMPARED 32

typedef struct Pairing {
    const Places *places;
    const Neighbours *neighbours;
    int32_t *partners;
    Image *candidates;
    int *first, *last; /* per vertex: its candidates are first up to before last */
    int *asked;        /* per vertex: how often a neighbour found its partner */
    int *queue;        /* vertices with a partner, in the order they found it */
    int queued, done;
} Pairing;

/* --- candidates ------------------------------------------------------------------------------- */

/* All within the tolerance. Returns -1 without memory. */
static int collect_candidates(Pairing *pairing) {
    int used = 0, room = 0;
    bool failed = false;
    for (int v = 0; v < pairing->places->count; ++v) {
        if (room - used < MOST_IMAGES) {
            room += room / 2 + 4 * MOST_IMAGES;
            pairing->candidates =
                scratch_grow(pairing->candidates, (size_t)room, sizeof(Image), &failed);
            if (failed) {
                return -1;
            }
        }
        pairing->first[v] = used;
        used += places_images(pairing->places, v, MOST_IMAGES, pairing->candidates + used);
        pairing->last[v] = used;
    }
    return 0;
}

static double nearest_distance(const Pairing *pairing, int v) {
    return pairing->candidates[pairing->first[v]].distance;
}

/* Keeps those that are as good as the nearest, for both of the two. `kept` is per vertex. */
static void drop_farther_candidates(Pairing *pairing, double same_place, int *kept) {
    for (int v = 0; v < pairing->places->count; ++v) {
        kept[v] = pairing->first[v];
    }
    for (int v = 0; v < pairing->places->count; ++v) {
        for (int c = pairing->first[v]; c < pairing->last[v]; ++c) {
            Image image = pairing->candidates[c];
            /* the nearest always stays in front, where the others look for its distance */
            double own = nearest_distance(pairing, v);
            double its = pairing->first[image.vertex] < pairing->last[image.vertex]
                             ? nearest_distance(pairing, image.vertex)
                             : 0;
            double bound = (own < its ? own : its) + same_place;
            if (c == pairing->first[v] || image.distance <= bound) {
                pairing->candidates[kept[v]++] = image;
            }
        }
    }
    for (int v = 0; v < pairing->places->count; ++v) {
        pairing->last[v] = kept[v];
    }
}

/* --- choice ----------------------------------------------------------------------------------- */

static void join(Pairing *pairing, int a, int b) {
    pairing->partners[a] = b;
    pairing->partners[b] = a;
    pairing->queue[pairing->queued++] = a;
    if (a != b) {
        pairing->queue[pairing->queued++] = b;
    }
}

/* How many neighbours of a have a partner that is a neighbour of b. */
static int agreement(const Pairing *pairing, int a, int b) {
    const Neighbours *all = pairing->neighbours;
    int count = 0;
    for (int k = all->first[a]; k < all->first[a + 1]; ++k) {
        int partner = pairing->partners[all->list[k]];
        count += partner >= 0 && neighbours_are(all, b, partner);
    }
    return count;
}

/* How many neighbours of a have a neighbour of b at their image. */
static int likeness(const Pairing *pairing, int a, int b) {
    const Neighbours *all = pairing->neighbours;
    const Vec3 *at = pairing->places->at;
    double reach = pairing->places->reach;
    int score = 0, count_a = neighbours_count(all, a);
    count_a = count_a < NEIGHBOURS_COMPARED ? count_a : NEIGHBOURS_COMPARED;
    for (int k = all->first[a]; k < all->first[a] + count_a; ++k) {
        int found = 0;
        for (int l = all->first[b]; l < all->first[b + 1] && !found; ++l) {
            found = squared_image_distance(at[all->list[k]], at[all->list[l]]) <= reach * reach;
        }
        score += found;
    }
    return score;
}

/* The best candidate that is still free, or -1; `decisive` says whether it is better than the second. Without
 * `by_look` agreement alone counts, and none without any is taken. */
static int best_candidate(const Pairing *pairing, int v, int by_look, int *decisive) {
    int best = -1, best_agreement = 0, best_likeness = 0;
    *decisive = 0;
    for (int c = pairing->first[v]; c < pairing->last[v]; ++c) {
        int other = pairing->candidates[c].vertex;
        if (pairing->partners[other] >= 0) {
            continue;
        }
        int agree = agreement(pairing, v, other);
        int alike = by_look ? likeness(pairing, v, other) : 0;
        if (!by_look && agree == 0) {
            continue;
        }
        int order = agree != best_agreement ? agree - best_agreement : alike - best_likeness;
        if (best < 0 || order > 0) {
            best = other;
            best_agreement = agree;
            best_likeness = alike;
            *decisive = 1;
        } else if (order == 0) {
            *decisive = 0;
        }
    }
    return best;
}

/* Asks the neighbours of everyone who found a partner. At the 1st, 2nd, 4th, 8th... time only: else a hub of
 * many spokes would ask for ever. */
static void spread(Pairing *pairing) {
    const Neighbours *all = pairing->neighbours;
    while (pairing->done < pairing->queued) {
        int from = pairing->queue[pairing->done++];
        for (int k = all->first[from]; k < all->first[from + 1]; ++k) {
            int v = all->list[k], decisive;
            if (pairing->partners[v] >= 0 || pairing->first[v] == pairing->last[v]) {
                continue;
            }
            int times = ++pairing->asked[v];
            if ((times & (times - 1)) == 0) {
                int other = best_candidate(pairing, v, 0, &decisive);
                if (other >= 0 && decisive) {
                    join(pairing, v, other);
                }
            }
        }
    }
}

static void pair_the_clear(Pairing *pairing) {
    for (int v = 0; v < pairing->places->count; ++v) {
        if (pairing->last[v] - pairing->first[v] != 1 || pairing->partners[v] >= 0) {
            continue;
        }
        int other = pairing->candidates[pairing->first[v]].vertex;
        bool alone = pairing->last[other] - pairing->first[other] == 1;
        if (alone && pairing->candidates[pairing->first[other]].vertex == v) {
            join(pairing, v, other);
        }
    }
    spread(pairing);
}

/* What neighbours could not tell: first where one candidate looks best, then the nearest. */
static void pair_the_rest(Pairing *pairing) {
    for (int any = 0; any <= 1; ++any) {
        for (int v = 0; v < pairing->places->count; ++v) {
            int decisive;
            int other = pairing->partners[v] < 0 ? best_candidate(pairing, v, 1, &decisive) : -1;
            if (other >= 0 && (any || decisive)) {
                join(pairing, v, other);
                spread(pairing);
            }
        }
    }
}

StatusCode pair_vertices(const Places *places, const Neighbours *neighbours, double same_place,
                         int32_t *partners, Status *status) {
    Store store = {0};
    int count = places->count;
    Pairing pairing = {.places = places,
                       .neighbours = neighbours,
                       .partners = partners,
                       .first = STORE_ARRAY(&store, int, count),
                       .last = STORE_ARRAY(&store, int, count),
                       .asked = STORE_ARRAY(&store, int, count),
                       .queue = STORE_ARRAY(&store, int, count)};
    bool failed = store.failed || collect_candidates(&pairing) != 0;
    if (!failed) {
        for (int v = 0; v < count; ++v) {
            partners[v] = -1;
        }
        drop_farther_candidates(&pairing, same_place, pairing.queue); /* not in use yet */
        pair_the_clear(&pairing);
        pair_the_rest(&pairing);
    }
    free(pairing.candidates);
    store_release(&store);
    return failed ? status_no_memory(status, "pairing vertices") : STATUS_OK;
}
