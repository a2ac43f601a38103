/* Factors and solves of the patches, by the numbers for the machine at hand (schwarz_numbers.c). */
#include "solver/constant/schwarz.h"
#include "base/machine.h"

void schwarz_factor(Schwarz *schwarz, const Block *own) {
    SchwarzWork work = {.schwarz = schwarz, .own = own};
    PoolTask factor = schwarz_factor_batches;
#if defined(__x86_64__)
    factor = machine_has_avx2() ? schwarz_factor_batches_avx2 : factor;
#endif
    pool_each(schwarz->hessian->system->pool, schwarz->batch_count, factor, &work);
}

void schwarz_solve(Schwarz *schwarz, const Vec3 *right) {
    SchwarzWork work = {.schwarz = schwarz, .right = right};
    PoolTask solve = schwarz_solve_batches;
#if defined(__x86_64__)
    solve = machine_has_avx2() ? schwarz_solve_batches_avx2 : solve;
#endif
    pool_each(schwarz->hessian->system->pool, schwarz->batch_count, solve, &work);
}

Vec3 schwarz_answer(const Schwarz *schwarz, int vertex) {
    const float *answer = (const float *)schwarz->answer;
    Vec3 sum = vec3(0, 0, 0);
    for (int e = schwarz->entry_start[vertex]; e < schwarz->entry_start[vertex + 1]; ++e) {
        const float *at = answer + schwarz->entry[e];
        sum = vec3_add(
            sum, vec3((double)at[0], (double)at[SCHWARZ_LANES], (double)at[2 * SCHWARZ_LANES]));
    }
    return sum;
}
