/* The bodies of a mirrored cloth: kept as the caller has them, seen by the half as their mean with their image. */
#include "cloth/domain/mirrored_bodies.h"

#include <stdlib.h>
#include <string.h>

static DomainBody *find_body(const Domain *domain, int number) {
    bool known = number >= 0 && number < domain->body_count;
    return known && domain->bodies[number].present ? &domain->bodies[number] : NULL;
}

/* What a simulation shall know of these places of a body's vertices. */
static const float *seen_by(Domain *domain, DomainBody *body, const Simulation *simulation,
                            const float *places) {
    if (simulation != domain->halved && simulation != domain->other.simulation) {
        return places;
    }
    body_for_half(domain, body, places, body->seen);
    return body->seen;
}

static int *number_in(const Domain *domain, DomainBody *body, const Simulation *simulation) {
    return simulation == domain->halved             ? &body->half_number
           : simulation == domain->whole            ? &body->whole_number
           : simulation == domain->other.simulation ? &body->other_number
                                                    : &body->extra_number;
}

static void put(Domain *domain, DomainBody *body, Simulation *simulation) {
    int number = *number_in(domain, body, simulation);
    simulation_place_body(simulation, number, seen_by(domain, body, simulation, body->place));
    simulation_move_body(simulation, number, seen_by(domain, body, simulation, body->target));
}

void bodies_put(Domain *domain, Simulation *simulation) {
    for (int b = 0; b < domain->body_count; ++b) {
        if (domain->bodies[b].present) {
            put(domain, &domain->bodies[b], simulation);
        }
    }
}

/* Gives a body to a simulation, as a new one or in place of the one that it knows; as it was given, whatever it did
 * since, so that it is built alike in every cloth. */
static StatusCode push_body(Domain *domain, DomainBody *body, Simulation *simulation,
                            Status *status) {
    int *number = number_in(domain, body, simulation);
    PolygonMesh polygons = body->mesh.polygons;
    polygons.positions = seen_by(domain, body, simulation, polygons.positions);
    return *number < 0
               ? simulation_add_body(simulation, &polygons, &body->surface, number, status)
               : simulation_replace_body(simulation, *number, &polygons, &body->surface, status);
}

StatusCode bodies_push_all(Domain *domain, Simulation *simulation, Status *status) {
    for (int b = 0; b < domain->body_count; ++b) {
        DomainBody *body = &domain->bodies[b];
        Status told = {0};
        *number_in(domain, body, simulation) = -1;
        if (body->present && push_body(domain, body, simulation, &told) < 0) {
            *status = told;
            return status->code;
        }
    }
    return STATUS_OK;
}

bool bodies_want_whole(const Domain *domain) {
    if (domain->options.mirror.asymmetric_body != BODY_SOLVE_WHOLE) {
        return false;
    }
    for (int b = 0; b < domain->body_count; ++b) {
        const DomainBody *body = &domain->bodies[b];
        if (body->present &&
            (body->asymmetry > body->tolerance || body->place_asymmetry > body->tolerance)) {
            return true;
        }
    }
    return false;
}

void bodies_end_step(Domain *domain, double part) {
    for (int b = 0; b < domain->body_count; ++b) {
        DomainBody *body = &domain->bodies[b];
        size_t numbers = body->present ? 3 * (size_t)body->mesh.polygons.vertex_count : 0;
        for (size_t i = 0; i < numbers; ++i) {
            double way = (double)body->target[i] - body->place[i];
            body->place[i] = part >= 1 ? body->target[i] : (float)(body->place[i] + part * way);
        }
        /* a place on the way is at most as far from its image as the ends are, each in its part */
        double between = (1 - part) * body->place_asymmetry + part * body->asymmetry;
        body->place_asymmetry = part >= 1 ? body->asymmetry : between;
    }
}

static void free_body(DomainBody *body) {
    store_release(&body->store);
    mesh_copy_free(&body->mesh);
}

void bodies_free(Domain *domain) {
    for (int b = 0; b < domain->body_count; ++b) {
        free_body(&domain->bodies[b]);
    }
    free(domain->bodies);
}

/* --- the caller's calls ----------------------------------------------------------------------- */

static DetailOutcome what_is_met(const Domain *domain, const DomainBody *body) {
    return domain->options.mirror.asymmetric_body != BODY_SYMMETRISE ? OUTCOME_SOLVED_WHOLE
           : body->has_partners                                      ? OUTCOME_MEAN_MET
                                                                     : OUTCOME_KEPT_SIDE_MET;
}

/* Adds what is to be told of a body's asymmetry to what the simulation had to say. */
static StatusCode tell_asymmetric(const Domain *domain, DomainBody *body, int number,
                                  Status *status) {
    if (body->told || body->asymmetry <= body->tolerance) {
        return status->code;
    }
    static const char *const words[] = {
        [OUTCOME_SOLVED_WHOLE] = "all of the garment is simulated while that lasts",
        [OUTCOME_MEAN_MET] =
            "the garment meets the mean of both: simulated whole, it would meet the body itself",
        [OUTCOME_KEPT_SIDE_MET] =
            "only what is on the kept side of the mirror plane is met, by both sides"};
    DetailOutcome outcome = what_is_met(domain, body);
    body->told = 1;
    status_next(status, STATUS_WARNING_MIRROR);
    status_append(status, "body %d is not its own mirror image, its vertex %d is %.3g m off",
                  number, body->asymmetry_vertex, body->asymmetry);
    int cause_end = (int)strlen(status->message);
    status_append(status, ", so %s", words[outcome]);
    Detail *detail = status_detail(status, DETAIL_BODY_ASYMMETRIC);
    detail->cause_end = cause_end;
    detail->outcome = outcome;
    detail->element = ELEMENT_BODY_VERTEX;
    detail->elements[0] = body->asymmetry_vertex;
    detail->count = 1;
    detail->body = number;
    detail->value = body->asymmetry;
    detail->limit = body->tolerance;
    return status->code;
}

/* To both simulations, or to none. */
static StatusCode push_new(Domain *domain, DomainBody *body, Status *status) {
    Simulation *simulations[4];
    int count = domain_simulations(domain, simulations);
    for (int c = 0; c < count; ++c) {
        Status told = {0};
        if (push_body(domain, body, simulations[c], &told) < 0) {
            while (c-- > 0) {
                simulation_remove_body(simulations[c], *number_in(domain, body, simulations[c]));
            }
            *status = told;
            return status->code;
        }
        *status = c == 0 ? told : *status; /* they all say the same */
    }
    return status->code;
}

/* Likewise in place of another body. */
static StatusCode push_other(Domain *domain, DomainBody *body, DomainBody *old, Status *status) {
    Simulation *simulations[4];
    int count = domain_simulations(domain, simulations);
    for (int c = 0; c < count; ++c) {
        Status told = {0}, ignored = {0};
        if (push_body(domain, body, simulations[c], &told) < 0) {
            while (c-- > 0) {
                push_body(domain, old, simulations[c], &ignored);
                put(domain, old, simulations[c]);
            }
            *status = told;
            return status->code;
        }
        *status = c == 0 ? told : *status;
    }
    return status->code;
}

static bool grow(Domain *domain) {
    if (domain->body_count < domain->body_room) {
        return true;
    }
    int room = 2 * domain->body_room + 4;
    bool failed = false;
    domain->bodies = scratch_grow(domain->bodies, (size_t)room, sizeof *domain->bodies, &failed);
    domain->body_room = failed ? domain->body_room : room;
    return !failed;
}

StatusCode domain_add_body(Domain *domain, const PolygonMesh *polygons, const BodySurface *surface,
                           int *number, Status *status) {
    if (domain->mode == MIRROR_OFF) {
        return simulation_add_body(domain->whole, polygons, surface, number, status);
    }
    DomainBody body;
    *number = -1;
    if (!grow(domain)) {
        return status_no_memory(status, "a body");
    }
    if (body_read(domain, polygons, surface, &body, status) < 0) {
        return status->code;
    }
    status_clear(status);
    if (push_new(domain, &body, status) < 0) {
        free_body(&body);
        return status->code;
    }
    *number = domain->body_count++;
    domain->bodies[*number] = body;
    return tell_asymmetric(domain, &domain->bodies[*number], *number, status);
}

StatusCode domain_replace_body(Domain *domain, int number, const PolygonMesh *polygons,
                               const BodySurface *surface, Status *status) {
    if (domain->mode == MIRROR_OFF) {
        return simulation_replace_body(domain->whole, number, polygons, surface, status);
    }
    DomainBody *old = find_body(domain, number), body;
    if (body_read(domain, polygons, surface, &body, status) < 0) {
        return status->code;
    }
    status_clear(status);
    body.half_number = old->half_number;
    body.whole_number = old->whole_number;
    body.extra_number = old->extra_number;
    body.other_number = old->other_number;
    if (push_other(domain, &body, old, status) < 0) {
        free_body(&body);
        return status->code;
    }
    free_body(old);
    *old = body;
    return tell_asymmetric(domain, old, number, status);
}

void domain_remove_body(Domain *domain, int number) {
    if (domain->mode == MIRROR_OFF) {
        simulation_remove_body(domain->whole, number);
        return;
    }
    DomainBody *body = find_body(domain, number);
    Simulation *simulations[4];
    int count = domain_simulations(domain, simulations);
    for (int c = 0; c < count; ++c) {
        simulation_remove_body(simulations[c], *number_in(domain, body, simulations[c]));
    }
    free_body(body);
    *body =
        (DomainBody){.half_number = -1, .whole_number = -1, .extra_number = -1, .other_number = -1};
}

int domain_body_vertex_count(const Domain *domain, int number) {
    if (domain->mode == MIRROR_OFF) {
        return simulation_body_vertex_count(domain->whole, number);
    }
    const DomainBody *body = find_body(domain, number);
    return body ? body->mesh.polygons.vertex_count : -1;
}

StatusCode domain_move_body(Domain *domain, int number, const float *positions, Status *status) {
    if (domain->mode == MIRROR_OFF) {
        simulation_move_body(domain->whole, number, positions);
        return STATUS_OK;
    }
    DomainBody *body = find_body(domain, number);
    Simulation *simulations[3];
    int count = domain_stepped(domain, simulations);
    status_clear(status);
    memcpy(body->target, positions, 3 * sizeof(float) * (size_t)body->mesh.polygons.vertex_count);
    body_measure(domain, body);
    for (int c = 0; c < count; ++c) {
        simulation_move_body(simulations[c], *number_in(domain, body, simulations[c]),
                             seen_by(domain, body, simulations[c], body->target));
    }
    return tell_asymmetric(domain, body, number, status);
}

StatusCode domain_place_body(Domain *domain, int number, const float *positions, Status *status) {
    if (domain->mode == MIRROR_OFF) {
        simulation_place_body(domain->whole, number, positions);
        return STATUS_OK;
    }
    DomainBody *body = find_body(domain, number);
    size_t bytes = 3 * sizeof(float) * (size_t)body->mesh.polygons.vertex_count;
    status_clear(status);
    memcpy(body->place, positions, bytes);
    memcpy(body->target, positions, bytes);
    body_measure(domain, body);
    body->place_asymmetry = body->asymmetry;
    Simulation *simulations[3];
    int count = domain_stepped(domain, simulations);
    for (int c = 0; c < count; ++c) {
        put(domain, body, simulations[c]);
    }
    return tell_asymmetric(domain, body, number, status);
}

StatusCode domain_set_body_surface(Domain *domain, int number, const BodySurface *surface,
                                   Status *status) {
    if (domain->mode == MIRROR_OFF) {
        return simulation_set_body_surface(domain->whole, number, surface, status);
    }
    DomainBody *body = find_body(domain, number);
    Simulation *simulations[4];
    int count = domain_simulations(domain, simulations);
    for (int c = 0; c < count; ++c) {
        int known = *number_in(domain, body, simulations[c]);
        if (simulation_set_body_surface(simulations[c], known, surface, status) < 0) {
            Status ignored = {0};
            while (c-- > 0) { /* all as they were */
                simulation_set_body_surface(simulations[c],
                                            *number_in(domain, body, simulations[c]),
                                            &body->surface, &ignored);
            }
            return status->code;
        }
    }
    body->surface = *surface;
    return STATUS_OK;
}
