/* Reports go out as large as the caller has room for. */
#include "report.h"

#include <string.h>

uint32_t struct_size(const void *given) {
    uint32_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

StatusCode report_check(const char *name, const void *out, size_t size, Status *status) {
    if (!out) {
        status_set(status, STATUS_ERROR_ARGUMENT, "%s is null", name);
        return status_name_argument(status, DETAIL_NULL, name, 0, 0);
    }
    uint32_t given = struct_size(out);
    if (given > sizeof given && given <= size && given % sizeof given == 0) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_ARGUMENT,
               "%s.size is %u, but this library expects %zu, or less of an older header", name,
               given, size);
    return status_name_argument(status, DETAIL_STRUCT_SIZE, name, given, (double)size);
}

StatusCode report_give(const char *name, const void *report, size_t size, void *out,
                       Status *status) {
    if (report_check(name, out, size, status) != STATUS_OK) {
        return status->code;
    }
    uint32_t given = struct_size(out);
    memcpy(out, report, given);
    memcpy(out, &given, sizeof given);
    return STATUS_OK;
}
