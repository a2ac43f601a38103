/* Which of the two cloths of a mirrored garment is stepped. Going over changes nothing that can be seen: to the whole
 * one to the bit, back within the tolerance. */
#include "garment/state.h"

/* All that was ever set, in the caller's terms. */
static StatusCode furnish(Garment *garment, Cloth *whole, Status *status) {
    StatusCode code = STATUS_OK;
    if (garment->self_contact.thickness > 0) {
        code = cloth_set_self_contact(whole, &garment->self_contact, status);
    }
    return code == STATUS_OK ? bodies_push_all(garment, whole, status) : code;
}

StatusCode garment_need_whole(Garment *garment, Status *status) {
    if (garment->whole) {
        return STATUS_OK;
    }
    Status told = {0};
    Cloth *whole = cloth_create(&garment->mesh.polygons, &garment->options.cloth, &told);
    if (!whole) {
        *status = told;
        return status->code;
    }
    garment->whole = whole;
    if (furnish(garment, whole, status) < 0) {
        cloth_destroy(whole);
        garment->whole = NULL;
        return status->code;
    }
    return STATUS_OK;
}

/* Everything that a cloth may have missed while it was not stepped, but the state. */
StatusCode garment_put_in_use(Garment *garment, Cloth *to, Status *status) {
    Status told = {0};
    if (pins_push(garment, to, garment_pins(garment), &told) < 0) {
        *status = told;
        return status->code;
    }
    scales_push(garment, to);
    forces_push(garment, to);
    bodies_put(garment, to);
    return STATUS_OK;
}

static void take_over(Garment *garment, Cloth *to, const Cloth *from, CarryVertex carry, int count,
                      const int32_t *vertices) {
    TakeOver wanted = {from, carry, garment, count, vertices, garment->room};
    garment->lifted = NULL;
    cloth_take_over(to, &wanted);
}

/* The extra parts and the garment below them are where the whole cloth is. */
static StatusCode go_extra(Garment *garment, Status *status) {
    Extras *extras = &garment->extras;
    const PinSet *set = garment_pins(garment);
    take_over(garment, extras->cloth, garment->whole, carry_to_extra, extras->count, NULL);
    bodies_put(garment, extras->cloth);
    cloth_get_state(garment->whole, garment->floats, NULL);
    extras_place(extras, garment->floats);
    return extras_set_pins(extras, set->count, set->vertices, set->weights, set->targets,
                           garment->floats, status);
}

/* Steps the half from now on, from where the whole cloth is. */
static StatusCode go_halved(Garment *garment, Status *status) {
    int count = garment->half.polygons.vertex_count;
    StatusCode code = garment->extras.cloth ? go_extra(garment, status) : STATUS_OK;
    code = code < 0 ? code : garment_put_in_use(garment, garment->halved, status);
    if (code < 0) {
        return code;
    }
    take_over(garment, garment->halved, garment->whole, carry_to_half, count, NULL);
    atomic_store(&garment->active, garment->halved);
    return STATUS_OK;
}

StatusCode garment_go_whole(Garment *garment, Status *status) {
    if (!garment_is_halved(garment)) {
        return STATUS_OK;
    }
    StatusCode code = garment_need_whole(garment, status);
    code = code < 0 ? code : garment_put_in_use(garment, garment->whole, status);
    if (code < 0) {
        return code;
    }
    take_over(garment, garment->whole, garment->halved, carry_to_whole, garment->mirrored_count,
              garment->mirrored);
    if (garment->extras.cloth) {
        take_over(garment, garment->whole, garment->extras.cloth, carry_extra_to_whole,
                  garment->extras.count, garment->extras.vertices);
    }
    atomic_store(&garment->active, garment->whole);
    return STATUS_OK;
}

StatusCode garment_choose(Garment *garment, Status *status) {
    if (garment->mode == MIRROR_OFF) {
        return STATUS_OK;
    }
    int whole = garment->asymmetry != 0 || bodies_want_whole(garment);
    if (whole) {
        return garment_go_whole(garment, status);
    }
    if (garment_is_halved(garment) || !whole_is_symmetric(garment)) {
        return STATUS_OK;
    }
    return go_halved(garment, status);
}
