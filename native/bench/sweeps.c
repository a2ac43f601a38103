/* The solvers by sweeps on the sheet of Kim [2006], figures 2 to 4: SIDE x SIDE unit masses, 1 m apart, strong springs to
 * the neighbours that only pull, weak ones to the next but one, held by two corners; gravity 0.03, damping 0.05, steps of
 * 0.25, all without units. Beside it the same sheet by Choi and Ko's converged implicit step.
 * Prints one line for each step:
 *   seconds, seconds of the implicit step, mean drop, that of the implicit sheet, root mean square distance of both,
 *   energy of position, springs and motion, that of the implicit sheet
 * and ends early, after a line with infinite numbers, where the method has diverged.
 * Usage: sweeps METHOD SWEEPS SIDE STEPS STIFFNESS [THREADS]
 * METHOD is kim, kang1, kang2, desbrun, choi-ko or symplectic, STIFFNESS that of the strong springs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "common/sheet.h"
#include "laws/edge.h"
#include "solver/solver.h"

#define STEP 0.25
/* The paper damps explicitly, m v* = (1 - h d) m v + h F. That is (1 + h d') m v* = m v + h F' with all forces divided by
 * 1 - h d, and 1 + h d' = 1 / (1 - h d), which is ours. */
#define FORCE (1.0 / (1.0 - STEP * 0.05))
#define WEAK (0.1 * FORCE)
#define GRAVITY (0.03 * FORCE)
#define FAR_AWAY 1e3 /* m: a vertex as far from its start has diverged */

typedef struct SweptSheet {
    Store store;
    Mesh mesh;
    Pool *pool;
    System system;
    Solver *solver;
    Vec3 *x, *v, *z;
    double seconds;
} SweptSheet;

static StatusCode lay_grid(SweptSheet *sheet, int side, Status *status) {
    PolygonMesh polygons;
    const MeshOptions options = {.pattern = PATTERN_MESH};
    StatusCode code = quads_lay(side, 1.0f, &sheet->store, &polygons, status);
    return code == STATUS_OK
               ? mesh_build(&polygons, MESH_WHOLE, &options, &sheet->store, &sheet->mesh, status)
               : code;
}

/* What no material says: unit masses, and springs that do not depend on the mesh. Diagonals of quads are none. */
static void set_constants(System *system, double stiffness) {
    EdgeLaw *edges = (EdgeLaw *)edge_law(laws_find(&system->laws, &edge_kind));
    for (int e = 0; e < edges->law.count; ++e) {
        double k = edges->source[e]->kind == EDGE_CLOTH ? stiffness * FORCE : 0.0;
        edges->stiffness[e] = edges->law.bound[e] = k;
    }
    for (int i = 0; i < system->vertex_count; ++i) {
        system->mass[i] = 1.0;
    }
    system->gravity = vec3(0, 0, -GRAVITY);
}

static StatusCode open_sheet(SweptSheet *sheet, int side, double stiffness, int threads,
                             const SolverOptions *options, Status *status) {
    SystemOptions model = {.model = MODEL_EDGE, .tension_only = true, .bending = BENDING_SPRINGS};
    System *system = &sheet->system;
    StatusCode code = lay_grid(sheet, side, status);
    int count = side * side;
    sheet->pool = pool_create(threads);
    sheet->x = STORE_ARRAY(&sheet->store, Vec3, count);
    sheet->v = STORE_ARRAY(&sheet->store, Vec3, count);
    sheet->z = STORE_ARRAY(&sheet->store, Vec3, count);
    if (code == STATUS_OK && (!sheet->pool || sheet->store.failed)) {
        code = status_no_memory(status, "the sheet");
    }
    if (code == STATUS_OK) {
        code = system_build(system, &sheet->mesh, &model, sheet->pool, &sheet->store, status);
    }
    if (code != STATUS_OK) {
        return code;
    }
    /* a weak spring of 2 m is a hinge of 1 m; laws/research/bend_spring.h */
    system->materials[0] = (Material){.density = 1,
                                      .stretch_warp = 1,
                                      .stretch_weft = 1,
                                      .bend = WEAK * 4.0 / 36.0,
                                      .bend_weft = 1,
                                      .damping = (FORCE - 1.0) / STEP};
    system_refresh_material(system);
    set_constants(system, stiffness);
    system->held[0] = system->held[side - 1] = 1;
    memcpy(sheet->x, sheet->mesh.rest, (size_t)count * sizeof(Vec3));
    sheet->solver = sweep_solver_create(system, options, status);
    return sheet->solver ? sheet->solver->prepare(sheet->solver, STEP, status) : status->code;
}

static void close_sheet(SweptSheet *sheet) {
    if (sheet->solver) {
        solver_destroy(sheet->solver);
    }
    pool_destroy(sheet->pool);
    store_release(&sheet->store);
}

static void sheet_step(SweptSheet *sheet) {
    StateHistory past = {
        .positions = {sheet->x, sheet->x}, .start = sheet->x, .velocity = sheet->v};
    double begin = timing_now();
    sheet->solver->advance(sheet->solver, &past, sheet->z);
    sheet->seconds = timing_now() - begin;
    for (int i = 0; i < sheet->system.vertex_count; ++i) {
        sheet->v[i] = vec3_scale(1 / STEP, vec3_sub(sheet->z[i], sheet->x[i]));
        sheet->x[i] = sheet->z[i];
    }
}

static double drop_of(const SweptSheet *sheet) {
    double sum = 0;
    for (int i = 0; i < sheet->system.vertex_count; ++i) {
        sum -= sheet->x[i].z;
    }
    return sum / sheet->system.vertex_count;
}

static double energy_of(const SweptSheet *sheet) {
    double sum = system_elastic_energy(&sheet->system, sheet->x);
    for (int i = 0; i < sheet->system.vertex_count; ++i) {
        sum += 0.5 * vec3_dot(sheet->v[i], sheet->v[i]) + GRAVITY * sheet->x[i].z;
    }
    return sum;
}

static double distance_of(const SweptSheet *one, const SweptSheet *other) {
    double sum = 0;
    for (int i = 0; i < one->system.vertex_count; ++i) {
        double apart = vec3_distance(one->x[i], other->x[i]);
        sum += apart * apart;
    }
    return sqrt(sum / one->system.vertex_count);
}

static bool has_diverged(const SweptSheet *sheet) {
    for (int i = 0; i < sheet->system.vertex_count; ++i) {
        if (!(vec3_distance(sheet->x[i], sheet->mesh.rest[i]) < FAR_AWAY)) {
            return true;
        }
    }
    return false;
}

static void run(SweptSheet *sheet, SweptSheet *implicit, int steps) {
    for (int step = 0; step < steps; ++step) {
        sheet_step(sheet);
        sheet_step(implicit);
        if (has_diverged(sheet)) {
            printf("inf inf inf inf inf inf inf\n");
            return;
        }
        printf("%.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", sheet->seconds, implicit->seconds,
               drop_of(sheet), drop_of(implicit), distance_of(sheet, implicit), energy_of(sheet),
               energy_of(implicit));
    }
}

static int method_of(const char *name) {
    static const char *const names[] = {
        [SWEEP_KIM] = "kim",         [SWEEP_KANG1] = "kang1",
        [SWEEP_KANG2] = "kang2",     [SWEEP_DESBRUN] = "desbrun",
        [SWEEP_CHOI_KO] = "choi-ko", [SWEEP_SYMPLECTIC] = "symplectic"};
    int count = (int)(sizeof names / sizeof *names);
    for (int method = 0; method < count; ++method) {
        if (strcmp(name, names[method]) == 0) {
            return method;
        }
    }
    return -1;
}

int main(int count, char **words) {
    int method = count > 5 ? method_of(words[1]) : -1, sweeps = count > 2 ? atoi(words[2]) : 0;
    int side = count > 3 ? atoi(words[3]) : 0, steps = count > 4 ? atoi(words[4]) : 0;
    int threads = count > 6 ? atoi(words[6]) : 1;
    if (method < 0 || sweeps < 1 || side < 3 || steps < 1 || threads < 1) {
        fprintf(stderr, "usage: sweeps METHOD SWEEPS SIDE STEPS STIFFNESS [THREADS]\n");
        return 2;
    }
    Status status;
    status_clear(&status);
    SolverOptions options = {.sweep_method = (SweepMethod)method,
                             .sweeps = sweeps,
                             .pcg_tolerance = 1e-6,
                             .pcg_limit = 4000};
    SolverOptions converged = options;
    converged.sweep_method = SWEEP_CHOI_KO;
    SweptSheet sheet = {0}, implicit = {0};
    StatusCode code = open_sheet(&sheet, side, atof(words[5]), threads, &options, &status);
    if (code == STATUS_OK) {
        code = open_sheet(&implicit, side, atof(words[5]), threads, &converged, &status);
    }
    if (code == STATUS_OK) {
        run(&sheet, &implicit, steps);
    } else {
        fprintf(stderr, "%s\n", status.message);
    }
    close_sheet(&sheet);
    close_sheet(&implicit);
    return code != STATUS_OK;
}
