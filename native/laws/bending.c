/* The bending law: hinges laid flat, their weights and stiffness, and the gap that they resist. */
#include "laws/bending.h"

#include <string.h>

#include "mesh/adjacency.h"

/* Triangles lower than this part of the shared edge are too thin to bend about it. */
#define THINNEST 1e-4
/* Rest gaps below this part of the hinge's height count as flat: float32 input. */
#define FLAT 1e-5
/* Sides whose unit normals add up to less than this are folded shut. */
#define SHUT 1e-12

/* False where the hinge is too thin. Sides of different length (a seam of the pattern) meet at
 * their mean. */
static bool lay_flat(const Mesh *mesh, const Hinge *hinge, FlatHinge *flat) {
    const Triangle *first = &mesh->triangles[hinge->triangles[0]];
    const Triangle *second = &mesh->triangles[hinge->triangles[1]];
    double l1 = flat_hinge_side(first, hinge->k, hinge->l, hinge->i, 0.0, 1.0, &flat->along_i,
                                &flat->height_i);
    double l2 = flat_hinge_side(second, hinge->k, hinge->l, hinge->j, 0.0, 1.0, &flat->along_j,
                                &flat->height_j);
    flat->length = 0.5 * (l1 + l2);
    if (l1 <= VEC3_TINY || l2 <= VEC3_TINY) {
        return false;
    }
    flat->along_i *= flat->length / l1;
    flat->along_j *= flat->length / l2;
    return fmin(flat->height_i, flat->height_j) > THINNEST * flat->length;
}

/* A hinge stands for a third of each of its triangles. */
static double hinge_area(const Mesh *mesh, const Hinge *hinge) {
    return (mesh->triangles[hinge->triangles[0]].area + mesh->triangles[hinge->triangles[1]].area) /
           3.0;
}

/* Unit bisector of the two sides' normals; zero where the hinge is folded shut, or a side has no area.
 * Each side's area vector times the other's length: one division and three roots for all of it. */
static Vec3 bisector(const int *hinge, const Vec3 *x) {
    Vec3 i = x[hinge[0]], j = x[hinge[1]], k = x[hinge[2]], l = x[hinge[3]];
    j.x = hinge[0] == hinge[1] ? -j.x : j.x; /* across the mirror plane */
    Vec3 first = vec3_cross(vec3_sub(k, i), vec3_sub(l, i));
    Vec3 second = vec3_cross(vec3_sub(l, j), vec3_sub(k, j));
    double one = vec3_length(first), two = vec3_length(second);
    Vec3 sum = vec3_add(vec3_scale(two, first), vec3_scale(one, second));
    double length = vec3_length(sum);
    return length > SHUT * one * two ? vec3_scale(1.0 / length, sum) : vec3(0, 0, 0);
}

static Vec3 gap_vector(const double *alpha, const int *hinge, const Vec3 *x) {
    Vec3 sum = vec3_scale(alpha[0], x[hinge[0]]);
    for (int a = 1; a < 4; ++a) {
        sum = vec3_madd(sum, alpha[a], x[hinge[a]]);
    }
    sum.x = hinge[0] == hinge[1] ? 0.0 : sum.x; /* that of i and that of its image cancel */
    return sum;
}

static void set_rest_gap(BendingLaw *hinges, const Mesh *mesh, int at, const FlatHinge *flat) {
    const int *vertices = law_vertices(&hinges->law, at);
    Vec3 gap = gap_vector(law_weights(&hinges->law, 0, at), vertices, mesh->rest);
    double signed_gap = vec3_dot(gap, bisector(vertices, mesh->rest));
    if (fabs(signed_gap) > FLAT * fmin(flat->height_i, flat->height_j)) {
        hinges->rest_gap[at] = signed_gap;
        hinges->curved = true;
    }
}

/* The angle between warp and the direction in which a side bends about the edge, in parts of 45 degrees. */
static double bias_of(const Triangle *triangle, int k, int l) {
    const double *a = triangle_material(triangle, k), *b = triangle_material(triangle, l);
    return atan2(fabs(b[0] - a[0]), fabs(b[1] - a[1])) / (0.25 * M_PI);
}

static BendingLaw *take_law(int count, bool moments, Store *store) {
    BendingLaw *hinges = STORE_ARRAY(store, BendingLaw, 1);
    if (!hinges || !law_take(&hinges->law, &bending_kind, count, 4, 1, store)) {
        return NULL;
    }
    hinges->shape = STORE_ARRAY(store, double, count);
    hinges->rest_gap = STORE_ARRAY(store, double, count);
    if (moments) {
        hinges->strips = STORE_ARRAY(store, MomentCurve, MOMENT_STRIPS);
        hinges->reach = STORE_ARRAY(store, double, count);
        hinges->bias = STORE_ARRAY(store, double, count);
        hinges->area = STORE_ARRAY(store, double, count);
    }
    return store->failed ? NULL : hinges;
}

/* Returns the part of the sheet that the hinge stands for, m^2. */
static double add_hinge(BendingLaw *hinges, const Mesh *mesh, int h, const FlatHinge *flat) {
    Law *law = &hinges->law;
    const Hinge *hinge = &mesh->hinges[h];
    const int vertices[4] = {hinge->i, hinge->j, hinge->k, hinge->l};
    int at = law->count++, crosses = h >= mesh->crossing_from;
    law->crossing_from = crosses && at < law->crossing_from ? at : law->crossing_from;
    memcpy(law->vertices + 4 * at, vertices, sizeof vertices);
    double *alpha = law->weights[0] + 4 * at;
    flat_hinge_weights(flat, alpha);
    double own = (crosses ? 0.5 : 1.0) * hinge_area(mesh, hinge);
    hinges->shape[at] = own / flat_hinge_mean_square(flat, alpha);
    if (hinges->strips) {
        const Triangle *first = &mesh->triangles[hinge->triangles[0]];
        const Triangle *second = &mesh->triangles[hinge->triangles[1]];
        hinges->reach[at] = sqrt(flat_hinge_mean_square(flat, alpha));
        hinges->bias[at] =
            0.5 * (bias_of(first, hinge->k, hinge->l) + bias_of(second, hinge->k, hinge->l));
    }
    return own;
}

/* Triangles at the rim have fewer than three hinges: those that a component has stand for all of it. `shared` is what each
 * hinge stands for by itself, m^2. Returns false without memory. */
static bool share_areas(BendingLaw *hinges, const Mesh *mesh, const double *shared,
                        Store *scratch) {
    int *component = STORE_ARRAY(scratch, int, mesh->vertex_count);
    double *area = STORE_ARRAY(scratch, double, mesh->vertex_count); /* per component, m^2 */
    double *sum = STORE_ARRAY(scratch, double, mesh->vertex_count);
    if (scratch->failed) {
        return false;
    }
    components_find(mesh, component);
    for (int t = 0; t < mesh->triangle_count; ++t) {
        area[component[mesh->triangles[t].vertices[0]]] += mesh->triangles[t].area;
    }
    for (int h = 0; h < hinges->law.count; ++h) {
        sum[component[law_vertices(&hinges->law, h)[0]]] += shared[h];
    }
    for (int h = 0; h < hinges->law.count; ++h) {
        int own = component[law_vertices(&hinges->law, h)[0]];
        hinges->shape[h] *= area[own] / sum[own];
    }
    return true;
}

StatusCode bending_law_build(const Mesh *mesh, bool wanted, bool keep_folds, bool moments,
                             Store *store, Law **law, Status *status) {
    int most = wanted ? mesh->hinge_count : 0;
    BendingLaw *hinges = take_law(most, moments, store);
    if (!hinges) {
        return status_no_memory(status, bending_kind.name);
    }
    Store scratch = {0};
    double *shared = STORE_ARRAY(&scratch, double, most);
    for (int h = 0; h < most && shared; ++h) {
        FlatHinge flat;
        if (!lay_flat(mesh, &mesh->hinges[h], &flat)) {
            ++hinges->law.skipped;
            continue;
        }
        int at = hinges->law.count;
        shared[at] = add_hinge(hinges, mesh, h, &flat);
        if (keep_folds) {
            set_rest_gap(hinges, mesh, at, &flat);
        }
    }
    if (hinges->law.crossing_from > hinges->law.count) {
        hinges->law.crossing_from = hinges->law.count;
    }
    bool done = shared && share_areas(hinges, mesh, shared, &scratch);
    store_release(&scratch);
    *law = &hinges->law;
    return done ? STATUS_OK : status_no_memory(status, bending_kind.name);
}

/* What two strips make of one between them. */
static double mixed_moment(const BendingLaw *hinges, int h, double curvature, double *energy,
                           double *slope) {
    int from = hinges->bias[h] < STRIP_BIAS ? STRIP_WARP : STRIP_BIAS;
    double part = hinges->bias[h] - from, energies[2], slopes[2];
    double low = moment_at(&hinges->strips[from], curvature, &energies[0], &slopes[0]);
    double high = moment_at(&hinges->strips[from + 1], curvature, &energies[1], &slopes[1]);
    *energy = energies[0] + part * (energies[1] - energies[0]);
    *slope = slopes[0] + part * (slopes[1] - slopes[0]);
    return low + part * (high - low);
}

static double steepest(const BendingLaw *hinges, int h) {
    int from = hinges->bias[h] < STRIP_BIAS ? STRIP_WARP : STRIP_BIAS;
    double part = hinges->bias[h] - from;
    return (1 - part) * hinges->strips[from].steepest + part * hinges->strips[from + 1].steepest;
}

/* A hinge bends in its own direction, for which the mean of warp and weft has to do where it is not measured. */
static void set_material(Law *law, const Material *material, const Scales *scales) {
    const BendingLaw *hinges = bending_law(law);
    const BendNumbers numbers = moment_bound(material);
    double mean = 0.5 * numbers.bend * (1 + numbers.weft);
    if (hinges->strips) {
        moment_strips_of(material, hinges->strips);
    }
    for (int h = 0; h < law->count; ++h) {
        double scale = scale_mean(scales->bend, law_vertices(law, h), 4);
        law->bound[h] = (hinges->strips ? steepest(hinges, h) : mean) * scale * hinges->shape[h];
        if (hinges->strips) {
            double part = hinges->part ? hinges->part[h] : 1.0;
            hinges->area[h] = part * scale * hinges->shape[h] * hinges->reach[h] * hinges->reach[h];
        }
        if (hinges->part) {
            law->smooth[h] = law->bound[h];
            law->own[h] = law->bound[h] *= hinges->part[h];
        }
    }
    for (int s = 0; s < hinges->stand_in_count; ++s) {
        const StandIn *stand_in = &hinges->stand_ins[s];
        double scale = curvature_scale(scales, stand_in->vertex);
        law->bound[stand_in->hinge] += scale * numbers.bend *
                                       (stand_in->share[0] + numbers.weft * stand_in->share[1] +
                                        numbers.twist * stand_in->share[2]);
    }
    /* a step by half of a bound does not raise the energy either */
    for (int h = 0; hinges->part && h < law->count; ++h) {
        law->smooth[h] = fmax(law->smooth[h], 0.5 * law->bound[h]);
    }
}

static double own_stiffness(const Law *law, int h) { return law_bounds(law, STIFFNESS_OWN)[h]; }

/* The direction of R*. */
static Vec3 guessed_bisector(const int *vertices, const Guess *guess) {
    if (!guess->turning) {
        return bisector(vertices, guess->z);
    }
    Vec3 seen[GUESS_HISTORY];
    for (int m = 0; m <= guess->coefficient_count; ++m) {
        seen[m] = bisector(vertices, guess->history[m]);
    }
    return vec3_unit_or(guess_turned(guess, seen), seen[0]);
}

/* By moment curves: p is the rest gap less the present one. What it pulls with, over p; and the slope of that along p. */
static double secant_of(const BendingLaw *hinges, int h, Vec3 p, double *along, double *energy) {
    double reach = hinges->reach[h], length = vec3_length(p), slope, stored;
    double moment = mixed_moment(hinges, h, length / reach, &stored, &slope);
    double by = hinges->area[h] / (reach * reach);
    *energy = hinges->area[h] * stored;
    *along = by * slope;
    return length > VEC3_TINY * reach ? by * moment * reach / length : by * slope;
}

/* What a hinge pulls with, J in `energy`. */
static Vec3 pull_by(const Law *law, int h, Vec3 p, double *energy) {
    const BendingLaw *hinges = bending_law(law);
    double along;
    if (hinges->strips) {
        return vec3_scale(secant_of(hinges, h, p, &along, energy), p);
    }
    *energy = 0.5 * own_stiffness(law, h) * vec3_dot(p, p);
    return vec3_scale(own_stiffness(law, h), p);
}

static double evaluate(const Law *law, int h, const Guess *guess, Vec3 *tension) {
    const int *vertices = law_vertices(law, h);
    double rest_gap = bending_law(law)->rest_gap[h];
    Vec3 pull = vec3_scale(-1.0, gap_vector(law_weights(law, 0, h), vertices, guess->z));
    if (rest_gap != 0) {
        pull = vec3_madd(pull, rest_gap, guessed_bisector(vertices, guess));
    }
    double energy;
    *tension = pull_by(law, h, pull, &energy);
    return energy;
}

static double add_energy(const Law *law, int h, const Vec3 *x, double sum) {
    const int *vertices = law_vertices(law, h);
    double rest_gap = bending_law(law)->rest_gap[h];
    Vec3 gap = gap_vector(law_weights(law, 0, h), vertices, x);
    if (rest_gap != 0) {
        gap = vec3_madd(gap, -rest_gap, bisector(vertices, x));
    }
    double energy;
    pull_by(law, h, gap, &energy);
    return sum + energy;
}

/* The bisector's turning is left out. */
static void hessian_product(const Law *law, int h, const Vec3 *x, const Vec3 *d, Vec3 *tension) {
    const BendingLaw *hinges = bending_law(law);
    const int *vertices = law_vertices(law, h);
    Vec3 gap = gap_vector(law_weights(law, 0, h), vertices, d);
    if (!hinges->strips) {
        *tension = vec3_scale(-own_stiffness(law, h), gap);
        return;
    }
    Vec3 p = vec3_scale(-1.0, gap_vector(law_weights(law, 0, h), vertices, x));
    if (hinges->rest_gap[h] != 0) {
        p = vec3_madd(p, hinges->rest_gap[h], bisector(vertices, x));
    }
    double along, energy, secant = secant_of(hinges, h, p, &along, &energy);
    double square = vec3_dot(p, p), turn = (along - secant) * vec3_dot(p, gap);
    *tension = vec3_scale(-secant, gap);
    *tension = square > 0 ? vec3_madd(*tension, -turn / square, p) : *tension;
}

/* Flat hinges have linear forces. One across the mirror plane has two corners in one vertex. */
static LawPath path(const Law *law, int h) {
    const BendingLaw *hinges = bending_law(law);
    return hinges->part && !(hinges->part[h] > 0)      ? LAW_NO_PATH
           : h >= law->crossing_from || hinges->strips ? LAW_ONE_BY_ONE
           : hinges->rest_gap[h] != 0.0                ? LAW_WIDE
                                                       : LAW_MATRIX;
}

static void pack(const Law *law, int h, double *number) {
    const double *alpha = law_weights(law, 0, h);
    const double values[HINGE_NUMBERS] = {alpha[0], -alpha[3], own_stiffness(law, h),
                                          bending_law(law)->rest_gap[h]};
    memcpy(number, values, sizeof values);
}

static const LawWide wide = {
    .kernel = KERNEL_HINGES, .numbers = HINGE_NUMBERS, .stiffness = 0x4, .pack = pack};

const LawKind bending_kind = {.name = "hinges",
                              .set_material = set_material,
                              .evaluate = evaluate,
                              .add_energy = add_energy,
                              .hessian_product = hessian_product,
                              .path = path,
                              .wide = &wide};
