/* Messages that do not fit are cut, and never fail: an error must be reported even without memory. The details of a
 * sentence that was cut end with the text. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int length_of(const Status *status) { return (int)strlen(status->message); }

static int within(int place) {
    return place < STATUS_MESSAGE_SIZE ? place : STATUS_MESSAGE_SIZE - 1;
}

void status_clear(Status *status) {
    status->code = STATUS_OK;
    status->sentence = status->detail_count = 0;
    status->message[0] = '\0';
}

StatusCode status_set(Status *status, StatusCode code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(status->message, sizeof status->message, format, arguments);
    va_end(arguments);
    status->code = code;
    status->sentence = status->detail_count = 0;
    return code;
}

void status_append(Status *status, const char *format, ...) {
    size_t used = strlen(status->message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(status->message + used, sizeof status->message - used, format, arguments);
    va_end(arguments);
}

StatusCode status_no_memory(Status *status, const char *what) {
    return status_set(status, STATUS_ERROR_MEMORY, "not enough memory for %s", what);
}

StatusCode status_diverged(Status *status, int vertex) {
    status_set(
        status, STATUS_ERROR_DIVERGED,
        "vertex %d diverged: its position is not finite, or it moved too far in one substep; the "
        "state is that before the substep",
        vertex);
    return status_name_element(status, DETAIL_DIVERGED, ELEMENT_VERTEX, vertex);
}

StatusCode status_all_pinned(Status *status, int count) {
    status_set(status, STATUS_WARNING_ALL_PINNED,
               "all %d vertices are pinned: they follow their targets and nothing else", count);
    return status_name_count(status, DETAIL_ALL_PINNED, count);
}

void status_next(Status *status, StatusCode code) {
    if (status->code == STATUS_OK) {
        status_set(status, code, "%s", "");
    } else {
        status_append(status, "; ");
    }
    status->sentence = length_of(status);
}

Detail *status_detail(Status *status, DetailCode code) {
    Detail *detail = &status->details[status->detail_count];
    status->detail_count += status->detail_count < STATUS_DETAILS;
    int begin = status->sentence, end = length_of(status);
    *detail = (Detail){.code = code,
                       .body = -1,
                       .defect = -1,
                       .begin = begin,
                       .end = end,
                       .cause_begin = begin,
                       .cause_end = end};
    for (int i = 0; i < DETAIL_ELEMENTS; ++i) {
        detail->elements[i] = -1;
    }
    return detail;
}

static void set_element(Detail *detail, DetailElement element, int index) {
    detail->element = element;
    detail->elements[0] = index;
    detail->count = 1;
}

StatusCode status_of_element(Status *status, DetailElement element, int index) {
    if (status->detail_count > 0) {
        set_element(&status->details[status->detail_count - 1], element, index);
    }
    return status->code;
}

StatusCode status_name_element(Status *status, DetailCode code, DetailElement element, int index) {
    set_element(status_detail(status, code), element, index);
    return status->code;
}

StatusCode status_name_count(Status *status, DetailCode code, int count) {
    status_detail(status, code)->count = count;
    return status->code;
}

StatusCode status_name_argument(Status *status, DetailCode code, const char *name, double value,
                                double limit) {
    Detail *detail = status_detail(status, code);
    detail->name = name;
    detail->value = value;
    detail->limit = limit;
    return status->code;
}

static void shift(Detail *detail, int by) {
    detail->begin = within(detail->begin + by);
    detail->end = within(detail->end + by);
    detail->cause_begin = within(detail->cause_begin + by);
    detail->cause_end = within(detail->cause_end + by);
}

static void add_details(Status *status, const Status *more, int from) {
    for (int d = 0; d < more->detail_count && status->detail_count < STATUS_DETAILS; ++d) {
        Detail *detail = &status->details[status->detail_count++];
        *detail = more->details[d];
        shift(detail, from);
    }
}

void status_add(Status *status, const Status *more) {
    if (more->code == STATUS_OK) {
        return;
    }
    if (status->code == STATUS_OK) {
        *status = *more;
        return;
    }
    status_next(status, status->code);
    int from = status->sentence;
    status_append(status, "%s", more->message);
    add_details(status, more, from);
    status->sentence = within(from + more->sentence);
}

StatusCode status_conclude(Status *status, StatusCode code, DetailOutcome outcome,
                           const char *before, const char *after) {
    Status cause = *status;
    status_set(status, code, "%s%s%s", before, cause.message, after);
    add_details(status, &cause, (int)strlen(before));
    for (int d = 0; d < status->detail_count; ++d) {
        status->details[d].outcome = outcome;
    }
    if (status->detail_count > 0) {
        status->details[0].begin = 0;
        status->details[status->detail_count - 1].end = length_of(status);
    }
    return code;
}
