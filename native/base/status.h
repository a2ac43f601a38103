/* How a function of the core says what went wrong: a code, and a sentence that names the vertex,
 * the parameter and the value. The codes are those of muslin.h, so the boundary passes them on. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stdbool.h>

#define STATUS_MESSAGE_SIZE 512

typedef enum StatusCode {
    STATUS_OK = 0,
    STATUS_WARNING_MESH = 1,
    STATUS_WARNING_ALL_PINNED = 2,
    STATUS_WARNING_MIRROR = 4,
    STATUS_ERROR_ARGUMENT = -2,
    STATUS_ERROR_MESH = -3,
    STATUS_ERROR_MEMORY = -4,
    STATUS_ERROR_MATRIX = -5,
    STATUS_ERROR_DIVERGED = -6,
    STATUS_ERROR_CANCELLED = -7,
    STATUS_ERROR_SNAPSHOT = -8
} StatusCode;

typedef struct Status {
    StatusCode code;
    char message[STATUS_MESSAGE_SIZE];
} Status;

void status_clear(Status *status);

/* Sets code and message (printf format) and returns the code. */
StatusCode status_set(Status *status, StatusCode code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds to the message; what does not fit is cut. */
void status_append(Status *status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The one message for memory that could not be had. */
StatusCode status_no_memory(Status *status, const char *what);

#endif
