#include "mirror/draft.h"

StatusCode cut_select(Draft *draft, Status *status) {
    (void)draft;
    return status_set(status, STATUS_ERROR_ARGUMENT, "not built yet");
}
