/* muslin_get_detail(): what the last message of a handle is about, in the numbers of muslin.h. */
#include <string.h>

#include "handle.h"
#include "muslin.h"
#include "report.h"

_Static_assert((int)DETAIL_DIVERGED == (int)MUSLIN_DETAIL_DIVERGED, "codes of details");
_Static_assert((int)OUTCOME_KEPT_SIDE_MET == (int)MUSLIN_OUTCOME_KEPT_SIDE_MET, "outcomes");
_Static_assert((int)ELEMENT_BODY_FACE == (int)MUSLIN_ELEMENT_BODY_FACE, "elements");
_Static_assert(sizeof((Status){0}.message) <= MUSLIN_MESSAGE_SIZE, "messages");
_Static_assert(DETAIL_ELEMENTS == MUSLIN_DETAIL_ELEMENTS, "elements of a detail");

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
