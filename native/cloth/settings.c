/* What may change while running: for all levels that there are, and remembered for those that are not. */
#include <stdlib.h>
#include <string.h>

#include "cloth/state.h"

/* Level 0 has the same arrays. */
static void keep(Cloth *cloth, const Inputs *given, unsigned what) {
    inputs_keep(&cloth->inputs, given, what);
    cloth->levels[0].inputs = cloth->inputs.set;
}

/* To the coarser levels that there are. Their warnings are of other meshes. */
static StatusCode give_coarser(Cloth *cloth, unsigned what, Status *status) {
    for (int l = 1; l < cloth->level_count; ++l) {
        Status reported = {0};
        if (cloth->levels[l].domain && levels_give(cloth, l, what, &reported) < 0) {
            *status = reported;
            return reported.code;
        }
    }
    return STATUS_OK;
}

/* Level 0 comes first: what it refuses changes nothing, and what it warns of is reported. */
static StatusCode set(Cloth *cloth, const Inputs *given, unsigned what, Status *status) {
    if (!inputs_make_room(&cloth->inputs, given, what)) {
        return status_no_memory(status, "maps");
    }
    StatusCode code = domain_take(cloth->levels[0].domain, given, what, status);
    if (code < 0) {
        return code;
    }
    keep(cloth, given, what);
    cloth_disturb(cloth);
    return give_coarser(cloth, what, status) < 0 ? status->code : code;
}

/* --- what is not of single vertices ------------------------------------------------------------- */

StatusCode cloth_set_self_contact(Cloth *cloth, const BodySurface *surface, Status *status) {
    return set(cloth, &(Inputs){.self_contact = *surface}, INPUT_SELF_CONTACT, status);
}

StatusCode cloth_set_materials(Cloth *cloth, const Material *materials, Status *status) {
    settle_end(cloth);
    return set(cloth, &(Inputs){.materials = materials}, INPUT_MATERIALS, status);
}

const Material *cloth_materials(const Cloth *cloth) { return cloth->inputs.materials; }

StatusCode cloth_set_forces(Cloth *cloth, Vec3 gravity, const Wind *wind, Status *status) {
    return set(cloth, &(Inputs){.gravity = gravity, .wind = *wind}, INPUT_FORCES, status);
}

void cloth_set_iterations(Cloth *cloth, int substeps, int iterations) {
    const Inputs inputs = {
        .substeps = substeps, .iterations = iterations, .quality = QUALITY_CUSTOM};
    Status reported = {0}; /* they are always taken */
    set(cloth, &inputs, INPUT_SUBSTEPS | INPUT_ITERATIONS | INPUT_QUALITY, &reported);
}

void cloth_set_quality(Cloth *cloth, Quality quality) {
    Status reported = {0}; /* it is always taken */
    set(cloth, &(Inputs){.quality = quality}, INPUT_QUALITY, &reported);
}

/* --- maps and fields ---------------------------------------------------------------------------- */

StatusCode cloth_set_maps(Cloth *cloth, unsigned what, const float *const maps[MAP_KINDS],
                          Status *status) {
    Inputs inputs = {0};
    memcpy(inputs.maps, maps, sizeof inputs.maps);
    cloth_disturb(cloth);
    return set(cloth, &inputs, what & INPUT_MAPS, status);
}

StatusCode cloth_set_fields(Cloth *cloth, const float *wind, const float *traction,
                            Status *status) {
    const Inputs inputs = {
        .fields = {[FORCE_FIELD_WIND] = wind, [FORCE_FIELD_TRACTION] = traction}};
    return set(cloth, &inputs, INPUT_FIELDS, status);
}

/* --- pins --------------------------------------------------------------------------------------- */

/* The caller's mesh takes over, with its bodies where they are now, and the levels are made anew by the next step. */
static StatusCode leave_levels(Cloth *cloth, Status *status) {
    if (cloth->level > 0) {
        level_transfer_read(cloth);
        level_transfer_read_velocities(cloth);
        domain_put_bodies(cloth->levels[0].domain);
        if (level_transfer_restrict(cloth, 0, status) < 0) {
            return status->code;
        }
    }
    cloth->level = 0;
    cloth->stepped = false;
    levels_forget(cloth);
    return STATUS_OK;
}

/* Pins in arrays of their own; those that have no target stay where their vertices are. */
static StatusCode copy_pins(Cloth *cloth, const PinInputs *given, Store *store, PinInputs *pins,
                            float **own_targets, Status *status) {
    int count = given->count;
    int32_t *vertices = STORE_ARRAY(store, int32_t, count);
    float *weights = STORE_ARRAY(store, float, count);
    float *targets = STORE_ARRAY(store, float, 3 * (int64_t)count);
    size_t numbers = given->targets ? 0 : 3 * (size_t)cloth->levels[0].count;
    float *positions = SCRATCH_ARRAY(float, numbers);
    if (store->failed || !positions) {
        free(positions);
        return status_no_memory(status, "pins");
    }
    if (!given->targets) {
        cloth_get_state(cloth, positions, NULL);
    }
    for (int p = 0; p < count; ++p) {
        int v = vertices[p] = given->vertices[p];
        weights[p] = given->weights ? given->weights[p] : 1;
        set_vector(targets, p,
                   given->targets ? vector_at(given->targets, p) : vector_at(positions, v));
    }
    free(positions);
    *own_targets = targets;
    *pins =
        (PinInputs){.count = count, .vertices = vertices, .weights = weights, .targets = targets};
    return STATUS_OK;
}

static void mark_held(Cloth *cloth) {
    const PinInputs *pins = &cloth->inputs.set.pins;
    const Domain *fine = cloth->levels[0].domain;
    memset(cloth->pins.held, 0, (size_t)cloth->levels[0].count);
    for (int p = 0; p < pins->count; ++p) {
        int v = pins->vertices[p];
        cloth->pins.held[v] = pins->weights[p] > 0 && !domain_pin_is_idle(fine, v);
    }
}

/* Level 0 looks at them first, with targets that it does not know where it is not active. */
static StatusCode keep_pins(Cloth *cloth, const PinInputs *given, Status *status) {
    Store store = {0};
    Inputs inputs = {0};
    float *targets = NULL;
    bool stay = !given->targets;
    if (stay && cloth->budgeted) {
        level_transfer_read(cloth);
    }
    if (copy_pins(cloth, given, &store, &inputs.pins, &targets, status) < 0) {
        store_release(&store);
        return status->code;
    }
    inputs.pins.here = stay && cloth->level == 0;
    inputs.pins.symmetric = stay && domain_steps_half(cloth->levels[cloth->level].domain);
    StatusCode code = domain_take(cloth->levels[0].domain, &inputs, INPUT_PINS, status);
    if (code < 0) {
        store_release(&store);
        return code;
    }
    keep(cloth, &inputs, INPUT_PINS);
    cloth->inputs.targets = targets;
    store_release(&cloth->inputs.pin_store);
    cloth->inputs.pin_store = store;
    cloth->inputs.stay = stay;
    cloth->pins.reached = false;
    if (cloth->budgeted) {
        mark_held(cloth);
    }
    return code;
}

StatusCode cloth_set_pins(Cloth *cloth, int count, const int32_t *vertices, const float *weights,
                          const float *targets, Status *status) {
    const PinInputs given = {
        .count = count, .vertices = vertices, .weights = weights, .targets = targets};
    Status reported = {0};
    cloth_disturb(cloth);
    StatusCode code = keep_pins(cloth, &given, status);
    if (code < 0 || cloth->level_count == 0) {
        return code;
    }
    /* where other vertices have to stay there are other levels */
    StatusCode coarser = levels_hold_pins(cloth) ? give_coarser(cloth, INPUT_PINS, &reported)
                                                 : leave_levels(cloth, &reported);
    if (coarser < 0) {
        *status = reported;
        return reported.code;
    }
    return code;
}

int cloth_pin_count(const Cloth *cloth) { return cloth->inputs.set.pins.count; }

/* Told again where they are, pins of a cloth with a budget disturb nothing. */
StatusCode cloth_move_pins(Cloth *cloth, const float *targets, Status *status) {
    PinInputs *pins = &cloth->inputs.set.pins;
    size_t bytes = 3 * (size_t)pins->count * sizeof(float);
    if (!cloth->budgeted || (bytes > 0 && memcmp(pins->targets, targets, bytes) != 0)) {
        cloth_disturb(cloth);
    }
    const Inputs inputs = {.pins.targets = targets};
    StatusCode code = domain_take(cloth->levels[0].domain, &inputs, INPUT_TARGETS, status);
    if (code < 0) {
        return code;
    }
    if (bytes > 0) { /* else the targets may be null */
        memcpy(cloth->inputs.targets, targets, bytes);
    }
    pins->here = pins->symmetric = cloth->inputs.stay = false;
    cloth->levels[0].inputs = cloth->inputs.set;
    return give_coarser(cloth, INPUT_TARGETS, status) < 0 ? status->code : code;
}

/* --- links -------------------------------------------------------------------------------------- */

StatusCode cloth_set_links(Cloth *cloth, bool keep, int count, const Link *links, bool weightless,
                           Status *status) {
    if (keep && count == 0) {
        return STATUS_OK;
    }
    const LinkInputs *before = &cloth->inputs.set.links;
    Status reported = {0};
    cloth_disturb(cloth);
    if (cloth->budgeted && cloth->level_count > 0 && leave_levels(cloth, &reported) < 0) {
        *status = reported;
        return reported.code;
    }
    Store store = {0};
    const int kept = keep ? before->count : 0;
    Link *list = STORE_ARRAY(&store, Link, kept + (int64_t)count);
    if (!list) {
        return status_no_memory(status, "links");
    }
    for (int l = 0; l < kept + count; ++l) {
        list[l] = l < kept ? before->list[l] : links[l - kept];
    }
    const LinkInputs given = {kept + count, kept, list, weightless};
    Domain *old = cloth->levels[0].domain, *domain = domain_with_links(old, &given, status);
    StatusCode code = domain ? domain_link(domain, &given, list, status) : status->code;
    if (domain != old) {
        cloth->levels[0].domain = code >= 0 ? domain : old;
        cloth->inputs.bodies.frame = domain_frame(cloth->levels[0].domain);
        domain_destroy(code >= 0 ? old : domain);
    }
    if (code >= 0) {
        store_release(&cloth->inputs.link_store);
        cloth->inputs.link_store = store;
        cloth->inputs.set.links = given;
        return code;
    }
    store_release(&store);
    return code;
}

void cloth_release_links(Cloth *cloth, int set, bool release) {
    cloth_disturb(cloth);
    domain_open_links(cloth->levels[0].domain, set, release);
}

void cloth_link_report(const Cloth *cloth, int set, LinkReport *report) {
    simulation_report_links(domain_linked(cloth->levels[0].domain), set, report);
}
