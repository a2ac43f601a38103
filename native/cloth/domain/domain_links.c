/* Seams, tacks and elastics of a cloth: only whole ones have them. */
#include "cloth/domain/domain_state.h"

static StatusCode refuse(const Domain *domain, Status *status) {
    const char *mirror = domain->options.mirror.choice == MIRROR_EXACT ? "exact" : "halve";
    status_set(status, STATUS_ERROR_ARGUMENT,
               "mirror is %s, but seams, tacks and elastics need a whole garment: mirror must be "
               "off or auto",
               mirror);
    return status_name_argument(status, DETAIL_CONFLICT, "mirror", domain->options.mirror.choice,
                                0);
}

StatusCode domain_link_whole(Domain *domain, bool keep, int count, const Link *links,
                             bool weightless, Status *status) {
    if (domain->mode == MIRROR_OFF) {
        return simulation_sew(domain->whole, keep, count, links, weightless, status);
    }
    if (count > 0 && domain->options.mirror.choice != MIRROR_AUTO) {
        return refuse(domain, status);
    }
    StatusCode code = count > 0 ? domain_go_whole(domain, status) : STATUS_OK;
    if (code >= 0 && domain->whole) {
        code = simulation_sew(domain->whole, keep, count, links, weightless, status);
    }
    if (code < 0) {
        return code;
    }
    bool before = (domain->asymmetry & ASYMMETRIC_LINKS) != 0;
    set_asymmetry(domain, ASYMMETRIC_LINKS, count > 0);
    if (count > 0 && !before) {
        status_set(status, STATUS_WARNING_MIRROR,
                   "seams, tacks and elastics need a whole garment, so all of this one is "
                   "simulated");
        return status_name_argument(status, DETAIL_CONFLICT, "mirror", MIRROR_AUTO, 0);
    }
    return code;
}

Simulation *domain_linked(const Domain *domain) { return domain->whole; }
