/* Hems lie on themselves at rest: that is no contact, unless they are pierced or come nearer. Nor do faces meet that a seam
 * joins. */
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

/* Which faces a seam joins: those at stitched vertices, at knots of several, and beside points between two. */
static void check_seams(void) {
    /* 0-1-2 and 3-4-5 are borders; 6 is a third piece's corner; 7 is apart */
    const SewnPair pairs[] = {
        {0, {3, -1}},
        {3, {6, -1}},
        {1, {3, 4}},
        {2, {5, -1}},
    };
    Store store = {0};
    Status status;
    Sewn sewn;
    status_clear(&status);
    CHECK_INT(sewn_build(&sewn, 12, 4, pairs, &store, &status), STATUS_OK);
    const int at_0[3] = {0, 8, 9}, at_6[3] = {6, 10, 11}, at_1[3] = {1, 8, 9};
    const int at_3[3] = {3, 10, 11}, at_4[3] = {4, 10, 11}, at_5[3] = {5, 10, 11};
    const int at_7[3] = {7, 10, 11}, beside_0[3] = {0, 9, 8}, at_2[3] = {9, 8, 2};
    CHECK(sewn_together(&sewn, at_0, at_3));
    CHECK(sewn_together(&sewn, at_0, at_6)); /* by way of 3 */
    CHECK(sewn_together(&sewn, at_1, at_3));
    CHECK(sewn_together(&sewn, at_4, at_1));
    CHECK(sewn_together(&sewn, at_1, at_6)); /* 6 is where 3 is */
    CHECK(sewn_together(&sewn, at_2, at_5));
    CHECK(!sewn_together(&sewn, at_2, at_4));
    CHECK(!sewn_together(&sewn, at_0, at_4));
    CHECK(!sewn_together(&sewn, at_0, at_7));
    CHECK(!sewn_together(&sewn, at_0, beside_0)); /* one vertex is no seam */
    store_release(&store);
}

int main(void) {
    check_hem();
    check_pierced_hem();
    check_seams();
    return check_result();
}
