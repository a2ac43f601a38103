/* Memory that cannot be had, on demand. The program is linked so that every malloc, calloc, realloc and free of the
 * library, of CHOLMOD and of METIS comes here first (the linker's --wrap): what ships has none of this. */
#pragma once

#include <stdbool.h>

typedef enum FailKind {
    FAIL_NEVER,
    FAIL_ONE, /* one allocation */
    FAIL_FROM /* it and all that follow */
} FailKind;

/* Counts allocations from 1 on, and lets number `at` fail. */
void failing_begin(FailKind kind, int at);

/* All memory can be had again. Returns how many allocations were asked for since failing_begin(). */
int failing_end(void);

/* Whether one has failed since failing_begin(). */
bool failing_failed(void);

/* Blocks that were taken and not given back. */
long failing_held(void);
