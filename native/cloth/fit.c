/* How a cloth sits, in the caller's vertices. */
#include <stdlib.h>

#include "cloth/state.h"

/* From a level to the next finer one, which rides on it. */
static void ride_down(const Riding *riding, const VertexFit *coarse, VertexFit *fine) {
    for (int v = 0; v < riding->fine_count; ++v) {
        const Rider *rider = &riding->riders[v];
        fine[v] = vertex_fit_mean(coarse, rider->vertices, rider->weights);
    }
}

/* Leaves them in the first of the two arrays, which have room for the caller's vertices. */
static StatusCode measure(Cloth *cloth, FitPart part, VertexFit *fit, VertexFit *other,
                          Status *status) {
    /* every ride changes arrays, the last one to `fit` */
    VertexFit *at = cloth->level % 2 ? other : fit;
    StatusCode code = domain_carry_fit(cloth->levels[cloth->level].domain, part, at, status);
    for (int l = cloth->level; l > 0 && code >= 0; --l) {
        VertexFit *next = at == fit ? other : fit;
        ride_down(&cloth->levels[l].riding, at, next);
        at = next;
    }
    return code;
}

static void write(float *to, int vertex, double value) {
    if (to) {
        to[vertex] = (float)value;
    }
}

static StatusCode tell_fit(Cloth *cloth, FitPart part, const FitArrays *arrays, Status *status) {
    int count = cloth->levels[0].count;
    size_t coarser = cloth->level > 0 ? (size_t)count : 0;
    VertexFit *fit = SCRATCH_ARRAY(VertexFit, count), *other = SCRATCH_ARRAY(VertexFit, coarser);
    StatusCode code = fit && other ? measure(cloth, part, fit, other, status)
                                   : status_no_memory(status, "a fit report");
    for (int v = 0; v < count && code >= 0; ++v) {
        write(arrays->warp, v, fit[v].warp);
        write(arrays->weft, v, fit[v].weft);
        write(arrays->shear, v, fit[v].shear);
        write(arrays->pressure, v, fit[v].pressure);
        write(arrays->warp_tension, v, fit[v].warp_tension);
        write(arrays->weft_tension, v, fit[v].weft_tension);
    }
    free(fit);
    free(other);
    return code;
}

static StatusCode tell_gaps(Cloth *cloth, float *gap, Status *status) {
    size_t count = (size_t)cloth->levels[0].count;
    float *positions = SCRATCH_ARRAY(float, 3 * count);
    Vec3 *points = SCRATCH_ARRAY(Vec3, count);
    BodyGap *gaps = SCRATCH_ARRAY(BodyGap, count);
    bool failed = !positions || !points || !gaps;
    if (!failed) {
        cloth_get_state(cloth, positions, NULL);
        for (size_t v = 0; v < count; ++v) {
            points[v] = cloth_vector(positions, (int64_t)v);
        }
        domain_gaps(cloth->levels[cloth->level].domain, (int)count, points, gaps);
        for (size_t v = 0; v < count; ++v) {
            gap[v] = (float)gaps[v].gap;
        }
    }
    free(positions);
    free(points);
    free(gaps);
    return failed ? status_no_memory(status, "a fit report") : STATUS_OK;
}

/* Whether anything of this part was asked for. */
static bool is_wanted(FitPart part, const FitArrays *arrays) {
    return part == FIT_TENSION ? arrays->warp_tension || arrays->weft_tension
                               : arrays->warp || arrays->weft || arrays->shear || arrays->pressure;
}

StatusCode cloth_fit(Cloth *cloth, FitPart part, const FitArrays *arrays, Status *status) {
    StatusCode code = is_wanted(part, arrays) ? tell_fit(cloth, part, arrays, status) : STATUS_OK;
    return code >= 0 && arrays->gap ? tell_gaps(cloth, arrays->gap, status) : code;
}
