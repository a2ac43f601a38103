/* Takes what is set, and gives it to the domain's simulations, each in its own vertices and frame. */
#include "cloth/domain/domain_state.h"

/* What a simulation has a use for. The other side has iterations and pins of its own; extra parts have stitches among their
 * pins. Links of a half are carried by themselves: domain_links.c. */
static unsigned of_use(const Domain *domain, const Simulation *simulation) {
    unsigned pins = INPUT_PINS | INPUT_TARGETS | INPUT_HASTE;
    unsigned iterations = INPUT_SUBSTEPS | INPUT_ITERATIONS | INPUT_QUALITY;
    return simulation == domain->whole               ? ~0U
           : simulation == domain->other.simulation  ? ~(pins | iterations | INPUT_MAPS)
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

bool domain_steps_half(const Domain *domain) { return domain_is_halved(domain); }

const MirrorFrame *domain_frame(const Domain *domain) {
    return domain->mode != MIRROR_OFF ? &domain->half.frame : NULL;
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

static StatusCode judge_forces(Domain *domain, const Inputs *inputs, Status *status) {
    bool reported = domain->forces_reported;
    StatusCode code = domain->mode == MIRROR_OFF
                          ? STATUS_OK
                          : check_forces(domain, inputs->gravity, &inputs->wind, status);
    if (code < 0) {
        return code;
    }
    note_forces(domain, code);
    if (reported && code > 0) { /* wind may change with every frame */
        status_clear(status);
        return STATUS_OK;
    }
    return code;
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
        code = judge_forces(domain, inputs, status);
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
    return pins & INPUT_PINS      ? domain_take_pins(domain, &inputs->pins, status)
           : pins & INPUT_TARGETS ? domain_take_targets(domain, inputs->pins.targets, status)
                                  : code;
}
