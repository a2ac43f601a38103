/* The functions of muslin.h about levels. */
#include "cloth/cloth.h"

#include "handle.h"
#include "muslin.h"
#include "report.h"
#include "validate.h"

MuslinStatus muslin_cloth_hold_level(MuslinCloth handle, int32_t level) {
    WITH_CLOTH(handle, cloth, status);
    if (level < -1) {
        status_set(status, STATUS_ERROR_ARGUMENT, "level is %d, but must be at least -1", level);
        return public_status(status_name_argument(status, DETAIL_RANGE, "level", level, -1));
    }
    return public_status(cloth_hold(cloth, level, status));
}

MuslinStatus muslin_cloth_refine(MuslinCloth handle, double step_seconds) {
    WITH_CLOTH(handle, cloth, status);
    if (validate_seconds(step_seconds, status) != STATUS_OK) {
        cloth_forget_cancel(cloth);
        return public_status(status->code);
    }
    return public_status(cloth_refine(cloth, step_seconds, status));
}

MuslinStatus muslin_cloth_settle(MuslinCloth handle) {
    WITH_CLOTH(handle, cloth, status);
    return public_status(cloth_settle(cloth, status));
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
                                        .mended = step.mended};
    return public_status(report_give("MuslinLevelReport", &reported, sizeof reported, out, status));
}
