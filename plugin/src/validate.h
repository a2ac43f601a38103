/* Every number that crosses the boundary is looked at here, once. Messages name the field and the
 * value, in the words of muslin.h. */
#ifndef VALIDATE_H
#define VALIDATE_H

#include "base/status.h"
#include "cloth/cloth.h"
#include "muslin.h"

/* Each fills its counterpart in the core's terms, or sets the status and returns an error. */
StatusCode validate_mesh(const MuslinMesh *mesh, PolygonMesh *polygons, Status *status);
StatusCode validate_body(const MuslinBody *body, PolygonMesh *polygons, BodySurface *surface,
                         Status *status);
StatusCode validate_surface(float thickness, float friction, BodySurface *surface, Status *status);
StatusCode validate_material(const MuslinMaterial *material, Material *out, Status *status);
StatusCode validate_forces(const MuslinForces *forces, Vec3 *gravity, Wind *wind, Status *status);
StatusCode validate_def(const MuslinClothDef *def, const PolygonMesh *polygons,
                        SimulationOptions *options, Status *status);
/* Of a definition that validate_def() has let pass. */
StatusCode validate_mirror(const MuslinClothDef *def, MirrorOptions *options, Status *status);
StatusCode validate_rounds(int32_t substeps, int32_t iterations, Status *status);
StatusCode validate_seconds(double seconds, Status *status);

/* A table of whole numbers with their ranges keeps every check on one line. */
typedef struct Range {
    const char *name;
    int64_t value, least, most;
} Range;

StatusCode validate_ranges(const Range *ranges, int count, Status *status);

/* For a pointer that may not be null. */
StatusCode refuse_null(Status *status, const char *name);

/* An array of `count` numbers, all finite and at least `least`; null passes. */
StatusCode validate_numbers(const char *name, const float *numbers, int64_t count, double least,
                            Status *status);

/* Vectors of `count` vertices (or pins), all finite; null passes. */
StatusCode validate_vectors(const char *name, const float *vectors, int64_t count, Status *status);

#endif
