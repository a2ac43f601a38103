/* Checks of materials that involve more than one number. */
#include "laws/material_check.h"

#include "laws/membrane.h"
#include "laws/moment.h"

#define STRETCH_SAMPLES (int)(sizeof((Material){0}.stretch_samples) / sizeof(double))

static bool is_measured(const Material *material) {
    bool measured = false;
    for (int i = 0; i < STRETCH_SAMPLES; ++i) {
        measured = measured || material->stretch_samples[i] != 0;
    }
    return measured;
}

/* Threads bend by numbers alone, and forget. */
static StatusCode check_bending(const Material *material, ModelKind model, Status *status) {
    const char *lacking = moment_measured(material) ? "bend_samples"
                          : moment_keeps(material)  ? "fold_memory"
                                                    : NULL;
    if (!lacking || model != MODEL_WOVEN) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_ARGUMENT,
               "%s is given, but threads only have bend and bend_weft: it needs another solver",
               lacking);
    return status_name_argument(status, DETAIL_CONFLICT, lacking, model, MODEL_MEMBRANE);
}

/* What only membranes have: other laws would leave it out silently. */
static StatusCode check_model(const Material *material, ModelKind model, Status *status) {
    bool measured = is_measured(material);
    const char *lacking = measured                      ? "stretch_samples"
                          : material->poisson != 0      ? "poisson"
                          : material->strain_limit != 0 ? "strain_limit"
                                                        : NULL;
    if (!lacking || model == MODEL_MEMBRANE) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_ARGUMENT,
               "%s is given, but %s only independent warp, weft and shear: it needs %s", lacking,
               model == MODEL_EDGE    ? "the edge model has"
               : model == MODEL_WOVEN ? "threads have"
                                      : "the triangle model has",
               model == MODEL_WOVEN ? "another solver, and the membrane model"
                                    : "the membrane model");
    return status_name_argument(status, DETAIL_CONFLICT, lacking, model, MODEL_MEMBRANE);
}

/* A table needs stiffness in every direction of the slack cloth, and strips that resist. */
static StatusCode check_samples(const Material *material, Status *status) {
    const double *slack = material->stretch_samples;
    static const char *const names[] = {"c11", NULL, "c22", "c33"};
    bool measured = is_measured(material);
    if (measured && material->poisson != 0) {
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "poisson is given, but stretch_samples already say how much a strip narrows");
        return status_name_argument(status, DETAIL_CONFLICT, "poisson", material->poisson, 0);
    }
    for (int i = 0; measured && i < 4; ++i) {
        if (names[i] && !(slack[i] > 0)) {
            status_set(status, STATUS_ERROR_ARGUMENT,
                       "stretch_samples[%d] is %g, but %s of the slack cloth must be above 0", i,
                       slack[i], names[i]);
            return status_name_argument(status, DETAIL_RANGE, "stretch_samples", slack[i], 0);
        }
    }
    if (measured && !stretch_is_sound(material)) {
        status_set(
            status, STATUS_ERROR_ARGUMENT,
            "stretch_samples make a fabric of which a strip along warp, weft or bias does not "
            "resist being stretched: c12 is too large or c33 too small");
        return status_name_argument(status, DETAIL_CONFLICT, "stretch_samples", slack[1], 0);
    }
    return STATUS_OK;
}

StatusCode material_check(const Material *material, ModelKind model, Status *status) {
    StatusCode code = check_model(material, model, status);
    code = code == STATUS_OK ? check_bending(material, model, status) : code;
    return code == STATUS_OK ? check_samples(material, status) : code;
}
