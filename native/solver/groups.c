/* Finding groups by boxes, and putting all else to sleep. */
#include "solver/groups.h"

#include <string.h>

#include "mesh/adjacency.h"

/* Boxes are grown by this part of the longest displacement of their vertices: iterations may end beside the flight. */
#define ASIDE 0.5
/* Groups at most: those beyond are solved together, as each costs a pass over all of the cloth. */
#define GROUPS_MOST 64

StatusCode groups_build(Groups *groups, const System *system, Store *store, Status *status) {
    int pieces = system->piece_count;
    *groups = (Groups){.count = 1};
    if (pieces < 2) {
        return STATUS_OK;
    }
    groups->first = STORE_ARRAY(store, int, pieces + 2);
    groups->pieces = STORE_ARRAY(store, int, pieces);
    groups->group = STORE_ARRAY(store, int, pieces);
    groups->boxes = STORE_ARRAY(store, Box, pieces);
    groups->has = STORE_ARRAY(store, uint8_t, system->vertex_count);
    groups->next = STORE_ARRAY(store, int, system->vertex_count);
    piece_items_build(&groups->items, pieces, system->vertex_count, system->piece,
                      pool_chunk_size(), store);
    return store->failed ? status_no_memory(status, "the groups of the cloth") : STATUS_OK;
}

/* Where velocity, gravity, air and a soft pin alone take a vertex, or a hard pin holds it. */
static Vec3 driven_to(const Substep *substep, int i) {
    const System *system = substep->system;
    double soft = substep->length * substep->length * system->pins.stiffness[i];
    if (system->held[i]) {
        return system->target[i];
    }
    Vec3 pull = vec3_scale(soft, vec3_sub(system->target[i], substep->x[i]));
    pull = vec3_add(pull, substep->drive[i]);
    return vec3_madd(substep->x[i], 1.0 / (substep->inertia[i] + soft), pull);
}

/* Around all places that a piece may have in the substep. */
static Box box_of_piece(const Groups *groups, const Substep *substep, double reach, int piece,
                        const Vec3 *z) {
    const System *system = substep->system;
    Box box = box_empty();
    double most = 0;
    for (int r = groups->items.first[piece]; r < groups->items.first[piece + 1]; ++r) {
        for (int i = groups->items.run[r].begin; i < groups->items.run[r].end; ++i) {
            if (system->mesh->isolated[i]) {
                continue;
            }
            Vec3 driven = driven_to(substep, i);
            box = box_with_point(box_with_point(box, substep->present[i]), z[i]);
            box = box_with_point(box, driven);
            if (i >= system->rail_from) {
                box = box_with_point(box, vec3(system->rail[i], z[i].y, z[i].z));
            }
            most = fmax(most, vec3_distance(substep->present[i], z[i]));
            most = fmax(most, vec3_distance(substep->present[i], driven));
        }
    }
    return box_grown(box, reach + ASIDE * most);
}

static void join_overlapping(Groups *groups, int pieces) {
    for (int a = 0; a < pieces; ++a) {
        for (int b = a + 1; b < pieces; ++b) {
            if (box_overlaps(&groups->boxes[a], &groups->boxes[b])) {
                components_join_first(groups->group, a, b);
            }
        }
    }
}

static void limit_count(Groups *groups, int pieces) {
    for (int b = 0; groups->count > GROUPS_MOST && b < pieces; ++b) {
        groups->group[b] = (int)((int64_t)groups->group[b] * GROUPS_MOST / groups->count);
    }
    groups->count = groups->count > GROUPS_MOST ? GROUPS_MOST : groups->count;
}

/* Group by group: by counting. */
static void list_pieces(Groups *groups, int pieces) {
    memset(groups->first, 0, (size_t)(groups->count + 2) * sizeof *groups->first);
    for (int b = 0; b < pieces; ++b) {
        ++groups->first[groups->group[b] + 2];
    }
    for (int g = 0; g < groups->count; ++g) {
        groups->first[g + 2] += groups->first[g + 1];
    }
    for (int b = 0; b < pieces; ++b) {
        groups->pieces[groups->first[groups->group[b] + 1]++] = b;
    }
}

int groups_find(Groups *groups, const Substep *substep, const Vec3 *z) {
    int pieces = substep->system->piece_count;
    if (pieces < 2 || substep->system->laws.rows_only) {
        return 1; /* rows are evaluated for all of the cloth */
    }
    for (int b = 0; b < pieces; ++b) {
        groups->group[b] = b;
    }
    if (substep->world && substep->world->self_thickness > 0) {
        double reach = contact_world_reach(substep->world, &substep->span);
        for (int b = 0; b < pieces; ++b) {
            groups->boxes[b] = box_of_piece(groups, substep, reach, b, z);
        }
        join_overlapping(groups, pieces);
    }
    groups->count = components_number(groups->group, pieces);
    limit_count(groups, pieces);
    list_pieces(groups, pieces);
    return groups->count;
}

static void sleep_all(Groups *groups) {
    for (int r = 0; r < groups->awake.run_count; ++r) {
        Run run = groups->awake.runs[r];
        memset(groups->has + run.begin, 0, (size_t)(run.end - run.begin));
    }
    groups->awake.run_count = 0;
}

void groups_wake(Groups *groups, System *system, int number) {
    const int *pieces = groups->pieces + groups->first[number];
    int count = groups->first[number + 1] - groups->first[number], *link = &groups->awake.first;
    sleep_all(groups);
    groups->awake = (Subset){.total = system->vertex_count,
                             .run_count = piece_items_choose(&groups->items, count, pieces),
                             .runs = groups->items.chosen,
                             .has = groups->has,
                             .next = groups->next};
    for (int r = 0; r < groups->awake.run_count; ++r) {
        for (int i = groups->awake.runs[r].begin; i < groups->awake.runs[r].end; ++i) {
            groups->has[i] = 1;
            *link = i;
            link = &groups->next[i];
            ++groups->awake.count;
        }
    }
    *link = system->vertex_count;
    system->awake = &groups->awake;
    system->awake_pieces = pieces;
    system->awake_count = count;
}

void groups_wake_all(Groups *groups, System *system) {
    sleep_all(groups);
    system->awake = NULL;
}
