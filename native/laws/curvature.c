/* The two laws of curvature: energies, tensions and what stands in matrices. */
#include <string.h>

#include "laws/curvature.h"

/* What is left of a form below this part of it is rounding. */
#define NO_FORM 1e-14

static const double *form_of(const Law *law, int e) {
    return curvature_law(law)->form + FORM_NUMBERS * e;
}

static void vectors_times_form(const double *form, const Vec3 *in, Vec3 *out) {
    Vec3 x = curvature_times_form(form, vec3(in[0].x, in[1].x, in[2].x));
    Vec3 y = curvature_times_form(form, vec3(in[0].y, in[1].y, in[2].y));
    Vec3 z = curvature_times_form(form, vec3(in[0].z, in[1].z, in[2].z));
    out[0] = vec3(x.x, y.x, z.x);
    out[1] = vec3(x.y, y.y, z.y);
    out[2] = vec3(x.z, y.z, z.z);
}

void curvature_set_forms(Law *law, const BendNumbers *numbers, const Scales *scales) {
    const CurvatureLaw *own = curvature_law(law);
    const double stiffness[3] = {numbers->bend, numbers->bend * numbers->weft,
                                 numbers->bend * numbers->twist};
    for (int e = 0; e < law->count; ++e) {
        double scale = curvature_scale(scales, own->middle[e]);
        const double *share = own->share + 3 * FORM_NUMBERS * e;
        for (int n = 0; n < FORM_NUMBERS; ++n) {
            own->form[FORM_NUMBERS * e + n] =
                scale * (stiffness[0] * share[n] + stiffness[1] * share[FORM_NUMBERS + n] +
                         stiffness[2] * share[2 * FORM_NUMBERS + n]);
        }
    }
}

static void set_material(Law *law, const Material *material, const Scales *scales) {
    curvature_set_forms(
        law, &(BendNumbers){material->bend, material->bend_weft, material->bend_twist}, scales);
}

void curvature_axes(const Law *law, int e, bool *along_x, bool *across) {
    int pairs_from = curvature_law(law)->pairs_from;
    *along_x = e < pairs_from || (e - pairs_from) % 2 == 1;
    *across = e < pairs_from || (e - pairs_from) % 2 == 0;
}

void curvature_stiffness(const Law *law, int e, int corner, double *value) {
    const double *weights[3] = {law_weights(law, 0, e), law_weights(law, 1, e),
                                law_weights(law, 2, e)};
    Vec3 at = vec3(weights[0][corner], weights[1][corner], weights[2][corner]);
    Vec3 by = curvature_times_form(form_of(law, e), at);
    for (int d = 0; d < law->width; ++d) {
        value[d] = by.x * weights[0][d] + by.y * weights[1][d] + by.z * weights[2][d];
    }
}

static void hessian_product(const Law *law, int e, const Vec3 *x, const Vec3 *d, Vec3 *tension) {
    (void)x;
    Vec3 s[3];
    for (int r = 0; r < 3; ++r) {
        s[r] = vec3_scale(-1.0, curvature_measure_one(law, r, e, d));
    }
    vectors_times_form(form_of(law, e), s, tension);
    for (int r = 3; r < law->rows; ++r) {
        tension[r] = vec3(0, 0, 0);
    }
}

/* --- flat at rest ------------------------------------------------------------------------------- */

static double evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    hessian_product(law, e, guess->z, guess->z, tension);
    double energy = 0;
    for (int r = 0; r < 3; ++r) {
        energy -= 0.5 * vec3_dot(tension[r], curvature_measure_one(law, r, e, guess->z));
    }
    return energy;
}

static LawPath path(const Law *law, int e) {
    return e < curvature_law(law)->pairs_from ? LAW_MATRIX : LAW_ONE_BY_ONE;
}

const LawKind curvature_kind = {.name = "curvatures",
                                .set_material = set_material,
                                .evaluate = evaluate,
                                .stiffness = curvature_stiffness,
                                .axes = curvature_axes,
                                .hessian_product = hessian_product,
                                .path = path,
                                .one_by_one = KERNEL_PAIRS};

/* --- curved at rest ----------------------------------------------------------------------------- */

/* What n's own change pulls with at the tangents. `turn` is what asks it of n beside the rows of curvature. */
static void pull_tangents(const double *rest, Vec3 normal, double length, Vec3 b, Vec3 c, Vec3 turn,
                          Vec3 *tension) {
    for (int r = 0; r < CURVATURES; ++r) {
        turn = vec3_madd(turn, rest[r], tension[r]);
    }
    turn = vec3_madd(turn, -vec3_dot(turn, normal), normal);
    turn = length > 0 ? vec3_scale(1.0 / length, turn) : vec3(0, 0, 0);
    tension[FIT_TANGENT_U] = vec3_cross(turn, c);
    tension[FIT_TANGENT_V] = vec3_cross(b, turn);
}

double curvature_evaluate_curved(const Law *law, int e, const Guess *guess, CurvaturePull *pull,
                                 Vec3 *tension) {
    const CurvatureLaw *own = curvature_law(law);
    const double *rest = own->rest + 3 * e;
    Vec3 b = curvature_measure(law, FIT_TANGENT_U, e, guess->z);
    Vec3 c = curvature_measure(law, FIT_TANGENT_V, e, guess->z), p[CURVATURES];
    Vec3 turn = vec3(0, 0, 0);
    double length;
    Vec3 normal = curvature_guessed_normal(law, e, guess, b, c, &length);
    for (int r = 0; r < CURVATURES; ++r) {
        p[r] = vec3_sub(vec3_scale(rest[r], normal), curvature_measure(law, r, e, guess->z));
    }
    double energy = pull(own, e, p, normal, tension, &turn);
    pull_tangents(rest, normal, length, b, c, turn, tension);
    for (int r = 0; r < FIT_ROWS; ++r) {
        tension[r] = curvature_on_its_axes(own, e, tension[r]);
    }
    return curvature_has_energy(own, e) ? energy : 0.0;
}

/* The energy is half of p by the form. */
static double pull_by_form(const CurvatureLaw *own, int e, const Vec3 *p, Vec3 normal,
                           Vec3 *tension, Vec3 *turn) {
    double energy = 0;
    (void)normal;
    (void)turn;
    vectors_times_form(own->form + FORM_NUMBERS * e, p, tension);
    for (int r = 0; r < CURVATURES; ++r) {
        energy += 0.5 * vec3_dot(p[r], tension[r]);
    }
    return energy;
}

static double evaluate_curved(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    return curvature_evaluate_curved(law, e, guess, pull_by_form, tension);
}

/* The rows of both elements of a pair together: x by the second's weights, y and z by the first's. */
static void measure_pair(const Law *law, int e, const Vec3 *x, Vec3 *s) {
    const int *vertices = law_vertices(law, e);
    for (int r = 0; r < law->rows; ++r) {
        const double *across = law_weights(law, r, e), *along = across + law->width;
        Vec3 sum = vec3(0, 0, 0);
        for (int c = 0; c < law->corners[e]; ++c) {
            Vec3 at = x[vertices[c]];
            sum.x += along[c] * at.x;
            sum.y += across[c] * at.y;
            sum.z += across[c] * at.z;
        }
        s[r] = sum;
    }
}

/* Tensions of a pair as in curvature_evaluate_curved(). False without a normal. */
static bool bend_to_rest(const Law *law, int e, const Vec3 *s, Vec3 *p, Vec3 *tension) {
    const double *rest = curvature_law(law)->rest + 3 * e;
    Vec3 b = s[FIT_TANGENT_U], c = s[FIT_TANGENT_V];
    double length;
    Vec3 normal = curvature_normal_of(b, c, &length);
    if (!(length > 0)) {
        return false;
    }
    for (int r = 0; r < CURVATURES; ++r) {
        p[r] = vec3_sub(vec3_scale(rest[r], normal), s[r]);
    }
    vectors_times_form(form_of(law, e), p, tension);
    pull_tangents(rest, normal, length, b, c, vec3(0, 0, 0), tension);
    return true;
}

bool curvature_pull_pair(const Law *law, int e, const Guess *guess, Vec3 *force, double *energy) {
    const CurvatureLaw *own = curvature_law(law);
    Vec3 s[FIT_ROWS], p[CURVATURES], tension[FIT_ROWS];
    if (e < own->pairs_from || !curvature_has_energy(own, e)) {
        return false;
    }
    measure_pair(law, e, guess->z, s);
    if (!own->rest) {
        for (int r = 0; r < CURVATURES; ++r) {
            p[r] = vec3_scale(-1.0, s[r]);
        }
        vectors_times_form(form_of(law, e), p, tension);
    } else if (!bend_to_rest(law, e, s, p, tension)) {
        return false;
    }
    *energy = 0;
    for (int r = 0; r < CURVATURES; ++r) {
        *energy += 0.5 * vec3_dot(p[r], tension[r]);
    }
    memset(force, 0, (size_t)law->corners[e] * sizeof *force);
    for (int r = 0; r < law->rows; ++r) {
        const double *across = law_weights(law, r, e), *along = across + law->width;
        for (int c = 0; c < law->corners[e]; ++c) {
            force[c].x += along[c] * tension[r].x;
            force[c].y += across[c] * tension[r].y;
            force[c].z += across[c] * tension[r].z;
        }
    }
    return true;
}

static LawPath curved_path(const Law *law, int e) {
    return e < curvature_law(law)->pairs_from ? LAW_WIDE : LAW_ONE_BY_ONE;
}

/* The form as a sum of squares, sum_k l_k l_k'. By Cholesky, the largest row first: what is left in the end is rounding.
 */
static void squares_of_form(const double *form, double (*square)[CURVATURES]) {
    double left[CURVATURES][CURVATURES] = {
        {form[0], form[3], form[4]}, {form[3], form[1], form[5]}, {form[4], form[5], form[2]}};
    double least = NO_FORM * (form[0] + form[1] + form[2]);
    for (int k = 0; k < CURVATURES; ++k) {
        int p = left[1][1] > left[0][0];
        p = left[2][2] > left[p][p] ? 2 : p;
        double shrink = left[p][p] > least ? 1.0 / sqrt(left[p][p]) : 0.0;
        for (int r = 0; r < CURVATURES; ++r) {
            square[k][r] = shrink * left[p][r];
        }
        for (int r = 0; r < CURVATURES * CURVATURES; ++r) {
            left[r / CURVATURES][r % CURVATURES] -=
                square[k][r / CURVATURES] * square[k][r % CURVATURES];
        }
    }
}

/* Numbers of the three rows mixed so that their form is the identity. */
static void mix_rows(double (*square)[CURVATURES], double uu, double vv, double uv,
                     double *number) {
    for (int k = 0; k < CURVATURES; ++k) {
        number[k] = square[k][CURVATURE_UU] * uu + square[k][CURVATURE_VV] * vv +
                    square[k][CURVATURE_UV] * uv;
    }
}

static void pack(const Law *law, int e, double *number) {
    const double *rest = curvature_law(law)->rest + 3 * e;
    double square[CURVATURES][CURVATURES];
    squares_of_form(form_of(law, e), square);
    mix_rows(square, rest[0], rest[1], rest[2], number);
    number += CURVED_NUMBERS;
    for (int c = 0; c < law->width; ++c, number += FIT_ROWS) {
        mix_rows(square, law_weights(law, CURVATURE_UU, e)[c], law_weights(law, CURVATURE_VV, e)[c],
                 law_weights(law, CURVATURE_UV, e)[c], number);
        number[FIT_TANGENT_U] = law_weights(law, FIT_TANGENT_U, e)[c];
        number[FIT_TANGENT_V] = law_weights(law, FIT_TANGENT_V, e)[c];
    }
}

/* The rest curvatures, and the weights in the three rows of each corner. */
#define WITHOUT_STIFFNESS (UINT64_C(0x7) | UINT64_C(0x39ce739ce739ce7) << CURVED_NUMBERS)

static const LawWide wide = {.kernel = KERNEL_CURVED,
                             .numbers = CURVED_NUMBERS,
                             .corner_numbers = FIT_ROWS,
                             .stiffness = WITHOUT_STIFFNESS,
                             .pack = pack};

const LawKind curved_kind = {.name = "curved places",
                             .set_material = set_material,
                             .evaluate = evaluate_curved,
                             .stiffness = curvature_stiffness,
                             .axes = curvature_axes,
                             .hessian_product = hessian_product,
                             .path = curved_path,
                             .one_by_one = KERNEL_PAIRS,
                             .wide = &wide};
