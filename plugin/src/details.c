/* muslin_detail(): what the last message of a handle is about, in the numbers of muslin.h. */
#include <string.h>

#include "handle.h"
#include "muslin.h"
#include "report.h"

_Static_assert((int)DETAIL_DIVERGED == (int)MUSLIN_DETAIL_DIVERGED, "codes of details");
_Static_assert((int)OUTCOME_KEPT_SIDE_MET == (int)MUSLIN_OUTCOME_KEPT_SIDE_MET, "outcomes");
_Static_assert((int)ELEMENT_BODY_FACE == (int)MUSLIN_ELEMENT_BODY_FACE, "elements");
_Static_assert(DETAIL_ELEMENTS == MUSLIN_DETAIL_ELEMENTS, "elements of a detail");

int32_t muslin_detail_count(MuslinCloth handle, int32_t *count) {
    if (!count) {
        return MUSLIN_ERROR_ARGUMENT;
    }
    Status status;
    int32_t code = handle_read(handle, &status);
    *count = code == MUSLIN_OK ? status.detail_count : 0;
    return code;
}

int32_t muslin_detail(MuslinCloth handle, int32_t index, MuslinDetail *out) {
    Status status;
    int32_t code = handle_read(handle, &status);
    if (code != MUSLIN_OK) {
        return code;
    }
    if (index < 0 || index >= status.detail_count) {
        return MUSLIN_ERROR_ARGUMENT;
    }
    const Detail *detail = &status.details[index];
    MuslinDetail told = {.size = sizeof told,
                         .code = (int32_t)detail->code,
                         .outcome = (int32_t)detail->outcome,
                         .element = (int32_t)detail->element,
                         .count = detail->count,
                         .body = detail->body,
                         .defect = detail->defect,
                         .value = detail->value,
                         .limit = detail->limit,
                         .begin = detail->begin,
                         .end = detail->end,
                         .cause_begin = detail->cause_begin,
                         .cause_end = detail->cause_end};
    memcpy(told.elements, detail->elements, sizeof told.elements);
    if (detail->name) {
        strncpy(told.name, detail->name, sizeof told.name - 1);
    }
    Status ignored = {0}; /* the message that is told of stays */
    return report_give("MuslinDetail", &told, sizeof told, out, &ignored);
}
