/* Looks at the parts of a cloth, each with a material of its own. */
#include <stdio.h>

#include "mesh/polygon.h"
#include "report.h"
#include "validate.h"

StatusCode validate_air(const PolygonMesh *polygons, const SimulationOptions *options,
                        Status *status) {
    int count = system_part_count(&options->system);
    for (int p = 0; p < count && check_can_be_read(polygons); ++p) {
        const Material *material = &options->materials[p];
        bool has_air = material->volume_stiffness > 0 || material->pressure != 0;
        if (has_air && mesh_check_closed(polygons, p, status) != STATUS_OK) {
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
    char what[32];
    snprintf(what, sizeof what, "part_count is %d", parts->count);
    return parts->count > 1 ? solver_refuse((SolverKind)def->solver, simulated_model(def),
                                            ABILITY_PARTS, what, "part_count", parts->count, status)
                            : STATUS_OK;
}

static StatusCode find_model(const GivenParts *parts, int part, const MuslinClothDef *def,
                             ModelKind *model, Status *status) {
    MuslinClothDef own = *def;
    own.model = parts->models ? parts->models[part] : def->model;
    *model = simulated_model(&own);
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
            validate_material(given, (SolverKind)def->solver, part->model, &options->materials[p],
                              status) != STATUS_OK) {
            return name_part(p, parts->count, status);
        }
    }
    options->system.part_count = parts->count;
    polygons->vertex_parts = parts->vertex_parts;
    return check_can_be_read(polygons) ? mesh_check_parts(polygons, parts->count, status)
                                       : STATUS_OK; /* what is wrong with it is told later */
}
