/* The result of a function: a code, sentences that name the vertex, the parameter and the value, and the content of each
 * sentence in numbers (detail.h). The codes are those of muslin.h, so the boundary passes them on. */
#pragma once

#include <stdbool.h>

#include "base/detail.h"

#define STATUS_MESSAGE_SIZE 512
#define STATUS_DETAILS 16

typedef enum StatusCode {
    STATUS_OK = 0,
    STATUS_WARNING_MESH = 1,
    STATUS_WARNING_ALL_PINNED = 2,
    STATUS_WARNING_MIRROR = 4,
    STATUS_WARNING_MATERIAL = 5,
    STATUS_WARNING_BODY = 6,
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
    int sentence; /* where in the message the last one begins */
    int detail_count;
    Detail details[STATUS_DETAILS + 1]; /* one more for what does not fit */
    char message[STATUS_MESSAGE_SIZE];
} Status;

void status_clear(Status *status);

/* How the compiler checks the formats of messages: MinGW takes `printf` for the one of Microsoft's old library, which
 * knows no %zu. The build links MinGW's own there. */
#if defined(__MINGW32__)
#define STATUS_FORMAT(format_at, first_at) __attribute__((format(gnu_printf, format_at, first_at)))
#else
#define STATUS_FORMAT(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#endif

/* Sets code and message (printf format), without details, and returns the code. */
StatusCode status_set(Status *status, StatusCode code, const char *format, ...) STATUS_FORMAT(3, 4);

/* Adds to the message; what does not fit is cut. */
void status_append(Status *status, const char *format, ...) STATUS_FORMAT(2, 3);

/* The message for failed allocations. */
StatusCode status_no_memory(Status *status, const char *what);

/* Said of a simulation, and again of the cloth, which numbers its vertices differently. */
StatusCode status_diverged(Status *status, int vertex);
StatusCode status_all_pinned(Status *status, int count);

/* One more sentence, to be appended after this: a clear status gets the code, another one keeps its own. */
void status_next(Status *status, StatusCode code);

/* The detail of the last sentence as it is now, without element, body or name: the caller fills these in. */
Detail *status_detail(Status *status, DetailCode code);

/* The same for one element, or for a count of things; both return the status's code. */
StatusCode status_name_element(Status *status, DetailCode code, DetailElement element, int index);
StatusCode status_name_count(Status *status, DetailCode code, int count);

/* The same for an argument: its value and its bound. */
StatusCode status_name_argument(Status *status, DetailCode code, const char *name, double value,
                                double limit);

/* The element that the last detail is of. */
StatusCode status_of_element(Status *status, DetailElement element, int index);

/* Appends the sentences of another status; the code stays unless it is clear. */
void status_add(Status *status, const Status *more);

/* Adds what was done about it: text before and after, and the outcome in the details. */
StatusCode status_conclude(Status *status, StatusCode code, DetailOutcome outcome,
                           const char *before, const char *after);

/* --- what is wrong with the code itself ------------------------------------------------------- */

/* Invariants that the code relies on: indices in range, sorted lists, symmetric patterns. Wrong input of a caller is never
 * one of these; it gets a status.
 *
 * In a debug build a violated invariant stops the program in the debugger, on that line. All other builds compile the
 * condition, so that it stays valid code, but never evaluate it: the library must not end its host. */

#ifdef MUSLIN_DEBUG
#define INVARIANT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define INVARIANT(condition) ((void)(0 && (condition)))
#endif
