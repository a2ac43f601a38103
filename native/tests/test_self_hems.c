/* Hems lie on themselves at rest: that is no contact, unless they are pierced or come nearer. */
#include <math.h>

#include "self_scene.h"

/* A hem: a sheet of 8 cm that is folded back on itself at rest, 3 mm above. */
static Vec3 hem_at(double along, double across, double gap) {
    double bow = 0.5 * M_PI * gap, length = 0.5 * (0.08 - bow),
           angle = (along - length) / (0.5 * gap);
    return along < length ? vec3(along, across, 0)
           : along > length + bow
               ? vec3(0.08 - along, across, gap)
               : vec3(length + 0.5 * gap * sin(angle), across, 0.5 * gap * (1 - cos(angle)));
}

#define ALONG 41
#define ACROSS 11

/* With a vertex of the upper layer this much too low. */
static TestMesh *hem(double dent) {
    TestMesh *mesh = mesh_new();
    for (int v = 0; v < ALONG * ACROSS; ++v) {
        Vec3 at = hem_at(0.002 * (v % ALONG), 0.004 * (v / ALONG), 0.003);
        mesh_add_vertex(mesh, at.x, at.y, at.z - (v == 5 * ALONG + 32 ? dent : 0));
    }
    for (int v = 0; v < ALONG * (ACROSS - 1); ++v) {
        if (v % ALONG < ALONG - 1) {
            mesh_add_triangle(mesh, v, v + 1, v + ALONG + 1);
            mesh_add_triangle(mesh, v, v + ALONG + 1, v + ALONG);
        }
    }
    return mesh;
}

/* One that is modelled through itself is to come undone. */
static void check_pierced_hem(void) {
    for (int pierced = 0; pierced < 2; ++pierced) {
        Scene *scene = scene_open(hem(pierced ? 0.0041 : 0), 1);
        find(scene, 0.004, 0.002);
        CHECK(pierced ? scene->self.piercings > 0 : scene->self.piercings == 0);
        scene_close(scene);
    }
}

/* A hem that is only carried about is not looked at; one whose layers come nearer is. */
static void check_hem(void) {
    Scene *scene = scene_open(hem(0), 1);
    for (int v = 0; v < ALONG * ACROSS; ++v) { /* turned about, a long way on */
        Vec3 at = scene->skin.rest[v];
        scene->x[v] = vec3(at.y + 0.3, at.z - 0.2, at.x + 1);
        scene->z[v] = vec3(0.6 * at.x - 0.8 * at.z, at.y + 0.4, 0.8 * at.x + 0.6 * at.z);
    }
    find(scene, 0.004, 0.002);
    CHECK_INT(scene->contacts.count, 0);
    int carried = scene->self.pairs.count;
    for (int v = 0; v < ALONG * ACROSS; ++v) {
        scene->x[v] = scene->skin.rest[v];
        scene->z[v] = hem_at(0.002 * (v % ALONG), 0.004 * (v / ALONG), 0.0018);
    }
    find(scene, 0.004, 0.002);
    CHECK(scene->self.pairs.count > 1000 && carried < scene->self.pairs.count / 10);
    CHECK(scene->contacts.count > 200);
    scene_close(scene);
}

int main(void) {
    check_hem();
    check_pierced_hem();
    return check_result();
}
