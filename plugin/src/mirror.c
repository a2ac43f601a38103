/* What muslin.h says about mirrored cloth: the options of a definition, and the report. */
#include "handle.h"
#include "muslin.h"
#include "report.h"
#include "validate.h"
#include "vectors.h"

_Static_assert((int)MIRROR_HALVE == (int)MUSLIN_MIRROR_HALVE, "kinds of mirroring");
_Static_assert((int)CLOSURE_BUTTON == (int)MUSLIN_CLOSURE_BUTTON, "closures");
_Static_assert((int)BODY_SOLVE_WHOLE == (int)MUSLIN_BODY_SOLVE_WHOLE, "asymmetric bodies");
_Static_assert((int)STATUS_WARNING_MIRROR == (int)MUSLIN_WARNING_MIRROR, "status codes");

static StatusCode check_plane(const MuslinClothDef *def, Status *status) {
    Vec3 point = vector_of_floats(def->mirror_point), normal = vector_of_floats(def->mirror_normal);
    if (def->mirror_find ||
        (vec3_is_finite(point) && vec3_is_finite(normal) && vec3_length(normal) > VEC3_TINY)) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_ARGUMENT,
               "mirror_point is (%g, %g, %g) and mirror_normal (%g, %g, %g), but both must be "
               "finite and the normal not zero",
               point.x, point.y, point.z, normal.x, normal.y, normal.z);
    return status_name_argument(status, DETAIL_RANGE,
                                vec3_is_finite(point) ? "mirror_normal" : "mirror_point",
                                vec3_length(vec3_is_finite(point) ? normal : point), 0);
}

static StatusCode check_closure(const MuslinClothDef *def, Status *status) {
    if (def->mirror == MUSLIN_MIRROR_OFF && def->closure != MUSLIN_CLOSURE_FREE) {
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "closure is %d, but only a mirrored cloth closes its fronts, and mirror is off",
                   def->closure);
        return status_name_argument(status, DETAIL_CONFLICT, "closure", def->closure, 0);
    }
    return STATUS_OK;
}

StatusCode validate_mirror(const MuslinClothDef *def, MirrorOptions *options, Status *status) {
    StatusCode code = check_closure(def, status);
    code = code == STATUS_OK ? check_plane(def, status) : code;
    *options = (MirrorOptions){
        .choice = (MirrorChoice)def->mirror,
        .half = {.find = def->mirror_find,
                 .plane = {vector_of_floats(def->mirror_point),
                           vector_of_floats(def->mirror_normal)},
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
