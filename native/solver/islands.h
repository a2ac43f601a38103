/* Where the components of the cloth move as rigid bodies that touch: the start of a substep among contacts.
 *
 * A component, with those that links join to it, is a body. Bodies that touch are an island. Each body has its own motion,
 * from its own momentum, and the contacts between the bodies and with the colliders couple these: layers that slide on each
 * other go on sliding, and none gets through the other. What is rigid in the motion of layers is known then before any
 * round, and rounds only have to find how these bend. What one island does depends on no other. */
#ifndef SOLVER_ISLANDS_H
#define SOLVER_ISLANDS_H

#include "solver/substep.h"

typedef struct IslandBody IslandBody;
typedef struct Island Island;

typedef struct Islands {
    int component_count;
    const int *component; /* per vertex */
    int *body;            /* per component: union-find, the one that stands for its body */
    int *touching;        /* likewise, for its island */
    IslandBody *bodies;   /* per component, of its body */
    Island *list;         /* per component, of its island */
    double *matrix;       /* of all islands, one after the other */
} Islands;

/* Arrays come from `store`; `component` gives each vertex its component, of so many. */
StatusCode islands_build(Islands *islands, int component_count, const int *component, Store *store,
                         Status *status);

/* Where islands have several bodies: z = x, moved with the bodies by what lowers the incremental energy most, contacts
 * included as they are listed. Islands for which that gains less than moving by `least` (m) would stay where they are;
 * those that z is nearer to than that, and all others, keep their z. Returns whether any is moved. */
bool islands_slide(Islands *islands, const Substep *substep, double least, Vec3 *z);

#endif
