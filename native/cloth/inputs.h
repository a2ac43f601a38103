/* What the caller of a cloth has given it, each held once: the mesh, the bodies with how symmetric they are, pins, links,
 * maps, fields, forces and materials. Mappings (mapping.h) carry it to all that is simulated. */
#pragma once

#include "base/memory.h"
#include "mirror/half/frame.h"
#include "simulation/simulation.h"

/* A mesh of one's own: the caller's arrays are gone after his call. */
typedef struct MeshCopy {
    Store store;
    PolygonMesh polygons;
} MeshCopy;

/* After an error there is nothing to free. */
StatusCode mesh_copy(const PolygonMesh *polygons, MeshCopy *copy, Status *status);

/* --- bodies ------------------------------------------------------------------------------------- */

typedef struct InputBody {
    bool present; /* false: removed */
    Store store;
    MeshCopy mesh;
    BodySurface surface;
    float *place, *target; /* 3 x vertices, m: at the start and at the end of the next step */
    bool inspected;        /* the inspection has its mesh */

    /* Under a mirrored cloth, in whose frame: */
    float *seen;          /* what a half sees of it, scratch */
    int32_t *partners;    /* per vertex, -1 without */
    bool has_partners;    /* any vertex has */
    double tolerance;     /* m: how far it may be from its own image */
    double alone;         /* m: how far a vertex without a partner is from it, at most; 0 without */
    int alone_vertex;     /* which */
    double asymmetry;     /* m, of `target`; 0 where it does not count */
    int asymmetry_vertex; /* where, or -1 */
    double place_asymmetry; /* m, of `place` */
    bool reported;          /* the caller knows that it is asymmetric */
} InputBody;

typedef struct InputBodies {
    InputBody *list; /* by the caller's numbers, which are those of all simulations */
    int count, room;
    const MirrorFrame *frame; /* of the caller's mesh; null: it is not mirrored */
    bool symmetrised; /* a half meets the mean of a body and its image; else all is simulated */
} InputBodies;

/* Null where there is none of this number. */
InputBody *bodies_find(const InputBodies *bodies, int number);
/* Room for one more behind the last; false without memory. */
bool bodies_grow(InputBodies *bodies);
/* Copies a body that stands still, and finds out how symmetric it is. After an error there is nothing to free. */
StatusCode bodies_read(const InputBodies *bodies, const PolygonMesh *polygons,
                       const BodySurface *surface, InputBody *body, Status *status);
void body_free(InputBody *body);
/* Bodies have gone this part of their way. */
void bodies_end_step(InputBodies *bodies, double part);

/* Of a cloth that is mirrored: */

/* How far `target` is from its own image. */
void body_measure(const InputBodies *bodies, InputBody *body);
/* Adds to the status that it is asymmetric, once for each body. */
StatusCode body_tell_asymmetric(const InputBodies *bodies, int number, Status *status);
/* Places of its vertices as a half sees them: the mean of each and of its partner's image. */
void body_for_half(const MirrorFrame *frame, const InputBody *body, const float *places);
/* Whether one is not to be symmetrised, and too far from its own image. */
bool bodies_want_whole(const InputBodies *bodies);

/* --- all of it ---------------------------------------------------------------------------------- */

typedef struct ClothInputs {
    MeshCopy mesh;
    InputBodies bodies;
    Inputs set; /* the rest, whose arrays are below */
    int part_count;
    Material materials[PARTS_MOST];
    Store store;                                   /* of maps and fields */
    float *maps[MAP_KINDS], *fields[FORCE_FIELDS]; /* per vertex; null: never given */
    Store pin_store;
    float *targets; /* of the pins, to be written */
    bool stay;      /* these are where the vertices were when the pins were set */
    Store link_store;
} ClothInputs;

/* As the options say; the mesh is not read yet. */
void inputs_begin(ClothInputs *inputs, const SimulationOptions *options);
void inputs_free(ClothInputs *inputs);
/* Room for maps and fields that are given for the first time; false without memory. */
bool inputs_make_room(ClothInputs *inputs, const Inputs *given, unsigned what);
/* Takes these bits: the caller's arrays are gone after his call. Pins come in arrays that stay. */
void inputs_keep(ClothInputs *inputs, const Inputs *given, unsigned what);
