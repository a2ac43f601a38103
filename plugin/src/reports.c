/* The functions of muslin.h that report on a cloth: what it took, how it is, how it lies and sits. Reports go out as large as the
 * caller has room for. */
#include "cloth/cloth.h"
#include "handle.h"
#include "validate.h"

_Static_assert((int)INSPECTION_BAD == (int)MUSLIN_PLACEMENT_BAD, "how bad it is");
_Static_assert((int)FOUND_NOT_WORN == (int)MUSLIN_FAULT_NOT_WORN, "what is found");
_Static_assert((int)PLACE_EMPTY == (int)MUSLIN_PLACE_EMPTY, "kinds of places");
_Static_assert(PLACES_EACH == MUSLIN_PLACES_EACH, "places of each kind");
_Static_assert(sizeof(InspectionPlace) == sizeof(MuslinPlace), "places");

MuslinStatus muslin_cloth_get_report(MuslinCloth handle, MuslinReport *out) {
    WITH_CLOTH(handle, cloth, status);
    SimulationReport report;
    cloth_report(cloth, &report);
    const FactorReport *factor = &report.factor;
    const MuslinReport reported = {.size = sizeof reported,
                                   .ordering = (int32_t)factor->ordering,
                                   .vertex_count = report.vertex_count,
                                   .edge_count = report.edge_count,
                                   .triangle_count = report.triangle_count,
                                   .hinge_count = report.hinge_count,
                                   .rope_count = report.rope_count,
                                   .component_count = report.component_count,
                                   .pinned_count = report.pinned_count,
                                   .soft_count = report.soft_count,
                                   .matrix_nonzeros = report.matrix_nonzeros,
                                   .factor_nonzeros = factor->factor_nonzeros,
                                   .memory_bytes = (int64_t)report.bytes,
                                   .factor_flops = factor->flops,
                                   .ordering_seconds = factor->ordering_seconds,
                                   .analysis_seconds = factor->analysis_seconds,
                                   .factor_seconds = factor->factor_seconds,
                                   .analysis_count = factor->analysis_count,
                                   .factor_count = factor->factor_count,
                                   .row_update_count = factor->row_update_count,
                                   .coarse_unknowns = report.coarse_unknowns,
                                   .iterations = report.iterations,
                                   .precision = (int32_t)factor->precision,
                                   .factor_bytes = (int64_t)factor->bytes};
    return public_status(report_give("MuslinReport", &reported, sizeof reported, out, status));
}

MuslinStatus muslin_cloth_get_stats(MuslinCloth handle, MuslinStats *out) {
    WITH_CLOTH(handle, cloth, status);
    SimulationMeasure measure;
    cloth_measure(cloth, &measure);
    const StepReport step = cloth_last_step(cloth);
    const SolverWork *work = step.work;
    const ContactReport *contact = step.contact;
    ClothSeconds seconds;
    cloth_seconds(cloth, &seconds);
    const MuslinStats reported = {
        .size = sizeof reported,
        .substeps = step.substeps,
        .pcg_iterations = work->pcg_iterations,
        .newton_iterations = work->newton_iterations,
        .pcg_stopped = work->pcg_stopped,
        .force_seconds = seconds.force,
        .assemble_seconds = seconds.assemble,
        .solve_seconds = seconds.solve,
        .contact_seconds = seconds.search + seconds.respond,
        .total_seconds = seconds.total,
        .largest_strain = measure.largest_strain,
        .mean_strain = measure.mean_strain,
        .largest_strain_edge = {measure.largest_edge[0], measure.largest_edge[1]},
        .kinetic_energy = measure.kinetic_energy,
        .elastic_energy = measure.elastic_energy,
        .gravity_energy = measure.gravity_energy,
        .solves = work->solves,
        .corrections = work->corrections,
        .rejected = work->rejected,
        .coarse_seconds = seconds.coarse,
        .pcg_residual = work->pcg_residual,
        .residual = measure.residual,
        .contacts = contact->contacts,
        .self_contacts = contact->self_contacts,
        .touching = contact->body.touching,
        .stuck = contact->body.stuck,
        .tangled = contact->tangled,
        .deepest = contact->body.deepest,
        .detection_seconds = seconds.search,
        .response_seconds = seconds.respond,
        .sweeps = work->sweeps,
        .curtailed = contact->curtailed,
        .retried = step.retried,
        .mended = step.mended,
        .body_pierced = contact->body.pierced,
        .substeps_reason = (int32_t)step.reason};
    return public_status(report_give("MuslinStats", &reported, sizeof reported, out, status));
}

MuslinStatus muslin_cloth_get_settling(MuslinCloth handle, MuslinSettleReport *out) {
    WITH_CLOTH(handle, cloth, status);
    SettleReport report;
    cloth_settling(cloth, &report);
    const MuslinSettleReport reported = {.size = sizeof reported,
                                         .settled = report.settled,
                                         .came_to_rest = report.came_to_rest,
                                         .steps = report.steps,
                                         .level = report.level,
                                         .simulated_count = report.simulated_count,
                                         .fastest = report.fastest,
                                         .mean = report.mean};
    return public_status(
        report_give("MuslinSettleReport", &reported, sizeof reported, out, status));
}

MuslinStatus muslin_cloth_get_levels(MuslinCloth handle, MuslinLevelReport *out) {
    WITH_CLOTH(handle, cloth, status);
    LevelReport report;
    cloth_levels(cloth, &report);
    const StepReport step = cloth_last_step(cloth);
    const MuslinLevelReport reported = {.size = sizeof reported,
                                        .level = report.level,
                                        .level_count = report.level_count,
                                        .simulated_count = report.simulated_count,
                                        .vertex_count = cloth_vertex_count(cloth),
                                        .refining = report.refining,
                                        .settled = report.settled,
                                        .quiet_steps = report.quiet_steps,
                                        .average_seconds = report.average,
                                        .curtailed = step.contact->curtailed,
                                        .retried = step.retried,
                                        .mended = step.mended,
                                        .body_pierced = step.contact->body.pierced};
    return public_status(report_give("MuslinLevelReport", &reported, sizeof reported, out, status));
}

static MuslinInspection public_report_of(const InspectionReport *report) {
    return (MuslinInspection){
        .size = sizeof(MuslinInspection),
        .placement = (int32_t)report->level,
        .found = report->found,
        .inside_count = report->inside_count,
        .deepest_vertex = report->deepest_vertex,
        .deepest = report->deepest,
        .body_piercings = report->body_piercings,
        .cloth_piercings = report->cloth_piercings,
        .self_piercings = report->self_piercings,
        .limbs_through = report->limbs_through,
        .openings = report->openings_worn,
        .openings_empty = report->openings_empty,
        .fullest = report->fullest,
        .outward = report->outward,
        .nearest = report->nearest,
        .largest_stretch = report->largest_stretch,
        .stretch_edge = {report->stretch_edge[0], report->stretch_edge[1]},
        .stretch_p99 = report->stretch_p99,
    };
}

MuslinStatus muslin_cloth_get_inspection(MuslinCloth handle, MuslinInspection *out,
                                         MuslinPlace *places, int32_t capacity, int32_t *found) {
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(report_check("MuslinInspection", out, sizeof *out, status));
    InspectionReport report;
    RETURN_IF_REFUSED(cloth_inspect(cloth, &report, status));
    int count = cloth_inspected_places(cloth, (InspectionPlace *)places, places ? capacity : 0);
    if (found) {
        *found = count;
    }
    MuslinInspection reported = public_report_of(&report);
    return public_status(report_give("MuslinInspection", &reported, sizeof reported, out, status));
}

MuslinStatus muslin_cloth_get_fit(MuslinCloth handle, float *warp, float *weft, float *shear,
                                  float *pressure, float *gap) {
    WITH_CLOTH(handle, cloth, status);
    const FitArrays arrays = {
        .warp = warp, .weft = weft, .shear = shear, .pressure = pressure, .gap = gap};
    return public_status(cloth_fit(cloth, FIT_STRAIN_AND_PRESSURE, &arrays, status));
}

MuslinStatus muslin_cloth_get_tension(MuslinCloth handle, float *warp, float *weft) {
    WITH_CLOTH(handle, cloth, status);
    const FitArrays arrays = {.warp_tension = warp, .weft_tension = weft};
    return public_status(cloth_fit(cloth, FIT_TENSION, &arrays, status));
}
