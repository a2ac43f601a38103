/* Which materials a cloth can be made of, and which not quite as asked for: what more than one number decides. */
#include <math.h>

#include "laws/membrane.h"
#include "laws/moment.h"
#include "simulation/simulation_internal.h"

#define STRETCH_SAMPLES (int)(sizeof((Material){0}.stretch_samples) / sizeof(double))

static bool is_measured(const Material *material) {
    bool measured = false;
    for (int i = 0; i < STRETCH_SAMPLES; ++i) {
        measured = measured || material->stretch_samples[i] != 0;
    }
    return measured;
}

/* Threads bend by numbers alone, and forget. */
static StatusCode check_bending(const Material *material, ModelKind model, Status *status) {
    const char *lacking = moment_measured(material) ? "bend_samples"
                          : moment_keeps(material)  ? "fold_memory"
                                                    : NULL;
    if (!lacking || model != MODEL_WOVEN) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_ARGUMENT,
               "%s is given, but threads have bend and bend_weft alone: it needs another solver",
               lacking);
    return status_name_argument(status, DETAIL_CONFLICT, lacking, model, MODEL_MEMBRANE);
}

/* What only membranes have: other laws would leave it out silently. */
static StatusCode check_model(const Material *material, ModelKind model, Status *status) {
    bool measured = is_measured(material);
    const char *lacking = measured                      ? "stretch_samples"
                          : material->poisson != 0      ? "poisson"
                          : material->strain_limit != 0 ? "strain_limit"
                                                        : NULL;
    if (!lacking || model == MODEL_MEMBRANE) {
        return STATUS_OK;
    }
    status_set(
        status, STATUS_ERROR_ARGUMENT,
        "%s is given, but %s warp, weft and shear alone, each for itself: it needs %s", lacking,
        model == MODEL_EDGE    ? "the edge model knows"
        : model == MODEL_WOVEN ? "threads know"
                               : "the triangle model knows",
        model == MODEL_WOVEN ? "another solver, and the membrane model" : "the membrane model");
    return status_name_argument(status, DETAIL_CONFLICT, lacking, model, MODEL_MEMBRANE);
}

/* A table needs stiffness in every direction of the slack cloth, and strips that resist. */
static StatusCode check_samples(const Material *material, Status *status) {
    const double *slack = material->stretch_samples;
    static const char *const names[] = {"c11", NULL, "c22", "c33"};
    bool measured = is_measured(material);
    if (measured && material->poisson != 0) {
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "poisson is given, but stretch_samples say how much narrower this fabric gets");
        return status_name_argument(status, DETAIL_CONFLICT, "poisson", material->poisson, 0);
    }
    for (int i = 0; measured && i < 4; ++i) {
        if (names[i] && !(slack[i] > 0)) {
            status_set(status, STATUS_ERROR_ARGUMENT,
                       "stretch_samples[%d] is %g, but %s of the slack cloth must be above 0", i,
                       slack[i], names[i]);
            return status_name_argument(status, DETAIL_RANGE, "stretch_samples", slack[i], 0);
        }
    }
    if (measured && !stretch_is_sound(material)) {
        status_set(
            status, STATUS_ERROR_ARGUMENT,
            "stretch_samples make a fabric of which a strip along warp, weft or bias does not "
            "resist being stretched: c12 is too large or c33 too small");
        return status_name_argument(status, DETAIL_CONFLICT, "stretch_samples", slack[1], 0);
    }
    return STATUS_OK;
}

StatusCode simulation_check_material(const Material *material, ModelKind model, Status *status) {
    StatusCode code = check_model(material, model, status);
    code = code == STATUS_OK ? check_bending(material, model, status) : code;
    return code == STATUS_OK ? check_samples(material, status) : code;
}

/* What a part has of what shear needs. */
typedef struct PartMesh {
    bool diagonals, triangles;
} PartMesh;

static PartMesh look_at_part(const Mesh *mesh, int part) {
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

int simulation_part_count(const Simulation *simulation) { return simulation->system.part_count; }

/* Where a cloth has several parts, which one is meant. */
static void name_part(const Simulation *simulation, int part, Status *status) {
    if (simulation_part_count(simulation) > 1) {
        status_append(status, "part %d: ", part);
    }
}

/* N/m from which on a double has no digits left beside the stiffness for what else acts: weight and mass of a vertex add
 * some 0.1 N/m to the same sums. */
#define TOO_STIFF 1e13F /* as materials have their numbers */

static void tell_stiff(const Simulation *simulation, int part, Status *status) {
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
            status_append(status, "%s is %g N/m: from %g on, rounding takes what gravity does",
                          given[k].name, given[k].value, (double)TOO_STIFF);
            status_name_argument(status, DETAIL_TOO_STIFF, given[k].name, given[k].value,
                                 (double)TOO_STIFF);
        }
    }
}

static void tell_part(const Simulation *simulation, int part, Status *status) {
    const Material *material = &simulation->system.materials[part];
    ModelKind model = simulation_model(simulation, part);
    PartMesh mesh = look_at_part(&simulation->mesh, part);
    double least = fmin(material->stretch_warp, material->stretch_weft);
    bool lacking = model == MODEL_EDGE && !mesh.diagonals;
    bool apart = model == MODEL_MEMBRANE || model == MODEL_WOVEN; /* where shear stands alone */
    if (apart || material->shear <= 0 || !mesh.triangles || !(lacking || material->shear > least)) {
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

void simulation_tell_material(const Simulation *simulation, Status *status) {
    for (int p = 0; p < simulation_part_count(simulation); ++p) {
        tell_part(simulation, p, status);
        tell_stiff(simulation, p, status);
    }
}
