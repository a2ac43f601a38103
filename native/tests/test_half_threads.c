/* Half of a woven mesh against the whole that it stands for: its threads and what is no grid, forces and their differences,
 * the product along threads, and motion with ropes across the plane, a body, and cloth on cloth; the same bytes for any
 * number of CPU threads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "given.h"
#include "halving.h"
#include "rig.h"
#include "simulation/simulation.h"
#include "solver/research/strands.h"

#define MOST 4000
#define STEP 1e-6 /* m, of differences */

/* --- meshes that are their own images in x = 0 ---------------------------------------------------- */

/* A sheet with ropes: in the plane; across it, through a vertex there, tied to the sheet; and three that meet in one. */
static TestMesh *sheet_with_ropes(int nx, int ny) {
    TestMesh *mesh = symmetric_sheet(nx, ny, 0.07);
    int at[3], middle = nx / 2;
    for (int k = 0; k < 3; ++k) { /* down from the middle of the lower rim */
        at[k] = mesh_add_vertex(mesh, 0, -0.05 * (k + 1), 0.01 * k * k);
        mesh_add_edge(mesh, k == 0 ? middle : at[k - 1], at[k]);
    }
    for (int k = 0; k < 3; ++k) {
        at[k] = mesh_add_vertex(mesh, 0.08 * (k - 1), -0.2, k == 1 ? 0.03 : 0.1);
    }
    const int ends[] = {middle - 2, at[0], at[0], at[1], at[1], at[2], at[2], middle + 2};
    for (int k = 0; k < 4; ++k) {
        mesh_add_edge(mesh, ends[2 * k], ends[2 * k + 1]);
    }
    int knot = mesh_add_vertex(mesh, 0, 0.1, 0.4);
    for (int k = -1; k <= 1; ++k) {
        mesh_add_edge(mesh, knot, mesh_add_vertex(mesh, 0.06 * k, 0.15, 0.43 + 0.02 * k * k));
    }
    return mesh;
}

/* A sheet with a window across the plane, or with a slot down to it from its rim. */
static TestMesh *open_sheet(bool slot) {
    enum { NX = 8, NY = 7 };
    TestMesh *all = symmetric_sheet(NX, NY, 0.07), *mesh = mesh_new();
    for (int v = 0; v < all->polygons.vertex_count; ++v) {
        const float *p = all->positions + 3 * v;
        mesh_add_vertex(mesh, p[0], p[1], p[2]);
    }
    for (int f = 0; f < NX * NY; ++f) {
        int i = f % NX, j = f / NX;
        if (i < 3 || i > 4 || j < 3 || (!slot && j > 4)) {
            mesh_add_face(mesh, 4, all->face_vertices + (size_t)4 * (size_t)f);
        }
    }
    mesh_free(all);
    return mesh;
}

static TestMesh *small_sheet(void) { return sheet_with_ropes(6, 4); }
static TestMesh *large_sheet(void) { return sheet_with_ropes(60, 50); } /* more than one tile */
static TestMesh *windowed(void) { return open_sheet(false); }
static TestMesh *slotted(void) { return open_sheet(true); }
static TestMesh *tube(void) { return mesh_tube(12, 5, 0); }       /* closed across the plane */
static TestMesh *narrow_tube(void) { return mesh_tube(4, 9, 0); } /* one vertex between both */
static TestMesh *standing_tube(void) { return mesh_tube(80, 6, 0); }
static TestMesh *(*const makers[])(void) = {small_sheet, large_sheet, windowed,     slotted,
                                            tube,        narrow_tube, standing_tube};
enum { MAKERS = sizeof makers / sizeof *makers };

typedef struct Sides {
    Rig whole, half;
    int number[MOST], plane_from;
} Sides;

/* Takes the mesh. */
static void open_sides(Sides *sides, TestMesh *mesh, bool keep_folds) {
    Material material = rig_material();
    material.area_stiffness = 30;
    material.rope_bend = 1e-3;
    SystemOptions options = {.model = MODEL_WOVEN, .keep_folds = keep_folds};
    TestMesh *half = mesh_half(mesh, sides->number, &sides->plane_from);
    rig_open(&sides->whole, mesh, &options, &material);
    rig_open_half(&sides->half, half, sides->plane_from, &options, &material);
    mesh_free(mesh);
    mesh_free(half);
}

static void close_sides(Sides *sides) {
    rig_close(&sides->whole);
    rig_close(&sides->half);
}

/* A state that is its own image: of a vertex's place, whatever its number. */
static Vec3 posed(Vec3 p) {
    return vec3(p.x * (1.03 + 0.2 * sin(5 * p.y)), 0.97 * p.y + 0.1 * sin(7 * p.x * p.x),
                p.z + 0.05 * cos(6 * p.x) * sin(4 * p.y));
}

static void pose(const Rig *rig, Vec3 *x) {
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        x[v] = posed(rig->mesh.rest[v]);
    }
}

/* The largest distance between what the half has for its vertices and what the whole has; of those in the plane the whole
 * has twice as much, and along x the plane holds them. */
static double apart(const Sides *sides, const Vec3 *whole, const Vec3 *half, double *largest) {
    double worst = 0;
    *largest = 0;
    for (int v = 0; v < sides->whole.mesh.vertex_count; ++v) {
        int at = sides->number[v];
        if (at < 0) {
            continue;
        }
        bool in_plane = at >= sides->plane_from;
        Vec3 wanted = in_plane ? vec3(half[at].x, 0.5 * whole[v].y, 0.5 * whole[v].z) : whole[v];
        worst = fmax(worst, vec3_distance(half[at], wanted));
        *largest = fmax(*largest, vec3_length(wanted));
    }
    return worst;
}

/* --- forces ----------------------------------------------------------------------------------------- */

static void forces_at(System *system, const Vec3 *x, Vec3 *force) {
    system_conventional_step(system, x);
    for (int v = 0; v < system->vertex_count; ++v) {
        force[v] = system_force(system, v);
    }
}

/* Minus the derivative of the half's energy by every coordinate that is free is the force. */
static void check_differences(Rig *half, int plane_from, Vec3 *x, const Vec3 *force) {
    for (int c = 0; c < 3 * half->mesh.vertex_count; ++c) {
        double *at = (double *)x + c, before = *at;
        if (c / 3 >= plane_from && c % 3 == 0) {
            continue;
        }
        *at = before + STEP;
        double more = system_elastic_energy(&half->system, x);
        *at = before - STEP;
        double less = system_elastic_energy(&half->system, x);
        *at = before;
        CHECK_NEAR(-(more - less) / (2 * STEP), vec3_along(force[c / 3], c % 3), 2e-5);
    }
}

static void check_forces(TestMesh *mesh, bool keep_folds) {
    static Sides sides;
    static Vec3 x[MOST], own[MOST], force[MOST];
    double largest;
    open_sides(&sides, mesh, keep_folds);
    System *whole = &sides.whole.system, *half = &sides.half.system;
    pose(&sides.half, x);
    double energy = system_elastic_energy(half, x);
    forces_at(half, x, own);
    CHECK_NEAR(system_evaluate(half, x, x), energy, 1e-10 * energy); /* by parcels */
    for (int v = 0; v < half->vertex_count; ++v) {
        CHECK_BELOW(vec3_distance(system_force(half, v), own[v]), 1e-9);
    }
    if (half->vertex_count < 200) {
        check_differences(&sides.half, sides.plane_from, x, own);
    }
    pose(&sides.whole, x);
    CHECK_NEAR(system_elastic_energy(whole, x), 2 * energy, 1e-9 * energy);
    forces_at(whole, x, force);
    double off = apart(&sides, force, own, &largest);
    CHECK_BELOW(off, 1e-9 * largest);
    close_sides(&sides);
}

/* --- the product ------------------------------------------------------------------------------------ */

static Vec3 *product_of(Rig *rig, const Vec3 *x, const double *own, const Vec3 *v,
                        Strands *strands) {
    Vec3 *product = STORE_ARRAY(&rig->store, Vec3, rig->mesh.vertex_count);
    *strands = (Strands){0};
    CHECK_INT(strands_build(strands, &rig->system, &rig->weave, &rig->store, &rig->status),
              STATUS_OK);
    strands_refresh(strands, rig->pool, 0.01, x);
    strands_multiply(strands, rig->pool, own, v, product);
    return product;
}

/* A motion that is its own image, and masses likewise, times that of the whole; the half's is the half of both sides. */
static void check_product(TestMesh *mesh, bool keep_folds) {
    static Sides sides;
    static Vec3 x[MOST], moved[MOST], all[MOST], columns[MOST];
    static double own[MOST], owns[MOST];
    double largest;
    Strands strands;
    open_sides(&sides, mesh, keep_folds);
    int count = sides.half.mesh.vertex_count;
    for (int v = 0; v < count; ++v) {
        moved[v] = random_vector(1);
        moved[v].x = v < sides.plane_from ? moved[v].x : 0;
        own[v] = random_between(0.1, 1.0);
    }
    for (int v = 0; v < sides.whole.mesh.vertex_count; ++v) {
        Vec3 at = sides.whole.mesh.rest[v];
        int image = 0; /* of a vertex that the half has not: the nearest to where it is seen */
        for (int h = 0; h < count && sides.number[v] < 0; ++h) {
            Vec3 seen = vec3(-at.x, at.y, at.z);
            image = vec3_distance(sides.half.mesh.rest[h], seen) <
                            vec3_distance(sides.half.mesh.rest[image], seen)
                        ? h
                        : image;
        }
        int h = sides.number[v] < 0 ? image : sides.number[v];
        all[v] = sides.number[v] < 0 ? vec3(-moved[h].x, moved[h].y, moved[h].z) : moved[h];
        owns[v] = h >= sides.plane_from ? 2 * own[h] : own[h];
    }
    pose(&sides.whole, x);
    Vec3 *whole = product_of(&sides.whole, x, owns, all, &strands);
    pose(&sides.half, x);
    Vec3 *half = product_of(&sides.half, x, own, moved, &strands);
    double off = apart(&sides, whole, half, &largest);
    CHECK_BELOW(off, 1e-11 * largest);
    for (int h = 0; h < count && count < 200; ++h) { /* unit vectors find the diagonal */
        for (int c = 0; c < 3; ++c) {
            memset(columns, 0, (size_t)count * sizeof *columns);
            ((double *)&columns[h])[c] = 1;
            rig_stiffen(&sides.half.system, x, columns);
            Vec3 column = vec3_scale(-0.01, system_force(&sides.half.system, h));
            for (int r = 0; r < 3; ++r) {
                CHECK_NEAR(strands.diagonal[h].m[3 * r + c], vec3_along(column, r),
                           1e-11 * (1 + vec3_length(column)));
            }
        }
    }
    close_sides(&sides);
}

/* --- threads ---------------------------------------------------------------------------------------- */

/* How many ends of threads of a kind go on beyond the plane. */
static int crossings(const Weave *weave, ThreadKind kind) {
    int count = 0;
    for (int t = 0; t < weave->thread_count; ++t) {
        const Thread *thread = &weave->threads[t];
        count += thread->kind == kind ? thread->crosses[0] + thread->crosses[1] : 0;
    }
    return count;
}

static void check_threads(void) {
    static Sides sides;
    open_sides(&sides, small_sheet(), true);
    int across =
        crossings(&sides.half.weave, THREAD_WARP) + crossings(&sides.half.weave, THREAD_WEFT);
    CHECK_INT(across, 5); /* the rows of the sheet */
    CHECK_INT(crossings(&sides.half.weave, THREAD_ROPE), 1);
    CHECK_INT(crossings(&sides.whole.weave, THREAD_WEFT), 0);
    close_sides(&sides);
    open_sides(&sides, tube(), true);
    across = crossings(&sides.half.weave, THREAD_WARP) + crossings(&sides.half.weave, THREAD_WEFT);
    CHECK_INT(across, 10); /* both ends of each half ring */
    close_sides(&sides);
}

/* What is refused of the whole is refused of the half, with the whole's numbers of faces. */
static void check_no_grid(void) {
    TestMesh *mesh = mesh_new();
    int rim[7];
    for (int k = 0; k < 7; ++k) { /* three quads of six around a vertex of the plane */
        double angle = M_PI * k / 6 - M_PI / 2, reach = k % 2 ? 1.2 : 1;
        rim[k] = k == 0 || k == 6 ? -1 : mesh_add_vertex(mesh, reach * cos(angle), sin(angle), 0);
    }
    int plane_from = mesh->polygons.vertex_count, middle = mesh_add_vertex(mesh, 0, 0, 0);
    rim[0] = mesh_add_vertex(mesh, 0, -1, 0);
    rim[6] = mesh_add_vertex(mesh, 0, 1, 0);
    for (int k = 0; k < 6; k += 2) {
        mesh_add_face(mesh, 4, (const int[]){middle, rim[k], rim[k + 1], rim[k + 2]});
    }
    Rig rig = {0};
    CHECK_INT(mesh_build(&mesh->polygons, plane_from, &(MeshOptions){.pattern = PATTERN_MESH},
                         &rig.store, &rig.mesh, &rig.status),
              STATUS_OK);
    CHECK_INT(weave_build(&mesh->polygons, &rig.mesh, &rig.store, &rig.weave, &rig.status),
              STATUS_ERROR_MESH);
    CHECK(strstr(rig.status.message, "has 6 faces around it, not 4") != NULL);
    CHECK_INT(rig.status.details[0].elements[0], middle);
    store_release(&rig.store);
    mesh_free(mesh);
}

/* --- motion ------------------------------------------------------------------------------------------ */

typedef enum Scene { PINNED, ON_BODY, ON_ITSELF } Scene;

static SimulationOptions options_of(int threads) {
    SimulationOptions options = plain_options();
    options.integrator = INTEGRATOR_EULER;
    options.solver = SOLVER_THREADS;
    options.system = (SystemOptions){.model = MODEL_WOVEN, .keep_folds = true};
    options.solving = (SolverOptions){.iterations = 60, .pcg_tolerance = 1e-10, .pcg_limit = 20000};
    options.gravity = vec3(0, 0, -9.81);
    options.wind = (Wind){.velocity = {0, 2, 1}, .normal_drag = 0.4, .tangent_drag = 0.04};
    options.threads = threads;
    options.materials[0].bend = 1e-3;
    options.materials[0].rope_stretch = 300;
    options.materials[0].rope_bend = 1e-3;
    options.materials[0].area_stiffness = 40;
    options.materials[0].damping = 1;
    return options;
}

/* A strip across the plane that lies above a block, or is folded over above its own other end. */
static TestMesh *falling_cloth(Scene scene) {
    if (scene == PINNED) {
        return sheet_with_ropes(8, 6);
    }
    TestMesh *mesh = mesh_new();
    enum { NX = 8, NY = 12 };
    for (int j = 0; j <= NY; ++j) {
        for (int i = 0; i <= NX; ++i) {
            double along = 0.03 * j, x = 0.03 * (i - 0.5 * NX), y = along, z = 0.1 * x * x;
            if (scene == ON_ITSELF && j > NY / 2) { /* back over itself, rising */
                double back = 0.03 * (j - NY / 2);
                y = 0.03 * (NY / 2) - 0.94 * back;
                z += 0.34 * back;
            }
            mesh_add_vertex(mesh, x, y, z);
        }
    }
    for (int f = 0; f < NX * NY; ++f) {
        int a = f / NX * (NX + 1) + f % NX;
        mesh_add_face(mesh, 4, (const int[]){a, a + 1, a + NX + 2, a + NX + 1});
    }
    return mesh;
}

static void add_block(Simulation *simulation) {
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    TestMesh *body = mesh_new();
    for (int i = 0; i < 8; ++i) {
        mesh_add_vertex(body, i & 1 ? 0.07 : -0.07, i & 2 ? 0.25 : 0.1, i & 4 ? -0.012 : -0.2);
    }
    for (int f = 0; f < 6; ++f) {
        mesh_add_face(body, 4, faces[f]);
    }
    Status status;
    const BodySurface surface = {.thickness = 0.004, .friction = 0.3};
    CHECK_INT(give_body(simulation, 0, &body->polygons, &surface, &status), STATUS_OK);
    mesh_free(body);
}

/* `number` of the half's vertices, or null for the whole. */
static Simulation *begin(const TestMesh *mesh, const SimulationOptions *options, Scene scene,
                         const int *number) {
    Status status;
    Simulation *simulation = simulation_create(&mesh->polygons, options, &status);
    const BodySurface surface = {.thickness = 0.004, .friction = 0.3};
    CHECK(simulation != NULL);
    if (scene == ON_BODY) {
        add_block(simulation);
    }
    if (scene == ON_ITSELF) {
        CHECK_INT(give_self_contact(simulation, &surface, &status), STATUS_OK);
    }
    int32_t pins[63] = {54, 62, 58}; /* corners of the sheet, and softly the middle between them */
    float weights[63];
    int wanted = scene == ON_ITSELF ? 63 : scene == PINNED ? 3 : 0, count = 0;
    for (int k = 0; k < wanted; ++k) {
        int pin = scene == ON_ITSELF ? k : pins[k]; /* the lower half lies still */
        int at = number ? number[pin] : pin;
        if (at >= 0) {
            weights[count] = scene == PINNED && pin == 58 ? 0.5f : 1.0f;
            pins[count++] = at;
        }
    }
    CHECK_INT(give_pins(simulation, count, pins, weights, NULL, &status), STATUS_OK);
    return simulation;
}

static void check_motion(const char *name, Scene scene, int steps, double allowed) {
    static float whole[3 * MOST], half[3 * MOST], again[3 * MOST];
    static int number[MOST];
    int plane_from, touching = 0;
    Status status;
    SimulationOptions options = options_of(1), halved;
    TestMesh *mesh = falling_cloth(scene), *side = mesh_half(mesh, number, &plane_from);
    Simulation *full = begin(mesh, &options, scene, NULL), *part[3];
    for (int threads = 1; threads <= 3; ++threads) {
        halved = options_of(threads);
        halved.half =
            (SimulationHalf){.halved = 1, .rail_from = plane_from, .plane_from = plane_from};
        part[threads - 1] = begin(side, &halved, scene, number);
    }
    for (int s = 0; s < steps; ++s) {
        CHECK_INT(simulation_step(full, 1.0 / 48, &status), STATUS_OK);
        for (int k = 0; k < 3; ++k) {
            CHECK_INT(simulation_step(part[k], 1.0 / 48, &status), STATUS_OK);
        }
        touching += simulation_step_report(part[0]).contact->contacts;
    }
    simulation_copy_state(full, whole, NULL);
    simulation_copy_state(part[0], half, NULL);
    double worst = 0, moved = 0;
    for (int v = 0; v < mesh->polygons.vertex_count; ++v) {
        if (number[v] >= 0) {
            worst = fmax(worst, vec3_distance(vector_at(whole, v), vector_at(half, number[v])));
            moved = fmax(moved, vec3_distance(vector_at(whole, v), vector_at(mesh->positions, v)));
        }
    }
    printf("%-12s %.2g m apart after %d steps of %.2g m, %d contacts in all\n", name, worst, steps,
           moved, touching);
    CHECK_BELOW(worst, allowed);
    CHECK(moved > 0.02);
    CHECK(scene == PINNED || touching > 20);
    for (int k = 1; k < 3; ++k) {
        simulation_copy_state(part[k], again, NULL);
        CHECK(memcmp(again, half, 3 * (size_t)side->polygons.vertex_count * sizeof(float)) == 0);
    }
    simulation_destroy(full);
    for (int k = 0; k < 3; ++k) {
        simulation_destroy(part[k]);
    }
    mesh_free(mesh);
    mesh_free(side);
}

int main(void) {
    random_start(12);
    for (int k = 0; k < 2 * MAKERS; ++k) {
        check_forces(makers[k / 2](), k % 2);
        check_product(makers[k / 2](), k % 2);
    }
    check_threads();
    check_no_grid();
    check_motion("pinned", PINNED, 24, 1e-6);
    /* Newton steps end at a gradient, not at a place: which contacts push last is a matter of micrometres */
    check_motion("on a body", ON_BODY, 8, 1e-5);
    check_motion("on itself", ON_ITSELF, 20, 1e-5);
    return check_result();
}
