/* Reports go out as large as the caller has room for: an older header knows fewer of their last fields. */
#ifndef REPORT_H
#define REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The size that a caller's struct begins with, bytes; he may have put it anywhere. */
uint32_t struct_size(const void *given);

/* Looks at the `size` that the caller's struct begins with; `size` is that of ours. */
StatusCode report_check(const char *name, const void *out, size_t size, Status *status);

/* The same, and copies as much of the report as fits. */
StatusCode report_give(const char *name, const void *report, size_t size, void *out,
                       Status *status);

#endif
