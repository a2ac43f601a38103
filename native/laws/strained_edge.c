/* Springs along edges by other measures of strain than their length (strain.h): E = k L^2 / 2 e(r)^2, r = |x_ij| / L.
 * Green's is the biquadratic spring, k / 8 L^2 (|x_ij|^2 - L^2)^2. */
#include "laws/edge.h"

/* What a spring of stiffness 1 and rest length 1 answers. */
typedef struct Answer {
    double energy, pull, slope;
} Answer;

/* Shorter springs, m, are springs of their length: of nothing at rest no strain can be told. */
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

static double evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
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
static bool curve(const Law *law, int e, const Vec3 *x, double scale, LawCurve *curve) {
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
    *curve = (LawCurve){0};
    block_add_diagonal(&curve->uu, stiffness * across);
    block_add_outer(&curve->uu, stiffness * (along - across), n, n);
    return true;
}

const LawKind strained_edge_kind = {.name = "strained edges",
                                    .set_material = edge_set_material,
                                    .evaluate = evaluate,
                                    .curve = curve,
                                    .in_surface = edge_in_surface,
                                    .sampling = LAW_SAMPLE_SEEDS,
                                    .size = edge_size,
                                    .family = edge_family};
