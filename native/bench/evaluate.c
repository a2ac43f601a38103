/* What the parts of a round cost beside the solve, for square grids of SIDE x SIDE vertices.
 * Prints one line for each: vertices, parcels, shares per vertex, then milliseconds on one thread: of the tensions of
 * all elements by rows, of their forces by parcels, of force, gradient and energy together, of the solve.
 * Times are the least of ROUNDS. Usage: evaluate ROUNDS SIDE... */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/machine.h"
#include "common/sheet.h"

static double least(double a, double b) { return a < b ? a : b; }

static void measure(Sheet *sheet, int rounds, const Vec3 *z) {
    System *system = &sheet->system;
    Substep *substep = &sheet->solver->substep;
    const Solve *solve = factor_solve(linear_solver_factor(sheet->solver));
    double rows = INFINITY, parcels = INFINITY, all = INFINITY, solving = INFINITY;
    substep_begin(substep, sheet->mesh.rest, sheet->mesh.rest);
    for (int round = 0; round < rounds; ++round) {
        double begin = timing_now();
        system_local_step(system, &(Guess){.z = z, .present = z});
        double rowed = timing_now();
        solve_apply(solve, sheet->pool, substep->gradient, substep->gradient);
        double solved = timing_now();
        system_evaluate(system, z, z);
        double parted = timing_now();
        solve_apply(solve, sheet->pool, substep->gradient, substep->gradient);
        double again = timing_now();
        substep_evaluate(substep, z);
        all = least(all, timing_now() - again);
        rows = least(rows, rowed - begin);
        solving = least(solving, solved - rowed);
        parcels = least(parcels, parted - solved);
    }
    printf("%d %d %.3f %.3f %.3f %.3f %.3f\n", system->vertex_count, system->parcels.count,
           (double)system->parcels.start[system->parcels.count] / system->vertex_count, 1e3 * rows,
           1e3 * parcels, 1e3 * all, 1e3 * solving);
}

int main(int argc, char **argv) {
    int rounds = argc > 2 ? atoi(argv[1]) : 0;
    if (rounds < 1) {
        fprintf(stderr, "usage: evaluate ROUNDS SIDE...\n");
        return 2;
    }
    for (int a = 2; a < argc; ++a) {
        Status status;
        Sheet sheet = {0};
        if (sheet_open(&sheet, atoi(argv[a]), &status) != STATUS_OK) {
            fprintf(stderr, "evaluate: %s\n", status.message);
            sheet_close(&sheet);
            return 1;
        }
        Vec3 *z = STORE_ARRAY(&sheet.store, Vec3, sheet.mesh.vertex_count);
        for (int v = 0; z && v < sheet.mesh.vertex_count; ++v) {
            Vec3 x = sheet.mesh.rest[v];
            z[v] = vec3(x.x, 0.9 * x.y, 0.1 * sin(9 * x.x) * cos(7 * x.y));
        }
        if (z) {
            measure(&sheet, rounds, z);
        }
        sheet_close(&sheet);
    }
    return 0;
}
