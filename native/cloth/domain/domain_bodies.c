/* Gives the caller's bodies to all that is simulated, or to nothing. */
#include "cloth/domain/domain_state.h"

static StatusCode give(const Domain *domain, Simulation *simulation, int number,
                       const InputBody *body, unsigned what, Status *status) {
    return mapping_give_body(mapping_to(domain, simulation), simulation, number, body, what,
                             status);
}

StatusCode bodies_give_all(Domain *domain, Simulation *simulation, unsigned what, Status *status) {
    for (int b = 0; b < domain->bodies->count; ++b) {
        const InputBody *body = &domain->bodies->list[b];
        Status reported = {0};
        if (body->present && give(domain, simulation, b, body, what, &reported) < 0) {
            *status = reported;
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
        mapping_drop_body(mapping_to(domain, simulation), simulation, number);
    }
}

StatusCode domain_give_body(Domain *domain, int number, const InputBody *body,
                            const InputBody *before, unsigned what, Status *status) {
    Simulation *simulations[4];
    bool lasting = what & (BODY_MESH | BODY_SURFACE); /* else those get it that are put in use */
    int count =
        lasting ? domain_simulations(domain, simulations) : domain_stepped(domain, simulations);
    for (int c = 0; c < count; ++c) {
        Status reported = {0};
        if (give(domain, simulations[c], number, body, what, &reported) < 0) {
            while (c-- > 0) {
                give_back(domain, simulations[c], number, before, what);
            }
            *status = reported;
            return status->code;
        }
        *status = c == 0 ? reported : *status; /* they all say the same */
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
