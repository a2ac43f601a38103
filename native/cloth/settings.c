/* What may change while running: for all levels that there are, and remembered for those that are not. */
#include <string.h>

#include "cloth/state.h"

/* --- one number for all ------------------------------------------------------------------------- */

StatusCode cloth_set_self_contact(Cloth *cloth, const BodySurface *surface, Status *status) {
    StatusCode code = STATUS_OK;
    for (int l = 0; l < LEVELS_MOST && code >= 0; ++l) {
        if (cloth->levels[l].domain) {
            code = domain_set_self_contact(cloth->levels[l].domain, surface, status);
        }
    }
    cloth->self_contact = code >= 0 ? *surface : cloth->self_contact;
    cloth_disturb(cloth);
    return code;
}

StatusCode cloth_set_materials(Cloth *cloth, const Material *materials, Status *status) {
    settle_end(cloth);
    StatusCode code = domain_set_materials(cloth->levels[0].domain, materials, status);
    for (int l = 1; l < LEVELS_MOST && code >= 0; ++l) {
        Status told = {0}; /* as level 0 said */
        if (cloth->levels[l].domain) {
            domain_set_materials(cloth->levels[l].domain, materials, &told);
        }
    }
    if (code >= 0) {
        int count = system_part_count(&cloth->options.simulation.system);
        memmove(cloth->options.simulation.materials, materials, (size_t)count * sizeof *materials);
        cloth_disturb(cloth);
    }
    return code;
}

const Material *cloth_materials(const Cloth *cloth) { return cloth->options.simulation.materials; }

StatusCode cloth_set_forces(Cloth *cloth, Vec3 gravity, const Wind *wind, Status *status) {
    StatusCode code = domain_set_forces(cloth->levels[0].domain, gravity, wind, status);
    for (int l = 1; l < LEVELS_MOST && code >= 0; ++l) {
        Status told = {0};
        if (cloth->levels[l].domain) {
            domain_set_forces(cloth->levels[l].domain, gravity, wind, &told);
        }
    }
    if (code >= 0) {
        cloth->options.simulation.gravity = gravity;
        cloth->options.simulation.wind = *wind;
        cloth_disturb(cloth);
    }
    return code;
}

StatusCode cloth_set_fields(Cloth *cloth, const float *wind, const float *traction,
                            Status *status) {
    const float *given[2] = {wind, traction};
    StatusCode code = domain_set_fields(cloth->levels[0].domain, wind, traction, status);
    if (code < 0) {
        return code;
    }
    for (int k = 0; k < 2 && cloth->budgeted; ++k) {
        cloth->has_fields[k] = given[k] != NULL;
        if (given[k]) {
            memcpy(cloth->fields[k], given[k], 3 * (size_t)cloth->levels[0].count * sizeof(float));
        }
    }
    for (int l = 1; l < cloth->level_count && cloth->budgeted; ++l) {
        Status told = {0}; /* as level 0 said */
        if (cloth->levels[l].domain) {
            levels_give_fields(cloth, l, &told);
        }
    }
    cloth_disturb(cloth);
    return code;
}

void cloth_set_rounds(Cloth *cloth, int substeps, int iterations) {
    cloth->options.simulation.substeps = substeps;
    cloth->options.simulation.solving.iterations = iterations;
    cloth->options.simulation.solving.quality = QUALITY_CUSTOM;
    for (int l = 0; l < LEVELS_MOST; ++l) {
        if (cloth->levels[l].domain) {
            domain_set_rounds(cloth->levels[l].domain, substeps, iterations);
        }
    }
    cloth_disturb(cloth);
}

void cloth_set_quality(Cloth *cloth, Quality quality) {
    cloth->options.simulation.solving.quality = quality;
    for (int l = 0; l < LEVELS_MOST; ++l) {
        if (cloth->levels[l].domain) {
            domain_set_quality(cloth->levels[l].domain, quality);
        }
    }
    cloth_disturb(cloth);
}

/* --- maps --------------------------------------------------------------------------------------- */

StatusCode cloth_set_scales(Cloth *cloth, const GivenScales *scales, Status *status) {
    cloth_disturb(cloth);
    StatusCode code = domain_set_scales(cloth->levels[0].domain, scales, status);
    if (code < 0 || !cloth->budgeted) {
        return code;
    }
    for (int k = 0; k < SCALE_KINDS; ++k) {
        cloth->has_scales[k] = scales->given[k] ? scales->of[k] != NULL : cloth->has_scales[k];
        if (scales->given[k] && scales->of[k]) {
            memcpy(cloth->scales[k], scales->of[k], (size_t)cloth->levels[0].count * sizeof(float));
        }
    }
    for (int l = 1; l < cloth->level_count && code >= 0; ++l) {
        Status told = {0};
        if (cloth->levels[l].domain && levels_give_scales(cloth, l, &told) < 0) {
            *status = told;
            code = told.code;
        }
    }
    return code;
}

/* --- pins --------------------------------------------------------------------------------------- */

/* Level 0 looks at them first, with targets that it does not know where it is not active. */
static StatusCode keep_pins(Cloth *cloth, int count, const int32_t *vertices, const float *weights,
                            const float *targets, Status *status) {
    ClothPins *pins = &cloth->pins;
    Domain *fine = cloth->levels[0].domain;
    bool stay = !targets;
    if (stay && cloth->level > 0) {
        passage_read(cloth);
        for (int p = 0; p < count; ++p) {
            cloth_write(cloth->floats, p, cloth->levels[0].x[vertices[p]]);
        }
        targets = cloth->floats;
    }
    StatusCode code = stay ? domain_take_pins(fine, cloth->levels[cloth->level].domain, count,
                                              vertices, weights, targets, status)
                           : domain_set_pins(fine, count, vertices, weights, targets, status);
    if (code < 0) {
        return code;
    }
    if (!targets) {
        passage_read(cloth);
    }
    memset(pins->held, 0, (size_t)cloth->levels[0].count);
    pins->count = count;
    pins->stay = stay;
    pins->reached = false;
    for (int p = 0; p < count; ++p) {
        pins->vertices[p] = vertices[p];
        pins->weights[p] = weights ? weights[p] : 1;
        pins->held[vertices[p]] = pins->weights[p] > 0 && !domain_pin_is_idle(fine, vertices[p]);
        cloth_write(pins->targets, p,
                    targets ? cloth_vector(targets, p) : cloth->levels[0].x[vertices[p]]);
    }
    return code;
}

/* The caller's mesh takes over, with its bodies where they are now, and the levels are made anew by the next step. */
static StatusCode leave_levels(Cloth *cloth, Status *status) {
    if (cloth->level > 0) {
        passage_read(cloth);
        passage_read_velocities(cloth);
        if (cloth_bodies_put(cloth, 0, status) < 0 || passage_restrict(cloth, 0, status) < 0) {
            return status->code;
        }
    }
    cloth->level = 0;
    cloth->stepped = false;
    levels_forget(cloth);
    return STATUS_OK;
}

StatusCode cloth_set_pins(Cloth *cloth, int count, const int32_t *vertices, const float *weights,
                          const float *targets, Status *status) {
    cloth_disturb(cloth);
    if (!cloth->budgeted) {
        return domain_set_pins(cloth->levels[0].domain, count, vertices, weights, targets, status);
    }
    StatusCode code = keep_pins(cloth, count, vertices, weights, targets, status);
    if (code < 0 || cloth->level_count == 0) {
        return code;
    }
    if (!levels_hold_pins(cloth)) { /* other vertices have to stay: other levels */
        Status told = {0};
        if (leave_levels(cloth, &told) < 0) {
            *status = told;
            return told.code;
        }
        return code;
    }
    for (int l = 1; l < cloth->level_count; ++l) {
        Status told = {0};
        if (cloth->levels[l].domain && levels_give_pins(cloth, l, &told) < 0) {
            *status = told;
            return told.code;
        }
    }
    return code;
}

int cloth_pin_count(const Cloth *cloth) { return domain_pin_count(cloth->levels[0].domain); }

StatusCode cloth_move_pins(Cloth *cloth, const float *targets, Status *status) {
    ClothPins *pins = &cloth->pins;
    size_t bytes = 3 * (size_t)pins->count * sizeof(float);
    if (!cloth->budgeted || (bytes > 0 && memcmp(pins->targets, targets, bytes) != 0)) {
        cloth_disturb(cloth);
    }
    StatusCode code = domain_move_pins(cloth->levels[0].domain, targets, status);
    if (code < 0 || !cloth->budgeted) {
        return code;
    }
    if (bytes > 0) { /* else the targets may be null */
        memcpy(pins->targets, targets, bytes);
    }
    pins->stay = false;
    for (int l = 1; l < cloth->level_count; ++l) {
        Status told = {0};
        int count = 0;
        for (int p = 0; cloth->levels[l].domain && p < pins->count; ++p) {
            if (levels_pin(cloth, l, p) >= 0) {
                memcpy(cloth->floats + 3 * (int64_t)count++, targets + 3 * (int64_t)p,
                       3 * sizeof(float));
            }
        }
        if (cloth->levels[l].domain &&
            domain_move_pins(cloth->levels[l].domain, cloth->floats, &told) < 0) {
            *status = told;
            return told.code;
        }
    }
    return code;
}

StatusCode cloth_set_links(Cloth *cloth, bool keep, int count, const Link *links, bool weightless,
                           Status *status) {
    if (keep && count == 0) {
        return STATUS_OK;
    }
    Status told = {0};
    cloth_disturb(cloth);
    if (cloth->budgeted && cloth->level_count > 0 && leave_levels(cloth, &told) < 0) {
        *status = told;
        return told.code;
    }
    StatusCode code =
        domain_set_links(cloth->levels[0].domain, keep, count, links, weightless, status);
    cloth->linked = code >= 0 ? count > 0 : cloth->linked;
    return code;
}

void cloth_release_links(Cloth *cloth, int set) {
    cloth_disturb(cloth);
    domain_release_links(cloth->levels[0].domain, set);
}

void cloth_hold_links(Cloth *cloth, int set) {
    cloth_disturb(cloth);
    domain_hold_links(cloth->levels[0].domain, set);
}

void cloth_link_report(const Cloth *cloth, int set, LinkReport *report) {
    domain_link_report(cloth->levels[0].domain, set, report);
}
