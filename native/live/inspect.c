/* Looking at how the caller's mesh lies, whichever mesh is simulated. */
#include <stdlib.h>

#include "live/state.h"

/* The inspection knows the garment, and the bodies where they are. */
static StatusCode make_inspection(Live *live, Status *status) {
    if (!live->inspection) {
        live->inspection =
            inspection_create(&live->mesh.polygons, &live->options.simulation.mesh, status);
    }
    for (int b = 0; b < live->body_count && live->inspection; ++b) {
        LiveBody *body = &live->bodies[b];
        if (!body->present) {
            inspection_remove_body(live->inspection, b);
        } else if (!body->inspected &&
                   inspection_set_body(live->inspection, b, &body->mesh.polygons, status) < 0) {
            return status->code;
        }
        body->inspected = body->present;
        if (body->present) {
            inspection_place_body(live->inspection, b, body->place);
        }
    }
    return live->inspection ? STATUS_OK : status->code;
}

StatusCode live_inspect(Live *live, InspectionReport *report, Status *status) {
    float *positions = SCRATCH_ARRAY(float, 3 * (size_t)live_vertex_count(live));
    if (!positions) {
        return status_no_memory(status, "an inspection");
    }
    StatusCode code = make_inspection(live, status);
    if (code >= 0) {
        live_get_state(live, positions, NULL);
        inspection_set_seams(live->inspection, cloth_sewn(live->levels[0].cloth));
        code = inspection_run(live->inspection, simulation_pool(live_active(live)), positions,
                              report, status);
    }
    free(positions);
    return code;
}

int live_inspected_places(const Live *live, InspectionPlace *places, int capacity) {
    return live->inspection ? inspection_places(live->inspection, places, capacity) : 0;
}
