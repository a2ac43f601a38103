/* Messages are cut where they do not fit and never fail: an error must be tellable when memory is gone. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void status_clear(Status *status) {
    status->code = STATUS_OK;
    status->message[0] = '\0';
}

StatusCode status_set(Status *status, StatusCode code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(status->message, sizeof status->message, format, arguments);
    va_end(arguments);
    status->code = code;
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
