/* Air in closed surfaces: volumes, forces as the derivative of the energy, whole and by half, and what is no chamber. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "laws/pressure.h"
#include "rig.h"

#define MOST 64

static const double radius = 0.4; /* m */

/* An octahedron about `centre`, its faces seen from outside or, reversed, from inside. Vertices that lie in x = 0 come
 * last. With `half` the side x >= 0 alone. */
static void add_octahedron(TestMesh *mesh, Vec3 centre, bool reversed, bool half) {
    static const double tips[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                      {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    int number[6];
    for (int t = 0; t < 6; ++t) {
        bool left_out = half && t == 1;
        number[t] = left_out ? -1
                             : mesh_add_vertex(mesh, centre.x + radius * tips[t][0],
                                               centre.y + radius * tips[t][1],
                                               centre.z + radius * tips[t][2]);
    }
    for (int sides = 0; sides < 8; ++sides) {
        int x = sides & 1, y = 2 + (sides >> 1 & 1), z = 4 + (sides >> 2 & 1);
        bool odd = (x + (y - 2) + (z - 4)) % 2 != 0;
        int face[3] = {number[x], number[odd != reversed ? z : y], number[odd != reversed ? y : z]};
        if (face[0] >= 0) {
            mesh_add_face(mesh, 3, face);
        }
    }
}

static Material air_alone(double pressure, double stiffness) {
    return (Material){.density = 0.2, .pressure = pressure, .volume_stiffness = stiffness};
}

static const PressureLaw *chambers_of(const Rig *rig) {
    return (const PressureLaw *)laws_find(&rig->system.laws, &pressure_kind);
}

/* Forces of the rows, or of the parcels. */
static void forces_at(Rig *rig, bool parcels, const Vec3 *x, Vec3 *force) {
    if (parcels) {
        system_evaluate(&rig->system, x, x);
    } else {
        system_local_step(&rig->system, &(Guess){.z = x, .present = x});
    }
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        force[v] = system_force(&rig->system, v);
    }
}

static void check_derivative(Rig *rig, const Vec3 *x) {
    const double step = 1e-5; /* m */
    Vec3 force[MOST], moved[MOST];
    for (int parcels = 0; parcels < 2; ++parcels) {
        forces_at(rig, parcels, x, force);
        for (int c = 0; c < 3 * rig->mesh.vertex_count; ++c) {
            double energy[2];
            for (int side = 0; side < 2; ++side) {
                memcpy(moved, x, sizeof moved);
                ((double *)moved)[c] += side ? step : -step;
                energy[side] = system_elastic_energy(&rig->system, moved);
            }
            double slope = (energy[1] - energy[0]) / (2 * step);
            CHECK_NEAR(((const double *)force)[c], -slope, 1e-4);
        }
    }
}

/* Two chambers, one of them inside out, and an open sheet. */
static void check_whole(double pressure, double stiffness) {
    TestMesh *mesh = mesh_new();
    add_octahedron(mesh, vec3(0.1, 0.2, 0.3), false, false);
    add_octahedron(mesh, vec3(2, 0, 0), true, false);
    int open[3] = {mesh_add_vertex(mesh, 5, 0, 0), mesh_add_vertex(mesh, 6, 0, 0),
                   mesh_add_vertex(mesh, 5, 1, 0)};
    mesh_add_face(mesh, 3, open);
    Material material = air_alone(pressure, stiffness);
    SystemOptions options = {.model = MODEL_TRIANGLE, .air = true};
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    const PressureLaw *law = chambers_of(&rig);
    CHECK_INT(law->chamber_count, 2);
    CHECK_INT(law->law.count, 16);
    for (int k = 0; k < 2; ++k) {
        CHECK_NEAR(law->chambers[k].rest_volume, 4.0 / 3.0 * pow(radius, 3), 1e-7);
    }
    Vec3 x[MOST] = {{0}}, force[MOST];
    rig_state(&rig, 1.1, 0.03, x);
    check_derivative(&rig, x);
    forces_at(&rig, true, x, force);
    Vec3 sum = vec3(0, 0, 0), torque = vec3(0, 0, 0);
    double most = 0;
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        sum = vec3_add(sum, force[v]);
        torque = vec3_add(torque, vec3_cross(x[v], force[v]));
        most = fmax(most, vec3_length(force[v]));
    }
    CHECK(most > 1);
    CHECK_NEAR(vec3_length(sum), 0, 1e-11 * most);
    CHECK_NEAR(vec3_length(torque), 0, 1e-11 * most);
    for (int c = 0; c < 3; ++c) { /* no air holds the sheet */
        CHECK_NEAR(vec3_length(force[open[c]]), 0, 0);
    }
    rig_close(&rig);
    mesh_free(mesh);
}

/* Half a chamber has half of the volume, and forces along the plane as the whole has them. */
static void check_half(void) {
    TestMesh *whole = mesh_new(), *half = mesh_new();
    Material material = air_alone(80, 500);
    SystemOptions options = {.model = MODEL_TRIANGLE, .air = true};
    Rig rig, halved;
    Vec3 x[MOST] = {{0}}, y[MOST] = {{0}}, force[MOST], other[MOST];
    add_octahedron(whole, vec3(0, 0, 0), false, false);
    add_octahedron(half, vec3(0, 0, 0), false, true);
    rig_open(&rig, whole, &options, &material);
    rig_open_half(&halved, half, 1, &options, &material);
    CHECK_INT(chambers_of(&halved)->chamber_count, 1);
    CHECK_NEAR(chambers_of(&halved)->chambers[0].rest_volume,
               0.5 * chambers_of(&rig)->chambers[0].rest_volume, 1e-12);
    for (int v = 0; v < 6; ++v) { /* its own image */
        x[v] = vec3_add(rig.mesh.rest[v], vec3(0, v > 1 ? 0.02 * v : 0, v > 1 ? 0.03 : 0.01));
    }
    y[0] = x[0];
    memcpy(y + 1, x + 2, 4 * sizeof *y);
    forces_at(&rig, true, x, force);
    forces_at(&halved, true, y, other);
    CHECK_NEAR(2 * system_elastic_energy(&halved.system, y), system_elastic_energy(&rig.system, x),
               1e-12);
    for (int v = 0; v < 5; ++v) {
        Vec3 expected = force[v == 0 ? 0 : v + 1];
        double part = v == 0 ? 1 : 2; /* those in the plane are half here */
        CHECK_NEAR(part * other[v].y, expected.y, 1e-12);
        CHECK_NEAR(part * other[v].z, expected.z, 1e-12);
    }
    CHECK_NEAR(other[0].x, force[0].x, 1e-12);
    rig_close(&rig);
    rig_close(&halved);
    mesh_free(whole);
    mesh_free(half);
}

/* A tip that is missing opens it; a face that is turned does, too. */
static void check_open(void) {
    for (int turned = 0; turned < 2; ++turned) {
        TestMesh *mesh = mesh_new();
        add_octahedron(mesh, vec3(0, 0, 0), false, false);
        if (turned) {
            int swapped = mesh->face_vertices[0];
            mesh->face_vertices[0] = mesh->face_vertices[1];
            mesh->face_vertices[1] = swapped;
        } else {
            --mesh->polygons.face_count;
        }
        Status status = {0};
        CHECK_INT(mesh_check_closed(&mesh->polygons, 0, &status), STATUS_ERROR_MESH);
        Material material = air_alone(80, 0);
        SystemOptions options = {.model = MODEL_TRIANGLE, .air = true};
        Rig rig;
        rig_open(&rig, mesh, &options, &material);
        CHECK_INT(chambers_of(&rig)->chamber_count, 0);
        rig_close(&rig);
        mesh_free(mesh);
    }
}

int main(void) {
    check_whole(120, 0);
    check_whole(0, 3000);
    check_whole(-40, 900);
    check_half();
    check_open();
    return check_result();
}
