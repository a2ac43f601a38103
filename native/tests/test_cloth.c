/* A garment above its cloths: whole it is a cloth and nothing else; by half it takes no memory in a step, comes out as
 * its own image, and goes over to the whole and back without a jump. */
#include <string.h>

#include "cloth/cloth.h"
#include "given.h"
#include "memory_counter.h"
#include "meshes.h"
#include "rig.h"

#define STEP (1.0 / 24)
#define ACROSS 13 /* vertices along x: the middle one is on the plane */
#define ALONG 9
#define COUNT (ACROSS * ALONG)
#define EXTRA 9 /* vertices of a pocket */

static const BodySurface surface = {.thickness = 0.004, .friction = 0.4};

/* --- garments --------------------------------------------------------------------------------- */

static ClothOptions options_of(MirrorChoice choice) {
    ClothOptions options = {.simulation = plain_options(),
                            .mirror = {.choice = choice,
                                       .half.plane = {{0, 0, 0}, {1, 0, 0}},
                                       .half.overlap = 0.03,
                                       .half.over = 1,
                                       .asymmetric_body = BODY_SOLVE_WHOLE}};
    options.simulation.system.keep_folds = 1;
    return options;
}

/* Quads that are cut alike on both sides: each leans away from the plane. */
static void add_grid(TestMesh *mesh, int across, int along, double width, Vec3 middle) {
    int first = mesh->polygons.vertex_count;
    for (int j = 0; j < along; ++j) {
        for (int i = 0; i < across; ++i) {
            double x = (2 * i - (across - 1)) * width / (2 * (across - 1));
            double y = (2 * j - (along - 1)) * width / (2 * (across - 1));
            mesh_add_vertex(mesh, middle.x + x, middle.y + y, middle.z + 0.2 * fabs(x));
        }
    }
    for (int j = 0; j + 1 < along; ++j) {
        for (int i = 0; i + 1 < across; ++i) {
            int a = first + j * across + i, b = a + 1, c = b + across, d = a + across;
            bool left = 2 * i + 1 < across - 1;
            mesh_add_triangle(mesh, a, b, left ? c : d);
            mesh_add_triangle(mesh, left ? a : b, c, d);
        }
    }
}

static TestMesh *roof(int with_pocket) {
    TestMesh *mesh = mesh_new();
    add_grid(mesh, ACROSS, ALONG, 0.6, vec3(0, 0, 0));
    if (with_pocket) {
        add_grid(mesh, 3, 3, 0.08, vec3(0.15, 0, 0.04));
    }
    return mesh;
}

static int partner_of(int vertex) { return vertex - 2 * (vertex % ACROSS) + ACROSS - 1; }

static Cloth *open_cancellable(const TestMesh *mesh, MirrorChoice choice, atomic_int *cancelled) {
    Status status = {0};
    ClothOptions options = options_of(choice);
    options.simulation.cancelled = cancelled;
    Cloth *cloth = cloth_create(&mesh->polygons, &options, &status);
    CHECK(cloth != NULL);
    CHECK_INT(status.code, STATUS_OK);
    const int32_t pins[2] = {0, ACROSS - 1};
    CHECK_INT(cloth_set_pins(cloth, 2, pins, NULL, NULL, &status), STATUS_OK);
    return cloth;
}

static Cloth *open_garment(const TestMesh *mesh, MirrorChoice choice) {
    return open_cancellable(mesh, choice, NULL);
}

/* A square plate below, to this side of the plane. */
static int add_plate(Cloth *cloth, double x) {
    TestMesh *plate = mesh_new();
    Status status = {0};
    int number = -1;
    add_grid(plate, 5, 5, 0.4, vec3(x, 0, -0.1));
    cloth_add_body(cloth, &plate->polygons, &surface, &number, &status);
    CHECK(status.code >= 0);
    mesh_free(plate);
    return number;
}

static double largest_asymmetry(const float *positions) {
    double largest = 0;
    for (int v = 0; v < COUNT; ++v) {
        const float *a = positions + 3 * v, *b = positions + 3 * partner_of(v);
        double apart = fabs(a[0] + b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]);
        largest = apart > largest ? apart : largest;
    }
    return largest;
}

/* --- checks ----------------------------------------------------------------------------------- */

/* Not mirrored, a garment is its cloth to the bit. */
static void check_whole(void) {
    TestMesh *mesh = roof(0);
    Status status = {0};
    static float found[3 * COUNT], wanted[3 * COUNT];
    Cloth *cloth = open_garment(mesh, MIRROR_OFF);
    ClothOptions options = options_of(MIRROR_OFF);
    Simulation *simulation = simulation_create(&mesh->polygons, &options.simulation, &status);
    const int32_t pins[2] = {0, ACROSS - 1};
    give_pins(simulation, 2, pins, NULL, NULL, &status);
    for (int i = 0; i < 4; ++i) {
        CHECK_INT(cloth_step(cloth, STEP, &status), STATUS_OK);
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
    }
    cloth_get_state(cloth, found, NULL);
    simulation_copy_state(simulation, wanted, NULL);
    CHECK_INT(memcmp(found, wanted, sizeof found), 0);
    CHECK_INT((long long)cloth_snapshot_size(cloth), (long long)simulation_state_bytes(simulation));
    cloth_destroy(cloth);
    simulation_destroy(simulation);
    mesh_free(mesh);
}

/* By half, with everything that a step may have to do. */
static void check_half(int with_pocket) {
    TestMesh *mesh = roof(with_pocket);
    Status status = {0};
    static float positions[3 * (COUNT + EXTRA)];
    float targets[6];
    Cloth *cloth = open_garment(mesh, MIRROR_EXACT);
    add_plate(cloth, 0);
    CHECK_INT(cloth_set_self_contact(cloth, &surface, &status), STATUS_OK);
    for (int i = 0; i < 8; ++i) { /* until contacts have been as many as they get */
        CHECK_INT(cloth_step(cloth, STEP, &status), STATUS_OK);
    }
    cloth_get_state(cloth, positions, NULL);
    memcpy(targets, positions, 12);
    memcpy(targets + 3, positions + 3 * (ACROSS - 1), 12);
    long long before = memory_taken();
    count_memory(1);
    for (int i = 0; i < 4; ++i) {
        targets[2] += 0.001f;
        targets[5] = targets[2];
        cloth_move_pins(cloth, targets, &status);
        cloth_step(cloth, STEP, &status);
        cloth_get_state(cloth, positions, NULL);
    }
    count_memory(0);
    CHECK_INT(status.code, STATUS_OK);
    CHECK_INT(memory_taken() - before, 0);
    CHECK_NEAR(positions[2], targets[2], 1e-7);
    CHECK_NEAR(largest_asymmetry(positions), 0, 0);
    MirrorReport report;
    cloth_mirror(cloth, &report);
    CHECK_INT(report.mode, MIRROR_EXACT);
    CHECK_INT(report.half_vertex_count, (ACROSS + 1) / 2 * ALONG);
    CHECK_INT(report.extra_count, with_pocket ? EXTRA : 0);
    CHECK_INT(report.whole_steps, 0);
    ClothSeconds seconds;
    cloth_seconds(cloth, &seconds);
    double half = cloth_last_step(cloth).seconds;
    CHECK(with_pocket ? seconds.total > half : seconds.total == half);
    CHECK(seconds.force > 0 && seconds.solve > 0 && seconds.search > 0);
    CHECK(seconds.force + seconds.assemble + seconds.solve + seconds.search + seconds.respond <=
          seconds.total);
    cloth_destroy(cloth);
    mesh_free(mesh);
}

/* An asymmetric body makes it whole: where it is, and without memory once it has been. */
static void check_fallback(int with_pocket) {
    TestMesh *mesh = roof(with_pocket);
    Status status = {0};
    static float before[3 * (COUNT + EXTRA)], after[3 * (COUNT + EXTRA)];
    int count = 3 * mesh->polygons.vertex_count;
    Cloth *cloth = open_garment(mesh, MIRROR_EXACT);
    MirrorReport report;
    for (int i = 0; i < 4; ++i) {
        CHECK_INT(cloth_step(cloth, STEP, &status), STATUS_OK);
    }
    int plate = add_plate(cloth, 2);
    cloth_get_state(cloth, before, NULL);
    CHECK_INT(cloth_step(cloth, 1e-6, &status), STATUS_OK);
    cloth_get_state(cloth, after, NULL);
    cloth_mirror(cloth, &report);
    CHECK_INT(report.solved_whole, 1);
    CHECK_INT(report.body, plate);
    CHECK(report.body_asymmetry > 1);
    double jump = 0;
    for (int i = 0; i < count; ++i) {
        double moved = fabs((double)after[i] - before[i]);
        jump = moved > jump ? moved : jump;
    }
    CHECK_BELOW(jump, 1e-5); /* a few m/s for a microsecond */
    cloth_step(cloth, STEP, &status);
    long long taken = memory_taken();
    count_memory(1);
    cloth_step(cloth, STEP, &status);
    cloth_step(cloth, STEP, &status);
    count_memory(0);
    CHECK_INT(memory_taken() - taken, 0);
    cloth_remove_body(cloth, plate);
    cloth_mirror(cloth, &report);
    CHECK_INT(report.whole_steps, 4);
    CHECK_INT(report.body, -1);
    cloth_destroy(cloth);
    mesh_free(mesh);
}

/* A cancel before a step holds for whichever simulation that one steps, and for no other. */
static void check_cancel_before(int with_pocket) {
    TestMesh *mesh = roof(with_pocket);
    Status status = {0};
    static float found[3 * (COUNT + EXTRA)], wanted[3 * (COUNT + EXTRA)];
    atomic_int cancelled = 0;
    Cloth *cloths[2] = {open_cancellable(mesh, MIRROR_EXACT, &cancelled),
                        open_garment(mesh, MIRROR_EXACT)};
    for (int c = 0; c < 2; ++c) {
        Cloth *cloth = cloths[c];
        int plate = -1;
        for (int i = 0; i < 9; ++i) {
            if (i == 3) {
                plate = add_plate(cloth, 2); /* from here on whole */
            }
            if (i == 6) {
                cloth_remove_body(cloth, plate);
            }
            if (c == 0) {
                atomic_store(&cancelled, 1);
                CHECK_INT(cloth_step(cloth, STEP, &status), STATUS_ERROR_CANCELLED);
                CHECK_INT(cloth_last_step(cloth).substeps, 0);
            }
            CHECK_INT(cloth_step(cloth, STEP, &status), STATUS_OK);
        }
    }
    cloth_get_state(cloths[0], found, NULL);
    cloth_get_state(cloths[1], wanted, NULL);
    CHECK_INT(memcmp(found, wanted, 12 * (size_t)mesh->polygons.vertex_count), 0);
    cloth_destroy(cloths[0]);
    cloth_destroy(cloths[1]);
    mesh_free(mesh);
}

/* What is refused changes nothing. */
static void check_refusals(void) {
    TestMesh *mesh = roof(0);
    Status status = {0};
    Cloth *cloth = open_garment(mesh, MIRROR_EXACT), *other = open_garment(mesh, MIRROR_EXACT);
    static float found[3 * COUNT], wanted[3 * COUNT], uneven[COUNT];
    const int32_t one[1] = {0}, twice[2] = {0, 0};
    Wind wind = {.velocity = {2, 0, 0}, .normal_drag = 0.5, .tangent_drag = 0.1}, calm = {0};
    memcpy(wanted, mesh->positions, sizeof wanted);
    wanted[3] += 0.01f;
    for (int v = 0; v < COUNT; ++v) {
        uneven[v] = v == 1 ? 2 : 1;
    }
    CHECK_INT(cloth_set_pins(cloth, 1, one, NULL, NULL, &status), STATUS_ERROR_ARGUMENT);
    CHECK_INT(cloth_set_pins(cloth, 2, twice, NULL, NULL, &status), STATUS_ERROR_ARGUMENT);
    const float *maps[MAP_KINDS] = {[MAP_MASS] = uneven};
    CHECK_INT(cloth_set_maps(cloth, input_map(MAP_MASS), maps, &status), STATUS_ERROR_ARGUMENT);
    CHECK_INT(cloth_set_state(cloth, wanted, NULL, &status), STATUS_ERROR_ARGUMENT);
    CHECK_INT(cloth_set_forces(cloth, vec3(0, 0, -9.81), &wind, &status), STATUS_ERROR_ARGUMENT);
    CHECK_INT(cloth_set_forces(cloth, vec3(1, 0, 0), &calm, &status), STATUS_ERROR_ARGUMENT);
    CHECK_INT(cloth_restore(cloth, wanted, sizeof wanted, &status), STATUS_ERROR_SNAPSHOT);
    CHECK_INT(cloth_restore(cloth, wanted, 3, &status), STATUS_ERROR_SNAPSHOT);
    CHECK(strstr(status.message, "but 3 were given") != NULL);
    CHECK_INT(cloth_pin_count(cloth), 2);
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(cloth_step(cloth, STEP, &status), STATUS_OK);
        CHECK_INT(cloth_step(other, STEP, &status), STATUS_OK);
    }
    cloth_get_state(cloth, found, NULL);
    cloth_get_state(other, wanted, NULL);
    CHECK_INT(memcmp(found, wanted, sizeof found), 0);
    cloth_destroy(cloth);
    cloth_destroy(other);
    mesh_free(mesh);
}

int main(void) {
    check_counter();
    check_whole();
    for (int with_pocket = 0; with_pocket < 2; ++with_pocket) {
        check_half(with_pocket);
        check_fallback(with_pocket);
        check_cancel_before(with_pocket);
    }
    check_refusals();
    return check_result();
}
