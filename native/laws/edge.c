/* Springs along edges: which edges have one, and the functions of their law. */
#include "laws/edge.h"

#include <math.h>
#include <stdlib.h>

const Response response_linear = {.count = 1,
                                  .bound = 1.0,
                                  .square = true,
                                  .segment = {{.from = 0.0, .slope = 1.0, .origin = 1.0}}};

const Response response_tension_only = {.count = 2,
                                        .bound = 1.0,
                                        .square = true,
                                        .segment = {{.from = 0.0, .slope = 0.0, .origin = 1.0},
                                                    {.from = 1.0, .slope = 1.0, .origin = 1.0}}};

static bool is_wanted(const Edge *edge, const uint8_t *covered, EdgeChoice choice) {
    return choice == EDGES_ALL || edge->kind == EDGE_ROPE ||
           (edge->kind == EDGE_CLOTH &&
            (choice == EDGES_WOVEN || !(covered[edge->a] && covered[edge->b])));
}

/* Vertices of at least one triangle with area. */
static void mark_covered(const Mesh *mesh, uint8_t *covered) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        for (int c = 0; c < 3 && mesh->triangles[t].area > 0; ++c) {
            covered[mesh->triangles[t].vertices[c]] = 1;
        }
    }
}

static EdgeLaw *take_law(int count, const Response *response, StrainMeasure measure, Store *store) {
    EdgeLaw *edges = STORE_ARRAY(store, EdgeLaw, 1);
    bool springs = measure == STRAIN_AUTO || measure == STRAIN_ENGINEERING;
    const LawKind *kind = springs ? &edge_kind : &strained_edge_kind;
    if (!edges || !law_take(&edges->law, kind, count, 2, 1, store)) {
        return NULL;
    }
    edges->response = response;
    edges->measure = measure;
    edges->law.unbounded = !springs && count > 0;
    edges->rest_length = STORE_ARRAY(store, double, count);
    edges->stiffness = STORE_ARRAY(store, double, count);
    edges->rest_direction = STORE_ARRAY(store, Vec3, count);
    edges->source = STORE_ARRAY(store, const Edge *, count);
    return store->failed ? NULL : edges;
}

static void add_edge(EdgeLaw *edges, const Mesh *mesh, const Edge *edge) {
    int at = edges->law.count++;
    edges->source[at] = edge;
    edges->law.vertices[2 * at] = edge->a;
    edges->law.vertices[2 * at + 1] = edge->b;
    edges->law.weights[0][2 * at] = -1.0;
    edges->law.weights[0][2 * at + 1] = 1.0;
    edges->rest_length[at] = edge->rest_length;
    Vec3 along = vec3_sub(mesh->rest[edge->b], mesh->rest[edge->a]);
    edges->rest_direction[at] = vec3_unit_or(along, vec3(0, 0, 1));
}

/* Which family each element is of. */
static StatusCode name_threads(EdgeLaw *edges, const Mesh *mesh, const Weave *weave, Store *store,
                               Status *status) {
    edges->weft = STORE_ARRAY(store, uint8_t, edges->law.count);
    int *element = SCRATCH_ARRAY(int, mesh->edge_count);
    if (store->failed || !element) {
        free(element);
        return status_no_memory(status, edge_kind.name);
    }
    for (int e = 0; e < edges->law.count; ++e) {
        element[edges->source[e] - mesh->edges] = e;
    }
    for (int t = 0; t < weave->thread_count; ++t) {
        const Thread *thread = &weave->threads[t];
        for (int k = 0; k < thread_links(thread); ++k) {
            edges->weft[element[weave->edges[thread->first + k]]] = thread->kind == THREAD_WEFT;
        }
    }
    free(element);
    return STATUS_OK;
}

StatusCode edge_law_build(const Mesh *mesh, EdgeChoice choice, const Weave *weave,
                          const Response *response, StrainMeasure measure, Store *store, Law **law,
                          Status *status) {
    uint8_t *covered = STORE_ARRAY(store, uint8_t, mesh->vertex_count);
    if (store->failed) {
        return status_no_memory(status, edge_kind.name);
    }
    mark_covered(mesh, covered);
    int count = 0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        count += is_wanted(&mesh->edges[e], covered, choice);
    }
    EdgeLaw *edges = take_law(count, response, measure, store);
    if (!edges) {
        return status_no_memory(status, edge_kind.name);
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        if (is_wanted(&mesh->edges[e], covered, choice)) {
            add_edge(edges, mesh, &mesh->edges[e]);
        }
    }
    *law = &edges->law;
    return choice == EDGES_WOVEN ? name_threads(edges, mesh, weave, store, status) : STATUS_OK;
}

/* N/m of the cloth that a side of a face stands for, less what diagonals do. */
static double side_stiffness(const EdgeLaw *edges, int e, const Material *material) {
    const Edge *edge = edges->source[e];
    double both = 0.5 * (material->stretch_warp + material->stretch_weft);
    if (edges->weft) {
        return edge->share * (edges->weft[e] ? material->stretch_weft : material->stretch_warp);
    }
    return both * edge->share - material->shear * edge->braced;
}

/* As LawKind.set_material, size and family. */
static void edge_set_material(Law *law, const Material *material, const Scales *scales) {
    EdgeLaw *edges = (EdgeLaw *)law;
    for (int e = 0; e < law->count; ++e) {
        const Edge *edge = edges->source[e];
        edges->rest_length[e] =
            edge->rest_length * scale_mean(scales->size, law_vertices(law, e), 2);
        double constant = edge->kind == EDGE_ROPE    ? material->rope_stretch * edge->share
                          : edge->kind == EDGE_SHEAR ? material->shear * edge->share
                                                     : side_stiffness(edges, e, material);
        edges->stiffness[e] =
            fmax(constant, 0.0) * scale_mean(scales->stretch, law_vertices(law, e), 2);
        law->bound[e] =
            edges->response->bound * edges->stiffness[e] * (law->unbounded ? STRAIN_WORKING : 1.0);
    }
}

/* The guessed edge, of whatever length. */
static Vec3 guessed_edge(const Law *law, const Guess *guess, int e, Vec3 now) {
    if (!guess->turning) {
        return now;
    }
    Vec3 seen[GUESS_HISTORY];
    for (int m = 0; m <= guess->coefficient_count; ++m) {
        seen[m] = edge_vector(law, guess->history[m], e);
    }
    /* only the direction turns: the length stays that of the present edge, for the response */
    Vec3 turned = guess_turned(guess, seen);
    return vec3_scale(vec3_length(seen[0]), vec3_unit_or(turned, vec3(0, 0, 0)));
}

static double add_energy(const Law *law, int e, const Vec3 *x, double sum) {
    const EdgeLaw *edges = edge_law(law);
    double length = vec3_length(edge_vector(law, x, e));
    return sum +
           response_energy(edges->response, edges->stiffness[e], length, edges->rest_length[e]);
}

static double evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    const EdgeLaw *edges = edge_law(law);
    Vec3 now = edge_vector(law, guess->z, e), target;
    Vec3 guessed = guessed_edge(law, guess, e, now);
    double length = vec3_length(guessed), rest = edges->rest_length[e];
    const ResponseSegment *segment = response_at(edges->response, length, rest);
    double wanted = segment_target(segment, length, rest);
    if (segment->slope == 0.0) {
        target = guessed; /* the target is the guess itself, so no force */
    } else if (length > VEC3_TINY) {
        target = vec3_scale(wanted / length, guessed);
    } else {
        Vec3 before = edge_vector(law, guess->present, e);
        target = vec3_scale(wanted, vec3_unit_or(before, edges->rest_direction[e]));
    }
    Vec3 pull = vec3_sub(target, now);
    *tension = vec3_scale(edges->stiffness[e], pull);
    return edges->response->square ? 0.5 * edges->stiffness[e] * vec3_dot(pull, pull)
                                   : add_energy(law, e, guess->z, 0.0);
}

static void spring_hessian(const Law *law, int e, const Vec3 *x, Jacobian jacobian, double scale,
                           SpringHessian *hessian) {
    const EdgeLaw *edges = edge_law(law);
    *hessian = (SpringHessian){0};
    if (edges->stiffness[e] == 0.0) {
        return;
    }
    Vec3 d = edge_vector(law, x, e);
    double length = vec3_length(d), rest = edges->rest_length[e], slope = 1.0, sideways = 0.0;
    bool resists = jacobian == JACOBIAN_SMOOTHED
                       ? response_smoothed_curve(edges->response, length, rest, &slope, &sideways)
                   : jacobian == JACOBIAN_CLAMPED
                       ? response_curve(edges->response, length, rest, &slope, &sideways)
                       : length > VEC3_TINY;
    if (resists) {
        scale *= edges->stiffness[e];
        *hessian =
            (SpringHessian){scale * sideways, scale * (slope - sideways) / (length * length), d};
    }
}

static void hessian_product(const Law *law, int e, const Vec3 *x, const Vec3 *d, Vec3 *tension) {
    const EdgeLaw *edges = edge_law(law);
    Vec3 s = edge_vector(law, x, e);
    double rest = edges->rest_length[e];
    const ResponseSegment *segment = response_at(edges->response, vec3_length(s), rest);
    Vec3 product = segment_block_times(segment, s, rest, edge_vector(law, d, e));
    *tension = vec3_scale(-edges->stiffness[e], product);
}

/* Share times squared length: what springs of one kind add up to in a patch does not depend on how it is meshed. */
static double edge_size(const Law *law, int e) {
    const EdgeLaw *edges = edge_law(law);
    return edges->source[e]->share * edges->rest_length[e] * edges->rest_length[e];
}

static int edge_family(const Law *law, int e) {
    return edge_law(law)->source[e]->kind == EDGE_ROPE;
}

static bool edge_in_surface(const Law *law, int e) {
    return edge_law(law)->source[e]->kind != EDGE_ROPE;
}

const LawKind edge_kind = {.name = "edge springs",
                           .set_material = edge_set_material,
                           .evaluate = evaluate,
                           .hessian = edge_hessian,
                           .fused_hessian = edge_fused_hessian,
                           .spring_hessian = spring_hessian,
                           .in_surface = edge_in_surface,
                           .add_energy = add_energy,
                           .hessian_product = hessian_product,
                           .one_by_one = KERNEL_EDGES,
                           .sampling = LAW_SAMPLE_SEEDS,
                           .size = edge_size,
                           .family = edge_family};

/* --- springs by other measures of strain ------------------------------------------------------ */

/* Springs along edges by other measures of strain than their length (response.h): E = k L^2 / 2 e(r)^2, r = |x_ij| / L.
 * Green's is the biquadratic spring, k / 8 L^2 (|x_ij|^2 - L^2)^2. */

/* The response of a spring of stiffness 1 and rest length 1. */
typedef struct Answer {
    double energy, pull, slope;
} Answer;

/* Shorter springs, m, are springs of their length: a spring without length at rest has no strain. */
#define SHORTEST_REST 1e-5

static Answer answer_at(const EdgeLaw *edges, double rest, double r) {
    if (edges->response == &response_tension_only && r < 1.0) {
        return (Answer){0, 0, 0};
    }
    Strain e = strain_by(rest < SHORTEST_REST ? STRAIN_ENGINEERING : edges->measure, r);
    return (Answer){.energy = 0.5 * e.value * e.value,
                    .pull = e.value * e.slope,
                    .slope = e.slope * e.slope + e.value * e.bend};
}

static double strained_evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    const EdgeLaw *edges = edge_law(law);
    Vec3 now = edge_vector(law, guess->z, e);
    double rest = fmax(edges->rest_length[e], VEC3_TINY), length = vec3_length(now);
    Answer answer = answer_at(edges, rest, length / rest);
    Vec3 direction = length > VEC3_TINY ? vec3_scale(1.0 / length, now)
                                        : vec3_unit_or(edge_vector(law, guess->present, e),
                                                       edges->rest_direction[e]);
    *tension = vec3_scale(-edges->stiffness[e] * rest * answer.pull, direction);
    return edges->stiffness[e] * rest * rest * answer.energy;
}

/* Along the edge by the slope, across by the pull, both without their negative parts. */
static bool strained_hessian(const Law *law, int e, const Vec3 *x, double scale,
                             LawHessian *hessian) {
    const EdgeLaw *edges = edge_law(law);
    Vec3 now = edge_vector(law, x, e);
    double rest = fmax(edges->rest_length[e], VEC3_TINY);
    double length = vec3_length(now), r = length / rest;
    Answer answer = answer_at(edges, rest, r);
    double along = fmax(answer.slope, 0.0), across = fmax(answer.pull / r, 0.0);
    if (length <= VEC3_TINY || (along == 0 && across == 0)) {
        return false;
    }
    Vec3 n = vec3_scale(1.0 / length, now);
    double stiffness = scale * edges->stiffness[e];
    *hessian = (LawHessian){0};
    block_add_diagonal(&hessian->uu, stiffness * across);
    block_add_outer(&hessian->uu, stiffness * (along - across), n, n);
    return true;
}

const LawKind strained_edge_kind = {.name = "strained edges",
                                    .set_material = edge_set_material,
                                    .evaluate = strained_evaluate,
                                    .hessian = strained_hessian,
                                    .in_surface = edge_in_surface,
                                    .sampling = LAW_SAMPLE_SEEDS,
                                    .size = edge_size,
                                    .family = edge_family};
