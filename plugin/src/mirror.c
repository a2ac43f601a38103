/* What muslin.h says about mirrored cloth: the options of a definition, the report, and whether a mesh is symmetric and where its
 * fronts are. */
#include "mirror/closures/fronts.h"
#include "mirror/symmetry/symmetry.h"

#include "handle.h"
#include "muslin.h"
#include "settings.h"
#include "validate.h"

_Static_assert((int)MIRROR_HALVE == (int)MUSLIN_MIRROR_HALVE, "kinds of mirroring");
_Static_assert((int)CLOSURE_BUTTON == (int)MUSLIN_CLOSURE_BUTTON, "closures");
_Static_assert((int)BODY_SOLVE_WHOLE == (int)MUSLIN_BODY_SOLVE_WHOLE, "asymmetric bodies");
_Static_assert((int)STATUS_WARNING_MIRROR == (int)MUSLIN_WARNING_MIRROR, "status codes");

static Vec3 vector_of_doubles(const double *v) { return vec3(v[0], v[1], v[2]); }

static void tell_vector(Vec3 v, double *out) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static StatusCode check_plane(const MuslinClothDef *def, Status *status) {
    Vec3 point = vector_at(def->mirror_point, 0), normal = vector_at(def->mirror_normal, 0);
    if (def->mirror_find ||
        (vec3_is_finite(point) && vec3_is_finite(normal) && vec3_length(normal) > VEC3_TINY)) {
        return STATUS_OK;
    }
    return REFUSE(status, DETAIL_RANGE, vec3_is_finite(point) ? "mirror_normal" : "mirror_point",
                  vec3_length(vec3_is_finite(point) ? normal : point), 0,
                  "mirror_point is (%g, %g, %g) and mirror_normal (%g, %g, %g), but both must be "
                  "finite and the normal not zero",
                  point.x, point.y, point.z, normal.x, normal.y, normal.z);
}

static StatusCode check_closure(const MuslinClothDef *def, Status *status) {
    if (def->mirror == MUSLIN_MIRROR_OFF && def->closure != MUSLIN_CLOSURE_FREE) {
        return REFUSE(
            status, DETAIL_CONFLICT, "closure", def->closure, 0,
            "closure is %d, but only a mirrored cloth closes its fronts, and mirror is off",
            def->closure);
    }
    return STATUS_OK;
}

StatusCode validate_mirror(const MuslinClothDef *def, MirrorOptions *options, Status *status) {
    StatusCode code = check_closure(def, status);
    code = code == STATUS_OK ? check_plane(def, status) : code;
    *options = (MirrorOptions){
        .choice = (MirrorChoice)def->mirror,
        .half = {.find = def->mirror_find,
                 .plane = {vector_at(def->mirror_point, 0), vector_at(def->mirror_normal, 0)},
                 .tolerance = def->mirror_tolerance,
                 .closure = (Closure)def->closure,
                 .overlap = def->overlap,
                 .over = def->over},
        .asymmetric_body = (AsymmetricBody)def->asymmetric_body,
    };
    return code;
}

MuslinStatus muslin_cloth_get_mirror(MuslinCloth handle, MuslinMirrorReport *out) {
    WITH_CLOTH(handle, cloth, status);
    MirrorReport report;
    cloth_mirror(cloth, &report);
    MuslinMirrorReport reported = {.size = sizeof reported,
                                   .mode = (int32_t)report.mode,
                                   .half_vertex_count = report.half_vertex_count,
                                   .paired = report.paired,
                                   .on_plane = report.on_plane,
                                   .unpaired = report.unpaired,
                                   .extra_count = report.extra_count,
                                   .front_count = report.front_count,
                                   .body = report.body,
                                   .body_vertex = report.body_vertex,
                                   .body_asymmetry = report.body_asymmetry,
                                   .solved_whole = report.solved_whole,
                                   .whole_steps = report.whole_steps};
    tell_vector(report.plane.point, reported.point);
    tell_vector(report.plane.normal, reported.normal);
    return public_status(
        report_give("MuslinMirrorReport", &reported, sizeof reported, out, status));
}

static StatusCode validate_symmetry(const MuslinSymmetry *symmetry, SymmetryOptions *options,
                                    Status *status) {
    if (!symmetry) {
        return refuse_null(status, "symmetry");
    }
    if (report_check("MuslinSymmetry", symmetry, sizeof *symmetry, status) != STATUS_OK) {
        return status->code;
    }
    if (symmetry->size < offsetof(MuslinSymmetry, paired)) {
        return REFUSE(status, DETAIL_STRUCT_SIZE, "MuslinSymmetry", symmetry->size,
                      sizeof *symmetry,
                      "MuslinSymmetry.size is %u, but what is looked for takes %zu", symmetry->size,
                      offsetof(MuslinSymmetry, paired));
    }
    if (symmetry->find != 0 && symmetry->find != 1) {
        return REFUSE(status, DETAIL_RANGE, "find", symmetry->find, symmetry->find > 1,
                      "find is %d, but must be 0 or 1", symmetry->find);
    }
    *options = (SymmetryOptions){
        .find = symmetry->find,
        .plane = {vector_of_doubles(symmetry->point), vector_of_doubles(symmetry->normal)},
        .tolerance = symmetry->tolerance};
    return STATUS_OK;
}

MuslinStatus muslin_mesh_get_symmetry(const MuslinMesh *mesh, MuslinSymmetry *symmetry,
                                      int32_t *partners, int32_t *face_partners) {
    Status *status = handle_thread_status();
    status_clear(status);
    PolygonMesh polygons;
    SymmetryOptions options;
    Symmetry found;
    RETURN_IF_REFUSED(validate_mesh(mesh, &polygons, status));
    RETURN_IF_REFUSED(validate_symmetry(symmetry, &options, status));
    RETURN_IF_REFUSED(symmetry_find(&polygons, &options, &found, partners, face_partners, status));
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

MuslinStatus muslin_mesh_get_fronts(const MuslinMesh *mesh, int32_t *fronts) {
    Status *status = handle_thread_status();
    status_clear(status);
    PolygonMesh polygons;
    if (validate_mesh(mesh, &polygons, status) == STATUS_OK) {
        if (fronts) {
            fronts_find(&polygons, NULL, fronts, status);
        } else {
            refuse_null(status, "fronts");
        }
    }
    return public_status(status->code);
}
