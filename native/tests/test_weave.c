/* Which meshes are woven: threads, cells and layers of rectangles, tubes, straps and ropes; what is refused, and where. */
#include "mesh/research/weave.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "meshes.h"

typedef struct Loomed {
    Store store;
    Status status;
    Mesh mesh;
    Weave weave;
    StatusCode code;
} Loomed;

/* Builds mesh and weave; the mesh is given back. */
static void weave(Loomed *loomed, TestMesh *mesh) {
    *loomed = (Loomed){0};
    mesh_build(&mesh->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH}, &loomed->store,
               &loomed->mesh, &loomed->status);
    loomed->code = weave_build(&mesh->polygons, &loomed->mesh, &loomed->store, &loomed->weave,
                               &loomed->status);
    mesh_free(mesh);
}

static void cut(Loomed *loomed) { store_release(&loomed->store); }

static int threads_of(const Weave *weave, ThreadKind kind, bool closed) {
    int count = 0;
    for (int t = 0; t < weave->thread_count; ++t) {
        count += weave->threads[t].kind == kind && weave->threads[t].closed == closed;
    }
    return count;
}

/* Every edge but diagonals is a link of one thread, and joins its two vertices there. */
static void check_links(const Loomed *loomed) {
    const Weave *weave = &loomed->weave;
    int *seen = calloc((size_t)loomed->mesh.edge_count, sizeof *seen);
    for (int t = 0; t < weave->thread_count; ++t) {
        const Thread *thread = &weave->threads[t];
        for (int k = 0; k < thread_links(thread); ++k) {
            const Edge *edge = &loomed->mesh.edges[weave->edges[thread->first + k]];
            int a = weave->vertices[thread->first + k];
            int b = weave->vertices[thread->first + (k + 1) % thread->count];
            CHECK((edge->a == a && edge->b == b) || (edge->a == b && edge->b == a));
            ++seen[weave->edges[thread->first + k]];
        }
    }
    for (int e = 0; e < loomed->mesh.edge_count; ++e) {
        CHECK_INT(seen[e], loomed->mesh.edges[e].kind != EDGE_SHEAR);
    }
    free(seen);
}

/* No two threads of one layer share a vertex, and every thread is in one. */
static void check_layers(const Loomed *loomed) {
    const Weave *weave = &loomed->weave;
    int *user = malloc((size_t)loomed->mesh.vertex_count * sizeof *user);
    for (int l = 0; l < weave->thread_layers.count; ++l) {
        memset(user, -1, (size_t)loomed->mesh.vertex_count * sizeof *user);
        for (int t = weave->thread_layers.start[l]; t < weave->thread_layers.start[l + 1]; ++t) {
            for (int k = 0; k < weave->threads[t].count; ++k) {
                int vertex = weave->vertices[weave->threads[t].first + k];
                CHECK(user[vertex] < 0 || user[vertex] == t);
                user[vertex] = t;
            }
        }
    }
    free(user);
    CHECK_INT(weave->thread_layers.start[weave->thread_layers.count], weave->thread_count);
}

/* Sides of cells along u are of the warp, those along v of the weft. */
static void check_cells(const Loomed *loomed) {
    const Weave *weave = &loomed->weave;
    for (int t = 0; t < weave->thread_count; ++t) {
        const Thread *thread = &weave->threads[t];
        int a = weave->vertices[thread->first], b = weave->vertices[thread->first + 1];
        for (int c = 0; c < weave->cell_count && thread->kind != THREAD_ROPE; ++c) {
            const int *v = weave->cells[c].vertices;
            bool along = (v[0] == a && v[1] == b) || (v[1] == a && v[0] == b) ||
                         (v[3] == a && v[2] == b) || (v[2] == a && v[3] == b);
            bool up = (v[0] == a && v[3] == b) || (v[3] == a && v[0] == b) ||
                      (v[1] == a && v[2] == b) || (v[2] == a && v[1] == b);
            CHECK(!along || thread->kind == THREAD_WARP);
            CHECK(!up || thread->kind == THREAD_WEFT);
        }
    }
}

static void check_woven(const Loomed *loomed) {
    CHECK_INT(loomed->code, STATUS_OK);
    check_links(loomed);
    check_layers(loomed);
    check_cells(loomed);
}

static void check_rectangle(void) {
    Loomed loomed;
    weave(&loomed, mesh_grid(GRID_QUADS, 6, 4, 1.0)); /* it lies: the warp runs along y */
    check_woven(&loomed);
    CHECK_INT(threads_of(&loomed.weave, THREAD_WARP, false), 6);
    CHECK_INT(threads_of(&loomed.weave, THREAD_WEFT, false), 4);
    CHECK_INT(loomed.weave.thread_count, 10);
    CHECK_INT(loomed.weave.cell_count, 15);
    CHECK_INT(loomed.weave.thread_layers.count, 2);
    double area = 0;
    for (int v = 0; v < loomed.mesh.vertex_count; ++v) {
        area += loomed.weave.area[v];
    }
    CHECK_NEAR(area, 0.6, 1e-6); /* 1 m by 3/5 */
    CHECK_NEAR(loomed.weave.cells[0].metric[0], 0.04, 1e-7);
    CHECK_NEAR(loomed.weave.cells[0].metric[1], 0.0, 1e-7);
    CHECK_NEAR(loomed.weave.cells[0].metric[2], 0.04, 1e-7);
    cut(&loomed);
}

static void check_tubes(void) {
    Loomed loomed;
    weave(&loomed, mesh_tube(7, 5, 0)); /* standing: the warp is upright */
    check_woven(&loomed);
    CHECK_INT(threads_of(&loomed.weave, THREAD_WARP, false), 7);
    CHECK_INT(threads_of(&loomed.weave, THREAD_WEFT, true), 5);
    CHECK_INT(loomed.weave.cell_count, 28);
    cut(&loomed);
    weave(&loomed, mesh_tube(7, 5, 1)); /* one thread winds around */
    check_woven(&loomed);
    CHECK_INT(threads_of(&loomed.weave, THREAD_WARP, false), 7);
    CHECK_INT(threads_of(&loomed.weave, THREAD_WEFT, false), 1);
    CHECK_INT(threads_of(&loomed.weave, THREAD_WEFT, true), 0);
    cut(&loomed);
}

/* A strap of one row, a notched rectangle, and ropes: tied between them, branching and closed. */
static void check_pieces(void) {
    Loomed loomed;
    TestMesh *mesh = mesh_grid(GRID_QUADS, 9, 2, 1.0);
    int first = mesh->polygons.vertex_count;
    for (int k = 0; k < 16; ++k) { /* 4 by 4, standing apart; the last quad is missing */
        mesh_add_vertex(mesh, 3, 0.1 * (k % 4), 0.1 * (k / 4));
    }
    for (int k = 0; k < 8; ++k) {
        int at = first + k % 3 + 4 * (k / 3);
        mesh_add_face(mesh, 4, (const int[]){at, at + 1, at + 5, at + 4});
    }
    int rope = mesh->polygons.vertex_count;
    for (int k = 0; k < 9; ++k) {
        mesh_add_vertex(mesh, 1 + 0.1 * k, 0.05 * k * k, 1);
    }
    const int edges[][2] = {{8, rope},
                            {rope, rope + 1},
                            {rope + 1, first},
                            {rope + 1, rope + 2},
                            {rope + 2, rope + 3},
                            {rope + 4, rope + 5},
                            {rope + 5, rope + 6},
                            {rope + 6, rope + 4},
                            {rope + 7, rope + 8}};
    for (int e = 0; e < 9; ++e) {
        mesh_add_edge(mesh, edges[e][0], edges[e][1]);
    }
    weave(&loomed, mesh);
    check_woven(&loomed);
    CHECK_INT(loomed.weave.cell_count, 16);
    CHECK_INT(threads_of(&loomed.weave, THREAD_ROPE, true), 1);
    /* three arms of a branch, and one by itself */
    CHECK_INT(threads_of(&loomed.weave, THREAD_ROPE, false), 4);
    CHECK_INT(threads_of(&loomed.weave, THREAD_WARP, false), 9 + 4);
    CHECK_INT(threads_of(&loomed.weave, THREAD_WEFT, false), 2 + 4);
    cut(&loomed);
}

static void check_refused(TestMesh *mesh, DetailElement element, int index, const char *words) {
    Loomed loomed;
    weave(&loomed, mesh);
    CHECK_INT(loomed.code, STATUS_ERROR_MESH);
    CHECK_INT(loomed.status.details[0].code, DETAIL_NO_GRID);
    CHECK_INT(loomed.status.details[0].element, element);
    CHECK_INT(loomed.status.details[0].elements[0], index);
    CHECK(strstr(loomed.status.message, words) != NULL);
    cut(&loomed);
}

/* `arms` quads around vertex 0. */
static TestMesh *star(int arms) {
    TestMesh *mesh = mesh_new();
    mesh_add_vertex(mesh, 0, 0, 0);
    for (int k = 0; k < 2 * arms; ++k) {
        double angle = 3.141592653589793 * k / arms;
        mesh_add_vertex(mesh, cos(angle), sin(angle), 0);
    }
    for (int k = 0; k < arms; ++k) {
        mesh_add_face(mesh, 4,
                      (const int[]){0, 1 + 2 * k, 2 + 2 * k, 1 + (2 * k + 2) % (2 * arms)});
    }
    return mesh;
}

static void check_refusals(void) {
    check_refused(mesh_grid(GRID_ALTERNATING, 4, 4, 1.0), ELEMENT_FACE, 0, "face 0 has 3 corners");
    TestMesh *mesh = mesh_grid(GRID_QUADS, 4, 4, 1.0);
    int tip = mesh_add_vertex(mesh, 2, 2, 0);
    mesh_add_triangle(mesh, 14, 15, tip);
    check_refused(mesh, ELEMENT_FACE, 9, "face 9 has 3 corners");
    check_refused(star(3), ELEMENT_VERTEX, 0, "vertex 0 inside of the cloth has 3 faces");
    check_refused(star(5), ELEMENT_VERTEX, 0, "vertex 0 inside of the cloth has 5 faces");
    mesh = mesh_grid(GRID_QUADS, 3, 2, 1.0); /* a third leaf at the edge 1-4 */
    mesh_add_vertex(mesh, 0.5, 0, 1);
    mesh_add_vertex(mesh, 0.5, 0.5, 1);
    mesh_add_face(mesh, 4, (const int[]){1, 4, 7, 6});
    check_refused(mesh, ELEMENT_FACE, 2,
                  "face 2 is the third at the edge between vertices 1 and 4");
    mesh = mesh_grid(GRID_QUADS, 2, 2, 1.0); /* two quads that touch in a corner */
    mesh_add_vertex(mesh, 2, 1, 0);
    mesh_add_vertex(mesh, 2, 2, 0);
    mesh_add_vertex(mesh, 1, 2, 0);
    mesh_add_face(mesh, 4, (const int[]){3, 4, 5, 6});
    check_refused(mesh, ELEMENT_VERTEX, 3, "2 pieces of cloth meet in the single vertex 3");
    mesh = mesh_grid(GRID_QUADS, 2, 2, 1.0); /* more ropes than layers, tied to a corner */
    for (int k = 0; k < 65; ++k) {
        mesh_add_edge(mesh, 2, mesh_add_vertex(mesh, 2, 0.1 * k, 1));
    }
    check_refused(mesh, ELEMENT_VERTEX, 2, "at least 65 of them meet in vertex 2");
}

/* Three quarters of a grid around a middle that is missing: going around, rows become columns. A quarter has vertices
 * (i, j), i = 0..2, j = 1..2; those with j = 0 are (0, i) of the next quarter. */
static void check_turning(void) {
    const int arms = 3;
    TestMesh *mesh = mesh_new();
    for (int k = 0; k < 6 * arms; ++k) {
        double angle = 2.0943951 * (k / 6) + 0.7 * (2 - k % 6 / 2), radius = 1 + k % 2 + k % 6 / 2;
        mesh_add_vertex(mesh, radius * cos(angle), radius * sin(angle), 0);
    }
    for (int k = 0; k < arms; ++k) {
        int own = 6 * k, next = 6 * ((k + 1) % arms);
        int at[3][3];
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                at[i][j] = j == 0 ? (i == 0 ? -1 : next + i - 1) : own + 2 * i + j - 1;
            }
        }
        for (int c = 0; c < 4; ++c) {
            int i = c % 2, j = c / 2;
            if (i + j > 0) {
                mesh_add_face(
                    mesh, 4, (const int[]){at[i][j], at[i + 1][j], at[i + 1][j + 1], at[i][j + 1]});
            }
        }
    }
    Loomed loomed;
    weave(&loomed, mesh);
    CHECK_INT(loomed.code, STATUS_ERROR_MESH);
    CHECK(strstr(loomed.status.message, "warp becomes weft at face") != NULL);
    cut(&loomed);
}

int main(void) {
    check_rectangle();
    check_tubes();
    check_pieces();
    check_refusals();
    check_turning();
    return check_result();
}
