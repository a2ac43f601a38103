/* Gives what is set to the simulations of a domain. */
#pragma once

#include "cloth/domain/asymmetry.h"

/* In its own vertices and frame: INPUT bits, of which it gets those that it has a use for. */
StatusCode domain_give(Domain *domain, Simulation *simulation, unsigned what, Status *status);
/* Those of the half by their numbers; `fits`: it can have them. Null without memory; the caller frees it. */
Link *carry_links(const Domain *domain, const LinkInputs *from, bool *fits);
/* To be called when links or their states have changed. */
void domain_note_released(Domain *domain);
/* The links that the half lacks, if it can have them; else none. */
StatusCode domain_link_half(Domain *domain, Status *status);
/* All bodies: BODY bits. Places and targets are always taken. */
StatusCode bodies_give_all(Domain *domain, Simulation *simulation, unsigned what, Status *status);
static inline void bodies_put(Domain *domain, Simulation *simulation) {
    Status reported = {0};
    bodies_give_all(domain, simulation, BODY_PLACE | BODY_TARGET, &reported);
}
