/* Fuzzes the interface: meshes and definitions from seeds, calls in any order with arguments right and wrong, handles
 * that are stale, null or made up. What is promised holds whatever the bytes: every call returns a status that muslin.h
 * names, an error has a message, and positions stay finite. Arrays are as long as the header says; that is the one promise
 * of the caller. Sanitizers watch the rest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "muslin_debug.h"
#include "odd_mesh.h"
#include "random.h"
#include "require.h"
#include "settings.h"

#define CLOTHS 3
#define BODIES 6
#define MOST_CALLS 24
#define MOST_STEPS 8 /* of one input: others shall have their turn */

typedef struct FuzzedCloth {
    MuslinCloth handle;
    int vertex_count, pin_count;
    int32_t body_numbers[BODIES], body_vertices[BODIES];
    int body_count;
    void *snapshot;
    size_t snapshot_size;
} FuzzedCloth;

typedef struct World {
    Input input;
    Random random;
    FuzzedCloth cloths[CLOTHS];
    FuzzedCloth *now; /* the one that the next call is about */
    MuslinCloth handle;
    int steps;
    OddMesh mesh; /* the last that was made */
    MuslinMaterial material;
    MuslinForces forces; /* both of the last definition */
    float floats[3 * ODD_VERTICES], more_floats[5 * ODD_VERTICES];
    int32_t ints[ODD_VERTICES];
} World;

/* ---- numbers ------------------------------------------------------------------------------------------------- */

/* Mostly sensible: what is refused ends the input's way into the depths. */
static float odd_float(World *world) {
    static const float odd[] = {0, 1, -1, 1e-30f, 1e30f, 1e-4f, INFINITY, -INFINITY, NAN, 3.4e38f};
    return random_chance(&world->random, 0.9) ? (float)random_signed(&world->random)
                                              : odd[random_below(&world->random, 10)];
}

static const float *fill_floats(World *world, int count, double scale) {
    bool odd = random_chance(&world->random, 0.1);
    for (int i = 0; i < count; ++i) {
        world->floats[i] =
            (float)(scale * (odd ? odd_float(world) : random_signed(&world->random)));
    }
    return random_chance(&world->random, 0.95) ? world->floats : NULL;
}

/* Factors from 0 to 2. */
static const float *fill_factors(World *world, float *to, int count) {
    bool odd = random_chance(&world->random, 0.1);
    for (int i = 0; i < count; ++i) {
        to[i] = odd ? odd_float(world) : (float)(2 * random_unit(&world->random));
    }
    return random_chance(&world->random, 0.7) ? to : NULL;
}

/* In the field's range, at its ends, or beyond. */
static double odd_number(Random *random, const Field *field) {
    static const double odd[] = {0, 1, -1, 1e9, -1e9, 1e-9, 1e38, INFINITY, NAN, 0.5, 2, 100};
    double least = isfinite(field->least) ? field->least : -100;
    double most = isfinite(field->most) ? field->most : fmax(least, 0) + 1e6;
    switch (random_below(random, 8)) {
    case 0:
        return field->least;
    case 1:
        return field->most;
    case 2:
        return odd[random_below(random, 12)];
    case 3: /* any size below the largest */
        return least + (most - least) * pow(10, -12 * random_unit(random));
    default:
        return least + fmin(most - least, 10) * random_unit(random);
    }
}

/* Those that only make a call longer are kept small where they are allowed. */
static bool is_effort(const Field *field) {
    static const char *const names[] = {"substeps", "iterations", "pcg_limit", "threads", "sweeps"};
    for (int n = 0; n < 5; ++n) {
        if (strcmp(field->name, names[n]) == 0) {
            return true;
        }
    }
    return false;
}

static int32_t whole_number(Random *random, const Field *field) {
    double number = odd_number(random, field);
    if (field->kind == FIELD_CHOICE && random_chance(random, 0.95)) {
        return field->choices[random_below(random, field->choice_count)];
    }
    number = number >= -2e9 && number <= 2e9 ? number : -7;
    return is_effort(field) && field_holds(field, number) ? 1 + random_below(random, 3)
                                                          : (int32_t)number;
}

static void odd_field(Random *random, const Field *field, char *values) {
    char *at = values + field->offset;
    for (int i = 0; i < field->count; ++i) {
        if (field->kind == FIELD_FLOAT) {
            float number = (float)odd_number(random, field);
            memcpy(at + 4 * i, &number, sizeof number);
        } else if (field->kind == FIELD_INT || field->kind == FIELD_CHOICE) {
            int32_t number = whole_number(random, field);
            memcpy(at + 4 * i, &number, sizeof number);
        }
    }
}

/* Some fields of a definition that has its defaults become others. */
static void odd_struct(Random *random, const StructTable *table, void *values, int count) {
    for (int i = 0; i < count; ++i) {
        odd_field(random, &table->fields[random_below(random, table->field_count)], values);
    }
}

/* ---- promises ------------------------------------------------------------------------------------------------ */

static void expect(World *world, int32_t status) {
    char text[MUSLIN_MESSAGE_SIZE];
    REQUIRE(status >= MUSLIN_ERROR_BUSY && status <= MUSLIN_WARNING_BODY);
    REQUIRE(status != MUSLIN_ERROR_BUSY); /* nobody else is here */
    bool refused = status == MUSLIN_ERROR_HANDLE;
    if (status != MUSLIN_OK) {
        REQUIRE(muslin_get_message(refused ? 0 : world->handle, text, sizeof text) == MUSLIN_OK);
        REQUIRE(text[0] != '\0' && memchr(text, '\0', sizeof text));
    }
}

static void expect_finite(const FuzzedCloth *cloth) {
    float positions[3 * ODD_VERTICES], velocities[3 * ODD_VERTICES];
    if (!cloth->handle) {
        return;
    }
    REQUIRE(muslin_cloth_get_state(cloth->handle, positions, velocities) == MUSLIN_OK);
    for (int i = 0; i < 3 * cloth->vertex_count; ++i) {
        REQUIRE(isfinite(positions[i]) && isfinite(velocities[i]));
    }
}

/* ---- calls --------------------------------------------------------------------------------------------------- */

static double step_seconds(World *world) {
    static const double lengths[] = {1.0 / 24, 1.0 / 24, 1.0 / 24, 1e-6, 1, 10, 0, -1, NAN, 11};
    return lengths[input_choice(&world->input, 10)];
}

static const OddMesh *next_mesh(World *world) {
    odd_mesh(&world->mesh, input_seed(&world->input), ODD_ANY);
    return &world->mesh;
}

/* Its material and forces are the world's. */
static MuslinClothDef next_definition(World *world) {
    MuslinClothDef def;
    expect(world, muslin_default_cloth_def(&def));
    expect(world, muslin_default_material(&world->material));
    expect(world, muslin_default_forces(&world->forces));
    world->random = (Random){input_seed(&world->input)};
    def.substeps = 1;
    if (random_chance(&world->random, 0.8)) {
        def.material = &world->material, def.forces = &world->forces;
        odd_struct(&world->random, &settings_material, &world->material,
                   random_below(&world->random, 4));
        odd_struct(&world->random, &settings_forces, &world->forces,
                   random_below(&world->random, 4));
    }
    odd_struct(&world->random, &settings_cloth_def, &def, random_below(&world->random, 8));
    if (random_chance(&world->random, 0.02)) {
        def.size = (uint32_t)random_below(&world->random, 2 * (int)sizeof def);
        def.size = def.size > sizeof def ? (uint32_t)sizeof def + 4 : def.size;
    }
    return def;
}

static void drop(FuzzedCloth *cloth) {
    free(cloth->snapshot);
    *cloth = (FuzzedCloth){0};
}

static void call_create(World *world) {
    MuslinClothDef def = next_definition(world);
    MuslinMesh mesh = odd_mesh_cloth(next_mesh(world));
    MuslinMaterial materials[2] = {world->material, world->material};
    FuzzedCloth *cloth = world->now;
    if (cloth->handle) {
        REQUIRE(muslin_cloth_destroy(cloth->handle) == MUSLIN_OK);
        drop(cloth);
    }
    world->handle = 0;
    if (random_chance(&world->random, 0.9)) {
        expect(world, muslin_cloth_create(&mesh, &def, &cloth->handle));
    } else {
        for (int v = 0; v < mesh.vertex_count; ++v) {
            world->ints[v] = v >= mesh.vertex_count / 2 && random_chance(&world->random, 0.99);
        }
        expect(world, muslin_cloth_create_parts(&mesh, &def, world->ints,
                                                1 + random_below(&world->random, 3) % 2, materials,
                                                NULL, &cloth->handle));
    }
    cloth->vertex_count = cloth->handle ? mesh.vertex_count : 0;
}

static void call_destroy(World *world) {
    int32_t status = muslin_cloth_destroy(world->handle);
    REQUIRE(status == (world->handle == world->now->handle && world->handle ? MUSLIN_OK
                                                                            : MUSLIN_ERROR_HANDLE));
    if (status == MUSLIN_OK) {
        drop(world->now);
    }
}

static void call_step(World *world) {
    double seconds = step_seconds(world);
    if (world->steps++ < MOST_STEPS) {
        expect(world, muslin_cloth_step(world->handle, seconds));
    }
}

static void call_prepare(World *world) {
    expect(world, muslin_cloth_prepare(world->handle, step_seconds(world)));
}

static void call_settle(World *world) {
    MuslinSettleReport report = {.size = sizeof report};
    if (world->steps++ < MOST_STEPS) {
        expect(world, muslin_cloth_settle(world->handle));
        expect(world, muslin_cloth_get_settling(world->handle, &report));
    }
}

static void call_refine(World *world) {
    double seconds = step_seconds(world);
    if (world->steps++ < MOST_STEPS) {
        expect(world, muslin_cloth_refine(world->handle, seconds));
    }
}

static void call_pins(World *world) {
    int count = input_choice(&world->input, 5), vertices = world->now->vertex_count;
    for (int p = 0; p < count; ++p) {
        world->ints[p] = random_below(&world->random, vertices + 1);
    }
    const float *weights = fill_factors(world, world->more_floats, count);
    for (int p = 0; weights && p < count; ++p) {
        world->more_floats[p] /= 2;
    }
    const float *targets =
        random_chance(&world->random, 0.5) ? fill_floats(world, 3 * count, 1) : NULL;
    int32_t status = muslin_cloth_set_pins(world->handle, count, world->ints, weights, targets);
    expect(world, status);
    if (status >= 0) {
        world->now->pin_count = count;
    }
}

static void call_move_pins(World *world) {
    int count = world->now->pin_count + (random_chance(&world->random, 0.05) ? 1 : 0);
    expect(world, muslin_cloth_move_pins(world->handle, count, fill_floats(world, 3 * count, 1)));
}

static void call_links(World *world) {
    MuslinSeam seams[3];
    MuslinTack tacks[3];
    MuslinElastic elastics[3];
    MuslinButton buttons[3];
    Random *random = &world->random;
    int count = input_choice(&world->input, 4), most = world->now->vertex_count + 1;
    int32_t *vertices = world->ints;
    for (int l = 0; l < count; ++l) {
        for (int c = 0; c < 4; ++c) {
            vertices[c] = random_below(random, most) - (c % 2);
        }
        const MuslinSeam seam = {.set = random_below(random, 3) - random_chance(random, 0.05),
                                 .vertices = {vertices[0], vertices[1], vertices[2], vertices[3]},
                                 .places = {(float)random_unit(random), odd_float(world)},
                                 .length = odd_float(world),
                                 .stiffness = 100 * fabsf(odd_float(world)),
                                 .speed = fabsf(odd_float(world))};
        seams[l] = seam;
        tacks[l] = (MuslinTack){.length = seam.length,
                                .stiffness = seam.stiffness,
                                .speed = seam.speed,
                                .body = random_below(random, 4) - 2,
                                .body_weights = {1, 0, 0}};
        elastics[l] = (MuslinElastic){.share = seam.length, .strength = seam.stiffness};
        buttons[l] =
            (MuslinButton){.length = seam.length, .stiffness = seam.stiffness, .speed = seam.speed};
        /* all begin alike */
        memcpy(&tacks[l], &seam, offsetof(MuslinSeam, length));
        memcpy(&elastics[l], &seam, offsetof(MuslinSeam, length));
        memcpy(&buttons[l], &seam, offsetof(MuslinSeam, length));
        for (int c = 0; c < 3; ++c) {
            tacks[l].body_vertices[c] = buttons[l].below[c] = random_below(random, most);
        }
    }
    MuslinLinks links = {.size = sizeof links,
                         .weightless = random_below(random, 2),
                         .seams = seams,
                         .tacks = tacks,
                         .elastics = elastics,
                         .buttons = buttons};
    int32_t *const counts[] = {&links.seam_count, &links.tack_count, &links.elastic_count,
                               &links.button_count};
    *counts[random_below(random, 4)] = count;
    *counts[random_below(random, 4)] = count;
    expect(world, random_chance(random, 0.5) ? muslin_cloth_set_links(world->handle, &links)
                                             : muslin_cloth_add_links(world->handle, &links));
}

static void call_link_sets(World *world) {
    MuslinLinkReport report = {.size = sizeof report};
    int set = input_choice(&world->input, 4) - 1;
    expect(world, muslin_cloth_release_links(world->handle, set));
    expect(world, muslin_cloth_get_links(world->handle, set, &report));
    expect(world, muslin_cloth_hold_links(world->handle, set));
}

static void call_add_body(World *world) {
    MuslinBody body = odd_mesh_body(next_mesh(world));
    FuzzedCloth *cloth = world->now;
    int32_t number = -1;
    if (random_chance(&world->random, 0.3)) {
        odd_struct(&world->random, &settings_body, &body, 1);
        body.vertex_count = world->mesh.vertex_count; /* arrays are as long as it says */
        body.face_count = world->mesh.face_count;
    }
    if (cloth->body_count == BODIES) {
        return;
    }
    int32_t status = muslin_cloth_add_body(world->handle, &body, &number);
    expect(world, status);
    REQUIRE((number >= 0) == (status >= 0));
    if (status >= 0) {
        cloth->body_numbers[cloth->body_count] = number;
        cloth->body_vertices[cloth->body_count++] = body.vertex_count;
    }
}

static void call_body(World *world) {
    const FuzzedCloth *cloth = world->now;
    int which = input_choice(&world->input, BODIES), what = input_choice(&world->input, 5);
    int32_t number = which < cloth->body_count ? cloth->body_numbers[which] : which - 1;
    int count = which < cloth->body_count ? cloth->body_vertices[which] : 3;
    count -= random_chance(&world->random, 0.05);
    if (what == 0) {
        expect(world, muslin_cloth_move_body(world->handle, number, count,
                                             fill_floats(world, 3 * count, 2)));
    } else if (what == 1) {
        expect(world, muslin_cloth_place_body(world->handle, number, count,
                                              fill_floats(world, 3 * count, 2)));
    } else if (what == 2) {
        expect(world, muslin_cloth_set_body_surface(world->handle, number, 0.01f * odd_float(world),
                                                    odd_float(world)));
    } else if (what == 3) {
        MuslinBody body = odd_mesh_body(next_mesh(world));
        int32_t status = muslin_cloth_replace_body(world->handle, number, &body);
        expect(world, status);
        if (status >= 0 && which < cloth->body_count) {
            world->now->body_vertices[which] = body.vertex_count;
        }
    } else {
        expect(world, muslin_cloth_remove_body(world->handle, number));
    }
}

static void call_self_contact(World *world) {
    expect(world,
           muslin_cloth_set_self_contact(world->handle, input_choice(&world->input, 3),
                                         0.02f * fabsf(odd_float(world)), fabsf(odd_float(world))));
}

static void call_settings(World *world) {
    MuslinClothDef def = next_definition(world);
    switch (input_choice(&world->input, 7)) {
    case 0:
        expect(world, muslin_cloth_set_forces(world->handle, &world->forces));
        break;
    case 1:
        expect(world, muslin_cloth_set_iterations(world->handle, def.substeps, def.iterations));
        break;
    case 2:
        expect(world, muslin_cloth_set_quality(world->handle, def.quality));
        break;
    case 3:
        expect(world, muslin_cloth_set_part_material(
                          world->handle, random_below(&world->random, 3) - 1, &world->material));
        break;
    case 4:
        expect(world, muslin_cloth_hold_level(world->handle, random_below(&world->random, 5) - 2));
        break;
    default:
        expect(world, muslin_cloth_set_material(world->handle, &world->material));
    }
}

static void call_maps(World *world) {
    int count = world->now->vertex_count;
    int kind = input_choice(&world->input, MAP_KINDS + 2) - 1;
    expect(world,
           kind < MAP_KINDS
               ? muslin_cloth_set_map(world->handle, kind,
                                      fill_factors(world, world->more_floats, count))
               : muslin_cloth_set_fields(world->handle, fill_floats(world, 3 * count, 10), NULL));
}

static void call_set_state(World *world) {
    int count = world->now->vertex_count;
    const float *positions = fill_floats(world, 3 * count, 1);
    memcpy(world->more_floats, world->floats, 3 * (size_t)count * sizeof(float));
    bool moving = random_chance(&world->random, 0.5);
    expect(world, muslin_cloth_set_state(world->handle, positions ? world->more_floats : NULL,
                                         moving ? fill_floats(world, 3 * count, 5) : NULL));
}

static void call_snapshot(World *world) {
    FuzzedCloth *cloth = world->now;
    size_t bytes = 0;
    int32_t status = muslin_cloth_get_snapshot_size(world->handle, &bytes);
    expect(world, status);
    if (status != MUSLIN_OK || world->handle != cloth->handle) {
        return;
    }
    free(cloth->snapshot);
    cloth->snapshot = malloc(bytes ? bytes : 1);
    cloth->snapshot_size = bytes;
    REQUIRE(cloth->snapshot &&
            muslin_cloth_get_snapshot(world->handle, cloth->snapshot, bytes) == 0);
    expect(world, muslin_cloth_get_snapshot(world->handle, cloth->snapshot, bytes / 2));
}

/* Of this cloth, or of another. */
static void call_restore(World *world) {
    const FuzzedCloth *from = &world->cloths[input_choice(&world->input, CLOTHS)];
    size_t less = random_chance(&world->random, 0.05) ? 1 : 0;
    if (from->snapshot && from->snapshot_size > less) {
        expect(world,
               muslin_cloth_restore(world->handle, from->snapshot, from->snapshot_size - less));
    }
}

static void call_reports(World *world) {
    MuslinReport report = {.size = sizeof report};
    MuslinStats stats = {.size = sizeof stats};
    MuslinMirrorReport mirror = {.size = sizeof mirror};
    MuslinLevelReport levels = {.size = sizeof levels};
    double fraction;
    stats.size = random_chance(&world->random, 0.1) ? 8 : stats.size;
    expect(world, muslin_cloth_get_report(world->handle, &report));
    expect(world, muslin_cloth_get_stats(world->handle, &stats));
    expect(world, muslin_cloth_get_mirror(world->handle, &mirror));
    expect(world, muslin_cloth_get_levels(world->handle, &levels));
    expect(world, muslin_cloth_get_progress(world->handle, &fraction));
}

static void call_inspection(World *world) {
    MuslinInspection report = {.size = sizeof report};
    MuslinPlace places[16];
    int32_t found = 0;
    expect(world, muslin_cloth_get_inspection(world->handle, &report, places, 16, &found));
}

static void call_fit(World *world) {
    float *at = world->more_floats;
    int count = ODD_VERTICES;
    expect(world, muslin_cloth_get_fit(world->handle, at, at + count, at + 2 * count,
                                       at + 3 * count, at + 4 * count));
    expect(world, muslin_cloth_get_tension(world->handle, at, at + count));
}

static void call_outside(World *world) {
    int count = input_choice(&world->input, 9);
    fill_floats(world, 3 * count, 2);
    expect(world,
           muslin_cloth_put_outside(world->handle, fabsf(odd_float(world)), count, world->floats));
}

static void call_solve(World *world) {
    double sides[3 * ODD_VERTICES] = {1}, least, most, seconds;
    expect(world, muslin_debug_solve(world->handle, sides, 1, &seconds));
    expect(world, muslin_debug_eigenvalues(world->handle, &least, &most));
}

static void call_cancel(World *world) { expect(world, muslin_cloth_cancel(world->handle)); }

static void call_mesh(World *world) {
    MuslinMesh mesh = odd_mesh_cloth(next_mesh(world));
    MuslinMeshReport report = {.size = sizeof report};
    MuslinFinding findings[8];
    MuslinSymmetry symmetry = {.size = sizeof symmetry, .find = 1, .normal = {1, 0, 0}};
    int32_t found, partners[ODD_VERTICES], face_partners[ODD_FACES];
    world->handle = 0;
    expect(world, muslin_mesh_get_report(&mesh, &report, findings, 8, &found));
    expect(world, muslin_mesh_get_symmetry(&mesh, &symmetry, partners, face_partners));
    expect(world, muslin_mesh_get_fronts(&mesh, partners));
}

static void call_details(World *world) {
    MuslinDetail detail = {.size = sizeof detail};
    int32_t count = 0;
    int32_t status = muslin_get_detail_count(world->handle, &count);
    for (int d = 0; status == MUSLIN_OK && d < count; ++d) {
        REQUIRE(muslin_get_detail(world->handle, d, &detail) == MUSLIN_OK);
    }
    REQUIRE(muslin_get_detail(world->handle, count, &detail) != MUSLIN_OK);
}

static void (*const calls[])(World *) = {
    call_step,     call_step,   call_create,   call_pins,    call_move_pins,    call_links,
    call_add_body, call_body,   call_body,     call_prepare, call_self_contact, call_settings,
    call_settings, call_maps,   call_restore,  call_fit,     call_reports,      call_link_sets,
    call_destroy,  call_solve,  call_snapshot, call_mesh,    call_inspection,   call_set_state,
    call_outside,  call_cancel, call_settle,   call_refine,  call_details};

/* Mostly the cloth that was made; sometimes a handle that is none any more, or never was. */
static void choose_handle(World *world) {
    int choice = input_choice(&world->input, 30);
    world->now = &world->cloths[choice < 24 ? 0 : choice % CLOTHS];
    world->handle = world->now->handle;
    if (choice == 29) {
        world->handle += 1ull << 32;
        world->now = &world->cloths[0];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static World world;
    world = (World){.input = {.bytes = bytes, .size = size}, .now = &world.cloths[0]};
    call_create(&world);
    for (int call = 0; call < MOST_CALLS && !input_ended(&world.input); ++call) {
        choose_handle(&world);
        calls[input_choice(&world.input, (int)(sizeof calls / sizeof *calls))](&world);
        expect_finite(world.now);
    }
    for (int c = 0; c < CLOTHS; ++c) {
        if (world.cloths[c].handle) {
            REQUIRE(muslin_cloth_destroy(world.cloths[c].handle) == MUSLIN_OK);
        }
        drop(&world.cloths[c]);
    }
    return 0;
}
