/* Which components take steps of second order. */
#include "simulation/simulation_internal.h"

#include <math.h>
#include <string.h>

#include "laws/link.h"

/* Substeps without contact after which a component takes second-order steps again: cloth that bounces would change the
 * matrix at every impact. */
#define FREE_ENOUGH 8

StatusCode order_build(Order *order, const Rigid *rigid, Store *store, Status *status) {
    order->component = rigid->component;
    order->component_count = rigid->component_count;
    order->leader = STORE_ARRAY(store, int, order->component_count);
    order->contact_free = STORE_ARRAY(store, uint8_t, order->component_count);
    order->before = STORE_ARRAY(store, uint8_t, order->component_count);
    order->work = STORE_ARRAY(store, double, order->component_count);
    order->motion = STORE_ARRAY(store, double, order->component_count);
    order->pinned = STORE_ARRAY(store, bool, order->component_count);
    order->first_order = STORE_ARRAY(store, bool, order->component_count);
    if (store->failed) {
        return status_no_memory(status, "the order of steps");
    }
    order_reset(order);
    return STATUS_OK;
}

void order_reset(Order *order) {
    memset(order->contact_free, FREE_ENOUGH, (size_t)order->component_count);
}

static int leader_of(const Order *order, int vertex) {
    return order->leader[order->component[vertex]];
}

/* Links that close pull the cloth: its velocity is not that of free motion. */
static void exclude_closing_links(Order *order, const System *system) {
    const Law *law = laws_find(&system->laws, &link_kind);
    const LinkLaw *links = (const LinkLaw *)law;
    for (int e = 0; law && e < law->count; ++e) {
        int vertex = law->vertices[(size_t)e * law->width];
        order->first_order[leader_of(order, vertex)] |=
            links->set->state[links->link[e]] == LINK_CLOSES;
    }
}

/* Stiffness damping has one factor for the whole cloth, that of whole steps, since it removes motion anyway. */
static void choose_first_order(Order *order, const System *system, bool wanted) {
    for (int k = 0; k < order->component_count; ++k) {
        order->first_order[k] = !wanted;
    }
    for (int k = 0; k < order->component_count; ++k) {
        order->first_order[order->leader[k]] |= order->contact_free[k] < FREE_ENOUGH;
    }
    exclude_closing_links(order, system);
    for (int i = 0; system_is_damped(system) && i < system->vertex_count; ++i) {
        bool damped = system_material(system, i)->stiffness_damping > 0;
        order->first_order[leader_of(order, i)] |= damped;
    }
}

bool order_choose(Order *order, System *system, bool wanted) {
    bool changed = false;
    order->any = false;
    rigid_find_linked(order->leader, order->component_count, order->component, system);
    choose_first_order(order, system, wanted);
    for (int i = 0; i < system->vertex_count; ++i) {
        double pace = order->first_order[leader_of(order, i)] ? 1.0 : SECOND_ORDER_PACE;
        changed |= pace != system->pace[i];
        system->pace[i] = pace;
        order->any |= pace < 1.0;
    }
    system->matrix_version += changed;
    return changed;
}

void order_start_with_first(Order *order, int vertex) {
    order->contact_free[leader_of(order, vertex)] = FREE_ENOUGH - 1;
}

bool order_check_contacts(Order *order, const System *system, const Contacts *contacts) {
    bool meets = false;
    for (int i = 0; order->any && contacts && contacts->count > 0 && i < system->vertex_count;
         ++i) {
        if (system->pace[i] < 1.0 && contacts_touch(contacts, i)) {
            order->contact_free[leader_of(order, i)] = 0;
            meets = true;
        }
    }
    return meets;
}

void order_count_substep(Order *order, int vertex_count, const Contacts *contacts) {
    for (int k = 0; k < order->component_count; ++k) {
        order->contact_free[k] += order->contact_free[k] < FREE_ENOUGH;
    }
    for (int i = 0; contacts && contacts->count > 0 && i < vertex_count; ++i) {
        if (contacts_touch(contacts, i)) {
            order->contact_free[leader_of(order, i)] = 0;
        }
    }
}

static void measure_work(Order *order, const Substep *substep, const Vec3 *z,
                         const Vec3 *velocity) {
    const System *system = substep->system;
    double rate = 1.0 / (substep->length * substep->length);
    memset(order->work, 0, (size_t)order->component_count * sizeof *order->work);
    memset(order->motion, 0, (size_t)order->component_count * sizeof *order->motion);
    memset(order->pinned, 0, (size_t)order->component_count * sizeof *order->pinned);
    for (int i = 0; i < system->vertex_count; ++i) {
        order->pinned[leader_of(order, i)] |= system->held[i] || system->pins.stiffness[i] > 0;
        if (system->pace[i] < 1.0 && !system->held[i]) {
            Vec3 moved = vec3_sub(z[i], substep->present[i]);
            double squared = vec3_dot(velocity[i], velocity[i]);
            order->work[leader_of(order, i)] += rate * vec3_dot(substep->gradient[i], moved);
            order->motion[leader_of(order, i)] += 0.5 * system->mass[i] * squared;
        }
    }
}

void order_damp(Order *order, const Substep *substep, const Vec3 *z, Vec3 *velocity) {
    const System *system = substep->system;
    measure_work(order, substep, z, velocity);
    for (int i = 0; i < system->vertex_count; ++i) {
        int leader = leader_of(order, i);
        double work = order->work[leader], motion = order->motion[leader];
        bool driven = order->pinned[leader] && work > 0 && motion > 0;
        if (driven && system->pace[i] < 1.0 && !system->held[i]) {
            velocity[i] = vec3_scale(sqrt(fmax(0.0, 1.0 - work / motion)), velocity[i]);
        }
    }
}
