/* Definitions through the public interface: what is not given has its defaults, sizes of no header are refused, and reports
 * are as large as the caller has room for. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "muslin.h"

#define VERTICES 9

static const int32_t sizes[] = {4, 4, 4, 4};
static const int32_t corners[] = {0, 1, 4, 3, 1, 2, 5, 4, 3, 4, 7, 6, 4, 5, 8, 7};
static float places[3 * VERTICES];

static MuslinMesh sheet(void) {
    for (int v = 0; v < VERTICES; ++v) {
        places[3 * v] = (float)(v % 3);
        places[3 * v + 1] = (float)(v / 3);
    }
    return (MuslinMesh){.size = sizeof(MuslinMesh),
                        .vertex_count = VERTICES,
                        .face_count = 4,
                        .positions = places,
                        .face_sizes = sizes,
                        .face_vertices = corners};
}

/* Where the cloth is after some steps with a definition of `size` bytes, which stand alone in memory so that a
 * sanitizer sees a read beyond them. Returns the status of the creation. */
static int32_t fall(const void *def, size_t size, float positions[3 * VERTICES]) {
    static const int32_t pins[] = {0, 2};
    MuslinMesh mesh = sheet();
    MuslinCloth cloth;
    void *alone = malloc(size);
    memcpy(alone, def, size);
    int32_t status = muslin_cloth_create(&mesh, alone, &cloth);
    free(alone);
    if (status < 0) {
        return status;
    }
    muslin_cloth_set_pins(cloth, 2, pins, NULL, NULL);
    for (int step = 0; step < 5; ++step) {
        muslin_cloth_step(cloth, 1.0 / 24);
    }
    muslin_cloth_get_state(cloth, positions, NULL);
    muslin_cloth_destroy(cloth);
    return status;
}

static void test_what_is_not_given(void) {
    float without[3 * VERTICES], with[3 * VERTICES], heavy[3 * VERTICES];
    MuslinMaterial material;
    MuslinForces forces;
    MuslinClothDef def;
    muslin_default_cloth_def(&def);
    muslin_default_material(&material);
    muslin_default_forces(&forces);
    CHECK(!def.material && !def.forces);
    CHECK(fall(&def, sizeof def, without) == MUSLIN_OK);
    def.material = &material;
    def.forces = &forces;
    CHECK(fall(&def, sizeof def, with) == MUSLIN_OK);
    CHECK(memcmp(without, with, sizeof with) == 0);
    material.density *= 2;
    forces.wind[1] = 2;
    CHECK(fall(&def, sizeof def, heavy) == MUSLIN_OK);
    CHECK(memcmp(without, heavy, sizeof heavy) != 0);
    def.mirror = 77;
    CHECK(fall(&def, sizeof def, with) == MUSLIN_ERROR_ARGUMENT);
}

static void refuse(const MuslinClothDef *def, const char *part) {
    float positions[3 * VERTICES];
    char text[MUSLIN_MESSAGE_SIZE];
    CHECK(fall(def, sizeof *def, positions) == MUSLIN_ERROR_ARGUMENT);
    muslin_get_message(0, text, sizeof text);
    if (!strstr(text, part)) {
        fprintf(stderr, "\"%s\" does not tell of %s\n", text, part);
        ++failures;
    }
}

static void test_sizes_that_are_none(void) {
    static const uint32_t wrong[] = {0,
                                     3,
                                     4,
                                     8,
                                     offsetof(MuslinClothDef, material),
                                     offsetof(MuslinClothDef, forces) + 4,
                                     offsetof(MuslinClothDef, mirror),
                                     offsetof(MuslinClothDef, mirror) + 2,
                                     sizeof(MuslinClothDef) + 4,
                                     UINT32_MAX};
    MuslinMaterial material;
    MuslinForces forces;
    MuslinClothDef def;
    muslin_default_material(&material);
    muslin_default_forces(&forces);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        muslin_default_cloth_def(&def);
        def.size = wrong[i];
        refuse(&def, "MuslinClothDef.size");
        muslin_default_cloth_def(&def);
        material.size = wrong[i];
        def.material = &material;
        refuse(&def, "MuslinMaterial.size");
        muslin_default_cloth_def(&def);
        forces.size = wrong[i];
        def.forces = &forces;
        refuse(&def, "MuslinForces.size");
    }
}

static void test_reports_of_any_size(void) {
    MuslinMesh mesh = sheet();
    MuslinClothDef def;
    MuslinCloth cloth;
    muslin_default_cloth_def(&def);
    CHECK(muslin_cloth_create(&mesh, &def, &cloth) == MUSLIN_OK);
    MuslinReport report;
    memset(&report, 0x55, sizeof report);
    report.size = offsetof(MuslinReport, edge_count);
    CHECK(muslin_cloth_get_report(cloth, &report) == MUSLIN_OK);
    CHECK(report.size == offsetof(MuslinReport, edge_count));
    CHECK(report.vertex_count == VERTICES && report.edge_count == 0x55555555);
    MuslinMeshReport check;
    memset(&check, 0x55, sizeof check);
    check.size = offsetof(MuslinMeshReport, area);
    CHECK(muslin_mesh_get_report(&mesh, &check, NULL, 0, NULL) == MUSLIN_OK);
    CHECK(check.quad_count == 4 && check.area > 1e100);
    MuslinStats stats = {.size = sizeof stats + 8};
    CHECK(muslin_cloth_get_stats(cloth, &stats) == MUSLIN_ERROR_ARGUMENT);
    stats.size = 2;
    CHECK(muslin_cloth_get_stats(cloth, &stats) == MUSLIN_ERROR_ARGUMENT);
    CHECK(muslin_cloth_get_stats(cloth, NULL) == MUSLIN_ERROR_ARGUMENT);
    muslin_cloth_destroy(cloth);
}

int main(void) {
    test_what_is_not_given();
    test_sizes_that_are_none();
    test_reports_of_any_size();
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
