/* What is not symmetric about a garment's pins, forces, maps and state, and who hears of it. */
#include "garment/state.h"

/* Share of a force that may point across the plane: rounding, and no more. */
#define ACROSS 1e-5
/* Velocities may differ by what moves partners apart by the tolerance within this time, s. */
#define FRAME_SECONDS (1.0 / 24)

static const char *const WHAT_NOW[] = {
    [MIRROR_AUTO] = "so all of the garment is simulated while that lasts",
    [MIRROR_EXACT] = "but mirror is exact, which takes nothing that is not symmetric",
    [MIRROR_HALVE] = "and that part is left out",
};

static StatusCode tell(const Garment *garment, const char *message, Status *status) {
    MirrorChoice choice = garment->options.mirror.choice;
    StatusCode code = choice == MIRROR_EXACT ? STATUS_ERROR_ARGUMENT : STATUS_WARNING_MIRROR;
    int opens = choice == MIRROR_AUTO && garment->half.front_count > 0;
    return status_set(status, code, "%s, %s%s", message, WHAT_NOW[choice],
                      opens ? ", with its fronts open" : "");
}

StatusCode tell_asymmetry(const Garment *garment, const Refusal *found, const char *one,
                          const char *many, Status *status) {
    Status places = {0};
    refusal_status(found, REFUSAL_VERTEX, &garment->mesh.polygons, one, many, &places);
    return tell(garment, places.message, status);
}

void set_asymmetry(Garment *garment, unsigned bit, int holds) {
    garment->asymmetry = holds ? garment->asymmetry | bit : garment->asymmetry & ~bit;
}

/* --- forces ----------------------------------------------------------------------------------- */

static int crosses(const Half *half, Vec3 force) {
    double across = fabs(frame_turn_to_half(&half->frame, force).x);
    return across > ACROSS * vec3_length(force);
}

static Vec3 along_plane(const Half *half, Vec3 force) {
    Vec3 turned = frame_turn_to_half(&half->frame, force);
    return vec3(0, turned.y, turned.z);
}

void forces_for_half(const Half *half, ClothOptions *options) {
    options->gravity = along_plane(half, options->gravity);
    options->wind.velocity = along_plane(half, options->wind.velocity);
}

void forces_push(Garment *garment, Cloth *cloth) {
    ClothOptions options = garment->options.cloth;
    if (cloth == garment->halved) {
        forces_for_half(&garment->half, &options);
    }
    cloth_set_forces(cloth, options.gravity, &options.wind);
}

StatusCode check_forces(const Garment *garment, Vec3 gravity, const Wind *wind, Status *status) {
    int blows = wind->normal_drag > 0 || wind->tangent_drag > 0;
    int falls = crosses(&garment->half, gravity);
    if (!falls && !(blows && crosses(&garment->half, wind->velocity))) {
        return STATUS_OK;
    }
    Vec3 force = falls ? gravity : wind->velocity, n = garment->half.frame.plane.normal;
    Status text = {0};
    status_set(&text, STATUS_OK,
               "%s of (%g, %g, %g) %s points across the mirror plane, whose normal is (%g, %g, %g)",
               falls ? "gravity" : "the wind", force.x, force.y, force.z, falls ? "m/s^2" : "m/s",
               n.x, n.y, n.z);
    return tell(garment, text.message, status);
}

/* --- the state -------------------------------------------------------------------------------- */

/* How far values of the whole cloth are from what they would be if the half took over, at most. */
static double jump(Garment *garment, CarryKind kind, const Vec3 *values) {
    double most = 0;
    for (int i = 0; i < garment->half.polygons.vertex_count; ++i) {
        garment->room[i] = half_value(garment, i, kind, values);
    }
    garment->lifted = NULL;
    for (int v = 0; v < garment->vertex_count; ++v) {
        if (garment->half.rides[v].vertices[0] >= 0) {
            Vec3 then = carry_to_whole(garment, garment->room, kind, v);
            double distance = vec3_distance(then, values[v]);
            most = distance > most ? distance : most;
        }
    }
    return most;
}

int whole_is_symmetric(Garment *garment) {
    double tolerance = garment->half.symmetry.tolerance;
    return jump(garment, CARRY_PLACE, cloth_positions(garment->whole)) <= tolerance &&
           jump(garment, CARRY_DIRECTION, cloth_velocities(garment->whole)) * FRAME_SECONDS <=
               tolerance;
}
