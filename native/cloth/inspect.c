/* Looking at how the caller's mesh lies and sits, whichever mesh is simulated, and putting points that he has made of it before
 * its bodies. */
#include <stdlib.h>

#include "cloth/state.h"

/* --- how it lies --------------------------------------------------------------------------------- */

/* The inspection knows the garment, and the bodies where they are. */
static StatusCode make_inspection(Cloth *cloth, Status *status) {
    if (!cloth->inspection) {
        cloth->inspection = inspection_create(&cloth->inputs.mesh.polygons,
                                              &cloth->options.simulation.mesh, status);
    }
    for (int b = 0; b < cloth->inputs.bodies.count && cloth->inspection; ++b) {
        InputBody *body = &cloth->inputs.bodies.list[b];
        if (!body->present) {
            inspection_remove_body(cloth->inspection, b);
        } else if (!body->inspected &&
                   inspection_set_body(cloth->inspection, b, &body->mesh.polygons, status) < 0) {
            return status->code;
        }
        body->inspected = body->present;
        if (body->present) {
            inspection_place_body(cloth->inspection, b, body->place);
        }
    }
    return cloth->inspection ? STATUS_OK : status->code;
}

StatusCode cloth_inspect(Cloth *cloth, InspectionReport *report, Status *status) {
    float *positions = SCRATCH_ARRAY(float, 3 * (size_t)cloth_vertex_count(cloth));
    if (!positions) {
        return status_no_memory(status, "an inspection");
    }
    const LinkInputs *links = &cloth->inputs.set.links;
    Store store = {0};
    Sewn sewn;
    StatusCode code = make_inspection(cloth, status);
    if (code >= 0 && links->count > 0) {
        code = links_find_sewn(links, cloth_vertex_count(cloth), &store, &sewn, status);
    }
    if (code >= 0) {
        cloth_get_state(cloth, positions, NULL);
        inspection_set_seams(cloth->inspection, links->count > 0 ? &sewn : NULL);
        code = inspection_run(cloth->inspection, simulation_pool(active_simulation(cloth)),
                              positions, report, status);
        inspection_set_seams(cloth->inspection, NULL);
    }
    store_release(&store);
    free(positions);
    return code;
}

int cloth_inspected_places(const Cloth *cloth, InspectionPlace *places, int capacity) {
    return cloth->inspection ? inspection_places(cloth->inspection, places, capacity) : 0;
}

/* --- how it sits --------------------------------------------------------------------------------- */

/* From a level to the next finer one, which is embedded in it. */
static void fit_down(const Embedding *embedding, const VertexFit *coarse, VertexFit *fine) {
    for (int v = 0; v < embedding->fine_count; ++v) {
        const EmbeddedVertex *embedded = &embedding->vertices[v];
        fine[v] = vertex_fit_mean(coarse, embedded->vertices, embedded->weights);
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
        fit_down(&cloth->levels[l].embedding, at, next);
        at = next;
    }
    return code;
}

static void tell(float *to, int vertex, double value) {
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
        tell(arrays->warp, v, fit[v].warp);
        tell(arrays->weft, v, fit[v].weft);
        tell(arrays->shear, v, fit[v].shear);
        tell(arrays->pressure, v, fit[v].pressure);
        tell(arrays->warp_tension, v, fit[v].warp_tension);
        tell(arrays->weft_tension, v, fit[v].weft_tension);
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
            points[v] = vector_at(positions, (int64_t)v);
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

/* --- points beside it ---------------------------------------------------------------------------- */

/* Points that are as many as the caller's vertices are taken for them: what each met last is near. */
static void put_outside(Cloth *cloth, double reach, int count, OutsideHint *scratch, Vec3 *points) {
    Domain *domain = cloth->levels[cloth->level].domain;
    Simulation *active = domain_active(domain);
    bool vertices = cloth->budgeted && count == cloth->levels[0].count;
    for (int i = 0; i < count; ++i) {
        scratch[i] = (OutsideHint){.body = -1};
    }
    simulation_place_bodies(active);
    domain_keep_out(domain, simulation_pool(active), reach, count,
                    vertices ? cloth->added_hints : scratch, points);
}

StatusCode cloth_put_outside(Cloth *cloth, double reach, int count, float *points, Status *status) {
    OutsideHint *hints = SCRATCH_ARRAY(OutsideHint, count);
    Vec3 *places = SCRATCH_ARRAY(Vec3, count);
    bool failed = !hints || !places;
    if (!failed) {
        for (int i = 0; i < count; ++i) {
            places[i] = vector_at(points, i);
        }
        put_outside(cloth, reach, count, hints, places);
        for (int i = 0; i < count; ++i) {
            set_vector(points, i, places[i]);
        }
    }
    free(hints);
    free(places);
    return failed ? status_no_memory(status, "points to put outside") : STATUS_OK;
}
