/* The functions of muslin.h that only say something: versions, a line for each status, and the last message of a handle with what
 * it is about in numbers. */
#include <string.h>

#include "handle.h"
#include "muslin.h"
#include "settings.h"

_Static_assert((int)DETAIL_DIVERGED == (int)MUSLIN_DETAIL_DIVERGED, "codes of details");
_Static_assert((int)OUTCOME_KEPT_SIDE_MET == (int)MUSLIN_OUTCOME_KEPT_SIDE_MET, "outcomes");
_Static_assert((int)ELEMENT_BODY_FACE == (int)MUSLIN_ELEMENT_BODY_FACE, "elements");
_Static_assert(sizeof((Status){0}.message) <= MUSLIN_MESSAGE_SIZE, "messages");
_Static_assert(DETAIL_ELEMENTS == MUSLIN_DETAIL_ELEMENTS, "elements of a detail");

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

MuslinStatus muslin_get_message(MuslinCloth handle, char *text, size_t capacity) {
    if (!text || capacity == 0) {
        return MUSLIN_ERROR_ARGUMENT;
    }
    Status status;
    MuslinStatus code = handle_read(handle, &status);
    const char *message = code == MUSLIN_OK ? status.message : muslin_status_text(code);
    size_t length = strlen(message);
    length = length < capacity ? length : capacity - 1;
    memcpy(text, message, length);
    text[length] = '\0';
    return code;
}

MuslinStatus muslin_get_detail_count(MuslinCloth handle, int32_t *count) {
    if (!count) {
        return MUSLIN_ERROR_ARGUMENT;
    }
    Status status;
    MuslinStatus code = handle_read(handle, &status);
    *count = code == MUSLIN_OK ? status.detail_count : 0;
    return code;
}

static void copy_part(const char *message, int begin, int end, char part[MUSLIN_MESSAGE_SIZE]) {
    memcpy(part, message + begin, (size_t)(end - begin)); /* the rest is 0 */
}

MuslinStatus muslin_get_detail(MuslinCloth handle, int32_t index, MuslinDetail *out) {
    Status status;
    MuslinStatus code = handle_read(handle, &status);
    if (code != MUSLIN_OK) {
        return code;
    }
    if (index < 0 || index >= status.detail_count) {
        return MUSLIN_ERROR_ARGUMENT;
    }
    const Detail *detail = &status.details[index];
    MuslinDetail reported = {.size = sizeof reported,
                             .code = (int32_t)detail->code,
                             .outcome = (int32_t)detail->outcome,
                             .element = (int32_t)detail->element,
                             .count = detail->count,
                             .body = detail->body,
                             .defect = detail->defect,
                             .value = detail->value,
                             .limit = detail->limit};
    copy_part(status.message, detail->begin, detail->end, reported.sentence);
    copy_part(status.message, detail->cause_begin, detail->cause_end, reported.cause);
    memcpy(reported.elements, detail->elements, sizeof reported.elements);
    if (detail->name) {
        strncpy(reported.name, detail->name, sizeof reported.name - 1);
    }
    Status ignored = {0}; /* the message in question stays */
    return public_status(report_give("MuslinDetail", &reported, sizeof reported, out, &ignored));
}
