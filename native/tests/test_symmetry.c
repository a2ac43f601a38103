/* symmetry_find(): every vertex finds the partner it was made with, in any order, plane and place, doubled or
 * not; and what is not symmetric is counted where it is not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "meshes.h"
#include "mirror/symmetry/mirror_plane.h"
#include "mirror/symmetry/symmetry.h"

#define ROWS 9
#define COLUMNS 6
#define MOST (4 * ROWS * COLUMNS)
#define STEP 0.1 /* m between vertices */

static Symmetry symmetry;
static Status status;
static int32_t partners[MESHES_MOST], face_partners[MESHES_MOST];

static const SymmetryOptions across_x = {.plane = {{0, 0, 0}, {1, 0, 0}}};
static const SymmetryOptions search = {.find = 1};

static StatusCode look_at(const TestMesh *mesh, const SymmetryOptions *options) {
    StatusCode code =
        symmetry_find(&mesh->polygons, options, &symmetry, partners, face_partners, &status);
    int count = mesh->polygons.vertex_count;
    for (int v = 0; code == STATUS_OK && v < count; ++v) {
        CHECK(partners[v] >= -1 && partners[v] < count);
        CHECK(partners[v] < 0 || partners[partners[v]] == v);
    }
    if (code == STATUS_OK) {
        CHECK_INT(symmetry.paired + symmetry.on_plane + symmetry.unpaired, count);
    }
    return code;
}

static void expect_counts(int paired, int on_plane, int unpaired) {
    CHECK_INT(symmetry.paired, paired);
    CHECK_INT(symmetry.on_plane, on_plane);
    CHECK_INT(symmetry.unpaired, unpaired);
}

static void expect_elements(int faces, int edges, int cuts, int crossing) {
    CHECK_INT(symmetry.elements.faces_without, faces);
    CHECK_INT(symmetry.elements.edges_without, edges);
    CHECK_INT(symmetry.elements.differing_cuts, cuts);
    CHECK_INT(symmetry.elements.crossing_cuts, crossing);
}

/* --- meshes made with their partners ---------------------------------------------------------- */

typedef struct Made {
    TestMesh *mesh;
    int partner[MOST];
    MirrorPlane plane;
} Made;

/* One half in x >= 0 as rows of vertices; `seam` is a column where the cloth is cut: its vertices are doubled. The
 * other half is added as the image. The column x = 0 is shared by both unless the seam is there. */
typedef struct Half {
    Vec3 at[ROWS][COLUMNS];
    int seam, count;
    int number[2][2][ROWS][COLUMNS]; /* by side, inside or outside of the seam, row, column */
    int order[MOST];                 /* the shuffled number of a vertex */
} Half;

static Half half;

static void shape_half(int seam) {
    half.seam = seam;
    half.count = 0;
    for (int r = 0; r < ROWS; ++r) {
        for (int c = 0; c < COLUMNS; ++c) {
            double x = c == 0 ? 0 : STEP * (c + random_between(-0.3, 0.3));
            half.at[r][c] =
                vec3(x, STEP * (r + random_between(-0.3, 0.3)), STEP * random_between(-1, 1));
        }
    }
    for (int i = 0; i < MOST; ++i) {
        int j = random_below(i + 1);
        half.order[i] = half.order[j];
        half.order[j] = i;
    }
}

/* Number of a vertex as a face of column `cell` on this side sees it; made when first asked for. */
static int *number_of(int side, int cell, int r, int c) {
    bool outside = half.seam >= 0 && cell >= half.seam && c == half.seam;
    bool shared = c == 0 && half.seam != 0;
    return &half.number[shared ? 0 : side][outside][r][c];
}

static void number_vertices(Made *made) {
    memset(half.number, -1, sizeof half.number);
    for (int side = 0; side < 2; ++side) {
        for (int cell = 0; cell < COLUMNS - 1; ++cell) {
            for (int r = 0; r < ROWS; ++r) {
                for (int c = cell; c <= cell + 1; ++c) {
                    int *number = number_of(side, cell, r, c);
                    *number = *number < 0 ? half.count++ : *number;
                }
            }
        }
    }
    /* the shuffled numbers, without gaps */
    int next = 0, rank[MOST] = {0};
    for (int i = 0; i < MOST; ++i) {
        if (half.order[i] < half.count) {
            rank[half.order[i]] = next++;
        }
    }
    int *all = &half.number[0][0][0][0];
    for (size_t i = 0; i < sizeof half.number / sizeof *all; ++i) {
        all[i] = all[i] < 0 ? -1 : rank[all[i]];
    }
    for (int i = 0; i < half.count; ++i) {
        mesh_add_vertex(made->mesh, 0, 0, 0);
    }
}

static void place_vertex(Made *made, int v, Vec3 p, const Vec3 *frame, Vec3 origin) {
    Vec3 at = vec3_madd(vec3_madd(vec3_madd(origin, p.x, frame[0]), p.y, frame[1]), p.z, frame[2]);
    float *to = made->mesh->positions + 3 * v;
    to[0] = (float)at.x;
    to[1] = (float)at.y;
    to[2] = (float)at.z;
}

static void add_cell(Made *made, int side, int r, int c, int kind, int turn) {
    int corner[4] = {*number_of(side, c, r, c), *number_of(side, c, r, c + 1),
                     *number_of(side, c, r + 1, c + 1), *number_of(side, c, r + 1, c)};
    int ring[4];
    for (int k = 0; k < 4; ++k) {
        ring[k] = corner[(turn + (side ? 4 - k : k)) % 4];
    }
    if (kind == 0) {
        mesh_add_face(made->mesh, 4, ring);
        return;
    }
    mesh_add_triangle(made->mesh, corner[0], corner[1], corner[kind == 1 ? 2 : 3]);
    mesh_add_triangle(made->mesh, corner[kind == 1 ? 0 : 1], corner[2], corner[3]);
}

/* A random symmetric mesh of quads and triangles in a random plane, or in x = 0. */
static Made make(int seam, int turned) {
    Made made = {mesh_new(), {0}, {{0, 0, 0}, {1, 0, 0}}};
    Vec3 frame[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, origin = {0, 0, 0};
    if (turned) {
        frame[0] = vec3_unit_or(random_vector(1), frame[0]);
        frame[1] = vec3_unit_or(vec3_cross(frame[0], random_vector(1)), frame[1]);
        frame[2] = vec3_cross(frame[0], frame[1]);
        origin = random_vector(1);
    }
    shape_half(seam);
    number_vertices(&made);
    for (int side = 0; side < 2; ++side) {
        for (int cell = 0; cell < COLUMNS - 1; ++cell) {
            for (int r = 0; r < ROWS; ++r) {
                for (int c = cell; c <= cell + 1; ++c) {
                    Vec3 p = half.at[r][c];
                    int v = *number_of(side, cell, r, c);
                    place_vertex(&made, v, vec3(side ? -p.x : p.x, p.y, p.z), frame, origin);
                    made.partner[v] = *number_of(1 - side, cell, r, c);
                }
            }
        }
    }
    for (int r = 0; r < ROWS - 1; ++r) {
        for (int c = 0; c < COLUMNS - 1; ++c) {
            int kind = random_below(3);
            add_cell(&made, 0, r, c, kind, random_below(4));
            add_cell(&made, 1, r, c, kind, random_below(4));
        }
    }
    made.plane = (MirrorPlane){origin, frame[0]};
    return made;
}

static int count_right(const Made *made) {
    int right = 0;
    for (int v = 0; v < made->mesh->polygons.vertex_count; ++v) {
        right += partners[v] == made->partner[v];
    }
    return right;
}

static void check_made(void) {
    for (int run = 0; run < 24; ++run) {
        int seam = run % 4 - 1; /* none, on the plane, off it */
        Made made = make(seam, run >= 8);
        int count = made.mesh->polygons.vertex_count, on = seam == 0 ? 0 : ROWS;
        SymmetryOptions options = {.find = run >= 16, .plane = made.plane};
        /* a coarse tolerance finds more candidates, but the nearest is the nearest */
        options.tolerance = run % 8 >= 4 && !options.find ? 0.08 : 0;
        options.plane.normal = vec3_scale(-3, options.plane.normal); /* needs no length of 1 */
        CHECK_INT(look_at(made.mesh, &options), STATUS_OK);
        expect_counts(count - on, on, 0);
        CHECK_INT(count_right(&made), count);
        CHECK_INT(symmetry.elements.faces_without, 0);
        CHECK_BELOW(symmetry.largest, 1e-6);
        CHECK_NEAR(fabs(vec3_dot(symmetry.plane.normal, made.plane.normal)), 1, 1e-9);
        Vec3 off = vec3_sub(symmetry.plane.point, made.plane.point);
        CHECK_NEAR(vec3_dot(off, made.plane.normal), 0, 1e-6);
        mesh_free(made.mesh);
    }
}

/* The whole mesh twice in one place: any of the two layers will do, but one for all of a component. */
static void check_layers(void) {
    Made made = make(-1, 1);
    TestMesh *mesh = made.mesh;
    int count = mesh->polygons.vertex_count, faces = mesh->polygons.face_count, corner = 0;
    for (int v = 0; v < count; ++v) {
        const float *p = mesh->positions + 3 * v;
        mesh_add_vertex(mesh, p[0], p[1], p[2]);
    }
    for (int f = 0; f < faces; ++f) {
        int ring[4], size = mesh->face_sizes[f];
        for (int c = 0; c < size; ++c) {
            ring[c] = mesh->face_vertices[corner + c] + count;
        }
        corner += size;
        mesh_add_face(mesh, size, ring);
    }
    int swapped[MOST] = {0}; /* so that the numbers do not tell the layers apart */
    for (int v = 0; v < count; ++v) {
        swapped[v] = random_below(2);
    }
    for (int c = 0; c < mesh->corner_count; ++c) {
        int32_t *v = &mesh->face_vertices[c];
        *v = swapped[*v % count] ? (*v + count) % (2 * count) : *v;
    }
    CHECK_INT(look_at(mesh, &(SymmetryOptions){.plane = made.plane}), STATUS_OK);
    CHECK_INT(symmetry.unpaired, 0);
    CHECK_INT(symmetry.elements.faces_without, 0);
    mesh_free(mesh);
}

/* Vertices in one place that nothing but their neighbours' places can tell apart, and each time the wrong one has
 * the lower number: ropes along two sides of a square, and along the two others; the same with longer ropes. */
static void check_looks(void) {
    TestMesh *mesh = mesh_new();
    for (int layer = 0; layer < 4; ++layer) {
        int side = layer % 3 ? 1 : -1; /* left A, right B, right A, left B */
        for (int corner = 0; corner < 4; ++corner) {
            mesh_add_vertex(mesh, side * (1 + corner % 2), corner / 2, 0);
        }
        int first = 4 * layer, along = layer % 2 ? 2 : 1, other = layer % 2 ? 1 : 2;
        mesh_add_edge(mesh, first, first + along);
        mesh_add_edge(mesh, first + other, first + 3);
    }
    CHECK_INT(look_at(mesh, &across_x), STATUS_OK);
    expect_counts(16, 0, 0);
    expect_elements(0, 0, 0, 0);
    mesh_free(mesh);
    mesh = mesh_new(); /* one layer is all squares, the other has their diagonals too */
    for (int layer = 0; layer < 4; ++layer) {
        int side = layer % 3 ? 1 : -1, first = 4 * layer;
        for (int corner = 0; corner < 4; ++corner) {
            mesh_add_vertex(mesh, side * (1 + corner % 2), corner / 2, 0);
        }
        const int ring[] = {first, first + 1, first + 3, first + 2};
        for (int k = 0; k < 4; ++k) {
            mesh_add_edge(mesh, ring[k], ring[(k + 1) % 4]);
        }
        if (layer % 2) {
            mesh_add_edge(mesh, ring[0], ring[2]);
            mesh_add_edge(mesh, ring[1], ring[3]);
        }
    }
    CHECK_INT(look_at(mesh, &across_x), STATUS_OK);
    expect_counts(16, 0, 0);
    expect_elements(0, 0, 0, 0);
    mesh_free(mesh);
}

/* Two layers that leave one vertex together: it cannot tell which is which, but their other ends can. */
static void check_fork(void) {
    TestMesh *mesh = mesh_new();
    for (int side = -1; side <= 1; side += 2) {
        int root = mesh_add_vertex(mesh, side, 0, 0);
        int low = mesh_add_vertex(mesh, 2 * side, 0, 0),
            high = mesh_add_vertex(mesh, 2 * side, 0, 0);
        int end = mesh_add_vertex(mesh, 3 * side, 0.5 * side, 0);
        int other_end = mesh_add_vertex(mesh, 3 * side, -0.5 * side, 0);
        mesh_add_edge(mesh, root, low);
        mesh_add_edge(mesh, root, high);
        int low_on = mesh_add_vertex(mesh, 2.5 * side, 0, 0);
        int high_on = mesh_add_vertex(mesh, 2.5 * side, 0, 0);
        mesh_add_edge(mesh, low, low_on);
        mesh_add_edge(mesh, high, high_on);
        mesh_add_edge(mesh, low_on, end);
        mesh_add_edge(mesh, high_on, other_end);
    }
    CHECK_INT(look_at(mesh, &across_x), STATUS_OK);
    CHECK_INT(partners[1], 9);
    CHECK_INT(partners[2], 8);
    expect_elements(0, 0, 0, 0);
    mesh_free(mesh);
}

/* --- what is not symmetric -------------------------------------------------------------------- */

static int faces_with(const TestMesh *mesh, int a, int b) {
    int count = 0;
    const int32_t *corner = mesh->face_vertices;
    for (int f = 0; f < mesh->polygons.face_count; corner += mesh->face_sizes[f++]) {
        int has = 0;
        for (int c = 0; c < mesh->face_sizes[f]; ++c) {
            has |= corner[c] == a || corner[c] == b;
        }
        count += has;
    }
    return count;
}

static void check_moved(void) {
    Made made = make(-1, 0);
    int count = made.mesh->polygons.vertex_count, v = 0;
    while (made.partner[v] == v) {
        ++v;
    }
    CHECK_INT(look_at(made.mesh, &across_x), STATUS_OK);
    double tolerance = symmetry.tolerance, move = 0.5 * tolerance;
    CHECK_NEAR(symmetry.rms, 0, 0);
    made.mesh->positions[3 * v + 1] += (float)move;
    CHECK_INT(look_at(made.mesh, &across_x), STATUS_OK);
    expect_counts(count - ROWS, ROWS, 0);
    CHECK_NEAR(symmetry.largest, move, 1e-7);
    CHECK_NEAR(symmetry.rms, move * sqrt(2.0 / count), 1e-8);
    made.mesh->positions[3 * v + 1] += (float)tolerance;
    CHECK_INT(look_at(made.mesh, &across_x), STATUS_OK);
    expect_counts(count - ROWS - 2, ROWS, 2);
    CHECK_INT(partners[v], -1);
    CHECK_INT(partners[made.partner[v]], -1);
    CHECK_INT(symmetry.elements.faces_without, faces_with(made.mesh, v, made.partner[v]));
    CHECK_INT(look_at(made.mesh, &(SymmetryOptions){.plane = across_x.plane, .tolerance = 0.01}),
              STATUS_OK);
    expect_counts(count - ROWS, ROWS, 0);
    mesh_free(made.mesh);
}

/* A pocket on one side moves the mean and the box, but not the plane that is found. */
static void check_pocket(void) {
    Made made = make(-1, 1);
    int count = made.mesh->polygons.vertex_count;
    Vec3 at = vec3_madd(made.plane.point, 0.7, made.plane.normal);
    for (int i = 0; i < 6; ++i) {
        Vec3 p = vec3_add(at, random_vector(0.1));
        mesh_add_vertex(made.mesh, p.x, p.y, p.z);
    }
    mesh_add_triangle(made.mesh, count, count + 1, count + 2);
    mesh_add_triangle(made.mesh, count + 3, count + 4, count + 5);
    CHECK_INT(look_at(made.mesh, &search), STATUS_OK);
    expect_counts(count - ROWS, ROWS, 6);
    CHECK_INT(symmetry.elements.faces_without, 2);
    CHECK_NEAR(fabs(vec3_dot(symmetry.plane.normal, made.plane.normal)), 1, 1e-9);
    mesh_free(made.mesh);
}

/* Noise below the tolerance in every direction; and with a pocket, so that no plane is right at once. */
static void check_noise(void) {
    for (int pocket = 0; pocket < 2; ++pocket) {
        Made made = make(-1, 0);
        int count = made.mesh->polygons.vertex_count;
        for (int v = 0; v < count; ++v) {
            Vec3 noise = random_vector(1e-5);
            made.mesh->positions[3 * v] += (float)(noise.x + 0.3);
            made.mesh->positions[3 * v + 1] += (float)noise.y;
            made.mesh->positions[3 * v + 2] += (float)noise.z;
        }
        for (int i = 0; pocket && i < 3; ++i) {
            mesh_add_vertex(made.mesh, 1.1, 0.1 * i, 0.03 * i * i);
        }
        if (pocket) {
            mesh_add_triangle(made.mesh, count, count + 1, count + 2);
        }
        CHECK_INT(look_at(made.mesh, &(SymmetryOptions){.find = 1, .tolerance = 6e-5}), STATUS_OK);
        expect_counts(count - ROWS, ROWS, pocket ? 3 : 0);
        CHECK_INT(count_right(&made), count);
        CHECK_NEAR(symmetry.plane.normal.x, 1, 1e-8);
        CHECK_BELOW(symmetry.largest, 6e-5);
        mesh_free(made.mesh);
    }
}

/* Near x = 0, with all in tolerance of it, but not quite: the better plane is reported. */
static void check_beside_zero(void) {
    Made made = make(-1, 0);
    for (int v = 0; v < made.mesh->polygons.vertex_count; ++v) {
        made.mesh->positions[3 * v] += 3e-5f;
    }
    CHECK_INT(look_at(made.mesh, &across_x), STATUS_OK);
    CHECK_NEAR(symmetry.rms, 6e-5, 1e-6);
    CHECK_INT(symmetry.unpaired, 0);
    CHECK_INT(look_at(made.mesh, &search), STATUS_OK);
    CHECK_NEAR(symmetry.plane.point.x, 3e-5, 1e-6);
    CHECK_BELOW(symmetry.rms, 1e-6);
    mesh_free(made.mesh);
}

static void check_plane_beside(void) {
    Made made = make(-1, 0);
    SymmetryOptions beside = {.plane = {{5, 0, 0}, {1, 0, 0}}};
    CHECK_INT(look_at(made.mesh, &beside), STATUS_OK);
    expect_counts(0, 0, made.mesh->polygons.vertex_count);
    CHECK_INT(symmetry.elements.faces_without, made.mesh->polygons.face_count);
    mesh_free(made.mesh);
}

/* A flat sheet lies in its own plane, which is no answer. */
static void check_flat(void) {
    for (int rows = 4; rows <= 5; ++rows) {
        TestMesh *mesh = mesh_grid(GRID_QUADS, 5, rows, 1.0);
        CHECK_INT(look_at(mesh, &search), STATUS_OK);
        expect_counts(4 * rows, rows, 0);
        CHECK_NEAR(symmetry.plane.normal.x, 1, 1e-12);
        expect_elements(0, 0, 0,
                        0); /* squares of a middle row, too, know which corner is the top one */
        mesh_free(mesh);
    }
}

/* --- faces and cuts --------------------------------------------------------------------------- */

/* Two quads of x = +-1 to +-2, vertices 0 to 3 and 4 to 7; `lean` (m) moves a corner along y. */
static TestMesh *two_quads(double lean_right, double lean_left) {
    TestMesh *mesh = mesh_new();
    for (int side = 1; side >= -1; side -= 2) {
        mesh_add_vertex(mesh, side, 0, 0);
        mesh_add_vertex(mesh, 2 * side, 0, 0);
        mesh_add_vertex(mesh, 2 * side, 1 + (side > 0 ? lean_right : lean_left), 0);
        mesh_add_vertex(mesh, side, 1, 0);
    }
    return mesh;
}

static void check_cuts(void) {
    SymmetryOptions coarse = {.plane = across_x.plane, .tolerance = 0.1};
    const int right[] = {0, 1, 2, 3}, left[] = {5, 4, 7, 6};
    for (int differ = 0; differ < 2; ++differ) {
        TestMesh *mesh = two_quads(0.02, differ ? -0.02 : 0.02);
        mesh_add_face(mesh, 4, right);
        mesh_add_face(mesh, 4, left);
        CHECK_INT(look_at(mesh, &coarse), STATUS_OK);
        expect_counts(8, 0, 0);
        expect_elements(0, 0, differ ? 2 : 0, 0);
        CHECK_INT(face_partners[0], 1);
        CHECK_INT(face_partners[1], 0);
        mesh_free(mesh);
    }
    TestMesh *mesh = two_quads(0, 0); /* a quad across the plane is cut one way or the other */
    mesh_add_face(mesh, 4, (const int[]){0, 3, 7, 4});
    CHECK_INT(look_at(mesh, &across_x), STATUS_OK);
    expect_elements(0, 0, 1, 1);
    mesh_free(mesh);
    mesh = mesh_new(); /* unless the plane goes through its corners */
    mesh_add_vertex(mesh, 0, 0, 0);
    mesh_add_vertex(mesh, 1, 1, 0);
    mesh_add_vertex(mesh, 0, 3, 0);
    mesh_add_vertex(mesh, -1, 1, 0);
    mesh_add_face(mesh, 4, right);
    CHECK_INT(look_at(mesh, &across_x), STATUS_OK);
    expect_counts(2, 2, 0);
    expect_elements(0, 0, 0, 0);
    mesh_free(mesh);
}

static void check_faces(void) {
    TestMesh *mesh =
        two_quads(0, 0); /* one quad against two triangles, and a face that is left out */
    mesh_add_face(mesh, 4, (const int[]){0, 1, 2, 3});
    mesh_add_triangle(mesh, 4, 5, 6);
    mesh_add_triangle(mesh, 4, 6, 7);
    mesh_add_triangle(mesh, 6, 4, 7);
    CHECK_INT(look_at(mesh, &across_x), STATUS_OK);
    expect_counts(8, 0, 0);
    expect_elements(3, 0, 0, 0);
    CHECK_INT(face_partners[2], -1);
    CHECK_INT(face_partners[3], FACE_LEFT_OUT);
    mesh_free(mesh);
    mesh = two_quads(0, 0); /* the same corners in another order */
    mesh_add_face(mesh, 4, (const int[]){0, 1, 2, 3});
    mesh_add_face(mesh, 4, (const int[]){4, 6, 5, 7});
    CHECK_INT(look_at(mesh, &across_x), STATUS_OK);
    expect_elements(2, 0, 0, 0);
    mesh_free(mesh);
    for (int both = 0; both < 2; ++both) {
        mesh = two_quads(0, 0); /* ropes */
        mesh_add_edge(mesh, 0, 3);
        mesh_add_edge(mesh, both ? 7 : 5, both ? 4 : 6);
        CHECK_INT(look_at(mesh, &across_x), STATUS_OK);
        expect_elements(0, both ? 0 : 2, 0, 0);
        mesh_free(mesh);
    }
}

/* --- the fit ---------------------------------------------------------------------------------- */

static double misfit(const Vec3 *at, const int (*pairs)[2], int count, MirrorPlane plane) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        Vec3 a = at[pairs[i][0]], b = at[pairs[i][1]];
        double distance = vec3_dot(vec3_sub(a, plane.point), plane.normal);
        Vec3 d = vec3_sub(vec3_madd(a, -2 * distance, plane.normal), b);
        sum += vec3_dot(d, d);
    }
    return sum;
}

/* No plane near the fitted one brings the pairs nearer together. */
static void check_fit(void) {
    Vec3 at[80];
    int pairs[40][2];
    MirrorPlane plane = {random_vector(1), vec3_unit_or(random_vector(1), vec3(1, 0, 0))};
    for (int i = 0; i < 40; ++i) {
        at[2 * i] = random_vector(1);
        double distance = vec3_dot(vec3_sub(at[2 * i], plane.point), plane.normal);
        at[2 * i + 1] =
            vec3_add(vec3_madd(at[2 * i], -2 * distance, plane.normal), random_vector(0.05));
        pairs[i][0] = 2 * i;
        pairs[i][1] = 2 * i + 1;
    }
    MirrorPlane fitted = plane_fit(at, (const int(*)[2])pairs, 40, 2.0, plane);
    double least = misfit(at, (const int(*)[2])pairs, 40, fitted);
    CHECK(least < misfit(at, (const int(*)[2])pairs, 40, plane));
    for (int i = 0; i < 50; ++i) {
        MirrorPlane near = fitted;
        near.point = vec3_add(near.point, random_vector(1e-3));
        near.normal = vec3_unit_or(vec3_add(near.normal, random_vector(1e-3)), near.normal);
        CHECK(misfit(at, (const int(*)[2])pairs, 40, near) > least);
    }
    fitted = plane_fit(at, (const int(*)[2])pairs, 2, 2.0, plane);
    CHECK_NEAR(vec3_distance(fitted.normal, plane.normal), 0, 0);
}

/* --- bad input -------------------------------------------------------------------------------- */

static void refuse(const TestMesh *mesh, SymmetryOptions options, StatusCode code,
                   const char *word) {
    CHECK_INT(look_at(mesh, &options), code);
    CHECK(strstr(status.message, word) != NULL);
}

static void check_bad(void) {
    SymmetryOptions options = across_x;
    TestMesh *mesh = two_quads(0, 0);
    mesh_add_face(mesh, 4, (const int[]){0, 1, 2, 3});
    const double tolerances[] = {NAN, -1, INFINITY, 1.1};
    for (int i = 0; i < 4; ++i) {
        options.tolerance = tolerances[i];
        refuse(mesh, options, STATUS_ERROR_ARGUMENT, "tolerance is");
    }
    options = across_x;
    options.plane.normal = vec3(0, 0, 0);
    refuse(mesh, options, STATUS_ERROR_ARGUMENT, "the normal (0, 0, 0)");
    options = across_x;
    options.plane.point.z = NAN;
    refuse(mesh, options, STATUS_ERROR_ARGUMENT, "must be finite");
    mesh->positions[3 * 6 + 1] = NAN;
    refuse(mesh, search, STATUS_ERROR_MESH, "vertex 6");
    mesh_free(mesh);
    mesh = mesh_new();
    refuse(mesh, search, STATUS_ERROR_MESH, "no face and no edge");
    mesh_add_vertex(mesh, 0, 0, 0);
    refuse(mesh, across_x, STATUS_ERROR_MESH, "no face and no edge");
    mesh_add_vertex(mesh, 0, 0, 0);
    mesh_add_edge(mesh, 0, 1);
    refuse(mesh, search, STATUS_ERROR_MESH, "no size");
    mesh_free(mesh);
}

/* More vertices in one place than are ever compared: no garment, but no harm either. */
static void check_clump(void) {
    TestMesh *mesh = mesh_new();
    for (int i = 0; i < 400; ++i) {
        int side = i % 2 ? 1 : -1, inner = mesh_add_vertex(mesh, side, 0, 0);
        mesh_add_edge(mesh, inner, mesh_add_vertex(mesh, 2 * side, i / 2 * 0.1, 0));
    }
    CHECK_INT(look_at(mesh, &across_x), STATUS_OK);
    CHECK_INT(symmetry.paired >= 400, 1);
    mesh_free(mesh);
}

int main(void) {
    random_start(5);
    check_made();
    check_layers();
    check_looks();
    check_fork();
    check_moved();
    check_noise();
    check_beside_zero();
    check_pocket();
    check_plane_beside();
    check_flat();
    check_cuts();
    check_faces();
    check_fit();
    check_bad();
    check_clump();
    return check_result();
}
