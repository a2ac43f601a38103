/* Frames by least squares over the spokes of a vertex, and the weighted sums that make places of them. */
#include "cloth/embedding.h"

#include <stdlib.h>

/* Of the matrix that is inverted for the pulls, over the cube of its mean diagonal: below it there is no frame. */
#define FLATTEST 1e-6

/* --- building --------------------------------------------------------------------------------- */

static Vec3 at_rest(const PolygonMesh *mesh, int vertex) { return polygon_position(mesh, vertex); }

/* Each corner gives its vertex two spokes, ahead and behind, so that triangle (spoke, spoke) is wound as the face. */
static void list_spokes(const PolygonMesh *mesh, Embedding *embedding) {
    for (int64_t c = 0; c < 3 * (int64_t)mesh->face_count; ++c) {
        embedding->first[mesh->face_vertices[c] + 1] += 2;
    }
    for (int v = 0; v < embedding->coarse_count; ++v) {
        embedding->first[v + 1] += embedding->first[v];
    }
    for (int64_t c = 3 * (int64_t)mesh->face_count - 1; c >= 0; --c) {
        const int32_t *face = mesh->face_vertices + c - c % 3;
        int *end = &embedding->first[face[c % 3] + 1];
        embedding->spokes[--*end] = face[(c + 2) % 3];
        embedding->spokes[--*end] = face[(c + 1) % 3];
    }
    /* every beginning went one place on: first[v + 1] is where the spokes of v begin */
    for (int v = 0; v < embedding->coarse_count; ++v) {
        embedding->first[v] = embedding->first[v + 1];
    }
    embedding->first[embedding->coarse_count] = 6 * mesh->face_count;
}

static Vec3 normal_of(const Embedding *embedding, const Vec3 *x, int vertex) {
    Vec3 sum = vec3(0, 0, 0);
    for (int s = embedding->first[vertex]; s < embedding->first[vertex + 1]; s += 2) {
        sum = vec3_add(sum, vec3_cross(vec3_sub(x[embedding->spokes[s]], x[vertex]),
                                       vec3_sub(x[embedding->spokes[s + 1]], x[vertex])));
    }
    double length = vec3_length(sum);
    return length > 0 ? vec3_scale(1 / length, sum) : vec3(0, 0, 0);
}

static void add_square(Frame *matrix, double weight, Vec3 v) {
    matrix->columns[0] = vec3_madd(matrix->columns[0], weight * v.x, v);
    matrix->columns[1] = vec3_madd(matrix->columns[1], weight * v.y, v);
    matrix->columns[2] = vec3_madd(matrix->columns[2], weight * v.z, v);
}

/* False where it is too flat. */
static bool invert(const Frame *m, Frame *inverse) {
    const Vec3 *c = m->columns;
    Vec3 rows[3] = {vec3_cross(c[1], c[2]), vec3_cross(c[2], c[0]), vec3_cross(c[0], c[1])};
    double determinant = vec3_dot(c[0], rows[0]), mean = (c[0].x + c[1].y + c[2].z) / 3;
    if (!(determinant > FLATTEST * mean * mean * mean)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        inverse->columns[k] =
            vec3_scale(1 / determinant, vec3(vec3_along(rows[0], k), vec3_along(rows[1], k),
                                             vec3_along(rows[2], k)));
    }
    return true;
}

static void make_pulls(Embedding *embedding, const Vec3 *rest, int vertex) {
    Vec3 normal = normal_of(embedding, rest, vertex);
    Frame squares = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}, inverse;
    int begin = embedding->first[vertex], end = embedding->first[vertex + 1];
    add_square(&squares, 1, normal);
    for (int s = begin; s < end; ++s) {
        Vec3 spoke = vec3_sub(rest[embedding->spokes[s]], rest[vertex]);
        double squared = vec3_dot(spoke, spoke);
        add_square(&squares, squared > 0 ? 1 / squared : 0, spoke);
    }
    if (begin == end || !invert(&squares, &inverse)) {
        return; /* its pole is zero */
    }
    embedding->poles[vertex] = frame_apply(&inverse, normal);
    for (int s = begin; s < end; ++s) {
        Vec3 spoke = vec3_sub(rest[embedding->spokes[s]], rest[vertex]);
        double squared = vec3_dot(spoke, spoke);
        embedding->pulls[s] =
            frame_apply(&inverse, vec3_scale(squared > 0 ? 1 / squared : 0, spoke));
    }
}

static void write_vec3(float *to, Vec3 v) {
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

static void make_rider(Embedding *embedding, const CoarsePlace *place, const Vec3 *rest, Vec3 point,
                       int vertex) {
    EmbeddedVertex *embedded = &embedding->vertices[vertex];
    Vec3 foot = vec3(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        foot = vec3_madd(foot, place->weights[k], rest[place->vertices[k]]);
    }
    Vec3 off = vec3_sub(point, foot);
    for (int k = 0; k < 3; ++k) {
        Vec3 way = vec3_sub(point, rest[place->vertices[k]]);
        embedded->vertices[k] = place->vertices[k];
        embedded->weights[k] = place->weights[k];
        write_vec3(embedded->arms[k], vec3_scale(0.5 * place->weights[k], vec3_add(way, off)));
    }
}

int embedding_build(const PolygonMesh *fine, const CoarseMesh *coarse, Store *store,
                    Embedding *embedding) {
    const PolygonMesh *mesh = &coarse->polygons;
    int count = mesh->vertex_count, spokes = 6 * mesh->face_count;
    *embedding = (Embedding){.coarse_count = count, .fine_count = fine->vertex_count};
    embedding->first = STORE_ARRAY(store, int, count + 1);
    embedding->spokes = STORE_ARRAY(store, int32_t, spokes);
    embedding->pulls = STORE_ARRAY(store, Vec3, spokes);
    embedding->poles = STORE_ARRAY(store, Vec3, count);
    embedding->vertices = STORE_ARRAY(store, EmbeddedVertex, fine->vertex_count);
    embedding->frames = STORE_ARRAY(store, Frame, count);
    Vec3 *rest = SCRATCH_ARRAY(Vec3, count);
    if (store->failed || !rest) {
        free(rest);
        return -1;
    }
    list_spokes(mesh, embedding);
    for (int v = 0; v < count; ++v) {
        rest[v] = at_rest(mesh, v);
    }
    for (int v = 0; v < count; ++v) {
        make_pulls(embedding, rest, v);
    }
    for (int v = 0; v < fine->vertex_count; ++v) {
        make_rider(embedding, &coarse->places[v], rest, at_rest(fine, v), v);
    }
    free(rest);
    return 0;
}

/* --- carrying --------------------------------------------------------------------------------- */

typedef struct Carriage {
    const Embedding *embedding;
    const Vec3 *x;
    Vec3 *fine;
} Carriage;

static void turn_frames(void *context, int begin, int end) {
    const Carriage *carriage = context;
    const Embedding *embedding = carriage->embedding;
    const Vec3 *x = carriage->x;
    for (int v = begin; v < end; ++v) {
        Vec3 pole = embedding->poles[v];
        Frame frame = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        if (vec3_dot(pole, pole) > 0) {
            Vec3 normal = normal_of(embedding, x, v);
            frame = (Frame){{vec3_scale(pole.x, normal), vec3_scale(pole.y, normal),
                             vec3_scale(pole.z, normal)}};
            for (int s = embedding->first[v]; s < embedding->first[v + 1]; ++s) {
                Vec3 spoke = vec3_sub(x[embedding->spokes[s]], x[v]), pull = embedding->pulls[s];
                frame.columns[0] = vec3_madd(frame.columns[0], pull.x, spoke);
                frame.columns[1] = vec3_madd(frame.columns[1], pull.y, spoke);
                frame.columns[2] = vec3_madd(frame.columns[2], pull.z, spoke);
            }
        }
        embedding->frames[v] = frame;
    }
}

void embedding_set_frames(const Embedding *embedding, Pool *pool, const Vec3 *x) {
    Carriage carriage = {.embedding = embedding, .x = x};
    pool_run(pool, embedding->coarse_count, turn_frames, &carriage);
}

static void carry(void *context, int begin, int end) {
    const Carriage *carriage = context;
    const Embedding *embedding = carriage->embedding;
    for (int v = begin; v < end; ++v) {
        const EmbeddedVertex *embedded = &embedding->vertices[v];
        Vec3 at = carriage->x[embedded->vertices[0]];
        if (embedded->vertices[0] !=
            embedded->vertices[1]) { /* else it is that vertex, to the bit */
            at = vec3(0, 0, 0);
            for (int k = 0; k < 3; ++k) {
                const float *arm = embedded->arms[k];
                Vec3 turned = frame_apply(&embedding->frames[embedded->vertices[k]],
                                          vec3(arm[0], arm[1], arm[2]));
                at = vec3_add(
                    vec3_madd(at, embedded->weights[k], carriage->x[embedded->vertices[k]]),
                    turned);
            }
        }
        carriage->fine[v] = at;
    }
}

void embedding_apply(const Embedding *embedding, Pool *pool, const Vec3 *x, Vec3 *fine) {
    Carriage carriage = {.embedding = embedding, .x = x, .fine = fine};
    pool_run(pool, embedding->fine_count, carry, &carriage);
}

static void carry_velocities(void *context, int begin, int end) {
    const Carriage *carriage = context;
    for (int v = begin; v < end; ++v) {
        const EmbeddedVertex *embedded = &carriage->embedding->vertices[v];
        Vec3 sum = vec3_scale(embedded->weights[0], carriage->x[embedded->vertices[0]]);
        sum = vec3_madd(sum, embedded->weights[1], carriage->x[embedded->vertices[1]]);
        carriage->fine[v] =
            vec3_madd(sum, embedded->weights[2], carriage->x[embedded->vertices[2]]);
    }
}

void embedding_apply_to_velocities(const Embedding *embedding, Pool *pool, const Vec3 *v,
                                   Vec3 *fine) {
    Carriage carriage = {.embedding = embedding, .x = v, .fine = fine};
    pool_run(pool, embedding->fine_count, carry_velocities, &carriage);
}

Frame embedding_frame(const Embedding *embedding, int vertex) {
    const EmbeddedVertex *embedded = &embedding->vertices[vertex];
    Frame mean = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 3; ++c) {
            mean.columns[c] = vec3_madd(mean.columns[c], embedded->weights[k],
                                        embedding->frames[embedded->vertices[k]].columns[c]);
        }
    }
    return mean;
}
