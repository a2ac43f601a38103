/* The caller's calls about bodies: what he sets is kept in the inputs, and carried to the levels. */
#include <math.h>
#include <string.h>

#include "cloth/state.h"
#include "geometry/box.h"

/* Meshes and surfaces to all levels that there are; places to the active one, and to another when it is gone over to. Level
 * 0 comes first: what it warns of is told. What is refused changes nothing. */
static StatusCode give(Cloth *cloth, int number, const InputBody *body, const InputBody *before,
                       unsigned what, Status *status) {
    bool lasting = what & (BODY_MESH | BODY_SURFACE);
    for (int l = 0; l < LEVELS_MOST; ++l) {
        Domain *domain = lasting || l == cloth->level ? cloth->levels[l].domain : NULL;
        Status reported = {0};
        if (domain && domain_give_body(domain, number, body, before, what, &reported) < 0) {
            while (l-- > 0) {
                if (cloth->levels[l].domain) {
                    domain_give_back_body(cloth->levels[l].domain, number, before, what);
                }
            }
            *status = reported;
            return reported.code;
        }
        *status = l == 0 ? reported : *status;
    }
    return status->code;
}

/* A body in place of another, or a new one. */
static StatusCode put(Cloth *cloth, int number, const PolygonMesh *polygons,
                      const BodySurface *surface, const InputBody *before, Status *status) {
    InputBody body;
    if (bodies_read(&cloth->inputs.bodies, polygons, surface, &body, status) < 0) {
        return status->code;
    }
    if (give(cloth, number, &body, before, BODY_MESH, status) < 0) {
        body_free(&body);
        return status->code;
    }
    if (before) {
        body_free(&cloth->inputs.bodies.list[number]);
    }
    cloth->inputs.bodies.list[number] = body;
    cloth_disturb(cloth);
    return body_tell_asymmetric(&cloth->inputs.bodies, number, status);
}

StatusCode cloth_add_body(Cloth *cloth, const PolygonMesh *polygons, const BodySurface *surface,
                          int *body, Status *status) {
    settle_end(cloth);
    *body = -1;
    if (!bodies_grow(&cloth->inputs.bodies)) {
        return status_no_memory(status, "a body");
    }
    StatusCode code = put(cloth, cloth->inputs.bodies.count, polygons, surface, NULL, status);
    *body = code >= 0 ? cloth->inputs.bodies.count++ : -1;
    return code;
}

StatusCode cloth_replace_body(Cloth *cloth, int number, const PolygonMesh *polygons,
                              const BodySurface *surface, Status *status) {
    settle_end(cloth);
    const InputBody before = cloth->inputs.bodies.list[number];
    return put(cloth, number, polygons, surface, &before, status);
}

void cloth_remove_body(Cloth *cloth, int number) {
    settle_end(cloth);
    for (int l = 0; l < LEVELS_MOST; ++l) {
        if (cloth->levels[l].domain) {
            domain_give_back_body(cloth->levels[l].domain, number, NULL, BODY_MESH);
        }
    }
    body_free(&cloth->inputs.bodies.list[number]);
    cloth_disturb(cloth);
}

int cloth_body_vertex_count(const Cloth *cloth, int number) {
    const InputBody *body = bodies_find(&cloth->inputs.bodies, number);
    return body ? body->mesh.polygons.vertex_count : -1;
}

/* To these places, of which there are as many as it has vertices. */
static StatusCode lead(Cloth *cloth, int number, unsigned what, Status *status) {
    InputBody *body = &cloth->inputs.bodies.list[number];
    if (cloth->inputs.bodies.frame) {
        body_measure(&cloth->inputs.bodies, body);
        body->place_asymmetry = what & BODY_PLACE ? body->asymmetry : body->place_asymmetry;
    }
    give(cloth, number, body, body, what, status);
    return body_tell_asymmetric(&cloth->inputs.bodies, number, status);
}

static size_t place_bytes(const InputBody *body) {
    return 3 * (size_t)body->mesh.polygons.vertex_count * sizeof(float);
}

static double diagonal_of(const float *positions, int count) {
    Box box = box_empty();
    for (int v = 0; v < count; ++v) {
        box = box_with_point(box, vector_at(positions, v));
    }
    return count > 0 ? vec3_distance(box.low, box.high) : 0.0;
}

/* Of the cloth's diagonal: a ball that is thrown at it moves farther in a frame than it is large itself. */
#define JUMP_OF_CLOTH 0.5

/* How far a body may move in a step, m; beyond that it jumps. */
static double longest_way(const Cloth *cloth, const InputBody *body) {
    const PolygonMesh *mesh = &cloth->inputs.mesh.polygons;
    double own = diagonal_of(body->place, body->mesh.polygons.vertex_count);
    return fmax(own, JUMP_OF_CLOTH * diagonal_of(mesh->positions, mesh->vertex_count));
}

/* Mean way of the body's vertices to these places, m, where more than half of them jump; else 0. */
static double jump_of(const InputBody *body, const float *positions, double most) {
    int count = body->mesh.polygons.vertex_count, jumping = 0;
    double sum = 0;
    for (int v = 0; v < count; ++v) {
        double way = vec3_distance(vector_at(body->place, v), vector_at(positions, v));
        jumping += way > most;
        sum += way;
    }
    return 2 * jumping > count ? sum / count : 0.0;
}

static StatusCode jump(Cloth *cloth, int number, const float *positions, double way, double most,
                       Status *status) {
    cloth_place_body(cloth, number, positions, status);
    status_next(status, STATUS_WARNING_BODY);
    status_append(status, "body %d jumped %.3g m in one step, and was placed there", number, way);
    Detail *detail = status_detail(status, DETAIL_BODY_JUMPED);
    detail->body = number;
    detail->value = way;
    detail->limit = most;
    return status->code;
}

/* Told again where it is, a body disturbs nothing: callers follow a scene in which little moves. */
StatusCode cloth_move_body(Cloth *cloth, int number, const float *positions, Status *status) {
    InputBody *body = &cloth->inputs.bodies.list[number];
    double most = longest_way(cloth, body), way = jump_of(body, positions, most);
    if (way > 0) {
        return jump(cloth, number, positions, way, most, status);
    }
    if (memcmp(body->target, positions, place_bytes(body)) != 0) {
        cloth_disturb(cloth);
    }
    memcpy(body->target, positions, place_bytes(body));
    return lead(cloth, number, BODY_TARGET, status);
}

StatusCode cloth_place_body(Cloth *cloth, int number, const float *positions, Status *status) {
    settle_end(cloth);
    InputBody *body = &cloth->inputs.bodies.list[number];
    memcpy(body->target, positions, place_bytes(body));
    memcpy(body->place, positions, place_bytes(body));
    cloth_disturb(cloth);
    return lead(cloth, number, BODY_PLACE | BODY_TARGET, status);
}

StatusCode cloth_set_body_surface(Cloth *cloth, int number, const BodySurface *surface,
                                  Status *status) {
    InputBody *body = &cloth->inputs.bodies.list[number];
    const InputBody before = *body;
    body->surface = *surface;
    if (give(cloth, number, body, &before, BODY_SURFACE, status) < 0) {
        body->surface = before.surface;
    }
    cloth_disturb(cloth);
    return status->code;
}
