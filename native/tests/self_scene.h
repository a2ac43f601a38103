/* Cloth that meets itself, without the solver around it. */
#pragma once

#include <stdlib.h>

#include "check.h"
#include "contact/self/self_contact.h"
#include "meshes.h"

#define MOST 4000
#define LENGTH (1.0 / 480) /* of a substep, s */

typedef struct Scene {
    Store store;
    Mesh mesh;
    Skin skin;
    SelfContactFinder self;
    Contacts contacts;
    Pool *pool;
    Vec3 x[MOST], z[MOST];
} Scene;

/* At rest. Takes the mesh. */
static inline Scene *scene_open(TestMesh *mesh, int threads) {
    Scene *scene = calloc(1, sizeof *scene);
    Status status;
    double mass[MOST];
    CHECK(mesh_build(&mesh->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH},
                     &scene->store, &scene->mesh, &status) >= 0);
    CHECK_INT(skin_build(&scene->skin, &scene->mesh, SKIN_OWN_CUTS, &scene->store, &status),
              STATUS_OK);
    CHECK_INT(self_contact_build(&scene->self, &scene->skin, &status), STATUS_OK);
    CHECK_INT(contacts_build(&scene->contacts, scene->skin.vertex_count, scene->skin.vertex_count,
                             &status),
              STATUS_OK);
    scene->pool = pool_create(threads);
    for (int v = 0; v < scene->skin.vertex_count; ++v) {
        mass[v] = 1e-4;
        scene->x[v] = scene->z[v] = scene->skin.rest[v];
    }
    contacts_set_masses(&scene->contacts, mass);
    mesh_free(mesh);
    return scene;
}

static inline void scene_close(Scene *scene) {
    self_contact_destroy(&scene->self);
    contacts_destroy(&scene->contacts);
    store_release(&scene->store);
    pool_destroy(scene->pool);
    free(scene);
}

/* The contacts of a substep from x to z. */
static inline void find(Scene *scene, double thickness, double slack) {
    contacts_begin(&scene->contacts, NULL, scene->x, &(Flight){0}, LENGTH);
    self_contact_begin(&scene->self, scene->pool, scene->x, NULL, scene->z, thickness, slack,
                       LENGTH);
    self_contact_find(&scene->self, scene->pool, scene->z, 0.3, &scene->contacts);
    contacts_close(&scene->contacts, scene->pool, scene->z);
}

static inline Vec3 sum_of(const Contact *contact, const Vec3 *at) {
    Vec3 sum = {0, 0, 0};
    for (int j = 0; j < contact->count; ++j) {
        sum = vec3_madd(sum, contact->weights[j], at[contact->vertices[j]]);
    }
    return sum;
}

static inline double gap_of(const Contact *contact, const Vec3 *z) {
    return vec3_dot(contact->normal, sum_of(contact, z)) - contact->shell;
}

/* Two grids of n x n vertices, `height` apart, the upper one turned a little so that nothing is in line. */
static inline TestMesh *two_sheets(int n, double width, double height) {
    TestMesh *mesh = mesh_grid(GRID_ALTERNATING, n, n, width);
    double step = width / (n - 1);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            double u = i * step - 0.5 * width, v = j * step - 0.5 * width;
            mesh_add_vertex(mesh, 0.5 * width + 0.95 * u + 0.3 * v,
                            0.5 * width - 0.3 * u + 0.95 * v, height);
        }
    }
    int faces = mesh->polygons.face_count;
    for (int f = 0; f < faces; ++f) {
        const int32_t *v = mesh->face_vertices + 3 * f;
        mesh_add_triangle(mesh, v[0] + n * n, v[1] + n * n, v[2] + n * n);
    }
    return mesh;
}
