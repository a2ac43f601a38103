#include "mirror/closures.h"

StatusCode closure_apply(Draft *draft, Status *status) {
    (void)draft;
    (void)status;
    return STATUS_OK;
}
