/* Bending by curvature: what the stiffness means, held against rolled sheets of any triangulation, whose vertices may
 * settle as they like; its force against differences of its energy; rest shapes; what stands in for it in the matrix;
 * half a sheet against a whole one; and meshes on which it must leave the work to hinges. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "halving.h"
#include "laws/curvature.h"
#include "rig.h"
#include "system/hessian.h"

#define MU 0.013
#define MOST 700

static const GridKind kinds[] = {GRID_ALTERNATING, GRID_PARALLEL, GRID_EQUILATERAL, GRID_DELAUNAY,
                                 GRID_IRREGULAR,   GRID_MIXED,    GRID_QUADS};
static const char *const names[] = {"alternating", "parallel", "equilateral", "Delaunay",
                                    "irregular",   "mixed",    "quads"};
#define KINDS 7
#define DRAWS 24 /* of irregular meshes: one in twelve had corners whose fit was no fit */

static Vec3 x[MOST], force[MOST];

static Material bending_only(double weft, double twist) {
    Material material = rig_material();
    material.stretch_warp = material.stretch_weft = material.shear = material.rope_stretch = 0;
    material.bend = MU;
    material.bend_weft = weft;
    material.bend_twist = twist;
    return material;
}

/* Curvatures of these tests are some ten 1/m: all of the measured range, with a moment that falls between 30 and 40. */
static Material measured(void) {
    static const double samples[15] = {4, 5, 6, 5.5, 3, 3, 2, 2.5, 3, 3.5, 2, 2.2, 1.5, 1.6, 1.8};
    Material material = bending_only(1, 1);
    for (int i = 0; i < 15; ++i) {
        material.bend_samples[i] = 0.2 * MU * samples[i];
    }
    return material;
}

/* The parabola of curvature 1 along a direction, for which all formulas hold at any size. */
static void bow(const Rig *rig, double angle, double saddle) {
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        Vec3 p = rig->mesh.rest[v];
        double along = p.x * cos(angle) + p.y * sin(angle);
        double across = p.y * cos(angle) - p.x * sin(angle);
        x[v] = vec3(p.x, p.y, 0.5 * along * along + saddle * along * across);
    }
}

static double energy_at_x(Rig *rig) { return system_elastic_energy(&rig->system, x); }

static void forces_at_x(Rig *rig) {
    system_conventional_step(&rig->system, x);
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        force[v] = rows_force(&rig->system.laws.rows, v);
    }
}

/* --- what the stiffness means --------------------------------------------------------------------- */

/* Warp along y (topology.c), weft along x: E = area/2 (B_warp xx^2 + ...) exactly, in every direction, with twist. */
static void check_exact(GridKind kind, double weft, double twist) {
    TestMesh *mesh = mesh_grid(kind, 12, 11, 1.0);
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = bending_only(weft, twist);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    CHECK_INT(laws_find(&rig.system.laws, &curvature_kind)->count, rig.mesh.vertex_count);
    for (int d = 0; d < 8; ++d) {
        double angle = M_PI * d / 8, saddle = d % 3 - 1.0, c = cos(angle), s = sin(angle);
        bow(&rig, angle, saddle);
        double xx = c * c - 2 * saddle * c * s, yy = s * s + 2 * saddle * c * s;
        double xy = c * s + saddle * (c * c - s * s);
        double wanted =
            0.5 * MU * rig_area(&rig) * (yy * yy + weft * xx * xx + 2 * twist * xy * xy);
        CHECK_NEAR(energy_at_x(&rig) / wanted, 1.0, 1e-5); /* places in float32 */
        CHECK_NEAR(system_evaluate(&rig.system, x, x) / wanted, 1.0, 1e-5);
    }
    rig_close(&rig);
    mesh_free(mesh);
}

/* Flat shapes anywhere, turned and stretched, store nothing. */
static void check_flat(GridKind kind) {
    TestMesh *mesh = mesh_grid(kind, 9, 8, 1.0);
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = bending_only(1, 1);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    Vec3 turn = random_vector(2), shift = random_vector(1);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        Vec3 p = rig.mesh.rest[v];
        x[v] = vec3_add(guess_rotate(turn, vec3(1.1 * p.x + 0.3 * p.y, 0.9 * p.y, 0)), shift);
    }
    CHECK_BELOW(energy_at_x(&rig), 1e-10 * MU);
    forces_at_x(&rig);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        CHECK_BELOW(vec3_length(force[v]), 1e-3 * MU); /* a bent one: about 10 MU */
    }
    rig_close(&rig);
    mesh_free(mesh);
}

/* Vertices inside may settle: the energy that is left, over that of the rolled sheet, by conjugate gradients on z.
 * The rim, three vertices deep, is held. */
static double relaxed(Rig *rig, int nx, int ny, double angle) {
    static Vec3 residual[MOST], direction[MOST], product[MOST];
    int count = rig->mesh.vertex_count;
    bow(rig, angle, 0);
    double start = energy_at_x(rig), square = 0, first = 0;
    forces_at_x(rig);
    for (int v = 0; v < count; ++v) {
        int i = v % nx, j = v / nx;
        int held = i < 3 || j < 3 || i >= nx - 3 || j >= ny - 3;
        residual[v] = direction[v] = vec3(0, 0, held ? 0 : force[v].z);
        square += residual[v].z * residual[v].z;
    }
    for (int step = 0; step < 600 && square > 1e-20 * (first += square); ++step) {
        rig_stiffen(&rig->system, x, direction);
        double curvature = 0, next = 0;
        for (int v = 0; v < count; ++v) {
            product[v] = vec3_scale(-1, rows_force(&rig->system.laws.rows, v));
            curvature += product[v].z * direction[v].z;
        }
        for (int v = 0; v < count; ++v) {
            int i = v % nx, j = v / nx;
            int held = i < 3 || j < 3 || i >= nx - 3 || j >= ny - 3;
            x[v].z += square / curvature * direction[v].z;
            residual[v].z -= held ? 0 : square / curvature * product[v].z;
            next += residual[v].z * residual[v].z;
        }
        for (int v = 0; v < count; ++v) {
            direction[v].z = residual[v].z + next / square * direction[v].z;
        }
        square = next;
    }
    double inner = (double)(nx - 6) * (ny - 6) / ((nx - 1) * (ny - 1));
    return 1 - (1 - energy_at_x(rig) / start) / inner;
}

static void check_relaxed(int k, double longer, double spread) {
    const int nx = 22, ny = 22;
    TestMesh *mesh = mesh_grid(kinds[k], nx, ny, 1.0);
    for (int v = 0; v < nx * ny; ++v) {
        mesh->positions[3 * v] *= (float)longer;
    }
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = bending_only(1, 1);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    double least = INFINITY, most = 0;
    for (int d = 0; d < 8; ++d) {
        double left = relaxed(&rig, nx, ny, M_PI * d / 8);
        least = fmin(least, left);
        most = fmax(most, left);
    }
    printf("%-12s cells 1 : %g, settled: %.3f to %.3f of what was asked for\n", names[k], longer,
           least, most);
    CHECK_BELOW(1 / spread, least);
    CHECK_BELOW(most, 1.001);
    rig_close(&rig);
    mesh_free(mesh);
}

/* A narrow strip that is flat up to a line, and beyond it rolled along its length, or twisted, stores what the part
 * beyond has, but for a column of cells or so at the line: rows at its borders must not make much of that kink. Returns
 * the largest that is stored too much, in columns. */
static double largest_excess(Rig *rig, double column, bool twisted) {
    double length = 0, width = 0, largest = 0;
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        length = fmax(length, rig->mesh.rest[v].x);
        width = fmax(width, rig->mesh.rest[v].y);
    }
    for (double line = 0.3 * length; line < 0.7 * length; line += 0.23 * column) {
        for (int v = 0; v < rig->mesh.vertex_count; ++v) {
            Vec3 p = rig->mesh.rest[v];
            double beyond = fmax(p.x - line, 0);
            x[v] = vec3(p.x, p.y, twisted ? beyond * (p.y - 0.5 * width) : 0.5 * beyond * beyond);
        }
        double density = twisted ? MU : 0.5 * MU; /* of energy, J/m^2 */
        double wanted = density * (length - line) * width;
        largest = fmax(largest, (energy_at_x(rig) - wanted) / (density * column * width));
    }
    return largest;
}

static void check_narrow(int k) {
    const int nx = 48, ny = 4;
    TestMesh *mesh = mesh_grid(kinds[k], nx, ny, 1.0);
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = bending_only(1, 1);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    double rolled = largest_excess(&rig, 1.0 / (nx - 1), false);
    double twisted = largest_excess(&rig, 1.0 / (nx - 1), true);
    printf("a narrow strip, %s: %.2f columns too much where it begins to roll, %.2f to twist\n",
           names[k], rolled, twisted);
    CHECK_BELOW(rolled, 1.0);
    CHECK_BELOW(twisted, 3.0);
    rig_close(&rig);
    mesh_free(mesh);
}

/* --- forces and rest shapes ---------------------------------------------------------------------- */

/* Largest |force + dE/dx| over the largest force. */
static double force_error(Rig *rig) {
    double worst = 0, largest = 0;
    forces_at_x(rig);
    for (int c = 0; c < 3 * rig->mesh.vertex_count; ++c) {
        double *place = (double *)&x[c / 3] + c % 3, kept = *place;
        *place = kept + 1e-6;
        double above = energy_at_x(rig);
        *place = kept - 1e-6;
        double below = energy_at_x(rig);
        *place = kept;
        double got = ((double *)&force[c / 3])[c % 3];
        worst = fmax(worst, fabs(got + (above - below) / 2e-6));
        largest = fmax(largest, fabs(got));
    }
    return worst / largest;
}

static void check_gradient(int k, double folds, bool moments) {
    TestMesh *mesh = mesh_grid(kinds[k], 8, 7, 1.0);
    mesh_crumple(mesh, folds);
    SystemOptions options = {.model = MODEL_TRIANGLE, .keep_folds = folds > 0, .moments = moments};
    Material material = moments ? measured() : bending_only(0.6, 1.7);
    const LawKind *curved = moments ? &curved_moment_kind : &curved_kind;
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    CHECK(!(folds > 0) || laws_find(&rig.system.laws, curved)->count > 40);
    rig_state(&rig, 1.1, 0.05, x);
    CHECK_BELOW(force_error(&rig), 1e-6);
    rig_close(&rig);
    mesh_free(mesh);
}

/* A curved rest shape stores nothing and pulls nowhere, wherever it is turned; flattened it does. */
static void check_rest(int k, double folds, bool moments) {
    TestMesh *mesh = mesh_grid(kinds[k], 12, 11, 1.0);
    mesh_crumple(mesh, folds);
    SystemOptions options = {.model = MODEL_TRIANGLE, .keep_folds = 1, .moments = moments};
    Material material = moments ? measured() : bending_only(0.7, 1.2);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    Vec3 turn = random_vector(2);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        x[v] = vec3(rig.mesh.rest[v].x, rig.mesh.rest[v].y, 0);
    }
    double flat = energy_at_x(&rig), largest = 0, rest = 0;
    forces_at_x(&rig);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        largest = fmax(largest, vec3_length(force[v]));
        x[v] = guess_rotate(turn, rig.mesh.rest[v]);
    }
    CHECK(flat > 1e-4 * MU);
    CHECK_BELOW(energy_at_x(&rig), 1e-6 * flat);
    CHECK_BELOW(fabs(system_evaluate(&rig.system, x, x)), 1e-6 * flat);
    forces_at_x(&rig);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        rest = fmax(rest, vec3_length(force[v]));
    }
    CHECK_BELOW(rest, 1e-4 * largest);
    rig_close(&rig);
    mesh_free(mesh);
}

/* Parcels, whose rows are mixed, against the rows; also where warp, weft or twist resist with nothing. */
static void check_parcels(int k, double folds, double weft, double twist) {
    static Vec3 own[MOST];
    TestMesh *mesh = mesh_grid(kinds[k], 9, 8, 1.0);
    mesh_crumple(mesh, folds);
    SystemOptions options = {.model = MODEL_TRIANGLE, .keep_folds = folds > 0};
    Material material = bending_only(weft, twist);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    rig_state(&rig, 1.1, 0.05, x);
    double energy = system_evaluate(&rig.system, x, x), largest = 0, apart = 0;
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        own[v] = system_force(&rig.system, v);
    }
    CHECK_NEAR(energy, energy_at_x(&rig), 1e-11 * energy);
    forces_at_x(&rig);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        largest = fmax(largest, vec3_length(force[v]));
        apart = fmax(apart, vec3_distance(own[v], force[v]));
    }
    CHECK(largest > 0);
    CHECK_BELOW(apart, 1e-11 * largest);
    rig_close(&rig);
    mesh_free(mesh);
}

/* Elements are built by all threads: the same bytes for any number of them. */
static void check_threads(void) {
    Rig rigs[4];
    SystemOptions options = {.model = MODEL_TRIANGLE, .keep_folds = 1};
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 40, 40, 1.0);
    mesh_crumple(mesh, 0.05);
    for (int t = 0; t < 4; ++t) {
        rigs[t] = (Rig){.pool = pool_create(1 + t)};
        CHECK_INT(mesh_build(&mesh->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH},
                             &rigs[t].store, &rigs[t].mesh, &rigs[t].status),
                  STATUS_OK);
        CHECK_INT(system_build(&rigs[t].system, &rigs[t].mesh, &options, rigs[t].pool,
                               &rigs[t].store, &rigs[t].status),
                  STATUS_OK);
        const Law *one = laws_find(&rigs[0].system.laws, &curved_kind);
        const Law *law = laws_find(&rigs[t].system.laws, &curved_kind);
        const BendingLaw *first = rig_hinges(&rigs[0].system), *own = rig_hinges(&rigs[t].system);
        CHECK(law->count > 1000);
        CHECK_INT(law->count, one->count);
        CHECK_INT(own->stand_in_count, first->stand_in_count);
        for (int r = 0; r < law->rows; ++r) {
            CHECK(memcmp(law->weights[r], one->weights[r],
                         (size_t)(law->width * law->count) * sizeof(double)) == 0);
        }
        CHECK(memcmp(own->stand_ins, first->stand_ins,
                     (size_t)own->stand_in_count * sizeof *own->stand_ins) == 0);
    }
    for (int t = 0; t < 4; ++t) {
        rig_close(&rigs[t]);
    }
    mesh_free(mesh);
}

/* --- the matrix ---------------------------------------------------------------------------------- */

/* What the laws resist with along z at rest, as a matrix. */
static double *own_dense(Rig *rig) {
    int size = rig->mesh.vertex_count;
    double *own = dense_new(size);
    for (int v = 0; v < size; ++v) {
        memset(x, 0, (size_t)size * sizeof *x);
        x[v] = vec3(0, 0, 1);
        rig_stiffen(&rig->system, rig->mesh.rest, x);
        for (int w = 0; w < size; ++w) {
            own[size * w + v] = -rows_force(&rig->system.laws.rows, w).z;
        }
    }
    return own;
}

/* The hinges that stand in are stiffer than the curvatures in every motion, and not by much. */
static void check_bound(int k, double longer) {
    TestMesh *mesh = mesh_grid(kinds[k], 9, 8, 1.0);
    for (int v = 0; v < 72; ++v) {
        mesh->positions[3 * v] *= (float)longer;
    }
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = bending_only(0.4, 1.3);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    int size = rig.mesh.vertex_count;
    double *left = dense_of(&rig.system.stiffness), *own = own_dense(&rig), values[MOST];
    double trace = 0, bound_trace = 0;
    for (int v = 0; v < size; ++v) {
        trace += own[size * v + v];
        bound_trace += left[size * v + v];
    }
    for (int at = 0; at < size * size; ++at) {
        left[at] -= own[at];
    }
    dense_eigenvalues(size, left, values);
    printf("%-12s cells 1 : %g, bound - own: %.2g to %.2g, traces 1 : %.2f\n", names[k], longer,
           values[0], values[size - 1], bound_trace / trace);
    CHECK_BELOW(-values[0], 1e-6 * values[size - 1]);
    CHECK_BELOW(bound_trace, 8 * trace);
    free(left);
    free(own);
    rig_close(&rig);
    mesh_free(mesh);
}

/* Pins of all sorts: rows, patches, all but a few, by chance. */
#define PINNINGS 12
static void pin(Rig *rig, int nx, int pinning) {
    static const double chances[] = {0.3, 0.5, 0.7, 0.9};
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        int i = v % nx, j = v / nx;
        bool held = pinning < 4   ? i <= pinning
                    : pinning < 6 ? j < pinning - 2
                    : pinning < 7 ? i + j < 6
                    : pinning < 8 ? i != 4 || j != 3
                                  : random_between(0, 1) < chances[pinning - 8];
        rig->system.held[v] = held;
    }
    system_hold(&rig->system);
}

/* What hinges stand in with also bounds the curvatures of pinned vertices, which are stiffer, in all motions that pins
 * leave. */
static void check_clamped_bound(int k, double longer, int pinning) {
    const int nx = 9, ny = 8;
    TestMesh *mesh = mesh_grid(kinds[k], nx, ny, 1.0);
    for (int v = 0; v < nx * ny; ++v) {
        mesh->positions[3 * v] *= (float)longer;
    }
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = bending_only(0.4, 1.3);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    pin(&rig, nx, pinning);
    int size = rig.mesh.vertex_count;
    double *left = dense_of(&rig.system.stiffness), *own = own_dense(&rig), values[MOST];
    for (int at = 0; at < size * size; ++at) {
        bool fixed = rig.system.held[at / size] || rig.system.held[at % size];
        left[at] = fixed ? 0.0 : left[at] - own[at];
    }
    dense_eigenvalues(size, left, values);
    CHECK_BELOW(-values[0], 1e-6 * values[size - 1]);
    free(left);
    free(own);
    rig_close(&rig);
    mesh_free(mesh);
}

/* --- clamps -------------------------------------------------------------------------------------- */

/* Puts the vertices of row j of a grid at one height. */
static double level_row(TestMesh *mesh, int nx, int j) {
    double height = 0;
    for (int i = 0; i < nx; ++i) {
        height += (double)mesh->positions[3 * (nx * j + i) + 1] / nx;
    }
    for (int i = 0; i < nx; ++i) {
        mesh->positions[3 * (nx * j + i) + 1] = (float)height;
    }
    return height;
}

/* Where an even load along z, N/m^2, leaves the sheet, by conjugate gradients. Pins stay at rest. */
static void bend_by(Rig *rig, double load) {
    static Vec3 residual[MOST], direction[MOST];
    int count = rig->mesh.vertex_count;
    double square = 0, first;
    for (int v = 0; v < count; ++v) {
        x[v] = rig->mesh.rest[v];
        residual[v] = vec3(0, 0, rig->system.held[v] ? 0 : load * rig->system.area[v]);
        direction[v] = residual[v];
        square += residual[v].z * residual[v].z;
    }
    first = square;
    for (int step = 0; step < 4000 && square > 1e-18 * first; ++step) {
        double curvature = 0, next = 0;
        rig_stiffen(&rig->system, x, direction);
        for (int v = 0; v < count; ++v) {
            force[v] = rows_force(&rig->system.laws.rows, v);
            curvature -= force[v].z * direction[v].z;
        }
        for (int v = 0; v < count; ++v) {
            x[v].z += square / curvature * direction[v].z;
            residual[v].z += rig->system.held[v] ? 0 : square / curvature * force[v].z;
            next += residual[v].z * residual[v].z;
        }
        for (int v = 0; v < count; ++v) {
            direction[v].z = residual[v].z + next / square * direction[v].z;
        }
        square = next;
    }
}

/* A strip of ten cells whose first rows are pinned sinks by q L^4 / 8 B at its end, L from the last pinned row on. */
static double sunk_end(int k, int rows) {
    const int nx = 7, ny = rows + 10;
    TestMesh *mesh = mesh_grid(kinds[k], nx, ny, 1.0);
    double from = level_row(mesh, nx, rows - 1), to = level_row(mesh, nx, ny - 1), end = 0;
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = bending_only(1, 1);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    for (int v = 0; v < nx * rows; ++v) {
        rig.system.held[v] = 1;
    }
    system_hold(&rig.system);
    bend_by(&rig, 8 * MU / pow(to - from, 4));
    for (int i = 0; i < nx; ++i) {
        end += x[nx * (ny - 1) + i].z / nx;
    }
    rig_close(&rig);
    mesh_free(mesh);
    return end;
}

/* Half a cell more of length would be a fifth more. Irregular strips of so few cells differ by some hundredths. */
static void check_clamp(int k, int rows) {
    int draws = kinds[k] == GRID_DELAUNAY || kinds[k] == GRID_IRREGULAR ? 12 : 1;
    double mean = 0;
    for (int draw = 0; draw < draws; ++draw) {
        mean += sunk_end(k, rows) / draws;
    }
    printf("%-12s %d pinned rows: the end sinks by %.3f of theory's\n", names[k], rows, mean);
    CHECK_NEAR(mean, 1.0, 0.03);
}

/* --- half a sheet -------------------------------------------------------------------------------- */

#define ACROSS 8 /* quads, and along the plane */
#define ALONG 6

/* A state that is its own image: of a vertex's place, whatever its number. */
static Vec3 posed(Vec3 p) {
    return vec3(p.x * (1 + 0.2 * sin(5 * p.y)), p.y + 0.1 * sin(7 * p.x * p.x),
                p.z + 0.05 * cos(6 * p.x) * sin(4 * p.y));
}

/* The Hessian as a matrix is that of the laws, also across the mirror plane. */
static void check_matrix(Rig *rig, int plane_from) {
    static Vec3 d[MOST];
    static HessianVector narrow[MOST];
    Hessian hessian;
    double apart = 0, largest = 0;
    CHECK_INT(hessian_build(&hessian, &rig->system, &rig->store, &rig->status), STATUS_OK);
    hessian_refresh(&hessian, 1.0);
    hessian_compute(&hessian, 1.0, x);
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        d[v] = random_vector(1);
        d[v].x = v < plane_from ? d[v].x : 0;
        narrow[v] = (HessianVector){(float)d[v].x, (float)d[v].y, (float)d[v].z, 0};
    }
    rig_stiffen(&rig->system, x, d);
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        Vec3 wanted = vec3_scale(-1, rows_force(&rig->system.laws.rows, v));
        HessianVector row;
        hessian_multiply(&hessian, v, v + 1, narrow, &row);
        double along_x = v < plane_from ? (double)row[0] : wanted.x;
        apart = fmax(apart, vec3_distance(vec3(along_x, (double)row[1], (double)row[2]), wanted));
        largest = fmax(largest, vec3_length(wanted));
    }
    CHECK_BELOW(apart, 1e-5 * largest);
}

/* What a sheet that was folded otherwise before remembers. */
static void fold_before(Rig *rig) {
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        Vec3 at = posed(rig->mesh.rest[v]);
        x[v] = vec3(at.x, at.y, 2 * at.z + 0.3 * at.x * at.x);
    }
    laws_remember(&rig->system.laws, rig->pool, x);
}

/* Pins by a vertex's place, whatever its number: rows of them, from the plane on. */
static void pin_corner(Rig *rig) {
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        Vec3 p = rig->mesh.rest[v];
        rig->system.held[v] = p.y < 0.2 || fabs(p.x) > 0.3;
    }
    system_hold(&rig->system);
}

static void check_half(bool keep_folds, bool moments, bool memory, bool pinned) {
    static Vec3 own[MOST];
    static int number[MOST];
    int plane_from;
    TestMesh *sheet = symmetric_sheet(ACROSS, ALONG, 0.07);
    TestMesh *side = mesh_half(sheet, number, &plane_from);
    SystemOptions options = {
        .model = MODEL_TRIANGLE, .keep_folds = keep_folds, .moments = moments, .memory = memory};
    Material material = moments ? measured() : bending_only(0.5, 1.4);
    material.fold_memory = memory ? 0.4 : 0;
    Rig whole, half;
    rig_open(&whole, sheet, &options, &material);
    rig_open_half(&half, side, plane_from, &options, &material);
    if (pinned) {
        pin_corner(&whole);
        pin_corner(&half);
    }
    fold_before(&whole);
    fold_before(&half);
    for (int v = 0; v < half.mesh.vertex_count; ++v) {
        x[v] = posed(half.mesh.rest[v]);
    }
    double half_energy = energy_at_x(&half), by_parcels = system_evaluate(&half.system, x, x);
    for (int v = 0; v < half.mesh.vertex_count; ++v) {
        own[v] = system_force(&half.system, v);
    }
    forces_at_x(&half);
    double largest = 0, apart = 0;
    for (int v = 0; v < half.mesh.vertex_count; ++v) {
        largest = fmax(largest, vec3_length(force[v]));
        apart = fmax(apart, vec3_distance(own[v], force[v]));
    }
    CHECK_BELOW(apart, 1e-10 * largest); /* parcels and rows */
    CHECK_NEAR(by_parcels, half_energy, 1e-10 * half_energy);
    if (!moments && !memory) {
        check_matrix(&half, plane_from);
    }
    for (int v = 0; v < whole.mesh.vertex_count; ++v) {
        x[v] = posed(whole.mesh.rest[v]);
    }
    CHECK_NEAR(energy_at_x(&whole), 2 * half_energy, 1e-9 * half_energy);
    forces_at_x(&whole);
    apart = 0;
    for (int v = 0; v < whole.mesh.vertex_count; ++v) {
        if (number[v] >= plane_from) { /* along x the plane holds them */
            apart = fmax(apart, 0.5 * fabs(force[v].x));
            Vec3 wanted = vec3(own[number[v]].x, 0.5 * force[v].y, 0.5 * force[v].z);
            apart = fmax(apart, vec3_distance(wanted, own[number[v]]));
        } else if (number[v] >= 0) {
            apart = fmax(apart, vec3_distance(force[v], own[number[v]]));
        }
    }
    printf("half and whole: forces %.1e apart, of %.1e\n", apart, largest);
    CHECK_BELOW(apart, 1e-9 * largest);
    rig_close(&whole);
    rig_close(&half);
    mesh_free(sheet);
    mesh_free(side);
}

/* --- meshes that are not so nice ------------------------------------------------------------------ */

/* A pattern in two pieces, one of them turned and put elsewhere: bending alike in all directions does not see it. */
static void check_seam(void) {
    TestMesh *mesh = mesh_grid(GRID_DELAUNAY, 12, 11, 1.0);
    mesh_add_uvs(mesh, 1.0);
    for (int c = 0; c < mesh->corner_count; ++c) {
        const float *p = mesh->positions + 3 * mesh->face_vertices[c - c % 3];
        double u = mesh->uvs[2 * c], v = mesh->uvs[2 * c + 1];
        if (p[0] + p[1] > 0.9) {
            mesh->uvs[2 * c] = (float)(3 + 0.8 * u - 0.6 * v);
            mesh->uvs[2 * c + 1] = (float)(7 + 0.6 * u + 0.8 * v);
        }
    }
    Rig rig = {.pool = pool_create(1)};
    SystemOptions options = {.model = MODEL_TRIANGLE};
    CHECK_INT(mesh_build(&mesh->polygons, MESH_WHOLE,
                         &(MeshOptions){.pattern = PATTERN_UV, .uv_scale = 1}, &rig.store,
                         &rig.mesh, &rig.status),
              STATUS_OK);
    CHECK_INT(system_build(&rig.system, &rig.mesh, &options, rig.pool, &rig.store, &rig.status),
              STATUS_OK);
    rig.system.materials[0] = bending_only(1, 1);
    system_refresh_material(&rig.system);
    for (int d = 0; d < 4; ++d) {
        bow(&rig, M_PI * d / 4, 0);
        CHECK_NEAR(energy_at_x(&rig) / (0.5 * MU * rig_area(&rig)), 1.0, 1e-4);
    }
    rig_close(&rig);
    mesh_free(mesh);
}

/* A sheet with a fin on it: three triangles at each side there. Hinges resist about those vertices, curvature
 * elsewhere, and the force is the energy's gradient. */
static void check_fin(void) {
    TestMesh *mesh = mesh_grid(GRID_PARALLEL, 7, 7, 1.0);
    int top[7];
    for (int i = 0; i < 7; ++i) {
        const float *p = mesh->positions + 3 * (21 + i);
        top[i] = mesh_add_vertex(mesh, p[0], p[1], 0.2);
    }
    for (int i = 0; i < 6; ++i) {
        mesh_add_triangle(mesh, 21 + i, 22 + i, top[i]);
        mesh_add_triangle(mesh, 22 + i, top[i + 1], top[i]);
    }
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = bending_only(1, 1);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    CHECK_INT(laws_find(&rig.system.laws, &curvature_kind)->count, 42 + 7);
    const BendingLaw *hinges = rig_hinges(&rig.system);
    int whole = 0;
    for (int h = 0; h < hinges->law.count; ++h) {
        const int *vertices = law_vertices(&hinges->law, h);
        int on = (vertices[2] / 7 == 3) + (vertices[3] / 7 == 3);
        CHECK_NEAR(hinges->part[h], 0.5 * on, 0);
        whole += on == 2;
    }
    CHECK_INT(whole, 12); /* two of the three sides' pairs at each shared side */
    rig_state(&rig, 1.0, 0.05, x);
    CHECK_BELOW(force_error(&rig), 1e-6);
    CHECK_NEAR(system_evaluate(&rig.system, x, x), energy_at_x(&rig), 1e-10);
    rig_close(&rig);
    mesh_free(mesh);
}

/* A fan of too many triangles, one without area, one alone: all numbers are numbers, and forces gradients. */
static void check_odd(void) {
    TestMesh *mesh = mesh_grid(GRID_EQUILATERAL, 6, 6, 1.0);
    int tip = mesh_add_vertex(mesh, 0.5 * (mesh->positions[0] + mesh->positions[3]),
                              mesh->positions[1] - 1e-7, 0);
    mesh_add_triangle(mesh, 1, 0, tip);
    int middle = mesh_add_vertex(mesh, 4, 0, 0), first = middle + 1;
    for (int i = 0; i < 20; ++i) {
        mesh_add_vertex(mesh, 4 + cos(0.1 * M_PI * i), sin(0.1 * M_PI * i), 0);
    }
    for (int i = 0; i < 20; ++i) {
        mesh_add_triangle(mesh, middle, first + i, first + (i + 1) % 20);
    }
    int lone = mesh_add_vertex(mesh, 7, 0, 0);
    mesh_add_vertex(mesh, 8, 0, 0);
    mesh_add_vertex(mesh, 7, 1, 0);
    mesh_add_triangle(mesh, lone, lone + 1, lone + 2);
    SystemOptions options = {.model = MODEL_TRIANGLE, .keep_folds = 1};
    Material material = bending_only(1, 1);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    const BendingLaw *hinges = rig_hinges(&rig.system);
    for (int h = 0; h < hinges->law.count; ++h) {
        CHECK(isfinite(hinges->law.bound[h]) && hinges->law.bound[h] > 0);
    }
    rig_state(&rig, 1.0, 0.05, x);
    CHECK_BELOW(force_error(&rig), 1e-6);
    rig_close(&rig);
    mesh_free(mesh);
}

/* The hinges' own law is there for who asks for it. */
static void check_choice(void) {
    TestMesh *mesh = mesh_grid(GRID_PARALLEL, 9, 9, 1.0);
    SystemOptions options = {.model = MODEL_TRIANGLE, .bending = BENDING_HINGES};
    Material material = bending_only(1, 1);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    CHECK_INT(laws_find(&rig.system.laws, &curvature_kind)->count, 0);
    bow(&rig, M_PI / 4, 0);
    double wanted = 0.5 * MU * rig_area(&rig);
    CHECK(fabs(energy_at_x(&rig) / wanted - 1) > 0.2); /* along the diagonals, or across them */
    rig_close(&rig);
    mesh_free(mesh);
}

int main(void) {
    random_start(3);
    for (int k = 0; k < KINDS; ++k) {
        check_exact(kinds[k], 1, 1);
        check_exact(kinds[k], 0.3, 1.6);
        check_flat(kinds[k]);
        check_gradient(k, 0, false);
        check_gradient(k, 0.1, false);
        check_gradient(k, 0, true);
        check_gradient(k, 0.1, true);
        check_rest(k, 0.1, false);
        check_rest(k, 0.01, false);
        check_rest(k, 0.1, true);
        check_bound(k, 1);
        check_bound(k, 4);
    }
    for (int draw = 0; draw < DRAWS; ++draw) { /* their corners are drawn anew */
        check_exact(GRID_IRREGULAR, 1, 1);
        check_exact(GRID_MIXED, 1, 1);
    }
    for (int k = 0; k < 4; ++k) {
        check_relaxed(k, 1, 1.04);
    }
    check_relaxed(0, 4, 1.08);
    check_relaxed(1, 4, 1.08);
    for (int k = 0; k < 8; ++k) {
        check_half(k & 1, k & 2, k & 4, false);
    }
    check_seam();
    check_fin();
    check_odd();
    check_choice();
    check_threads();
    for (int k = 0; k < 8 * KINDS; ++k) {
        check_parcels(k / 8, k & 1 ? 0.1 : 0, k & 2 ? 0 : 0.6, k & 4 ? 0 : 1.7);
    }
    for (int k = 0; k < KINDS; ++k) {
        check_narrow(k);
    }
    for (int k = 0; k < 8; ++k) {
        check_half(k & 1, k & 2, k & 4, true);
    }
    for (int k = 0; k < 5; ++k) {
        for (int rows = 2; rows <= 4; ++rows) {
            check_clamp(k, rows);
        }
    }
    for (int k = 0; k < KINDS * PINNINGS; ++k) {
        check_clamped_bound(k / PINNINGS, 1, k % PINNINGS);
        check_clamped_bound(k / PINNINGS, 4, k % PINNINGS);
    }
    return check_result();
}
