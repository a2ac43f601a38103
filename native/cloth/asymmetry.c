/* What is not symmetric about a cloth's pins, forces, maps and state, and who hears of it. */
#include "cloth/state.h"

/* Share of a force that may point across the plane: rounding, and no more. */
#define ACROSS 1e-5
/* Velocities may differ by what moves partners apart by the tolerance within this time, s. */
#define FRAME_SECONDS (1.0 / 24)

static const char *const WHAT_NOW[] = {
    [MIRROR_AUTO] = "so all of the garment is simulated while that lasts",
    [MIRROR_EXACT] = "but mirror is exact, which takes nothing that is not symmetric",
    [MIRROR_HALVE] = "and that part is left out",
};

static StatusCode tell(const Cloth *cloth, const char *message, Status *status) {
    MirrorChoice choice = cloth->options.mirror.choice;
    StatusCode code = choice == MIRROR_EXACT ? STATUS_ERROR_ARGUMENT : STATUS_WARNING_MIRROR;
    int opens = choice == MIRROR_AUTO && cloth->half.front_count > 0;
    return status_set(status, code, "%s, %s%s", message, WHAT_NOW[choice],
                      opens ? ", with its fronts open" : "");
}

StatusCode tell_asymmetry(const Cloth *cloth, const Refusal *found, const char *one,
                          const char *many, Status *status) {
    Status places = {0};
    refusal_status(found, REFUSAL_VERTEX, &cloth->mesh.polygons, one, many, &places);
    return tell(cloth, places.message, status);
}

void set_asymmetry(Cloth *cloth, unsigned bit, int holds) {
    cloth->asymmetry = holds ? cloth->asymmetry | bit : cloth->asymmetry & ~bit;
}

/* --- forces ----------------------------------------------------------------------------------- */

static bool crosses(const Half *half, Vec3 force) {
    double across = fabs(frame_turn_to_half(&half->frame, force).x);
    return across > ACROSS * vec3_length(force);
}

static Vec3 along_plane(const Half *half, Vec3 force) {
    Vec3 turned = frame_turn_to_half(&half->frame, force);
    return vec3(0, turned.y, turned.z);
}

void forces_for_half(const Half *half, SimulationOptions *options) {
    options->gravity = along_plane(half, options->gravity);
    options->wind.velocity = along_plane(half, options->wind.velocity);
}

void forces_push(Cloth *cloth, Simulation *simulation) {
    SimulationOptions options = cloth->options.simulation;
    if (simulation == cloth->halved) {
        forces_for_half(&cloth->half, &options);
    }
    simulation_set_forces(simulation, options.gravity, &options.wind);
}

StatusCode check_forces(const Cloth *cloth, Vec3 gravity, const Wind *wind, Status *status) {
    int blows = wind->normal_drag > 0 || wind->tangent_drag > 0;
    int falls = crosses(&cloth->half, gravity);
    if (!falls && !(blows && crosses(&cloth->half, wind->velocity))) {
        return STATUS_OK;
    }
    Vec3 force = falls ? gravity : wind->velocity, n = cloth->half.frame.plane.normal;
    Status text = {0};
    status_set(&text, STATUS_WARNING_MIRROR,
               "%s of (%g, %g, %g) %s points across the mirror plane, whose normal is (%g, %g, %g)",
               falls ? "gravity" : "the wind", force.x, force.y, force.z, falls ? "m/s^2" : "m/s",
               n.x, n.y, n.z);
    return tell(cloth, text.message, status);
}

/* --- the state -------------------------------------------------------------------------------- */

/* How far values of the whole simulation are from what they would be if the half took over, at most. */
static double jump(Cloth *cloth, CarryKind kind, const Vec3 *values) {
    double most = 0;
    for (int i = 0; i < cloth->half.polygons.vertex_count; ++i) {
        cloth->room[i] = half_value(cloth, i, kind, values);
    }
    cloth->lifted = NULL;
    for (int v = 0; v < cloth->vertex_count; ++v) {
        if (cloth->half.rides[v].vertices[0] >= 0) {
            Vec3 then = carry_to_whole(cloth, cloth->room, kind, v);
            double distance = vec3_distance(then, values[v]);
            most = distance > most ? distance : most;
        }
    }
    return most;
}

bool whole_is_symmetric(Cloth *cloth) {
    double tolerance = cloth->half.symmetry.tolerance;
    return jump(cloth, CARRY_PLACE, simulation_positions(cloth->whole)) <= tolerance &&
           jump(cloth, CARRY_DIRECTION, simulation_velocities(cloth->whole)) * FRAME_SECONDS <=
               tolerance;
}
