/* What may change while running: for all levels that there are, and remembered for those that are not. */
#include <string.h>

#include "live/state.h"

/* --- one number for all ------------------------------------------------------------------------- */

StatusCode live_set_self_contact(Live *live, const BodySurface *surface, Status *status) {
    StatusCode code = STATUS_OK;
    for (int l = 0; l < LEVELS_MOST && code >= 0; ++l) {
        if (live->levels[l].cloth) {
            code = cloth_set_self_contact(live->levels[l].cloth, surface, status);
        }
    }
    live->self_contact = code >= 0 ? *surface : live->self_contact;
    live_disturb(live);
    return code;
}

StatusCode live_set_materials(Live *live, const Material *materials, Status *status) {
    settle_end(live);
    StatusCode code = cloth_set_materials(live->levels[0].cloth, materials, status);
    for (int l = 1; l < LEVELS_MOST && code >= 0; ++l) {
        Status told = {0}; /* as level 0 said */
        if (live->levels[l].cloth) {
            cloth_set_materials(live->levels[l].cloth, materials, &told);
        }
    }
    if (code >= 0) {
        int count = system_part_count(&live->options.simulation.system);
        memmove(live->options.simulation.materials, materials, (size_t)count * sizeof *materials);
        live_disturb(live);
    }
    return code;
}

const Material *live_materials(const Live *live) { return live->options.simulation.materials; }

StatusCode live_set_forces(Live *live, Vec3 gravity, const Wind *wind, Status *status) {
    StatusCode code = cloth_set_forces(live->levels[0].cloth, gravity, wind, status);
    for (int l = 1; l < LEVELS_MOST && code >= 0; ++l) {
        Status told = {0};
        if (live->levels[l].cloth) {
            cloth_set_forces(live->levels[l].cloth, gravity, wind, &told);
        }
    }
    if (code >= 0) {
        live->options.simulation.gravity = gravity;
        live->options.simulation.wind = *wind;
        live_disturb(live);
    }
    return code;
}

StatusCode live_set_fields(Live *live, const float *wind, const float *traction, Status *status) {
    const float *given[2] = {wind, traction};
    StatusCode code = cloth_set_fields(live->levels[0].cloth, wind, traction, status);
    if (code < 0) {
        return code;
    }
    for (int k = 0; k < 2 && live->budgeted; ++k) {
        live->has_fields[k] = given[k] != NULL;
        if (given[k]) {
            memcpy(live->fields[k], given[k], 3 * (size_t)live->levels[0].count * sizeof(float));
        }
    }
    for (int l = 1; l < live->level_count && live->budgeted; ++l) {
        Status told = {0}; /* as level 0 said */
        if (live->levels[l].cloth) {
            levels_give_fields(live, l, &told);
        }
    }
    live_disturb(live);
    return code;
}

void live_set_rounds(Live *live, int substeps, int iterations) {
    live->options.simulation.substeps = substeps;
    live->options.simulation.solving.iterations = iterations;
    live->options.simulation.solving.quality = QUALITY_CUSTOM;
    for (int l = 0; l < LEVELS_MOST; ++l) {
        if (live->levels[l].cloth) {
            cloth_set_rounds(live->levels[l].cloth, substeps, iterations);
        }
    }
    live_disturb(live);
}

void live_set_quality(Live *live, Quality quality) {
    live->options.simulation.solving.quality = quality;
    for (int l = 0; l < LEVELS_MOST; ++l) {
        if (live->levels[l].cloth) {
            cloth_set_quality(live->levels[l].cloth, quality);
        }
    }
    live_disturb(live);
}

/* --- maps --------------------------------------------------------------------------------------- */

StatusCode live_set_scales(Live *live, const GivenScales *scales, Status *status) {
    live_disturb(live);
    StatusCode code = cloth_set_scales(live->levels[0].cloth, scales, status);
    if (code < 0 || !live->budgeted) {
        return code;
    }
    for (int k = 0; k < SCALE_KINDS; ++k) {
        live->has_scales[k] = scales->given[k] ? scales->of[k] != NULL : live->has_scales[k];
        if (scales->given[k] && scales->of[k]) {
            memcpy(live->scales[k], scales->of[k], (size_t)live->levels[0].count * sizeof(float));
        }
    }
    for (int l = 1; l < live->level_count && code >= 0; ++l) {
        Status told = {0};
        if (live->levels[l].cloth && levels_give_scales(live, l, &told) < 0) {
            *status = told;
            code = told.code;
        }
    }
    return code;
}

/* --- pins --------------------------------------------------------------------------------------- */

/* Level 0 looks at them first, with targets that it does not know where it is not active. */
static StatusCode keep_pins(Live *live, int count, const int32_t *vertices, const float *weights,
                            const float *targets, Status *status) {
    LivePins *pins = &live->pins;
    Cloth *fine = live->levels[0].cloth;
    bool stay = !targets;
    if (stay && live->level > 0) {
        passage_read(live);
        for (int p = 0; p < count; ++p) {
            live_write(live->floats, p, live->levels[0].x[vertices[p]]);
        }
        targets = live->floats;
    }
    StatusCode code = stay ? cloth_take_pins(fine, live->levels[live->level].cloth, count, vertices,
                                             weights, targets, status)
                           : cloth_set_pins(fine, count, vertices, weights, targets, status);
    if (code < 0) {
        return code;
    }
    if (!targets) {
        passage_read(live);
    }
    memset(pins->held, 0, (size_t)live->levels[0].count);
    pins->count = count;
    pins->stay = stay;
    pins->reached = false;
    for (int p = 0; p < count; ++p) {
        pins->vertices[p] = vertices[p];
        pins->weights[p] = weights ? weights[p] : 1;
        pins->held[vertices[p]] = pins->weights[p] > 0 && !cloth_pin_is_idle(fine, vertices[p]);
        live_write(pins->targets, p,
                   targets ? live_vector(targets, p) : live->levels[0].x[vertices[p]]);
    }
    return code;
}

/* The caller's mesh takes over, with its bodies where they are now, and the levels are made anew by the next step. */
static StatusCode leave_levels(Live *live, Status *status) {
    if (live->level > 0) {
        passage_read(live);
        passage_read_velocities(live);
        if (live_bodies_put(live, 0, status) < 0 || passage_restrict(live, 0, status) < 0) {
            return status->code;
        }
    }
    live->level = 0;
    live->stepped = false;
    levels_forget(live);
    return STATUS_OK;
}

StatusCode live_set_pins(Live *live, int count, const int32_t *vertices, const float *weights,
                         const float *targets, Status *status) {
    live_disturb(live);
    if (!live->budgeted) {
        return cloth_set_pins(live->levels[0].cloth, count, vertices, weights, targets, status);
    }
    StatusCode code = keep_pins(live, count, vertices, weights, targets, status);
    if (code < 0 || live->level_count == 0) {
        return code;
    }
    if (!levels_hold_pins(live)) { /* other vertices have to stay: other levels */
        Status told = {0};
        if (leave_levels(live, &told) < 0) {
            *status = told;
            return told.code;
        }
        return code;
    }
    for (int l = 1; l < live->level_count; ++l) {
        Status told = {0};
        if (live->levels[l].cloth && levels_give_pins(live, l, &told) < 0) {
            *status = told;
            return told.code;
        }
    }
    return code;
}

int live_pin_count(const Live *live) { return cloth_pin_count(live->levels[0].cloth); }

StatusCode live_move_pins(Live *live, const float *targets, Status *status) {
    LivePins *pins = &live->pins;
    size_t bytes = 3 * (size_t)pins->count * sizeof(float);
    if (!live->budgeted || (bytes > 0 && memcmp(pins->targets, targets, bytes) != 0)) {
        live_disturb(live);
    }
    StatusCode code = cloth_move_pins(live->levels[0].cloth, targets, status);
    if (code < 0 || !live->budgeted) {
        return code;
    }
    if (bytes > 0) { /* else the targets may be null */
        memcpy(pins->targets, targets, bytes);
    }
    pins->stay = false;
    for (int l = 1; l < live->level_count; ++l) {
        Status told = {0};
        int count = 0;
        for (int p = 0; live->levels[l].cloth && p < pins->count; ++p) {
            if (levels_pin(live, l, p) >= 0) {
                memcpy(live->floats + 3 * (int64_t)count++, targets + 3 * (int64_t)p,
                       3 * sizeof(float));
            }
        }
        if (live->levels[l].cloth &&
            cloth_move_pins(live->levels[l].cloth, live->floats, &told) < 0) {
            *status = told;
            return told.code;
        }
    }
    return code;
}

StatusCode live_set_links(Live *live, bool keep, int count, const Link *links, bool weightless,
                          Status *status) {
    if (keep && count == 0) {
        return STATUS_OK;
    }
    Status told = {0};
    live_disturb(live);
    if (live->budgeted && live->level_count > 0 && leave_levels(live, &told) < 0) {
        *status = told;
        return told.code;
    }
    StatusCode code =
        cloth_set_links(live->levels[0].cloth, keep, count, links, weightless, status);
    live->linked = code >= 0 ? count > 0 : live->linked;
    return code;
}

void live_release_links(Live *live, int set) {
    live_disturb(live);
    cloth_release_links(live->levels[0].cloth, set);
}

void live_hold_links(Live *live, int set) {
    live_disturb(live);
    cloth_hold_links(live->levels[0].cloth, set);
}

void live_link_report(const Live *live, int set, LinkReport *report) {
    cloth_link_report(live->levels[0].cloth, set, report);
}
