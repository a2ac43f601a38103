/* The functions of muslin.h about levels. */
#include "cloth/cloth.h"

#include "handle.h"
#include "muslin.h"
#include "report.h"
#include "validate.h"

int32_t muslin_cloth_hold_level(MuslinCloth handle, int32_t level) {
    WITH_CLOTH(handle, cloth, status);
    if (level < -1) {
        status_set(status, STATUS_ERROR_ARGUMENT, "level is %d, but must be at least -1", level);
        return status_name_argument(status, DETAIL_RANGE, "level", level, -1);
    }
    return cloth_hold(cloth, level, status);
}

int32_t muslin_cloth_refine(MuslinCloth handle, double step_seconds) {
    WITH_CLOTH(handle, cloth, status);
    if (validate_seconds(step_seconds, status) != STATUS_OK) {
        cloth_forget_cancel(cloth);
        return status->code;
    }
    return cloth_refine(cloth, step_seconds, status);
}

int32_t muslin_cloth_settle(MuslinCloth handle, MuslinSettleReport *out) {
    WITH_CLOTH(handle, cloth, status);
    SettleReport report;
    MuslinSettleReport told = {.size = sizeof told};
    StatusCode code = report_give("MuslinSettleReport", &told, sizeof told, out, status);
    if (code != STATUS_OK) { /* before anything moves */
        cloth_forget_cancel(cloth);
        return code;
    }
    code = cloth_settle(cloth, &report, status);
    told.settled = report.settled;
    told.came_to_rest = report.came_to_rest;
    told.steps = report.steps;
    told.level = report.level;
    told.simulated_count = report.simulated_count;
    told.fastest = report.fastest;
    told.mean = report.mean;
    Status given = {0};
    report_give("MuslinSettleReport", &told, sizeof told, out, &given);
    return code;
}

int32_t muslin_cloth_levels(MuslinCloth handle, MuslinLevelReport *out) {
    WITH_CLOTH(handle, cloth, status);
    LevelReport report;
    cloth_levels(cloth, &report);
    const StepReport step = cloth_last_step(cloth);
    const MuslinLevelReport told = {.size = sizeof told,
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
    return report_give("MuslinLevelReport", &told, sizeof told, out, status);
}
