/* muslin_mesh_symmetry() and muslin_mesh_fronts(): look at the arguments, call the core, tell what it found. */
#include "mirror/symmetry/symmetry.h"
#include "mirror/closures/fronts.h"

#include "handle.h"
#include "muslin.h"
#include "report.h"
#include "validate.h"
#include "vectors.h"

static StatusCode validate_symmetry(const MuslinSymmetry *symmetry, SymmetryOptions *options,
                                    Status *status) {
    if (!symmetry) {
        return refuse_null(status, "symmetry");
    }
    if (report_check("MuslinSymmetry", symmetry, sizeof *symmetry, status) != STATUS_OK) {
        return status->code;
    }
    if (symmetry->size < offsetof(MuslinSymmetry, paired)) {
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "MuslinSymmetry.size is %u, but what is looked for takes %zu", symmetry->size,
                   offsetof(MuslinSymmetry, paired));
        return status_name_argument(status, DETAIL_STRUCT_SIZE, "MuslinSymmetry", symmetry->size,
                                    sizeof *symmetry);
    }
    if (symmetry->find != 0 && symmetry->find != 1) {
        status_set(status, STATUS_ERROR_ARGUMENT, "find is %d, but must be 0 or 1", symmetry->find);
        return status_name_argument(status, DETAIL_RANGE, "find", symmetry->find,
                                    symmetry->find > 1);
    }
    *options = (SymmetryOptions){
        .find = symmetry->find,
        .plane = {vector_of_doubles(symmetry->point), vector_of_doubles(symmetry->normal)},
        .tolerance = symmetry->tolerance};
    return STATUS_OK;
}

MuslinStatus muslin_mesh_symmetry(const MuslinMesh *mesh, MuslinSymmetry *symmetry,
                                  int32_t *partners, int32_t *face_partners) {
    Status *status = handle_thread_status();
    status_clear(status);
    PolygonMesh polygons;
    SymmetryOptions options;
    Symmetry found;
    if (validate_mesh(mesh, &polygons, status) != STATUS_OK ||
        validate_symmetry(symmetry, &options, status) != STATUS_OK ||
        symmetry_find(&polygons, &options, &found, partners, face_partners, status) != STATUS_OK) {
        return public_status(status->code);
    }
    MuslinSymmetry reported = {.size = sizeof reported,
                               .find = symmetry->find,
                               .tolerance = found.tolerance,
                               .paired = found.paired,
                               .on_plane = found.on_plane,
                               .unpaired = found.unpaired,
                               .faces_without = found.elements.faces_without,
                               .edges_without = found.elements.edges_without,
                               .differing_cuts = found.elements.differing_cuts,
                               .crossing_cuts = found.elements.crossing_cuts,
                               .rms = found.rms,
                               .largest = found.largest};
    tell_vector(found.plane.point, reported.point);
    tell_vector(found.plane.normal, reported.normal);
    return public_status(
        report_give("MuslinSymmetry", &reported, sizeof reported, symmetry, status));
}

MuslinStatus muslin_mesh_fronts(const MuslinMesh *mesh, int32_t *fronts) {
    Status *status = handle_thread_status();
    status_clear(status);
    PolygonMesh polygons;
    if (validate_mesh(mesh, &polygons, status) == STATUS_OK) {
        if (fronts) {
            fronts_find(&polygons, fronts, status);
        } else {
            refuse_null(status, "fronts");
        }
    }
    return public_status(status->code);
}
