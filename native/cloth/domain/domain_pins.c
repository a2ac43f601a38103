/* Pins: the caller's, and those of the half that follow from them. */
#include <string.h>

#include "cloth/domain/domain_state.h"

/* Weights of partners may differ by so much. */
#define SAME_WEIGHT 1e-6

/* The pin of each vertex into pin_at, -1 for none. */
static void mark_pins(Domain *domain, const PinSet *set) {
    for (int v = 0; v < domain->vertex_count; ++v) {
        domain->pin_at[v] = -1;
    }
    for (int p = 0; p < set->count; ++p) {
        domain->pin_at[set->vertices[p]] = p;
    }
}

/* The caller's pins into a set, and the pin of each vertex into pin_at; refuses a vertex given twice. */
static StatusCode collect(Domain *domain, PinSet *set, const int32_t *vertices,
                          const float *weights, const float *targets, Status *status) {
    for (int v = 0; v < domain->vertex_count; ++v) {
        domain->pin_at[v] = -1;
    }
    set->stay = targets == NULL;
    if (set->stay) {
        domain_get_state(domain, domain->floats, NULL);
    }
    for (int p = 0; p < set->count; ++p) {
        int v = vertices[p];
        if (domain->pin_at[v] >= 0) {
            status_set(status, STATUS_ERROR_ARGUMENT, "vertex %d is pinned twice", v);
            return status_name_element(status, DETAIL_PINNED_TWICE, ELEMENT_VERTEX, v);
        }
        domain->pin_at[v] = p;
        set->vertices[p] = v;
        set->weights[p] = weights ? weights[p] : 1;
        set_vector(set->targets, p,
                   set->stay ? vector_at(domain->floats, v) : vector_at(targets, p));
    }
    return STATUS_OK;
}

static bool is_mirrored(const Domain *domain, const PinSet *set, int p, int q,
                        const float *targets) {
    double weight = set->weights[p];
    if (q < 0) {
        return weight == 0;
    }
    return fabs(weight - set->weights[q]) <= SAME_WEIGHT &&
           (!targets || image_distance(domain, vector_at(targets, p), vector_at(targets, q)) <=
                            domain->half.symmetry.tolerance);
}

/* Pins whose mirror image is none of the pins; pin_at has those of the set. Null targets are where the vertices are,
 * and those are symmetric. */
static Refusal find_lonely(const Domain *domain, const PinSet *set, const float *targets) {
    Refusal found = {0};
    for (int p = 0; p < set->count && domain->mode == MIRROR_EXACT; ++p) {
        int partner = domain->partner[set->vertices[p]];
        if (partner >= 0 && !is_mirrored(domain, set, p, domain->pin_at[partner], targets)) {
            refusal_add(&found, set->vertices[p]);
        }
    }
    return found;
}

static StatusCode tell_lonely(const Domain *domain, const Refusal *lonely, Status *status) {
    return tell_asymmetry(domain, lonely, DETAIL_PINS_ASYMMETRIC,
                          "pin has no mirror image among the pins",
                          "pins have no mirror image among the pins", status);
}

static void place_half_targets(const Domain *domain, PinSet *set) {
    const float *targets = set->targets;
    for (int h = 0; h < set->half_count; ++h) {
        int p = set->pairs[h][0], q = set->pairs[h][1], at = set->half_vertices[h];
        const MirrorFrame *frame = &domain->half.frame;
        Vec3 target = frame_to_half(frame, vector_at(targets, p));
        if (q >= 0) {
            Vec3 other = frame_reflect_half(frame_to_half(frame, vector_at(targets, q)));
            target = vec3_scale(0.5, vec3_add(target, other));
        }
        target.x = at >= domain->half.plane_from ? 0 : target.x;
        set_vector(set->half_targets, h, target);
    }
}

/* The half's pins: those of the kept side. */
static void derive(const Domain *domain, PinSet *set) {
    const Half *half = &domain->half;
    set->half_count = 0;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        int source = half->source[i], image = half->image[i];
        int p = source >= 0 ? domain->pin_at[source] : -1;
        int q = domain->mode == MIRROR_EXACT && image >= 0 ? domain->pin_at[image] : -1;
        if (p >= 0) {
            int h = set->half_count++;
            set->half_vertices[h] = i;
            set->half_weights[h] = set->weights[p];
            set->pairs[h][0] = p;
            set->pairs[h][1] = q;
        }
    }
    place_half_targets(domain, set);
}

/* A strip of a buttoned front is none of the half's, nor the image of any of it: it only rides. Where one side alone
 * counts, so do its strips. */
bool domain_pin_is_idle(const Domain *domain, int vertex) {
    const Half *half = &domain->half;
    if (domain->mode == MIRROR_OFF) {
        return false;
    }
    bool rides = half->rides[vertex].vertices[0] >= 0 && domain->half_of[vertex] < 0;
    if (domain->options.mirror.closure != CLOSURE_BUTTON || half->front_count == 0 || !rides) {
        return false;
    }
    Vec3 at = polygon_position(&domain->mesh.polygons, vertex);
    return domain->mode == MIRROR_EXACT || frame_to_half(&half->frame, at).x > 0;
}

bool domain_is_buttoned_at(const Domain *domain, int vertex) {
    const Half *half = &domain->half;
    int at = domain->mode != MIRROR_OFF && half->gap > 0 ? domain->half_of[vertex] : -1;
    return at >= half->rail_from && at < half->plane_from;
}

/* Pins that the half cannot have hold nothing. */
static StatusCode check_idle(const Domain *domain, const PinSet *set, Status *status) {
    Refusal idle = {0};
    for (int p = 0; p < set->count; ++p) {
        if (set->weights[p] > 0 && domain_pin_is_idle(domain, set->vertices[p])) {
            refusal_add(&idle, set->vertices[p]);
        }
    }
    if (idle.count > 0) {
        refusal_status(&idle, DETAIL_PINS_ON_STRIP, ELEMENT_VERTEX, &domain->mesh.polygons,
                       "pin holds nothing, since the strips of buttoned fronts are not simulated",
                       "pins hold nothing, since the strips of buttoned fronts are not simulated",
                       status);
        status->code = STATUS_WARNING_MIRROR;
        return status->code;
    }
    if (set->count == 0 || set->half_count > 0 || domain->mode != MIRROR_HALVE) {
        return STATUS_OK;
    }
    status_set(status, STATUS_WARNING_MIRROR,
               "none of the %d pins is on the kept side of the mirror plane: nothing is held",
               set->count);
    return status_name_count(status, DETAIL_PINS_NOT_KEPT, set->count);
}

/* Gives the pins to the simulation that is stepped, unless it is a half that cannot have them. */
static StatusCode push_active(Domain *domain, const PinSet *set, int symmetric, Status *status) {
    return symmetric || !domain_is_halved(domain)
               ? pins_push(domain, domain_active(domain), set, status)
               : STATUS_OK;
}

static StatusCode push_extras(Domain *domain, const PinSet *set, Status *status) {
    if (!domain->extras.simulation) {
        return STATUS_OK;
    }
    domain_get_state(domain, domain->floats, NULL);
    return extras_set_pins(&domain->extras, set->count, set->vertices, set->weights, set->targets,
                           domain->floats, status);
}

/* `places` are symmetric: those of a half, but for what a button lifts. */
static StatusCode set_pins(Domain *domain, int count, const int32_t *vertices, const float *weights,
                           const float *targets, bool places, Status *status) {
    if (domain->mode == MIRROR_OFF) {
        return simulation_set_pins(domain->whole, count, vertices, weights, targets, status);
    }
    PinSet *set = &domain->pins[!domain->pin_set];
    Status told = {0};
    status_clear(status);
    set->count = count;
    if (collect(domain, set, vertices, weights, targets, status) != STATUS_OK) {
        return status->code;
    }
    Refusal lonely = find_lonely(domain, set, places ? NULL : set->targets);
    if (lonely.count > 0 && tell_lonely(domain, &lonely, &told) < 0) {
        *status = told;
        return status->code;
    }
    derive(domain, set);
    if (push_extras(domain, set, status) < 0) {
        return status->code;
    }
    if (push_active(domain, set, lonely.count == 0, status) < 0) {
        push_extras(domain, domain_pins(domain), &told); /* as they were */
        return status->code;
    }
    domain->pin_set = !domain->pin_set;
    set_asymmetry(domain, ASYMMETRIC_PINS, lonely.count > 0);
    if (told.code == STATUS_OK && status->code == STATUS_OK) {
        check_idle(domain, set, &told);
    }
    *status = told.code != STATUS_OK ? told : *status;
    return status->code;
}

StatusCode domain_set_pins(Domain *domain, int count, const int32_t *vertices, const float *weights,
                           const float *targets, Status *status) {
    bool places = !targets && domain_is_halved(domain);
    return set_pins(domain, count, vertices, weights, targets, places, status);
}

StatusCode domain_take_pins(Domain *domain, const Domain *from, int count, const int32_t *vertices,
                            const float *weights, const float *targets, Status *status) {
    bool places = domain_is_halved(domain) && domain_is_halved(from);
    return set_pins(domain, count, vertices, weights, targets, places, status);
}

int domain_pin_count(const Domain *domain) {
    return domain->mode == MIRROR_OFF ? simulation_pin_count(domain->whole)
                                      : domain_pins(domain)->count;
}

/* A half that could not have the pins before gets them now. */
static StatusCode push_moved(Domain *domain, PinSet *set, int symmetric, Status *status) {
    if (!domain_is_halved(domain)) {
        simulation_move_pins(domain->whole, set->targets);
    } else if (symmetric && domain->asymmetry & ASYMMETRIC_PINS) {
        return pins_push(domain, domain->halved, set, status);
    } else if (symmetric) {
        simulation_move_pins(domain->halved, set->half_targets);
    }
    return STATUS_OK;
}

StatusCode domain_move_pins(Domain *domain, const float *targets, Status *status) {
    if (domain->mode == MIRROR_OFF) {
        simulation_move_pins(domain->whole, targets);
        return STATUS_OK;
    }
    PinSet *set = &domain->pins[domain->pin_set];
    mark_pins(domain, set);
    Refusal lonely = find_lonely(domain, set, targets);
    bool before = (domain->asymmetry & ASYMMETRIC_PINS) != 0;
    StatusCode code = STATUS_OK;
    if (lonely.count > 0 && !before) {
        code = tell_lonely(domain, &lonely, status);
    }
    if (code < 0) {
        return code;
    }
    set->stay = 0;
    if (set->count > 0) {
        memcpy(set->targets, targets, 3 * sizeof(float) * (size_t)set->count);
    }
    place_half_targets(domain, set);
    if (domain->extras.simulation) {
        extras_move_pins(&domain->extras, set->targets);
    }
    StatusCode pushed = push_moved(domain, set, lonely.count == 0, status);
    if (pushed >= 0) { /* else the next step has to try again */
        set_asymmetry(domain, ASYMMETRIC_PINS, lonely.count > 0);
    }
    return pushed != STATUS_OK ? pushed : code;
}
