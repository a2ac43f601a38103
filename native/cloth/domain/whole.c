/* Which of the two simulations of a mirrored cloth is stepped. Switching keeps the state: to the
 * whole one to the bit, back within the tolerance. */
#include "cloth/domain/whole.h"

#include "cloth/domain/asymmetry.h"
#include "cloth/domain/give.h"

StatusCode domain_need_whole(Domain *domain, Status *status) {
    if (domain->whole) {
        return STATUS_OK;
    }
    Status reported = {0};
    const SimulationOptions options =
        simulation_options_with(&domain->options.simulation, domain->inputs);
    Simulation *whole = simulation_create(domain->polygons, &options, &reported);
    if (!whole) {
        *status = reported;
        return status->code;
    }
    domain->whole = whole;
    bool meets_itself = domain->inputs->self_contact.thickness > 0;
    if ((meets_itself && domain_give(domain, whole, INPUT_SELF_CONTACT, status) < 0) ||
        domain_give(domain, whole, INPUT_LINKS, status) < 0 ||
        bodies_give_all(domain, whole, BODY_MESH, status) < 0) {
        simulation_destroy(whole);
        domain->whole = NULL;
        return status->code;
    }
    return STATUS_OK;
}

/* Everything that a simulation may have missed while it was not stepped, but the state. */
StatusCode domain_put_in_use(Domain *domain, Simulation *to, Status *status) {
    bool *lacks = to == domain->halved ? &domain->half_lacks_maps : &domain->whole_lacks_maps;
    unsigned what = INPUT_PINS | INPUT_FORCES | INPUT_FIELDS | (*lacks ? INPUT_MAPS : 0U);
    Status reported = {0};
    if ((to == domain->halved && domain_link_half(domain, &reported) < 0) ||
        domain_give(domain, to, what, &reported) < 0) {
        *status = reported;
        return status->code;
    }
    *lacks = false;
    bodies_put(domain, to);
    return STATUS_OK;
}

static void take_over(Domain *domain, Simulation *to, const Simulation *from, CarryVertex carry,
                      void *context, int count, const int32_t *vertices) {
    StateTransfer wanted = {.from = from,
                            .carry = carry,
                            .context = context,
                            .count = count,
                            .vertices = vertices,
                            .room = domain->room};
    domain->lifted = NULL;
    simulation_transfer_state(to, &wanted);
}

/* The extra parts and the cloth below them are where the whole simulation is. */
static StatusCode go_extra(Domain *domain, Status *status) {
    Extras *extras = &domain->extras;
    const PinInputs *set = &domain->inputs->pins;
    take_over(domain, extras->simulation, domain->whole, mapping_carry_vertex, &domain->to_extra,
              extras->count, NULL);
    bodies_put(domain, extras->simulation);
    simulation_copy_state(domain->whole, domain->floats, NULL);
    extras_place(extras, domain->floats);
    return extras_set_pins(extras, set->count, set->vertices, set->weights, set->targets,
                           domain->floats, status);
}

/* Steps the half from now on, from where the whole simulation is. */
static StatusCode go_halved(Domain *domain, Status *status) {
    int count = domain->half.polygons.vertex_count;
    StatusCode code = domain->extras.simulation ? go_extra(domain, status) : STATUS_OK;
    code = code < 0 ? code : domain_put_in_use(domain, domain->halved, status);
    if (code < 0) {
        return code;
    }
    take_over(domain, domain->halved, domain->whole, mapping_carry_vertex, &domain->to_half, count,
              NULL);
    if (domain->other.simulation) {
        simulation_copy_state(domain->whole, domain->floats, NULL);
        other_side_set(&domain->other, &domain->half, domain->floats);
        bodies_put(domain, domain->other.simulation);
    }
    domain->active = domain->halved;
    return STATUS_OK;
}

/* How the other side stands off the places where it rides: now, and as if it always had. */
static void note_offsets(Domain *domain) {
    OtherSide *other = &domain->other;
    if (!other->simulation) {
        return;
    }
    for (int v = 0; v < domain->vertex_count; ++v) {
        domain->offset[v] = vec3(0, 0, 0);
    }
    other_side_ride(other, &domain->half, simulation_positions(domain->halved));
    for (int i = 0; i < other->half.rail_from; ++i) {
        domain->offset[other->half.origin[i]] = other_side_offset(other, &domain->half, i);
    }
}

static Vec3 carry_corrected(void *context, const Vec3 *array, CarryKind kind, int vertex) {
    const Domain *domain = context;
    Vec3 value = carry_to_whole(context, array, kind, vertex);
    bool stands_off = kind == CARRY_PLACE && domain->other.simulation;
    return stands_off ? vec3_add(value, domain->offset[vertex]) : value;
}

StatusCode domain_go_whole(Domain *domain, Status *status) {
    if (!domain_is_halved(domain)) {
        return STATUS_OK;
    }
    StatusCode code = domain_need_whole(domain, status);
    code = code < 0 ? code : domain_put_in_use(domain, domain->whole, status);
    if (code < 0) {
        return code;
    }
    note_offsets(domain);
    take_over(domain, domain->whole, domain->halved, carry_corrected, domain,
              domain->mirrored_count, domain->mirrored);
    if (domain->extras.simulation) {
        take_over(domain, domain->whole, domain->extras.simulation, mapping_carry_vertex,
                  &domain->from_extra, domain->extras.count, domain->extras.vertices);
    }
    domain->active = domain->whole;
    return STATUS_OK;
}

StatusCode domain_choose(Domain *domain, Status *status) {
    if (domain->mode == MIRROR_OFF) {
        return STATUS_OK;
    }
    bool whole = domain->asymmetry != 0 || bodies_want_whole(domain->bodies);
    if (whole) {
        return domain_go_whole(domain, status);
    }
    if (domain_is_halved(domain) || !whole_is_symmetric(domain)) {
        return STATUS_OK;
    }
    return go_halved(domain, status);
}
