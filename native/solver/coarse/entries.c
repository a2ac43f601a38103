/* Listing the aggregates of each piece, and an entry for each two of them. */
#include "solver/coarse/coarse_internal.h"

#include <stdlib.h>
#include <string.h>

/* Lists the aggregates that reach each piece, ascending; without the list only counts them. `marked`: one for each piece and
 * aggregate. */
static void list_reach(Entries *entries, const uint8_t *marked, int piece_count, int *list) {
    int aggregates = entries->aggregate_count, count = 0;
    for (int b = 0; b < piece_count; ++b) {
        for (int a = 0; a < aggregates; ++a) {
            if (marked[(size_t)b * (size_t)aggregates + (size_t)a]) {
                if (list) {
                    list[count] = a;
                }
                ++count;
            }
        }
        entries->reach_start[b + 1] = count;
    }
}

static bool find_reach(Entries *entries, const System *system, const Basis *basis, Store *store) {
    size_t aggregates = (size_t)basis->aggregate_count, pieces = (size_t)system->piece_count;
    uint8_t *marked = SCRATCH_ARRAY(uint8_t, pieces * aggregates);
    entries->reach_start = STORE_ARRAY(store, int, pieces + 1);
    if (!marked || store->failed) {
        free(marked);
        return false;
    }
    for (int v = 0; v < system->vertex_count; ++v) {
        for (int p = basis->start[v]; p < basis->start[v + 1]; ++p) {
            marked[(size_t)system->piece[v] * aggregates + (size_t)basis->aggregate[p]] = 1;
        }
    }
    list_reach(entries, marked, system->piece_count, NULL);
    entries->reach = STORE_ARRAY(store, int, entries->reach_start[pieces]);
    if (entries->reach) {
        list_reach(entries, marked, system->piece_count, entries->reach);
    }
    free(marked);
    return !store->failed;
}

/* Goes through the entries of all pieces, in their order: counts them one place after their tile's, or once there is room
 * numbers them. */
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
                    int entry = entries->start[tile[at]]++;
                    table[(size_t)b * (size_t)(aggregates * aggregates) + (size_t)at] = entry;
                    piece[entry] = b;
                } else {
                    ++entries->start[tile[at] + 1];
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
        entries->start[t + 1] += entries->start[t];
    }
    entries->count = entries->start[tile_count];
    int *piece = STORE_ARRAY(store, int, entries->count);
    int *table = STORE_ARRAY(store, int, (size_t)piece_count *square);
    if (store->failed) {
        return false;
    }
    for (size_t at = 0; at < (size_t)piece_count * square; ++at) {
        table[at] = -1;
    }
    list_entries(entries, piece_count, tile, piece, table);
    for (int t = tile_count; t > 0; --t) {
        entries->start[t] = entries->start[t - 1];
    }
    entries->start[0] = 0;
    entries->piece = piece;
    entries->table = table;
    return true;
}

StatusCode entries_build(Entries *entries, const System *system, const Basis *basis,
                         const int *tile, int tile_count, Store *store, Status *status) {
    *entries = (Entries){.aggregate_count = basis->aggregate_count,
                         .start = STORE_ARRAY(store, int, tile_count + 1),
                         .awake_piece = STORE_ARRAY(store, uint8_t, system->piece_count),
                         .awake_aggregate = STORE_ARRAY(store, uint8_t, basis->aggregate_count)};
    bool built = !store->failed && find_reach(entries, system, basis, store) &&
                 number_entries(entries, system->piece_count, tile, tile_count, store);
    return built ? STATUS_OK : status_no_memory(status, "the coarse level");
}

void entries_wake(Entries *entries, int piece_count, const int *pieces) {
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
