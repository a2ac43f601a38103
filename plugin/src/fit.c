/* What muslin.h says about how a cloth sits. */
#include "cloth/cloth.h"
#include "handle.h"
#include "muslin.h"

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
