/* Takes what the caller sets: judges whether a half can have it, and gives it to the simulations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cloth/domain/asymmetry.h"
#include "cloth/domain/give.h"
#include "cloth/domain/whole.h"

/* Weights of partners may differ by so much. */
#define SAME_WEIGHT 1e-6

/* --- pins --------------------------------------------------------------------------------------- */

/* The pin of each vertex into pin_at, -1 for none; refuses a vertex given twice. */
static StatusCode mark_pins(Domain *domain, const PinInputs *pins, Status *status) {
    for (int v = 0; v < domain->vertex_count; ++v) {
        domain->pin_at[v] = -1;
    }
    for (int p = 0; p < pins->count; ++p) {
        int v = pins->vertices[p];
        if (domain->pin_at[v] >= 0) {
            status_set(status, STATUS_ERROR_ARGUMENT, "vertex %d is pinned twice", v);
            return status_name_element(status, DETAIL_PINNED_TWICE, ELEMENT_VERTEX, v);
        }
        domain->pin_at[v] = p;
    }
    return STATUS_OK;
}

static bool is_mirrored(const Domain *domain, const PinInputs *pins, int p, int q, bool places) {
    double weight = pins->weights[p];
    if (q < 0) {
        return weight == 0;
    }
    const float *targets = pins->targets;
    return fabs(weight - pins->weights[q]) <= SAME_WEIGHT &&
           (places || image_distance(domain, vector_at(targets, p), vector_at(targets, q)) <=
                          domain->half.symmetry.tolerance);
}

/* Pins whose mirror image is none of the pins; pin_at has those. `places`: their targets are symmetric. */
static Refusal find_lonely(const Domain *domain, const PinInputs *pins, bool places) {
    Refusal found = {0};
    for (int p = 0; p < pins->count && domain->mode == MIRROR_EXACT; ++p) {
        int partner = domain->partner[pins->vertices[p]];
        if (partner >= 0 && !is_mirrored(domain, pins, p, domain->pin_at[partner], places)) {
            refusal_add(&found, pins->vertices[p]);
        }
    }
    return found;
}

static StatusCode tell_lonely(const Domain *domain, const Refusal *lonely, Status *status) {
    return tell_asymmetry(domain, lonely, DETAIL_PINS_ASYMMETRIC,
                          "pin has no mirror image among the pins",
                          "pins have no mirror image among the pins", status);
}

/* A strip of a buttoned front is none of the half's, nor the image of any of it: it only rides. Where one side alone
 * counts, so do its strips. */
bool domain_pin_is_idle(const Domain *domain, int vertex) {
    const Half *half = &domain->half;
    if (domain->mode == MIRROR_OFF) {
        return false;
    }
    bool rides = half->rides[vertex].vertices[0] >= 0 && domain->half_of[vertex] < 0;
    if (!(half->gap > 0) || !rides) {
        return false;
    }
    Vec3 at = polygon_position(domain->polygons, vertex);
    return domain->mode == MIRROR_EXACT || frame_to_half(&half->frame, at).x > 0;
}

bool domain_is_buttoned_at(const Domain *domain, int vertex) {
    const Half *half = &domain->half;
    int at = domain->mode != MIRROR_OFF && half->gap > 0 ? domain->half_of[vertex] : -1;
    return at >= half->rail_from && at < half->plane_from;
}

/* Whether any is at a vertex of the half's own; pin_at has them. */
static bool any_is_kept(const Domain *domain) {
    const Half *half = &domain->half;
    bool kept = false;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        kept = kept || (half->source[i] >= 0 && domain->pin_at[half->source[i]] >= 0);
    }
    return kept;
}

/* Pins that the half cannot have hold nothing. */
static StatusCode check_idle(const Domain *domain, const PinInputs *pins, Status *status) {
    Refusal idle = {0};
    for (int p = 0; p < pins->count; ++p) {
        if (pins->weights[p] > 0 && domain_pin_is_idle(domain, pins->vertices[p])) {
            refusal_add(&idle, pins->vertices[p]);
        }
    }
    if (idle.count > 0) {
        refusal_status(&idle, DETAIL_PINS_ON_STRIP, ELEMENT_VERTEX, domain->polygons,
                       "pin holds nothing, since the strips of buttoned fronts are not simulated",
                       "pins hold nothing, since the strips of buttoned fronts are not simulated",
                       status);
        status->code = STATUS_WARNING_MIRROR;
        return status->code;
    }
    if (pins->count == 0 || domain->mode != MIRROR_HALVE || any_is_kept(domain)) {
        return STATUS_OK;
    }
    status_set(status, STATUS_WARNING_MIRROR,
               "none of the %d pins is on the kept side of the mirror plane: nothing is held",
               pins->count);
    return status_name_count(status, DETAIL_PINS_NOT_KEPT, pins->count);
}

static StatusCode give_extras(Domain *domain, Status *status) {
    const PinInputs *pins = &domain->inputs->pins;
    if (!domain->extras.simulation) {
        return STATUS_OK;
    }
    domain_carry_up(domain, domain->floats, NULL);
    return extras_set_pins(&domain->extras, pins->count, pins->vertices, pins->weights,
                           pins->targets, domain->floats, status);
}

/* To the simulation that is stepped, unless it is a half that cannot have them; to all or to none. */
static StatusCode give_pins(Domain *domain, const PinInputs *pins, bool symmetric, Status *status) {
    const PinInputs before = domain->inputs->pins;
    domain->inputs->pins = *pins;
    StatusCode code = give_extras(domain, status);
    if (code >= 0 && (symmetric || !domain_is_halved(domain))) {
        code = domain_give(domain, domain->active, INPUT_PINS, status);
    }
    if (code < 0) {
        Status ignored = {0};
        domain->inputs->pins = before;
        give_extras(domain, &ignored);
    }
    return code;
}

static StatusCode take_pins(Domain *domain, const PinInputs *pins, Status *status) {
    if (domain->mode == MIRROR_OFF) {
        return give_pins(domain, pins, true, status);
    }
    Status reported = {0};
    bool places = domain_is_halved(domain) && (pins->here || pins->symmetric);
    status_clear(status);
    if (mark_pins(domain, pins, status) != STATUS_OK) {
        return status->code;
    }
    Refusal lonely = find_lonely(domain, pins, places);
    if (lonely.count > 0 && tell_lonely(domain, &lonely, &reported) < 0) {
        *status = reported;
        return status->code;
    }
    if (give_pins(domain, pins, lonely.count == 0, status) < 0) {
        return status->code;
    }
    set_asymmetry(domain, ASYMMETRIC_PINS, lonely.count > 0);
    if (reported.code == STATUS_OK && status->code == STATUS_OK) {
        check_idle(domain, pins, &reported);
    }
    *status = reported.code != STATUS_OK ? reported : *status;
    return status->code;
}

/* A half that could not have the pins before gets them now. */
static StatusCode give_moved(Domain *domain, bool symmetric, Status *status) {
    bool lacked = (domain->asymmetry & ASYMMETRIC_PINS) != 0;
    if (!domain_is_halved(domain)) {
        return domain_give(domain, domain->whole, INPUT_TARGETS, status);
    }
    return symmetric
               ? domain_give(domain, domain->halved, lacked ? INPUT_PINS : INPUT_TARGETS, status)
               : STATUS_OK;
}

static StatusCode take_targets(Domain *domain, const float *targets, Status *status) {
    PinInputs moved = domain->inputs->pins, before = moved;
    moved.targets = targets;
    moved.here = moved.symmetric = false;
    StatusCode code = STATUS_OK;
    Refusal lonely = {0};
    if (domain->mode != MIRROR_OFF && mark_pins(domain, &moved, status) == STATUS_OK) {
        lonely = find_lonely(domain, &moved, false);
    }
    if (lonely.count > 0 && !(domain->asymmetry & ASYMMETRIC_PINS)) {
        code = tell_lonely(domain, &lonely, status);
    }
    if (code < 0) {
        return code;
    }
    domain->inputs->pins = moved;
    StatusCode given = give_moved(domain, lonely.count == 0, status);
    if (given < 0) {
        domain->inputs->pins = before;
        return given;
    }
    if (domain->extras.simulation) {
        extras_move_pins(&domain->extras, targets);
    }
    set_asymmetry(domain, ASYMMETRIC_PINS, lonely.count > 0);
    return given != STATUS_OK ? given : code;
}

/* --- taking ------------------------------------------------------------------------------------- */

static StatusCode refuse_material(const Domain *domain, int part, const Material *material,
                                  Status *status) {
    PartOptions made = system_part(&domain->options.simulation.system, part);
    bool air = !made.air && pressure_is_given(material);
    const char *name = air && material->pressure != 0 ? "pressure"
                       : air                          ? "volume_stiffness"
                       : material->fold_memory > 0    ? "fold_memory"
                                                      : "bend_samples";
    status_set(status, STATUS_ERROR_ARGUMENT, "%s is given", name);
    if (system_part_count(&domain->options.simulation.system) > 1) {
        status_append(status, " for part %d", part);
    }
    status_append(status, ", but the cloth was created without it: create it again");
    return status_name_argument(status, DETAIL_CONFLICT, name, 0, 0);
}

static StatusCode judge_materials(const Domain *domain, const Material *materials, Status *status) {
    const Simulation *any = domain->halved ? domain->halved : domain->whole;
    int part_count = system_part_count(&domain->options.simulation.system);
    for (int p = 0; p < part_count; ++p) {
        if (!simulation_accepts_material(any, p, &materials[p])) {
            return refuse_material(domain, p, &materials[p], status);
        }
        if (materials[p].volume_stiffness > 0 && !simulation_has_volumes(any, p)) {
            return simulation_refuse_flat(part_count > 1 ? p : -1, materials[p].volume_stiffness,
                                          status);
        }
    }
    return STATUS_OK;
}

/* Before anything has changed. */
static StatusCode judge(Domain *domain, const Inputs *inputs, unsigned what, Status *status) {
    StatusCode code = STATUS_OK;
    if (what & INPUT_MATERIALS) {
        code = judge_materials(domain, inputs->materials, status);
    }
    if (code >= 0 && what & INPUT_MAPS) {
        code = judge_maps(domain, inputs, what, status);
    }
    if (code >= 0 && what & INPUT_FORCES) {
        code = judge_forces(domain, inputs->gravity, &inputs->wind, status);
    }
    return code >= 0 && what & INPUT_FIELDS ? judge_fields(domain, inputs, status) : code;
}

/* What a simulation gets now; the rest when it is put in use. A half that cannot have the maps waits for others. */
static unsigned wanted_now(Domain *domain, const Simulation *simulation, unsigned what) {
    bool active = simulation == domain->active;
    bool beside = simulation != domain->halved && simulation != domain->whole;
    bool stepped = active || (beside && domain_is_halved(domain));
    bool fits = !(domain->asymmetry & ASYMMETRIC_MAPS) || !domain_is_halved(domain);
    unsigned not_now = stepped ? 0 : INPUT_FORCES | INPUT_FIELDS;
    return what & ~(not_now | (beside || (active && fits) ? 0U : (unsigned)INPUT_MAPS));
}

static StatusCode give_all(Domain *domain, unsigned what, Status *status) {
    Simulation *simulations[4];
    int count = domain_simulations(domain, simulations);
    StatusCode code = STATUS_OK;
    if (what & INPUT_MAPS) {
        domain->half_lacks_maps = domain->whole_lacks_maps = true;
    }
    for (int c = 0; c < count && code >= 0; ++c) {
        unsigned now = wanted_now(domain, simulations[c], what);
        code = domain_give(domain, simulations[c], now, status);
        bool has_maps = (now & INPUT_MAPS) != 0;
        domain->half_lacks_maps &= !(has_maps && simulations[c] == domain->halved);
        domain->whole_lacks_maps &= !(has_maps && simulations[c] == domain->whole);
    }
    return code;
}

StatusCode domain_take(Domain *domain, const Inputs *inputs, unsigned what, Status *status) {
    unsigned pins = what & (INPUT_PINS | INPUT_TARGETS), rest = what & ~pins;
    Inputs before = *domain->inputs;
    Status given = {0};
    StatusCode code = judge(domain, inputs, rest, status);
    if (code < 0) {
        return code;
    }
    inputs_set(domain->inputs, inputs, rest);
    if (rest & INPUT_MAPS && domain->mode != MIRROR_OFF) {
        rest |= INPUT_MAPS;
    }
    if (give_all(domain, rest, &given) < 0) { /* all as they were */
        Status ignored = {0};
        *domain->inputs = before;
        give_all(domain, rest, &ignored);
        *status = given;
        return status->code;
    }
    if (rest & INPUT_MATERIALS) {
        simulation_warn_of_material(domain->halved ? domain->halved : domain->whole, status);
        code = status->code;
    }
    return pins & INPUT_PINS      ? take_pins(domain, &inputs->pins, status)
           : pins & INPUT_TARGETS ? take_targets(domain, inputs->pins.targets, status)
                                  : code;
}

/* --- links ---------------------------------------------------------------------------------- */

static StatusCode refuse_links(const Domain *domain, Status *status) {
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
static StatusCode give_links(const Domain *domain, const LinkInputs *links, Link *own, Link *list,
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
        return refuse_links(domain, status);
    }
    StatusCode code = fits ? STATUS_OK : domain_go_whole(domain, status);
    bool halved = domain_is_halved(domain);
    code = code < 0 ? code : give_links(domain, links, halved ? own : list, list, status);
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
        code = give_links(domain, links, list, list, status);
    } else {
        bool fits;
        Link *own = carry_links(domain, links, &fits);
        code = own ? link_mirrored(domain, links, own, fits, list, status)
                   : status_no_memory(status, "links");
        free(own);
    }
    if (code >= 0) {
        domain->inputs->links = *links;
        domain_note_released(domain);
    }
    return code;
}

void domain_open_links(Domain *domain, int set, bool open) {
    (open ? simulation_open_links : simulation_close_links)(domain_linked(domain), set);
    domain_note_released(domain);
}
