/* The functions of muslin.h about what the cloth meets. */
#include <math.h>
#include <string.h>

#include "cloth/cloth.h"
#include "handle.h"
#include "muslin.h"
#include "validate.h"

/* The body's vertices; below 0 it does not exist, and the status tells so. */
static int find_body(const Cloth *cloth, int32_t number, Status *status) {
    int count = cloth_body_vertex_count(cloth, number);
    if (count < 0) {
        status_set(status, (StatusCode)MUSLIN_ERROR_BODY, "there is no body %d, or it was removed",
                   number);
        status_detail(status, DETAIL_NO_BODY)->body = number;
    }
    return count;
}

/* What was said of a body was said of this one. */
static StatusCode about_body(int32_t number, Status *status) {
    for (int d = 0; d < status->detail_count; ++d) {
        status->details[d].body = number;
    }
    return status->code;
}

MuslinStatus muslin_cloth_add_body(MuslinCloth handle, const MuslinBody *body, int32_t *number) {
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(number ? STATUS_OK : refuse_null(status, "number"));
    *number = -1;
    PolygonMesh polygons;
    BodySurface surface;
    RETURN_IF_REFUSED(validate_body(body, &polygons, &surface, status));
    int added = -1;
    StatusCode code = cloth_add_body(cloth, &polygons, &surface, &added, status);
    *number = code >= 0 ? added : -1;
    return public_status(about_body(*number, status));
}

MuslinStatus muslin_cloth_replace_body(MuslinCloth handle, int32_t number, const MuslinBody *body) {
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(find_body(cloth, number, status));
    PolygonMesh polygons;
    BodySurface surface;
    if (validate_body(body, &polygons, &surface, status) != STATUS_OK) {
        return public_status(about_body(number, status));
    }
    cloth_replace_body(cloth, number, &polygons, &surface, status);
    return public_status(about_body(number, status));
}

/* Checks the places of a body's vertices. */
static StatusCode check_places(const Cloth *cloth, int32_t number, int32_t count,
                               const float *positions, Status *status) {
    int vertices = find_body(cloth, number, status);
    if (vertices < 0) {
        return status->code;
    }
    if (count != vertices) {
        return REFUSE(status, DETAIL_COUNT, "positions", count, vertices,
                      "%d positions for the %d vertices of body %d; where its mesh has changed, "
                      "muslin_cloth_replace_body gives it the new one",
                      count, vertices, number);
    }
    if (!positions) {
        return refuse_null(status, "positions");
    }
    return validate_vectors("positions", "the position of the body's vertex", ELEMENT_BODY_VERTEX,
                            positions, count, status);
}

MuslinStatus muslin_cloth_move_body(MuslinCloth handle, int32_t number, int32_t count,
                                    const float *positions) {
    WITH_CLOTH(handle, cloth, status);
    if (check_places(cloth, number, count, positions, status) != STATUS_OK) {
        return public_status(about_body(number, status));
    }
    return public_status(cloth_move_body(cloth, number, positions, status));
}

MuslinStatus muslin_cloth_place_body(MuslinCloth handle, int32_t number, int32_t count,
                                     const float *positions) {
    WITH_CLOTH(handle, cloth, status);
    if (check_places(cloth, number, count, positions, status) != STATUS_OK) {
        return public_status(about_body(number, status));
    }
    return public_status(cloth_place_body(cloth, number, positions, status));
}

MuslinStatus muslin_cloth_set_body_surface(MuslinCloth handle, int32_t number, float thickness,
                                           float friction) {
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(find_body(cloth, number, status));
    BodySurface surface;
    if (validate_surface(thickness, friction, &surface, status) != STATUS_OK) {
        return public_status(about_body(number, status));
    }
    return public_status(cloth_set_body_surface(cloth, number, &surface, status));
}

MuslinStatus muslin_cloth_remove_body(MuslinCloth handle, int32_t number) {
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(find_body(cloth, number, status));
    cloth_remove_body(cloth, number);
    return MUSLIN_OK;
}

MuslinStatus muslin_cloth_put_outside(MuslinCloth handle, double reach, int32_t count,
                                      float *points) {
    WITH_CLOTH(handle, cloth, status);
    if (!(reach > 0) || !isfinite(reach)) {
        return public_status(REFUSE(status, DETAIL_RANGE, "reach", reach, 0,
                                    "reach is %g m, but must be above 0 and finite", reach));
    }
    if (count < 0) {
        return public_status(REFUSE(status, DETAIL_RANGE, "count", count, 0,
                                    "%d points to put outside, but must be 0 or more", count));
    }
    RETURN_IF_REFUSED(count == 0 || points ? STATUS_OK : refuse_null(status, "points"));
    RETURN_IF_REFUSED(validate_vectors("points", "point", ELEMENT_NONE, points, count, status));
    return public_status(cloth_put_outside(cloth, reach, count, points, status));
}

MuslinStatus muslin_cloth_set_self_contact(MuslinCloth handle, int32_t enabled, float thickness,
                                           float friction) {
    WITH_CLOTH(handle, cloth, status);
    if (!field_holds(&argument_self_contact, enabled)) {
        return public_status(REFUSE(status, DETAIL_RANGE, "enabled", enabled, enabled > 1,
                                    "enabled is %d, but must be 0 or 1", enabled));
    }
    BodySurface surface = {0};
    if (enabled && validate_surface(thickness, friction, &surface, status) != STATUS_OK) {
        return public_status(status->code);
    }
    return public_status(cloth_set_self_contact(cloth, &surface, status));
}
