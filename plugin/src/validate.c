#include "validate.h"

#include <math.h>

/* Bounds that no sane call meets, but a wild one does. */
#define MOST_SUBSTEPS 10000
#define MOST_ITERATIONS 100000
#define MOST_THREADS 256
#define LONGEST_STEP 10.0
#define THICKEST 0.1f /* m */
#define ROUGHEST 10.0f

static StatusCode refuse_size(const char *name, uint32_t got, size_t expected, Status *status) {
    return status_set(status, STATUS_ERROR_ARGUMENT, "%s.size is %u, but this library expects %zu",
                      name, got, expected);
}

StatusCode refuse_null(Status *status, const char *name) {
    return status_set(status, STATUS_ERROR_ARGUMENT, "%s is null", name);
}

/* --- single numbers --------------------------------------------------------------------------- */

static StatusCode check_float(const char *name, double value, double least, int open,
                              Status *status) {
    if (isfinite(value) && (open ? value > least : value >= least)) {
        return STATUS_OK;
    }
    return status_set(status, STATUS_ERROR_ARGUMENT, "%s is %g, but must be a finite number %s %g",
                      name, value, open ? "above" : "of at least", least);
}

static StatusCode check_int(const char *name, int64_t value, int64_t least, int64_t most,
                            Status *status) {
    if (value >= least && value <= most) {
        return STATUS_OK;
    }
    return status_set(status, STATUS_ERROR_ARGUMENT, "%s is %lld, but must be from %lld to %lld",
                      name, (long long)value, (long long)least, (long long)most);
}

static StatusCode check_vector(const char *name, const float *v, Vec3 *out, Status *status) {
    *out = vec3(v[0], v[1], v[2]);
    if (vec3_is_finite(*out)) {
        return STATUS_OK;
    }
    return status_set(status, STATUS_ERROR_ARGUMENT, "%s is (%g, %g, %g), but must be finite", name,
                      out->x, out->y, out->z);
}

/* A table of fields keeps every check on one line. */
typedef struct Field {
    const char *name;
    double value, least;
    int open; /* 1: above `least`; 0: at least */
} Field;

static StatusCode check_fields(const Field *fields, int count, Status *status) {
    for (int i = 0; i < count; ++i) {
        const Field *field = &fields[i];
        if (check_float(field->name, field->value, field->least, field->open, status) !=
            STATUS_OK) {
            return status->code;
        }
    }
    return STATUS_OK;
}

StatusCode validate_ranges(const Range *ranges, int count, Status *status) {
    for (int i = 0; i < count; ++i) {
        const Range *range = &ranges[i];
        if (check_int(range->name, range->value, range->least, range->most, status) != STATUS_OK) {
            return status->code;
        }
    }
    return STATUS_OK;
}

StatusCode validate_numbers(const char *name, const float *numbers, int64_t count, double least,
                            Status *status) {
    for (int64_t i = 0; numbers && i < count; ++i) {
        if (!isfinite(numbers[i]) || numbers[i] < least) {
            return status_set(status, STATUS_ERROR_ARGUMENT,
                              "%s[%lld] is %g, but must be a finite number of at least %g", name,
                              (long long)i, (double)numbers[i], least);
        }
    }
    return STATUS_OK;
}

StatusCode validate_vectors(const char *name, const float *vectors, int64_t count, Status *status) {
    for (int64_t i = 0; vectors && i < count; ++i) {
        const float *v = vectors + 3 * i;
        if (!isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2])) {
            return status_set(status, STATUS_ERROR_ARGUMENT,
                              "%s %lld is (%g, %g, %g), but must be finite", name, (long long)i,
                              (double)v[0], (double)v[1], (double)v[2]);
        }
    }
    return STATUS_OK;
}

StatusCode validate_seconds(double seconds, Status *status) {
    if (isfinite(seconds) && seconds > 0 && seconds <= LONGEST_STEP) {
        return STATUS_OK;
    }
    return status_set(status, STATUS_ERROR_ARGUMENT,
                      "the step is %g s long, but must be above 0 and at most %g s", seconds,
                      LONGEST_STEP);
}

StatusCode validate_rounds(int32_t substeps, int32_t iterations, Status *status) {
    const Range ranges[] = {{"substeps", substeps, 1, MOST_SUBSTEPS},
                            {"iterations", iterations, 1, MOST_ITERATIONS}};
    return validate_ranges(ranges, 2, status);
}

/* --- structs ---------------------------------------------------------------------------------- */

static StatusCode check_mesh_arrays(const MuslinMesh *mesh, Status *status) {
    if (mesh->vertex_count <= 0 || !mesh->positions) {
        return status_set(status, STATUS_ERROR_MESH, "the mesh is empty: it has no vertices");
    }
    if (mesh->face_count < 0 || mesh->edge_count < 0) {
        return status_set(status, STATUS_ERROR_MESH, "face_count is %d and edge_count %d: negative",
                          mesh->face_count, mesh->edge_count);
    }
    if (mesh->face_count > 0 && (!mesh->face_sizes || !mesh->face_vertices)) {
        return status_set(status, STATUS_ERROR_MESH, "face_count is %d, but the faces are null",
                          mesh->face_count);
    }
    if (mesh->edge_count > 0 && !mesh->edges) {
        return status_set(status, STATUS_ERROR_MESH, "edge_count is %d, but edges is null",
                          mesh->edge_count);
    }
    if (mesh->face_count == 0 && mesh->edge_count == 0) {
        return status_set(status, STATUS_ERROR_MESH,
                          "the mesh has no face and no edge to simulate");
    }
    return STATUS_OK;
}

/* Indices of triangle corners and matrix entries are kept in 32 bits. */
#define MOST_CORNERS (INT32_MAX / 16)

static StatusCode check_face_sizes(const char *whose, int32_t count, const int32_t *sizes,
                                   int32_t edge_count, Status *status) {
    int64_t corners = 0;
    for (int f = 0; f < count; ++f) {
        if (sizes[f] < 3) {
            return status_set(status, STATUS_ERROR_MESH,
                              "face %d of %s has %d corners, but needs at least 3", f, whose,
                              sizes[f]);
        }
        corners += sizes[f];
    }
    if (corners + edge_count > MOST_CORNERS) {
        return status_set(status, STATUS_ERROR_MESH, "%s has %lld corners: too many", whose,
                          (long long)corners);
    }
    return STATUS_OK;
}

StatusCode validate_mesh(const MuslinMesh *mesh, PolygonMesh *polygons, Status *status) {
    if (!mesh) {
        return status_set(status, STATUS_ERROR_ARGUMENT, "mesh is null");
    }
    if (mesh->size != sizeof *mesh) {
        return refuse_size("MuslinMesh", mesh->size, sizeof *mesh, status);
    }
    if (check_mesh_arrays(mesh, status) != STATUS_OK) {
        return status->code;
    }
    if (check_face_sizes("the mesh", mesh->face_count, mesh->face_sizes, mesh->edge_count,
                         status) != STATUS_OK) {
        return status->code;
    }
    *polygons = (PolygonMesh){.vertex_count = mesh->vertex_count,
                              .face_count = mesh->face_count,
                              .edge_count = mesh->edge_count,
                              .positions = mesh->positions,
                              .face_sizes = mesh->face_sizes,
                              .face_vertices = mesh->face_vertices,
                              .edges = mesh->edges,
                              .corner_uvs = mesh->corner_uvs};
    return STATUS_OK;
}

/* --- bodies ----------------------------------------------------------------------------------- */

static StatusCode check_body_arrays(const MuslinBody *body, Status *status) {
    if (body->vertex_count <= 0) {
        return status_set(status, STATUS_ERROR_MESH, "the body is empty: it has no vertices");
    }
    if (body->face_count <= 0) {
        return status_set(status, STATUS_ERROR_MESH, "the body has no faces that cloth could meet");
    }
    if (!body->positions) {
        return refuse_null(status, "positions of the body");
    }
    if (!body->face_sizes || !body->face_vertices) {
        return refuse_null(status, body->face_sizes ? "face_vertices of the body"
                                                    : "face_sizes of the body");
    }
    return STATUS_OK;
}

static StatusCode check_body_corners(const MuslinBody *body, Status *status) {
    const int32_t *corner = body->face_vertices;
    for (int f = 0; f < body->face_count; ++f) {
        for (int c = 0; c < body->face_sizes[f]; ++c, ++corner) {
            if (*corner < 0 || *corner >= body->vertex_count) {
                return status_set(status, STATUS_ERROR_MESH,
                                  "face %d of the body names vertex %d, but it has vertices 0 to "
                                  "%d",
                                  f, *corner, body->vertex_count - 1);
            }
        }
    }
    return STATUS_OK;
}

StatusCode validate_surface(float thickness, float friction, BodySurface *surface, Status *status) {
    if (!(thickness > 0 && thickness <= THICKEST)) {
        return status_set(status, STATUS_ERROR_ARGUMENT,
                          "thickness is %g m, but must be above 0 and at most %g m",
                          (double)thickness, (double)THICKEST);
    }
    if (!(friction >= 0 && friction <= ROUGHEST)) {
        return status_set(status, STATUS_ERROR_ARGUMENT, "friction is %g, but must be from 0 to %g",
                          (double)friction, (double)ROUGHEST);
    }
    *surface = (BodySurface){thickness, friction};
    return STATUS_OK;
}

StatusCode validate_body(const MuslinBody *body, PolygonMesh *polygons, BodySurface *surface,
                         Status *status) {
    if (!body) {
        return refuse_null(status, "body");
    }
    if (body->size != sizeof *body) {
        return refuse_size("MuslinBody", body->size, sizeof *body, status);
    }
    StatusCode code = check_body_arrays(body, status);
    code = code == STATUS_OK
               ? check_face_sizes("the body", body->face_count, body->face_sizes, 0, status)
               : code;
    code = code == STATUS_OK ? check_body_corners(body, status) : code;
    if (code == STATUS_OK && validate_vectors("the body's vertex", body->positions,
                                              body->vertex_count, status) != STATUS_OK) {
        code = status->code = STATUS_ERROR_MESH;
    }
    code = code == STATUS_OK ? validate_surface(body->thickness, body->friction, surface, status)
                             : code;
    *polygons = (PolygonMesh){.vertex_count = body->vertex_count,
                              .face_count = body->face_count,
                              .positions = body->positions,
                              .face_sizes = body->face_sizes,
                              .face_vertices = body->face_vertices};
    return code;
}

/* --- material and forces ---------------------------------------------------------------------- */

StatusCode validate_material(const MuslinMaterial *m, Material *out, Status *status) {
    if (!m) {
        return status_set(status, STATUS_ERROR_ARGUMENT, "material is null");
    }
    if (m->size != sizeof *m) {
        return refuse_size("MuslinMaterial", m->size, sizeof *m, status);
    }
    const Field fields[] = {
        {"density", m->density, 0, 1},
        {"stretch_warp", m->stretch_warp, 0, 0},
        {"stretch_weft", m->stretch_weft, 0, 0},
        {"shear", m->shear, 0, 0},
        {"bend", m->bend, 0, 0},
        {"rope_density", m->rope_density, 0, 1},
        {"rope_stretch", m->rope_stretch, 0, 0},
        {"damping", m->damping, 0, 0},
        {"stiffness_damping", m->stiffness_damping, 0, 0},
        {"air_drag", m->air_drag, 0, 0},
        {"pin_stiffness", m->pin_stiffness, 0, 1},
    };
    *out = (Material){m->density,      m->stretch_warp, m->stretch_weft,
                      m->shear,        m->bend,         m->rope_density,
                      m->rope_stretch, m->damping,      m->stiffness_damping,
                      m->air_drag,     m->pin_stiffness};
    return check_fields(fields, (int)(sizeof fields / sizeof *fields), status);
}

StatusCode validate_forces(const MuslinForces *forces, Vec3 *gravity, Wind *wind, Status *status) {
    if (!forces) {
        return status_set(status, STATUS_ERROR_ARGUMENT, "forces is null");
    }
    if (forces->size != sizeof *forces) {
        return refuse_size("MuslinForces", forces->size, sizeof *forces, status);
    }
    const Field fields[] = {{"normal_drag", forces->normal_drag, 0, 0},
                            {"tangent_drag", forces->tangent_drag, 0, 0}};
    StatusCode code = check_vector("gravity", forces->gravity, gravity, status);
    if (code == STATUS_OK) {
        code = check_vector("wind", forces->wind, &wind->velocity, status);
    }
    wind->normal_drag = forces->normal_drag;
    wind->tangent_drag = forces->tangent_drag;
    return code == STATUS_OK ? check_fields(fields, 2, status) : code;
}

/* --- the definition --------------------------------------------------------------------------- */

static StatusCode check_choices(const MuslinClothDef *def, Status *status) {
    const Range ranges[] = {
        {"solver", def->solver, 0, MUSLIN_SOLVER_IMPLICIT},
        {"scheme", def->scheme, 0, MUSLIN_SCHEME_ANDERSON},
        {"quality", def->quality, 0, MUSLIN_QUALITY_FINAL},
        {"integrator", def->integrator, 0, MUSLIN_INTEGRATOR_BDF2},
        {"model", def->model, 0, MUSLIN_MODEL_TRIANGLE},
        {"estimate", def->estimate, 0, MUSLIN_ESTIMATE_TRANSLATION},
        {"order", def->order, 0, 2},
        {"shear_axes", def->shear_axes, 0, MUSLIN_SHEAR_AXES_DERIVED},
        {"shear_energy", def->shear_energy, 0, MUSLIN_SHEAR_ENERGY_PRODUCT},
        {"tension_only", def->tension_only, 0, 1},
        {"bend_rest", def->bend_rest, 0, MUSLIN_BEND_REST_FLAT},
        {"pattern", def->pattern, 0, MUSLIN_PATTERN_UV},
        {"ordering", def->ordering, 0, MUSLIN_ORDERING_DISSECTION},
        {"precision", def->precision, 0, MUSLIN_PRECISION_DOUBLE},
        {"pcg_limit", def->pcg_limit, 1, INT32_MAX},
        {"threads", def->threads, 1, MOST_THREADS},
    };
    return validate_ranges(ranges, (int)(sizeof ranges / sizeof *ranges), status);
}

/* Order 1 and 2 as the thesis gives them [Choi 3.8, 3.12, 3.14], or the caller's own; but for rotation of
 * order 2, which takes half of the thesis's correction [Choi 3.9: 2, -1]. The whole of it extrapolates
 * further than is stable and feeds energy into a sheet at rest (a test shows it); half of it is what
 * order 2 of translation takes, too. */
static StatusCode set_coefficients(const MuslinClothDef *def, SolverOptions *options,
                                   Status *status) {
    static const double translation[2][3] = {{2, -1, 0}, {2.5, -2, 0.5}};
    static const double rotation[2][3] = {{1, 0, 0}, {1.5, -0.5, 0}};
    int turning = def->estimate == MUSLIN_ESTIMATE_ROTATION;
    if (def->order > 0) {
        const double *from = turning ? rotation[def->order - 1] : translation[def->order - 1];
        options->coefficient_count = def->order + !turning;
        for (int m = 0; m < options->coefficient_count; ++m) {
            options->coefficients[m] = from[m];
        }
        return STATUS_OK;
    }
    if (check_int("coefficient_count", def->coefficient_count, 1, MUSLIN_MAX_COEFFICIENTS,
                  status) != STATUS_OK) {
        return status->code;
    }
    double sum = 0;
    options->coefficient_count = def->coefficient_count;
    for (int m = 0; m < def->coefficient_count; ++m) {
        if (check_float("coefficients", def->coefficients[m], -1e3, 0, status) != STATUS_OK) {
            return status->code;
        }
        options->coefficients[m] = def->coefficients[m];
        sum += def->coefficients[m];
    }
    if (def->estimate == MUSLIN_ESTIMATE_TRANSLATION && fabs(sum - 1.0) > 1e-4) {
        return status_set(
            status, STATUS_ERROR_ARGUMENT,
            "coefficients of a translation estimate sum to %g, but must sum to 1: else a "
            "cloth at rest would be guessed elsewhere",
            sum);
    }
    return STATUS_OK;
}

StatusCode validate_def(const MuslinClothDef *def, const PolygonMesh *polygons,
                        SimulationOptions *options, Status *status) {
    if (!def) {
        return status_set(status, STATUS_ERROR_ARGUMENT, "def is null");
    }
    if (def->size != sizeof *def) {
        return refuse_size("MuslinClothDef", def->size, sizeof *def, status);
    }
    const Field fields[] = {{"uv_scale", def->uv_scale, 0, 1},
                            {"pcg_tolerance", def->pcg_tolerance, 0, 1}};
    StatusCode code = check_choices(def, status);
    code = code == STATUS_OK ? validate_rounds(def->substeps, def->iterations, status) : code;
    code = code == STATUS_OK ? check_fields(fields, 2, status) : code;
    code = code == STATUS_OK ? set_coefficients(def, &options->solving, status) : code;
    code = code == STATUS_OK ? validate_material(&def->material, &options->material, status) : code;
    code = code == STATUS_OK
               ? validate_forces(&def->forces, &options->gravity, &options->wind, status)
               : code;
    if (code != STATUS_OK) {
        return code;
    }
    if (def->pcg_tolerance >= 1) {
        return status_set(status, STATUS_ERROR_ARGUMENT, "pcg_tolerance is %g, but must be below 1",
                          (double)def->pcg_tolerance);
    }
    if (def->pattern == MUSLIN_PATTERN_UV && !polygons->corner_uvs) {
        return status_set(status, STATUS_ERROR_ARGUMENT,
                          "pattern is the UV map, but the mesh has no UV coordinates");
    }
    options->system = (SystemOptions){.model = (ModelKind)def->model,
                                      .tension_only = def->tension_only,
                                      .keep_folds = def->bend_rest == MUSLIN_BEND_REST_SHAPE &&
                                                    def->pattern == MUSLIN_PATTERN_MESH,
                                      .shear_axes = (ShearAxes)def->shear_axes,
                                      .shear_energy = (ShearEnergy)def->shear_energy};
    options->pattern = (PatternSource)def->pattern;
    options->uv_scale = def->uv_scale;
    options->solver = (SolverKind)def->solver;
    options->integrator = (Integrator)def->integrator;
    options->solving.quality = (Quality)def->quality;
    options->solving.scheme = (Scheme)def->scheme;
    options->solving.estimate = (EstimateKind)def->estimate;
    options->solving.ordering = (Ordering)def->ordering;
    options->solving.precision = (Precision)def->precision;
    options->solving.iterations = def->iterations;
    options->solving.pcg_tolerance = def->pcg_tolerance;
    options->solving.pcg_limit = def->pcg_limit;
    options->substeps = def->substeps;
    options->threads = def->threads;
    return STATUS_OK;
}
