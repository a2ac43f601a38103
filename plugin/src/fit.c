/* What muslin.h says about how a cloth sits. */
#include "cloth/cloth.h"
#include "handle.h"
#include "muslin.h"

int32_t muslin_cloth_fit(MuslinCloth handle, float *warp, float *weft, float *shear,
                         float *pressure, float *gap) {
    WITH_CLOTH(handle, cloth, status);
    const FitArrays arrays = {
        .warp = warp, .weft = weft, .shear = shear, .pressure = pressure, .gap = gap};
    return cloth_fit(cloth, FIT_STRAIN_AND_PRESSURE, &arrays, status);
}

int32_t muslin_cloth_tension(MuslinCloth handle, float *warp, float *weft) {
    WITH_CLOTH(handle, cloth, status);
    const FitArrays arrays = {.warp_tension = warp, .weft_tension = weft};
    return cloth_fit(cloth, FIT_TENSION, &arrays, status);
}
