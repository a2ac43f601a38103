/* The imperfection that lets pressed cloth buckle: nothing where cloth is not pressed, across it and too small to see
 * where it is, the same in half a mirrored cloth, and no matter what else there is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "rig.h"

#define NX 13
#define NY 9
#define COUNT (NX * NY)
#define WIDTH 0.6 /* m */
#define MOST (2 * COUNT)

typedef struct Moved {
    Rig rig;
    Imperfection imperfection;
    Vec3 x[MOST], z[MOST];
    bool any;
} Moved;

/* A sheet about x = 0, y = 0, in the plane z = 0. */
static TestMesh *sheet(GridKind kind) {
    TestMesh *mesh = mesh_grid(kind, NX, NY, WIDTH);
    for (int v = 0; v < COUNT; ++v) {
        mesh->positions[3 * v] = (float)(WIDTH * (v % NX - NX / 2) / (NX - 1));
    }
    return mesh;
}

/* The way of all vertices of a mesh that is shortened or drawn out along x and y. */
static void move(Moved *moved, const TestMesh *mesh, int plane_from, double along_x,
                 double along_y) {
    const SystemOptions options = {.model = MODEL_TRIANGLE};
    const Material material = rig_material();
    if (plane_from < 0) {
        rig_open(&moved->rig, mesh, &options, &material);
    } else {
        rig_open_half(&moved->rig, mesh, plane_from, &options, &material);
    }
    Rig *rig = &moved->rig;
    CHECK_INT(imperfection_build(&moved->imperfection, &rig->system, &rig->store, &rig->status), 0);
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        Vec3 rest = rig->mesh.rest[v];
        moved->x[v] = moved->z[v] = vec3(along_x * rest.x, along_y * rest.y, rest.z);
    }
    moved->any = imperfection_add(&moved->imperfection, moved->x, moved->z);
}

static void check_what_is_not_pressed(GridKind kind) {
    const double stretches[][2] = {{1, 1}, {1.05, 1}, {1, 1.2}, {0.9985, 1}, {1.1, 0.9985}};
    TestMesh *mesh = sheet(kind);
    for (int c = 0; c < (int)(sizeof stretches / sizeof *stretches); ++c) {
        static Moved moved;
        move(&moved, mesh, -1, stretches[c][0], stretches[c][1]);
        CHECK(!moved.any);
        CHECK(memcmp(moved.x, moved.z, COUNT * sizeof(Vec3)) == 0);
        rig_close(&moved.rig);
    }
    mesh_free(mesh);
}

static void check_what_is_pressed(GridKind kind, double along_x, double along_y) {
    static Moved moved;
    TestMesh *mesh = sheet(kind);
    move(&moved, mesh, -1, along_x, along_y);
    double largest = 0, least = 0, shortest = INFINITY;
    for (int e = 0; e < moved.rig.mesh.edge_count; ++e) {
        shortest = fmin(shortest, moved.rig.mesh.edges[e].rest_length);
    }
    for (int v = 0; v < COUNT; ++v) {
        Vec3 way = vec3_sub(moved.z[v], moved.x[v]);
        CHECK(way.x == 0 && way.y == 0); /* the sheet is flat */
        largest = fmax(largest, way.z);
        least = fmin(least, way.z);
    }
    CHECK(moved.any);
    CHECK_BELOW(fmax(largest, -least), 2e-3 * shortest);
    CHECK_BELOW(1e-4 * shortest, largest - least); /* no mere shift */
    rig_close(&moved.rig);
    mesh_free(mesh);
}

/* Held vertices stay, whatever presses. */
static void check_held(void) {
    static Moved moved;
    TestMesh *mesh = sheet(GRID_ALTERNATING);
    move(&moved, mesh, -1, 0.9, 1);
    moved.rig.system.held[40] = 1;
    memcpy(moved.z, moved.x, sizeof moved.z);
    imperfection_add(&moved.imperfection, moved.x, moved.z);
    CHECK(moved.z[40].z == moved.x[40].z);
    CHECK(moved.z[41].z != moved.x[41].z);
    rig_close(&moved.rig);
    mesh_free(mesh);
}

/* Sizes are lengths at rest: shrunk cloth that is as short as they say is not pressed. */
static void check_sizes(void) {
    static Moved moved;
    TestMesh *mesh = sheet(GRID_ALTERNATING);
    move(&moved, mesh, -1, 0.8, 0.8);
    CHECK(moved.any);
    for (int v = 0; v < COUNT; ++v) {
        moved.rig.system.maps[MAP_SIZE][v] = 0.8;
    }
    moved.rig.system.resized = true;
    CHECK(!imperfection_add(&moved.imperfection, moved.x, moved.z));
    rig_close(&moved.rig);
    mesh_free(mesh);
}

/* A roof over x = 0, of quads: half of it moves as the whole does, and each side as the other's image. */
static void check_half(void) {
    static Moved whole, half;
    TestMesh *mesh = sheet(GRID_QUADS);
    for (int v = 0; v < COUNT; ++v) {
        mesh->positions[3 * v + 2] = 0.3F * fabsf(mesh->positions[3 * v]);
    }
    int number[COUNT], plane_from;
    TestMesh *side = mesh_half(mesh, number, &plane_from);
    move(&whole, mesh, -1, 0.9, 0.95);
    move(&half, side, plane_from, 0.9, 0.95);
    for (int v = 0; v < COUNT; ++v) {
        int image = v - v % NX + NX - 1 - v % NX;
        Vec3 a = whole.z[v], b = whole.z[image];
        CHECK_BELOW(vec3_distance(a, vec3(-b.x, b.y, b.z)), 1e-15);
        if (number[v] >= 0) {
            CHECK_BELOW(vec3_distance(a, half.z[number[v]]), 1e-15);
        }
    }
    rig_close(&whole.rig);
    rig_close(&half.rig);
    mesh_free(mesh);
    mesh_free(side);
}

/* Another sheet 3 m away changes nothing, to the byte. */
static void check_other_component(void) {
    static Moved alone, both;
    TestMesh *mesh = sheet(GRID_IRREGULAR);
    move(&alone, mesh, -1, 0.9, 0.95);
    for (int v = 0; v < COUNT; ++v) {
        const float *at = mesh->positions + 3 * v;
        mesh_add_vertex(mesh, 0.7 * at[0] + 3, at[1], at[2] + 1);
    }
    int faces = mesh->polygons.face_count;
    for (int f = 0; f < faces; ++f) {
        const int32_t *corner = mesh->face_vertices + 3 * f;
        mesh_add_triangle(mesh, corner[0] + COUNT, corner[1] + COUNT, corner[2] + COUNT);
    }
    move(&both, mesh, -1, 0.9, 0.95);
    CHECK(memcmp(alone.z, both.z, COUNT * sizeof(Vec3)) == 0);
    rig_close(&alone.rig);
    rig_close(&both.rig);
    mesh_free(mesh);
}

int main(void) {
    const GridKind kinds[] = {GRID_ALTERNATING, GRID_PARALLEL, GRID_IRREGULAR};
    for (int k = 0; k < 3; ++k) {
        check_what_is_not_pressed(kinds[k]);
        check_what_is_pressed(kinds[k], 0.9, 1);
        check_what_is_pressed(kinds[k], 1, 0.98);
        check_what_is_pressed(kinds[k], 0.7, 1.3);
    }
    check_held();
    check_sizes();
    check_half();
    check_other_component();
    return check_result();
}
