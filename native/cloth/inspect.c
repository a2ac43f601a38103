/* Looking at how the caller's mesh lies, whichever mesh is simulated. */
#include <stdlib.h>

#include "cloth/state.h"

/* The inspection knows the garment, and the bodies where they are. */
static StatusCode make_inspection(Cloth *cloth, Status *status) {
    if (!cloth->inspection) {
        cloth->inspection =
            inspection_create(&cloth->mesh.polygons, &cloth->options.simulation.mesh, status);
    }
    for (int b = 0; b < cloth->bodies.count && cloth->inspection; ++b) {
        InputBody *body = &cloth->bodies.list[b];
        if (!body->present) {
            inspection_remove_body(cloth->inspection, b);
        } else if (!body->inspected &&
                   inspection_set_body(cloth->inspection, b, &body->mesh.polygons, status) < 0) {
            return status->code;
        }
        body->inspected = body->present;
        if (body->present) {
            inspection_place_body(cloth->inspection, b, body->place);
        }
    }
    return cloth->inspection ? STATUS_OK : status->code;
}

StatusCode cloth_inspect(Cloth *cloth, InspectionReport *report, Status *status) {
    float *positions = SCRATCH_ARRAY(float, 3 * (size_t)cloth_vertex_count(cloth));
    if (!positions) {
        return status_no_memory(status, "an inspection");
    }
    StatusCode code = make_inspection(cloth, status);
    if (code >= 0) {
        cloth_get_state(cloth, positions, NULL);
        const Simulation *linked = domain_linked(cloth->levels[0].domain);
        inspection_set_seams(cloth->inspection, linked ? simulation_sewn(linked) : NULL);
        code = inspection_run(cloth->inspection, simulation_pool(active_simulation(cloth)),
                              positions, report, status);
    }
    free(positions);
    return code;
}

int cloth_inspected_places(const Cloth *cloth, InspectionPlace *places, int capacity) {
    return cloth->inspection ? inspection_places(cloth->inspection, places, capacity) : 0;
}
