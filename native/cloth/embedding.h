/* A finer mesh embedded in a coarser one of the same surface (coarsen.h): it moves with it.
 *
 * Every coarser vertex has a frame F: the linear map from what is around it at rest to what is around it now, with the
 * normal going to the normal. A finer vertex with the weights w of three of them is at
 *
 *     Σ w_k (x_k + ½ F_k (d_k + o)),
 *
 * with d_k the way to it from vertex k at rest, and o that from its place on the coarser triangle. At rest, after any
 * rigid motion and, of a flat cloth, after any even stretch it is where it should be; where the surface bends evenly it
 * lies on the bend, not on the chord. */
#pragma once

#include "base/memory.h"
#include "base/parallel.h"
#include "mesh/coarsen.h"

/* Three columns. */
typedef struct Frame {
    Vec3 columns[3];
} Frame;

static inline Vec3 frame_apply(const Frame *frame, Vec3 v) {
    return vec3_madd(vec3_madd(vec3_scale(v.x, frame->columns[0]), v.y, frame->columns[1]), v.z,
                     frame->columns[2]);
}

/* A finer vertex. Single precision is enough for arms, which begin at a coarser vertex. */
typedef struct EmbeddedVertex {
    int32_t vertices[3];
    double weights[3];
    float arms[3][3]; /* w_k ½ (d_k + o), m */
} EmbeddedVertex;

typedef struct Embedding {
    int coarse_count, fine_count;
    int *first;               /* per coarser vertex: where its spokes begin; one more at the end */
    int32_t *spokes;          /* neighbours, ahead and behind, one pair for each corner */
    Vec3 *pulls;              /* per spoke: F = Σ spoke pullᵀ + normal polesᵀ */
    Vec3 *poles;              /* per coarser vertex; zero: F is 1 */
    EmbeddedVertex *vertices; /* per finer vertex */
    Frame *frames;            /* per coarser vertex: as embedding_set_frames() left them */
} Embedding;

/* Arrays come from the store: -1 if it has failed, else 0. */
int embedding_build(const PolygonMesh *fine, const CoarseMesh *coarse, Store *store,
                    Embedding *embedding);

/* The frames where the coarser vertices are at `x`. `pool` may not be null. */
void embedding_set_frames(const Embedding *embedding, Pool *pool, const Vec3 *x);

/* Where the finer vertices are, after embedding_set_frames() for the same x. */
void embedding_apply(const Embedding *embedding, Pool *pool, const Vec3 *x, Vec3 *fine);
/* Velocities, as if the arms kept their direction. */
void embedding_apply_to_velocities(const Embedding *embedding, Pool *pool, const Vec3 *v,
                                   Vec3 *fine);

/* The mean of the frames that a finer vertex moves with. */
Frame embedding_frame(const Embedding *embedding, int vertex);
