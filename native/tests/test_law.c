/* A law that this file alone defines, springs between vertices that are no edges, works everywhere: in forces and
 * second derivatives, in every solver, scheme and quality, mirrored and not, on any number of threads. And response
 * curves: energy, pull and slope belong together, and what the cloth is made of follows from them. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "cloth/cloth.h"
#include "halving.h"
#include "laws/response.h"
#include "rig.h"

#define ACROSS 8
#define ALONG 6
#define SPACING 0.06
#define COUNT ((ACROSS + 1) * (ALONG + 1))
#define STEP (1.0 / 48)
#define MOST 400

/* --- the law: nothing but what every kind must have ---------------------------------------------- */

/* A tie of rest length `rest` between the vertices that are at these places at rest. */
typedef struct Tie {
    Vec3 ends[2];
    double rest, stiffness;
} Tie;

typedef struct Ties {
    int count;
    Tie ties[4];
} Ties;

typedef struct TieLaw {
    Law law;
    double *rest, *stiffness;
} TieLaw;

static void tie_set_material(Law *law, const Material *material, const Scales *scales) {
    (void)material;
    (void)scales;
    for (int e = 0; e < law->count; ++e) {
        law->bound[e] = ((const TieLaw *)law)->stiffness[e];
    }
}

static double tie_evaluate(const Law *law, int e, const Guess *guess, Vec3 *tension) {
    const TieLaw *ties = (const TieLaw *)law;
    Vec3 s = law_measure(law, 0, e, guess->z);
    double length = vec3_length(s), excess = length - ties->rest[e];
    *tension = vec3_scale(length > 0 ? -ties->stiffness[e] * excess / length : 0.0, s);
    return 0.5 * ties->stiffness[e] * excess * excess;
}

static bool tie_hessian(const Law *law, int e, const Vec3 *x, double scale, LawHessian *hessian) {
    const TieLaw *ties = (const TieLaw *)law;
    Block block;
    *hessian = (LawHessian){0};
    if (!response_block(&response_linear, law_measure(law, 0, e, x), ties->rest[e], &block)) {
        return false;
    }
    block_add(&hessian->uu, scale * ties->stiffness[e], &block);
    return true;
}

static const LawKind tie_kind = {.name = "ties",
                                 .set_material = tie_set_material,
                                 .evaluate = tie_evaluate,
                                 .hessian = tie_hessian};

static int vertex_at(const Mesh *mesh, Vec3 place) {
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (vec3_distance(mesh->rest[v], place) < 1e-6) {
            return v;
        }
    }
    return -1;
}

/* Ties of which the mesh, perhaps one half, has both ends. */
static StatusCode tie_build(const Mesh *mesh, const void *context, Store *store, Law **law,
                            Status *status) {
    const Ties *wanted = context;
    TieLaw *ties = STORE_ARRAY(store, TieLaw, 1);
    if (!ties || !law_take(&ties->law, &tie_kind, wanted->count, 2, 1, store)) {
        return status_no_memory(status, tie_kind.name);
    }
    ties->rest = STORE_ARRAY(store, double, wanted->count);
    ties->stiffness = STORE_ARRAY(store, double, wanted->count);
    for (int t = 0; t < wanted->count; ++t) {
        const Tie *tie = &wanted->ties[t];
        int a = vertex_at(mesh, tie->ends[0]), b = vertex_at(mesh, tie->ends[1]);
        if (a < 0 || b < 0) {
            continue;
        }
        int e = ties->law.count++;
        ties->law.vertices[2 * e] = a;
        ties->law.vertices[2 * e + 1] = b;
        ties->law.weights[0][2 * e] = -1.0;
        ties->law.weights[0][2 * e + 1] = 1.0;
        ties->rest[e] = tie->rest;
        ties->stiffness[e] = tie->stiffness;
    }
    *law = &ties->law;
    return STATUS_OK;
}

/* --- the sheet ----------------------------------------------------------------------------------- */

static Vec3 place_of(const TestMesh *mesh, int v) {
    const float *p = mesh->polygons.positions + 3 * v;
    return vec3(p[0], p[1], p[2]);
}

/* On both sides: from the lower corner to the upper rim's quarter, pulled to four fifths of their distance. */
static void tie_sides(const TestMesh *mesh, double stiffness, Ties *ties, int ends[2][2]) {
    const int row = ALONG * (ACROSS + 1);
    const int pairs[2][2] = {{ACROSS, row + ACROSS - 1}, {0, row + 1}};
    *ties = (Ties){.count = 2};
    for (int t = 0; t < 2; ++t) {
        Vec3 a = place_of(mesh, pairs[t][0]), b = place_of(mesh, pairs[t][1]);
        ties->ties[t] = (Tie){{a, b}, 0.8 * vec3_distance(a, b), stiffness};
        memcpy(ends[t], pairs[t], sizeof pairs[t]);
    }
}

static ClothOptions options_with(const ExtraLaw *extra, const SolverOptions *solving,
                                 SolverKind solver, ModelKind model) {
    return (ClothOptions){
        .simulation = {.system = {.model = model,
                                  .keep_folds = true,
                                  .extra = extra,
                                  .extra_count = extra ? 1 : 0},
                       .mesh = {.uv_scale = 1},
                       .solver = solver,
                       .solving = *solving,
                       .substeps = 1,
                       .threads = 1,
                       .materials[0] = {.density = 0.2,
                                        .stretch_warp = 500,
                                        .stretch_weft = 500,
                                        .shear = 100,
                                        .bend = 1e-5,
                                        .bend_weft = 1,
                                        .bend_twist = 1,
                                        .rope_density = 0.01,
                                        .damping = 8,
                                        .pin_stiffness = 2000},
                       .gravity = {0, 0, -9.81}},
        .mirror = {.half.plane = {{0, 0, 0}, {1, 0, 0}}, .half.overlap = 0.03, .half.over = 1}};
}

/* Holds the sheet by its lower row for half a second, much damped: cloth that swings freely would show how far chance
 * takes it, not what the law does. Where its vertices end. */
static void hang(const TestMesh *mesh, const ClothOptions *options, float *positions) {
    Status status;
    status_clear(&status);
    int32_t pins[ACROSS + 1];
    for (int v = 0; v <= ACROSS; ++v) {
        pins[v] = v;
    }
    Cloth *cloth = cloth_create(&mesh->polygons, options, &status);
    CHECK(cloth != NULL);
    if (!cloth) {
        printf("%s\n", status.message);
        return;
    }
    CHECK_INT(cloth_set_pins(cloth, ACROSS + 1, pins, NULL, NULL, &status), STATUS_OK);
    for (int step = 0; step < 24; ++step) {
        CHECK_INT(cloth_step(cloth, STEP, &status), STATUS_OK);
    }
    cloth_get_state(cloth, positions, NULL);
    cloth_destroy(cloth);
}

/* Not inlined: gcc 12 fails to vectorise a largest distance of floats. */
__attribute__((noinline)) static Vec3 place_at(const float *positions, int v) {
    return vec3(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
}

static double distance(const float *positions, int a, int b) {
    return vec3_distance(place_at(positions, a), place_at(positions, b));
}

/* --- in every solver ------------------------------------------------------------------------------ */

typedef struct Method {
    const char *name;
    SolverKind solver;
    SolverOptions solving;
} Method;

static const Method methods[] = {
    {"plain",
     SOLVER_LINEAR,
     {.scheme = SCHEME_PLAIN, .estimate = ESTIMATE_TRANSLATION, .iterations = 40}},
    {"rotation",
     SOLVER_LINEAR,
     {.scheme = SCHEME_PLAIN, .estimate = ESTIMATE_ROTATION, .iterations = 40}},
    {"anderson", SOLVER_LINEAR, {.scheme = SCHEME_ANDERSON, .iterations = 20}},
    {"two levels", SOLVER_LINEAR, {.scheme = SCHEME_TWO_LEVEL, .iterations = 4}},
    {"draft", SOLVER_LINEAR, {.scheme = SCHEME_TWO_LEVEL, .quality = QUALITY_DRAFT}},
    {"fit", SOLVER_LINEAR, {.scheme = SCHEME_TWO_LEVEL, .quality = QUALITY_FIT}},
    {"final", SOLVER_LINEAR, {.scheme = SCHEME_TWO_LEVEL, .quality = QUALITY_FINAL}},
    {"implicit", SOLVER_IMPLICIT, {.iterations = 8}},
    {"sweeps", SOLVER_SWEEP, {.sweep_method = SWEEP_KIM, .sweeps = 400}},
    {"choi and ko", SOLVER_SWEEP, {.sweep_method = SWEEP_CHOI_KO}},
};

static SolverOptions solving_of(const Method *method) {
    SolverOptions solving = method->solving;
    solving.coefficient_count = method->solving.estimate == ESTIMATE_ROTATION ? 1 : 2;
    solving.coefficients[0] = solving.coefficient_count == 1 ? 1 : 2;
    solving.coefficients[1] = solving.coefficient_count == 1 ? 0 : -1;
    solving.iterations = solving.iterations > 0 ? solving.iterations : 1;
    solving.pcg_tolerance = 1e-4;
    solving.pcg_limit = 2000;
    return solving;
}

/* The ties draw their ends together as far in every method, mirrored or not, on one thread or two. */
static void check_method(const Method *method, ModelKind model) {
    TestMesh *mesh = symmetric_sheet(ACROSS, ALONG, SPACING);
    SolverOptions solving = solving_of(method);
    Ties ties;
    int ends[2][2];
    float without[3 * COUNT], with[3 * COUNT], other[3 * COUNT];
    tie_sides(mesh, 400, &ties, ends);
    const ExtraLaw extra = {tie_build, &ties};
    ClothOptions options = options_with(NULL, &solving, method->solver, model);
    hang(mesh, &options, without);
    options = options_with(&extra, &solving, method->solver, model);
    hang(mesh, &options, with);
    for (int t = 0; t < 2; ++t) {
        double rest = ties.ties[t].rest;
        CHECK(distance(without, ends[t][0], ends[t][1]) > 1.1 * rest);
        CHECK_NEAR(distance(with, ends[t][0], ends[t][1]), rest, 0.05 * rest);
    }
    options.simulation.threads = 2;
    hang(mesh, &options, other);
    CHECK_INT(memcmp(with, other, sizeof with), 0);
    options.mirror.choice = MIRROR_EXACT;
    hang(mesh, &options, other);
    double apart = 0; /* m */
    for (int v = 0; v < COUNT; ++v) {
        apart = fmax(apart, vec3_distance(place_at(with, v), place_at(other, v)));
    }
    printf("%-12s %s: ties %.3f of their rest length, half and whole %.1e m apart\n", method->name,
           model == MODEL_EDGE ? "edges    " : "triangles",
           distance(with, ends[0][0], ends[0][1]) / ties.ties[0].rest, apart);
    for (int t = 0; t < 2; ++t) { /* the other side's tie is the half's mirror image */
        CHECK_NEAR(distance(other, ends[t][0], ends[t][1]), ties.ties[t].rest,
                   0.05 * ties.ties[t].rest);
    }
    /* two levels leave what little there is to gain, and the half has other coarse functions than the whole */
    if (method->solving.scheme != SCHEME_TWO_LEVEL) {
        CHECK_BELOW(apart, 2e-3);
    }
    mesh_free(mesh);
}

/* --- forces and second derivatives ----------------------------------------------------------------- */

/* Of the law alone, at places that neither stretch nor compress it by chance. */
static void check_derivatives(void) {
    TestMesh *mesh = symmetric_sheet(ACROSS, ALONG, SPACING);
    Ties ties;
    int ends[2][2];
    tie_sides(mesh, 300, &ties, ends);
    const ExtraLaw extra = {tie_build, &ties};
    SystemOptions options = {.model = MODEL_TRIANGLE, .extra = &extra, .extra_count = 1};
    Material material = rig_material();
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    Vec3 x[MOST], d[MOST];
    rig_state(&rig, 1.1, 0.01, x);
    for (int v = 0; v < rig.system.vertex_count; ++v) {
        d[v] = random_vector(1);
    }
    const Law *law = laws_find(&rig.system.laws, &tie_kind);
    CHECK_INT(law->count, 2);
    /* parcels and rows: the same forces */
    double by_rows = system_local_step(&rig.system, &(Guess){.z = x, .present = x});
    Vec3 force[MOST];
    for (int v = 0; v < rig.system.vertex_count; ++v) {
        force[v] = system_force(&rig.system, v);
    }
    CHECK_NEAR(system_evaluate(&rig.system, x, x), by_rows, 1e-9 * by_rows);
    CHECK_NEAR(system_elastic_energy(&rig.system, x), by_rows, 1e-9 * by_rows);
    for (int v = 0; v < rig.system.vertex_count; ++v) {
        CHECK_BELOW(vec3_distance(system_force(&rig.system, v), force[v]), 1e-7);
    }
    /* the change of the law's tension along d is what law_hessian_product() says */
    const double step = 1e-6;
    Vec3 above[MOST], below[MOST];
    for (int v = 0; v < rig.system.vertex_count; ++v) {
        above[v] = vec3_madd(x[v], step, d[v]);
        below[v] = vec3_madd(x[v], -step, d[v]);
    }
    rig_stiffen(&rig.system, x, d);
    for (int e = 0; e < law->count; ++e) {
        Vec3 one, two;
        tie_evaluate(law, e, &(Guess){.z = above}, &one);
        tie_evaluate(law, e, &(Guess){.z = below}, &two);
        Vec3 slope = vec3_scale(0.5 / step, vec3_sub(one, two));
        CHECK_BELOW(vec3_distance(slope, law->tension[e]), 1e-4 * vec3_length(slope));
    }
    rig_close(&rig);
    mesh_free(mesh);
}

/* --- what does not fit ----------------------------------------------------------------------------- */

static StatusCode no_build(const Mesh *mesh, const void *context, Store *store, Law **law,
                           Status *status) {
    (void)mesh, (void)context, (void)store, (void)law, (void)status;
    return STATUS_OK;
}

/* A law of one element with so many rows. */
static StatusCode wide_build(const Mesh *mesh, const void *context, Store *store, Law **law,
                             Status *status) {
    Ties one = {0};
    StatusCode code = tie_build(mesh, &one, store, law, status);
    if (code == STATUS_OK) {
        (*law)->rows = *(const int *)context;
    }
    return code;
}

static void refuse_laws(const ExtraLaw *extra, int count, const char *words) {
    TestMesh *mesh = symmetric_sheet(ACROSS, ALONG, SPACING);
    const SolverOptions solving = methods[0].solving;
    ClothOptions options = options_with(extra, &solving, SOLVER_LINEAR, MODEL_TRIANGLE);
    options.simulation.system.extra_count = count;
    Status status = {0};
    CHECK(cloth_create(&mesh->polygons, &options, &status) == NULL);
    CHECK_INT(status.code, STATUS_ERROR_ARGUMENT);
    CHECK(strstr(status.message, words) != NULL);
    mesh_free(mesh);
}

/* Laws from elsewhere that are none, have more rows than there is room for, or are too many, are reported. */
static void check_refusals(void) {
    static const int rows = LAW_HESSIAN_ROWS + 1;
    static const Ties none;
    ExtraLaw many[LAWS_MOST];
    for (int l = 0; l < LAWS_MOST; ++l) {
        many[l] = (ExtraLaw){tie_build, &none};
    }
    refuse_laws(&(const ExtraLaw){no_build, NULL}, 1, "was not built");
    refuse_laws(&(const ExtraLaw){wide_build, &rows}, 1, "has 3 rows");
    refuse_laws(many, LAWS_MOST, "at most");
}

/* --- response curves --------------------------------------------------------------------------- */

static void check_response(const Response *response, double from, double to) {
    const double rest = 0.3, stiffness = 7, step = 1e-6;
    for (int round = 0; round < 200; ++round) {
        double length = rest * random_between(from, to), slope, sideways;
        double pull = stiffness *
                      (length - segment_target(response_at(response, length, rest), length, rest));
        double up = response_energy(response, stiffness, length + step, rest);
        double down = response_energy(response, stiffness, length - step, rest);
        CHECK_NEAR((up - down) / (2 * step), pull, 1e-5 * stiffness);
        if (response_curve(response, length, rest, &slope, &sideways)) {
            CHECK(slope <= response->bound);
            CHECK_NEAR(sideways, fmax(0, pull / stiffness / length), 1e-9);
        } else {
            CHECK_NEAR(pull, 0, 1e-12);
        }
    }
}

/* Springs and triangles of such cloth, as laws from elsewhere: their force is minus the slope of their energy, which
 * both ways to it agree on. */
static StatusCode build_edges(const Mesh *mesh, const void *context, Store *store, Law **law,
                              Status *status) {
    return edge_law_build(mesh, EDGES_ALL, NULL, context, STRAIN_AUTO, store, law, status);
}

static StatusCode build_triangles(const Mesh *mesh, const void *context, Store *store, Law **law,
                                  Status *status) {
    return triangle_law_build(mesh, true, context, SHEAR_AXES_ESTIMATED, SHEAR_ENERGY_DIAGONAL,
                              store, law, status);
}

static void check_law_of(const Response *response, const Material *material) {
    const ExtraLaw extra[] = {{build_edges, response}, {build_triangles, response}};
    TestMesh *mesh = symmetric_sheet(ACROSS, ALONG, SPACING);
    SystemOptions options = {.model = MODEL_EDGE, .extra = extra, .extra_count = 2};
    Rig rig;
    rig_open(&rig, mesh, &options, material);
    Vec3 x[MOST];
    rig_state(&rig, 1.02, 0.003, x);
    double energy = system_evaluate(&rig.system, x, x);
    CHECK_NEAR(system_elastic_energy(&rig.system, x), energy, 1e-9 * energy);
    for (int round = 0; round < 20; ++round) {
        int v = random_below(rig.system.vertex_count);
        double kept = x[v].x, step = 1e-7;
        system_evaluate(&rig.system, x, x);
        double force = system_force(&rig.system, v).x;
        x[v].x = kept + step;
        double up = system_evaluate(&rig.system, x, x);
        x[v].x = kept - step;
        double down = system_evaluate(&rig.system, x, x);
        x[v].x = kept;
        CHECK_NEAR(-(up - down) / (2 * step), force, 1e-3 * (1 + fabs(force)));
    }
    rig_close(&rig);
    mesh_free(mesh);
}

static void check_law(const Response *response) {
    Material material = rig_material();
    check_law_of(response, &material);
}

/* Limp cloth gives way when it is slightly compressed: its pull is the slope of its energy, falls nowhere and is never
 * more than that of linear cloth, whose it is again, but for a constant, beyond TRIANGLE_GIVE. */
static void check_limp(void) {
    const double slope = 0.1, step = 1e-7;
    double before = -1;
    for (double length = 0.95; length < 1.02; length += 1.7e-5) {
        ResponseSegment at = triangle_limp(slope, length);
        ResponseSegment up = triangle_limp(slope, length + step);
        ResponseSegment down = triangle_limp(slope, length - step);
        double pull = length - segment_target(&at, length, 1.0);
        double risen = segment_energy(&up, 1.0, length + step, 1.0) -
                       segment_energy(&down, 1.0, length - step, 1.0);
        CHECK_NEAR(risen / (2 * step), pull, 1e-7);
        CHECK(pull >= before && fabs(pull) <= fabs(length - 1.0) + 1e-15);
        CHECK(segment_energy(&at, 1.0, length, 1.0) <= 0.5 * (length - 1) * (length - 1) + 1e-15);
        before = pull;
    }
    ResponseSegment slight = triangle_limp(slope, 0.99), deep = triangle_limp(slope, 0.97);
    CHECK_NEAR(0.99 - segment_target(&slight, 0.99, 1.0), -0.1 * 0.01, 1e-15);
    CHECK_NEAR(0.97 - segment_target(&deep, 0.97, 1.0), -0.1 * 0.015 - 0.015, 1e-15);
    Material material = rig_material();
    material.bend = 1e-5;
    material.density = 1e-6; /* long bending lengths, in which these cells are small */
    check_law_of(&response_linear, &material);
}

/* Which cells give way: those of limp cloth, neither stiff nor coarse. */
static double give_of(double bend, double stretch, double spacing) {
    TestMesh *mesh = symmetric_sheet(ACROSS, ALONG, spacing);
    Material material = rig_material();
    material.density = 0.07;
    material.bend = bend;
    material.stretch_warp = material.stretch_weft = stretch;
    material.shear = 12.5;
    Rig rig;
    rig_open(&rig, mesh, &(SystemOptions){.model = MODEL_TRIANGLE}, &material);
    double give = rig_triangles(&rig.system)->give[AXIS_WARP];
    CHECK_NEAR(rig_triangles(&rig.system)->give[AXIS_SUM], 1.0, 0); /* soft as it is */
    rig_close(&rig);
    mesh_free(mesh);
    return give;
}

static void check_give(void) {
    CHECK_BELOW(give_of(1e-6, 3000, 0.008), 0.1);    /* silk */
    CHECK_NEAR(give_of(8e-5, 3000, 0.008), 1.0, 0);  /* as stiff as denim */
    CHECK_NEAR(give_of(1e-6, 3000, 0.04), 1.0, 0);   /* cells larger than its folds */
    CHECK_NEAR(give_of(0, 3000, 0.008), 1.0, 0);     /* nothing to compare with */
    CHECK_NEAR(give_of(1e-6, 1.1e5, 0.008), 1.0, 0); /* no fabric */
}

static double energy_without_offset(const ResponseSegment *segment, double length) {
    return 0.5 * segment->slope * (length - segment->origin) * (length - segment->origin);
}

/* Lines that go on in each other, through zero at rest. */
static void join_pulls(Response *response) {
    ResponseSegment *segment = response->segment;
    double pull[RESPONSE_SEGMENTS] = {0}; /* where each begins, over that where the first does */
    for (int at = 1; at < response->count; ++at) {
        pull[at] = pull[at - 1] + segment[at - 1].slope * (segment[at].from - segment[at - 1].from);
    }
    const ResponseSegment *home = response_at(response, 1.0, 1.0);
    double rest = pull[home - segment] + home->slope * (1.0 - home->from);
    for (int at = 0; at < response->count; ++at) {
        segment[at].origin =
            segment[at].slope > 0 ? segment[at].from - (pull[at] - rest) / segment[at].slope : 1.0;
    }
    response->segment[home - segment].origin = 1.0; /* and not nearly */
}

/* No jump of the energy from one segment to the next, and none at all at rest. */
static void join_energies(Response *response) {
    ResponseSegment *segment = response->segment;
    int home = (int)(response_at(response, 1.0, 1.0) - segment);
    for (int at = home + 1; at < response->count; ++at) {
        segment[at].offset = segment[at - 1].offset +
                             energy_without_offset(&segment[at - 1], segment[at].from) -
                             energy_without_offset(&segment[at], segment[at].from);
    }
    for (int at = home; at-- > 0;) {
        segment[at].offset = segment[at + 1].offset +
                             energy_without_offset(&segment[at + 1], segment[at + 1].from) -
                             energy_without_offset(&segment[at], segment[at + 1].from);
    }
}

/* A curve through p = 0 at rest: slopes[i] from lengths[i] on, in rest lengths, ascending; the first one holds below
 * lengths[0], too. Slopes are above 0, but the first may be 0 (slack) if the second begins at 1. False where that is
 * not so. */
static bool response_make(Response *response, int count, const double *lengths,
                          const double *slopes) {
    if (count < 1 || count > RESPONSE_SEGMENTS) {
        return false;
    }
    bool slack = slopes[0] == 0.0;
    if (!(slopes[0] >= 0) || (slack && (count < 2 || lengths[1] != 1.0))) {
        return false;
    }
    *response = (Response){.count = count, .square = true};
    for (int at = 0; at < count; ++at) {
        if (at > 0 && !(lengths[at] > lengths[at - 1] && slopes[at] > 0)) {
            return false;
        }
        response->segment[at] = (ResponseSegment){.from = lengths[at], .slope = slopes[at]};
        response->square = response->square && (slopes[at] == 1.0 || slopes[at] == 0.0);
        response->bound = slopes[at] > response->bound ? slopes[at] : response->bound;
    }
    join_pulls(response);
    join_energies(response);
    return true;
}

/* A cloth that gets ten times as stiff when it is stretched by a twentieth. */
static void check_limited(void) {
    const double lengths[] = {0, 1, 1.05}, slopes[] = {0.2, 1, 10};
    Response limited, buckling, refused;
    CHECK(response_make(&limited, 3, lengths, slopes));
    CHECK_NEAR(limited.bound, 10, 0);
    check_response(&limited, 0.5, 1.3);
    check_law(&limited);
    /* two slopes below rest, and none that begins there */
    CHECK(response_make(&buckling, 3, (const double[]){0.5, 0.8, 1.2},
                        (const double[]){0.2, 0.5, 2}));
    check_response(&buckling, 0.3, 1.6);
    CHECK_NEAR(segment_target(response_at(&buckling, 1.0, 1.0), 1.0, 1.0), 1.0, 1e-15);
    CHECK_NEAR(segment_target(response_at(&limited, 1.0, 1.0), 1.0, 1.0), 1.0, 1e-15);
    CHECK_NEAR(1.06 - segment_target(response_at(&limited, 1.06, 1.0), 1.06, 1.0), 0.05 + 10 * 0.01,
               1e-12);
    CHECK(!response_make(&refused, 0, lengths, slopes));
    CHECK(!response_make(&refused, RESPONSE_SEGMENTS + 1, lengths, slopes));
    CHECK(!response_make(&refused, 2, (const double[]){1, 1}, slopes)); /* not ascending */
    CHECK(!response_make(&refused, 2, lengths, (const double[]){1, -1}));
    CHECK(!response_make(&refused, 2, (const double[]){0, 1.2}, (const double[]){0, 1}));
}

int main(void) {
    random_start(7);
    check_response(&response_linear, 0.2, 2);
    check_response(&response_tension_only, 0.2, 2);
    check_limited();
    check_limp();
    check_give();
    check_derivatives();
    check_refusals();
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        check_method(&methods[m], MODEL_TRIANGLE);
        if (m % 2) {
            check_method(&methods[m], MODEL_EDGE);
        }
    }
    return check_result();
}
