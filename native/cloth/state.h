/* Inside of a cloth, shared by the files of this folder. */
#pragma once

#include <stdatomic.h>

#include "base/parallel.h"
#include "cloth/cloth.h"
#include "cloth/embedding.h"
#include "cloth/inputs.h"
#include "cloth/mapping.h"
#include "cloth/pace.h"
#include "inspection/inspection.h"

typedef struct Level {
    Store store;
    CoarseMesh mesh;     /* of the next finer level; of level 0 nothing */
    Embedding embedding; /* of the next finer level on this one; of level 0 nothing */
    int count;           /* vertices */
    int32_t *source;     /* per vertex: which one of the caller's it is; null at level 0 */
    Vec3 *x, *v;         /* per vertex: where they are, m and m/s, when they have been read */
    OutsideHint *hints;  /* per vertex: what of the bodies was near, of those that ride */
    double mean_side;    /* m, of its edges; not of level 0 */
    Domain *domain;      /* null: not built yet */
    Mapping mapping;     /* of what is set for the caller's mesh; not of level 0 */
    Carried carried;     /* room for it */
    Inputs inputs;       /* what came of that, and what the domain has now besides */
} Level;

/* What of the caller's pins is not among the inputs. The first two have room for every vertex. */
typedef struct PinState {
    float *now;    /* 3 x pins: where the last step left them, if it ended */
    uint8_t *held; /* per caller's vertex: it has a pin that holds it, with a weight */
    bool reached;  /* it did, and nothing was put elsewhere since */
} PinState;

/* While it settles; see settle.c. */
typedef struct Settling {
    bool active;           /* levels are damped more than the caller's material is */
    bool fallen;           /* slow enough for it */
    bool cooling, settled; /* the damping grows; it has come to its end */
    bool in_pieces;        /* the first step, see substeps_next() */
    bool passing;          /* done with this level, but the next finer one was not to be had */
    double damping;        /* 1/s */
    Material materials[PARTS_MOST]; /* the caller's with it */
    int steps, level_steps;
    double fastest, mean;          /* m/s, of the last step; the latter the root mean square */
    float *positions, *velocities; /* 3 x caller's vertices, scratch; null before the first time */
} Settling;

struct Cloth {
    DomainOptions options;
    ClothInputs inputs; /* the caller's */
    PinState pins;
    bool budgeted;
    Level levels[LEVELS_MOST];
    int level; /* the active one */
    /* Of all levels' simulations, and all that other threads touch: levels come and go meanwhile. The latter is per
     * mille. */
    atomic_int cancelled, progress;
    Inspection *inspection; /* null: nobody has asked for one yet */

    Settling settling;
    double step_seconds;
    Store store;

    /* All that follows is of a cloth with a budget. */
    Pool *pool;
    Pace pace;
    int level_count;             /* 0: to be made */
    float *floats, *more_floats; /* 3 x caller's vertices, scratch */
    int32_t *numbers;            /* per caller's vertex, scratch */
    /* Where the caller's vertices are beyond the embedding, as they were when the cloth went to a coarser level: in the
     * frames that they ride on, m; and how much of that is left, 1 to 0. */
    Vec3 *detail;
    double detail_left;
    OutsideHint *added_hints; /* per caller's vertex: likewise, of what the caller adds to them */
    bool
        stepped; /* the active level, since it was put where it is: bodies are where they should be */
    bool refining, settled;
    bool passing; /* refining has come to its end on this level, but the next was not to be had */
    int quiet_steps;  /* since anything was moved or set */
    int refine_steps; /* on this level */
};

/* The one that was stepped. */
static inline Simulation *active_simulation(const Cloth *cloth) {
    return domain_active(cloth->levels[cloth->level].domain);
}

/* --- levels.c ----------------------------------------------------------------------------------- */

/* Makes the chain of meshes; their cloths are built by levels_need(). */
StatusCode levels_make(Cloth *cloth, Status *status);
/* Forgets all levels but the caller's. */
void levels_forget(Cloth *cloth);
/* Whether every pin still stands for those that went into it. */
bool levels_hold_pins(const Cloth *cloth);
/* Builds its cloth if there is none. */
StatusCode levels_need(Cloth *cloth, int level, Status *status);
/* Gives a level's domain what is set: INPUT bits. */
StatusCode levels_give(Cloth *cloth, int level, unsigned what, Status *status);
/* Gives a level the damping of settling. */
void settle_damp(Cloth *cloth, int level);
/* Links close faster than told, as in Inputs. */
void settle_hasten(Cloth *cloth, double haste);
/* The material is the caller's again, and settling begins anew when it is asked for. */
void settle_end(Cloth *cloth);
/* Before it settles, a garment without pins of which much is inside of bodies moves out of them as a whole. */
StatusCode settle_unbury(Cloth *cloth, Status *status);
/* Something was moved or set: what was at rest may not be. */
void cloth_disturb(Cloth *cloth);

/* --- cloth.c ------------------------------------------------------------------------------------ */

/* Steps the active level; bodies and pins have moved afterwards. */
StatusCode cloth_step_level(Cloth *cloth, double seconds, Status *status);

/* --- level_transfer.c --------------------------------------------------------------------------- */

/* Reads where the active level is, and where the caller's vertices are then. */
void level_transfer_read(Cloth *cloth);
/* Reads how fast the active level is; the next function also how fast the caller's vertices are then. */
void level_transfer_read_speeds(Cloth *cloth);
void level_transfer_read_velocities(Cloth *cloth);
/* Keeps what the caller's vertices have beyond the embedding as their detail. */
void level_transfer_keep_detail(Cloth *cloth);
/* The active level takes the caller's vertices as they are in level 0's arrays. */
StatusCode level_transfer_restrict(Cloth *cloth, int level, Status *status);
/* Goes over to another level; at rest if `still`. */
StatusCode level_transfer_to(Cloth *cloth, int level, bool still, Status *status);
