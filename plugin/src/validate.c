/* What the caller gives, in the core's terms. Ranges of single numbers are in the table of settings. */
#include "validate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/polygon.h"
#include "settings.h"

_Static_assert((int)DRAG_SQUARE == (int)MUSLIN_DRAG_LAW_SQUARE, "laws of drag");
_Static_assert((int)MODEL_MEMBRANE == (int)MUSLIN_MODEL_MEMBRANE &&
                   (int)STRAIN_HENCKY == (int)MUSLIN_STRAIN_MEASURE_HENCKY,
               "models and measures");
_Static_assert((int)SOLVER_SWEEP == (int)MUSLIN_SOLVER_SWEEP &&
                   (int)SWEEP_SYMPLECTIC == (int)MUSLIN_SWEEP_METHOD_SYMPLECTIC,
               "solvers and their methods");
_Static_assert(sizeof((MuslinClothDef){0}.coefficients) == MUSLIN_MAX_COEFFICIENTS * sizeof(float),
               "coefficients");

/* --- what a solver has --------------------------------------------------------------------------- */

StatusCode field_check_needs(const Field *field, SolverKind solver, ModelKind model, double value,
                             Status *status) {
    char what[NUMBER_SIZE + 16];
    snprintf(what, sizeof what, "%s is given", field->name);
    return solver_refuse(solver, model, field->needs, what, field->name, value, status);
}

/* The first number of a field that is not 0; they are all of four bytes. */
static double given_number(const Field *field, const char *values) {
    for (size_t at = 0; at < field->size; at += sizeof(float)) {
        float number;
        int32_t whole;
        memcpy(&number, values + field->offset + at, sizeof number);
        memcpy(&whole, values + field->offset + at, sizeof whole);
        double given = field->kind == FIELD_CHOICE || field->kind == FIELD_INT ? whole : number;
        if (given != 0) {
            return given;
        }
    }
    return 0;
}

/* All that are not 0. */
static StatusCode settings_check_needs(const StructTable *table, const void *values,
                                       SolverKind solver, ModelKind model, Status *status) {
    for (int i = 0; i < table->field_count; ++i) {
        const Field *field = &table->fields[i];
        double given = field->needs ? given_number(field, values) : 0;
        if (given != 0 && field_check_needs(field, solver, model, given, status) != STATUS_OK) {
            return status->code;
        }
    }
    return STATUS_OK;
}

/* --- single numbers --------------------------------------------------------------------------- */

StatusCode validate_numbers(const Field *range, const float *numbers, int64_t count,
                            Status *status) {
    for (int64_t i = 0; numbers && i < count; ++i) {
        if (!field_holds(range, numbers[i])) {
            char name[64];
            snprintf(name, sizeof name, "%s[%lld]", range->name, (long long)i);
            Field one = *range;
            one.name = name;
            field_check(&one, numbers[i], status);
            status->details[0].name = range->name;
            return status_of_element(status, ELEMENT_VERTEX, (int)i);
        }
    }
    return STATUS_OK;
}

StatusCode validate_vectors(const char *name, const char *words, DetailElement element,
                            const float *vectors, int64_t count, Status *status) {
    for (int64_t i = 0; vectors && i < count; ++i) {
        const float *v = vectors + 3 * i;
        if (!isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2])) {
            REFUSE(status, DETAIL_NOT_FINITE, name, 0, 0,
                   "%s %lld is (%g, %g, %g), but must be finite", words, (long long)i, (double)v[0],
                   (double)v[1], (double)v[2]);
            return status_of_element(status, element, (int)i);
        }
    }
    return STATUS_OK;
}

StatusCode validate_motion(const char *name, const char *words, DetailElement element,
                           const float *vectors, int64_t count, Status *status) {
    StatusCode code = validate_vectors(name, words, element, vectors, count, status);
    for (int64_t i = 0; vectors && i < count && code == STATUS_OK; ++i) {
        Vec3 v = vector_at(vectors, i);
        if (!vec3_is_within_reach(v)) {
            REFUSE(status, DETAIL_RANGE, name, 0, VEC3_FARTHEST,
                   "%s %lld is (%g, %g, %g), but no coordinate may be beyond %g", words,
                   (long long)i, v.x, v.y, v.z, VEC3_FARTHEST);
            code = status_of_element(status, element, (int)i);
        }
    }
    return code;
}

StatusCode validate_seconds(double seconds, Status *status) {
    if (field_holds(&argument_seconds, seconds)) {
        return STATUS_OK;
    }
    char number[NUMBER_SIZE];
    field_describe(&argument_seconds, seconds, number);
    return REFUSE(status, DETAIL_RANGE, "seconds", seconds,
                  seconds > 1 ? argument_seconds.most : argument_seconds.least,
                  "the step is %s s long, but must be from %g to %g s", number,
                  argument_seconds.least, argument_seconds.most);
}

StatusCode validate_iterations(int32_t substeps, int32_t iterations, Status *status) {
    const Field *fields = settings_cloth_def.fields;
    StatusCode code = field_check(&fields[CLOTH_DEF_SUBSTEPS], substeps, status);
    return code == STATUS_OK ? field_check(&fields[CLOTH_DEF_ITERATIONS], iterations, status)
                             : code;
}

/* --- structs ---------------------------------------------------------------------------------- */

/* Indices of triangle corners and matrix entries are kept in 32 bits. */
#define MOST_CORNERS (INT32_MAX / 16)

/* Before any array of that length is looked at. */
static StatusCode check_count(const char *name, int32_t count, int32_t most, Status *status) {
    if (count >= 0 && count <= most) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_MESH, "%s is %d, but must be from 0 to %d", name, count, most);
    return status_name_argument(status, DETAIL_RANGE, name, count, count < 0 ? 0 : most);
}

static StatusCode check_counts(int32_t vertices, int32_t faces, int32_t edges, Status *status) {
    StatusCode code = check_count("vertex_count", vertices, MOST_CORNERS, status);
    code = code == STATUS_OK ? check_count("face_count", faces, MOST_CORNERS / 3, status) : code;
    return code == STATUS_OK ? check_count("edge_count", edges, MOST_CORNERS, status) : code;
}

static StatusCode check_mesh_arrays(const MuslinMesh *mesh, Status *status) {
    if (mesh->vertex_count == 0) {
        status_set(status, STATUS_ERROR_MESH, "the mesh is empty: it has no vertices");
        return status_name_count(status, DETAIL_EMPTY, 0);
    }
    if (check_counts(mesh->vertex_count, mesh->face_count, mesh->edge_count, status) != STATUS_OK) {
        return status->code;
    }
    const char *missing = !mesh->positions                               ? "positions"
                          : mesh->face_count > 0 && !mesh->face_sizes    ? "face_sizes"
                          : mesh->face_count > 0 && !mesh->face_vertices ? "face_vertices"
                          : mesh->edge_count > 0 && !mesh->edges         ? "edges"
                                                                         : NULL;
    if (missing) {
        status_set(status, STATUS_ERROR_MESH, "%s of the mesh is null", missing);
        return status_name_argument(status, DETAIL_NULL, missing, 0, 0);
    }
    if (mesh->face_count == 0 && mesh->edge_count == 0) {
        status_set(status, STATUS_ERROR_MESH, "the mesh has no face and no edge to simulate");
        return status_name_count(status, DETAIL_EMPTY, 0);
    }
    return STATUS_OK;
}

static StatusCode check_face_sizes(const char *whose, DetailElement element, int32_t count,
                                   const int32_t *sizes, int32_t edge_count, Status *status) {
    int64_t corners = 0;
    for (int f = 0; f < count; ++f) {
        if (sizes[f] < 3) {
            status_set(status, STATUS_ERROR_MESH,
                       "face %d of %s has %d corners, but needs at least 3", f, whose, sizes[f]);
            status_name_argument(status, DETAIL_FACE_CORNERS, "face_sizes", sizes[f], 3);
            return status_of_element(status, element, f);
        }
        corners += sizes[f];
    }
    if (corners + edge_count > MOST_CORNERS) {
        status_set(status, STATUS_ERROR_MESH, "%s has %lld corners: too many", whose,
                   (long long)corners);
        return status_name_argument(status, DETAIL_FACE_CORNERS, "face_sizes", (double)corners,
                                    MOST_CORNERS);
    }
    return STATUS_OK;
}

StatusCode validate_mesh(const MuslinMesh *given, PolygonMesh *polygons, Status *status) {
    if (!given) {
        return refuse_null(status, "mesh");
    }
    MuslinMesh own;
    const MuslinMesh *mesh = &own;
    if (settings_read(&settings_mesh, given, &own, status) != STATUS_OK ||
        check_mesh_arrays(mesh, status) != STATUS_OK) {
        return status->code;
    }
    if (check_face_sizes("the mesh", ELEMENT_FACE, mesh->face_count, mesh->face_sizes,
                         mesh->edge_count, status) != STATUS_OK) {
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
    if (body->vertex_count == 0) {
        status_set(status, STATUS_ERROR_MESH, "the body is empty: it has no vertices");
        return status_name_count(status, DETAIL_EMPTY, 0);
    }
    if (body->face_count == 0) {
        status_set(status, STATUS_ERROR_MESH, "the body has no faces that cloth could meet");
        return status_name_count(status, DETAIL_EMPTY, 0);
    }
    if (check_counts(body->vertex_count, body->face_count, 0, status) != STATUS_OK) {
        return status->code;
    }
    const char *missing = !body->positions       ? "positions"
                          : !body->face_sizes    ? "face_sizes"
                          : !body->face_vertices ? "face_vertices"
                                                 : NULL;
    if (missing) {
        return REFUSE(status, DETAIL_NULL, missing, 0, 0, "%s of the body is null", missing);
    }
    return STATUS_OK;
}

static StatusCode check_body_corners(const MuslinBody *body, Status *status) {
    const int32_t *corner = body->face_vertices;
    for (int f = 0; f < body->face_count; ++f) {
        for (int c = 0; c < body->face_sizes[f]; ++c, ++corner) {
            if (*corner < 0 || *corner >= body->vertex_count) {
                status_set(status, STATUS_ERROR_MESH,
                           "face %d of the body names vertex %d, but it has vertices 0 to %d", f,
                           *corner, body->vertex_count - 1);
                status_name_argument(status, DETAIL_INDEX_RANGE, "face_vertices", *corner,
                                     body->vertex_count - 1);
                return status_of_element(status, ELEMENT_BODY_FACE, f);
            }
        }
    }
    return STATUS_OK;
}

StatusCode validate_surface(float thickness, float friction, BodySurface *surface, Status *status) {
    const Field *fields = settings_body.fields;
    StatusCode code = field_check(&fields[BODY_THICKNESS], thickness, status);
    code = code == STATUS_OK ? field_check(&fields[BODY_FRICTION], friction, status) : code;
    *surface = (BodySurface){thickness, friction};
    return code;
}

StatusCode validate_body(const MuslinBody *given, PolygonMesh *polygons, BodySurface *surface,
                         Status *status) {
    if (!given) {
        return refuse_null(status, "body");
    }
    MuslinBody own;
    const MuslinBody *body = &own;
    if (settings_read(&settings_body, given, &own, status) != STATUS_OK) {
        return status->code;
    }
    StatusCode code = check_body_arrays(body, status);
    code = code == STATUS_OK ? check_face_sizes("the body", ELEMENT_BODY_FACE, body->face_count,
                                                body->face_sizes, 0, status)
                             : code;
    code = code == STATUS_OK ? check_body_corners(body, status) : code;
    if (code == STATUS_OK &&
        validate_vectors("positions", "the body's vertex", ELEMENT_BODY_VERTEX, body->positions,
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

#define BEND_COLUMNS 5

/* What is measured is measured whole: all numbers are above 0, or all are 0. */
static StatusCode check_bend_samples(const MuslinMaterial *material, Status *status) {
    const float *samples = material->bend_samples;
    const int count = (int)(sizeof material->bend_samples / sizeof *samples);
    bool measured = false;
    for (int i = 0; i < count; ++i) {
        measured = measured || samples[i] != 0;
    }
    for (int i = 0; measured && i < count; ++i) {
        if (!(samples[i] > 0 && isfinite(samples[i]))) {
            return REFUSE(status, DETAIL_RANGE, "bend_samples", samples[i], 0,
                          "bend_samples[%d] (row %d, column %d) is %g N m, but must be a finite "
                          "number above 0 where bending is measured",
                          i, i / BEND_COLUMNS, i % BEND_COLUMNS, (double)samples[i]);
        }
    }
    return STATUS_OK;
}

StatusCode validate_material(const MuslinMaterial *given, SolverKind solver, ModelKind model,
                             Material *out, Status *status) {
    if (!given) {
        return refuse_null(status, "material");
    }
    MuslinMaterial material;
    StatusCode code = settings_read(&settings_material, given, &material, status);
    code = code == STATUS_OK ? settings_check(&settings_material, &material, status) : code;
    code = code == STATUS_OK ? check_bend_samples(&material, status) : code;
    code = code == STATUS_OK
               ? settings_check_needs(&settings_material, &material, solver, model, status)
               : code;
    if (code == STATUS_OK) {
        settings_material_of(&material, out);
        code = material_check(out, status);
    }
    return code;
}

StatusCode validate_forces(const MuslinForces *given, Vec3 *gravity, Wind *wind, Status *status) {
    if (!given) {
        return refuse_null(status, "forces");
    }
    MuslinForces forces;
    StatusCode code = settings_read(&settings_forces, given, &forces, status);
    code = code == STATUS_OK ? settings_check(&settings_forces, &forces, status) : code;
    if (code == STATUS_OK) {
        *gravity = vector_at(forces.gravity, 0);
        *wind = (Wind){.velocity = vector_at(forces.wind, 0),
                       .normal_drag = forces.normal_drag,
                       .tangent_drag = forces.tangent_drag,
                       .law = (DragLaw)forces.drag_law};
    }
    return code;
}

/* --- the definition --------------------------------------------------------------------------- */

StatusCode validate_def(const MuslinClothDef *given, MuslinClothDef *def, Status *status) {
    if (!given) {
        return refuse_null(status, "def");
    }
    if (settings_read(&settings_cloth_def, given, def, status) != STATUS_OK) {
        return status->code;
    }
    def->material = def->material ? def->material : settings_material.defaults;
    def->forces = def->forces ? def->forces : settings_forces.defaults;
    return settings_check(&settings_cloth_def, def, status);
}

/* Order 1 and 2 as the thesis gives them [Choi 3.8, 3.12, 3.14], or the caller's own; but for rotation of
 * order 2, which takes half of the thesis's correction [Choi 3.9: 2, -1]. The whole of it extrapolates
 * further than is stable and feeds energy into a sheet at rest (a test shows it); half of it is what
 * order 2 of translation takes, too. */
static StatusCode set_coefficients(const MuslinClothDef *def, SolverOptions *options,
                                   Status *status) {
    static const double translation[2][3] = {{2, -1, 0}, {2.5, -2, 0.5}};
    static const double rotation[2][3] = {{1, 0, 0}, {1.5, -0.5, 0}};
    bool turning = def->estimate == MUSLIN_ESTIMATE_ROTATION;
    if (def->order > 0) {
        const double *from = turning ? rotation[def->order - 1] : translation[def->order - 1];
        options->coefficient_count = def->order + !turning;
        for (int m = 0; m < options->coefficient_count; ++m) {
            options->coefficients[m] = from[m];
        }
        return STATUS_OK;
    }
    const Field *fields = settings_cloth_def.fields;
    if (field_check(&fields[CLOTH_DEF_COEFFICIENT_COUNT], def->coefficient_count, status) !=
        STATUS_OK) {
        return status->code;
    }
    double sum = 0;
    options->coefficient_count = def->coefficient_count;
    for (int m = 0; m < def->coefficient_count; ++m) {
        if (field_check(&fields[CLOTH_DEF_COEFFICIENTS], def->coefficients[m], status) !=
            STATUS_OK) {
            return status->code;
        }
        options->coefficients[m] = def->coefficients[m];
        sum += def->coefficients[m];
    }
    if (def->estimate == MUSLIN_ESTIMATE_TRANSLATION && fabs(sum - 1.0) > 1e-4) {
        return REFUSE(status, DETAIL_CONFLICT, "coefficients", sum, 1,
                      "coefficients of a translation estimate sum to %g, but must sum to 1: else a "
                      "cloth at rest would be guessed elsewhere",
                      sum);
    }
    return STATUS_OK;
}

/* A solver that is for no model of the caller's has its own. */
static ModelKind simulated_model(const MuslinClothDef *def) {
    return solver_has((SolverKind)def->solver, ABILITY_MODELS) ? (ModelKind)def->model
                                                               : MODEL_WOVEN;
}

/* Which choices of the method do not go with its solver or model. */
static StatusCode validate_method(const MuslinClothDef *def, Status *status) {
    return settings_check_needs(&settings_cloth_def, def, (SolverKind)def->solver,
                                simulated_model(def), status);
}

StatusCode validate_cloth(const MuslinClothDef *def, const PolygonMesh *polygons, bool alone,
                          SimulationOptions *options, Status *status) {
    if (set_coefficients(def, &options->solving, status) != STATUS_OK) {
        return status->code;
    }
    if (def->pattern == MUSLIN_PATTERN_UV && !polygons->corner_uvs) {
        return REFUSE(status, DETAIL_CONFLICT, "pattern", def->pattern, 0,
                      "pattern is the UV map, but the mesh has no UV coordinates");
    }
    SolverKind solver = (SolverKind)def->solver;
    ModelKind model = simulated_model(def);
    if ((alone && (validate_method(def, status) != STATUS_OK ||
                   validate_material(def->material, solver, model, &options->materials[0],
                                     status) != STATUS_OK)) ||
        validate_forces(def->forces, &options->gravity, &options->wind, status) != STATUS_OK) {
        return status->code;
    }
    options->system = (SystemOptions){.model = model,
                                      .measure = (StrainMeasure)def->strain_measure,
                                      .bending = (BendingKind)def->bending,
                                      .tension_only = def->tension_only,
                                      .keep_folds = def->bend_rest == MUSLIN_BEND_REST_SHAPE &&
                                                    def->pattern == MUSLIN_PATTERN_MESH,
                                      .shear_axes = (ShearAxes)def->shear_axes,
                                      .shear_energy = (ShearEnergy)def->shear_energy};
    options->mesh =
        (MeshOptions){.pattern = (PatternSource)def->pattern, .uv_scale = def->uv_scale};
    options->solver = solver;
    options->integrator = (Integrator)def->integrator;
    options->solving.quality = (Quality)def->quality;
    options->solving.scheme = (Scheme)def->scheme;
    options->solving.estimate = (EstimateKind)def->estimate;
    options->solving.ordering = (Ordering)def->ordering;
    options->solving.precision = (Precision)def->precision;
    options->solving.iterations = def->iterations;
    options->solving.pcg_tolerance = def->pcg_tolerance;
    options->solving.pcg_limit = def->pcg_limit;
    options->solving.sweep_method = (SweepMethod)def->sweep_method;
    options->solving.sweeps = def->sweeps;
    options->substeps = def->substeps;
    options->threads = def->threads;
    return STATUS_OK;
}

/* --- parts, each with a material of its own ------------------------------------------------------ */

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

static StatusCode check_parts(const GivenParts *parts, const MuslinClothDef *def, Status *status) {
    if (parts->count < 1 || parts->count > PARTS_MOST) {
        return REFUSE(
            status, DETAIL_RANGE, "part_count", parts->count, parts->count < 1 ? 1 : PARTS_MOST,
            "part_count is %d, but a cloth has from 1 to %d parts", parts->count, PARTS_MOST);
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
    if (check_parts(parts, def, status) != STATUS_OK) {
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
                                       : STATUS_OK; /* what is wrong with it is reported later */
}
