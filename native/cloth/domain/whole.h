/* Which of the two simulations of a mirrored cloth is stepped. */
#pragma once

#include "cloth/domain/domain_state.h"

/* Builds the whole simulation if there is none yet. It is not stepped for that. */
StatusCode domain_need_whole(Domain *domain, Status *status);
/* Gives a simulation all that it may have missed while it was not stepped, but the state. */
StatusCode domain_put_in_use(Domain *domain, Simulation *simulation, Status *status);
/* Steps the whole simulation from now on, from where the half is. */
StatusCode domain_go_whole(Domain *domain, Status *status);
/* Before a step: as the pins, forces, bodies and the simulation want it. */
StatusCode domain_choose(Domain *domain, Status *status);
