/* Which of the two simulations of a mirrored cloth is stepped. Going over changes nothing that can be seen: to the
 * whole one to the bit, back within the tolerance. */
#include "cloth/state.h"

/* All that was ever set, in the caller's terms. */
static StatusCode furnish(Cloth *cloth, Simulation *whole, Status *status) {
    StatusCode code = STATUS_OK;
    if (cloth->self_contact.thickness > 0) {
        code = simulation_set_self_contact(whole, &cloth->self_contact, status);
    }
    return code == STATUS_OK ? bodies_push_all(cloth, whole, status) : code;
}

StatusCode cloth_need_whole(Cloth *cloth, Status *status) {
    if (cloth->whole) {
        return STATUS_OK;
    }
    Status told = {0};
    Simulation *whole = simulation_create(&cloth->mesh.polygons, &cloth->options.simulation, &told);
    if (!whole) {
        *status = told;
        return status->code;
    }
    cloth->whole = whole;
    if (furnish(cloth, whole, status) < 0) {
        simulation_destroy(whole);
        cloth->whole = NULL;
        return status->code;
    }
    return STATUS_OK;
}

/* Everything that a simulation may have missed while it was not stepped, but the state. */
StatusCode cloth_put_in_use(Cloth *cloth, Simulation *to, Status *status) {
    Status told = {0};
    if (pins_push(cloth, to, cloth_pins(cloth), &told) < 0) {
        *status = told;
        return status->code;
    }
    scales_push(cloth, to);
    forces_push(cloth, to);
    fields_push(cloth, to);
    bodies_put(cloth, to);
    return STATUS_OK;
}

static void take_over(Cloth *cloth, Simulation *to, const Simulation *from, CarryVertex carry,
                      int count, const int32_t *vertices) {
    TakeOver wanted = {.from = from,
                       .carry = carry,
                       .context = cloth,
                       .count = count,
                       .vertices = vertices,
                       .room = cloth->room};
    cloth->lifted = NULL;
    simulation_take_over(to, &wanted);
}

/* The extra parts and the cloth below them are where the whole simulation is. */
static StatusCode go_extra(Cloth *cloth, Status *status) {
    Extras *extras = &cloth->extras;
    const PinSet *set = cloth_pins(cloth);
    take_over(cloth, extras->simulation, cloth->whole, carry_to_extra, extras->count, NULL);
    bodies_put(cloth, extras->simulation);
    simulation_get_state(cloth->whole, cloth->floats, NULL);
    extras_place(extras, cloth->floats);
    return extras_set_pins(extras, set->count, set->vertices, set->weights, set->targets,
                           cloth->floats, status);
}

/* Steps the half from now on, from where the whole simulation is. */
static StatusCode go_halved(Cloth *cloth, Status *status) {
    int count = cloth->half.polygons.vertex_count;
    StatusCode code = cloth->extras.simulation ? go_extra(cloth, status) : STATUS_OK;
    code = code < 0 ? code : cloth_put_in_use(cloth, cloth->halved, status);
    if (code < 0) {
        return code;
    }
    take_over(cloth, cloth->halved, cloth->whole, carry_to_half, count, NULL);
    if (cloth->other.simulation) {
        simulation_get_state(cloth->whole, cloth->floats, NULL);
        other_side_set(&cloth->other, &cloth->half, cloth->floats);
        bodies_put(cloth, cloth->other.simulation);
    }
    cloth->active = cloth->halved;
    return STATUS_OK;
}

/* How the other side stands off the places where it rides: now, and as if it always had. */
static void note_offsets(Cloth *cloth) {
    OtherSide *other = &cloth->other;
    if (!other->simulation) {
        return;
    }
    for (int v = 0; v < cloth->vertex_count; ++v) {
        cloth->offset[v] = vec3(0, 0, 0);
    }
    other_side_ride(other, &cloth->half, simulation_positions(cloth->halved));
    for (int i = 0; i < other->half.rail_from; ++i) {
        cloth->offset[other->half.origin[i]] = other_side_offset(other, &cloth->half, i);
    }
}

static Vec3 carry_corrected(void *context, const Vec3 *array, CarryKind kind, int vertex) {
    const Cloth *cloth = context;
    Vec3 value = carry_to_whole(context, array, kind, vertex);
    bool stands_off = kind == CARRY_PLACE && cloth->other.simulation;
    return stands_off ? vec3_add(value, cloth->offset[vertex]) : value;
}

StatusCode cloth_go_whole(Cloth *cloth, Status *status) {
    if (!cloth_is_halved(cloth)) {
        return STATUS_OK;
    }
    StatusCode code = cloth_need_whole(cloth, status);
    code = code < 0 ? code : cloth_put_in_use(cloth, cloth->whole, status);
    if (code < 0) {
        return code;
    }
    note_offsets(cloth);
    take_over(cloth, cloth->whole, cloth->halved, carry_corrected, cloth->mirrored_count,
              cloth->mirrored);
    if (cloth->extras.simulation) {
        take_over(cloth, cloth->whole, cloth->extras.simulation, carry_extra_to_whole,
                  cloth->extras.count, cloth->extras.vertices);
    }
    cloth->active = cloth->whole;
    return STATUS_OK;
}

StatusCode cloth_choose(Cloth *cloth, Status *status) {
    if (cloth->mode == MIRROR_OFF) {
        return STATUS_OK;
    }
    bool whole = cloth->asymmetry != 0 || bodies_want_whole(cloth);
    if (whole) {
        return cloth_go_whole(cloth, status);
    }
    if (cloth_is_halved(cloth) || !whole_is_symmetric(cloth)) {
        return STATUS_OK;
    }
    return go_halved(cloth, status);
}
