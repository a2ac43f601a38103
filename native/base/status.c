#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

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

StatusCode status_no_memory(Status *status, const char *what) {
    return status_set(status, STATUS_ERROR_MEMORY, "not enough memory for %s", what);
}
