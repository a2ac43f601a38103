/* How a garment lies: a sleeve on an arm, rightly and in every wrong way that an inspection should tell. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "inspection/inspection.h"
#include "meshes.h"

#define AROUND 24
#define ALONG 21
#define PI 3.14159265358979323846

static Pool *pool;

/* A tube along x from 0 to `length` around the axis; the first ring is at x = 0. Closed by caps if it is a body. */
static TestMesh *tube(double radius, double length, int along, bool closed) {
    TestMesh *mesh = mesh_new();
    for (int i = 0; i < along; ++i) {
        for (int j = 0; j < AROUND; ++j) {
            double angle = 2 * PI * j / AROUND;
            mesh_add_vertex(mesh, length * i / (along - 1), radius * cos(angle),
                            radius * sin(angle));
        }
    }
    for (int i = 0; i + 1 < along; ++i) {
        for (int j = 0; j < AROUND; ++j) {
            int a = AROUND * i + j, b = AROUND * i + (j + 1) % AROUND;
            mesh_add_face(mesh, 4, (int[]){a, b, b + AROUND, a + AROUND});
        }
    }
    for (int end = 0; end < 2 && closed; ++end) {
        int middle = mesh_add_vertex(mesh, end * length, 0, 0), ring = end * AROUND * (along - 1);
        for (int j = 0; j < AROUND; ++j) {
            int a = ring + j, b = ring + (j + 1) % AROUND;
            mesh_add_triangle(mesh, middle, end ? a : b, end ? b : a);
        }
    }
    return mesh;
}

static void shift(TestMesh *mesh, double x, double y, double z) {
    for (int v = 0; v < mesh->polygons.vertex_count; ++v) {
        mesh->positions[3 * v] += (float)x;
        mesh->positions[3 * v + 1] += (float)y;
        mesh->positions[3 * v + 2] += (float)z;
    }
}

static void scale(TestMesh *mesh, double factor) {
    for (int i = 0; i < 3 * mesh->polygons.vertex_count; ++i) {
        mesh->positions[i] *= (float)factor;
    }
}

/* An arm of 1 m and 5 cm, along x, in a sleeve of 6.5 cm from 0.3 to 0.7 m. */
static TestMesh *new_arm(void) { return tube(0.05, 1.0, 41, true); }

static TestMesh *new_sleeve(void) {
    TestMesh *sleeve = tube(0.065, 0.4, ALONG, false);
    shift(sleeve, 0.3, 0.002, 0.001);
    return sleeve;
}

/* The garment at rest as it is, on the body, where `x` (null: there) says; what is found, and at how many places. */
static InspectionReport inspect(const TestMesh *garment, const TestMesh *body, const float *x,
                                InspectionPlace *places, int *place_count) {
    Status status = {0};
    MeshOptions options = {0};
    InspectionReport report = {0};
    Inspection *inspection = inspection_create(&garment->polygons, &options, &status);
    CHECK(inspection != NULL);
    if (body) {
        CHECK_INT(inspection_set_body(inspection, 0, &body->polygons, &status), STATUS_OK);
    }
    CHECK_INT(inspection_run(inspection, pool, x ? x : garment->positions, &report, &status),
              STATUS_OK);
    int count = inspection_places(inspection, places, places ? PLACES_EACH * PLACE_KINDS : 0);
    if (place_count) {
        *place_count = count;
    }
    inspection_destroy(inspection);
    return report;
}

static void test_good(void) {
    TestMesh *arm = new_arm(), *sleeve = new_sleeve();
    InspectionReport report = inspect(sleeve, arm, NULL, NULL, NULL);
    CHECK_INT(report.level, INSPECTION_CLEAN);
    CHECK_INT(report.found, 0);
    CHECK_INT(report.openings_worn, 2);
    CHECK_INT(report.openings_empty, 0);
    /* the part of a disc of 65 mm that one of 50 mm fills */
    CHECK_NEAR(report.fullest, 0.05 * 0.05 / (0.065 * 0.065), 0.15);
    CHECK_NEAR(report.outward, 1, 0);
    CHECK_NEAR(report.largest_stretch, 1, 1e-6);
    CHECK_NEAR(report.stretch_p99, 1, 1e-6);
    scale(arm, 0.01);
    scale(sleeve, 0.01);
    CHECK_INT(inspect(sleeve, arm, NULL, NULL, NULL).level, INSPECTION_CLEAN);
    mesh_free(arm);
    mesh_free(sleeve);
}

/* Put 3 cm aside, so that a part of it is inside; what is inside can be said of a cylinder. */
static void test_inside(void) {
    static InspectionPlace places[PLACES_EACH * PLACE_KINDS];
    TestMesh *arm = new_arm(), *sleeve = new_sleeve();
    shift(sleeve, 0, 0.03, 0);
    int inside = 0, count = 0, kinds[PLACE_KINDS] = {0};
    double deepest = 0;
    for (int v = 0; v < sleeve->polygons.vertex_count; ++v) {
        double depth =
            0.05 - plane_length(sleeve->positions[3 * v + 1], sleeve->positions[3 * v + 2]);
        inside += depth > 0.0005; /* the sides of the polygon lie below the circle */
        deepest = depth > deepest ? depth : deepest;
    }
    InspectionReport report = inspect(sleeve, arm, NULL, places, &count);
    CHECK_INT(report.inside_count, inside);
    CHECK_NEAR(report.deepest, deepest, 0.0006);
    CHECK_INT(report.level, INSPECTION_BAD);
    CHECK((report.found & (FOUND_INSIDE | FOUND_BODY_PIERCED)) ==
          (FOUND_INSIDE | FOUND_BODY_PIERCED));
    CHECK(report.body_piercings > 0 && report.cloth_piercings > 0 && report.self_piercings == 0);
    for (int i = 0; i < count; ++i) {
        const InspectionPlace *place = &places[i];
        bool follows = i > 0 && place[-1].kind == place->kind && place->kind == PLACE_INSIDE;
        ++kinds[place->kind];
        CHECK(!follows || place[-1].depth >= place->depth);
        CHECK(i == 0 || place[-1].kind <= place->kind);
        CHECK_INT(place->body, 0);
        if (place->kind == PLACE_THROUGH_BODY) { /* the points lie on the arm */
            double radius = plane_length(place->point[1], place->point[2]);
            CHECK_NEAR(radius, 0.05, 0.0005);
        }
    }
    CHECK_INT(places[0].vertices[0], report.deepest_vertex);
    CHECK_INT(kinds[PLACE_INSIDE], inside < PLACES_EACH ? inside : PLACES_EACH);
    CHECK_INT(kinds[PLACE_THROUGH_BODY], PLACES_EACH);
    mesh_free(arm);
    mesh_free(sleeve);
}

/* The far end of the sleeve hangs down, and the arm leaves it through the cloth. */
static void test_limb_outside(void) {
    TestMesh *arm = new_arm(), *sleeve = tube(0.065, 0.6, 31, false);
    shift(sleeve, 0.1, 0.002, 0.001);
    static float moved[3 * MESHES_MOST];
    memcpy(moved, sleeve->positions, sizeof moved);
    for (int v = 0; v < sleeve->polygons.vertex_count; ++v) {
        double beyond = moved[3 * v] - 0.35;
        if (beyond > 0) { /* down by a quarter circle of 15 cm, then straight */
            double angle = fmin(beyond / 0.15, 0.5 * PI), rest = fmax(0, beyond - 0.15 * 0.5 * PI);
            double height = 0.15 + moved[3 * v + 2];
            moved[3 * v] = (float)(0.35 + height * sin(angle));
            moved[3 * v + 2] = (float)(-0.15 + height * cos(angle) - rest);
        }
    }
    InspectionReport report = inspect(sleeve, arm, moved, NULL, NULL);
    CHECK_INT(report.level, INSPECTION_BAD);
    CHECK((report.found & FOUND_LIMB_OUTSIDE) != 0);
    CHECK_INT(report.limbs_through, 1);
    CHECK_INT(report.openings_empty, 1);
    CHECK(report.largest_stretch > 1.05);
    mesh_free(arm);
    mesh_free(sleeve);
}

static void test_other_faults(void) {
    TestMesh *arm = new_arm(), *sleeve = new_sleeve();
    for (int f = 0; f < sleeve->polygons.face_count; ++f) {
        int32_t *face = sleeve->face_vertices + 4 * f, kept = face[1];
        face[1] = face[3];
        face[3] = kept;
    }
    InspectionReport report = inspect(sleeve, arm, NULL, NULL, NULL);
    CHECK_INT(report.found, FOUND_INSIDE_OUT);
    CHECK_NEAR(report.outward, 0, 0);
    mesh_free(sleeve);

    sleeve = new_sleeve();
    shift(sleeve, 0, 0, 1);
    report = inspect(sleeve, arm, NULL, NULL, NULL);
    CHECK_INT(report.found, FOUND_NOT_WORN);
    CHECK_NEAR(report.nearest, 0.886, 0.003);
    mesh_free(sleeve);

    sleeve = tube(0.12, 0.4, ALONG, false); /* more than twice as wide as the arm */
    shift(sleeve, 0.3, 0.002, 0.001);
    CHECK_INT(inspect(sleeve, arm, NULL, NULL, NULL).found, FOUND_TOO_LARGE);
    mesh_free(sleeve);
    mesh_free(arm);
}

/* A hole in a sheet is no opening, and a sheet is worn by nobody. */
static void test_sheet(void) {
    TestMesh *sheet = mesh_grid(GRID_QUADS, 21, 21, 1.0), *arm = new_arm();
    shift(sheet, 0, -0.5, 0.2);
    InspectionReport report = inspect(sheet, arm, NULL, NULL, NULL);
    CHECK_INT(report.openings_worn, 0);
    CHECK_INT(report.level, INSPECTION_CLEAN);
    report = inspect(sheet, NULL, NULL, NULL, NULL);
    CHECK_INT(report.level, INSPECTION_CLEAN);
    CHECK_NEAR(report.nearest, -1, 0);
    mesh_free(sheet);
    mesh_free(arm);
}

/* A sheet whose last rows are folded over and pushed through the rest, by 5 cm at each end. */
static void test_tangled(void) {
    TestMesh *sheet = mesh_grid(GRID_ALTERNATING, 21, 21, 1.0);
    static float moved[3 * MESHES_MOST];
    memcpy(moved, sheet->positions, sizeof moved);
    for (int v = 0; v < sheet->polygons.vertex_count; ++v) {
        float along = moved[3 * v] - 0.5f;
        if (along > 0) {
            moved[3 * v] = 0.5f - along + 0.013f;
            moved[3 * v + 2] += 0.05f - 0.31f * along * along * 4;
        }
    }
    InspectionReport report = inspect(sheet, NULL, moved, NULL, NULL);
    CHECK((report.found & FOUND_SELF_PIERCED) != 0);
    CHECK(report.self_piercings > 20);
    CHECK_INT(report.level, INSPECTION_BAD);
    mesh_free(sheet);
}

/* The same for any number of threads. */
static void test_threads(void) {
    static InspectionPlace one[PLACES_EACH * PLACE_KINDS], four[PLACES_EACH * PLACE_KINDS];
    TestMesh *arm = new_arm(), *sleeve = new_sleeve();
    int counts[2];
    shift(sleeve, 0, 0.03, 0);
    InspectionReport report = inspect(sleeve, arm, NULL, one, &counts[0]);
    Pool *kept = pool;
    pool = pool_create(4);
    InspectionReport other = inspect(sleeve, arm, NULL, four, &counts[1]);
    pool_destroy(pool);
    pool = kept;
    CHECK_INT(counts[0], counts[1]);
    CHECK(memcmp(one, four, (size_t)counts[0] * sizeof *one) == 0);
    CHECK(report.deepest == other.deepest && report.fullest == other.fullest);
    CHECK_INT(report.body_piercings, other.body_piercings);
    mesh_free(arm);
    mesh_free(sleeve);
}

/* A body that is open at a finger's tip fills an opening as a closed one does; one that is gone fills nothing. */
static void test_who_fills(void) {
    Status status = {0};
    TestMesh *thick = tube(0.06, 1.0, 41, true), *arm = new_arm(), *sleeve = new_sleeve();
    MeshOptions options = {0};
    InspectionReport report = {0};
    double closed = inspect(sleeve, arm, NULL, NULL, NULL).fullest;
    --arm->polygons.face_count; /* of the cap */
    Inspection *inspection = inspection_create(&sleeve->polygons, &options, &status);
    CHECK_INT(inspection_set_body(inspection, 0, &thick->polygons, &status), STATUS_OK);
    CHECK_INT(inspection_set_body(inspection, 1, &arm->polygons, &status), STATUS_OK);
    CHECK_INT(inspection_run(inspection, pool, sleeve->positions, &report, &status), STATUS_OK);
    CHECK(report.fullest > 1.2 * closed);
    inspection_remove_body(inspection, 0);
    CHECK_INT(inspection_run(inspection, pool, sleeve->positions, &report, &status), STATUS_OK);
    CHECK_NEAR(report.fullest, closed, 1e-12);
    CHECK_INT(report.openings_worn, 2);
    CHECK_INT(report.found, 0);
    inspection_destroy(inspection);
    mesh_free(thick);
    mesh_free(arm);
    mesh_free(sleeve);
}

int main(void) {
    pool = pool_create(1);
    test_good();
    test_inside();
    test_limb_outside();
    test_other_faults();
    test_sheet();
    test_tangled();
    test_threads();
    test_who_fills();
    pool_destroy(pool);
    return check_result();
}
