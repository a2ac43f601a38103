/* Looks at the parts of a cloth, each with a material of its own. */
#include <stdio.h>

#include "mesh/polygon.h"
#include "report.h"
#include "validate.h"

StatusCode validate_air_solver(const Material *material, SolverKind solver, Status *status) {
    bool keeps = material->volume_stiffness > 0, given = material->pressure != 0;
    if ((given && solver == SOLVER_THREADS) || (keeps && solver != SOLVER_LINEAR)) {
        const char *name = keeps ? "volume_stiffness" : "pressure";
        status_set(status, STATUS_ERROR_ARGUMENT, "%s is given, but %s", name,
                   keeps ? "only the linear solver keeps volumes"
                         : "the thread solver has no pressure");
        return status_name_argument(status, DETAIL_CONFLICT, name, solver, 0);
    }
    return STATUS_OK;
}

/* What air in it needs of the mesh and of the solver. */
static StatusCode check_air(const Material *material, int part, const MuslinClothDef *def,
                            const PolygonMesh *polygons, Status *status) {
    StatusCode code = validate_air_solver(material, (SolverKind)def->solver, status);
    bool has_air = material->volume_stiffness > 0 || material->pressure != 0;
    return code == STATUS_OK && has_air ? mesh_check_closed(polygons, part, status) : code;
}

StatusCode validate_air(const MuslinClothDef *def, const PolygonMesh *polygons,
                        const SimulationOptions *options, Status *status) {
    int count = system_part_count(&options->system);
    for (int p = 0; p < count && check_can_be_read(polygons); ++p) {
        if (check_air(&options->materials[p], p, def, polygons, status) != STATUS_OK) {
            return name_part(p, count, status);
        }
    }
    return STATUS_OK;
}

StatusCode name_part(int part, int count, Status *status) {
    char before[32];
    snprintf(before, sizeof before, "part %d: ", part);
    return count > 1 ? status_conclude(status, status->code, OUTCOME_NONE, before, "")
                     : status->code;
}

static StatusCode check_arrays(const GivenParts *parts, const MuslinClothDef *def, Status *status) {
    if (parts->count < 1 || parts->count > PARTS_MOST) {
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "part_count is %d, but a cloth has from 1 to %d parts", parts->count,
                   PARTS_MOST);
        return status_name_argument(status, DETAIL_RANGE, "part_count", parts->count,
                                    parts->count < 1 ? 1 : PARTS_MOST);
    }
    if (!parts->vertex_parts || !parts->materials) {
        return refuse_null(status, parts->materials ? "vertex_parts" : "materials");
    }
    if (def->solver == MUSLIN_SOLVER_THREADS && parts->count > 1) {
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "part_count is %d, but the thread solver has one material for all threads",
                   parts->count);
        return status_name_argument(status, DETAIL_CONFLICT, "part_count", parts->count, 1);
    }
    return STATUS_OK;
}

/* Threads have a model of their own, whatever is asked for. */
static StatusCode find_model(const GivenParts *parts, int part, const MuslinClothDef *def,
                             ModelKind *model, Status *status) {
    MuslinClothDef own = *def;
    own.model = parts->models ? parts->models[part] : def->model;
    *model = def->solver == MUSLIN_SOLVER_THREADS ? MODEL_WOVEN : (ModelKind)own.model;
    StatusCode code =
        field_check_choice(&settings_cloth_def.fields[CLOTH_DEF_MODEL], own.model, status);
    return code == STATUS_OK ? validate_method(&own, status) : code;
}

StatusCode validate_parts(const GivenParts *parts, const MuslinClothDef *def, PolygonMesh *polygons,
                          SimulationOptions *options, Status *status) {
    if (check_arrays(parts, def, status) != STATUS_OK) {
        return status->code;
    }
    const char *material = (const char *)parts->materials;
    size_t size = struct_size(parts->materials); /* of the caller, who may have an older header */
    for (int p = 0; p < parts->count; ++p) {
        PartOptions *part = &options->system.parts[p];
        const void *given = material + (size_t)p * size;
        if (find_model(parts, p, def, &part->model, status) != STATUS_OK ||
            validate_material(given, part->model, &options->materials[p], status) != STATUS_OK) {
            return name_part(p, parts->count, status);
        }
    }
    options->system.part_count = parts->count;
    polygons->vertex_parts = parts->vertex_parts;
    return check_can_be_read(polygons) ? mesh_check_parts(polygons, parts->count, status)
                                       : STATUS_OK; /* what is wrong with it is reported later */
}
