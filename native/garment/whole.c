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
    if (furnish(garment, whole, status) != STATUS_OK) {
        cloth_destroy(whole);
        return status->code;
    }
    garment->whole = whole;
    return STATUS_OK;
}

/* Steps `to` from now on, from where the other cloth is. */
static StatusCode go_over(Garment *garment, Cloth *to, CarryVertex carry, Status *status) {
    const Cloth *from = garment_active(garment);
    Status told = {0};
    if (pins_push(garment, to, garment_pins(garment), &told) < 0) {
        *status = told;
        return status->code;
    }
    scales_push(garment, to);
    forces_push(garment, to);
    bodies_put(garment, to);
    garment->lifted = NULL;
    cloth_take_over(to, from, garment->room, carry, garment);
    atomic_store(&garment->active, to);
    return STATUS_OK;
}

StatusCode garment_go_whole(Garment *garment, Status *status) {
    if (!garment_is_halved(garment)) {
        return STATUS_OK;
    }
    StatusCode code = garment_need_whole(garment, status);
    return code == STATUS_OK ? go_over(garment, garment->whole, carry_to_whole, status) : code;
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
    return go_over(garment, garment->halved, carry_to_half, status);
}
