/* How one mesh of a cloth stands for another: the caller's for a coarser level, a level for its half, for the other side of
 * that and for its extra parts. What is given to the one is carried to the other by this, and so are states. Mappings are
 * composed by carrying twice. */
#pragma once

#include "cloth/inputs.h"
#include "mirror/closures/closed_half.h"
#include "simulation/simulation.h"

typedef struct Mapping {
    int count;             /* vertices that are carried to */
    const int32_t *source; /* per vertex of these: the one that stands for it */
    const int32_t
        *image; /* the partner of that, whose mean with it counts; -1: none. null: none has one */
    const uint8_t *taken; /* per vertex that is carried from: its pin is taken. null: all are */
    int first_body;       /* the number there of body 0 */
    /* Into the frame of a half; null: both have the same frame, and what follows is not read. */
    const MirrorFrame *frame;
    bool beyond; /* all of it is beyond the plane, and reflected */
    const uint8_t
        *stands_in; /* what stands for this vertex is not it: STANDS bits. null: it always is */
    const Vec3 *stand_off; /* m: how far that one is then */
    int plane_from;        /* vertices from here on stay in the plane */
} Mapping;

enum { STANDS_IN = 1, STANDS_BEYOND = 2 /* of the plane */ };

/* What `at` has of an array of the other mesh's vertices. */
Vec3 mapping_value(const Mapping *mapping, int at, CarryKind kind, const Vec3 *values);
Vec3 mapping_value_of_floats(const Mapping *mapping, int at, CarryKind kind, const float *values);
/* The same for simulation_transfer_state(); the context is the mapping. */
Vec3 mapping_carry_vertex(void *mapping, const Vec3 *values, CarryKind kind, int at);

/* Room for what is carried: for each vertex of the mapping. */
typedef struct Carried {
    float *maps[MAP_KINDS];
    float *fields[FORCE_FIELDS];
    int32_t *pins;
    float *weights, *targets;
} Carried;

/* Arrays come from the store, which may fail. */
Carried carried_take(int count, Store *store);

/* What `from` gives is given to the vertices of the mapping: INPUT bits, of the others nothing changes. pin_at has room for
 * each vertex of `from`. */
void mapping_carry(const Mapping *mapping, const Inputs *from, unsigned what, int from_count,
                   int32_t *pin_at, const Carried *room, Inputs *to);

/* Bodies, whose numbers and places stay as they are where the mapping is null: BODY bits. In the frame of a half they are the
 * mean of themselves and their image. */
StatusCode mapping_give_body(const Mapping *mapping, Simulation *simulation, int number,
                             const InputBody *body, unsigned what, Status *status);
void mapping_drop_body(const Mapping *mapping, Simulation *simulation, int number);

/* The image of a value in x = 0. */
Vec3 carry_reflected(CarryKind kind, Vec3 value);
/* Gravity and wind in a half's frame, without what crosses the plane. */
void mapping_forces(const MirrorFrame *frame, Vec3 *gravity, Wind *wind);
