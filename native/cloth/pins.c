/* Pins: the caller's, and those of the half that follow from them. */
#include <string.h>

#include "cloth/state.h"

/* Weights of partners may differ by so much. */
#define SAME_WEIGHT 1e-6

/* The pin of each vertex into pin_at, -1 for none. */
static void mark_pins(Cloth *cloth, const PinSet *set) {
    for (int v = 0; v < cloth->vertex_count; ++v) {
        cloth->pin_at[v] = -1;
    }
    for (int p = 0; p < set->count; ++p) {
        cloth->pin_at[set->vertices[p]] = p;
    }
}

/* The caller's pins into a set, and the pin of each vertex into pin_at; refuses a vertex given twice. */
static StatusCode collect(Cloth *cloth, PinSet *set, const int32_t *vertices, const float *weights,
                          const float *targets, Status *status) {
    for (int v = 0; v < cloth->vertex_count; ++v) {
        cloth->pin_at[v] = -1;
    }
    set->stay = targets == NULL;
    if (set->stay) {
        cloth_get_state(cloth, cloth->floats, NULL);
    }
    for (int p = 0; p < set->count; ++p) {
        int v = vertices[p];
        if (cloth->pin_at[v] >= 0) {
            status_set(status, STATUS_ERROR_ARGUMENT, "vertex %d is pinned twice", v);
            return status_name_element(status, DETAIL_PINNED_TWICE, ELEMENT_VERTEX, v);
        }
        cloth->pin_at[v] = p;
        set->vertices[p] = v;
        set->weights[p] = weights ? weights[p] : 1;
        set_vector(set->targets, p,
                   set->stay ? vector_at(cloth->floats, v) : vector_at(targets, p));
    }
    return STATUS_OK;
}

static bool is_mirrored(const Cloth *cloth, const PinSet *set, int p, int q, const float *targets) {
    double weight = set->weights[p];
    if (q < 0) {
        return weight == 0;
    }
    return fabs(weight - set->weights[q]) <= SAME_WEIGHT &&
           (!targets || image_distance(cloth, vector_at(targets, p), vector_at(targets, q)) <=
                            cloth->half.symmetry.tolerance);
}

/* Pins whose mirror image is none of the pins; pin_at has those of the set. Null targets are where the vertices are,
 * and those are symmetric. */
static Refusal find_lonely(const Cloth *cloth, const PinSet *set, const float *targets) {
    Refusal found = {0};
    for (int p = 0; p < set->count && cloth->mode == MIRROR_EXACT; ++p) {
        int partner = cloth->partner[set->vertices[p]];
        if (partner >= 0 && !is_mirrored(cloth, set, p, cloth->pin_at[partner], targets)) {
            refusal_add(&found, set->vertices[p]);
        }
    }
    return found;
}

static StatusCode tell_lonely(const Cloth *cloth, const Refusal *lonely, Status *status) {
    return tell_asymmetry(cloth, lonely, DETAIL_PINS_ASYMMETRIC,
                          "pin has no mirror image among the pins",
                          "pins have no mirror image among the pins", status);
}

static void place_half_targets(const Cloth *cloth, PinSet *set) {
    const float *targets = set->targets;
    for (int h = 0; h < set->half_count; ++h) {
        int p = set->pairs[h][0], q = set->pairs[h][1], at = set->half_vertices[h];
        const MirrorFrame *frame = &cloth->half.frame;
        Vec3 target = frame_to_half(frame, vector_at(targets, p));
        if (q >= 0) {
            Vec3 other = frame_reflect_half(frame_to_half(frame, vector_at(targets, q)));
            target = vec3_scale(0.5, vec3_add(target, other));
        }
        target.x = at >= cloth->half.plane_from ? 0 : target.x;
        set_vector(set->half_targets, h, target);
    }
}

/* The half's pins: those of the kept side. */
static void derive(const Cloth *cloth, PinSet *set) {
    const Half *half = &cloth->half;
    set->half_count = 0;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        int source = half->source[i], image = half->image[i];
        int p = source >= 0 ? cloth->pin_at[source] : -1;
        int q = cloth->mode == MIRROR_EXACT && image >= 0 ? cloth->pin_at[image] : -1;
        if (p >= 0) {
            int h = set->half_count++;
            set->half_vertices[h] = i;
            set->half_weights[h] = set->weights[p];
            set->pairs[h][0] = p;
            set->pairs[h][1] = q;
        }
    }
    place_half_targets(cloth, set);
}

/* A strip of a buttoned front is none of the half's, nor the image of any of it: it only rides. Where one side alone
 * counts, so do its strips. */
bool cloth_pin_is_idle(const Cloth *cloth, int vertex) {
    const Half *half = &cloth->half;
    if (cloth->mode == MIRROR_OFF) {
        return false;
    }
    bool rides = half->rides[vertex].vertices[0] >= 0 && cloth->half_of[vertex] < 0;
    if (cloth->options.mirror.closure != CLOSURE_BUTTON || half->front_count == 0 || !rides) {
        return false;
    }
    Vec3 at = polygon_position(&cloth->mesh.polygons, vertex);
    return cloth->mode == MIRROR_EXACT || frame_to_half(&half->frame, at).x > 0;
}

bool cloth_is_buttoned_at(const Cloth *cloth, int vertex) {
    const Half *half = &cloth->half;
    int at = cloth->mode != MIRROR_OFF && half->gap > 0 ? cloth->half_of[vertex] : -1;
    return at >= half->rail_from && at < half->plane_from;
}

/* Pins that the half cannot have hold nothing. */
static StatusCode check_idle(const Cloth *cloth, const PinSet *set, Status *status) {
    Refusal idle = {0};
    for (int p = 0; p < set->count; ++p) {
        if (set->weights[p] > 0 && cloth_pin_is_idle(cloth, set->vertices[p])) {
            refusal_add(&idle, set->vertices[p]);
        }
    }
    if (idle.count > 0) {
        refusal_status(&idle, DETAIL_PINS_ON_STRIP, ELEMENT_VERTEX, &cloth->mesh.polygons,
                       "pin holds nothing, since the strips of buttoned fronts are not simulated",
                       "pins hold nothing, since the strips of buttoned fronts are not simulated",
                       status);
        status->code = STATUS_WARNING_MIRROR;
        return status->code;
    }
    if (set->count == 0 || set->half_count > 0 || cloth->mode != MIRROR_HALVE) {
        return STATUS_OK;
    }
    status_set(status, STATUS_WARNING_MIRROR,
               "none of the %d pins is on the kept side of the mirror plane: nothing is held",
               set->count);
    return status_name_count(status, DETAIL_PINS_NOT_KEPT, set->count);
}

/* Gives the pins to the simulation that is stepped, unless it is a half that cannot have them. */
static StatusCode push_active(Cloth *cloth, const PinSet *set, int symmetric, Status *status) {
    return symmetric || !cloth_is_halved(cloth) ? pins_push(cloth, cloth_active(cloth), set, status)
                                                : STATUS_OK;
}

static StatusCode push_extras(Cloth *cloth, const PinSet *set, Status *status) {
    if (!cloth->extras.simulation) {
        return STATUS_OK;
    }
    cloth_get_state(cloth, cloth->floats, NULL);
    return extras_set_pins(&cloth->extras, set->count, set->vertices, set->weights, set->targets,
                           cloth->floats, status);
}

/* `places` are symmetric: those of a half, but for what a button lifts. */
static StatusCode set_pins(Cloth *cloth, int count, const int32_t *vertices, const float *weights,
                           const float *targets, bool places, Status *status) {
    if (cloth->mode == MIRROR_OFF) {
        return simulation_set_pins(cloth->whole, count, vertices, weights, targets, status);
    }
    PinSet *set = &cloth->pins[!cloth->pin_set];
    Status told = {0};
    status_clear(status);
    set->count = count;
    if (collect(cloth, set, vertices, weights, targets, status) != STATUS_OK) {
        return status->code;
    }
    Refusal lonely = find_lonely(cloth, set, places ? NULL : set->targets);
    if (lonely.count > 0 && tell_lonely(cloth, &lonely, &told) < 0) {
        *status = told;
        return status->code;
    }
    derive(cloth, set);
    if (push_extras(cloth, set, status) < 0) {
        return status->code;
    }
    if (push_active(cloth, set, lonely.count == 0, status) < 0) {
        push_extras(cloth, cloth_pins(cloth), &told); /* as they were */
        return status->code;
    }
    cloth->pin_set = !cloth->pin_set;
    set_asymmetry(cloth, ASYMMETRIC_PINS, lonely.count > 0);
    if (told.code == STATUS_OK && status->code == STATUS_OK) {
        check_idle(cloth, set, &told);
    }
    *status = told.code != STATUS_OK ? told : *status;
    return status->code;
}

StatusCode cloth_set_pins(Cloth *cloth, int count, const int32_t *vertices, const float *weights,
                          const float *targets, Status *status) {
    bool places = !targets && cloth_is_halved(cloth);
    return set_pins(cloth, count, vertices, weights, targets, places, status);
}

StatusCode cloth_take_pins(Cloth *cloth, const Cloth *from, int count, const int32_t *vertices,
                           const float *weights, const float *targets, Status *status) {
    bool places = cloth_is_halved(cloth) && cloth_is_halved(from);
    return set_pins(cloth, count, vertices, weights, targets, places, status);
}

int cloth_pin_count(const Cloth *cloth) {
    return cloth->mode == MIRROR_OFF ? simulation_pin_count(cloth->whole)
                                     : cloth_pins(cloth)->count;
}

/* A half that could not have the pins before gets them now. */
static StatusCode push_moved(Cloth *cloth, PinSet *set, int symmetric, Status *status) {
    if (!cloth_is_halved(cloth)) {
        simulation_move_pins(cloth->whole, set->targets);
    } else if (symmetric && cloth->asymmetry & ASYMMETRIC_PINS) {
        return pins_push(cloth, cloth->halved, set, status);
    } else if (symmetric) {
        simulation_move_pins(cloth->halved, set->half_targets);
    }
    return STATUS_OK;
}

StatusCode cloth_move_pins(Cloth *cloth, const float *targets, Status *status) {
    if (cloth->mode == MIRROR_OFF) {
        simulation_move_pins(cloth->whole, targets);
        return STATUS_OK;
    }
    PinSet *set = &cloth->pins[cloth->pin_set];
    mark_pins(cloth, set);
    Refusal lonely = find_lonely(cloth, set, targets);
    bool before = (cloth->asymmetry & ASYMMETRIC_PINS) != 0;
    StatusCode code = STATUS_OK;
    if (lonely.count > 0 && !before) {
        code = tell_lonely(cloth, &lonely, status);
    }
    if (code < 0) {
        return code;
    }
    set->stay = 0;
    if (set->count > 0) {
        memcpy(set->targets, targets, 3 * sizeof(float) * (size_t)set->count);
    }
    place_half_targets(cloth, set);
    if (cloth->extras.simulation) {
        extras_move_pins(&cloth->extras, set->targets);
    }
    StatusCode pushed = push_moved(cloth, set, lonely.count == 0, status);
    if (pushed >= 0) { /* else the next step has to try again */
        set_asymmetry(cloth, ASYMMETRIC_PINS, lonely.count > 0);
    }
    return pushed != STATUS_OK ? pushed : code;
}
