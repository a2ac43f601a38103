/* The laws of curvature by moment curves: E = N (phi_warp(|p_uu|) + phi_weft(|p_vv|) + 2 phi_twist(|p_uv|)), with p the rest
 * curvature less the present one along warp and weft. Curves never fall, so E is convex in p. Where folds are remembered
 * friction of the threads adds N/2 (F_warp |p_uu + k_uu n|^2 + ...), and k follows the cloth where that is strained too
 * much. */
#include "laws/curvature.h"

/* Curvatures, 1/m, so small that they have no direction. */
#define NO_CURVATURE 1e-30

static void set_material(Law *law, const Material *material, const Scales *scales) {
    const CurvatureLaw *own = curvature_law(law);
    const BendNumbers bound = moment_bound(material);
    curvature_set_forms(law, &bound, scales);
    moment_curves_of(material, own->curves);
    if (own->friction) {
        moment_friction_of(material, own->curves, own->friction);
        own->friction[MOMENT_CURVES] = material->fold_memory;
    }
    for (int e = 0; e < law->count; ++e) {
        own->area[e] = curvature_scale(scales, own->middle[e]) * own->grain[e].area;
    }
}

/* Curvatures along warp, along weft and in twist, of those along the chart's axes. */
static void to_grain(const Grain *grain, const Vec3 *in, Vec3 *out) {
    double c = grain->cosine, s = grain->sine;
    out[MOMENT_WARP] =
        vec3_madd(vec3_madd(vec3_scale(c * c, in[0]), s * s, in[1]), 2 * c * s, in[2]);
    out[MOMENT_WEFT] =
        vec3_madd(vec3_madd(vec3_scale(s * s, in[0]), c * c, in[1]), -2 * c * s, in[2]);
    out[MOMENT_TWIST] = vec3_madd(vec3_scale(c * s, vec3_sub(in[1], in[0])), c * c - s * s, in[2]);
}

/* Tensions, by the transposed matrix. */
static void from_grain(const Grain *grain, const Vec3 *in, Vec3 *out) {
    double c = grain->cosine, s = grain->sine;
    Vec3 warp = in[MOMENT_WARP], weft = in[MOMENT_WEFT], twist = in[MOMENT_TWIST];
    out[CURVATURE_UU] = vec3_madd(vec3_madd(vec3_scale(c * c, warp), s * s, weft), -c * s, twist);
    out[CURVATURE_VV] = vec3_madd(vec3_madd(vec3_scale(s * s, warp), c * c, weft), c * s, twist);
    out[CURVATURE_UV] =
        vec3_madd(vec3_scale(2 * c * s, vec3_sub(warp, weft)), c * c - s * s, twist);
}

static double share_of(const CurvatureLaw *own, int e, int curve) {
    return curve == MOMENT_TWIST ? 2 * own->area[e] : own->area[e];
}

/* What friction of the threads holds to. */
static void kept_by(const CurvatureLaw *own, int e, double kept[MOMENT_CURVES]) {
    Vec3 of = own->law.memory[own->middle[e]];
    kept[MOMENT_WARP] = of.x;
    kept[MOMENT_WEFT] = of.y;
    kept[MOMENT_TWIST] = of.z;
}

/* Adds to tensions along warp and weft what friction pulls with, and to `turn` what that asks of the normal. Returns its
 * energy, J. */
static double pull_by_friction(const CurvatureLaw *own, int e, const Vec3 *p, Vec3 normal,
                               Vec3 *tension, Vec3 *turn) {
    double kept[MOMENT_CURVES], sum = 0;
    kept_by(own, e, kept);
    for (int r = 0; r < MOMENT_CURVES; ++r) {
        double stiffness = share_of(own, e, r) * own->friction[r];
        Vec3 strain = vec3_madd(p[r], kept[r], normal), pull = vec3_scale(stiffness, strain);
        tension[r] = vec3_add(tension[r], pull);
        *turn = vec3_madd(*turn, kept[r], pull);
        sum += 0.5 * stiffness * vec3_dot(strain, strain);
    }
    return sum;
}

/* Tensions that p pulls with, along the chart's axes; returns its energy, J. The normal matters to friction alone. */
static double pull(const CurvatureLaw *own, int e, const Vec3 *p, Vec3 normal, Vec3 *tension,
                   Vec3 *turn) {
    Vec3 along[MOMENT_CURVES], pulled[MOMENT_CURVES];
    double sum = 0;
    to_grain(&own->grain[e], p, along);
    for (int r = 0; r < MOMENT_CURVES; ++r) {
        double share = share_of(own, e, r), length = vec3_length(along[r]), energy, slope;
        double moment = moment_at(&own->curves[r], length, &energy, &slope);
        double secant = length > NO_CURVATURE ? moment / length : slope;
        pulled[r] = vec3_scale(share * secant, along[r]);
        sum += share * energy;
    }
    sum += own->friction ? pull_by_friction(own, e, along, normal, pulled, turn) : 0.0;
    from_grain(&own->grain[e], pulled, tension);
    return sum;
}

static double evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    const CurvatureLaw *own = curvature_law(law);
    Vec3 p[CURVATURES], none = vec3(0, 0, 0);
    for (int r = 0; r < CURVATURES; ++r) {
        p[r] = vec3_scale(-1.0, curvature_measure(law, r, e, guess->z));
    }
    double energy = pull(own, e, p, none, tension, &none);
    for (int r = 0; r < CURVATURES; ++r) {
        tension[r] = curvature_on_its_axes(own, e, tension[r]);
    }
    return curvature_has_energy(own, e) ? energy : 0.0;
}

static double evaluate_curved(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    return curvature_evaluate_curved(law, e, guess, pull, tension);
}

/* Along p by the slope of the curve, across it by moment over curvature. What the rest shape's normal adds is left out.
 */
static void hessian_product(const Law *law, int e, const Vec3 *x, const Vec3 *d, Vec3 *tension) {
    const CurvatureLaw *own = curvature_law(law);
    Vec3 p[CURVATURES], change[CURVATURES], at[MOMENT_CURVES], by[MOMENT_CURVES];
    Vec3 normal = own->rest ? curvature_normal_at(law, e, x) : vec3(0, 0, 0);
    for (int r = 0; r < CURVATURES; ++r) {
        double rest = own->rest ? own->rest[3 * e + r] : 0.0;
        p[r] = vec3_sub(vec3_scale(rest, normal), curvature_measure(law, r, e, x));
        change[r] = vec3_scale(-1.0, curvature_measure(law, r, e, d));
    }
    to_grain(&own->grain[e], p, at);
    to_grain(&own->grain[e], change, by);
    for (int r = 0; r < MOMENT_CURVES; ++r) {
        double length = vec3_length(at[r]), energy, slope;
        double moment = moment_at(&own->curves[r], length, &energy, &slope);
        bool bent = length > NO_CURVATURE;
        double secant = bent ? moment / length : slope;
        double held = own->friction ? own->friction[r] : 0.0;
        double along = bent ? (slope - secant) * vec3_dot(at[r], by[r]) / (length * length) : 0.0;
        by[r] = vec3_scale(share_of(own, e, r),
                           vec3_madd(vec3_scale(secant + held, by[r]), along, at[r]));
    }
    from_grain(&own->grain[e], by, tension);
    for (int r = 0; r < law->rows; ++r) {
        tension[r] = r < CURVATURES ? curvature_on_its_axes(own, e, tension[r]) : vec3(0, 0, 0);
    }
}

/* Friction slips until it is strained no more than it can be: its springs shorten and nothing else changes, so the energy
 * falls. Strains are measured as curvature tensors are, alike in all directions. */
static void remember(const Law *law, int e, const Vec3 *x) {
    const CurvatureLaw *own = curvature_law(law);
    Vec3 p[CURVATURES], along[MOMENT_CURVES], normal = curvature_normal_at(law, e, x);
    double kept[MOMENT_CURVES], strain[MOMENT_CURVES], squared = 0;
    if (!curvature_has_energy(own, e) || !(vec3_dot(normal, normal) > 0)) {
        return;
    }
    for (int r = 0; r < CURVATURES; ++r) {
        p[r] = vec3_sub(vec3_scale(own->rest[3 * e + r], normal), curvature_measure(law, r, e, x));
    }
    to_grain(&own->grain[e], p, along);
    kept_by(own, e, kept);
    for (int r = 0; r < MOMENT_CURVES; ++r) {
        strain[r] = -vec3_dot(along[r], normal) - kept[r];
        squared += (r == MOMENT_TWIST ? 2 : 1) * strain[r] * strain[r];
    }
    double most = own->friction[MOMENT_CURVES];
    if (squared > most * most) {
        double slips = 1 - most / sqrt(squared);
        own->law.memory[own->middle[e]] = vec3(kept[MOMENT_WARP] + slips * strain[MOMENT_WARP],
                                               kept[MOMENT_WEFT] + slips * strain[MOMENT_WEFT],
                                               kept[MOMENT_TWIST] + slips * strain[MOMENT_TWIST]);
    }
}

/* --- for the wide kernels ------------------------------------------------------------------------ */

static LawPath path(const Law *law, int e) {
    return e < curvature_law(law)->pairs_from ? LAW_WIDE : LAW_ONE_BY_ONE;
}

/* Numbers of the chart's three rows along warp, along weft and in twist. */
static void pack_rows(const Grain *grain, double uu, double vv, double uv, double *number) {
    double c = grain->cosine, s = grain->sine;
    number[MOMENT_WARP] = c * c * uu + s * s * vv + 2 * c * s * uv;
    number[MOMENT_WEFT] = s * s * uu + c * c * vv - 2 * c * s * uv;
    number[MOMENT_TWIST] = c * s * (vv - uu) + (c * c - s * s) * uv;
}

static void pack(const Law *law, int e, double *number) {
    const CurvatureLaw *own = curvature_law(law);
    const Grain *grain = &own->grain[e];
    *number++ = own->area[e];
    if (own->rest) {
        const double *rest = own->rest + 3 * e;
        pack_rows(grain, rest[0], rest[1], rest[2], number);
        number += CURVATURES;
    }
    for (int c = 0; c < law->width; ++c, number += law->rows) {
        pack_rows(grain, law_weights(law, CURVATURE_UU, e)[c], law_weights(law, CURVATURE_VV, e)[c],
                  law_weights(law, CURVATURE_UV, e)[c], number);
        for (int r = CURVATURES; r < law->rows; ++r) {
            number[r] = law_weights(law, r, e)[c];
        }
    }
}

static const LawWide wide = {.kernel = KERNEL_MOMENTS,
                             .numbers = MOMENT_NUMBERS,
                             .corner_numbers = CURVATURES,
                             .stiffness = 0x1,
                             .pack = pack};
static const LawWide curved_wide = {.kernel = KERNEL_CURVED_MOMENTS,
                                    .numbers = CURVED_MOMENT_NUMBERS,
                                    .corner_numbers = FIT_ROWS,
                                    .stiffness = 0x1,
                                    .pack = pack};

const LawKind moment_kind = {.name = "curvatures",
                             .set_material = set_material,
                             .evaluate = evaluate,
                             .stiffness = curvature_stiffness,
                             .axes = curvature_axes,
                             .hessian_product = hessian_product,
                             .path = path,
                             .wide = &wide};

const LawKind curved_moment_kind = {.name = "curved places",
                                    .set_material = set_material,
                                    .evaluate = evaluate_curved,
                                    .remember = remember,
                                    .stiffness = curvature_stiffness,
                                    .axes = curvature_axes,
                                    .hessian_product = hessian_product,
                                    .path = path,
                                    .wide = &curved_wide};
