#include "model/edge.h"

static int is_wanted(const Edge *edge, const uint8_t *covered, int all_edges) {
    return all_edges || edge->kind == EDGE_ROPE ||
           (edge->kind == EDGE_CLOTH && !(covered[edge->a] && covered[edge->b]));
}

/* Vertices of at least one triangle with area. */
static void mark_covered(const Mesh *mesh, uint8_t *covered) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        for (int c = 0; c < 3 && mesh->triangles[t].area > 0; ++c) {
            covered[mesh->triangles[t].vertices[c]] = 1;
        }
    }
}

StatusCode edge_model_build(EdgeModel *model, const Mesh *mesh, int all_edges, int tension_only,
                            Store *store, Status *status) {
    uint8_t *covered = STORE_ARRAY(store, uint8_t, mesh->vertex_count);
    if (store->failed) {
        return status_no_memory(status, "edge springs");
    }
    mark_covered(mesh, covered);
    int count = 0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        count += is_wanted(&mesh->edges[e], covered, all_edges);
    }
    model->tension_only = tension_only;
    model->vertices = STORE_ARRAY(store, int, 2 * count);
    model->weights = STORE_ARRAY(store, double, 2 * count);
    model->rest_length = STORE_ARRAY(store, double, count);
    model->stiffness = STORE_ARRAY(store, double, count);
    model->rest_direction = STORE_ARRAY(store, Vec3, count);
    model->source = STORE_ARRAY(store, const Edge *, count);
    if (store->failed) {
        return status_no_memory(status, "edge springs");
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        const Edge *edge = &mesh->edges[e];
        if (!is_wanted(edge, covered, all_edges)) {
            continue;
        }
        int at = model->count++;
        model->source[at] = edge;
        model->vertices[2 * at] = edge->a;
        model->vertices[2 * at + 1] = edge->b;
        model->weights[2 * at] = -1.0;
        model->weights[2 * at + 1] = 1.0;
        model->rest_length[at] = edge->rest_length;
        Vec3 along = vec3_sub(mesh->rest[edge->b], mesh->rest[edge->a]);
        model->rest_direction[at] = vec3_unit_or(along, vec3(0, 0, 1));
    }
    return STATUS_OK;
}

void edge_model_set_material(EdgeModel *model, const Material *material, const Scales *scales) {
    double stretch = 0.5 * (material->stretch_warp + material->stretch_weft);
    for (int e = 0; e < model->count; ++e) {
        const Edge *edge = model->source[e];
        double stiffness = edge->kind == EDGE_ROPE    ? material->rope_stretch
                           : edge->kind == EDGE_SHEAR ? material->shear
                                                      : stretch;
        model->stiffness[e] =
            stiffness * edge->share * scale_mean(scales->stretch, model->vertices + 2 * e, 2);
    }
}

typedef struct EdgeWork {
    const EdgeModel *model;
    const Guess *guess;
    const Vec3 *x, *d;
} EdgeWork;

static Vec3 edge_vector(const EdgeModel *model, const Vec3 *x, int e) {
    return vec3_sub(x[model->vertices[2 * e + 1]], x[model->vertices[2 * e]]);
}

/* The guessed edge, of whatever length. */
static Vec3 guessed_edge(const EdgeModel *model, const Guess *guess, int e, Vec3 now) {
    if (!guess->turning) {
        return now;
    }
    Vec3 seen[GUESS_HISTORY];
    for (int m = 0; m <= guess->coefficient_count; ++m) {
        seen[m] = edge_vector(model, guess->history[m], e);
    }
    /* only the direction turns: the length stays that of the present edge, for tension-only */
    Vec3 turned = guess_turned(guess, seen);
    return vec3_scale(vec3_length(seen[0]), vec3_unit_or(turned, vec3(0, 0, 0)));
}

double edge_model_tension(const EdgeModel *model, int e, const Guess *guess, Vec3 *tension) {
    Vec3 now = edge_vector(model, guess->z, e), target;
    Vec3 guessed = guessed_edge(model, guess, e, now);
    double length = vec3_length(guessed), rest = model->rest_length[e];
    if (model->tension_only && length < rest) {
        target = guessed; /* slack: the target is the guess itself, so no force [Choi and Ko] */
    } else if (length > VEC3_TINY) {
        target = vec3_scale(rest / length, guessed);
    } else {
        Vec3 before = edge_vector(model, guess->present, e);
        target = vec3_scale(rest, vec3_unit_or(before, model->rest_direction[e]));
    }
    Vec3 pull = vec3_sub(target, now);
    *tension = vec3_scale(model->stiffness[e], pull);
    return 0.5 * model->stiffness[e] * vec3_dot(pull, pull);
}

static double edge_tensions(void *context, int begin, int end) {
    const EdgeWork *work = context;
    double energy = 0;
    for (int e = begin; e < end; ++e) {
        energy += edge_model_tension(work->model, e, work->guess, &work->model->tension[e]);
    }
    return energy;
}

double edge_model_local_step(EdgeModel *model, Pool *pool, const Guess *guess) {
    EdgeWork work = {.model = model, .guess = guess};
    return pool_sum(pool, model->count, edge_tensions, &work);
}

static double edge_energies(void *context, int begin, int end) {
    const EdgeWork *work = context;
    const EdgeModel *model = work->model;
    double sum = 0;
    for (int e = begin; e < end; ++e) {
        double excess = vec3_length(edge_vector(model, work->x, e)) - model->rest_length[e];
        if (excess > 0 || !model->tension_only) {
            sum += 0.5 * model->stiffness[e] * excess * excess;
        }
    }
    return sum;
}

double edge_model_energy(const EdgeModel *model, Pool *pool, const Vec3 *x) {
    EdgeWork work = {.model = model, .x = x};
    return pool_sum(pool, model->count, edge_energies, &work);
}

/* --- second derivatives ----------------------------------------------------------------------- */

static void stiffen_edges(void *context, int begin, int end) {
    const EdgeWork *work = context;
    const EdgeModel *model = work->model;
    for (int e = begin; e < end; ++e) {
        Vec3 product = block_of_spring_times(edge_vector(model, work->x, e), model->rest_length[e],
                                             model->tension_only, edge_vector(model, work->d, e));
        model->tension[e] = vec3_scale(-model->stiffness[e], product);
    }
}

void edge_model_stiffen(EdgeModel *model, Pool *pool, const Vec3 *x, const Vec3 *d) {
    EdgeWork work = {.model = model, .x = x, .d = d};
    pool_run(pool, model->count, stiffen_edges, &work);
}

/* --- conventional solver ---------------------------------------------------------------------- */

StatusCode edge_model_find_slots(EdgeModel *model, const BlockMatrix *blocks, Store *store,
                                 Status *status) {
    model->slots = STORE_ARRAY(store, int, 4 * model->count);
    if (store->failed) {
        return status_no_memory(status, "edge springs");
    }
    for (int e = 0; e < model->count; ++e) {
        for (int c = 0; c < 4; ++c) {
            int row = model->vertices[2 * e + c / 2], column = model->vertices[2 * e + c % 2];
            model->slots[4 * e + c] = matrix_slot(blocks->pattern, row, column);
        }
    }
    return STATUS_OK;
}

void edge_model_add_hessian(const EdgeModel *model, const Vec3 *x, double scale,
                            BlockMatrix *blocks) {
    for (int e = 0; e < model->count; ++e) {
        Vec3 d = edge_vector(model, x, e);
        Block block;
        if (!block_of_spring(d, model->rest_length[e], model->tension_only, &block)) {
            continue;
        }
        double k = scale * model->stiffness[e];
        block_add(&blocks->block[model->slots[4 * e]], k, &block);
        block_add(&blocks->block[model->slots[4 * e + 1]], -k, &block);
        block_add(&blocks->block[model->slots[4 * e + 2]], -k, &block);
        block_add(&blocks->block[model->slots[4 * e + 3]], k, &block);
    }
}
