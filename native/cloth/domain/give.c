/* Gives what is set, links and bodies to the simulations of a domain, each in its own vertices and frame. */
#include "cloth/domain/give.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a simulation has a use for. The other side has iterations and pins of its own; extra parts have stitches among their
 * pins. Links of a half are carried by themselves, below. Of the maps the other side has that of thickness alone. */
static unsigned of_use(const Domain *domain, const Simulation *simulation) {
    unsigned pins = INPUT_PINS | INPUT_TARGETS | INPUT_HASTE;
    unsigned iterations = INPUT_SUBSTEPS | INPUT_ITERATIONS | INPUT_QUALITY;
    return simulation == domain->whole ? ~0U
           : simulation == domain->other.simulation
               ? ~(pins | iterations | (INPUT_MAPS & ~input_map(MAP_THICKNESS)))
           : simulation == domain->extras.simulation ? ~pins
                                                     : ~(unsigned)INPUT_LINKS;
}

StatusCode domain_give(Domain *domain, Simulation *simulation, unsigned what, Status *status) {
    Inputs own = *domain->inputs;
    const Mapping *mapping = mapping_to(domain, simulation);
    what &= of_use(domain, simulation);
    if (mapping) {
        mapping_carry(mapping, domain->inputs, what, domain->vertex_count, domain->pin_at,
                      &domain->carried, &own);
    }
    if (simulation == domain->other.simulation && mapping) {
        other_side_inputs(&domain->other, what, &own);
    }
    if (own.pins.here && domain->mode == MIRROR_OFF) {
        own.pins.targets = NULL; /* to the bit, not to single precision */
    }
    StatusCode code = simulation_set_inputs(simulation, &own, what, status);
    if (what & INPUT_PINS && code == STATUS_WARNING_ALL_PINNED) {
        status_all_pinned(status, domain->vertex_count);
    }
    if (code >= 0 && mapping && what & INPUT_SELF_CONTACT) {
        bool extra = simulation == domain->extras.simulation;
        code = extra ? extras_meet(&domain->extras, &own.self_contact, status) : code;
    }
    return code;
}

/* --- links -------------------------------------------------------------------------------------- */

/* All keep their numbers in the half: of a link and its image the one of the kept side has all of the strength, and the other
 * is counted; in the plane each has half of its own. */

/* A link and its image may differ by this share of the larger number: rounding of floats. */
#define SAME_NUMBER 1e-4

enum { SIDE_KEPT = 1, SIDE_BEYOND = 2, SIDE_PAIRED = 4 };

static void swap_ends(Link *link, int a, int b) {
    int vertex = link->vertices[a];
    double weight = link->weights[a];
    link->vertices[a] = link->vertices[b];
    link->weights[a] = link->weights[b];
    link->vertices[b] = vertex;
    link->weights[b] = weight;
}

/* Which end of an edge is the first, and which point but of a button, says nothing. */
static void put_in_order(Link *link) {
    const int *v = link->vertices;
    for (int c = 0; c < LINK_POINTS; c += 2) {
        if (v[c + 1] >= 0 && v[c] > v[c + 1]) {
            swap_ends(link, c, c + 1);
        }
    }
    if (link->use != LINK_BUTTON && (v[0] > v[2] || (v[0] == v[2] && v[1] > v[3]))) {
        swap_ends(link, 0, 2);
        swap_ends(link, 1, 3);
    }
}

/* Whether it is a zip or a button that the half's rails or strips stand for, if it is across the plane. */
static bool is_closed_by_half(const Domain *domain, const Link *link) {
    const Half *half = &domain->half;
    bool on_rails = link->use == LINK_SEAM && fabs(link->length) <= 0;
    for (int c = 0; c < LINK_POINTS && on_rails; ++c) {
        int v = link->vertices[c];
        on_rails = v < 0 || domain->half_of[v] >= half->rail_from;
    }
    return on_rails || (link->use == LINK_BUTTON && half->gap > 0);
}

/* A half cannot open what it was made to close. */
void domain_note_released(Domain *domain) {
    const LinkInputs *links = &domain->inputs->links;
    bool counts =
        domain->half.front_count > 0 && domain->options.mirror.half.closure == CLOSURE_FREE;
    LinkReport report = {0};
    for (int l = 0, set = -1; l < links->count && counts && report.released == 0; ++l) {
        if (links->list[l].set != set && is_closed_by_half(domain, &links->list[l])) {
            set = links->list[l].set;
            simulation_report_links(domain_linked(domain), set, &report);
        }
    }
    set_asymmetry(domain, ASYMMETRIC_RELEASE, report.released > 0);
}

/* False: no half can have it, since it is on a body, on what is not the half's, or across the plane. */
static bool carry_link(const Domain *domain, Link *link, uint8_t *sides) {
    const Half *half = &domain->half;
    bool has = link->body < 0, closed = is_closed_by_half(domain, link);
    for (int c = 0; c < LINK_POINTS + (link->use == LINK_BUTTON ? 3 : 0); ++c) {
        int *v = c < LINK_POINTS ? &link->vertices[c] : &link->facing[c - LINK_POINTS];
        int h = *v < 0 ? -1 : domain->half_of[*v];
        has = has && (*v < 0 || half->rides[*v].vertices[0] >= 0);
        if (*v >= 0 && domain->partner[*v] != *v) {
            *sides |= h < 0                   ? SIDE_KEPT | SIDE_BEYOND
                      : half->source[h] == *v ? SIDE_KEPT
                                              : SIDE_BEYOND;
        }
        *v = h;
    }
    if (*sides == (SIDE_KEPT | SIDE_BEYOND)) {
        *sides = SIDE_PAIRED;
        *link = (Link){.use = LINK_TACK, /* only counted: from a vertex to itself */
                       .set = link->set,
                       .vertices = {half->rail_from, -1, half->rail_from, -1},
                       .weights = {1, 0, 1, 0},
                       .body = -1,
                       .speed = link->speed,
                       .image_share = 1};
        return has && closed;
    }
    put_in_order(link);
    link->image_share = *sides == 0 ? 0.5 : 0;
    return has;
}

static bool is_same(double a, double b) {
    return fabs(a - b) <= SAME_NUMBER * fmax(fabs(a), fabs(b));
}

/* In the half they are then in one place. */
static bool are_images(const Link *a, const Link *b) {
    bool same = a->use == b->use && a->set == b->set && is_same(a->length, b->length) &&
                is_same(a->stiffness, b->stiffness) && is_same(a->speed, b->speed) &&
                memcmp(a->vertices, b->vertices, sizeof a->vertices) == 0;
    for (int c = 0; c < LINK_POINTS && same; ++c) {
        same = fabs(a->weights[c] - b->weights[c]) <= SAME_NUMBER;
    }
    return same;
}

/* What is beyond the plane becomes its image, so that both come as far. False: one has none. They often follow each other as
 * their images do, so the search goes on from the last one. */
static bool pair_links(Link *links, uint8_t *sides, int count) {
    bool paired = true;
    for (int l = 0, at = 0; l < count && paired; ++l) {
        int tried = sides[l] == SIDE_KEPT ? 0 : count;
        paired = tried == count;
        for (; tried < count && !paired; ++tried, at = (at + 1) % count) {
            paired = sides[at] == SIDE_BEYOND && are_images(&links[l], &links[at]);
            if (paired) {
                links[at] = links[l];
                links[at].image_share = 1;
                sides[at] = SIDE_PAIRED;
            }
        }
    }
    for (int l = 0; l < count && paired; ++l) {
        paired = sides[l] != SIDE_BEYOND;
    }
    return paired;
}

/* Those of the half by their numbers; `fits`: it can have them. Null without memory; the caller frees it. */
Link *carry_links(const Domain *domain, const LinkInputs *from, bool *fits) {
    int count = from->count;
    Link *links = SCRATCH_ARRAY(Link, count);
    uint8_t *sides = SCRATCH_ARRAY(uint8_t, count);
    *fits = count == 0 || domain->mode == MIRROR_EXACT;
    for (int l = 0; l < count && links && sides && *fits; ++l) {
        links[l] = from->list[l];
        *fits = carry_link(domain, &links[l], &sides[l]);
    }
    if (links && sides) {
        *fits = *fits && pair_links(links, sides, count);
    } else {
        free(links);
        links = NULL;
    }
    free(sides);
    return links;
}

StatusCode domain_link_half(Domain *domain, Status *status) {
    LinkInputs own = domain->inputs->links;
    if (!domain->half_lacks_links) {
        return STATUS_OK;
    }
    bool fits;
    Link *links = carry_links(domain, &own, &fits);
    own = (LinkInputs){fits ? own.count : 0, 0, links, own.weightless};
    StatusCode code =
        links ? simulation_set_inputs(domain->halved, &(Inputs){.links = own}, INPUT_LINKS, status)
              : status_no_memory(status, "links");
    domain->half_lacks_links = code < 0;
    free(links);
    return code;
}

/* --- bodies ------------------------------------------------------------------------------------- */

static StatusCode give_body(const Domain *domain, Simulation *simulation, int number,
                            const InputBody *body, unsigned what, Status *status) {
    return mapping_give_body(mapping_to(domain, simulation), simulation, number, body, what,
                             status);
}

StatusCode bodies_give_all(Domain *domain, Simulation *simulation, unsigned what, Status *status) {
    for (int b = 0; b < domain->bodies->count; ++b) {
        const InputBody *body = &domain->bodies->list[b];
        Status reported = {0};
        if (body->present && give_body(domain, simulation, b, body, what, &reported) < 0) {
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
        give_body(domain, simulation, number, before, all, &ignored);
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
        if (give_body(domain, simulations[c], number, body, what, &reported) < 0) {
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
