/* Stepping the parts without an image after the half that they are sewn to. */
#include "cloth/domain/extras.h"

#include <string.h>

/* How the parts meet the cloth where layers do not meet each other. */
#define FRICTION 0.3

BodySurface extras_surface(const Extras *extras, const BodySurface *self) {
    return self->thickness > 0 ? *self : (BodySurface){extras->thin, FRICTION};
}

StatusCode extras_meet(Extras *extras, const BodySurface *self, Status *status) {
    const BodyInputs cloth = {.surface = extras_surface(extras, self)};
    return simulation_set_body(extras->simulation, 0, &cloth, BODY_SURFACE, status);
}

/* --- pins and stitches ------------------------------------------------------------------------ */

static Vec3 stitch_place(const Stitch *stitch, const float *cloth) {
    Vec3 corners[3], axes[3], at = vec3(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        corners[k] = vector_at(cloth, stitch->under[k]);
        at = vec3_madd(at, stitch->weights[k], corners[k]);
    }
    stitch_axes(corners, axes);
    at = vec3_madd(at, stitch->way.x, axes[0]);
    at = vec3_madd(at, stitch->way.y, axes[1]);
    return vec3_madd(at, stitch->way.z, axes[2]);
}

static void place_stitches(Extras *extras, const float *cloth) {
    for (int p = extras->own_pins; p < extras->pin_count; ++p) {
        const Stitch *stitch = &extras->stitches[extras->pin_source[p]];
        set_vector(extras->pin_targets, p, stitch_place(stitch, cloth));
    }
}

static bool is_pinned(const Extras *extras, int vertex) {
    for (int p = 0; p < extras->own_pins; ++p) {
        if (extras->pin_vertices[p] == vertex) {
            return true;
        }
    }
    return false;
}

static PinInputs own_pins(const Extras *extras) {
    return (PinInputs){.count = extras->pin_count,
                       .vertices = extras->pin_vertices,
                       .weights = extras->pin_weights,
                       .targets = extras->pin_targets};
}

StatusCode extras_set_pins(Extras *extras, int count, const int32_t *vertices, const float *weights,
                           const float *targets, const float *cloth, Status *status) {
    extras->pin_count = 0;
    for (int p = 0; p < count; ++p) {
        int at = extras->index_of[vertices[p]];
        if (at >= 0) {
            extras->pin_vertices[extras->pin_count] = at;
            extras->pin_weights[extras->pin_count] = weights[p];
            set_vector(extras->pin_targets, extras->pin_count, vector_at(targets, p));
            extras->pin_source[extras->pin_count++] = p;
        }
    }
    extras->own_pins = extras->pin_count;
    for (int s = 0; s < extras->stitch_count; ++s) {
        if (!is_pinned(extras, extras->stitches[s].vertex)) {
            extras->pin_vertices[extras->pin_count] = extras->stitches[s].vertex;
            extras->pin_weights[extras->pin_count] = 1;
            extras->pin_source[extras->pin_count++] = s;
        }
    }
    place_stitches(extras, cloth);
    const Inputs inputs = {.pins = own_pins(extras)};
    Status reported = {0};
    if (simulation_set_inputs(extras->simulation, &inputs, INPUT_PINS, &reported) < 0) {
        *status = reported;
        return status->code;
    }
    return STATUS_OK;
}

void extras_move_pins(Extras *extras, const float *targets) {
    for (int p = 0; p < extras->own_pins; ++p) {
        set_vector(extras->pin_targets, p, vector_at(targets, extras->pin_source[p]));
    }
}

void extras_follow(Extras *extras, const float *cloth) {
    place_stitches(extras, cloth);
    const Inputs inputs = {.pins = own_pins(extras)};
    Status reported = {0}; /* targets are always taken */
    simulation_set_inputs(extras->simulation, &inputs, INPUT_TARGETS, &reported);
    const BodyInputs body = {.target = cloth};
    simulation_set_body(extras->simulation, 0, &body, BODY_TARGET, &reported);
}

void extras_place(Extras *extras, const float *cloth) {
    const BodyInputs body = {.place = cloth, .target = cloth};
    Status reported = {0}; /* places are always taken */
    simulation_set_body(extras->simulation, 0, &body, BODY_PLACE | BODY_TARGET, &reported);
}

/* --- state ---------------------------------------------------------------------------------- */

static void write(const Extras *extras, const Vec3 *values, float *to) {
    for (int k = 0; k < extras->count; ++k) {
        set_vector(to, extras->vertices[k], values[k]);
    }
}

void extras_get_state(const Extras *extras, float *positions, float *velocities) {
    for (int k = 0; k < extras->count && !extras->simulation; ++k) {
        set_vector(positions, extras->vertices[k], polygon_position(&extras->polygons, k));
        if (velocities) {
            set_vector(velocities, extras->vertices[k], vec3(0, 0, 0));
        }
    }
    if (!extras->simulation) {
        return;
    }
    write(extras, simulation_positions(extras->simulation), positions);
    if (velocities) {
        write(extras, simulation_velocities(extras->simulation), velocities);
    }
}

void extras_set_state(Extras *extras, const float *positions, const float *velocities) {
    for (int k = 0; k < extras->count; ++k) {
        set_vector(extras->floats, k, vector_at(positions, extras->vertices[k]));
        if (velocities) {
            set_vector(extras->more_floats, k, vector_at(velocities, extras->vertices[k]));
        }
    }
    simulation_place(extras->simulation, extras->floats, velocities ? extras->more_floats : NULL);
}
