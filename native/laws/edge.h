/* Springs along edges and ropes [Choi 2013, ch. 3].
 *   linear:        E = k/2 |x_ij - x*|^2,  x* along the guessed direction, as long as the response curve has it (L)
 *   conventional:  E = k/2 (|x_ij| - L)^2
 * The first is the second's majoriser: they touch where the guess is right. */
#pragma once

#include "laws/law.h"
#include "laws/response.h"
#include "mesh/research/weave.h"

typedef struct EdgeLaw {
    Law law;
    double *rest_length;  /* m */
    double *stiffness;    /* N/m */
    Vec3 *rest_direction; /* unit */
    const Edge **source;  /* the mesh edge behind each */
    uint8_t *weft;        /* of woven cloth: along which thread; else null */
    const Response *response;
    StrainMeasure measure; /* of those that are not springs of their length (edge.c) */
} EdgeLaw;

/* Springs of the length; and of another measure of its strain. */
extern const LawKind edge_kind, strained_edge_kind;

/* Which edges have springs. */
typedef enum EdgeChoice {
    EDGES_BESIDE, /* ropes, and sides of triangles without area: beside laws of triangles */
    EDGES_ALL,
    EDGES_WOVEN /* ropes and sides of faces, each along warp or weft: beside cells */
} EdgeChoice;

/* The weave is read for EDGES_WOVEN. */
StatusCode edge_law_build(const Mesh *mesh, EdgeChoice choice, const Weave *weave,
                          const Response *response, StrainMeasure measure, Store *store, Law **law,
                          Status *status);

static inline const EdgeLaw *edge_law(const Law *law) { return (const EdgeLaw *)law; }

static inline Vec3 edge_vector(const Law *law, const Vec3 *x, int e) {
    return vec3_sub(x[law->vertices[2 * e + 1]], x[law->vertices[2 * e]]);
}

/* As LawKind.hessian; and as fused_hessian. */
static inline bool edge_hessian(const Law *law, int e, const Vec3 *x, double scale,
                                LawHessian *hessian) {
    const EdgeLaw *edges = edge_law(law);
    Block block;
    if (!response_block(edges->response, edge_vector(law, x, e), edges->rest_length[e], &block)) {
        return false;
    }
    *hessian = (LawHessian){0};
    block_add(&hessian->uu, scale * edges->stiffness[e], &block);
    return true;
}

bool edge_fused_hessian(const Law *law, int e, const Vec3 *x, double scale, LawHessian *hessian);
