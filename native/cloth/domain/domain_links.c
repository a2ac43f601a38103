/* Links: the caller's, and those of the half that follow from them. All keep their numbers there: of a link and its image the one
 * of the kept side has all of the strength, and the other is counted; in the plane each has half of its own. */
#include <stdlib.h>
#include <string.h>

#include "cloth/domain/domain_state.h"

/* A link and its image may differ by this share of the larger number: rounding of floats. */
#define SAME_NUMBER 1e-4

enum { SIDE_KEPT = 1, SIDE_BEYOND = 2 };

/* A link in the vertices of the half. */
typedef struct Carrying {
    Link link;
    int number; /* of the caller's */
    unsigned sides;
    bool paired;
} Carrying;

/* --- to the half ------------------------------------------------------------------------------ */

static void swap_ints(int *a, int *b) {
    int kept = *a;
    *a = *b;
    *b = kept;
}

static void swap_numbers(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Which of its points is the first, and which end of an edge, says nothing but of a button. */
static void put_in_order(Link *link) {
    int *v = link->vertices;
    double *w = link->weights;
    for (int c = 0; c < LINK_POINTS; c += 2) {
        if (v[c + 1] >= 0 && v[c] > v[c + 1]) {
            swap_ints(&v[c], &v[c + 1]);
            swap_numbers(&w[c], &w[c + 1]);
        }
    }
    if (link->use != LINK_BUTTON && (v[0] > v[2] || (v[0] == v[2] && v[1] > v[3]))) {
        for (int c = 0; c < 2; ++c) {
            swap_ints(&v[c], &v[c + 2]);
            swap_numbers(&w[c], &w[c + 2]);
        }
    }
}

static bool carry_vertex(const Domain *domain, int *vertex, unsigned *sides) {
    int h = domain->half_of[*vertex];
    if (h >= 0 && domain->partner[*vertex] != *vertex) {
        *sides |= domain->half.source[h] == *vertex ? SIDE_KEPT : SIDE_BEYOND;
    }
    *vertex = h;
    return h >= 0;
}

/* False: no half can have it, since it is on a body, on what is not the half's, or across the plane. */
static bool carry_link(const Domain *domain, const Link *from, Carrying *to) {
    Link *link = &to->link;
    bool has = from->body < 0;
    *link = *from;
    for (int c = 0; c < LINK_POINTS && has; ++c) {
        has = link->vertices[c] < 0 || carry_vertex(domain, &link->vertices[c], &to->sides);
    }
    for (int c = 0; c < 3 && has && link->use == LINK_BUTTON; ++c) {
        has = carry_vertex(domain, &link->facing[c], &to->sides);
    }
    put_in_order(link);
    link->image_share = to->sides == 0 ? 0.5 : 0;
    return has && to->sides != (SIDE_KEPT | SIDE_BEYOND);
}

static int compare_carried(const void *first, const void *second) {
    const Link *a = &((const Carrying *)first)->link, *b = &((const Carrying *)second)->link;
    int by = a->use != b->use ? (a->use > b->use ? 1 : -1) : (a->set > b->set) - (a->set < b->set);
    for (int c = 0; c < LINK_POINTS && by == 0; ++c) {
        by = (a->vertices[c] > b->vertices[c]) - (a->vertices[c] < b->vertices[c]);
    }
    return by;
}

static bool is_same(double a, double b) {
    return fabs(a - b) <= SAME_NUMBER * fmax(fabs(a), fabs(b));
}

static bool are_images(const Carrying *kept, const Carrying *other) {
    const Link *a = &kept->link, *b = &other->link;
    bool same = other->sides == SIDE_BEYOND && !other->paired && is_same(a->length, b->length) &&
                is_same(a->stiffness, b->stiffness) && is_same(a->speed, b->speed);
    for (int c = 0; c < LINK_POINTS; ++c) {
        same = same && fabs(a->weights[c] - b->weights[c]) <= SAME_NUMBER;
    }
    return same;
}

/* What has an image gives it its own numbers, so that both come as far. False: a link has none. */
static bool pair_links(Carrying *all, int count) {
    int left = 0;
    for (int k = 0; k < count; ++k) {
        left += all[k].sides != 0;
    }
    for (int begin = 0, end = 0; begin < count; begin = end) {
        while (end < count && compare_carried(&all[begin], &all[end]) == 0) {
            ++end;
        }
        for (int k = begin; k < end; ++k) {
            for (int o = begin; o < end && all[k].sides == SIDE_KEPT && !all[k].paired; ++o) {
                if (are_images(&all[k], &all[o])) {
                    all[o].link = all[k].link;
                    all[o].link.image_share = 1;
                    all[k].paired = all[o].paired = true;
                    left -= 2;
                }
            }
        }
    }
    return left == 0;
}

/* Those of the half by their numbers; `fits`: it can have them. Null without memory; the caller frees it. */
static Link *carry_links(const Domain *domain, const LinkInputs *from, bool *fits) {
    Link *links = SCRATCH_ARRAY(Link, from->count);
    Carrying *all = SCRATCH_ARRAY(Carrying, from->count);
    if (!links || !all) {
        free(links);
        free(all);
        return NULL;
    }
    *fits = from->count == 0 || domain->mode == MIRROR_EXACT;
    for (int l = 0; l < from->count && *fits; ++l) {
        all[l].number = l;
        *fits = carry_link(domain, &from->list[l], &all[l]);
    }
    if (*fits) {
        qsort(all, (size_t)from->count, sizeof *all, compare_carried);
        *fits = pair_links(all, from->count);
    }
    for (int l = 0; l < from->count && *fits; ++l) {
        links[all[l].number] = all[l].link;
    }
    free(all);
    return links;
}

StatusCode domain_link_half(Domain *domain, Status *status) {
    LinkInputs own = domain->inputs->links;
    if (!domain->half_lacks_links) {
        return STATUS_OK;
    }
    bool fits;
    Link *links = carry_links(domain, &own, &fits);
    if (!links) {
        return status_no_memory(status, "links");
    }
    own.list = links;
    own.count = fits ? own.count : 0;
    own.kept = 0;
    StatusCode code = simulation_take(domain->halved, &(Inputs){.links = own}, INPUT_LINKS, status);
    domain->half_lacks_links = code < 0;
    free(links);
    return code;
}

/* --- giving them ------------------------------------------------------------------------------ */

static StatusCode refuse(const Domain *domain, Status *status) {
    const char *mirror = domain->options.mirror.choice == MIRROR_EXACT ? "exact" : "halve";
    status_set(
        status, STATUS_ERROR_ARGUMENT,
        "mirror is %s, but there are links of whole garments: mirror must be off or auto, or "
        "exact and each seam, tack and elastic on one side, with an image, or in the plane",
        mirror);
    return status_name_argument(status, DETAIL_CONFLICT, "mirror", domain->options.mirror.choice,
                                0);
}

/* To the one that is stepped, whose vertices `own` are in; then `list` has the lengths. */
static StatusCode give(const Domain *domain, const LinkInputs *links, Link *own, Link *list,
                       Status *status) {
    for (int l = links->kept; l < links->count; ++l) {
        own[l].length = list[l].length = simulation_link_length(domain->active, &own[l]);
    }
    LinkInputs given = *links;
    given.list = own;
    return simulation_take(domain->active, &(Inputs){.links = given}, INPUT_LINKS, status);
}

/* A whole simulation that is not stepped is made anew when it is. */
static void forget_whole(Domain *domain) {
    domain->whole_lacks_maps = domain->whole_lacks_maps || domain->whole;
    simulation_destroy(domain->whole);
    domain->whole = NULL;
}

static StatusCode link_mirrored(Domain *domain, const LinkInputs *links, Link *own, bool fits,
                                Link *list, Status *status) {
    if (!fits && domain->options.mirror.choice != MIRROR_AUTO) {
        return refuse(domain, status);
    }
    StatusCode code = fits ? STATUS_OK : domain_go_whole(domain, status);
    bool halved = domain_is_halved(domain), had = domain->inputs->links.count > 0;
    code = code < 0 ? code : give(domain, links, halved ? own : list, list, status);
    if (code < 0) {
        return code;
    }
    if (had || links->count > 0) {
        domain->half_lacks_links = !halved;
    }
    if (halved && (had || links->count > 0)) {
        forget_whole(domain);
    }
    bool before = (domain->asymmetry & ASYMMETRIC_LINKS) != 0;
    set_asymmetry(domain, ASYMMETRIC_LINKS, !fits);
    if (!fits && !before) {
        status_set(
            status, STATUS_WARNING_MIRROR,
            "there are links of whole garments, across the mirror plane or without an image, "
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
