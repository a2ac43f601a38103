/* Seams, tacks and elastics of a cloth: only whole ones have them. */
#include <stdlib.h>

#include "cloth/state.h"

static StatusCode refuse(const Cloth *cloth, Status *status) {
    const char *mirror = cloth->options.mirror.choice == MIRROR_EXACT ? "exact" : "halve";
    status_set(status, STATUS_ERROR_ARGUMENT,
               "mirror is %s, but seams, tacks and elastics are of whole garments: mirror must be "
               "off or auto",
               mirror);
    return status_name_argument(status, DETAIL_CONFLICT, "mirror", cloth->options.mirror.choice, 0);
}

/* The bodies have other numbers in the simulation of a mirrored cloth. */
static StatusCode set_whole(Cloth *cloth, bool keep, int count, const Link *links, bool weightless,
                            Status *status) {
    Link *own = SCRATCH_ARRAY(Link, count);
    if (!own) {
        return status_no_memory(status, "links");
    }
    for (int l = 0; l < count; ++l) {
        own[l] = links[l];
        own[l].body = links[l].body >= 0 ? cloth->bodies[links[l].body].whole_number : -1;
    }
    StatusCode code = simulation_set_links(cloth->whole, keep, count, own, weightless, status);
    free(own);
    return code;
}

StatusCode cloth_set_links(Cloth *cloth, bool keep, int count, const Link *links, bool weightless,
                           Status *status) {
    if (cloth->mode == MIRROR_OFF) {
        return simulation_set_links(cloth->whole, keep, count, links, weightless, status);
    }
    if (count > 0 && cloth->options.mirror.choice != MIRROR_AUTO) {
        return refuse(cloth, status);
    }
    StatusCode code = count > 0 ? cloth_go_whole(cloth, status) : STATUS_OK;
    if (code >= 0 && cloth->whole) {
        code = set_whole(cloth, keep, count, links, weightless, status);
    }
    if (code < 0) {
        return code;
    }
    bool before = (cloth->asymmetry & ASYMMETRIC_LINKS) != 0;
    set_asymmetry(cloth, ASYMMETRIC_LINKS, count > 0);
    if (count > 0 && !before) {
        status_set(status, STATUS_WARNING_MIRROR,
                   "seams, tacks and elastics are of whole garments, so all of this one is "
                   "simulated");
        return status_name_argument(status, DETAIL_CONFLICT, "mirror", MIRROR_AUTO, 0);
    }
    return code;
}

void cloth_release_links(Cloth *cloth, int set) {
    if (cloth->whole) {
        simulation_release_links(cloth->whole, set);
    }
}

void cloth_hold_links(Cloth *cloth, int set) {
    if (cloth->whole) {
        simulation_hold_links(cloth->whole, set);
    }
}

void cloth_hasten_links(Cloth *cloth, double haste) {
    if (cloth->whole) {
        simulation_hasten_links(cloth->whole, haste);
    }
}

void cloth_link_report(const Cloth *cloth, int set, LinkReport *report) {
    *report = (LinkReport){.widest = -1};
    if (cloth->whole) {
        simulation_link_report(cloth->whole, set, report);
    }
}

const Sewn *cloth_sewn(const Cloth *cloth) {
    return cloth->whole ? simulation_sewn(cloth->whole) : NULL;
}
