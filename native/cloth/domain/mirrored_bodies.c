/* Carries the caller's bodies to all that is simulated; halves see their mean with their image. */
#include "cloth/domain/domain_state.h"

/* What a simulation shall know of these places of a body's vertices. */
static const float *seen_by(const Domain *domain, const InputBody *body,
                            const Simulation *simulation, const float *places) {
    if (simulation != domain->halved && simulation != domain->other.simulation) {
        return places;
    }
    body_for_half(&domain->half.frame, body, places);
    return body->seen;
}

/* Extra parts have the mirrored cloth for their first body. */
static int number_in(const Domain *domain, const Simulation *simulation, int number) {
    return simulation == domain->extras.simulation ? number + EXTRAS_OWN_BODIES : number;
}

/* One array after the other, since there is one room for what is seen. A mesh comes as it was given, whatever the body did
 * since, so that it is built alike in every cloth. */
static StatusCode give(const Domain *domain, Simulation *simulation, int number,
                       const InputBody *body, unsigned what, Status *status) {
    StatusCode code = STATUS_OK;
    PolygonMesh polygons = body->mesh.polygons;
    BodyInputs own = {.polygons = &polygons, .surface = body->surface};
    int at = number_in(domain, simulation, number);
    if (what & (BODY_MESH | BODY_SURFACE)) {
        polygons.positions = seen_by(domain, body, simulation, polygons.positions);
        code =
            simulation_take_body(simulation, at, &own, what & (BODY_MESH | BODY_SURFACE), status);
    }
    if (code >= 0 && what & BODY_PLACE) {
        own.place = seen_by(domain, body, simulation, body->place);
        simulation_take_body(simulation, at, &own, BODY_PLACE, status);
    }
    if (code >= 0 && what & BODY_TARGET) {
        own.target = seen_by(domain, body, simulation, body->target);
        simulation_take_body(simulation, at, &own, BODY_TARGET, status);
    }
    return code;
}

StatusCode bodies_give_all(Domain *domain, Simulation *simulation, unsigned what, Status *status) {
    for (int b = 0; b < domain->bodies->count; ++b) {
        const InputBody *body = &domain->bodies->list[b];
        Status told = {0};
        if (body->present && give(domain, simulation, b, body, what, &told) < 0) {
            *status = told;
            return status->code;
        }
    }
    return STATUS_OK;
}

static void give_back(const Domain *domain, Simulation *simulation, int number,
                      const InputBody *before, unsigned what) {
    Status ignored = {0};
    if (before) {
        unsigned all = what & BODY_MESH ? BODY_MESH | BODY_PLACE | BODY_TARGET : what;
        give(domain, simulation, number, before, all, &ignored);
    } else {
        simulation_drop_body(simulation, number_in(domain, simulation, number));
    }
}

StatusCode domain_give_body(Domain *domain, int number, const InputBody *body,
                            const InputBody *before, unsigned what, Status *status) {
    Simulation *simulations[4];
    bool lasting = what & (BODY_MESH | BODY_SURFACE); /* else those get it that are put in use */
    int count =
        lasting ? domain_simulations(domain, simulations) : domain_stepped(domain, simulations);
    for (int c = 0; c < count; ++c) {
        Status told = {0};
        if (give(domain, simulations[c], number, body, what, &told) < 0) {
            while (c-- > 0) {
                give_back(domain, simulations[c], number, before, what);
            }
            *status = told;
            return status->code;
        }
        *status = c == 0 ? told : *status; /* they all say the same */
    }
    return status->code;
}

void domain_give_back_body(Domain *domain, int number, const InputBody *before, unsigned what) {
    Simulation *simulations[4];
    int count = domain_simulations(domain, simulations);
    for (int c = 0; c < count; ++c) {
        give_back(domain, simulations[c], number, before, what);
    }
}

StatusCode domain_give_bodies(Domain *domain, Status *status) {
    Simulation *simulations[4];
    StatusCode code = STATUS_OK;
    int count = domain_simulations(domain, simulations);
    for (int c = 0; c < count && code >= 0; ++c) {
        code = bodies_give_all(domain, simulations[c], BODY_MESH, status);
    }
    return code;
}

void domain_put_bodies(Domain *domain) {
    Simulation *simulations[3];
    int count = domain_stepped(domain, simulations);
    for (int c = 0; c < count; ++c) {
        bodies_put(domain, simulations[c]);
    }
}
