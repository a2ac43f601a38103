/* The functions of muslin.h that only say something: versions, and a line for each status. */
#include "muslin.h"

const char *muslin_version(void) { return MUSLIN_VERSION; }

uint32_t muslin_abi_version(void) { return MUSLIN_ABI_VERSION; }

const char *muslin_status_text(MuslinStatus status) {
    switch (status) {
    case MUSLIN_OK:
        return "success";
    case MUSLIN_WARNING_MESH:
        return "the mesh has defects, but can be simulated";
    case MUSLIN_WARNING_ALL_PINNED:
        return "all vertices are pinned";
    case MUSLIN_WARNING_MIRROR:
        return "not mirrored, or not in all: something is not symmetric";
    case MUSLIN_WARNING_MATERIAL:
        return "the model cannot have the material as it is asked for";
    case MUSLIN_ERROR_HANDLE:
        return "no such cloth: the handle is null or stale";
    case MUSLIN_ERROR_ARGUMENT:
        return "a parameter is out of its range";
    case MUSLIN_ERROR_MESH:
        return "the mesh cannot be simulated";
    case MUSLIN_ERROR_MEMORY:
        return "not enough memory";
    case MUSLIN_ERROR_MATRIX:
        return "the system matrix is not positive definite";
    case MUSLIN_ERROR_DIVERGED:
        return "the simulation diverged";
    case MUSLIN_ERROR_CANCELLED:
        return "cancelled";
    case MUSLIN_ERROR_SNAPSHOT:
        return "no snapshot of this cloth";
    case MUSLIN_ERROR_BODY:
        return "no such body: its number is wrong, or it was removed";
    case MUSLIN_ERROR_BUSY:
        return "the cloth is busy: another thread works on it";
    default:
        return "unknown status";
    }
}
