/* Every number that crosses the boundary is looked at once: by the table of settings, and here what depends on more
 * than one of them. Messages name the field and the value, in the words of muslin.h. */
#pragma once

#include "base/status.h"
#include "cloth/cloth.h"
#include "laws/material.h"
#include "muslin.h"
#include "settings.h"

/* Each fills its counterpart in the core's terms, or sets the status and returns an error. */
StatusCode validate_mesh(const MuslinMesh *mesh, PolygonMesh *polygons, Status *status);
StatusCode validate_body(const MuslinBody *body, PolygonMesh *polygons, BodySurface *surface,
                         Status *status);
StatusCode validate_surface(float thickness, float friction, BodySurface *surface, Status *status);
/* For a cloth of this solver and model. */
StatusCode validate_material(const MuslinMaterial *material, SolverKind solver, ModelKind model,
                             Material *out, Status *status);
StatusCode validate_forces(const MuslinForces *forces, Vec3 *gravity, Wind *wind, Status *status);

/* Reads a caller's definition, which may be of an older header, and looks at its ranges. */
StatusCode validate_def(const MuslinClothDef *given, MuslinClothDef *def, Status *status);
/* Of a definition that validate_def() has let pass. `alone`: all of it is of the definition's material and model, else
 * validate_parts() looks at those of its parts. */
StatusCode validate_cloth(const MuslinClothDef *def, const PolygonMesh *polygons, bool alone,
                          SimulationOptions *options, Status *status);

/* What muslin_cloth_create_parts() is given besides. */
typedef struct GivenParts {
    const int32_t *vertex_parts;
    int32_t count;
    const MuslinMaterial *materials;
    const int32_t *models;
} GivenParts;

/* After validate_cloth(): the polygons and options get parts. */
StatusCode validate_parts(const GivenParts *parts, const MuslinClothDef *def, PolygonMesh *polygons,
                          SimulationOptions *options, Status *status);
/* After both: air needs closed surfaces. */
StatusCode validate_air(const PolygonMesh *polygons, const SimulationOptions *options,
                        Status *status);
/* Says before a refusal which part of several is meant; returns the status's code. */
StatusCode name_part(int part, int count, Status *status);
StatusCode validate_mirror(const MuslinClothDef *def, MirrorOptions *options, Status *status);

StatusCode validate_iterations(int32_t substeps, int32_t iterations, Status *status);
StatusCode validate_seconds(double seconds, Status *status);

/* An array of `count` numbers, all in a range; null passes. */
StatusCode validate_numbers(const Field *range, const float *numbers, int64_t count,
                            Status *status);

/* Vectors of `count` vertices (or pins), all finite; null passes. `words` is what each is called. Places and velocities of
 * cloth must be within VEC3_FARTHEST, too, as it is in a step. */
StatusCode validate_vectors(const char *name, const char *words, DetailElement element,
                            const float *vectors, int64_t count, Status *status);
StatusCode validate_motion(const char *name, const char *words, DetailElement element,
                           const float *vectors, int64_t count, Status *status);

/* Refuses a field that this solver, or this model, would leave out silently. */
StatusCode field_check_needs(const Field *field, SolverKind solver, ModelKind model, double value,
                             Status *status);
