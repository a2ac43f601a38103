/* The functions of muslin.h: look at the arguments, call the core, keep the message. */
#include "muslin_debug.h"

#include <string.h>

#include "cloth/cloth.h"
#include "handle.h"
#include "mesh/polygon.h"
#include "settings.h"
#include "validate.h"

_Static_assert((int)DEFECT_KINDS == (int)MUSLIN_DEFECT_KINDS, "kinds of defects");
_Static_assert(sizeof(Finding) == sizeof(MuslinFinding), "findings");
_Static_assert((int)STATUS_ERROR_SNAPSHOT == (int)MUSLIN_ERROR_SNAPSHOT, "status codes");
_Static_assert((int)ORDERING_DISSECTION == (int)MUSLIN_ORDERING_DISSECTION, "orderings");
_Static_assert((int)MAP_SIZE == (int)MUSLIN_MAP_SIZE, "kinds of maps");
_Static_assert((int)PRECISION_DOUBLE == (int)MUSLIN_PRECISION_DOUBLE, "precisions");

static MuslinStatus give_defaults(const StructTable *table, void *out, const char *name) {
    if (!out) {
        return public_status(refuse_null(handle_thread_status(), name));
    }
    memcpy(out, table->defaults, table->size);
    return MUSLIN_OK;
}

MuslinStatus muslin_default_cloth_def(MuslinClothDef *def) {
    return give_defaults(&settings_cloth_def, def, "def");
}

MuslinStatus muslin_default_material(MuslinMaterial *material) {
    return give_defaults(&settings_material, material, "material");
}

MuslinStatus muslin_default_forces(MuslinForces *forces) {
    return give_defaults(&settings_forces, forces, "forces");
}

MuslinStatus muslin_default_body(MuslinBody *body) {
    return give_defaults(&settings_body, body, "body");
}

static void tell_mesh(const CheckReport *check, MuslinMeshReport *out) {
    MuslinMeshReport report = {.size = sizeof report,
                               .component_count = check->component_count,
                               .boundary_edge_count = check->boundary_edge_count,
                               .triangle_count = check->triangle_count,
                               .quad_count = check->quad_count,
                               .edge_count = check->edge_count,
                               .area = check->area,
                               .shortest_edge = check->shortest_edge,
                               .longest_edge = check->longest_edge};
    Status ignored; /* its size has been looked at */
    memcpy(report.defects, check->defects, sizeof report.defects);
    report_give("MuslinMeshReport", &report, sizeof report, out, &ignored);
}

MuslinStatus muslin_mesh_get_report(const MuslinMesh *mesh, MuslinMeshReport *report,
                                    MuslinFinding *findings, int32_t capacity, int32_t *found) {
    Status *status = handle_thread_status();
    status_clear(status);
    PolygonMesh polygons;
    RETURN_IF_REFUSED(validate_mesh(mesh, &polygons, status));
    if (report && report_check("MuslinMeshReport", report, sizeof *report, status) != STATUS_OK) {
        return public_status(status->code);
    }
    CheckReport check;
    int count = 0;
    StatusCode code =
        mesh_check(&polygons, &check, (Finding *)findings, findings ? capacity : 0, &count, status);
    if (found) {
        *found = count;
    }
    if (report) {
        tell_mesh(&check, report);
    }
    return public_status(code);
}

/* `parts` may be null: all of it is of the definition's material. */
static int32_t create(const MuslinMesh *mesh, const MuslinClothDef *given, const GivenParts *parts,
                      MuslinCloth *handle) {
    Status *status = handle_thread_status();
    status_clear(status);
    if (!handle) {
        return refuse_null(status, "cloth");
    }
    *handle = 0;
    PolygonMesh polygons;
    MuslinClothDef def;
    ClothOptions options = {0};
    SimulationOptions *simulation = &options.simulation;
    if (validate_mesh(mesh, &polygons, status) != STATUS_OK ||
        validate_def(given, &def, status) != STATUS_OK ||
        validate_cloth(&def, &polygons, !parts, simulation, status) != STATUS_OK ||
        (parts && validate_parts(parts, &def, &polygons, simulation, status) != STATUS_OK) ||
        validate_air(&polygons, simulation, status) != STATUS_OK ||
        validate_mirror(&def, &options.mirror, status) != STATUS_OK) {
        return status->code;
    }
    options.budget = 1e-3 * def.budget_ms;
    Cloth *cloth = cloth_create(&polygons, &options, status);
    if (!cloth) {
        return status->code;
    }
    *handle = handle_add(cloth, status);
    if (!*handle) {
        cloth_destroy(cloth);
        return status_no_memory(status, "the handle");
    }
    return status->code;
}

MuslinStatus muslin_cloth_create(const MuslinMesh *mesh, const MuslinClothDef *def,
                                 MuslinCloth *handle) {
    return public_status(create(mesh, def, NULL, handle));
}

MuslinStatus muslin_cloth_create_parts(const MuslinMesh *mesh, const MuslinClothDef *def,
                                       const int32_t *vertex_parts, int32_t part_count,
                                       const MuslinMaterial *materials, const int32_t *models,
                                       MuslinCloth *handle) {
    const GivenParts parts = {vertex_parts, part_count, materials, models};
    return public_status(create(mesh, def, &parts, handle));
}

MuslinStatus muslin_cloth_destroy(MuslinCloth handle) {
    Cloth *cloth = handle_remove(handle);
    cloth_destroy(cloth);
    return cloth ? MUSLIN_OK : handle_refuse();
}

MuslinStatus muslin_cloth_prepare(MuslinCloth handle, double step_seconds) {
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(validate_seconds(step_seconds, status));
    return public_status(cloth_prepare(cloth, step_seconds, status));
}

MuslinStatus muslin_cloth_step(MuslinCloth handle, double seconds) {
    WITH_CLOTH(handle, cloth, status);
    if (validate_seconds(seconds, status) != STATUS_OK) {
        cloth_forget_cancel(cloth); /* it was meant for this step, not for the next one */
        return public_status(status->code);
    }
    return public_status(cloth_step(cloth, seconds, status));
}

MuslinStatus muslin_cloth_hold_level(MuslinCloth handle, int32_t level) {
    WITH_CLOTH(handle, cloth, status);
    if (level < -1) {
        return public_status(REFUSE(status, DETAIL_RANGE, "level", level, -1,
                                    "level is %d, but must be at least -1", level));
    }
    return public_status(cloth_hold(cloth, level, status));
}

MuslinStatus muslin_cloth_refine(MuslinCloth handle, double step_seconds) {
    WITH_CLOTH(handle, cloth, status);
    if (validate_seconds(step_seconds, status) != STATUS_OK) {
        cloth_forget_cancel(cloth);
        return public_status(status->code);
    }
    return public_status(cloth_refine(cloth, step_seconds, status));
}

MuslinStatus muslin_cloth_settle(MuslinCloth handle) {
    WITH_CLOTH(handle, cloth, status);
    return public_status(cloth_settle(cloth, status));
}

static StatusCode check_pins(const Cloth *cloth, int32_t count, const int32_t *vertices,
                             const float *weights, Status *status) {
    int vertex_count = cloth_vertex_count(cloth);
    if (count < 0 || count > vertex_count) {
        return REFUSE(status, DETAIL_COUNT, "count", count, vertex_count, "%d pins for %d vertices",
                      count, vertex_count);
    }
    if (count > 0 && !vertices) {
        return refuse_null(status, "vertices");
    }
    for (int p = 0; p < count; ++p) {
        if (vertices[p] < 0 || vertices[p] >= vertex_count) {
            REFUSE(status, DETAIL_INDEX_RANGE, "vertices", vertices[p], vertex_count - 1,
                   "pin %d names vertex %d, but the mesh has vertices 0 to %d", p, vertices[p],
                   vertex_count - 1);
            return status_of_element(status, ELEMENT_PIN, p);
        }
        if (weights && !field_holds(&argument_weight, weights[p])) {
            REFUSE(status, DETAIL_RANGE, "weights", weights[p], weights[p] > 1,
                   "the weight of the pin at vertex %d is %g, but must be from 0 to 1", vertices[p],
                   (double)weights[p]);
            return status_of_element(status, ELEMENT_VERTEX, vertices[p]);
        }
    }
    return STATUS_OK;
}

MuslinStatus muslin_cloth_set_pins(MuslinCloth handle, int32_t count, const int32_t *vertices,
                                   const float *weights, const float *targets) {
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(check_pins(cloth, count, vertices, weights, status));
    RETURN_IF_REFUSED(
        validate_motion("targets", "the target of pin", ELEMENT_PIN, targets, count, status));
    return public_status(cloth_set_pins(cloth, count, vertices, weights, targets, status));
}

MuslinStatus muslin_cloth_move_pins(MuslinCloth handle, int32_t count, const float *targets) {
    WITH_CLOTH(handle, cloth, status);
    if (count != cloth_pin_count(cloth)) {
        return public_status(REFUSE(status, DETAIL_COUNT, "count", count, cloth_pin_count(cloth),
                                    "%d targets for %d pins", count, cloth_pin_count(cloth)));
    }
    RETURN_IF_REFUSED(count == 0 || targets ? STATUS_OK : refuse_null(status, "targets"));
    RETURN_IF_REFUSED(
        validate_motion("targets", "the target of pin", ELEMENT_PIN, targets, count, status));
    return public_status(cloth_move_pins(cloth, targets, status));
}

MuslinStatus muslin_cloth_set_material(MuslinCloth handle, const MuslinMaterial *material) {
    WITH_CLOTH(handle, cloth, status);
    Material valid[PARTS_MOST];
    for (int p = 0; p < cloth_part_count(cloth); ++p) {
        if (validate_material(material, cloth_solver(cloth), cloth_model(cloth, p), &valid[p],
                              status) != STATUS_OK) {
            return public_status(name_part(p, cloth_part_count(cloth), status));
        }
    }
    return public_status(cloth_set_materials(cloth, valid, status));
}

MuslinStatus muslin_cloth_set_part_material(MuslinCloth handle, int32_t part,
                                            const MuslinMaterial *material) {
    WITH_CLOTH(handle, cloth, status);
    int count = cloth_part_count(cloth);
    if (part < 0 || part >= count) {
        return public_status(REFUSE(status, DETAIL_INDEX_RANGE, "part", part, count - 1,
                                    "part is %d, but the cloth has parts 0 to %d", part,
                                    count - 1));
    }
    Material valid[PARTS_MOST];
    memcpy(valid, cloth_materials(cloth), sizeof valid);
    if (validate_material(material, cloth_solver(cloth), cloth_model(cloth, part), &valid[part],
                          status) != STATUS_OK) {
        return public_status(name_part(part, count, status));
    }
    return public_status(cloth_set_materials(cloth, valid, status));
}

MuslinStatus muslin_cloth_set_forces(MuslinCloth handle, const MuslinForces *forces) {
    WITH_CLOTH(handle, cloth, status);
    Vec3 gravity;
    Wind wind;
    RETURN_IF_REFUSED(validate_forces(forces, &gravity, &wind, status));
    return public_status(cloth_set_forces(cloth, gravity, &wind, status));
}

MuslinStatus muslin_cloth_set_fields(MuslinCloth handle, const float *wind, const float *traction) {
    WITH_CLOTH(handle, cloth, status);
    int64_t count = cloth_vertex_count(cloth);
    RETURN_IF_REFUSED(
        validate_vectors("wind", "the wind at vertex", ELEMENT_VERTEX, wind, count, status));
    RETURN_IF_REFUSED(validate_vectors("traction", "the traction at vertex", ELEMENT_VERTEX,
                                       traction, count, status));
    return public_status(cloth_set_fields(cloth, wind, traction, status));
}

MuslinStatus muslin_cloth_set_iterations(MuslinCloth handle, int32_t substeps, int32_t iterations) {
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(validate_iterations(substeps, iterations, status));
    cloth_set_iterations(cloth, substeps, iterations);
    return MUSLIN_OK;
}

MuslinStatus muslin_cloth_set_quality(MuslinCloth handle, int32_t quality) {
    WITH_CLOTH(handle, cloth, status);
    const Field *field = &settings_cloth_def.fields[CLOTH_DEF_QUALITY];
    RETURN_IF_REFUSED(field_check_choice(field, quality, status));
    if (quality != MUSLIN_QUALITY_CUSTOM && !cloth_has_quality(cloth)) {
        return public_status(REFUSE(
            status, DETAIL_CONFLICT, "quality", quality, 0,
            "quality is %d, but only the linear solver's two-level scheme has levels", quality));
    }
    cloth_set_quality(cloth, (Quality)quality);
    return MUSLIN_OK;
}

MuslinStatus muslin_cloth_set_map(MuslinCloth handle, int32_t kind, const float *values) {
    static const Field kinds = {
        .name = "kind", .unit = "", .kind = FIELD_INT, .count = 1, .most = MAP_KINDS - 1};
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(field_check(&kinds, kind, status));
    RETURN_IF_REFUSED(
        validate_numbers(&map_fields[kind], values, cloth_vertex_count(cloth), status));
    if (values && field_check_needs(&map_fields[kind], cloth_solver(cloth), cloth_model(cloth, 0),
                                    0, status) != STATUS_OK) {
        return public_status(status->code);
    }
    const float *maps[MAP_KINDS] = {0};
    maps[kind] = values;
    return public_status(cloth_set_maps(cloth, input_map((MapKind)kind), maps, status));
}

MuslinStatus muslin_cloth_get_state(MuslinCloth handle, float *positions, float *velocities) {
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(positions ? STATUS_OK : refuse_null(status, "positions"));
    cloth_get_state(cloth, positions, velocities);
    return MUSLIN_OK;
}

MuslinStatus muslin_cloth_set_state(MuslinCloth handle, const float *positions,
                                    const float *velocities) {
    WITH_CLOTH(handle, cloth, status);
    int64_t count = cloth_vertex_count(cloth);
    RETURN_IF_REFUSED(positions ? STATUS_OK : refuse_null(status, "positions"));
    RETURN_IF_REFUSED(validate_motion("positions", "the position of vertex", ELEMENT_VERTEX,
                                      positions, count, status));
    RETURN_IF_REFUSED(validate_motion("velocities", "the velocity of vertex", ELEMENT_VERTEX,
                                      velocities, count, status));
    return public_status(cloth_set_state(cloth, positions, velocities, status));
}

MuslinStatus muslin_debug_eigenvalues(MuslinCloth handle, double *smallest, double *largest) {
    WITH_CLOTH(handle, cloth, status);
    if (!smallest || !largest) {
        return public_status(refuse_null(status, smallest ? "largest" : "smallest"));
    }
    return public_status(cloth_eigenvalues(cloth, smallest, largest, status));
}

MuslinStatus muslin_debug_solve(MuslinCloth handle, double *right_hand_side, int32_t iterations,
                                double *seconds) {
    WITH_CLOTH(handle, cloth, status);
    double ignored;
    RETURN_IF_REFUSED(right_hand_side ? STATUS_OK : refuse_null(status, "right_hand_side"));
    if (iterations < 1) {
        return public_status(REFUSE(status, DETAIL_RANGE, "iterations", iterations, 1,
                                    "iterations is %d, but must be at least 1", iterations));
    }
    return public_status(
        cloth_solve(cloth, right_hand_side, iterations, seconds ? seconds : &ignored, status));
}

MuslinStatus muslin_cloth_cancel(MuslinCloth handle) {
    Cloth *cloth = handle_lock(handle);
    if (!cloth) {
        return handle_refuse();
    }
    cloth_cancel(cloth);
    handle_unlock();
    return MUSLIN_OK;
}

MuslinStatus muslin_cloth_get_progress(MuslinCloth handle, double *fraction) {
    Cloth *cloth = handle_lock(handle);
    if (!cloth) {
        return handle_refuse();
    }
    double reported = cloth_progress(cloth);
    handle_unlock();
    if (!fraction) {
        return public_status(refuse_null(handle_thread_status(), "fraction"));
    }
    *fraction = reported;
    return MUSLIN_OK;
}
