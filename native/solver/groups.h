/* Groups: pieces of the cloth that may meet within a substep. They are solved one after the other, each with the rest of the
 * cloth asleep, so that the result of one depends on no other. */
#pragma once

#include "geometry/box.h"
#include "solver/substep.h"

typedef struct Groups {
    int count;        /* groups */
    int *first;       /* per group: its first piece in the list; two more */
    int *pieces;      /* group by group, ascending */
    int *group;       /* per piece */
    Box *boxes;       /* per piece */
    PieceItems items; /* the vertices of each piece */
    Subset awake;     /* the vertices of the group at hand */
    uint8_t *has;
    int *next;
} Groups;

/* Arrays come from `store`. */
StatusCode groups_build(Groups *groups, const System *system, Store *store, Status *status);

/* Finds those of a substep whose free flight ends at z: pieces whose boxes around their paths overlap are one. Returns how
 * many there are. */
int groups_find(Groups *groups, const Substep *substep, const Vec3 *z);

/* Only this group is awake from now on; after the last one all are again. */
void groups_wake(Groups *groups, System *system, int number);
void groups_wake_all(Groups *groups, System *system);
