/* Checks of materials that involve more than one number. */
#include "laws/material_check.h"

#include "laws/membrane.h"

#define STRETCH_SAMPLES (int)(sizeof((Material){0}.stretch_samples) / sizeof(double))

static bool is_measured(const Material *material) {
    bool measured = false;
    for (int i = 0; i < STRETCH_SAMPLES; ++i) {
        measured = measured || material->stretch_samples[i] != 0;
    }
    return measured;
}

/* A table needs stiffness in every direction of the slack cloth, and strips that resist. */
StatusCode material_check(const Material *material, Status *status) {
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
