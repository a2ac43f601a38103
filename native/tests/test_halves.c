/* half_build() in exact mode: the half of a symmetric mesh gives the mesh back to the bit, its maps are inverse to each
 * other, and what is not symmetric is refused with count and place. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "halving.h"
#include "mesh/mesh.h"

#define STEP 0.1 /* m */

static Half half;
static Status status;
static Vec3 positions[MESHES_MOST];
static float carried[3 * MESHES_MOST];

static void expect_refusal(const TestMesh *mesh, const HalfOptions *options, const char *begins,
                           const char *contains) {
    CHECK(half_build(&mesh->polygons, options, &half, &status) < 0);
    if (strncmp(status.message, begins, strlen(begins)) || !strstr(status.message, contains)) {
        CHECK(!"message");
        check_true(0, status.message, begins, 0);
    }
    half_free(&half);
}

static void expect_half(const TestMesh *mesh, const HalfOptions *options, int free, int on_plane) {
    CHECK_INT(half_build(&mesh->polygons, options, &half, &status), STATUS_OK);
    check_maps(&half, &mesh->polygons);
    CHECK_INT(half.plane_from, free);
    CHECK_INT(half.rail_from, half.plane_from);
    CHECK_INT(half.polygons.vertex_count, free + on_plane);
    CHECK_INT(half.mirrored_to_the_bit, 1);
}

/* --- what comes back -------------------------------------------------------------------------- */

static void check_rest(void) {
    TestMesh *mesh = symmetric_sheet(8, 6, STEP);
    mesh_add_uvs(mesh, 1);
    expect_half(mesh, &halve_exactly, 4 * 7, 7);
    CHECK_INT(half.polygons.face_count, 24);
    rest_of(&half, positions);
    half_carry(&half, NULL, positions, carried);
    CHECK(memcmp(carried, mesh->positions, 3 * 63 * sizeof *carried) == 0);
    for (int h = 0; h < half.polygons.vertex_count; ++h) {
        CHECK(half.polygons.positions[3 * h] >= 0);
        CHECK(h == 0 || h == half.plane_from || half.source[h] > half.source[h - 1]);
    }
    int corner = 0; /* UVs are those of the corner's vertex */
    for (int f = 0; f < half.polygons.face_count; ++f) {
        for (int c = 0; c < 4; ++c, ++corner) {
            const float *p = half.polygons.positions + 3 * half.polygons.face_vertices[corner];
            CHECK(half.polygons.corner_uvs[2 * corner] == p[0]);
            CHECK(half.polygons.corner_uvs[2 * corner + 1] == p[1]);
        }
    }
    half_free(&half);
    mesh_free(mesh);
}

/* Any motion of the half comes out as a mirror image of itself, to the bit, velocities too. */
static void check_motion(void) {
    TestMesh *mesh = symmetric_sheet(8, 6, STEP);
    static float speeds[3 * MESHES_MOST];
    expect_half(mesh, &halve_exactly, 28, 7);
    for (int h = 0; h < 35; ++h) {
        positions[h] = random_vector(1);
        positions[h].x = h >= 28 ? 0 : positions[h].x;
    }
    half_carry(&half, NULL, positions, carried);
    half_carry_velocities(&half, positions, speeds);
    CHECK(memcmp(carried, speeds, 3 * 63 * sizeof *carried) == 0); /* the frame is the caller's */
    for (int h = 0; h < 35; ++h) {
        const float *p = carried + 3 * half.source[h], *q = carried + 3 * half.image[h];
        CHECK(p[0] == (float)positions[h].x && p[2] == (float)positions[h].z);
        Vec3 image = frame_reflect_point(&half.frame, vec3(p[0], p[1], p[2]));
        CHECK(q[0] == (float)image.x && q[1] == (float)image.y && q[2] == (float)image.z);
        CHECK(q[0] == -p[0] && q[1] == p[1] && q[2] == p[2]);
    }
    half_free(&half);
    mesh_free(mesh);
}

/* In any plane, given or found; with the other side kept; and for coordinate planes without rounding. */
static void check_planes(void) {
    for (int run = 0; run < 24; ++run) {
        TestMesh *mesh = symmetric_sheet(6, 5, STEP);
        HalfOptions options = halve_exactly;
        if (run < 3) { /* y = 0, z = 0, x = 0 seen from the other side */
            for (int v = 0; v < mesh->polygons.vertex_count && run < 2; ++v) {
                float *p = mesh->positions + 3 * v, x = p[0];
                p[0] = p[1 + run];
                p[1 + run] = x;
            }
            options.plane.normal = vec3(run == 2 ? -1 : 0, run == 0, run == 1);
        } else {
            turn_mesh(mesh, &options.plane);
            options.plane.normal = vec3_scale(run % 2 ? 1 : -2, options.plane.normal);
            options.find = run >= 8;
        }
        expect_half(mesh, &options, 18, 6);
        CHECK_BELOW(rest_error(&half, &mesh->polygons), run < 3 ? 0 : 3e-7);
        for (int v = 0; v < 42 && !options.find; ++v) {
            Vec3 p = polygon_position(&mesh->polygons, v);
            Vec3 from = vec3_sub(p, options.plane.point);
            bool kept = vec3_dot(from, options.plane.normal) > -1e-6;
            CHECK_INT(half.rides[v].mirrored, !kept);
            Vec3 back = frame_from_half(&half.frame, frame_to_half(&half.frame, p));
            CHECK_BELOW(vec3_distance(p, back), 1e-14);
            Vec3 image = frame_reflect_half(frame_to_half(&half.frame, p));
            image = frame_from_half(&half.frame, image);
            CHECK_BELOW(vec3_distance(image, frame_reflect_point(&half.frame, p)), 1e-14);
            Vec3 turned = frame_turn_to_half(&half.frame, p);
            CHECK_NEAR(vec3_length(turned), vec3_length(p), 1e-14);
            CHECK_BELOW(vec3_distance(p, frame_turn_from_half(&half.frame, turned)), 1e-14);
        }
        Vec3 n = half.frame.plane
                     .normal; /* of a plane that was found: its largest coordinate is positive */
        double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
        CHECK(!options.find || (x > y && x > z ? n.x : y > z ? n.y : n.z) > 0);
        half_free(&half);
        mesh_free(mesh);
    }
    /* the caller's own frame, to the bit: signs of zeros too */
    MirrorFrame frame = frame_of_plane((MirrorPlane){{0, 3, 4}, {1, 0, 0}});
    Vec3 p = vec3(-0.0, -0.0, 1.0 / 3), q = frame_to_half(&frame, p);
    CHECK(memcmp(&p, &q, sizeof p) == 0);
    q = frame_turn_from_half(&frame, frame_from_half(&frame, frame_turn_to_half(&frame, p)));
    CHECK(memcmp(&p, &q, sizeof p) == 0);
}

/* The half is cut as the whole is, also where the box decides: a flat grid of squares. */
static void check_cuts(void) {
    TestMesh *mesh = mesh_new();
    for (int v = 0; v < 9 * 7; ++v) {
        mesh_add_vertex(mesh, STEP * (v % 9 - 4), STEP * (v / 9), 0);
    }
    for (int f = 0; f < 48; ++f) {
        int a = f / 8 * 9 + f % 8;
        mesh_add_face(mesh, 4, (const int[]){a, a + 1, a + 10, a + 9});
    }
    expect_half(mesh, &halve_exactly, 28, 7);
    Store store = {0};
    Mesh whole, part;
    CHECK_INT(mesh_build(&mesh->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH},
                         &store, &whole, &status),
              STATUS_OK);
    CHECK_INT(mesh_build(&half.polygons, half.plane_from, &(MeshOptions){.pattern = PATTERN_MESH},
                         &store, &part, &status),
              STATUS_OK);
    CHECK_INT(2 * part.triangle_count, whole.triangle_count);
    int same = 0;
    for (int t = 0; t < part.triangle_count; ++t) {
        for (int w = 0; w < whole.triangle_count; ++w) {
            int agree = 0;
            for (int c = 0; c < 9; ++c) {
                agree += half.source[part.triangles[t].vertices[c / 3]] ==
                         whole.triangles[w].vertices[c % 3];
            }
            same += agree == 3;
        }
    }
    CHECK_INT(same, part.triangle_count);
    store_release(&store);
    half_free(&half);
    mesh_free(mesh);
}

/* --- fronts, ropes, parts --------------------------------------------------------------------- */

/* Two sheets that touch along the plane: distinct vertices there go with their own sheet. */
static void check_touching(void) {
    TestMesh *mesh = mesh_new();
    for (int side = -1; side <= 1; side += 2) {
        int first = mesh->polygons.vertex_count;
        for (int v = 0; v < 12; ++v) { /* the column on the plane has the highest numbers */
            mesh_add_vertex(mesh, side * STEP * (2 - v / 4), 1.1 * STEP * (v % 4),
                            0.01 * (v % 4 + v / 4));
        }
        for (int f = 0; f < 6; ++f) {
            int a = first + f / 3 * 4 + f % 3;
            mesh_add_face(mesh, 4, (const int[]){a, a + 1, a + 5, a + 4});
        }
    }
    expect_half(mesh, &halve_exactly, 12, 0);
    for (int h = 0; h < 12; ++h) {
        CHECK(half.source[h] >= 12 && half.image[h] == half.source[h] - 12);
    }
    CHECK_INT(half.polygons.face_count, 6);
    CHECK_BELOW(rest_error(&half, &mesh->polygons), 0);
    half_free(&half);
    mesh_free(mesh);
}

/* A slit whose edges overlap: some vertices lie beyond the plane, and belong to their own side all the same. */
static void check_overlapping(void) {
    TestMesh *mesh = mesh_new();
    int number[2][7][4];
    for (int side = 0; side < 2; ++side) {
        for (int j = 0; j < 7; ++j) {
            for (int i = 0; i < 4; ++i) {
                double x = i > 0 ? i * STEP : j == 1 ? -0.01 : j == 2 ? 0.01 : 0;
                bool shared = side && i == 0 && j >= 3;
                number[side][j][i] =
                    shared ? number[0][j][i]
                           : mesh_add_vertex(mesh, side ? -x : x, 1.1 * STEP * j, 0.02 * i);
            }
        }
    }
    for (int f = 0; f < 36; ++f) {
        int side = f % 2, j = f / 2 / 3, i = f / 2 % 3;
        const int *low = number[side][j] + i, *high = number[side][j + 1] + i;
        mesh_add_face(mesh, 4, (const int[]){low[0], low[1], high[1], high[0]});
    }
    expect_half(mesh, &halve_exactly, 24, 4);
    CHECK_INT(half.polygons.face_count, 18);
    for (int j = 0; j < 3; ++j) {
        CHECK_INT(half.rides[number[0][j][0]].mirrored, 0);
        CHECK_INT(half.rides[number[1][j][0]].mirrored, 1);
    }
    CHECK_BELOW(rest_error(&half, &mesh->polygons), 0);
    half_free(&half);
    HalfOptions cut = halve_exactly; /* what barely overlaps stays open there too */
    cut.mode = HALF_CUT;
    CHECK_INT(half_build(&mesh->polygons, &cut, &half, &status), STATUS_OK);
    CHECK_INT(half.plane_from, 24);
    CHECK_INT(half.polygons.vertex_count, 28);
    CHECK_INT(half.polygons.face_count, 18);
    CHECK_BELOW(rest_error(&half, &mesh->polygons), 0);
    half_free(&half);
    mesh_free(mesh);
}

/* Ropes: on both sides, and along the plane, where they come last. */
static void check_ropes(void) {
    TestMesh *mesh = symmetric_sheet(4, 4, STEP);
    int left = mesh_add_vertex(mesh, -0.3, 0.1, 0.3), right = mesh_add_vertex(mesh, 0.3, 0.1, 0.3);
    int middle = mesh_add_vertex(mesh, 0, -0.3, 0.1);
    mesh_add_edge(mesh, middle, 2);
    mesh_add_edge(mesh, 4, right);
    mesh_add_edge(mesh, 0, left);
    expect_half(mesh, &halve_exactly, 11, 6);
    CHECK_INT(half.polygons.edge_count, 2);
    CHECK_INT(half.plane_edge_from, 1);
    CHECK_INT(half.source[half.polygons.edges[1]], right);
    CHECK_INT(half.source[half.polygons.edges[2]], middle);
    CHECK_BELOW(rest_error(&half, &mesh->polygons), 0);
    half_free(&half);
    mesh_add_edge(mesh, 0, right);
    expect_refusal(mesh, &halve_exactly, "1 loose edge has no mirror image: loose edge 3 at (0.05",
                   "");
    mesh_add_edge(mesh, 4, left);
    expect_refusal(mesh, &halve_exactly, "2 loose edges lie across the mirror plane: loose edge 3",
                   "loose edge 4");
    mesh_free(mesh);
}

/* A part with no partner at all is left out and listed, and stays as it is; a symmetric one is not. */
static void check_extra(void) {
    TestMesh *mesh = symmetric_sheet(4, 4, STEP);
    int first = mesh_add_vertex(mesh, 0.11, 0.1, 0.2);
    mesh_add_vertex(mesh, 0.16, 0.1, 0.2);
    mesh_add_vertex(mesh, 0.11, 0.17, 0.2);
    mesh_add_triangle(mesh, first, first + 1, first + 2);
    int across = mesh_add_vertex(mesh, 0, 0.1, 0.5); /* a badge with one vertex on the plane */
    mesh_add_vertex(mesh, 0.05, 0.11, 0.5);
    mesh_add_vertex(mesh, -0.07, 0.13, 0.5);
    mesh_add_triangle(mesh, across, across + 1, across + 2);
    expect_half(mesh, &halve_exactly, 10, 5);
    CHECK_INT(half.extra_count, 6);
    for (int k = 0; k < 6; ++k) {
        CHECK_INT(half.extra[k], first + k);
    }
    rest_of(&half, positions);
    memset(carried, 0, sizeof carried);
    half_carry(&half, NULL, positions, carried);
    CHECK(memcmp(carried, mesh->positions, 75 * sizeof *carried) == 0);
    CHECK(carried[3 * first] == 0);
    half_free(&half);
    mesh_free(mesh);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void check_unpaired(void) {
    TestMesh *mesh = symmetric_sheet(4, 4, STEP);
    mesh->positions[3 * 9 + 2] += 0.03f;
    expect_refusal(mesh, &halve_exactly, "2 vertices have no mirror image: vertex 5 at (-0.2, ",
                   "vertex 9 at (0.2, ");
    for (int v = 0; v < 25; ++v) {
        mesh->positions[3 * v + 2] += (float)(0.1 * mesh->positions[3 * v]);
    }
    expect_refusal(mesh, &halve_exactly, "20 vertices have no mirror image, and no part", ", ...");
    for (int v = 0; v < 25; ++v) {
        mesh->positions[3 * v] += 0.03f;
    }
    expect_refusal(mesh, &halve_exactly, "25 vertices have no mirror image, and no part",
                   "vertex 2");
    mesh_free(mesh);
}

static void check_faces(void) {
    TestMesh *mesh = symmetric_sheet(4, 4, STEP);
    mesh_add_triangle(mesh, 0, 1, 7);
    expect_refusal(mesh, &halve_exactly, "1 face has no mirror image: face 16 at (-0.1", "");
    mesh_add_triangle(mesh, 4, 3, 7);
    mesh_add_triangle(mesh, 2, 7, 12);
    expect_refusal(mesh, &halve_exactly, "1 face lies in the mirror plane: face 18 at (0, ", "");
    mesh_free(mesh);
    mesh = symmetric_sheet(5, 4, STEP);
    expect_refusal(mesh, &halve_exactly, "4 faces lie across the mirror plane: face 2 at (0, ",
                   "face 12 at");
    mesh_free(mesh);
}

static void check_differing_cuts(void) {
    TestMesh *mesh = mesh_new(); /* the middle column of a grid of squares, mirrored across y */
    HalfOptions options = halve_exactly;
    options.plane.normal = vec3(0, 1, 0);
    for (int v = 0; v < 4 * 5; ++v) {
        mesh_add_vertex(mesh, STEP * (v % 4), STEP * (v / 4 - 2), 0);
    }
    for (int f = 0; f < 12; ++f) {
        int a = f / 3 * 4 + f % 3;
        mesh_add_face(mesh, 4, (const int[]){a, a + 1, a + 5, a + 4});
    }
    expect_refusal(mesh, &options,
                   "4 faces are cut into triangles otherwise than their mirror images: face 1 at "
                   "(0.15, -0.15",
                   "");
    mesh_free(mesh);
}

static void check_misplaced(void) {
    TestMesh *mesh = symmetric_sheet(4, 4, STEP);
    HalfOptions options = halve_exactly;
    options.plane.point.x = 1;
    expect_refusal(mesh, &options, "the mirror plane misses the mesh: all 25 vertices",
                   "at -1.2 to -0.8 m");
    options.plane.point.x = -1;
    expect_refusal(mesh, &options, "the mirror plane misses the mesh", "at 0.8 to 1.2 m");
    options.plane.point.x = NAN;
    expect_refusal(mesh, &options, "the plane has the point", "");
    options = halve_exactly;
    options.tolerance = 1;
    expect_refusal(mesh, &options, "tolerance is 1 m", "");
    for (int v = 0; v < 25; ++v) {
        const float *p = mesh->positions + 3 * v;
        mesh_add_vertex(mesh, p[0], p[1], p[2]);
    }
    for (int f = 0; f < 16; ++f) {
        int a = 25 + f / 4 * 5 + f % 4;
        mesh_add_face(mesh, 4, (const int[]){a, a + 1, a + 6, a + 5});
    }
    expect_refusal(mesh, &halve_exactly, "all 50 vertices are there twice",
                   "vertex 0 and vertex 25");
    mesh_free(mesh);
}

int main(void) {
    random_start(5);
    check_rest();
    check_motion();
    check_planes();
    check_cuts();
    check_touching();
    check_overlapping();
    check_ropes();
    check_extra();
    check_unpaired();
    check_faces();
    check_differing_cuts();
    check_misplaced();
    return check_result();
}
