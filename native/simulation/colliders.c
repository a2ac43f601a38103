/* The bodies of a cloth: from the caller's polygons to moving triangles. */
#include "contact/body/collider.h"
#include "simulation/simulation_internal.h"

static void warn_of(int count, const char *words, DetailCode code, Status *status) {
    if (count > 0) {
        status_next(status, STATUS_WARNING_MESH);
        status_append(status, "%d %s", count, words);
        status_name_count(status, code, count);
    }
}

static void warn_of_faces(const Collider *collider, Status *status) {
    warn_of(collider->skipped, "triangles of the body name a vertex twice and are left out",
            DETAIL_BODY_REPEATED_VERTEX, status);
    warn_of(collider->flat, "triangles of the body have no area", DETAIL_BODY_FLAT, status);
    warn_of(collider->turned, "parts of the body were inside out and are turned",
            DETAIL_BODY_TURNED, status);
}

void simulation_place_body(Simulation *simulation, int body, const float *positions) {
    Body *found = surroundings_body(&simulation->around, body);
    simulation_move_body(simulation, body, positions);
    for (int v = 0; v < found->collider.vertex_count; ++v) {
        found->place[v] = found->target[v];
    }
    simulation->around.measured = 0;
}

/* Takes number *body if that exists, else gives it one. */
static StatusCode put_body(Simulation *simulation, const PolygonMesh *polygons,
                           const BodySurface *surface, int *body, Status *status) {
    BodyMesh mesh;
    StatusCode code = body_mesh_read(polygons, &mesh, status);
    if (code != STATUS_OK) {
        return code;
    }
    ColliderDefinition definition = {.vertex_count = polygons->vertex_count,
                                     .triangle_count = mesh.triangle_count,
                                     .positions = mesh.positions,
                                     .triangles = mesh.triangles,
                                     .thickness = surface->thickness,
                                     .friction = surface->friction};
    code = surroundings_body(&simulation->around, *body)
               ? surroundings_replace_body(&simulation->around, *body, &definition, status)
               : surroundings_add_body(&simulation->around, &definition, body, status);
    body_mesh_free(&mesh);
    if (code == STATUS_OK) {
        status_clear(status);
        warn_of_faces(&surroundings_body(&simulation->around, *body)->collider, status);
    }
    return code == STATUS_OK ? status->code : code;
}

StatusCode simulation_add_body(Simulation *simulation, const PolygonMesh *polygons,
                               const BodySurface *surface, int *body, Status *status) {
    *body = -1;
    return put_body(simulation, polygons, surface, body, status);
}

StatusCode simulation_replace_body(Simulation *simulation, int body, const PolygonMesh *polygons,
                                   const BodySurface *surface, Status *status) {
    StatusCode code = put_body(simulation, polygons, surface, &body, status);
    if (code >= 0) {
        warn_of(links_leave_body(simulation, body),
                "tacks were on vertices that the body has no more, and are released",
                DETAIL_BODY_TACKS, status);
    }
    return status->code;
}

void simulation_remove_body(Simulation *simulation, int body) {
    surroundings_remove_body(&simulation->around, body);
    links_leave_body(simulation, body);
}

int simulation_body_vertex_count(const Simulation *simulation, int body) {
    const Body *found = surroundings_body(&simulation->around, body);
    return found ? found->collider.vertex_count : -1;
}

void simulation_move_body(Simulation *simulation, int body, const float *positions) {
    Body *found = surroundings_body(&simulation->around, body);
    for (int v = 0; v < found->collider.vertex_count; ++v) {
        found->target[v] = read_vec3(positions, v);
    }
}

bool simulation_bodies_move(const Simulation *simulation) {
    const Surroundings *around = &simulation->around;
    for (int b = 0; b < around->body_count; ++b) {
        const Body *body = around->bodies[b];
        for (int v = 0; body && v < body->collider.vertex_count; ++v) {
            if (is_elsewhere(body->place[v], body->target[v])) {
                return true;
            }
        }
    }
    return false;
}

StatusCode simulation_set_body_surface(Simulation *simulation, int body, const BodySurface *surface,
                                       Status *status) {
    return surroundings_set_surface(&simulation->around, body, surface->thickness,
                                    surface->friction, status);
}

void simulation_keep_out(Simulation *simulation, Pool *pool, double reach, int count,
                         OutsideHint *hints, Vec3 *points) {
    surroundings_keep_out(&simulation->around, pool, reach, count, hints, points);
}

void simulation_stand_bodies(Simulation *simulation) { surroundings_stand(&simulation->around); }

const ContactReport *simulation_contacts(const Simulation *simulation) {
    return &simulation->around.report;
}
