/* All that a caller may set while a cloth is simulated, but for its links: of one mesh, in its vertices. The cloth owns
 * the caller's (cloth/inputs.h); mappings (cloth/mapping.h) carry them to every mesh that is simulated for it, and
 * simulation_take() and simulation_take_body() read them there. */
#ifndef SIMULATION_INPUTS_H
#define SIMULATION_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "laws/maps.h"
#include "mesh/polygon.h"
#include "solver/solver.h"

typedef enum ForceField {
    FORCE_FIELD_WIND,     /* m/s, which adds to that of all */
    FORCE_FIELD_TRACTION, /* N/m^2, a force per area of cloth, whatever way it lies and moves */
    FORCE_FIELDS
} ForceField;

/* What a cloth meets, or what meets it. */
typedef struct BodySurface {
    double thickness; /* of the shell that the cloth keeps from the surface, m, > 0 */
    double friction;  /* Coulomb's coefficient */
} BodySurface;

typedef struct BodyInputs {
    const PolygonMesh *polygons; /* where it was given */
    BodySurface surface;
    const float *place, *target; /* 3 x its vertices, m: now, and at the end of the next step */
} BodyInputs;

/* Which of these are meant. */
enum { BODY_MESH = 1, BODY_SURFACE = 2, BODY_PLACE = 4, BODY_TARGET = 8 };

typedef struct PinInputs {
    bool here;      /* targets are where the vertices of this mesh are */
    bool symmetric; /* targets are those of another mesh's half, and symmetric whatever they say */
    int count;
    const int32_t *vertices;
    const float *weights; /* null: all 1 */
    const float *targets; /* 3 x count, m; null: where the vertices are */
} PinInputs;

typedef struct Inputs {
    PinInputs pins;
    const float *maps[MAP_KINDS];      /* per vertex; null: as map_traits say */
    const float *fields[FORCE_FIELDS]; /* 3 x vertices; null: none */
    const Material *materials;         /* one for each part */
    Vec3 gravity;                      /* m/s^2 */
    Wind wind;
    BodySurface self_contact; /* all layers, garments and ropes of the mesh; thickness 0: off */
    int substeps, iterations;
    Quality quality;
    double budget; /* s for a step, for the solver by sweeps to keep to; 0: none */
    double haste;  /* links close faster than told, by this times their speed; 0: as told */
} Inputs;

/* Which of them are meant. */
enum {
    INPUT_PINS = 1,
    INPUT_TARGETS =
        2, /* of the pins as they are: where they shall be at the end of the next step */
    INPUT_FIELDS = 4,
    INPUT_MATERIALS = 8,
    INPUT_FORCES = 16, /* gravity and wind */
    INPUT_SELF_CONTACT = 32,
    INPUT_SUBSTEPS = 64,
    INPUT_ITERATIONS = 128,
    INPUT_QUALITY = 256,
    INPUT_BUDGET = 512,
    INPUT_HASTE = 1024,
    INPUT_FIRST_MAP = 1 << 16,
    INPUT_MAPS = ((1 << MAP_KINDS) - 1) * INPUT_FIRST_MAP
};

/* Takes these bits of another's; arrays stay whose they are. */
void inputs_set(Inputs *to, const Inputs *from, unsigned what);

static inline unsigned input_map(MapKind kind) { return (unsigned)INPUT_FIRST_MAP << kind; }

#endif
