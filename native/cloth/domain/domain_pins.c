/* Pins: the caller's, and those of the half that follow from them. */
#include <string.h>

#include "cloth/domain/domain_state.h"

/* Weights of partners may differ by so much. */
#define SAME_WEIGHT 1e-6

/* The pin of each vertex into pin_at, -1 for none; refuses a vertex given twice. */
static StatusCode mark_pins(Domain *domain, const PinInputs *pins, Status *status) {
    for (int v = 0; v < domain->vertex_count; ++v) {
        domain->pin_at[v] = -1;
    }
    for (int p = 0; p < pins->count; ++p) {
        int v = pins->vertices[p];
        if (domain->pin_at[v] >= 0) {
            status_set(status, STATUS_ERROR_ARGUMENT, "vertex %d is pinned twice", v);
            return status_name_element(status, DETAIL_PINNED_TWICE, ELEMENT_VERTEX, v);
        }
        domain->pin_at[v] = p;
    }
    return STATUS_OK;
}

static bool is_mirrored(const Domain *domain, const PinInputs *pins, int p, int q, bool places) {
    double weight = pins->weights[p];
    if (q < 0) {
        return weight == 0;
    }
    const float *targets = pins->targets;
    return fabs(weight - pins->weights[q]) <= SAME_WEIGHT &&
           (places || image_distance(domain, vector_at(targets, p), vector_at(targets, q)) <=
                          domain->half.symmetry.tolerance);
}

/* Pins whose mirror image is none of the pins; pin_at has those. `places`: their targets are symmetric. */
static Refusal find_lonely(const Domain *domain, const PinInputs *pins, bool places) {
    Refusal found = {0};
    for (int p = 0; p < pins->count && domain->mode == MIRROR_EXACT; ++p) {
        int partner = domain->partner[pins->vertices[p]];
        if (partner >= 0 && !is_mirrored(domain, pins, p, domain->pin_at[partner], places)) {
            refusal_add(&found, pins->vertices[p]);
        }
    }
    return found;
}

static StatusCode tell_lonely(const Domain *domain, const Refusal *lonely, Status *status) {
    return tell_asymmetry(domain, lonely, DETAIL_PINS_ASYMMETRIC,
                          "pin has no mirror image among the pins",
                          "pins have no mirror image among the pins", status);
}

/* A strip of a buttoned front is none of the half's, nor the image of any of it: it only rides. Where one side alone
 * counts, so do its strips. */
bool domain_pin_is_idle(const Domain *domain, int vertex) {
    const Half *half = &domain->half;
    if (domain->mode == MIRROR_OFF) {
        return false;
    }
    bool rides = half->rides[vertex].vertices[0] >= 0 && domain->half_of[vertex] < 0;
    if (!(half->gap > 0) || !rides) {
        return false;
    }
    Vec3 at = polygon_position(domain->polygons, vertex);
    return domain->mode == MIRROR_EXACT || frame_to_half(&half->frame, at).x > 0;
}

bool domain_is_buttoned_at(const Domain *domain, int vertex) {
    const Half *half = &domain->half;
    int at = domain->mode != MIRROR_OFF && half->gap > 0 ? domain->half_of[vertex] : -1;
    return at >= half->rail_from && at < half->plane_from;
}

/* Whether any is at a vertex of the half's own; pin_at has them. */
static bool any_is_kept(const Domain *domain) {
    const Half *half = &domain->half;
    bool kept = false;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        kept = kept || (half->source[i] >= 0 && domain->pin_at[half->source[i]] >= 0);
    }
    return kept;
}

/* Pins that the half cannot have hold nothing. */
static StatusCode check_idle(const Domain *domain, const PinInputs *pins, Status *status) {
    Refusal idle = {0};
    for (int p = 0; p < pins->count; ++p) {
        if (pins->weights[p] > 0 && domain_pin_is_idle(domain, pins->vertices[p])) {
            refusal_add(&idle, pins->vertices[p]);
        }
    }
    if (idle.count > 0) {
        refusal_status(&idle, DETAIL_PINS_ON_STRIP, ELEMENT_VERTEX, domain->polygons,
                       "pin holds nothing, since the strips of buttoned fronts are not simulated",
                       "pins hold nothing, since the strips of buttoned fronts are not simulated",
                       status);
        status->code = STATUS_WARNING_MIRROR;
        return status->code;
    }
    if (pins->count == 0 || domain->mode != MIRROR_HALVE || any_is_kept(domain)) {
        return STATUS_OK;
    }
    status_set(status, STATUS_WARNING_MIRROR,
               "none of the %d pins is on the kept side of the mirror plane: nothing is held",
               pins->count);
    return status_name_count(status, DETAIL_PINS_NOT_KEPT, pins->count);
}

static StatusCode give_extras(Domain *domain, Status *status) {
    const PinInputs *pins = &domain->inputs->pins;
    if (!domain->extras.simulation) {
        return STATUS_OK;
    }
    domain_carry_up(domain, domain->floats, NULL);
    return extras_set_pins(&domain->extras, pins->count, pins->vertices, pins->weights,
                           pins->targets, domain->floats, status);
}

/* To the simulation that is stepped, unless it is a half that cannot have them; to all or to none. */
static StatusCode give_pins(Domain *domain, const PinInputs *pins, bool symmetric, Status *status) {
    const PinInputs before = domain->inputs->pins;
    domain->inputs->pins = *pins;
    StatusCode code = give_extras(domain, status);
    if (code >= 0 && (symmetric || !domain_is_halved(domain))) {
        code = domain_give(domain, domain->active, INPUT_PINS, status);
    }
    if (code < 0) {
        Status ignored = {0};
        domain->inputs->pins = before;
        give_extras(domain, &ignored);
    }
    return code;
}

StatusCode domain_take_pins(Domain *domain, const PinInputs *pins, Status *status) {
    if (domain->mode == MIRROR_OFF) {
        return give_pins(domain, pins, true, status);
    }
    Status reported = {0};
    bool places = domain_is_halved(domain) && (pins->here || pins->symmetric);
    status_clear(status);
    if (mark_pins(domain, pins, status) != STATUS_OK) {
        return status->code;
    }
    Refusal lonely = find_lonely(domain, pins, places);
    if (lonely.count > 0 && tell_lonely(domain, &lonely, &reported) < 0) {
        *status = reported;
        return status->code;
    }
    if (give_pins(domain, pins, lonely.count == 0, status) < 0) {
        return status->code;
    }
    set_asymmetry(domain, ASYMMETRIC_PINS, lonely.count > 0);
    if (reported.code == STATUS_OK && status->code == STATUS_OK) {
        check_idle(domain, pins, &reported);
    }
    *status = reported.code != STATUS_OK ? reported : *status;
    return status->code;
}

/* A half that could not have the pins before gets them now. */
static StatusCode give_moved(Domain *domain, bool symmetric, Status *status) {
    bool lacked = (domain->asymmetry & ASYMMETRIC_PINS) != 0;
    if (!domain_is_halved(domain)) {
        return domain_give(domain, domain->whole, INPUT_TARGETS, status);
    }
    return symmetric
               ? domain_give(domain, domain->halved, lacked ? INPUT_PINS : INPUT_TARGETS, status)
               : STATUS_OK;
}

StatusCode domain_take_targets(Domain *domain, const float *targets, Status *status) {
    PinInputs moved = domain->inputs->pins, before = moved;
    moved.targets = targets;
    moved.here = moved.symmetric = false;
    StatusCode code = STATUS_OK;
    Refusal lonely = {0};
    if (domain->mode != MIRROR_OFF && mark_pins(domain, &moved, status) == STATUS_OK) {
        lonely = find_lonely(domain, &moved, false);
    }
    if (lonely.count > 0 && !(domain->asymmetry & ASYMMETRIC_PINS)) {
        code = tell_lonely(domain, &lonely, status);
    }
    if (code < 0) {
        return code;
    }
    domain->inputs->pins = moved;
    StatusCode given = give_moved(domain, lonely.count == 0, status);
    if (given < 0) {
        domain->inputs->pins = before;
        return given;
    }
    if (domain->extras.simulation) {
        extras_move_pins(&domain->extras, targets);
    }
    set_asymmetry(domain, ASYMMETRIC_PINS, lonely.count > 0);
    return given != STATUS_OK ? given : code;
}
