#include "mirror/buttons.h"

StatusCode button_close(Draft *draft, const Fronts *fronts, Status *status) {
    (void)draft;
    (void)fronts;
    (void)status;
    return STATUS_OK;
}
