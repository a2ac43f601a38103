/* The bodies of a cloth: from the caller's polygons to moving triangles. */
#include "contact/body/collider.h"
#include "simulation/simulation_internal.h"

/* A new body, or a new mesh for one. */
static StatusCode put_body(Simulation *simulation, int number, const BodyInputs *body,
                           Status *status) {
    BodyMesh mesh;
    StatusCode code = body_mesh_read(body->polygons, &mesh, status);
    if (code != STATUS_OK) {
        return code;
    }
    ColliderDefinition definition = {.vertex_count = body->polygons->vertex_count,
                                     .triangle_count = mesh.triangle_count,
                                     .positions = mesh.positions,
                                     .triangles = mesh.triangles,
                                     .thickness = body->surface.thickness,
                                     .friction = body->surface.friction};
    code = contact_world_put_body(&simulation->world, number, &definition, status);
    body_mesh_free(&mesh);
    if (code != STATUS_OK) {
        return code;
    }
    const Collider *collider = &contact_world_body(&simulation->world, number)->collider;
    status_clear(status);
    warn_of(collider->skipped, "triangles of the body name a vertex twice and are left out",
            DETAIL_BODY_REPEATED_VERTEX, status);
    warn_of(collider->flat, "triangles of the body have no area", DETAIL_BODY_FLAT, status);
    warn_of(collider->turned, "parts of the body were inside out and are turned",
            DETAIL_BODY_TURNED, status);
    warn_of(links_release_body(simulation, number),
            "tacks were on vertices that the body no longer has, and are released",
            DETAIL_BODY_TACKS, status);
    return status->code;
}

static void read_places(const Body *body, const float *from, Vec3 *to) {
    for (int v = 0; v < body->collider.vertex_count; ++v) {
        to[v] = vector_at(from, v);
    }
}

StatusCode simulation_set_body(Simulation *simulation, int number, const BodyInputs *body,
                               unsigned what, Status *status) {
    ContactWorld *world = &simulation->world;
    StatusCode code = STATUS_OK;
    if (what & BODY_MESH) {
        code = put_body(simulation, number, body, status);
    } else if (what & BODY_SURFACE) {
        code = contact_world_set_surface(world, number, body->surface.thickness,
                                         body->surface.friction, status);
    }
    const Body *found = contact_world_body(world, number);
    if (code >= 0 && what & BODY_PLACE) {
        read_places(found, body->place, found->place);
        world->measured = 0;
    }
    if (code >= 0 && what & BODY_TARGET) {
        read_places(found, body->target, found->target);
    }
    return code;
}

void simulation_drop_body(Simulation *simulation, int number) {
    contact_world_remove_body(&simulation->world, number);
    links_release_body(simulation, number);
}

bool simulation_bodies_move(const Simulation *simulation) {
    const ContactWorld *world = &simulation->world;
    for (int b = 0; b < world->body_count; ++b) {
        const Body *body = world->bodies[b];
        for (int v = 0; body && v < body->collider.vertex_count; ++v) {
            if (is_elsewhere(body->place[v], body->target[v])) {
                return true;
            }
        }
    }
    return false;
}

void simulation_expel_points(Simulation *simulation, Pool *pool, double reach, int count,
                             OutsideHint *hints, Vec3 *points) {
    contact_world_keep_out(&simulation->world, pool, reach, count, hints, points);
}

void simulation_place_bodies(Simulation *simulation) { contact_world_stand(&simulation->world); }
