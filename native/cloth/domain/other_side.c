/* Builds, drives and reads the other side of a garment that was cut. */
#include "cloth/domain/other_side.h"

#include <stdlib.h>
#include <string.h>

#include "mirror/halves.h"

/* Rounds of its one substep. One leaves what it meets unsolved, and it passes through. */
#define ROUNDS 3
/* Steps longer than this are taken in parts, s: so it was tuned, at 24 frames a second. Settling takes twice that. */
#define LONGEST 0.042
#define STEPS_MOST 4 /* of steps so long that nothing is to be had of their motion */
/* Pull to where it rides, per mass, 1/s^2: its weight moves it by g over this, 3 mm. */
#define PULL 3000.0
/* Of the thickness that layers keep: those of the half keep all of it, and lead. Here they must not pass, that is all. */
#define LAYERS 0.25
/* Where not more than this part of the faces has no image, it rides: nearly all of it is the image of the half. */
#define FEW 0.05

/* From the caller to the frame in which the other side is simulated, and back. */
static Vec3 inward(const Half *kept, Vec3 p) {
    return frame_reflect_half(frame_to_half(&kept->frame, p));
}

static Vec3 outward(const Half *kept, Vec3 p) {
    return frame_from_half(&kept->frame, frame_reflect_half(p));
}

/* --- building --------------------------------------------------------------------------------- */

static HalfOptions turned(const HalfOptions *wanted, const Half *kept) {
    HalfOptions options = *wanted;
    options.mode = HALF_CUT;
    options.find = false;
    options.plane = kept->frame.plane;
    options.plane.normal = vec3_scale(-1, kept->frame.plane.normal);
    options.tolerance = kept->symmetry.tolerance;
    options.over = -wanted->over;
    options.gap = kept->gap;
    options.alike = true;
    return options;
}

static StatusCode take_places(OtherSide *other, const Half *kept, bool parted, Status *status) {
    const Half *half = &other->half;
    int count = half->polygons.vertex_count;
    Store *store = &other->store;
    other->rest = STORE_ARRAY(store, float, 3 * (int64_t)count);
    other->floats = STORE_ARRAY(store, float, 3 * (int64_t)count);
    other->places = STORE_ARRAY(store, Vec3, count);
    other->aims = STORE_ARRAY(store, Vec3, count);
    other->ridden = STORE_ARRAY(store, Vec3, count);
    other->weights = STORE_ARRAY(store, float, count);
    other->all = STORE_ARRAY(store, int32_t, count);
    other->cut_centre = STORE_ARRAY(store, double, 3);
    other->parts = parted ? STORE_ARRAY(store, int32_t, count) : NULL;
    if (store->failed) {
        return status_no_memory(status, "the other side of the garment");
    }
    for (int i = 0; i < count; ++i) {
        Vec3 at = frame_from_half(&half->frame, polygon_position(&half->polygons, i));
        at = inward(kept, at);
        at.x = i >= half->plane_from ? 0 : at.x;
        set_vector(other->rest, i, at);
        other->all[i] = i;
        other->weights[i] =
            i >= half->rail_from ? 1 : 0.5f; /* held, or pulled as the material says */
    }
    Vec3 centre = inward(kept, frame_from_half(&half->frame, polygon_centre(&half->polygons)));
    other->cut_centre[0] = centre.x;
    other->cut_centre[1] = centre.y;
    other->cut_centre[2] = centre.z;
    return STATUS_OK;
}

static Material led_material(const Material *material) {
    Material own = *material;
    own.pin_stiffness = PULL;
    return own;
}

void other_side_inputs(OtherSide *other, unsigned what, Inputs *inputs) {
    for (int p = 0; p < other->part_count && what & INPUT_MATERIALS; ++p) {
        other->materials[p] = led_material(&inputs->materials[p]);
    }
    inputs->materials = other->materials;
    inputs->self_contact.thickness *= LAYERS;
}

static StatusCode create(OtherSide *other, const SimulationOptions *options, Status *status) {
    const Half *half = &other->half;
    PolygonMesh polygons = half->polygons;
    SimulationOptions own = *options;
    polygons.positions = other->rest;
    polygons.cut_centre = other->cut_centre;
    polygons.vertex_parts = other->parts;
    own.half.rail_from = half->rail_from;
    own.half.plane_from = half->plane_from;
    own.half.barrier = half->front_count > 0;
    other->part_count = system_part_count(&options->system);
    for (int p = 0; p < other->part_count; ++p) {
        own.materials[p] = led_material(&options->materials[p]);
    }
    own.progress = NULL; /* that of the step is the half's */
    own.substeps = 1;
    own.integrator = INTEGRATOR_EULER;
    own.solver = SOLVER_LINEAR;
    if (!model_has(own.system.model, ABILITY_ANY_MESH)) { /* what has no image need not be a grid */
        own.system.model = MODEL_TRIANGLE;
    }
    own.solving.scheme = SCHEME_TWO_LEVEL;
    own.solving.iterations = ROUNDS;
    own.solving.prescribed = true; /* it hardly leaves its prescribed path */
    own.solving.quality = QUALITY_CUSTOM;
    other->simulation = simulation_create(&polygons, &own, status);
    if (!other->simulation) {
        return status->code;
    }
    const Inputs inputs = {.pins = {.count = polygons.vertex_count,
                                    .vertices = other->all,
                                    .weights = other->weights,
                                    .targets = other->rest}};
    return simulation_set_inputs(other->simulation, &inputs, INPUT_PINS, status);
}

/* Where all of it rides before anything has moved. */
static StatusCode ride_at_rest(OtherSide *other, const Half *kept, Status *status) {
    int count = kept->polygons.vertex_count;
    Vec3 *at = SCRATCH_ARRAY(Vec3, count);
    if (!at) {
        return status_no_memory(status, "the other side of the garment");
    }
    for (int i = 0; i < count; ++i) {
        at[i] = polygon_position(&kept->polygons, i);
    }
    other_side_ride(other, kept, at);
    memcpy(other->ridden, other->places,
           (size_t)other->half.polygons.vertex_count * sizeof *other->ridden);
    free(at);
    return STATUS_OK;
}

StatusCode other_side_build(OtherSide *other, const PolygonMesh *mesh, const Half *kept,
                            const HalfOptions *wanted, const SimulationOptions *options,
                            Status *status) {
    int alone = kept->symmetry.elements.faces_without;
    if (wanted->mode != HALF_CUT || alone <= FEW * mesh->face_count) {
        return STATUS_OK;
    }
    HalfOptions half_options = turned(wanted, kept);
    if (half_build(mesh, &half_options, &other->half, status) < 0 ||
        take_places(other, kept, mesh->vertex_parts != NULL, status) < 0) {
        return status->code;
    }
    for (int i = 0; other->parts && i < other->half.polygons.vertex_count; ++i) {
        other->parts[i] = mesh->vertex_parts[other->half.origin[i]];
    }
    if (create(other, options, status) < 0) {
        return status->code;
    }
    return ride_at_rest(other, kept, status);
}

void other_side_free(OtherSide *other) {
    simulation_destroy(other->simulation);
    half_free(&other->half);
    store_release(&other->store);
    *other = (OtherSide){0};
}

/* --- where it is ------------------------------------------------------------------------------ */

/* Vertices that were drawn onto the plane go along it with those that they were drawn from. A front that closes comes to
 * its image as far as that has come to the plane: at first it is where it was modelled. */
void other_side_ride(OtherSide *other, const Half *kept, const Vec3 *kept_positions) {
    const Half *half = &other->half;
    if (kept->has_lifts) {
        half_prepare(kept, simulation_pool(other->simulation), kept_positions);
    }
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        int v = half->origin[i];
        Vec3 at = vector_at(other->rest, i);
        if (kept->rides[v].vertices[0] >= 0) {
            at = inward(kept, half_place(kept, kept_positions, v));
        }
        if (i >= half->rail_from && i < half->plane_from && other->ridden[i].x != 0) {
            double open = fmax(0.0, fmin(at.x / other->ridden[i].x, 1.0));
            at = vec3_madd(at, open, vec3_sub(vector_at(other->rest, i), other->ridden[i]));
        }
        at.x = i >= half->plane_from ? 0 : at.x;
        other->places[i] = at;
    }
}

int other_side_steps(double seconds) {
    double count = ceil(seconds / LONGEST);
    return count > STEPS_MOST ? STEPS_MOST : count < 1 ? 1 : (int)count;
}

void other_side_lead(OtherSide *other, const Half *kept, const Vec3 *kept_positions,
                     double seconds) {
    int count = other->half.polygons.vertex_count;
    const Vec3 *x = simulation_positions(other->simulation);
    for (int i = 0; i < count; ++i) {
        other->aims[i] = vec3_sub(x[i], other->places[i]);
    }
    other_side_ride(other, kept, kept_positions);
    for (int i = 0; i < count; ++i) {
        other->aims[i] = vec3_add(other->aims[i], other->places[i]);
        set_vector(other->floats, i, other->places[i]);
    }
    simulation_set_prediction(other->simulation, other->aims, seconds);
    const Inputs inputs = {.pins.targets = other->floats};
    Status reported = {0}; /* targets are always taken */
    simulation_set_inputs(other->simulation, &inputs, INPUT_TARGETS, &reported);
}

/* Those on the plane are shared: the kept side tells where they are. */
void other_side_get(const OtherSide *other, const Half *kept, float *positions) {
    const Vec3 *x = simulation_positions(other->simulation);
    for (int i = 0; i < other->half.plane_from; ++i) {
        if (i >= other->half.rail_from && x[i].x == 0) {
            continue;
        }
        set_vector(positions, other->half.origin[i], outward(kept, x[i]));
    }
}

void other_side_set(OtherSide *other, const Half *kept, const float *positions) {
    const Half *half = &other->half;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        Vec3 at = inward(kept, vector_at(positions, half->origin[i]));
        at.x = i >= half->plane_from ? 0 : at.x;
        set_vector(other->floats, i, at);
    }
    simulation_place(other->simulation, other->floats, NULL);
}

Vec3 other_side_offset(const OtherSide *other, const Half *kept, int vertex) {
    const Vec3 *x = simulation_positions(other->simulation);
    Vec3 off = vec3_sub(x[vertex], other->places[vertex]);
    return frame_turn_from_half(&kept->frame, frame_reflect_half(off));
}
