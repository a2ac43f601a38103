/* Warnings for materials that a model cannot represent exactly. */
#include <math.h>

#include "simulation/simulation_internal.h"

/* What a part has of what shear needs. */
typedef struct PartMesh {
    bool diagonals, triangles;
} PartMesh;

static PartMesh scan_part(const Mesh *mesh, int part) {
    PartMesh found = {0};
    for (int e = 0; e < mesh->edge_count; ++e) {
        found.diagonals = found.diagonals || (mesh->edges[e].kind == EDGE_SHEAR &&
                                              mesh->part[mesh->edges[e].a] == part);
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        found.triangles = found.triangles || mesh->part[mesh->triangles[t].vertices[0]] == part;
    }
    return found;
}

/* Names the part in the message, if a cloth has several. */
static void name_part(const Simulation *simulation, int part, Status *status) {
    if (simulation->system.part_count > 1) {
        status_append(status, "part %d: ", part);
    }
}

/* The table of settings ends at ten times this: there the rounding of a pivot, 2e-16 h^2 k with h = 1/48 s, is as large as
 * the mass of a vertex, 1e-5 kg, which is all that keeps the matrix of free cloth positive definite.
 *
 * N/m from which on a double has no digits left beside the stiffness for what else acts: weight and mass of a vertex add
 * some 0.1 N/m to the same sums. */
#define TOO_STIFF 1e13F /* as materials have their numbers */

static void warn_of_stiffness(const Simulation *simulation, int part, Status *status) {
    const Material *material = &simulation->system.materials[part];
    const struct {
        const char *name;
        double value;
    } given[] = {{"stretch_warp", material->stretch_warp},
                 {"stretch_weft", material->stretch_weft},
                 {"shear", material->shear}};
    for (int k = 0; k < (int)(sizeof given / sizeof *given); ++k) {
        if (given[k].value >= (double)TOO_STIFF) {
            status_next(status, STATUS_WARNING_MATERIAL);
            name_part(simulation, part, status);
            status_append(status, "%s is %g N/m: from %g on, rounding errors exceed gravity",
                          given[k].name, given[k].value, (double)TOO_STIFF);
            status_name_argument(status, DETAIL_TOO_STIFF, given[k].name, given[k].value,
                                 (double)TOO_STIFF);
        }
    }
}

static void warn_of_part(const Simulation *simulation, int part, Status *status) {
    const Material *material = &simulation->system.materials[part];
    ModelKind model = system_part(&simulation->options.system, part).model;
    PartMesh mesh = scan_part(&simulation->mesh, part);
    double least = fmin(material->stretch_warp, material->stretch_weft);
    bool lacking = !model_has(model, ABILITY_TRIANGLE_SHEAR) && !mesh.diagonals;
    if (model_has(model, ABILITY_FREE_SHEAR) || material->shear <= 0 || !mesh.triangles ||
        !(lacking || material->shear > least)) {
        return;
    }
    status_next(status, STATUS_WARNING_MATERIAL);
    name_part(simulation, part, status);
    if (lacking) {
        status_append(status, "the edge model has no shear stiffness of its own on triangles: only "
                              "the stretch of their edges resists");
    } else {
        status_append(status,
                      "shear is %g N/m, stiffer than stretch: warp and weft are at least that",
                      material->shear);
    }
    Detail *detail = status_detail(status, lacking ? DETAIL_NO_SHEAR : DETAIL_SHEAR_STIFF);
    detail->value = material->shear;
    detail->limit = lacking ? 0.0 : least;
}

void simulation_warn_of_material(const Simulation *simulation, Status *status) {
    for (int p = 0; p < simulation->system.part_count; ++p) {
        warn_of_part(simulation, p, status);
        warn_of_stiffness(simulation, p, status);
    }
}
