/* All laws of a cloth: the only list of them, and the loops over it. */
#pragma once

#include "base/abilities.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "laws/law.h"
#include "laws/link.h"
#include "laws/response.h"
#include "laws/triangle.h"
#include "mesh/research/weave.h"

/* Tensions: the forces of every material law on vertices.
 * A law measures its elements by linear maps s = sum_c w_c x_c (an edge vector, a fabric axis, a
 * bending vector), each with a target s* and a weight k, so that its energy is k |s - s*|^2 / 2.
 * Its local step leaves the tension k (s* - s) of each map here, and the force on a vertex is the
 * sum of its weights w times those tensions. One gather in a fixed order serves all laws, needs no
 * atomics and gives the same bytes for any number of threads. */

typedef struct Rows {
    int count;     /* rows taken so far */
    Vec3 *tension; /* N, or N m^2-weighted as the law needs: w times tension is a force */
    int vertex_count;
    int *start; /* per vertex, into those below; vertex_count + 1 */
    int *last;  /* per vertex, likewise: where the rows from `last_row` on begin */
    int last_row;
    int *row;
    double *weight;
    uint8_t *corner; /* which of its element's corners the vertex is there */
} Rows;

/* Force on one vertex, N. */
static inline Vec3 rows_force(const Rows *rows, int vertex) {
    Vec3 sum = {0, 0, 0};
    for (int p = rows->start[vertex]; p < rows->start[vertex + 1]; ++p) {
        sum = vec3_madd(sum, rows->weight[p], rows->tension[rows->row[p]]);
    }
    return sum;
}

/* The part of it that rows from `last_row` on have. */
static inline Vec3 rows_last_force(const Rows *rows, int vertex) {
    Vec3 sum = {0, 0, 0};
    for (int p = rows->last[vertex]; p < rows->start[vertex + 1]; ++p) {
        sum = vec3_madd(sum, rows->weight[p], rows->tension[rows->row[p]]);
    }
    return sum;
}

/* Those of one part; links and seams, which are of all, and five from elsewhere. */
#define LAWS_OF_PART 10
#define LAWS_MOST (LAWS_OF_PART * PARTS_MOST + 7)

typedef enum ModelKind { MODEL_EDGE, MODEL_TRIANGLE, MODEL_MEMBRANE, MODEL_WOVEN } ModelKind;
/* What each can, as bits of Ability. */
extern const unsigned model_can[];

static inline bool model_has(ModelKind model, Ability ability) {
    return model_can[model] >> ability & 1;
}

typedef enum BendingKind { BENDING_CURVATURE, BENDING_HINGES, BENDING_SPRINGS } BendingKind;

/* A law from elsewhere. The mesh may be the half of a mirrored cloth, with numbers of its own. */
typedef struct ExtraLaw {
    StatusCode (*build)(const Mesh *mesh, const void *context, Store *store, Law **law,
                        Status *status);
    const void *context;
} ExtraLaw;

/* What differs between the parts of a cloth. */
typedef struct PartOptions {
    ModelKind model;
    bool moments; /* bending by moment curves (moment.h): measured materials need them */
    bool memory;  /* likewise, and folds are remembered */
    bool air;     /* in its closed surfaces (pressure.h) */
} PartOptions;

/* What a mechanical system (system.h) is built as. */
typedef struct SystemOptions {
    ModelKind model;
    StrainMeasure measure; /* of edges and membranes */
    BendingKind bending;
    bool tension_only, keep_folds;
    bool moments, memory, air; /* as in PartOptions */
    /* Several parts, which have their own of these; 0: there is one. */
    int part_count;
    PartOptions parts[PARTS_MOST];
    ShearAxes shear_axes;
    ShearEnergy shear_energy;
    const ExtraLaw *extra; /* extra_count of them, after edges, triangles and hinges */
    int extra_count;
    const LinkSet *links; /* null: none. They stay */
    const Weave *weave;   /* for MODEL_WOVEN: the threads of this mesh */
    int rail_count; /* of half a mesh: so many vertices before those in the plane are on rails, too */
} SystemOptions;

static inline int system_part_count(const SystemOptions *options) {
    return options->part_count > 1 ? options->part_count : 1;
}

static inline PartOptions system_part(const SystemOptions *options, int part) {
    return options->part_count > 0
               ? options->parts[part]
               : (PartOptions){options->model, options->moments, options->memory, options->air};
}

typedef struct Laws {
    int count;
    Law *list[LAWS_MOST];
    Rows rows;      /* the tensions of all */
    bool rows_only; /* parcels cannot evaluate some of them */
    bool unbounded; /* the constant matrix does not bound the second derivative of some */
    bool has_convention;
} Laws;

/* The number of laws for these options; more than LAWS_MOST are refused. Those outside the constant matrix are the last. */
int laws_wanted(const SystemOptions *options);
/* Builds law number `at` of a cloth whose parts have the meshes `meshes`. Laws are independent and may be built in
 * parallel, except those of curvature. */
StatusCode laws_build_one(Laws *laws, int at, const Mesh *meshes, const SystemOptions *options,
                          Store *store, Status *status);
/* After them: those of curvature, which hinges stand in for. Parts beyond the first keep no laws without elements. */
StatusCode laws_build_curvature(Laws *laws, const Mesh *meshes, const SystemOptions *options,
                                Pool *pool, Store *store, Status *status);
/* After all of them: the rows of tension, one law's after the other's. */
StatusCode laws_build_rows(Laws *laws, int vertex_count, Store *store, Status *status);

/* After sizes have changed, and with them the weights of rows. */
void laws_fill_rows(Laws *laws);

/* The law of a kind, of the first part that has it, or null. */
const Law *laws_find(const Laws *laws, const LawKind *kind);
/* Elements of a kind in all parts, and those that could not be built. */
int laws_count_elements(const Laws *laws, const LawKind *kind, int *skipped);

/* `materials` has one for each part. */
void laws_set_material(Laws *laws, const Material *materials, const Scales *scales);

/* As the functions of law.h, for all of them: forces follow by rows_force(). */
double laws_local_step(Laws *laws, Pool *pool, const Guess *guess);
void laws_conventional_step(Laws *laws, Pool *pool, const Vec3 *x);
/* Likewise as law_hessian_product(), of the laws that the constant matrix has not; forces follow by rows_last_force(). */
void laws_hessian_product_beyond(Laws *laws, Pool *pool, const Vec3 *x, const Vec3 *d);
/* With the energies of part p times by[p]; null: as they are. */
double laws_energy(const Laws *laws, Pool *pool, const Vec3 *x, const double *by);

/* The laws' state from substep to substep, three numbers a vertex; may be null. */
Vec3 *laws_memory(const Laws *laws);
void laws_remember(Laws *laws, Pool *pool, const Vec3 *x);

/* Marks the first vertex of each element across the mirror plane. */
void laws_mark_crossing(const Laws *laws, uint8_t *marks);
/* By how much too stiff a matrix of this kind is there along x, N/m: adds to each vertex's number. */
void laws_across(const Laws *laws, LawStiffness which, double *across);
