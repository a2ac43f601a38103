/* Which closure is asked for, and the warning where there is nothing to close. */
#include "mirror/closures/closures.h"

#include "mirror/closures/buttons.h"
#include "mirror/closures/open_fronts.h"

static void close_zip(Draft *draft, const OpenFronts *fronts) {
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        if (fronts->is_front[v]) {
            draft->kind[v] = KIND_RAIL;
        }
    }
    draft->front_count = fronts->vertex_count;
}

StatusCode closure_apply(Draft *draft, Status *status) {
    OpenFronts fronts;
    if (draft->options->closure == CLOSURE_FREE) {
        return STATUS_OK;
    }
    if (open_fronts_find(draft, &fronts, status) != STATUS_OK) {
        return status->code;
    }
    if (fronts.vertex_count > 0 && draft->options->closure == CLOSURE_ZIP) {
        close_zip(draft, &fronts);
    } else if (fronts.vertex_count > 0 && button_close(draft, &fronts, status) < 0) {
        return status->code;
    }
    if (draft->front_count > 0) {
        return STATUS_OK;
    }
    status_set(status, STATUS_WARNING_MESH,
               "no open front was found along the mirror plane: there is nothing to close");
    return status_name_count(status, DETAIL_NO_FRONT, 0);
}
