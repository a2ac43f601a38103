/* Links: the caller's, and those of the half that follow from them. All keep their numbers there: of a link and its image the one
 * of the kept side has all of the strength, and the other is counted; in the plane each has half of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cloth/domain/domain_state.h"

/* A link and its image may differ by this share of the larger number: rounding of floats. */
#define SAME_NUMBER 1e-4

enum { SIDE_KEPT = 1, SIDE_BEYOND = 2, SIDE_PAIRED = 4 };

/* --- to the half ------------------------------------------------------------------------------ */

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

/* Across the plane a half has none but a zip and buttons. These its closure has closed, by rails and strips: the link is only
 * counted, from a vertex to itself. */
static bool close_link(const Half *half, bool on_rails, Link *link) {
    bool zipped = link->use == LINK_SEAM && on_rails && fabs(link->length) <= 0;
    bool buttoned = link->use == LINK_BUTTON && half->gap > 0;
    *link = (Link){.use = LINK_TACK,
                   .set = link->set,
                   .vertices = {half->rail_from, -1, half->rail_from, -1},
                   .weights = {1, 0, 1, 0},
                   .body = -1,
                   .speed = link->speed,
                   .image_share = 1};
    return zipped || buttoned;
}

/* False: no half can have it, since it is on a body, on what is not the half's, or across the plane. */
static bool carry_link(const Domain *domain, Link *link, uint8_t *sides) {
    const Half *half = &domain->half;
    bool has = link->body < 0, on_rails = true;
    for (int c = 0; c < LINK_POINTS + (link->use == LINK_BUTTON ? 3 : 0); ++c) {
        int *v = c < LINK_POINTS ? &link->vertices[c] : &link->facing[c - LINK_POINTS];
        int h = *v < 0 ? -1 : domain->half_of[*v];
        has = has && (*v < 0 || half->rides[*v].vertices[0] >= 0);
        on_rails = on_rails && (*v < 0 || h >= half->rail_from);
        if (*v >= 0 && domain->partner[*v] != *v) {
            *sides |= h < 0                   ? SIDE_KEPT | SIDE_BEYOND
                      : half->source[h] == *v ? SIDE_KEPT
                                              : SIDE_BEYOND;
        }
        *v = h;
    }
    if (*sides == (SIDE_KEPT | SIDE_BEYOND)) {
        *sides = SIDE_PAIRED;
        return has && close_link(half, on_rails, link);
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
static Link *carry_links(const Domain *domain, const LinkInputs *from, bool *fits) {
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

/* --- giving them ------------------------------------------------------------------------------ */

static StatusCode refuse(const Domain *domain, Status *status) {
    const char *mirror = domain->options.mirror.choice == MIRROR_EXACT ? "exact" : "halve";
    status_set(status, STATUS_ERROR_ARGUMENT,
               "mirror is %s, but there are links that need a whole garment: mirror must be off or "
               "auto, or "
               "exact and each seam, tack and elastic on one side, with an image, or in the plane",
               mirror);
    return status_name_argument(status, DETAIL_CONFLICT, "mirror", domain->options.mirror.choice,
                                0);
}

/* To the one that is stepped, whose vertices `own` are in; then `list` has the lengths. */
static StatusCode give(const Domain *domain, const LinkInputs *links, Link *own, Link *list,
                       Status *status) {
    for (int l = links->kept; l < links->count; ++l) {
        if (own[l].length < 0 || own[l].use == LINK_ELASTIC) {
            own[l].length = list[l].length = simulation_link_length(domain->active, &own[l]);
        }
    }
    LinkInputs given = *links;
    given.list = own;
    return simulation_set_inputs(domain->active, &(Inputs){.links = given}, INPUT_LINKS, status);
}

static StatusCode link_mirrored(Domain *domain, const LinkInputs *links, Link *own, bool fits,
                                Link *list, Status *status) {
    if (!fits && domain->options.mirror.choice != MIRROR_AUTO) {
        return refuse(domain, status);
    }
    StatusCode code = fits ? STATUS_OK : domain_go_whole(domain, status);
    bool halved = domain_is_halved(domain);
    code = code < 0 ? code : give(domain, links, halved ? own : list, list, status);
    if (code < 0) {
        return code;
    }
    domain->half_lacks_links = !halved;
    if (halved) { /* a whole simulation that is not stepped is made anew when it is */
        domain->whole_lacks_maps = domain->whole_lacks_maps || domain->whole;
        simulation_destroy(domain->whole);
        domain->whole = NULL;
    }
    bool before = (domain->asymmetry & ASYMMETRIC_LINKS) != 0;
    set_asymmetry(domain, ASYMMETRIC_LINKS, !fits);
    if (!fits && !before) {
        status_set(status, STATUS_WARNING_MIRROR,
                   "there are links that need a whole garment, across the mirror plane or without "
                   "an image, "
                   "so all of this one is simulated");
        return status_name_argument(status, DETAIL_CONFLICT, "mirror", MIRROR_AUTO, 0);
    }
    return code;
}

StatusCode domain_link(Domain *domain, const LinkInputs *links, Link *list, Status *status) {
    StatusCode code;
    if (domain->mode == MIRROR_OFF) {
        code = give(domain, links, list, list, status);
    } else {
        bool fits;
        Link *own = carry_links(domain, links, &fits);
        code = own ? link_mirrored(domain, links, own, fits, list, status)
                   : status_no_memory(status, "links");
        free(own);
    }
    if (code >= 0) {
        domain->inputs->links = *links;
    }
    return code;
}

Simulation *domain_linked(const Domain *domain) {
    return domain->asymmetry & ASYMMETRIC_LINKS ? domain->whole : domain->active;
}
