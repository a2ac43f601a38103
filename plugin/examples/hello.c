/* Drapes a square of cloth that is held at two corners, and prints how far its middle hangs after two seconds.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   cc hello.c $(pkg-config --cflags --libs muslin) -o hello && ./hello
 *
 * or with CMake: find_package(muslin), target_link_libraries(hello PRIVATE muslin::muslin). */
#include <muslin.h>
#include <stdio.h>

#define SIDE 21 /* vertices along a side, an odd number: there is one in the middle */
#define VERTICES (SIDE * SIDE)
#define FACES ((SIDE - 1) * (SIDE - 1))
#define MIDDLE (VERTICES / 2)

/* One metre square, flat in the plane z = 0, of equal quads. */
static void fill_square(float *positions, int32_t *face_sizes, int32_t *face_vertices) {
    for (int i = 0; i < VERTICES; ++i) {
        positions[3 * i] = (float)(i % SIDE) / (SIDE - 1);
        positions[3 * i + 1] = (float)(i / SIDE) / (SIDE - 1);
        positions[3 * i + 2] = 0;
    }
    for (int f = 0; f < FACES; ++f) {
        int32_t corner = f / (SIDE - 1) * SIDE + f % (SIDE - 1), *face = face_vertices + 4 * f;
        face_sizes[f] = 4;
        face[0] = corner, face[1] = corner + 1, face[2] = corner + SIDE + 1,
        face[3] = corner + SIDE;
    }
}

/* Whether a call did its work; says on stderr what is wrong, or what to look at. */
static int went_well(int32_t status, MuslinCloth cloth, const char *doing) {
    char message[MUSLIN_MESSAGE_SIZE] = "";
    if (status != MUSLIN_OK) {
        muslin_get_message(cloth, message, sizeof message);
        fprintf(stderr, "%s: %s: %s\n", doing, muslin_status_text(status), message);
    }
    return status >= 0;
}

int main(void) {
    static float positions[3 * VERTICES];
    static int32_t face_sizes[FACES], face_vertices[4 * FACES];
    const int32_t corners[2] = {0, SIDE - 1};
    MuslinCloth cloth = 0;
    MuslinClothDef def;
    fill_square(positions, face_sizes, face_vertices);
    MuslinMesh mesh = {.size = sizeof mesh,
                       .vertex_count = VERTICES,
                       .face_count = FACES,
                       .positions = positions,
                       .face_sizes = face_sizes,
                       .face_vertices = face_vertices};
    int well = went_well(muslin_default_cloth_def(&def), 0, "defaults") &&
               went_well(muslin_cloth_create(&mesh, &def, &cloth), 0, "create") &&
               went_well(muslin_cloth_set_pins(cloth, 2, corners, NULL, NULL), cloth, "pins");
    for (int frame = 0; well && frame < 48; ++frame) {
        well = went_well(muslin_cloth_step(cloth, 1.0 / 24), cloth, "step");
    }
    well = well && went_well(muslin_cloth_get_state(cloth, positions, NULL), cloth, "state");
    if (well) {
        printf("The middle hangs %.3f m below the corners.\n", -positions[3 * MIDDLE + 2]);
    }
    well = (!cloth || went_well(muslin_cloth_destroy(cloth), 0, "destroy")) && well;
    return well ? 0 : 1;
}
